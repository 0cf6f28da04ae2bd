//! Specification of a lidar.

use serde::{Deserialize, Serialize};

/// Returns of a beam's footprint that are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReturnMode {
    /// The brightest.
    Strongest,
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// One return with the mean range of all.
    Mean,
    /// The brightest and the farthest, where they differ.
    Dual,
}

/// Ray model of a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RayModel {
    /// Rays over the footprint, with the effects of the air.
    #[default]
    Footprint,
    /// One ray along the axis through clear air, without dust, fog or flakes and without partial
    /// hits.
    One,
}

/// Measurement noise of a lidar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LidarNoise {
    /// Standard deviation of ranges, m.
    pub range: f64,
    /// Standard deviation of both angles of a beam, rad.
    pub angle: f64,
    /// Standard deviation of the intensity.
    pub intensity: f64,
    /// Probability that a return is dropped.
    pub dropout: f64,
}

/// Lidar that rotates about its z axis; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LidarSpec {
    /// Elevation of each beam, lowest first, rad.
    pub elevations: Vec<f64>,
    /// Number of columns in a scan.
    pub columns: u32,
    /// First and last azimuth, rad, from x towards y; the first column is fired first.
    pub azimuths: [f64; 2],
    /// Minimum range, m.
    pub min_range: f64,
    /// Maximum range, m.
    pub max_range: f64,
    /// Full divergence angle of a beam, rad.
    pub divergence: f64,
    /// Ray model of a beam.
    pub rays: RayModel,
    /// Samples of a beam's footprint, along each axis.
    pub samples: u32,
    /// Returns that are delivered.
    pub returns: ReturnMode,
    /// Measurement noise.
    pub noise: LidarNoise,
}

impl LidarSpec {
    fn turning(elevations: Vec<f64>, columns: u32, ranges: [f64; 2], noise: LidarNoise) -> Self {
        let [min_range, max_range] = ranges;
        LidarSpec {
            elevations: elevations.into_iter().map(f64::to_radians).collect(),
            columns,
            azimuths: [std::f64::consts::PI, -std::f64::consts::PI],
            min_range,
            max_range,
            divergence: 3e-3,
            rays: RayModel::Footprint,
            samples: 1,
            returns: ReturnMode::Strongest,
            noise,
        }
    }

    /// Returns the specification of a Velodyne VLP-16 (data sheet 63-9229).
    ///
    /// 16 beams from -15 to 15 degrees, 0.2 degrees between columns at 10 Hz, 100 m range, range
    /// accuracy typically 3 cm, divergence 3 mrad.
    pub fn vlp16() -> LidarSpec {
        let noise = LidarNoise { range: 0.01, angle: 5e-4, intensity: 0.01, dropout: 0.0 };
        let elevations = (0..16).map(|beam| -15.0 + 2.0 * f64::from(beam)).collect();
        LidarSpec::turning(elevations, 1800, [0.5, 100.0], noise)
    }

    /// Returns the specification of a Velodyne HDL-32E (data sheet 97-0038).
    ///
    /// 32 beams from -30.67 to 10.67 degrees, about 0.17 degrees between columns at 10 Hz, 100 m
    /// range, range accuracy 2 cm, divergence 2.79 mrad.
    pub fn hdl32e() -> LidarSpec {
        let noise = LidarNoise { range: 0.01, angle: 5e-4, intensity: 0.01, dropout: 0.0 };
        let elevations = (0..32).map(|beam| -30.67 + 4.0 / 3.0 * f64::from(beam)).collect();
        let spec = LidarSpec::turning(elevations, 2170, [0.5, 100.0], noise);
        LidarSpec { divergence: 2.79e-3, ..spec }
    }

    /// Returns the specification of an Ouster OS1-64 (data sheet, revision 6).
    ///
    /// 64 beams over 45 degrees, 1024 columns, 120 m range on 80 % reflectivity, precision 0.7 to 5
    /// cm, divergence 0.18 degrees.
    pub fn os1_64() -> LidarSpec {
        let noise = LidarNoise { range: 0.015, angle: 1.7e-4, intensity: 0.01, dropout: 0.0 };
        let elevations = (0..64).map(|beam| 45.0 * (f64::from(beam) / 63.0 - 0.5)).collect();
        let spec = LidarSpec::turning(elevations, 1024, [0.3, 120.0], noise);
        LidarSpec { divergence: 0.18f64.to_radians(), ..spec }
    }

    /// Returns the specification of an Ouster OS2-64 (data sheet, revision 6).
    ///
    /// 64 beams over 22.5 degrees, 1024 columns, 240 m range on 80 % reflectivity, precision 2.5 to
    /// 8 cm, divergence 0.09 degrees.
    pub fn os2_64() -> LidarSpec {
        let noise = LidarNoise { range: 0.03, angle: 1.7e-4, intensity: 0.01, dropout: 0.0 };
        let elevations = (0..64).map(|beam| 22.5 * (f64::from(beam) / 63.0 - 0.5)).collect();
        let spec = LidarSpec::turning(elevations, 1024, [1.0, 240.0], noise);
        LidarSpec { divergence: 0.09f64.to_radians(), ..spec }
    }
}
