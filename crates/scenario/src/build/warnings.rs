//! Warnings about settings that have no effect or are likely to give wrong results.

use crate::ScenarioFile;
use crate::config::{CustomSoil, DriverConfig, LocalizationKind, TowKind, VehicleEnd};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use bekker_agent::Obstacles;
use bekker_ground::GroundModel;
use bekker_ground::soil::{Soil, SoilKind, catalog};
use bekker_vehicle::AnySpec;
use bekker_vehicle::driver::SteeringGeometry;
use bekker_vehicle::spec::TrackModel;
use std::sync::Arc;

/// Minimum number of ground nodes across a wheel or track.
///
/// With two, an HMMWV at 5 m/s slips half more in mud than with six (28 % instead of 19 %), and
/// twice as much on the reference's `mid`.
const ACROSS: f64 = 3.0;

/// Largest stable product of the heartbeat and √(k/m) of a bar, m the mass of the lighter vehicle
/// on it.
///
/// It applies where a vehicle is on two bars: the load of one reaches the next a heartbeat late.
/// With one of three HMMWVs pulling, the distance is within 2 % of that at short heartbeats up to
/// 1.73; with five up to 1.41. At 1.73 five stop, at 2.8 three.
const STIFFEST: f64 = 1.4;

/// Spacing of nodes at which even belts with very low inflation do not vibrate, m.
const TREMBLES: f64 = 0.02;

/// Longest step with the same results for tracks as shorter ones, s.
///
/// Belts: an M113 in mud drives 16.1 m in 6 s with steps of 1 to 5 ms, and is stuck with 8 ms.
/// Tracks with one body per shoe dig in. On the reference's `mid` their resistance is 4.8 kN with 2
/// and 2.5 ms, 5.8 kN with 4 ms and 35 kN with 5 ms.
const fn longest_step(model: TrackModel) -> f64 {
    match model {
        TrackModel::Belt => 0.005,
        TrackModel::Segmented => 0.0025,
    }
}

/// Returns the warnings about a built scenario.
pub fn warnings(
    file: &ScenarioFile,
    specs: &[Arc<AnySpec>],
    ground: &GroundModel,
) -> Vec<Diagnostic> {
    assumed_footprints(file, specs)
        .into_iter()
        .chain(layers_left_out(file, ground))
        .chain(packed_snow(file))
        .chain(unused_keys(file))
        .chain(goals_at_edges(file, specs, ground))
        .chain(long_steps(file, specs))
        .chain(coarse_nodes(file, specs, ground))
        .chain(unmeasured_inflation(file, specs))
        .chain(stiff_bars(file, specs))
        .chain(ropes_through_trailers(file, specs))
        .chain(super::gaps::paths_over_gaps(file, ground.terrain()))
        .collect()
}

/// Warns about unused sensors of autonomous vehicles: only the first one of each kind is used.
fn unused_keys(file: &ScenarioFile) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for (index, vehicle) in file.scenario.vehicle.iter().enumerate() {
        let DriverConfig::Autonomous { localization, .. } = vehicle.driver else { continue };
        let kinds: &[&str] = match localization {
            LocalizationKind::Truth => &["lidar", "odometry"],
            LocalizationKind::Fused => &["lidar", "gps", "imu"],
        };
        for kind in kinds {
            let mut of_kind =
                vehicle.sensor.iter().enumerate().filter(|(_, own)| own.model.kind() == *kind);
            let Some((_, first)) = of_kind.next() else { continue };
            warnings.extend(of_kind.map(|(which, _)| {
                let cause = format!(
                    "is not used by the driver of {}: of several sensors of kind {kind}, it uses \
                     only the first, {:?}",
                    vehicle.name, first.name
                );
                let key = format!("vehicle[{index}].sensor[{which}]");
                file.document.diagnostic(&key, DiagnosticKind::Refused { cause })
            }));
        }
    }
    warnings
}

/// Warns about goals inside obstacles, which no vehicle can reach.
pub fn goals_in_obstacles(file: &ScenarioFile, obstacles: &Obstacles) -> Vec<Diagnostic> {
    let own = file.scenario.vehicle.iter().enumerate().filter_map(|(index, vehicle)| {
        let DriverConfig::Autonomous { goal, .. } = vehicle.driver else { return None };
        Some((format!("vehicle[{index}].driver.goal"), goal?))
    });
    let of_teams = file.scenario.team.iter().flat_map(|team| &team.goals).enumerate();
    let of_teams = of_teams.map(|(index, goal)| (format!("team.goals[{index}]"), *goal));
    let warning = |(key, goal): (String, [f64; 2])| {
        let struck = obstacles.covering(goal)?;
        let (noun, [x, y]) = (obstacles.noun(struck), obstacles.get(struck)?.place());
        let cause =
            format!("is inside the {noun} at ({x:.2}, {y:.2}) m: a vehicle may not reach it");
        Some(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }))
    };
    own.chain(of_teams).filter_map(warning).collect()
}

/// Warns about goals too close to the terrain's edge.
///
/// The rear axle is driven to a goal, and the front of the vehicle must stay on the ground.
fn goals_at_edges(
    file: &ScenarioFile,
    specs: &[Arc<AnySpec>],
    ground: &GroundModel,
) -> Vec<Diagnostic> {
    let [west, south, east, north] = ground.terrain().bounds();
    let reach = |spec: &AnySpec| {
        let geometry = match spec {
            AnySpec::Wheeled(spec) => SteeringGeometry::from_spec(spec),
            AnySpec::Tracked(spec) => SteeringGeometry::from_tracked_spec(spec),
        };
        spec.footprint().front - geometry.rear_axle
    };
    let mut warnings = Vec::new();
    let mut check = |key: String, [x, y]: [f64; 2], reach: f64| {
        let away = (x - west).min(east - x).min(y - south).min(north - y);
        if away < reach {
            let cause = format!(
                "is {away:.2} m from the terrain's edge, less than the {reach:.2} m from the \
                 vehicle's rear axle to its front. The rear axle is driven to the goal, so the \
                 vehicle may not reach it"
            );
            warnings.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
        }
    };
    let mut sent = 0.0_f64;
    for (index, (vehicle, spec)) in file.scenario.vehicle.iter().zip(specs).enumerate() {
        match vehicle.driver {
            DriverConfig::Autonomous { goal: Some(goal), .. } => {
                check(format!("vehicle[{index}].driver.goal"), goal, reach(spec));
            }
            DriverConfig::Autonomous { goal: None, .. } => sent = sent.max(reach(spec)),
            _ => {}
        }
    }
    for (index, goal) in file.scenario.team.iter().flat_map(|team| &team.goals).enumerate() {
        check(format!("team.goals[{index}]"), *goal, sent);
    }
    warnings
}

/// Warns about bars in a chain that are too stiff for the heartbeat.
fn stiff_bars(file: &ScenarioFile, specs: &[Arc<AnySpec>]) -> Option<Diagnostic> {
    let (vehicles, heartbeat) = (&file.scenario.vehicle, file.scenario.time.heartbeat);
    let bars = || file.scenario.tow.iter().filter(|tow| tow.kind == TowKind::Bar);
    let on = |name: &str| bars().filter(|tow| tow.from == name || tow.to == name).count();
    let mass = |name: &str| {
        let (_, spec) = vehicles.iter().zip(specs).find(|(own, _)| own.name == name)?;
        Some(spec.total_mass())
    };
    file.scenario.tow.iter().enumerate().find_map(|(index, tow)| {
        let lighter = mass(&tow.from)?.min(mass(&tow.to)?);
        let chained = tow.kind == TowKind::Bar && (on(&tow.from) > 1 || on(&tow.to) > 1);
        if !chained || heartbeat * (tow.stiffness / lighter).sqrt() <= STIFFEST {
            return None;
        }
        let softest = lighter * (STIFFEST / heartbeat) * (STIFFEST / heartbeat);
        let shortest = STIFFEST * (lighter / tow.stiffness).sqrt();
        let cause = format!(
            "is too stiff for one of several bars in a row: the load of a bar reaches the next one \
             heartbeat late, and the vehicles stall. Heartbeats of {heartbeat} s allow \
             {softest:.0} N/m; this stiffness needs heartbeats of {shortest:.4} s or less"
        );
        let key = format!("tow[{index}].stiffness");
        Some(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }))
    })
}

/// Warns about ropes and bars attached to the coupling of a trailer.
fn ropes_through_trailers(file: &ScenarioFile, specs: &[Arc<AnySpec>]) -> Vec<Diagnostic> {
    let vehicles = || file.scenario.vehicle.iter().zip(specs);
    let draws = |name: &str| {
        vehicles().any(|(own, spec)| {
            own.name == name && spec.wheeled().is_some_and(|spec| spec.trailer.is_some())
        })
    };
    let mut warnings = Vec::new();
    for (index, tow) in file.scenario.tow.iter().enumerate() {
        for (key, name, end) in
            [("from_end", &tow.from, tow.from_end), ("to_end", &tow.to, tow.to_end)]
        {
            if end == VehicleEnd::Rear && draws(name) {
                let cause = format!(
                    "is the trailer coupling of {name}, so the rope or bar passes through the \
                     trailer: use the front, or remove the trailer"
                );
                let key = format!("tow[{index}].{key}");
                warnings.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
            }
        }
    }
    warnings
}

/// Warns about a step that is too long for tracks.
fn long_steps(file: &ScenarioFile, specs: &[Arc<AnySpec>]) -> Option<Diagnostic> {
    let names = file.scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    let vehicles = names.zip(specs.iter().map(Arc::as_ref));
    too_long_step(vehicles, file.scenario.time.step)
        .map(|cause| file.document.diagnostic("time.step", DiagnosticKind::Refused { cause }))
}

/// Reason why a step, s, is too long for the tracks of one of the vehicles; `None` if it is not.
pub fn too_long_step<'a>(
    vehicles: impl Iterator<Item = (&'a str, &'a AnySpec)>,
    step: f64,
) -> Option<String> {
    let mut tracks =
        vehicles.filter_map(|(name, spec)| Some((name, longest_step(spec.tracked()?.model))));
    let (name, longest) = tracks.find(|(_, longest)| step > *longest)?;
    Some(format!(
        "is long for {name}, a tracked vehicle: above {longest} s such vehicles are too slow, sink \
         too deep or get stuck; use 0.002 s"
    ))
}

/// Warns about snow on a soil with the shear strength of another soil, in which nothing sinks.
fn packed_snow(file: &ScenarioFile) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    for (index, own) in file.scenario.soil.custom.iter().enumerate() {
        let has_strength = own.cohesion.is_some() && own.friction_angle_deg.is_some();
        let base = own.based_on.as_deref().filter(|_| own.snow.is_some() && !has_strength);
        let base =
            base.and_then(|name| catalog().find(name).ok()).filter(|base| base.family != "snow");
        if let Some(base) = base {
            let cause = format!(
                "the layer has the shear strength of {}, which is not snow: set based_on to a soil \
                 of the family snow (`bekker soils`), or give the snow's cohesion and \
                 friction_angle_deg",
                base.id
            );
            let key = format!("soil.custom[{index}].snow");
            warnings.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
        }
        let Some(snow) = own.snow.filter(|snow| snow.ground_below().depth == 0.0) else { continue };
        let cause = format!(
            "cannot be compacted further ({} kg/m3): it carries loads like the frozen ground below \
             it",
            snow.packed_density
        );
        let key = format!("soil.custom[{index}].snow.density");
        warnings.push(file.document.diagnostic(&key, DiagnosticKind::Refused { cause }));
    }
    warnings
}

/// Warns about a node spacing that is too coarse for wheels or tracks.
fn coarse_nodes(
    file: &ScenarioFile,
    specs: &[Arc<AnySpec>],
    ground: &GroundModel,
) -> Option<Diagnostic> {
    let names = file.scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    let vehicles = names.zip(specs.iter().map(Arc::as_ref));
    too_few_nodes(vehicles, ground.soils(), ground.lattice().spacing)
        .map(|cause| file.document.diagnostic("ground.spacing", DiagnosticKind::Refused { cause }))
}

/// Reason why a node spacing, m, is too coarse for the wheels or tracks of one of the vehicles.
///
/// `None` if it is not, or if no soil is deformable.
pub fn too_few_nodes<'a>(
    vehicles: impl Iterator<Item = (&'a str, &'a AnySpec)>,
    soils: &[Soil],
    spacing: f64,
) -> Option<String> {
    if !soils.iter().any(|soil| matches!(soil.kind, SoilKind::Deformable(_))) {
        return None;
    }
    let widths = vehicles.map(|(name, spec)| (name, width(spec)));
    let (name, narrowest) = widths.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let most = narrowest / ACROSS;
    (spacing > most).then(|| {
        format!(
            "is coarse for {name}, whose narrowest wheel or track is {narrowest:.2} m wide: slip \
             and resistance are too large with fewer than {ACROSS} nodes across it; use {:.2} m or \
             less",
            (100.0 * most).floor() / 100.0
        )
    })
}

/// Warns about an inflation outside the range of the tire's measurements.
fn unmeasured_inflation(file: &ScenarioFile, specs: &[Arc<AnySpec>]) -> Option<Diagnostic> {
    let outside = |spec: &Arc<AnySpec>| {
        let own = spec.wheeled()?;
        let mut tires = (0..own.axles.len()).filter_map(|axle| own.tire_of(axle).flexible.as_ref());
        tires.find_map(|tire| {
            let [least, most] = tire.measured_kpa();
            let outside = |kpa: &&f64| !(least..=most).contains(*kpa);
            Some((*tire.inflation_kpa.all_kpa().iter().find(outside)?, least, most))
        })
    };
    let found = specs.iter().enumerate().find_map(|(index, spec)| Some((index, outside(spec)?)));
    let (index, (kpa, least, most)) = found?;
    let given = file.scenario.vehicle[index].inflation_kpa.is_some();
    let key = if given { "inflation_kpa" } else { "model" };
    let mut cause = format!(
        "sets {kpa} kPa, at which the tire's load is extrapolated: it was measured from {least} to \
         {most} kPa (tire.flexible.load_deflection)"
    );
    // HMMWVs on `firm` sink 18 cm at 10 kPa with nodes 5 cm apart, but 2 cm with nodes 2 cm apart
    let spacing = file.scenario.ground.spacing;
    if kpa < least && spacing > TREMBLES {
        cause += &format!(
            "; with nodes {spacing} m apart, a tire this soft may vibrate and dig itself in: \
             compare with nodes {TREMBLES} m apart"
        );
    }
    Some(
        file.document
            .diagnostic(&format!("vehicle[{index}].{key}"), DiagnosticKind::Refused { cause }),
    )
}

/// Width of the narrowest tire or track of a vehicle, m.
fn width(spec: &AnySpec) -> f64 {
    match spec {
        AnySpec::Wheeled(own) => {
            let widths = (0..own.axles.len()).map(|axle| own.tire_of(axle).handling.width);
            widths.fold(f64::INFINITY, f64::min)
        }
        AnySpec::Tracked(own) => own.shoe_width(),
    }
}

/// Warns about vehicles in groups whose files specify no footprint.
fn assumed_footprints(file: &ScenarioFile, specs: &[Arc<AnySpec>]) -> Vec<Diagnostic> {
    let among_others = specs.len() > 1;
    let silent = specs.iter().enumerate().filter(|(_, spec)| !spec.gives_footprint());
    let warning = |(index, spec): (usize, &Arc<AnySpec>)| {
        let footprint = spec.footprint();
        let (length, width) = (footprint.length(), footprint.width);
        let cause = format!(
            "its file has no chassis.footprint: gaps are computed from the {length:.2} m by \
             {width:.2} m around its wheels or tracks"
        );
        file.document
            .diagnostic(&format!("vehicle[{index}].model"), DiagnosticKind::Refused { cause })
    };
    silent.filter(|_| among_others).map(warning).collect()
}

/// Warns about soil layers that the selected laws ignore.
fn layers_left_out(file: &ScenarioFile, ground: &GroundModel) -> Vec<Diagnostic> {
    if ground.laws().layers {
        return Vec::new();
    }
    let of_a_soil = |(index, own): (usize, &CustomSoil)| {
        let given = [
            ("snow", own.snow.is_some()),
            ("frost", own.frost.is_some()),
            ("thaw", own.thaw.is_some()),
            ("below", own.below.is_some()),
            ("crust", own.crust.is_some()),
        ];
        let keys = given.into_iter().filter(|(_, is_given)| *is_given);
        keys.map(move |(key, _)| format!("soil.custom[{index}].{key}"))
    };
    let keys = file.scenario.soil.custom.iter().enumerate().flat_map(of_a_soil);
    let left_out = |key: String| {
        let cause = "is ignored: the selected laws have no layers; set ground.refine.layers = true \
            to add them";
        file.document.diagnostic(&key, DiagnosticKind::Refused { cause: cause.into() })
    };
    keys.map(left_out).collect()
}
