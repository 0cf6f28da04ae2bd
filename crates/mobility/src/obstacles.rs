//! Steps, gaps, ditches and barriers across the path: the greatest that is crossed.

use super::event_scale::TestDrive;
use super::findings::{EventMetric, Findings};
use super::subject::{Subject, straight_path};
use super::{MobilityError, SearchEffort, threshold};
use bekker_ranks::Flow;
use bekker_scenario::Scenario;
use bekker_scenario::config::{Face, StampConfig};
use bekker_vehicle::TrackedSpec;

/// Speed of the driver, start position of the obstacle, and longest drive.
///
/// The whole vehicle starts before the obstacle.
const APPROACH: TestDrive = TestDrive { speed: 1.5, distance: 8.0, longest: 40.0 };
/// Extent of the obstacle to either side, and length of a step's top, m.
const ASIDE: f64 = 30.0;
const TOP: f64 = 60.0;
/// Horizontal run of a vertical wall, m; the steepest that nodes 5 cm apart can represent.
const WALL: f64 = 0.02;
/// Depth of a gap, m; no wheel reaches its bottom.
const BOTTOMLESS: f64 = 2.5;
/// Length of a ditch's flat bottom and of a barrier's flat top, m.
const LEVEL: f64 = 1.0;
/// Distance beyond the obstacle at which the whole vehicle has crossed it, m.
const BEYOND: f64 = 0.5;
/// Distance between nodes, m.
const SPACING: f64 = 0.04;
/// Resolution of the limit, m.
const WIDTH: f64 = 0.02;

/// Finds the highest step that is climbed.
pub(super) fn step(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let radius = subject.geometry.wheel_radius;
    let obstacle = Obstacle::new(subject);
    let course = |height: f64| (obstacle.ridge(TOP, height, obstacle.wall), 0.0);
    let metric = search(subject, effort, "step", [0.05, 1.3], &course)?;
    Ok(match subject.spec.tracked() {
        Some(track) => {
            let axle = track.sprocket.position[2] - (track.wheel_height - radius);
            with_comparison(metric, "height of the sprocket axle", axle, subject)
        }
        None => with_comparison(metric, "wheel radius", radius, subject),
    })
}

/// Finds the widest gap that is crossed.
pub(super) fn gap(subject: &Subject, effort: SearchEffort) -> Result<Findings, MobilityError> {
    let diameter = 2.0 * subject.geometry.wheel_radius;
    let obstacle = Obstacle::new(subject);
    let course = |width: f64| (obstacle.ditch(width, BOTTOMLESS, obstacle.wall), width);
    let findings = search(subject, effort, "gap", [0.1, 3.0], &course)?;
    Ok(if let Some(track) = subject.spec.tracked() {
        with_comparison(findings, "half the track length", 0.5 * running_length(track), subject)
    } else {
        with_comparison(findings, "wheel diameter", diameter, subject)
    })
}

/// Returns the length from the front of the sprocket to the back of the idler, m.
fn running_length(track: &TrackedSpec) -> f64 {
    let between = (track.sprocket.position[0] - track.idler.position[0]).abs();
    between + track.pin_radius() + track.idler.radius
}

/// Finds the deepest ditch and the highest barrier with 45-degree faces.
pub(super) fn trapezoids(
    subject: &Subject,
    effort: SearchEffort,
) -> Result<Findings, MobilityError> {
    let (obstacle, level) = (Obstacle::new(subject), subject.length_scale() * LEVEL);
    let across = |rise: f64| level + 2.0 * rise;
    let (ditches, barriers) = rayon::join(
        || {
            let course = |depth: f64| (obstacle.ditch(across(depth), depth, depth), across(depth));
            search(subject, effort, "ditch", [0.1, 2.0], &course)
        },
        || {
            let course =
                |height: f64| (obstacle.ridge(across(height), height, height), across(height));
            search(subject, effort, "barrier", [0.1, 2.0], &course)
        },
    );
    let (mut findings, barriers) = (ditches?, barriers?);
    findings.figures.extend(barriers.figures);
    findings.scenarios.extend(barriers.scenarios);
    Ok(findings)
}

fn with_comparison(
    findings: Findings,
    law: &'static str,
    value: f64,
    subject: &Subject,
) -> Findings {
    let own =
        |metric: EventMetric| metric.with_closed_form(law, value).with_published(&subject.model);
    Findings { figures: findings.figures.into_iter().map(own).collect(), ..findings }
}

/// Position of an obstacle, and the run of its walls.
#[derive(Clone, Copy)]
struct Obstacle {
    /// Start of the obstacle, m.
    start: f64,
    /// Horizontal run of a vertical wall, m.
    wall: f64,
}

impl Obstacle {
    fn new(subject: &Subject) -> Obstacle {
        let start = subject.test_drive(APPROACH).distance;
        Obstacle { start, wall: subject.wheel_scale() * WALL }
    }

    /// Returns a ridge across the path, from the start position of the obstacle.
    fn ridge(self, width: f64, height: f64, edge: f64) -> StampConfig {
        let middle = self.start + 0.5 * width;
        let (from, to) = ([middle, -ASIDE], [middle, ASIDE]);
        StampConfig::Ridge { from, to, width, height, edge: Some(edge), face: Face::Straight }
    }

    fn ditch(self, width: f64, depth: f64, edge: f64) -> StampConfig {
        let middle = self.start + 0.5 * width;
        let (from, to) = ([middle, -ASIDE], [middle, ASIDE]);
        let edge = Some(edge.min(0.5 * width));
        StampConfig::Ditch { from, to, width, depth, edge, face: Face::Straight }
    }
}

/// Finds the greatest size of an obstacle; `course` returns its stamp and its length, m, by size.
///
/// `sizes` are those for a vehicle of full size.
fn search(
    subject: &Subject,
    effort: SearchEffort,
    name: &'static str,
    sizes: [f64; 2],
    course: &(impl Fn(f64) -> (StampConfig, f64) + Sync),
) -> Result<Findings, MobilityError> {
    let trial = |size: f64| {
        let (stamp, length) = course(size);
        (scenario(subject, name, size, stamp), length)
    };
    let scale = subject.wheel_scale();
    let sizes = sizes.map(|size| scale * size);
    let limit = threshold(sizes, effort.width(scale * WIDTH), |size| {
        let (scenario, length) = trial(size);
        crosses(subject, &scenario, length)
    })?;
    let metric = EventMetric::new(name, limit.passed, "m");
    let metric = match (limit.passed, limit.failed) {
        (None, _) => {
            metric.with_note(format!("failed at the lowest value tried, {:.3} m", sizes[0]))
        }
        (_, None) => metric.with_note("highest value tried"),
        _ => metric,
    };
    let metric =
        metric.with_alternation_note(limit.passed_beyond.map(|size| format!("{size:.3} m")));
    let scenarios = [limit.passed, limit.failed].into_iter().flatten();
    let scenarios = scenarios.map(|size| trial(size).0).collect();
    Ok(Findings { figures: vec![metric], panels: vec![], scenarios })
}

fn scenario(subject: &Subject, name: &str, size: f64, stamp: StampConfig) -> Scenario {
    let TestDrive { speed, distance, longest } = subject.test_drive(APPROACH);
    let way = distance + 30.0;
    let name = format!("{name}_{size:.3}");
    let mut scenario = subject.scenario(&name, longest, straight_path(speed, way));
    scenario.ground.spacing = subject.wheel_scale() * SPACING;
    scenario.terrain.stamp.push(stamp);
    scenario
}

/// Returns whether the whole vehicle gets beyond an obstacle of a length, m.
fn crosses(subject: &Subject, scenario: &Scenario, length: f64) -> Result<bool, MobilityError> {
    let start = subject.test_drive(APPROACH).distance;
    let beyond = subject.length_scale() * BEYOND;
    let end = start + length - subject.geometry.footprint.rear + beyond;
    let mut over = false;
    subject.drive(scenario, |sample| {
        over = sample.pose.position.x > end;
        if over { Flow::Stop } else { Flow::Continue }
    })?;
    Ok(over)
}
