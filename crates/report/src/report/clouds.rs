//! Point clouds as files: PCD of the Point Cloud Library, and LAS 1.4.

use crate::sensor::lidar::Cloud;
use crate::spatial::{Pose, Vec3};

/// A scan in the sensor's frame as binary PCD 0.7; `viewpoint` is the sensor's pose in
/// the world, for a viewer that wants points there.
pub(super) fn pcd(cloud: &Cloud, viewpoint: &Pose) -> Vec<u8> {
    let (p, q) = (viewpoint.position, viewpoint.orientation);
    let count = cloud.returns.len();
    let header = format!(
        "# .PCD v0.7 - Point Cloud Data file format\n\
         VERSION 0.7\n\
         FIELDS x y z intensity time ring instance class return\n\
         SIZE 4 4 4 4 4 2 2 1 1\n\
         TYPE F F F F F U U U U\n\
         COUNT 1 1 1 1 1 1 1 1 1\n\
         WIDTH {count}\n\
         HEIGHT 1\n\
         VIEWPOINT {} {} {} {} {} {} {}\n\
         POINTS {count}\n\
         DATA binary\n",
        p.x, p.y, p.z, q.w, q.i, q.j, q.k
    );
    let mut bytes = header.into_bytes();
    for hit in &cloud.returns {
        let [x, y, z] = hit.point;
        [x, y, z, hit.intensity, hit.time]
            .iter()
            .for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        bytes.extend_from_slice(&hit.ring.to_le_bytes());
        bytes.extend_from_slice(&hit.instance.to_le_bytes());
        bytes.extend_from_slice(&[hit.class, hit.order]);
    }
    bytes
}

/// Bytes of the LAS 1.4 header and of a point of format 6.
const HEADER: u16 = 375;
const POINT: u16 = 30;
/// What coordinates are whole multiples of, m.
const SCALE: f64 = 1e-4;

/// A scan in the world, as a sensor at `pose` sees it, as LAS 1.4 with points of format
/// 6 (ASPRS LAS 1.4 R15). Intensity 1 is 65 535; our class is the user's byte, ground
/// is also class 2 of the format's own, the ring is the point's source. `time` is that of
/// the scan, s.
pub(super) fn las(cloud: &Cloud, pose: &Pose, time: f64) -> Vec<u8> {
    let world = |point: [f32; 3]| pose.point(&Vec3::from(point.map(f64::from)));
    let points: Vec<Vec3> = cloud.returns.iter().map(|hit| world(hit.point)).collect();
    let offset = pose.position.map(f64::round);
    let (mut low, mut high) = (offset, offset);
    if let Some(first) = points.first() {
        (low, high) = points
            .iter()
            .fold((*first, *first), |(low, high), point| (low.inf(point), high.sup(point)));
    }
    let count = points.len() as u64;
    let mut by_return = [0u64; 15];
    cloud.returns.iter().for_each(|hit| by_return[usize::from(hit.order.min(14))] += 1);

    let mut bytes = Vec::with_capacity(usize::from(HEADER) + usize::from(POINT) * points.len());
    let text = |text: &str| {
        let mut field = [0u8; 32];
        field[..text.len()].copy_from_slice(text.as_bytes());
        field
    };
    bytes.extend_from_slice(b"LASF");
    // source 0; GPS time is week time; no project; version 1.4
    bytes.extend_from_slice(&[0; 20]);
    bytes.extend_from_slice(&[1, 4]);
    bytes.extend_from_slice(&text("bekker"));
    bytes.extend_from_slice(&text(concat!("bekker ", env!("CARGO_PKG_VERSION"))));
    // no date: the same run gives the same file
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&HEADER.to_le_bytes());
    bytes.extend_from_slice(&u32::from(HEADER).to_le_bytes());
    bytes.extend_from_slice(&0u32.to_le_bytes());
    bytes.push(6);
    bytes.extend_from_slice(&POINT.to_le_bytes());
    // counts of 32 bits are for older formats
    bytes.extend_from_slice(&[0; 24]);
    let mut real = |value: f64| bytes.extend_from_slice(&value.to_le_bytes());
    (0..3).for_each(|_| real(SCALE));
    offset.iter().for_each(|&value| real(value));
    for axis in 0..3 {
        real(high[axis]);
        real(low[axis]);
    }
    // no waveforms, no extended records
    bytes.extend_from_slice(&[0; 20]);
    bytes.extend_from_slice(&count.to_le_bytes());
    by_return.iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));

    for (hit, point) in cloud.returns.iter().zip(&points) {
        for axis in 0..3 {
            let whole = ((point[axis] - offset[axis]) / SCALE).round() as i32;
            bytes.extend_from_slice(&whole.to_le_bytes());
        }
        let intensity = (65_535.0 * hit.intensity.clamp(0.0, 1.0)).round() as u16;
        bytes.extend_from_slice(&intensity.to_le_bytes());
        let number = hit.order.min(14) + 1;
        // return number and number of returns; flags; classification; user's byte; angle
        let ground = if hit.instance == 0 { 2 } else { 1 };
        bytes.extend_from_slice(&[number | number << 4, 0, ground, hit.class, 0, 0]);
        bytes.extend_from_slice(&hit.ring.to_le_bytes());
        bytes.extend_from_slice(&(time + f64::from(hit.time)).to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::lidar::Return;
    use crate::spatial::Quat;

    fn cloud() -> Cloud {
        let hit = |x: f32, ring: u16, order: u8| Return {
            point: [x, 1.0, -0.5],
            intensity: 0.5,
            time: -0.05,
            ring,
            order,
            class: 3,
            instance: u16::from(ring > 1),
            ..Return::default()
        };
        Cloud { returns: vec![hit(10.0, 1, 0), hit(20.0, 2, 1), hit(-3.5, 3, 0)] }
    }

    #[test]
    fn pcd_holds_every_return_after_its_header() {
        let bytes = pcd(&cloud(), &Pose::default());
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("\nPOINTS 3\nDATA binary\n"));
        let start = bytes.len() - 3 * 26;
        assert!(bytes[..start].ends_with(b"DATA binary\n"));
        assert_eq!(bytes[start + 26..start + 30], 20f32.to_le_bytes());
        assert_eq!(bytes[start + 46..start + 48], 2u16.to_le_bytes());
    }

    #[test]
    fn las_points_lie_in_the_world() {
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        let pose = Pose { position: Vec3::new(1000.2, 500.0, 3.0), orientation };
        let bytes = las(&cloud(), &pose, 2.0);
        assert_eq!(bytes.len(), 375 + 3 * 30);
        assert_eq!(&bytes[..4], b"LASF");
        let real = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let whole = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        // 10 m ahead and 1 m to the left of a sensor that looks north
        let point = [0, 1, 2].map(|k| real(155 + 8 * k) + SCALE * f64::from(whole(375 + 4 * k)));
        let expected = [999.2, 510.0, 2.5];
        assert!(point.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{point:?}");
        let [max_y, min_y] = [real(195), real(203)];
        assert!((max_y - 520.0).abs() < 1e-6 && (min_y - 496.5).abs() < 1e-6, "{max_y} {min_y}");
        assert_eq!(bytes[247..255], 3u64.to_le_bytes(), "points");
        assert_eq!(bytes[255..263], 2u64.to_le_bytes(), "first returns");
        assert_eq!(bytes[375 + 12..375 + 14], 32_768u16.to_le_bytes(), "half the intensity");
        assert!((real(375 + 22) - 1.95).abs() < 1e-7, "fired 50 ms before the end");
    }
}
