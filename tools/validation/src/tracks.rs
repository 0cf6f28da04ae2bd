//! Tracks: thrust, resistance, turning and grade.

use super::closed_forms::{bed, chrono, of_width};
use super::page::{
    Page, ValidationError, WorstError, errors, grade, line, panel, percent, range,
    unsigned_percent, worst,
};
use super::track_models::{both_drawn, dropped, running_losses};
use bekker_agent::{RunningGearKind, SoilClass};
use bekker_ground::soil::catalog::assumed_unloading;
use bekker_ground::soil::{DeformableSoil, Details, Laws, Soil};
use bekker_math::numeric::{exp, tan};
use bekker_rig::{
    InParallel, LineStyle, Rig, RigError, RigidTrackRig, RigidTracks, TrackMotion, TrackResult,
    TrackRig,
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

/// Soils of the M113's runs.
const SOILS: [&str; 4] = ["mid", "hard", "dry sand", "clay"];
/// Slips of the M113's runs; the table of errors starts at the third.
const SLIPS: [f64; 6] = [0.02, 0.03, 0.05, 0.1, 0.2, 0.3];
const FIRST_SLIP: usize = 2;
/// Slip of the table by soil.
const SHOWN_SLIP: usize = 3;
const LAWS: [Laws; 2] = [Laws::refined(), Laws::reference()];

/// Page on tracks.
pub(super) fn page() -> Result<Page, ValidationError> {
    let mut page = Page::new("tracks", "Tracks");
    describe(&mut page);
    let theory = RigidTracks::from_spec(&m113_chrono());
    let runs = straight()?;
    page.chart(
        "Thrust of the M113 over slip",
        "belts, 1 m/s, nodes 5 cm apart; theory: rigid track under even pressure",
        ["hard", "dry sand", "clay"].map(|soil| thrust_panel(&theory, soil, &runs)).into(),
    );
    let error = |soil: usize, slip: usize, which: usize| {
        let own = theory.thrust(&chrono(SOILS[soil]), SLIPS[slip]);
        runs[soil][slip][which].thrust / own - 1.0
    };
    let at = |slips: &[usize]| {
        [0, 1].map(|which| {
            let all = (0..SOILS.len()).flat_map(|soil| slips.iter().map(move |slip| (soil, *slip)));
            worst(all.map(|(soil, slip)| error(soil, slip, which)))
        })
    };
    let usual: Vec<usize> = (FIRST_SLIP..SLIPS.len()).collect();
    let (thrust, small) = (at(&usual), at(&[0]));
    let [rigid, leaning] = [even_pressure()?, linear_pressures()?];
    let both = |error: f64| [percent(error), "the same".into()];
    let mut table = vec![
        errors("rigid track, even pressure", "thrust, worst", 25, both(rigid)),
        errors("rigid track, linear pressure", "thrust, worst", 10, both(leaning)),
        errors("M113, slip 0.05 to 0.3", "thrust, worst", 16, thrust.map(percent)),
        errors("M113, slip 0.02", "thrust, worst", 4, small.map(percent)),
    ];
    let turns = pivots(&theory)?;
    let pivots = [0, 1].map(|which| worst(turns.iter().map(|own| own[which])));
    table.push(errors("M113 turning on the spot", "moment, worst", 4, pivots.map(percent)));
    let held = slopes(&theory)?;
    let cells = held.map(|held| if held { "holds and slides".into() } else { "fails".into() });
    table.push(errors("braked, 2 deg below and above the steepest slope", "travel", 8, cells));
    let drawn = both_drawn()?;
    table.push(errors(
        "shoes as bodies against belts, slip 0.1",
        "drawbar over weight, worst",
        12,
        drawn.map(percent),
    ));
    for (soil, model, distance, speed) in dropped()? {
        let cells = ["-".into(), format!("{}, {}", percent(distance), percent(speed))];
        let name = format!("Project Chrono's M113, {soil}, {model}");
        table.push(errors(&name, "distance, speed after 6 s", 1, cells));
    }
    page.errors(table);
    by_soil(&mut page, &theory, &runs);
    convergence(&mut page)?;
    let [belt, shoes, slack, formula] = running_losses()?;
    page.text(format!(
        "Internal resistance at 3 m/s on firm ground: Bekker's 222 + 3 V N per tonne is {formula:.2} \
         kN. Belts, which use it, lose {belt:.2} kN with the rubbing of pads, shoes as bodies \
         {shoes:.2} kN at the data's tension of 125 kN and {slack:.2} kN at 20 kN."
    ));
    page.verdict = format!(
        "Against theory, thrust of the M113 at slips of 0.05 to 0.3 is {} and the moment of a turn on \
         the spot {}; no track was measured.",
        grade(thrust[0]),
        grade(pivots[0])
    );
    page.summary.data = "Bekker, Wong, theory; Project Chrono, code".into();
    page.summary.verdict = format!("{} against theory", grade(worst([thrust[0], pivots[0]])));
    page.summary.default_error =
        format!("thrust {}, turn {}", unsigned_percent(thrust[0]), unsigned_percent(pivots[0]));
    page.summary.reference_error =
        format!("{}, {}", unsigned_percent(thrust[1]), unsigned_percent(pivots[1]));
    page.summary.worst = Some(worst_thrust(&theory, &runs));
    let by_soil =
        SOILS.iter().zip(&turns).map(|(soil, own)| format!("{} on {soil}", percent(own[0])));
    page.failure(format!("A turn on the spot: {}.", by_soil.collect::<Vec<_>>().join(", ")));
    failures(&mut page, small);
    Ok(page)
}

fn describe(page: &mut Page) {
    page.data(
        "Bekker's thrust of a rigid track, (A c + W tan φ)(1 - (1 - e^-x)/x), x = i L/K",
        "theory",
        "even pressure; road wheels give peaks, so depth and resistance are lower bounds",
    );
    page.data(
        "Moment of a turn on the spot: shear against the sliding of every point (Steeds; Wong and \
         Chiang), with cohesion",
        "theory",
        "even pressure",
    );
    page.data(
        "Project Chrono's M113 (main at 7689fbc), throttle 0.6",
        "code",
        "its transmission loses power ([comparison](../comparison.md#m113-on-soil))",
    );
    page.range = format!(
        "{}; compared with theory, not with measurements.",
        range(RunningGearKind::Track, SoilClass::Mineral)
    );
    page.conditions = "`m113_chrono`, 11.3 t, tracks of 2.667 m x 0.379 m, drawn at 1 m/s, nodes 5 cm \
        apart, 1 ms. Soils of Project Chrono and Wong that unload as those of the catalog; turns at \
        0.5 m/s of each track. The rigid track: x = L i/((1 - i) K), by the way of a point of soil."
        .into();
}

/// Returns the worst error of a rigid track's thrust under even pressure.
fn even_pressure() -> Result<f64, ValidationError> {
    let slips = [0.02, 0.05, 0.1, 0.2, 0.5];
    let cases: Vec<(&str, f64)> = ["mid", "hard", "dry sand", "clay", "snow"]
        .into_iter()
        .flat_map(|soil| slips.map(|slip| (soil, slip)))
        .collect();
    let found = cases
        .in_parallel(|&(name, slip)| {
            let soil = of_width(name, 1.0 / M113.width);
            let found = rigid(soil.clone(), [M113.sinkage(&soil); 2], slip).run()?;
            Ok(2.0 * found.thrust / M113.thrust(&soil, of_soil(slip)) - 1.0)
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    Ok(worst(found))
}

/// Returns the worst error of thrust under pressure that rises linearly from zero along the track, and
/// that falls.
///
/// The track is tilted by 1 cm on soil whose pressure is 1e7 Pa/m times depth.
fn linear_pressures() -> Result<f64, ValidationError> {
    let springy = DeformableSoil { k_phi: 1e7, n: 1.0, elastic_stiffness: 1e7, ..chrono("mid") };
    let friction = 0.5 * 1e7 * 0.01 * M113.width * M113.length * tan(springy.friction_angle);
    let mut found = Vec::new();
    for slip in [0.02, 0.05, 0.1, 0.2, 0.5] {
        let x = of_soil(slip) * M113.length / springy.shear_modulus;
        let [rising, falling] = linear_pressure(x);
        for (depths, share) in [([0.0, 0.01], rising), ([0.01, 0.0], falling)] {
            let thrust = rigid(springy.clone(), depths, slip).run()?.thrust;
            found.push(thrust / (share * friction) - 1.0);
        }
    }
    Ok(worst(found))
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

pub(super) fn soil_of(name: &str) -> Soil {
    let soil = chrono(name);
    // the unloading of the catalog, and the damping of Project Chrono's vehicle soils
    let [k0, growth] = assumed_unloading(soil.k_phi, soil.k_c, soil.n).map(Some);
    let details = Details { reload_stiffness: k0, reload_growth: growth, ..Details::default() };
    bed(DeformableSoil { damping: 3e4, details, ..soil })
}

fn belt(name: &str, motion: TrackMotion, laws: Laws) -> TrackRig {
    TrackRig { duration: 4.0, laws, ..TrackRig::new(m113_chrono(), soil_of(name), motion) }
}

/// Runs of the M113 by soil and slip, under default and reference laws.
type StraightRuns = Vec<Vec<[TrackResult; 2]>>;

fn straight() -> Result<StraightRuns, ValidationError> {
    let cases: Vec<(&str, f64)> =
        SOILS.into_iter().flat_map(|soil| SLIPS.map(|slip| (soil, slip))).collect();
    let runs = cases
        .in_parallel(|&(soil, slip)| {
            let motion = TrackMotion::Straight { speed: 1.0, slip };
            let run = |laws| belt(soil, motion, laws).run();
            Ok([run(LAWS[0])?, run(LAWS[1])?])
        })
        .collect::<Result<Vec<[TrackResult; 2]>, ValidationError>>()?;
    Ok(runs.chunks(SLIPS.len()).map(<[_]>::to_vec).collect())
}

fn thrust_panel(theory: &RigidTracks, soil: &str, runs: &StraightRuns) -> bekker_rig::PlotPanel {
    let own = &runs[SOILS.iter().position(|own| *own == soil).unwrap_or(0)];
    let of_laws = |which: usize| {
        SLIPS.iter().zip(own).map(|(slip, run)| [*slip, 1e-3 * run[which].thrust]).collect()
    };
    let curve = (1..=30).map(|k| 0.01 * f64::from(k));
    let curve = curve.map(|slip| [slip, 1e-3 * theory.thrust(&chrono(soil), slip)]).collect();
    panel(
        soil,
        "slip",
        "thrust, kN",
        vec![
            line("theory", LineStyle::Dashes, curve),
            line("default laws", LineStyle::Line, of_laws(0)),
            line("reference laws", LineStyle::Line, of_laws(1)),
        ],
    )
}

/// Adds thrust, resistance and depth by soil at one slip.
fn by_soil(page: &mut Page, theory: &RigidTracks, runs: &StraightRuns) {
    let rows = SOILS.iter().zip(runs).map(|(name, own)| {
        let (soil, [default, reference]) = (chrono(name), &own[SHOWN_SLIP]);
        let kilo = |force: f64| format!("{:.1}", 1e-3 * force);
        let depth = |sinkage: f64| format!("{:.1}", 1e2 * sinkage);
        vec![
            (*name).to_owned(),
            kilo(theory.thrust(&soil, SLIPS[SHOWN_SLIP])),
            kilo(default.thrust),
            kilo(reference.thrust),
            kilo(theory.resistance(&soil)),
            kilo(default.resistance),
            kilo(reference.resistance),
            depth(theory.sinkage(&soil)),
            depth(default.sinkage),
            depth(reference.sinkage),
        ]
    });
    page.text("The M113 at slip 0.1:");
    let header = [
        "soil",
        "thrust, kN: theory",
        "default",
        "reference",
        "resistance, kN: theory",
        "default",
        "reference",
        "depth, cm: theory",
        "default",
        "reference",
    ];
    page.table(&header, rows.collect());
}

/// Returns the worst single error of thrust under the default laws.
fn worst_thrust(theory: &RigidTracks, runs: &StraightRuns) -> WorstError {
    let mut worst = WorstError::default();
    for (name, own) in SOILS.iter().zip(runs) {
        for (slip, run) in SLIPS.iter().zip(own) {
            let expected = theory.thrust(&chrono(name), *slip);
            let error = run[0].thrust / expected - 1.0;
            if error.abs() > worst.error.abs() {
                worst = WorstError {
                    case: format!("thrust, M113 on {name}, slip {slip}"),
                    kind: "theory".into(),
                    expected: format!("{:.1} kN", 1e-3 * expected),
                    found: format!("{:.1} kN", 1e-3 * run[0].thrust),
                    error,
                };
            }
        }
    }
    worst
}

/// Adds the change of thrust with spacing and step.
fn convergence(page: &mut Page) -> Result<(), ValidationError> {
    let motion = TrackMotion::Straight { speed: 1.0, slip: 0.1 };
    let runs = [[0.05, 1e-3], [0.025, 1e-3], [0.05, 5e-4]]
        .in_parallel(|&[spacing, step]| {
            let rig = TrackRig { spacing, step, ..belt("mid", motion, Laws::refined()) };
            Ok(rig.run()?.thrust)
        })
        .collect::<Result<Vec<f64>, ValidationError>>()?;
    page.text(format!(
        "On mid at slip 0.1, half the spacing changes thrust by {} and half the step by {} (default \
         laws).",
        percent(runs[1] / runs[0] - 1.0),
        percent(runs[2] / runs[0] - 1.0)
    ));
    Ok(())
}

/// Returns the errors of the moment of a turn on the spot on [`SOILS`], for default and reference laws.
///
/// The theory is shear against the sliding of every point, at the yaw rate at which both moments
/// balance.
fn pivots(theory: &RigidTracks) -> Result<Vec<[f64; 2]>, ValidationError> {
    SOILS
        .in_parallel(|name| {
            let moment = theory.pivoting_moment(theory.shear_strength(&chrono(name)));
            let motion = TrackMotion::Pivot { speed: 0.5 };
            let error = |laws| {
                Ok::<f64, RigError>(belt(name, motion, laws).run()?.turning_moment / moment - 1.0)
            };
            Ok([error(LAWS[0])?, error(LAWS[1])?])
        })
        .collect()
}

/// Returns whether the braked vehicle holds 2 degrees below the steepest slope on which even pressure
/// holds it and slides 2 degrees above, for default and reference laws.
fn slopes(theory: &RigidTracks) -> Result<[bool; 2], ValidationError> {
    let mut cases = Vec::new();
    for (soil, own) in [("chrono_mid", "mid"), ("dry_sand_lll", "dry sand")] {
        let steepest = theory.max_slope(&chrono(own)).to_degrees();
        for (which, laws) in ["refined", "reference"].into_iter().enumerate() {
            cases.extend([(which, soil, laws, steepest, -2.0), (which, soil, laws, steepest, 2.0)]);
        }
    }
    let as_expected = cases
        .in_parallel(|&(which, soil, laws, steepest, off)| {
            // in two seconds
            let travel = slides(soil, laws, steepest + off)?;
            Ok((which, (travel > 0.02) == (off > 0.0)))
        })
        .collect::<Result<Vec<(usize, bool)>, ValidationError>>()?;
    Ok([0, 1].map(|which| as_expected.iter().all(|(own, expected)| *own != which || *expected)))
}

fn failures(page: &mut Page, small: [f64; 2]) {
    page.failure(format!(
        "At slip 0.02 thrust is off by up to {} (reference {}): the theory has even pressure, and \
         shoes rock under the wheels.",
        percent(small[0]),
        percent(small[1])
    ));
    page.failure(
        "On firm clay a track sinks by millimeters, and only the shoes below its wheels touch: on \
         `heavy_clay_25_wes` thrust is far below the theory's ([tracks](../tracks.md#accuracy)).",
    );
    page.failure(
        "Wong's rule for skid steering (L/B at most 1.02 on clay) has a separate lateral friction; \
         the model's is the strength of the soil.",
    );
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
