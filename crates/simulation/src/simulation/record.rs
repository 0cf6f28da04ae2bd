//! What a run leaves behind: samples of the vehicles and their summaries.

use super::outcome::OutcomeReport;
use super::radio::RadioSummary;
use crate::soil::Soil;
use crate::spatial::{Pose, Vec3};
use crate::vehicle::{Controls, Selector};
use serde::{Deserialize, Serialize};

/// One wheel at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelSample {
    /// Spin, rad/s, positive when rolling forward.
    pub spin: f64,
    /// Slip, clamped to [-1, 1]: 1 - v/(ω r) when driving, ω r/v - 1 when braked.
    pub slip: f64,
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Vertical force of the ground, or of a block that it stands on, on the wheel, N.
    pub load: f64,
    /// Force of the ground along the wheel's heading, N.
    pub traction: f64,
    /// Force of the ground along the wheel's left, N.
    pub lateral: f64,
    /// Torque of driveline and brake on the wheel, N m, positive forward. That of a sprocket is
    /// shared by the road wheels of its side, geared to them by the track: times their spins it is
    /// the sprocket's power.
    pub torque: f64,
    /// Area in contact with the ground, of rigid tyres with yielding ground, m².
    pub area: f64,
    /// Inflation, Pa; zero for what does not give way, as the next two.
    pub inflation: f64,
    /// How far the tyre is pressed in, m.
    pub deflection: f64,
    /// Length of its contact, m.
    pub contact_length: f64,
}

impl WheelSample {
    /// Adds a force of what it stands on, N, by its level direction of travel.
    pub(super) fn add_force(&mut self, force: &Vec3, forward: &Vec3) {
        self.load += force.z;
        self.traction += force.dot(forward);
        self.lateral += force.dot(&Vec3::z().cross(forward));
    }

    /// Takes in the second tyre of twins: forces and areas add up, the deeper one counts.
    pub(super) fn join(&mut self, other: &WheelSample) {
        self.load += other.load;
        self.traction += other.traction;
        self.lateral += other.lateral;
        self.area += other.area;
        self.sinkage = self.sinkage.max(other.sinkage);
        self.deflection = self.deflection.max(other.deflection);
        self.contact_length = self.contact_length.max(other.contact_length);
    }
}

impl WheelSample {
    /// The same of a wheel that stands: its load stays, and what rolling and drive made is gone.
    fn standing(&mut self) {
        (self.spin, self.slip, self.torque) = (0.0, 0.0, 0.0);
        (self.traction, self.lateral) = (0.0, 0.0);
    }
}

/// A trailer at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrailerSample {
    /// Origin of its frame in the world, m: its end of the coupling.
    pub position: Vec3,
    /// Yaw against the vehicle that draws it, rad, to the left positive.
    pub articulation: f64,
    /// Pitch against it, rad, nose down positive.
    pub pitch: f64,
    /// Its force on the vehicle, N, along the axes of the vehicle's chassis.
    pub hitch_force: Vec3,
}

/// One vehicle at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Simulated time, s.
    pub time: f64,
    /// Index of the vehicle in the scenario.
    pub vehicle: usize,
    /// Chassis reference frame in the world.
    pub pose: Pose,
    /// Velocity of its origin, world axes, m/s.
    pub velocity: Vec3,
    /// Angular velocity, body axes, rad/s.
    pub angular_velocity: Vec3,
    /// Forward speed along the chassis x axis, m/s.
    pub speed: f64,
    /// Commands in force.
    pub controls: Controls,
    /// Engine speed, rad/s.
    pub engine_speed: f64,
    /// Gear, 1 first; 0 neutral, negative reverse.
    pub gear: i32,
    /// Wheels, axle by axle from the front, left before right.
    pub wheels: Vec<WheelSample>,
    /// Its trailer, if it draws one.
    pub trailer: Option<TrailerSample>,
}

impl Sample {
    /// Tells it as of one whose drive has ended: it stays where it is, in neutral, its engine off
    /// and its brake on, and keeps what stands in its place: loads, sinkages, tyres, steering.
    pub(super) fn stand(&mut self) {
        (self.velocity, self.angular_velocity) = (Vec3::zeros(), Vec3::zeros());
        (self.speed, self.engine_speed, self.gear) = (0.0, 0.0, 0);
        let neutral = Selector::Neutral;
        self.controls = Controls { throttle: 0.0, brake: 1.0, gear: neutral, ..self.controls };
        self.wheels.iter_mut().for_each(WheelSample::standing);
        if let Some(trailer) = &mut self.trailer {
            trailer.hitch_force = Vec3::zeros();
        }
    }
}

/// One vehicle's run in a few figures. All means and sums count from the start until the
/// drive ended: until the vehicle arrived, or was found immobilised, sunk, overturned, off
/// the terrain or failed; else until the end of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VehicleSummary {
    /// Name in the scenario.
    pub name: String,
    /// Vehicle model.
    pub model: String,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// Time until the drive ended, s.
    pub driving_time: f64,
    /// Way of the chassis' origin in three dimensions, m, sliding and rocking included.
    pub distance: f64,
    /// `distance` over `driving_time`, m/s.
    pub mean_speed: f64,
    /// Speed made good, m/s: straight distance from where it was set down to its end over
    /// `driving_time`.
    pub speed_made_good: f64,
    /// Speed at the end of the run, m/s; 0 if its drive had ended before, for it stays where it is.
    pub final_speed: f64,
    /// Mean slip of the wheels over the time under throttle.
    pub mean_slip: f64,
    /// Peak of the wheels' mean slip (held for 0.1 s).
    pub peak_slip: f64,
    /// Mean sinkage of the wheels, m.
    pub mean_sinkage: f64,
    /// Deepest sinkage of any wheel, m.
    pub max_sinkage: f64,
    /// Tyres that give way, if it has such.
    pub tyres: Option<TyreSummary>,
    /// Mean motion resistance of the soil, N: work that sank it for good while the vehicle
    /// rolled (faster than 0.2 m/s), over the way rolled. Absent below 2 m of such way.
    pub motion_resistance: Option<f64>,
    /// Time integral of the throttle, s: the fuel of the MAVS swarm study.
    pub throttle_time: f64,
    /// Energy that the driveline put into wheels or sprockets, J: its positive work alone.
    pub drive_energy: f64,
    /// Energy that brakes and the turned engine took from them, J, positive.
    pub braking_energy: f64,
    /// Energy that sank yielding soil for good, and sheared it, J: without what its damping took,
    /// and what was pushed ahead or aside.
    pub soil_energy: f64,
    /// Fuel burned, kg, if the vehicle's engine says how much it burns.
    pub fuel: Option<f64>,
}

/// Tyres that give way, all of them together: rigid ones beside them do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TyreSummary {
    /// Mean inflation at the end, Pa.
    pub inflation: f64,
    /// Mean deflection, m.
    pub deflection: f64,
    /// Mean length of contact, m.
    pub contact_length: f64,
}

/// What autonomous vehicles found out together: their maps merged, whether they had told one
/// another or not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExplorationSummary {
    /// Time at which the last of them arrived, s, if all did.
    pub time_to_complete: Option<f64>,
    /// Time integral of the throttle of all, s.
    pub throttle_time: f64,
    /// Holes of the terrain.
    pub holes: u64,
    /// Of these, those in which a cell of the merged map is an obstacle or a hole.
    pub holes_detected: u64,
    /// Share of the terrain's cells with three returns or more, where it has bounds.
    pub explored: Option<f64>,
    /// Cells of the merged map with a return.
    pub cells: u64,
    /// Scans thought about, and passed over because the last was still thought about.
    pub scans: [u64; 2],
    /// Letters sent between members of the team, and of these lost.
    pub letters: [u64; 2],
    /// Bytes of maps sent and received.
    pub bytes: [u64; 2],
    /// Digest of the merged map, hexadecimal.
    pub map_hash: String,
    /// Of a search: times, s, and the share of the area that was explored in the authority's map.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searched: Vec<[f64; 2]>,
}

/// Something to know before figures of a run are trusted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunWarning {
    /// Which, for machines: `soil_beyond_measured`, a soil pressed deeper than its figures
    /// were measured; `tow_broke`, a rope or bar that broke; `trailer_torn_off`, a coupling that did;
    /// `hits_gave_energy`, hits that gave energy in place of taking it;
    /// `gained_energy`, a vehicle that gained more energy than was put into it;
    /// `search_fell_short`, a search that ended although its share was not reached.
    pub code: String,
    /// Name of the vehicle.
    pub vehicle: String,
    /// Name of the soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<String>,
    /// Deepest sinkage in it, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sinkage: Option<f64>,
    /// Sinkage up to which its figures hold, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// All of it in words.
    pub sentence: String,
}

impl RunWarning {
    /// A vehicle that pressed a soil deeper than its figures were measured.
    pub(super) fn beyond_measured(vehicle: &str, soil: &Soil, sinkage: f64) -> RunWarning {
        let measured = soil.measured_sinkage().unwrap_or_default();
        let sentence = format!(
            "{vehicle} sank {:.0} cm into {}, whose figures hold up to {:.0} cm: beyond, its \
             sinkage and resistance are extrapolated",
            100.0 * sinkage,
            soil.name,
            100.0 * measured
        );
        RunWarning {
            code: "soil_beyond_measured".into(),
            vehicle: vehicle.into(),
            soil: Some(soil.name.clone()),
            sinkage: Some(sinkage),
            measured: Some(measured),
            sentence,
        }
    }

    /// What was between two vehicles and broke, at a force in N.
    pub(super) fn tow_broke([from, to]: [&str; 2], is_bar: bool, breaking: f64) -> RunWarning {
        let what = if is_bar { "bar" } else { "rope" };
        let sentence =
            format!("the {what} between {from} and {to} broke at {:.1} kN", 1e-3 * breaking);
        RunWarning::of_vehicle("tow_broke", from, sentence)
    }

    /// A vehicle that lost its trailer, whose coupling bears a force in N.
    pub(super) fn trailer_torn_off(vehicle: &str, breaking: Option<f64>) -> RunWarning {
        let load = 1e-3 * breaking.unwrap_or_default();
        let sentence =
            format!("the trailer of {vehicle} was torn off: its coupling bears {load:.1} kN");
        RunWarning::of_vehicle("trailer_torn_off", vehicle, sentence)
    }

    /// A vehicle whose hits gave it and whom it met so much energy, J, at heartbeats of so many seconds.
    pub(super) fn hits_gave_energy(vehicle: &str, given: f64, heartbeat: f64) -> RunWarning {
        let sentence = format!(
            "hits of {vehicle} gave {:.1} kJ in place of taking any: what pushed those who met was known a \
             heartbeat of {heartbeat} s late; take shorter ones (time.heartbeat)",
            1e-3 * given
        );
        RunWarning::of_vehicle("hits_gave_energy", vehicle, sentence)
    }

    /// A vehicle that gained so much energy, J, beyond what was put into it, by steps of so many
    /// seconds.
    pub(super) fn gained_energy(vehicle: &str, gained: f64, step: f64) -> RunWarning {
        let sentence = format!(
            "{vehicle} gained {:.1} kJ more than was put into it: its motion is not to be trusted; \
             take a shorter step than {step} s (time.step) or less stiff parameters",
            1e-3 * gained
        );
        RunWarning::of_vehicle("gained_energy", vehicle, sentence)
    }

    fn of_vehicle(code: &str, vehicle: &str, sentence: String) -> RunWarning {
        RunWarning {
            code: code.into(),
            vehicle: vehicle.into(),
            soil: None,
            sinkage: None,
            measured: None,
            sentence,
        }
    }

    /// A search that its authority ended because nothing was left that could be explored.
    pub(super) fn search_fell_short(authority: &str, [found, share]: [f64; 2]) -> RunWarning {
        let sentence = format!(
            "the search ended with {found:.3} of its area explored, not the share of {share} asked for: \
             nothing was left that could be seen"
        );
        RunWarning {
            code: "search_fell_short".into(),
            vehicle: authority.into(),
            soil: None,
            sinkage: None,
            measured: None,
            sentence,
        }
    }
}

/// How a run kept to the pace of the clock. Nothing in it is part of a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PacingSummary {
    /// Simulated over wall time that was asked for.
    pub factor: f64,
    /// The same as it came to be, pauses included.
    pub achieved: f64,
    /// Heartbeats that had a deadline.
    pub heartbeats: u64,
    /// Of these, those that ended more than 2 ms after it.
    pub late: u64,
    /// How late they ended, s: the median.
    pub lateness_p50: f64,
    /// The 99th percentile, s.
    pub lateness_p99: f64,
    /// The latest, s.
    pub lateness_max: f64,
}

/// A run in a few figures: `summary.json` and what `--json` prints. SI units; what is
/// absent is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Scenario name.
    pub scenario: String,
    /// Simulated time, s.
    pub simulated: f64,
    /// Wall time, s.
    pub wall: f64,
    /// Simulated time at which it was gone on with from a checkpoint, s, if it was: the wall time is
    /// of what came then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resumed_at: Option<f64>,
    /// Nodes deformed.
    pub deformed_nodes: u64,
    /// Hash of the final state, hexadecimal.
    pub state_hash: String,
    /// The vehicles, in the scenario's order.
    pub vehicles: Vec<VehicleSummary>,
    /// What autonomous vehicles made of it together, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationSummary>,
    /// How it kept to the pace of the clock, where it was to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingSummary>,
    /// How well radios and platoons did, where there are any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radio: Vec<RadioSummary>,
    /// What to know before the figures are trusted.
    #[serde(default)]
    pub warnings: Vec<RunWarning>,
}
