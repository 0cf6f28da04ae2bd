//! Gradeability: the steepest grade that is climbed, and the speed on grades.

use super::cone_index::ConeIndexEstimate;
use super::event_scale::TestDrive;
use super::findings::{CLOSED_FORM, EventMetric, Findings, Limit, simulated_on};
use super::straight::road_friction;
use super::subject::{FrontAxle, KMH, ROAD, Subject, straight_path, table};
use super::{MobilityError, SearchEffort, TractiveEffort, threshold};
use bekker_ranks::Flow;
use bekker_rig::InParallel;
use bekker_rig::{LineStyle, PlotLine, PlotPanel};
use bekker_scenario::Scenario;
use bekker_scenario::config::{DriverConfig, SurfaceConfig, TableRow};
use bekker_vehicle::Locks;
use bekker_vehicle::spec::Layout;

/// Soils of the event.
const SOILS: [&str; 4] = [ROAD, "dry_sand_lll", "upland_sandy_loam", "lean_clay_32_wes"];
/// Range of grades, and the resolution of the limit.
const GRADES: [f64; 2] = [0.02, 1.2];
const WIDTH: f64 = 0.01;
/// Set speed of the driver, distance to climb along x, and longest climb.
const CLIMB: TestDrive = TestDrive { speed: 2.0, distance: 12.0, longest: 40.0 };
/// Slip limit of the driver on the road, where more slip gives less force.
const SLIP: f64 = 0.1;
/// Time, s, and least speed, m/s, of a vehicle that rolls back because its brakes do not hold.
///
/// From that time on the driver only brakes.
const ROLLED_OFF: [f64; 2] = [2.0, 0.1];
/// Grade required of a military vehicle on firm ground.
const ASKED: f64 = 0.6;

/// Grades and soils of the speed on slopes, and the duration, s.
const SPEED_GRADES: [f64; 7] = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6];
const SPEED_SOILS: [&str; 2] = [ROAD, "upland_sandy_loam"];
const SPEED_TIME: f64 = 90.0;
/// Window, s, and change of speed in it, m/s, below which the speed is steady.
///
/// Otherwise the result is the speed of the last window.
const SETTLED: [f64; 2] = [5.0, 0.02];
/// Heading beyond which the vehicle no longer drives uphill, rad.
const OFF_LINE: f64 = 0.35;

/// Finds the steepest grade on which a vehicle starts from rest and climbs.
pub(super) fn gradeability(
    subject: &Subject,
    effort: SearchEffort,
) -> Result<Findings, MobilityError> {
    let found =
        subject.event_soils(effort, &SOILS).in_parallel(|&soil| -> Result<_, MobilityError> {
            let limit =
                threshold(GRADES, effort.width(WIDTH), |grade| climbs(subject, soil, grade))?;
            let unheld = limit.failed.map_or(Ok(false), |grade| rolls_off(subject, soil, grade))?;
            Ok((soil, limit, unheld))
        });
    let mut findings = Findings::default();
    let estimate = ConeIndexEstimate::new(subject)?;
    for (soil, limit, unheld) in found.collect::<Result<Vec<_>, _>>()? {
        let metric = EventMetric::new("gradeability", limit.passed, "").with_condition(soil);
        let metric = match (limit.passed, limit.failed) {
            (None, _) if !unheld => {
                metric.with_note(format!("failed at the lowest value tried, {}", GRADES[0]))
            }
            (_, None) => metric.with_note("steepest value tried"),
            (_, Some(grade)) if unheld => metric.with_note(format!(
                "limited by the brakes: on {grade:.3} they do not hold it, and it rolls back \
                 before it starts"
            )),
            _ => metric,
        };
        let metric =
            metric.with_alternation_note(limit.passed_beyond.map(|grade| format!("{grade:.3}")));
        findings.figures.push(match &estimate {
            _ if soil == ROAD => on_road(subject, metric),
            Some(estimate) => estimate.with_pull(metric),
            None => metric,
        });
        let trials = [limit.passed, limit.failed].into_iter().flatten();
        findings.scenarios.extend(trials.map(|grade| climb(subject, soil, grade)));
    }
    Ok(findings)
}

/// Adds the closed form for firm ground: friction or the powertrain, whichever gives less.
///
/// If all differentials are open, the friction of the axle with the lower load uphill limits the
/// climb. The wheels of a trailer carry load without drive, for which there is no closed form.
fn on_road(subject: &Subject, metric: EventMetric) -> EventMetric {
    let friction = road_friction();
    let metric = metric.with_limit(Limit::AtLeast(ASKED)).with_published(&subject.model);
    let (law, held) = match open_differentials(subject) {
        Some(front) => ("open differentials: 2 μ s/(1 + 2 μ h/L)", front.grade(friction)),
        None => ("μ", friction),
    };
    match TractiveEffort::new(&subject.spec).and_then(|effort| effort.grade(0.0)) {
        Some(grade) if grade < held => metric.with_closed_form("balance of tractive effort", grade),
        _ if subject.geometry.steering.trailer.is_some() => metric,
        _ => metric.with_closed_form(law, held),
    }
}

/// Returns the front axle of a vehicle with two driven axles whose differentials are all open.
fn open_differentials(subject: &Subject) -> Option<FrontAxle> {
    let own = subject.spec.wheeled()?;
    let driveline = own.driveline.as_ref()?;
    let on_axles = own.axles.iter().filter_map(|axle| axle.final_drive.map(|own| own.differential));
    let mut all = on_axles.chain([driveline.center]).chain(driveline.inter_axle);
    let open = driveline.layout == Layout::Awd && all.all(|own| own.is_open());
    subject.geometry.front_axle.filter(|_| open)
}

fn climb(subject: &Subject, soil: &str, grade: f64) -> Scenario {
    let name = format!("grade_{soil}_{grade:.3}");
    let TestDrive { speed, distance, longest } = subject.test_drive(CLIMB);
    let mut driver = straight_path(speed, distance);
    if let DriverConfig::Path { slip_limit, locks, .. } = &mut driver {
        *slip_limit = (soil == ROAD).then_some(SLIP);
        *locks = subject.spec.wheeled().map_or(Locks::OPEN, |own| own.locks());
    }
    on_slope(subject.scenario(&name, longest, driver), soil, grade)
}

fn climbs(subject: &Subject, soil: &str, grade: f64) -> Result<bool, MobilityError> {
    let (mut arrived, end) = (false, subject.test_drive(CLIMB).distance);
    subject.drive(&climb(subject, soil, grade), |sample| {
        arrived = sample.pose.position.x > end;
        if arrived { Flow::Stop } else { Flow::Continue }
    })?;
    Ok(arrived)
}

/// Returns whether the vehicle rolls back from its start with the brake applied.
///
/// Its wheels or tracks turn, unlike those of a sliding vehicle, which are locked.
fn rolls_off(subject: &Subject, soil: &str, grade: f64) -> Result<bool, MobilityError> {
    let [time, least] = ROLLED_OFF;
    let mut scenario = climb(subject, soil, grade);
    scenario.time.duration = time;
    let mut rolls = false;
    subject.drive(&scenario, |sample| {
        let spin = sample.wheels.iter().map(|wheel| wheel.spin).fold(0.0, f64::min);
        let turns = spin * subject.geometry.wheel_radius < 0.5 * sample.speed;
        let braked = sample.controls.throttle == 0.0 && sample.controls.brake > 0.9;
        rolls = braked && turns && sample.speed < -least;
        Flow::Continue
    })?;
    Ok(rolls)
}

/// Sets a soil and a slope that rises along x.
fn on_slope(mut scenario: Scenario, soil: &str, grade: f64) -> Scenario {
    scenario.soil.default = soil.into();
    scenario.terrain.surface = SurfaceConfig::Slope { elevation: 0.0, grade, uphill_deg: 0.0 };
    scenario
}

/// Finds the speeds at full throttle on grades.
pub(super) fn speeds(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let grades = if effort.quick { &SPEED_GRADES[2..3] } else { &SPEED_GRADES[..] };
    let mut findings = Findings::default();
    let mut lines = Vec::new();
    for soil in subject.event_soils(effort, &SPEED_SOILS) {
        let trials = grades.in_parallel(|&grade| -> Result<_, MobilityError> {
            let scenario = full_throttle(subject, soil, grade);
            Ok((grade, settled_speed(subject, &scenario)?, scenario))
        });
        let mut points = Vec::new();
        for (grade, speed, scenario) in trials.collect::<Result<Vec<_>, _>>()? {
            points.extend(speed.map(|speed| [grade, speed / KMH]));
            let metric = EventMetric::new("speed_on_slope", speed.map(|speed| speed / KMH), "km/h");
            let metric = metric.with_condition(format!("{soil}, {grade:.1}"));
            let metric = match speed {
                Some(_) => metric,
                None => metric.with_note("turned off its line (no driver steers)"),
            };
            let balance = TractiveEffort::new(&subject.spec).filter(|_| soil == ROAD);
            findings.figures.push(match balance {
                Some(effort) => {
                    metric.with_closed_form("balance of tractive effort", effort.speed(grade) / KMH)
                }
                None => metric,
            });
            findings.scenarios.push(scenario);
        }
        lines.push(PlotLine { name: simulated_on(soil), points, mark: LineStyle::MarkedLine });
    }
    if let Some(effort) = TractiveEffort::new(&subject.spec) {
        let points = (0..=60).map(|n| 0.01 * f64::from(n));
        let points = points.map(|grade| [grade, effort.speed(grade) / KMH]).collect();
        lines.push(PlotLine { name: CLOSED_FORM.into(), points, mark: LineStyle::Dashes });
    }
    findings.panels.push(PlotPanel {
        title: "Speed at full throttle up grades".into(),
        x: "grade".into(),
        y: "speed, km/h".into(),
        lines,
    });
    Ok(findings)
}

fn full_throttle(subject: &Subject, soil: &str, grade: f64) -> Scenario {
    let full = TableRow { throttle: 1.0, ..TableRow::default() };
    let driver: DriverConfig = table(&[full]);
    let name = format!("speed_on_slope_{soil}_{grade:.1}");
    on_slope(subject.scenario(&name, SPEED_TIME, driver), soil, grade)
}

/// Returns the final uphill speed, m/s.
///
/// It is 0 if the vehicle does not climb, and `None` if it turned off its line, as its speed may
/// then be downhill.
fn settled_speed(subject: &Subject, scenario: &Scenario) -> Result<Option<f64>, MobilityError> {
    let [window, change] = SETTLED;
    let mut speeds: Vec<[f64; 2]> = Vec::new();
    let mut turned = false;
    subject.drive(scenario, |sample| {
        turned |= sample.pose.yaw().abs() > OFF_LINE;
        speeds.push([sample.time, sample.speed]);
        let before = speeds.partition_point(|[time, _]| *time <= sample.time - window);
        let settled = before > 0 && (sample.speed - speeds[before - 1][1]).abs() < change;
        if settled || turned { Flow::Stop } else { Flow::Continue }
    })?;
    if turned {
        return Ok(None);
    }
    let end = speeds.last().map_or(0.0, |[time, _]| *time);
    let last: Vec<f64> =
        speeds.iter().filter(|[time, _]| *time > end - window).map(|[_, speed]| *speed).collect();
    Ok(Some((last.iter().sum::<f64>() / last.len().max(1) as f64).max(0.0)))
}
