//! Filters between measurement and delivery of a reading.
//!
//! Filters are applied in the given order. Each draws from its own random lane, so adding one does
//! not change another's noise.

use super::noise::Noise;
use super::reading::Reading;
use bekker_math::geodesy::{Geodetic, radian_lengths};
use bekker_math::spatial::{Pose, Quat, Vec3};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Random draws of one filter for one frame.
#[derive(Clone, Copy, Debug)]
pub struct FilterNoise {
    noise: Noise,
    frame: u32,
    lane: u32,
}

impl FilterNoise {
    /// First lane of filters; lower lanes belong to the sensor models.
    const FIRST_LANE: u32 = 1 << 16;

    /// Returns the draws of the filter with this index.
    pub fn new(noise: Noise, frame: u32, filter: usize) -> FilterNoise {
        FilterNoise { noise, frame, lane: FilterNoise::FIRST_LANE + filter as u32 }
    }

    /// Returns four standard normal draws for an element (a point, a pixel, an axis).
    pub fn normals(&self, element: u32) -> [f64; 4] {
        self.noise.normals(self.frame, element, self.lane)
    }

    /// Returns four draws uniform in (0, 1) for an element.
    pub fn uniforms(&self, element: u32) -> [f64; 4] {
        self.noise.uniforms(self.frame, element, self.lane)
    }
}

/// Custom filter in Rust; it must be a pure function of the reading and the draws.
pub trait Augment: std::fmt::Debug + Send + Sync {
    /// Changes a reading; false drops it.
    fn augment(&self, reading: &mut Reading, draws: &FilterNoise) -> bool;
}

/// Processing step between measurement and delivery.
#[derive(Clone, Debug)]
pub enum Filter {
    /// Drops whole frames with this probability.
    Lose(f64),
    /// Delivers every n-th frame.
    Every(u64),
    /// Adds normal noise of this standard deviation to every measured value, each in its own unit.
    ///
    /// - IMU: m/s² and rad/s
    /// - fix: m (east, north, up) and m/s
    /// - magnetic field: T
    /// - odometry: m, rad (about its own axes), m/s and rad/s
    /// - lidar: m of range
    /// - image: color
    Noise(f64),
    /// Drops single returns of a scan, or blackens single pixels, with this probability.
    Dropout(f64),
    /// Keeps the returns of a scan within these two ranges, m.
    Range([f64; 2]),
    /// Keeps the first return in each cube of this side, m.
    Voxels(f64),
    /// Replaces colors by their luminance (Rec. 709).
    Gray,
    /// Custom filter in Rust.
    Custom(Arc<dyn Augment>),
}

impl Filter {
    /// Applies the filter to frame number `frame`; false drops the reading.
    pub fn apply(&self, reading: &mut Reading, frame: u64, draws: &FilterNoise) -> bool {
        match self {
            Filter::Lose(probability) => return draws.uniforms(u32::MAX)[0] >= *probability,
            Filter::Every(n) => return frame.is_multiple_of(*n),
            Filter::Noise(sigma) => add_noise(reading, *sigma, draws),
            Filter::Dropout(probability) => drop_out(reading, *probability, draws),
            Filter::Range([near, far]) => {
                if let Reading::Cloud(cloud) = reading {
                    cloud.returns.retain(|hit| (*near..=*far).contains(&range(hit.point)));
                }
            }
            Filter::Voxels(side) => {
                if let Reading::Cloud(cloud) = reading {
                    let cell = |x: f32| (f64::from(x) / side).floor() as i64;
                    let mut taken = BTreeSet::new();
                    cloud.returns.retain(|hit| taken.insert(hit.point.map(cell)));
                }
            }
            Filter::Gray => {
                if let Reading::Image(image) = reading {
                    for color in &mut image.color {
                        let [r, g, b] = *color;
                        *color = [0.2126 * r + 0.7152 * g + 0.0722 * b; 3];
                    }
                }
            }
            Filter::Custom(own) => return own.augment(reading, draws),
        }
        true
    }
}

fn range([x, y, z]: [f32; 3]) -> f64 {
    let [x, y, z] = [x, y, z].map(f64::from);
    (x * x + y * y + z * z).sqrt()
}

fn add_noise(reading: &mut Reading, sigma: f64, draws: &FilterNoise) {
    let shake = |vector: &mut Vec3, element| {
        let [x, y, z, _] = draws.normals(element);
        *vector += sigma * Vec3::new(x, y, z);
    };
    match reading {
        Reading::Imu { specific_force, angular_rate } => {
            shake(specific_force, 0);
            shake(angular_rate, 1);
        }
        Reading::Fix(fix) => {
            displace(&mut fix.place, draws.normals(0).map(|draw| sigma * draw));
            shake(&mut fix.velocity, 1);
        }
        Reading::Field(field) => shake(field, 0),
        Reading::Odometry(odometry) => {
            shake(&mut odometry.pose.position, 0);
            shake(&mut odometry.velocity, 1);
            shake(&mut odometry.angular_velocity, 2);
            turn(&mut odometry.pose, draws.normals(3).map(|draw| sigma * draw));
        }
        Reading::Cloud(cloud) => {
            for (element, hit) in cloud.returns.iter_mut().enumerate() {
                let range = range(hit.point).max(1e-6);
                let longer = 1.0 + sigma * draws.normals(element as u32)[0] / range;
                hit.point = hit.point.map(|x| (f64::from(x) * longer) as f32);
            }
        }
        Reading::Image(image) => {
            for (element, color) in image.color.iter_mut().enumerate() {
                let draw = draws.normals(element as u32);
                color.iter_mut().zip(draw).for_each(|(x, n)| {
                    *x = (f64::from(*x) + sigma * n).clamp(0.0, 1.0) as f32;
                });
            }
        }
        Reading::Ticks(_) | Reading::Ground(_) => {}
    }
}

/// Lower bound for the length of a radian of longitude, m; at a pole that length is zero.
const SHORTEST_RADIAN: f64 = 1.0;

/// Displaces a geodetic position up, east and north, m.
fn displace(place: &mut Geodetic, [up, east, north, _]: [f64; 4]) {
    let [of_longitude, of_latitude] = radian_lengths(place.latitude);
    place.altitude += up;
    place.longitude += east / of_longitude.max(SHORTEST_RADIAN);
    place.latitude += north / of_latitude;
}

/// Rotates a pose about its own axes, rad.
fn turn(pose: &mut Pose, [x, y, z, _]: [f64; 4]) {
    pose.orientation *= Quat::from_scaled_axis(Vec3::new(x, y, z));
}

fn drop_out(reading: &mut Reading, probability: f64, draws: &FilterNoise) {
    let lost = |element: u32| draws.uniforms(element)[0] < probability;
    match reading {
        Reading::Cloud(cloud) => {
            let mut element = 0;
            cloud.returns.retain(|_| {
                element += 1;
                !lost(element - 1)
            });
        }
        Reading::Image(image) => {
            for (element, color) in image.color.iter_mut().enumerate() {
                if lost(element as u32) {
                    *color = [0.0; 3];
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Image;
    use crate::lidar::{Cloud, Return};
    use crate::reading::Odometry;
    use crate::satellite_fix::Fix;

    fn draws(frame: u32) -> FilterNoise {
        FilterNoise::new(Noise::new(1, 2, 3), frame, 0)
    }

    fn cloud(count: usize) -> Reading {
        let hit = |k| Return { point: [0.1 * k as f32, 0.0, 0.0], ..Return::default() };
        Reading::Cloud(Cloud { returns: (0..count).map(hit).collect() })
    }

    fn count(reading: &Reading) -> usize {
        match reading {
            Reading::Cloud(cloud) => cloud.returns.len(),
            _ => 0,
        }
    }

    /// The tolerance is four standard deviations of a binomial of 10 000 trials.
    #[test]
    fn drops_the_configured_share() {
        let lose = Filter::Lose(0.2);
        let kept = (0..10_000u32)
            .filter(|&frame| lose.apply(&mut cloud(0), frame.into(), &draws(frame)))
            .count() as f64;
        assert!((kept - 8000.0).abs() < 4.0 * (1e4f64 * 0.16).sqrt(), "{kept}");
        let mut scan = cloud(10_000);
        assert!(Filter::Dropout(0.2).apply(&mut scan, 1, &draws(1)));
        assert!((count(&scan) as f64 - 8000.0).abs() < 160.0, "{}", count(&scan));
    }

    #[test]
    fn keeps_every_nth_frame_and_the_returns_in_range() {
        let every = Filter::Every(3);
        let kept: Vec<u64> =
            (1..=9).filter(|&frame| every.apply(&mut cloud(0), frame, &draws(0))).collect();
        assert_eq!(kept, [3, 6, 9]);
        let mut scan = cloud(100);
        Filter::Range([1.05, 2.05]).apply(&mut scan, 1, &draws(1));
        assert_eq!(count(&scan), 10);
        let mut scan = cloud(100);
        Filter::Voxels(0.9999).apply(&mut scan, 1, &draws(1));
        assert_eq!(count(&scan), 10);
    }

    /// Noise changes the range along the beam: mean square within 4 √(2/n) of σ².
    #[test]
    fn noise_moves_returns_along_their_beams() {
        let mut scan = cloud(5000);
        Filter::Noise(0.02).apply(&mut scan, 1, &draws(1));
        let Reading::Cloud(cloud) = &scan else { panic!() };
        let errors = cloud.returns.iter().enumerate().skip(1);
        let square = errors.map(|(k, hit)| (f64::from(hit.point[0]) - 0.1 * k as f64).powi(2));
        let variance = square.sum::<f64>() / 4999.0;
        assert!((variance / 4e-4 - 1.0).abs() < 4.0 * (2.0f64 / 5000.0).sqrt(), "{variance}");
        assert!(cloud.returns.iter().all(|hit| hit.point[1] == 0.0));
    }

    /// Asserts that the noise of `found` over many frames has the standard deviation `sigma`,
    /// within 4 / √(2 n).
    fn spreads(sigma: f64, found: impl Fn(u32) -> f64) {
        let count = 4000;
        let square = (0..count).map(|frame| found(frame).powi(2)).sum::<f64>() / f64::from(count);
        let relative = square.sqrt() / sigma - 1.0;
        assert!(relative.abs() < 4.0 / (2.0 * f64::from(count)).sqrt(), "{relative}");
    }

    #[test]
    fn noise_moves_a_fix_to_all_sides() {
        let place = Geodetic::degrees(47.1, 9.6, 480.0);
        let still = Vec3::zeros();
        let moved = |frame: u32| {
            let fix = Fix { valid: true, place, velocity: still, variance: still };
            let mut reading = Reading::Fix(fix);
            Filter::Noise(0.5).apply(&mut reading, frame.into(), &draws(frame));
            let Reading::Fix(fix) = reading else { panic!() };
            fix.place
        };
        let [of_longitude, of_latitude] = radian_lengths(place.latitude);
        spreads(0.5, |frame| (moved(frame).longitude - place.longitude) * of_longitude);
        spreads(0.5, |frame| (moved(frame).latitude - place.latitude) * of_latitude);
        spreads(0.5, |frame| moved(frame).altitude - place.altitude);
    }

    #[test]
    fn noise_turns_an_odometry_about_all_axes() {
        let turned = |frame: u32| {
            let still = Vec3::zeros();
            let pose = Pose::default();
            let mut reading =
                Reading::Odometry(Odometry { pose, velocity: still, angular_velocity: still });
            Filter::Noise(0.01).apply(&mut reading, frame.into(), &draws(frame));
            let Reading::Odometry(odometry) = reading else { panic!() };
            odometry.pose.orientation.scaled_axis()
        };
        (0..3).for_each(|axis| spreads(0.01, |frame| turned(frame)[axis]));
    }

    #[test]
    fn custom_filters_are_applied() {
        #[derive(Debug)]
        struct Invert;
        impl Augment for Invert {
            fn augment(&self, reading: &mut Reading, _: &FilterNoise) -> bool {
                if let Reading::Image(image) = reading {
                    image.color.iter_mut().flatten().for_each(|x| *x = 1.0 - *x);
                }
                true
            }
        }
        let color = vec![[1.0, 0.0, 0.5]];
        let mut image = Reading::Image(Image { width: 1, height: 1, color, ..Image::default() });
        for filter in [Filter::Custom(Arc::new(Invert)), Filter::Gray] {
            assert!(filter.apply(&mut image, 1, &draws(1)));
        }
        let Reading::Image(image) = image else { panic!() };
        let gray = 0.7152 + 0.5 * 0.0722;
        assert!(image.color[0].iter().all(|x| (x - gray).abs() < 1e-6));
    }
}
