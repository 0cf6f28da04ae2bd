//! Tracks: thrust, resistance, turning and grade.

use super::closed_forms::{bed, chrono, of_width};
use super::section::{Chart, Section, ValidationError, line, panel, percent};
use bekker_ground::soil::catalog::assumed_unloading;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Soil};
use bekker_math::numeric::{exp, tan};
use bekker_rig::InParallel;
use bekker_rig::LineStyle;
use bekker_rig::{
    Rig, RigidTrackResult, RigidTrackRig, RigidTracks, TrackMotion, TrackResult, TrackRig,
};
use bekker_scenario::{ScenarioFile, build};
use bekker_vehicle::{AnySpec, TrackedSpec, find_vehicle};
use bekker_world::World;
use std::path::Path;

const M113: RigidTracks =
    RigidTracks { weight: 11342.86 * 9.81, width: 0.3791, length: 2.667, gauge: 2.159 };

/// Converts slip relative to the band's travel to slip relative to the vehicle's travel.
///
/// The formula accumulates shear over the distance that a shoe travels along the track. With the
/// converted slip it accumulates shear over the distance that the soil below travels.
fn of_soil(slip: f64) -> f64 {
    slip / (1.0 - slip)
}

fn rigid(soil: DeformableSoil, depth: [f64; 2], slip: f64) -> RigidTrackRig {
    RigidTrackRig {
        soil: bed(soil),
        length: M113.length,
        width: M113.width,
        depth,
        slip,
        spacing: 0.05,
        way: 0.005,
        lengths: 1.4,
    }
}

/// Returns thrust over the friction limit for linear pressure, rising to the rear and falling.
///
/// The pressure is zero at one end. x = s L/K is the shear displacement in moduli.
fn linear_pressure(x: f64) -> [f64; 2] {
    let rising = 1.0 - 2.0 * (1.0 - exp(-x) - x * exp(-x)) / (x * x);
    let even = 1.0 - (1.0 - exp(-x)) / x;
    [rising, 2.0 * even - rising]
}

/// Section on a rigid track and its closed forms.
pub(super) fn rigid_track() -> Result<Section, ValidationError> {
    let mut section = Section::new("Rigid tracks: thrust");
    section.text(
        "A rigid track of 2.667 m x 0.379 m (the M113's, two of which carry 11.3 t) at the depth \
         of its pressure is drawn over the soil while its band slides back: nodes 5 cm apart, \
         steps of 5 mm. *Closed* is Bekker's thrust under even pressure, (A c + W tan φ)(1 - (1 - \
         e^-x)/x) with x = j/K. Here j is the distance over which the soil is sheared until the \
         track has passed, L i/(1 - i). The *textbook* uses x = i L/K, the distance that a shoe \
         slides until it is lifted. It describes a point of the track, whereas the nodes describe \
         a point of the soil. Both agree at small slip and at full mobilization.",
    );
    even_pressure(&mut section)?;
    leaning(&mut section)?;
    rigid_convergence(&mut section)?;
    Ok(section)
}

/// Compares thrust under even pressure.
fn even_pressure(section: &mut Section) -> Result<(), ValidationError> {
    let mut cases = Vec::new();
    for soil in ["mid", "hard", "dry sand", "clay", "snow"] {
        for slip in [0.02, 0.05, 0.1, 0.2, 0.5] {
            cases.push((soil, slip));
        }
    }
    let rows = cases
        .in_parallel(|&(name, slip)| {
            let soil = of_width(name, 1.0 / M113.width);
            let depth = M113.sinkage(&soil);
            let found = rigid(soil.clone(), [depth; 2], slip).run()?;
            let closed = M113.thrust(&soil, of_soil(slip));
            let textbook = M113.thrust(&soil, slip);
            Ok(vec![
                name.to_string(),
                format!("{slip}"),
                format!("{:.1}", 1e2 * depth),
                percent(2.0 * found.vertical, M113.weight),
                format!("{:.2}", 1e-3 * closed),
                format!("{:.2}", 2e-3 * found.thrust),
                percent(2.0 * found.thrust, closed),
                format!("{:.2}", 1e-3 * textbook),
                percent(2.0 * found.thrust, textbook),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "slip",
        "depth, cm",
        "error of load",
        "thrust closed, kN",
        "thrust, kN",
        "error",
        "textbook, kN",
        "difference",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Compares thrust under pressure that grows along the track.
fn leaning(section: &mut Section) -> Result<(), ValidationError> {
    section.text(
        "Pressure that rises linearly from zero toward the rear, and that falls toward the rear: \
         the same track tilted by 1 cm on soil whose pressure is 1e7 Pa/m times depth and rebounds \
         fully.",
    );
    let springy = DeformableSoil { k_phi: 1e7, n: 1.0, elastic_stiffness: 1e7, ..chrono("mid") };
    let mut rows = Vec::new();
    for slip in [0.02, 0.05, 0.1, 0.2, 0.5] {
        let x = of_soil(slip) * M113.length / springy.shear_modulus;
        let [rising, falling] = linear_pressure(x);
        let friction = 0.5 * 1e7 * 0.01 * M113.width * M113.length * tan(springy.friction_angle);
        let to_rear = rigid(springy.clone(), [0.0, 0.01], slip).run()?.thrust;
        let to_front = rigid(springy.clone(), [0.01, 0.0], slip).run()?.thrust;
        rows.push(vec![
            format!("{slip}"),
            format!("{:.2}", 1e-3 * rising * friction),
            format!("{:.2}", 1e-3 * to_rear),
            percent(to_rear, rising * friction),
            format!("{:.2}", 1e-3 * falling * friction),
            format!("{:.2}", 1e-3 * to_front),
            percent(to_front, falling * friction),
        ]);
    }
    let header = [
        "slip",
        "rising, closed, kN",
        "thrust, kN",
        "error",
        "falling, closed, kN",
        "thrust, kN",
        "error",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Shows how the error of thrust falls with spacing and step.
fn rigid_convergence(section: &mut Section) -> Result<(), ValidationError> {
    let soil = chrono("mid");
    let closed = M113.thrust(&soil, of_soil(0.05));
    let error = |found: &RigidTrackResult| 100.0 * (2.0 * found.thrust / closed - 1.0);
    let run = |spacing: f64, way: f64| -> Result<f64, ValidationError> {
        let rig = rigid(soil.clone(), [M113.sinkage(&soil); 2], 0.05);
        Ok(error(&RigidTrackRig { spacing, way, ..rig }.run()?))
    };
    let spacings = [0.1, 0.08, 0.05, 0.04, 0.025];
    let by_spacing = spacings.map(|s| run(s, 0.005).map(|e| [1e3 * s, e]));
    let ways = [0.04, 0.02, 0.01, 0.005, 0.0025];
    let by_way = ways.map(|w| run(0.05, w).map(|e| [1e3 * w, e]));
    let collected = |points: [Result<[f64; 2], ValidationError>; 5]| {
        points.into_iter().collect::<Result<Vec<_>, _>>()
    };
    section.chart(Chart {
        name: "track_convergence",
        title: "A rigid track's thrust converges with spacing and step".into(),
        subtitle: "mid, slip 0.05, against the closed form; steps of 5 mm above, nodes 5 cm apart \
                   below"
            .into(),
        panels: vec![
            panel(
                "",
                "distance between nodes, mm",
                "error of thrust, %",
                vec![line("thrust", LineStyle::Line, collected(by_spacing)?)],
            ),
            panel(
                "",
                "travel per step, mm",
                "error of thrust, %",
                vec![line("thrust", LineStyle::Line, collected(by_way)?)],
            ),
        ],
    });
    Ok(())
}

/// Returns Project Chrono's model, the reference of the sections on tracks.
pub(super) fn m113_chrono() -> TrackedSpec {
    tracked("m113_chrono")
}

/// Returns a tracked vehicle of the catalog.
pub(super) fn tracked(name: &str) -> TrackedSpec {
    match find_vehicle(name) {
        Ok(AnySpec::Tracked(spec)) => *spec,
        _ => unreachable!("{name} is in the catalog and runs on tracks"),
    }
}

fn soil_of(name: &str) -> Soil {
    let soil = chrono(name);
    // the unloading of the catalog, and the damping of Project Chrono's vehicle soils
    let [k0, growth] = assumed_unloading(soil.k_phi, soil.k_c, soil.n).map(Some);
    let details = Details { reload_stiffness: k0, reload_growth: growth, ..Details::default() };
    bed(DeformableSoil { damping: 3e4, details, ..soil })
}

fn belt(name: &str, motion: TrackMotion, laws: Laws) -> TrackRig {
    TrackRig { duration: 4.0, laws, ..TrackRig::new(m113_chrono(), soil_of(name), motion) }
}

/// Section on the M113 on its belts, compared with the theory of rigid tracks.
pub(super) fn vehicle() -> Result<Section, ValidationError> {
    let mut section = Section::new("The M113 on its tracks");
    section.text(
        "The whole vehicle (`bekker rig track`) drawn at 1 m/s, nodes 5 cm apart, 1 ms, compared \
         with the rigid track under even pressure with the textbook's slip. That theory is no \
         limit of the vehicle: under road wheels pressure has peaks, so its sinkage and resistance \
         are lower bounds. The tolerance of the reference laws in thrust is 15 %. Under the default \
         laws unloaded soil has to be sheared again, as Wong finds for repeated loading \
         (*Terramechanics and Off-Road Vehicle Engineering*, 2010, ch. 5), and a point of soil \
         resets as soon as contact is lost. The soils unload as those of the catalog, so that most \
         shoes between two road wheels keep contact. With the reference's stiffness of 2e8 to 4e8 \
         Pa/m they lose it, and 17 to 42 % of the thrust at slip 0.1.",
    );
    straight(&mut section)?;
    convergence(&mut section)?;
    pivot(&mut section)?;
    slopes(&mut section)?;
    section.text(
        "Wong's rule for skid steering (L/B at most 1.02 on clay of 38 % moisture with a lateral \
         friction of 0.5; the M113 has 1.24) does not apply here: the model's lateral friction is \
         the soil's strength, not a separate parameter.",
    );
    Ok(section)
}

/// Compares thrust, resistance and sinkage, drawn straight ahead.
fn straight(section: &mut Section) -> Result<(), ValidationError> {
    let mut cases = Vec::new();
    for soil in ["mid", "hard", "dry sand", "clay"] {
        for slip in [0.05, 0.1, 0.3] {
            cases.push((soil, slip));
        }
    }
    let theory = RigidTracks::from_spec(&m113_chrono());
    let rows = cases
        .in_parallel(|&(name, slip)| {
            let motion = TrackMotion::Straight { speed: 1.0, slip };
            let reference = belt(name, motion, Laws::reference()).run()?;
            let default = belt(name, motion, Laws::refined()).run()?;
            let soil = chrono(name);
            let thrust = theory.thrust(&soil, slip);
            let kilo = |force: f64| format!("{:.1}", 1e-3 * force);
            let depth = |sinkage: f64| format!("{:.1}", 1e2 * sinkage);
            Ok(vec![
                name.to_string(),
                format!("{slip}"),
                kilo(thrust),
                kilo(reference.thrust),
                percent(reference.thrust, thrust),
                kilo(default.thrust),
                percent(default.thrust, thrust),
                kilo(theory.resistance(&soil)),
                kilo(reference.resistance),
                kilo(default.resistance),
                depth(theory.sinkage(&soil)),
                depth(reference.sinkage),
                depth(default.sinkage),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "slip",
        "thrust theory, kN",
        "reference",
        "difference",
        "default",
        "difference",
        "resistance theory, kN",
        "reference",
        "default",
        "sinkage theory, cm",
        "reference",
        "default",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Shows how thrust and pull change with spacing and step.
fn convergence(section: &mut Section) -> Result<(), ValidationError> {
    let motion = TrackMotion::Straight { speed: 1.0, slip: 0.1 };
    let run = |&[x, spacing, step]: &[f64; 3]| -> Result<([f64; 2], [f64; 2]), ValidationError> {
        let rig = TrackRig { spacing, step, ..belt("mid", motion, Laws::refined()) };
        let found: TrackResult = rig.run()?;
        Ok(([x, 1e-3 * found.thrust], [x, 1e-3 * found.drawbar]))
    };
    let spacings = [0.1, 0.067, 0.05, 0.033, 0.025].map(|s| [1e3 * s, s, 1e-3]);
    let steps = [2e-3, 1e-3, 5e-4, 2.5e-4].map(|s| [1e3 * s, 0.05, s]);
    let by = |cases: &[[f64; 3]]| -> Result<Vec<_>, ValidationError> {
        let (thrust, drawbar): (Vec<_>, Vec<_>) =
            cases.in_parallel(run).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
        Ok(vec![line("thrust", LineStyle::Line, thrust), line("drawbar", LineStyle::Line, drawbar)])
    };
    section.chart(Chart {
        name: "m113_convergence",
        title: "The M113's thrust and pull over spacing and step".into(),
        subtitle: "mid, slip 0.1, default laws; 1 ms above, 5 cm below".into(),
        panels: vec![
            panel("", "distance between nodes, mm", "kN", by(&spacings)?),
            panel("", "step, ms", "kN", by(&steps)?),
        ],
    });
    Ok(())
}

/// Compares the moment of a pivot turn.
fn pivot(section: &mut Section) -> Result<(), ValidationError> {
    section.text(
        "Pivot turn at 0.5 m/s of each track. *Across* is Wong's moment (μ W + c A) L/4 with all \
         of the soil's strength across the track (*Theory of Ground Vehicles*), an upper bound, \
         because a turning track also slides lengthwise. *Against the sliding* is the moment with \
         shear opposite to the sliding of every point (Steeds; Wong and Chiang), at the yaw rate at \
         which both moments balance: 0.887 of it for these tracks, and the reference of the \
         differences.",
    );
    let theory = RigidTracks::from_spec(&m113_chrono());
    let rows = ["mid", "hard", "dry sand", "clay"]
        .in_parallel(|name| {
            let motion = TrackMotion::Pivot { speed: 0.5 };
            let reference = belt(name, motion, Laws::reference()).run()?;
            let default = belt(name, motion, Laws::refined()).run()?;
            let strength = theory.shear_strength(&chrono(name));
            let moment = theory.pivoting_moment(strength);
            Ok(vec![
                (*name).to_string(),
                format!("{:.1}", 1e-3 * theory.turning_moment(strength)),
                format!("{:.1}", 1e-3 * moment),
                format!("{:.1}", 1e-3 * reference.turning_moment),
                percent(reference.turning_moment, moment),
                format!("{:.1}", 1e-3 * default.turning_moment),
                percent(default.turning_moment, moment),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = [
        "soil",
        "across, kN m",
        "against the sliding, kN m",
        "reference, kN m",
        "difference",
        "default, kN m",
        "difference",
    ];
    section.table(&header, rows);
    Ok(())
}

/// Compares slopes that it holds and slopes that it does not hold.
fn slopes(section: &mut Section) -> Result<(), ValidationError> {
    section.text(
        "The braked vehicle on slopes two degrees below and above the steepest on which even \
         pressure holds it, tan a = tan φ + A c/(W cos a): travel in the two seconds after 3 s. \
         (It leans on its rear, and where its shoes dig in, passive pressure also holds it.)",
    );
    let theory = RigidTracks::from_spec(&m113_chrono());
    let mut cases = Vec::new();
    for soil in ["chrono_mid", "dry_sand_lll"] {
        for laws in ["reference", "refined"] {
            cases.push((soil, laws));
        }
    }
    let rows = cases
        .in_parallel(|&(name, laws)| {
            let soil = chrono(if name == "chrono_mid" { "mid" } else { "dry sand" });
            let steepest = theory.max_slope(&soil).to_degrees();
            let millimeters = |way: f64| format!("{:.1}", 1e3 * way);
            Ok(vec![
                name.to_string(),
                laws.to_string(),
                format!("{steepest:.1}"),
                millimeters(slides(name, laws, steepest - 2.0)?),
                millimeters(slides(name, laws, steepest + 2.0)?),
            ])
        })
        .collect::<Result<Vec<_>, ValidationError>>()?;
    let header = ["soil", "laws", "steepest, deg", "travel 2 deg below, mm", "2 deg above, mm"];
    section.table(&header, rows);
    Ok(())
}

/// Returns the travel of the braked M113 between 3 and 5 s on a slope, m.
fn slides(soil: &str, laws: &str, degrees: f64) -> Result<f64, ValidationError> {
    const SLOPE: &str = r#"
format = 1
name = "slope"
[time]
duration = 6
step = 0.002
heartbeat = 0.02
[output]
interval = 0.1
[soil]
default = "chrono_mid"
[terrain]
surface = { kind = "slope", grade = 0.5 }
[[vehicle]]
name = "m113"
model = "m113_chrono"
position = [0, 0]
driver = { kind = "hold" }
"#;
    let sets = [
        format!("soil.default={soil}"),
        format!("ground.laws={laws}"),
        format!("terrain.surface.grade={}", tan(degrees.to_radians())),
    ];
    let file = ScenarioFile::parse("slope", SLOPE, Path::new(""), &sets)?;
    let mut world = World::new(build::world(&file)?.world);
    let mut at = |time: f64| {
        while world.time() < time - 1e-9 {
            world.advance();
        }
        world.samples().next().map(|sample| sample.pose.position)
    };
    let (before, after) = (at(3.0), at(5.0));
    Ok(before.zip(after).map_or(f64::NAN, |(a, b)| (b - a).norm()))
}
