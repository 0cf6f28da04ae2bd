//! Weakest clay that is passed once and repeatedly in the same rut.
//!
//! This is the field protocol of the vehicle cone index, without a cone. The strength of a catalog
//! clay is multiplied by a ratio ρ
//! ([`with_strength`](bekker_ground::soil::DeformableSoil::with_strength)). The model has no cone,
//! so cone indices are not converted to or from ρ; only rankings of vehicles are comparable.

use super::event_scale::TestDrive;
use super::findings::{EventMetric, Findings};
use super::subject::{Subject, is_firm, straight_path};
use super::vehicle_sheet::cone_index_vehicle;
use super::{MobilityError, SearchEffort, threshold};
use bekker_math::numeric::{exp, ln};
use bekker_ranks::Flow;
use bekker_rig::PSI;
use bekker_scenario::Scenario;
use bekker_scenario::config::CustomSoil;
use bekker_world::VehiclePlacement;

/// Fat clay of the catalog.
const CLAY: &str = "heavy_clay_40_wes";
/// Range of ratios, and the relative resolution of the limit.
const RATIOS: [f64; 2] = [0.05, 2.0];
const WIDTH: f64 = 0.02;
/// Speed (2.5 mph), length of the lane, and longest pass.
const PASS: TestDrive = TestDrive { speed: 1.1, distance: 20.0, longest: 45.0 };
/// Numbers of passes in the same rut.
const PASSES: [u32; 2] = [1, 10];

pub(super) fn drive(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let mut findings = Findings::default();
    let one_pass = cone_index_vehicle(&subject.spec)?.one_pass() / PSI;
    let clays: Vec<&str> = subject.event_soils(effort, &[CLAY]);
    let (firm, clays): (Vec<&str>, Vec<&str>) = clays.into_iter().partition(|own| is_firm(own));
    for soil in firm {
        let metric = EventMetric::new("strength_ratio", None, "").with_condition(soil);
        findings.figures.push(metric.with_note("not applicable to firm ground"));
    }
    let trials =
        clays.iter().flat_map(|clay| effort.some(&PASSES).iter().map(move |n| (*clay, *n)));
    for (clay, passes) in trials {
        // the weakest clay has the greatest weakness; steps are equal in the logarithm
        let [weakest, strongest] = RATIOS.map(ln);
        let range = [-strongest, -weakest];
        let limit = threshold(range, effort.width(WIDTH), |weakness| {
            passes_lane(subject, WeakenedClay { clay, ratio: exp(-weakness) }, passes)
        })?;
        let metric = EventMetric::new("strength_ratio", limit.passed.map(|own| exp(-own)), "")
            .with_condition(format!(
                "{clay}, {passes} {}",
                if passes == 1 { "pass" } else { "passes" }
            ));
        let told = match clay {
            CLAY => format!("VCI1 {one_pass:.1} psi from the mobility index"),
            _ => String::new(),
        };
        let metric = match (limit.passed, limit.failed) {
            (None, _) => metric.with_note("failed at twice the catalog strength"),
            (_, None) => metric.with_note("lowest value tried"),
            _ => metric.with_note(told),
        };
        let again = limit.passed_beyond.map(|own| format!("ratio {:.3}", exp(-own)));
        findings.figures.push(metric.with_alternation_note(again));
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        let weakened = |weakness: f64| WeakenedClay { clay, ratio: exp(-weakness) };
        findings.scenarios.extend(trials.map(|own| scenario(subject, weakened(own))));
    }
    Ok(findings)
}

fn scenario(subject: &Subject, weakened: WeakenedClay<'_>) -> Scenario {
    let WeakenedClay { clay, ratio } = weakened;
    let name = match clay {
        CLAY => format!("passes_{ratio:.3}"),
        other => format!("passes_{other}_{ratio:.3}"),
    };
    let TestDrive { speed, distance, longest } = subject.test_drive(PASS);
    let mut scenario = subject.scenario(&name, longest, straight_path(speed, distance));
    scenario.soil.default = "weakened clay".into();
    scenario.soil.custom.push(weakened.soil());
    scenario
}

/// A clay of the catalog at a ratio of its strength.
#[derive(Clone, Copy)]
struct WeakenedClay<'a> {
    clay: &'a str,
    ratio: f64,
}

impl WeakenedClay<'_> {
    /// Returns the soil of the lane.
    fn soil(self) -> CustomSoil {
        let WeakenedClay { clay, ratio } = self;
        CustomSoil {
            name: "weakened clay".into(),
            based_on: Some(clay.into()),
            source: Some(format!("{clay} of the catalog at {ratio:.3} of its strength")),
            strength: Some(ratio),
            ..CustomSoil::default()
        }
    }
}

/// Returns whether the vehicle reaches the end of the lane in all passes, each from the start.
fn passes_lane(
    subject: &Subject,
    weakened: WeakenedClay<'_>,
    passes: u32,
) -> Result<bool, MobilityError> {
    let scenario = scenario(subject, weakened);
    let lane = subject.test_drive(PASS).distance;
    let mut world = subject.world(&scenario)?;
    for pass in 0..passes {
        if pass > 0 && world.respawn(0, &VehiclePlacement::default()).is_err() {
            return Ok(false);
        }
        let mut arrived = false;
        subject.drive_on(&mut world, &scenario, |sample| {
            arrived = sample.pose.position.x > lane;
            if arrived { Flow::Stop } else { Flow::Continue }
        })?;
        if !arrived {
            return Ok(false);
        }
    }
    Ok(true)
}
