//! Checks of drivers and convoys.

use crate::config::{
    DriverConfig, FollowPolicy, LocalizationKind, Scenario, SensorConfig, SensorModel, TableRow,
    VehicleConfig,
};
use crate::convoys::Convoys;
use crate::diagnostic::{DiagnosticKind, nearest_word};
use crate::diagnostic_sink::DiagnosticSink;
use bekker_vehicle::driver::SLOWEST;

/// Checks that a table has a speed in all rows or in none, and no pedals together with speeds.
fn check_held_speed(rows: &[TableRow], key: impl Fn(usize) -> String, refuse: &mut DiagnosticSink) {
    let holds = rows.iter().any(|row| row.speed.is_some());
    for (index, row) in rows.iter().enumerate().filter(|_| holds) {
        if row.speed.is_none() {
            let expected = "a speed in every row, because one row has it,".into();
            refuse(key(index), DiagnosticKind::Missing { expected });
        } else if row.throttle > 0.0 || row.brake > 0.0 {
            refuse(key(index), DiagnosticKind::Excludes { other: "throttle or brake" });
        } else if row.speed.is_some_and(|speed| speed > 0.0 && speed < SLOWEST) {
            let bounds = format!("0 or at least {SLOWEST} m/s");
            refuse(key(index), DiagnosticKind::OutOfRange { bounds });
        }
    }
}

pub(super) fn check_drivers(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let convoys = Convoys::new(&scenario.vehicle);
    for (index, vehicle) in scenario.vehicle.iter().enumerate() {
        let key = |name: &str| format!("vehicle[{index}].driver.{name}");
        match &vehicle.driver {
            DriverConfig::Table { rows, acceleration } => {
                for (row, pair) in rows.windows(2).enumerate() {
                    if pair[1].time <= pair[0].time {
                        let problem = DiagnosticKind::NotIncreasing { before: pair[0].time };
                        refuse(key(&format!("rows[{}].time", row + 1)), problem);
                    }
                }
                check_held_speed(rows, |row| key(&format!("rows[{row}].speed")), refuse);
                if acceleration.is_some() && rows.iter().all(|row| row.speed.is_none()) {
                    let cause = "needs `speed` in the rows".into();
                    refuse(key("acceleration"), DiagnosticKind::Refused { cause });
                }
            }
            DriverConfig::Path { waypoints, .. } => {
                for (point, pair) in waypoints.windows(2).enumerate() {
                    if pair[0] == pair[1] {
                        let cause = format!("repeats the previous point, {:?}", pair[0]);
                        refuse(
                            key(&format!("waypoints[{}]", point + 1)),
                            DiagnosticKind::Refused { cause },
                        );
                    }
                }
            }
            DriverConfig::Follow { leader, policy, time_gap, .. } => {
                if *policy == FollowPolicy::ConstantGap && time_gap.is_some() {
                    let other = "policy = \"constant_gap\"";
                    refuse(key("time_gap"), DiagnosticKind::Excludes { other });
                }
                check_leader(scenario, &convoys, index, leader, &key("leader"), refuse);
            }
            DriverConfig::Autonomous { localization, soil_aware, .. } => {
                check_perception(vehicle, index, *localization, refuse);
                let feels =
                    |own: &SensorConfig| matches!(own.model, SensorModel::Terramechanics {});
                if *soil_aware && !vehicle.sensor.iter().any(feels) {
                    let cause = "true requires a sensor of kind terramechanics on the vehicle to \
                        measure slip and sinkage; add one, or set false";
                    refuse(key("soil_aware"), DiagnosticKind::Refused { cause: cause.into() });
                }
            }
            DriverConfig::Hold { .. } | DriverConfig::Outside { .. } => {}
        }
    }
}

/// Checks that an autonomous vehicle has the sensors for perception and localization.
fn check_perception(
    vehicle: &VehicleConfig,
    index: usize,
    localization: LocalizationKind,
    refuse: &mut DiagnosticSink,
) {
    let has = |of: fn(&SensorModel) -> bool| vehicle.sensor.iter().any(|own| of(&own.model));
    let by_truth = localization == LocalizationKind::Truth;
    let needed = [
        ("lidar", true, has(|own| matches!(own, SensorModel::Lidar(_)))),
        ("gps", !by_truth, has(|own| matches!(own, SensorModel::Gps { .. }))),
        ("imu", !by_truth, has(|own| matches!(own, SensorModel::Imu { .. }))),
        ("odometry", by_truth, has(|own| matches!(own, SensorModel::Odometry {}))),
    ];
    for (kind, _, _) in needed.into_iter().filter(|(_, needed, has)| *needed && !has) {
        let expected = format!("a sensor of kind {kind} for the autonomous driver");
        refuse(format!("vehicle[{index}].sensor"), DiagnosticKind::Missing { expected });
    }
}

/// Checks that the leader exists and that the chain of leaders is not a ring.
fn check_leader(
    scenario: &Scenario,
    convoys: &Convoys,
    follower: usize,
    leader: &str,
    key: &str,
    refuse: &mut DiagnosticSink,
) {
    let vehicles = &scenario.vehicle;
    if convoys.leader(follower).is_none() {
        let own = &vehicles[follower].name;
        let others = || vehicles.iter().map(|v| v.name.as_str()).filter(|name| name != own);
        let allowed = others().map(|name| format!("{name:?}")).collect();
        let suggestion = nearest_word(leader, others());
        return refuse(key.into(), DiagnosticKind::NotOneOf { suggestion, allowed });
    }
    match convoys.head(follower).map(|head| &vehicles[head]) {
        // a follower of a missing vehicle gets its own fault
        Some(head) if matches!(head.driver, DriverConfig::Follow { .. }) => {}
        Some(head) => check_path_ahead(head, key, refuse),
        None => {
            if let Some(ring) = convoys.cycle(follower) {
                let ring = ring.into_iter().map(|own| vehicles[own].name.clone()).collect();
                refuse(key.into(), DiagnosticKind::FollowRing { ring });
            }
        }
    }
}

/// Checks that the head of a convoy has a path that the others can follow.
fn check_path_ahead(head: &crate::config::VehicleConfig, key: &str, refuse: &mut DiagnosticSink) {
    if !matches!(head.driver, DriverConfig::Path { .. }) {
        let cause = format!(
            "the convoy's head `{}` has no path; its driver must be of kind path",
            head.name
        );
        refuse(key.into(), DiagnosticKind::Refused { cause });
    }
}
