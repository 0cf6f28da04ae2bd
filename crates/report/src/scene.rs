//! Content of the picture of a run: the ground, its deformation, and the vehicles' tracks.

use super::drawn_ground::{DrawnGround, GroundFunction};
use super::geotiff::RutNode;
use super::profile::ProfilePoint;
use bekker_agent::{OutcomeReport, Sample, VehicleSummary, WheelSample};
use bekker_world::BlockedCell;

/// Content of the picture.
pub struct RunScene<'a> {
    /// Caption: the scenario; its soil, duration and vehicles; version and state hash.
    pub caption: Caption,
    /// The undisturbed ground.
    pub land: DrawnGround<'a>,
    /// Depth of the nearest soil node below the undisturbed ground, m: 0 if undisturbed, negative
    /// where soil is heaped.
    pub rut: GroundFunction<'a, f64>,
    /// Spacing of soil nodes, m; nodes are at its multiples.
    pub spacing: f64,
    /// Every deformed node, in any order.
    pub nodes: &'a [RutNode],
    /// Planned paths, m.
    pub ways: Vec<Vec<[f64; 2]>>,
    /// Elevation and grade along the path of a vehicle, with its index.
    pub profile: Option<(usize, Vec<ProfilePoint>)>,
    /// Tracks of the vehicles.
    pub tracks: Vec<SceneTrack>,
    /// Positions of collisions, m.
    pub hits: Vec<[f64; 2]>,
    /// Cells that autonomous vehicles classify as obstacles or holes.
    pub blocked: Vec<BlockedCell>,
}

/// Text above and below a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// Title.
    pub title: String,
    /// Subtitle, one line.
    pub subtitle: String,
    /// Key numbers next to the title, the most important first; three fit well.
    pub facts: Vec<Highlight>,
    /// Text at the bottom.
    pub footer: String,
}

/// A key number, printed large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Highlight {
    /// Value with its unit: `23 cm`.
    pub value: String,
    /// Meaning: `deepest rut`.
    pub label: String,
}

/// A vehicle's track through the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneTrack {
    /// Name in the legend.
    pub name: String,
    /// Outcome of the drive.
    pub outcome: OutcomeReport,
    /// Distance driven, m.
    pub distance: f64,
    /// History.
    pub points: Vec<TrackPoint>,
}

/// State of a vehicle at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackPoint {
    /// Simulated time, s.
    pub time: f64,
    /// Position, m.
    pub position: [f64; 2],
    /// Forward speed, m/s.
    pub speed: f64,
    /// Mean slip of the wheels.
    pub slip: f64,
    /// Mean sinkage of the wheels, m.
    pub sinkage: f64,
    /// Sinkage of the deepest wheel, m.
    pub deepest: f64,
}

impl TrackPoint {
    /// Extracts the quantities that are drawn from a sample.
    pub fn from_sample(sample: &Sample) -> TrackPoint {
        let wheels = sample.wheels.len().max(1) as f64;
        let mean = |of: fn(&WheelSample) -> f64| sample.wheels.iter().map(of).sum::<f64>() / wheels;
        TrackPoint {
            time: sample.time,
            position: [sample.pose.position.x, sample.pose.position.y],
            speed: sample.speed,
            slip: mean(|wheel| wheel.slip),
            sinkage: mean(|wheel| wheel.sinkage),
            deepest: sample.wheels.iter().map(|wheel| wheel.sinkage).fold(0.0, f64::max),
        }
    }
}

impl SceneTrack {
    /// Creates the track of a vehicle with this history.
    pub fn new(points: Vec<TrackPoint>, summary: &VehicleSummary) -> SceneTrack {
        SceneTrack {
            name: summary.name.clone(),
            outcome: summary.outcome.clone(),
            distance: summary.distance,
            points,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_agent::Outcome;
    use bekker_math::spatial::Vec3;

    #[test]
    fn a_track_holds_means_of_wheels() {
        let wheel = |slip: f64| WheelSample { slip, sinkage: 0.1 * slip, ..WheelSample::default() };
        let sample = |vehicle: usize, time: f64| Sample {
            time,
            vehicle,
            pose: Default::default(),
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            speed: 3.0,
            controls: Default::default(),
            engine_speed: 0.0,
            gear: 1,
            wheels: vec![wheel(0.25), wheel(0.75)],
            trailer: None,
            articulation: None,
            motors: None,
        };
        let summary = VehicleSummary {
            name: "leader".into(),
            model: "hmmwv".into(),
            outcome: Outcome::UnderWay.report(|_| "", |_| "", |_| ""),
            driving_time: 4.0,
            distance: 12.0,
            mean_speed: 3.0,
            speed_made_good: 3.0,
            final_speed: 3.0,
            mean_slip: 0.5,
            peak_slip: 0.5,
            mean_sinkage: 0.05,
            max_sinkage: 0.075,
            tires: None,
            motion_resistance: None,
            throttle_time: 0.0,
            drive_energy: 0.0,
            braking_energy: 0.0,
            soil_energy: 0.0,
            fuel: None,
            battery: None,
        };
        let samples = [sample(1, 0.0), sample(1, 1.0)];
        let track =
            SceneTrack::new(samples.iter().map(TrackPoint::from_sample).collect(), &summary);
        assert_eq!((track.name.as_str(), track.points.len()), ("leader", 2));
        assert_eq!(track.points[1].time, 1.0);
        // The mean of 0.25 and 0.75 is exact; a tenth of it is exact up to rounding.
        assert_eq!(track.points[1].slip, 0.5);
        assert!((track.points[1].sinkage - 0.05).abs() < 1e-15);
    }
}
