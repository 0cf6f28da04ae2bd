//! What a lidar is.

use serde::{Deserialize, Serialize};

/// Which returns of a beam's footprint are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReturnMode {
    /// The brightest.
    Strongest,
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// All, at their mean range.
    Mean,
    /// The brightest and the farthest, where they are not one.
    Dual,
}

/// Noise of a lidar: standard deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LidarNoise {
    /// Of ranges, m.
    pub range: f64,
    /// Of both angles of a beam, rad.
    pub angle: f64,
    /// Of the intensity.
    pub intensity: f64,
    /// Probability that a return is lost.
    pub dropout: f64,
}

/// A lidar that turns about its z axis; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LidarSpec {
    /// Elevation of each beam, lowest first, rad.
    pub elevations: Vec<f64>,
    /// Firings in a scan.
    pub columns: u32,
    /// First and last azimuth, rad, counted from x towards y; the first column fires
    /// first.
    pub azimuths: [f64; 2],
    /// Nearest range, m.
    pub min_range: f64,
    /// Farthest range, m.
    pub max_range: f64,
    /// Full angle of a beam, rad.
    pub divergence: f64,
    /// Samples of a beam's footprint, along each axis.
    pub samples: u32,
    /// Which returns are delivered.
    pub returns: ReturnMode,
    /// Its noise.
    pub noise: LidarNoise,
}
