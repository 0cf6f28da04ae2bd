//! Point clouds as files: PCD of the Point Cloud Library, and LAS 1.4.

use bekker_math::geodesy::{Site, TransverseMercator};
use bekker_math::spatial::{Pose, Vec3};
use bekker_sensor::lidar::{Cloud, Return};

/// Encodes a scan in the sensor's frame as binary PCD 0.7.
///
/// `viewpoint` is the sensor's pose in the world, for viewers that show points there.
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

/// Lengths of the LAS 1.4 header, of a variable-length record's header and of a point of format 6,
/// bytes.
const HEADER: u16 = 375;
const RECORD: u16 = 54;
const POINT: u16 = 30;
/// Resolution of coordinates, m: they are stored as integer multiples of this.
const SCALE: f64 = 1e-4;
/// Bit of the global encoding that point format 6 requires: the reference system is in WKT.
const WKT: u16 = 1 << 4;

/// Returns the reference system of the world frame in WKT 1 (OGC 01-009), as LAS stores it.
///
/// This is a transverse Mercator projection of WGS 84 if the site has one, otherwise a local
/// system. Heights are relative to z = 0 of the frame.
pub(super) fn reference_system(site: Option<&Site>) -> String {
    const NAME: &str = "world frame of bekker";
    const METER: &str = r#"UNIT["metre",1,AUTHORITY["EPSG","9001"]]"#;
    const AXES: &str = r#"AXIS["Easting",EAST],AXIS["Northing",NORTH]"#;
    let Some(TransverseMercator { meridian, scale, origin: [easting, northing] }) =
        site.and_then(Site::transverse_mercator)
    else {
        return format!(r#"LOCAL_CS["{NAME}",LOCAL_DATUM["{NAME}",0],{METER},{AXES}]"#);
    };
    let parameter = |name: &str, value: f64| format!(r#"PARAMETER["{name}",{value}]"#);
    let parameters = [
        parameter("latitude_of_origin", 0.0),
        parameter("central_meridian", meridian.to_degrees()),
        parameter("scale_factor", scale),
        parameter("false_easting", easting),
        parameter("false_northing", northing),
    ];
    let earth = concat!(
        r#"GEOGCS["WGS 84",DATUM["WGS_1984","#,
        r#"SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],"#,
        r#"AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],"#,
        r#"UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]"#,
    );
    format!(
        r#"PROJCS["{NAME}",{earth},PROJECTION["Transverse_Mercator"],{},{METER},{AXES}]"#,
        parameters.join(",")
    )
}

/// Returns a text as a field of fixed length, padded with zeros.
fn field<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0u8; N];
    field[..text.len()].copy_from_slice(text.as_bytes());
    field
}

/// Encodes a scan of a sensor at `pose` in the world frame as LAS 1.4, points of format 6.
///
/// The layout follows ASPRS LAS 1.4 R15. An intensity of 1 is stored as 65 535. The user data holds
/// bekker's class, and ground is also class 2 of ASPRS. The point source is the ring. `time` is the
/// time of the scan, s; `reference` is the [`reference_system`] of the world.
pub(super) fn las(cloud: &Cloud, pose: &Pose, time: f64, reference: &str) -> Vec<u8> {
    let offset = pose.position.map(f64::round);
    let stored = |hit: &Return| -> [i32; 3] {
        let point = pose.point(&Vec3::from(hit.point.map(f64::from)));
        [0, 1, 2].map(|axis| ((point[axis] - offset[axis]) / SCALE).round() as i32)
    };
    let points: Vec<[i32; 3]> = cloud.returns.iter().map(stored).collect();
    let reference = [reference.as_bytes(), b"\0"].concat();
    let mut bytes = header(cloud, &points, &offset, reference.len() as u16);
    // variable-length record of the reference system
    bytes.extend_from_slice(&[0; 2]);
    bytes.extend_from_slice(&field::<16>("LASF_Projection"));
    bytes.extend_from_slice(&2112u16.to_le_bytes());
    bytes.extend_from_slice(&(reference.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&field::<32>("OGC coordinate system WKT"));
    bytes.extend_from_slice(&reference);
    // returns of one pulse are consecutive
    let mut pulses = Vec::with_capacity(points.len());
    for pulse in cloud.returns.chunk_by(|a, b| (a.ring, a.column) == (b.ring, b.column)) {
        let last = pulse.iter().map(|hit| hit.order.min(14) + 1).max().unwrap_or(1);
        pulses.extend(std::iter::repeat_n(last, pulse.len()));
    }
    for ((hit, point), returns) in cloud.returns.iter().zip(&points).zip(pulses) {
        point.iter().for_each(|whole| bytes.extend_from_slice(&whole.to_le_bytes()));
        let intensity = (65_535.0 * hit.intensity.clamp(0.0, 1.0)).round() as u16;
        bytes.extend_from_slice(&intensity.to_le_bytes());
        let number = hit.order.min(14) + 1;
        // return number and number of returns; flags; classification; user data; scan angle
        let ground = if hit.instance == 0 { 2 } else { 1 };
        bytes.extend_from_slice(&[number | returns << 4, 0, ground, hit.class, 0, 0]);
        bytes.extend_from_slice(&hit.ring.to_le_bytes());
        bytes.extend_from_slice(&(time + f64::from(hit.time)).to_le_bytes());
    }
    bytes
}

/// Returns the header of a file; `reference` is the length of the reference system's text, bytes.
fn header(cloud: &Cloud, points: &[[i32; 3]], offset: &Vec3, reference: u16) -> Vec<u8> {
    let mut by_return = [0u64; 15];
    cloud.returns.iter().for_each(|hit| by_return[usize::from(hit.order.min(14))] += 1);
    let mut bytes = Vec::with_capacity(1024 + usize::from(POINT) * points.len());
    bytes.extend_from_slice(b"LASF");
    // source 0; global encoding: GPS week time, WKT; project 0; version 1.4
    bytes.extend_from_slice(&[0; 2]);
    bytes.extend_from_slice(&WKT.to_le_bytes());
    bytes.extend_from_slice(&[0; 16]);
    bytes.extend_from_slice(&[1, 4]);
    bytes.extend_from_slice(&field::<32>("bekker"));
    bytes.extend_from_slice(&field::<32>(concat!("bekker ", env!("CARGO_PKG_VERSION"))));
    // no date: equal runs give equal files
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&HEADER.to_le_bytes());
    bytes.extend_from_slice(&u32::from(HEADER + RECORD + reference).to_le_bytes());
    bytes.extend_from_slice(&1u32.to_le_bytes());
    bytes.push(6);
    bytes.extend_from_slice(&POINT.to_le_bytes());
    // 32-bit counts are for older formats
    bytes.extend_from_slice(&[0; 24]);
    let mut real = |value: f64| bytes.extend_from_slice(&value.to_le_bytes());
    (0..3).for_each(|_| real(SCALE));
    offset.iter().for_each(|&value| real(value));
    for axis in 0..3 {
        // bounds of the points as readers compute them from the stored integers
        let value = |whole: i32| f64::from(whole) * SCALE + offset[axis];
        let along = || points.iter().map(|point| point[axis]);
        real(value(along().max().unwrap_or(0)));
        real(value(along().min().unwrap_or(0)));
    }
    // no waveforms, no extended records
    bytes.extend_from_slice(&[0; 20]);
    bytes.extend_from_slice(&(points.len() as u64).to_le_bytes());
    by_return.iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_math::spatial::Quat;
    use bekker_sensor::lidar::Return;

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

    /// Returns the points, bounds and reference system of a file.
    fn read(bytes: &[u8]) -> (Vec<[f64; 3]>, [[f64; 2]; 3], String) {
        let real = |at: usize| f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let whole = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let short = |at: usize| u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap());
        assert_eq!((&bytes[..4], short(6), short(94)), (&b"LASF"[..], 16, 375));
        let (start, records, format, point) = (whole(96), whole(100), bytes[104], short(105));
        assert_eq!((records, format, point), (1, 6, 30));
        assert_eq!((&bytes[377..392], short(393)), (&b"LASF_Projection"[..], 2112));
        let length = usize::from(short(395));
        assert_eq!(start as usize, 375 + 54 + length);
        let text = &bytes[429..429 + length];
        assert!(text.ends_with(b"\0"));
        let reference = String::from_utf8(text[..length - 1].to_vec()).unwrap();
        let points = bytes[start as usize..].chunks_exact(30).map(|record| {
            let whole = |k: usize| i32::from_le_bytes(record[4 * k..4 * k + 4].try_into().unwrap());
            [0, 1, 2].map(|k| f64::from(whole(k)) * real(131 + 8 * k) + real(155 + 8 * k))
        });
        let bounds = [0, 1, 2].map(|k| [real(187 + 16 * k), real(179 + 16 * k)]);
        (points.collect(), bounds, reference)
    }

    #[test]
    fn las_points_lie_in_the_world() {
        let orientation = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        let pose = Pose { position: Vec3::new(1000.2, 500.0, 3.0), orientation };
        let bytes = las(&cloud(), &pose, 2.0, "LOCAL");
        let start = 375 + 54 + 6;
        assert_eq!(bytes.len(), start + 3 * 30);
        let (points, _, reference) = read(&bytes);
        // 10 m ahead and 1 m to the left of a sensor that faces north
        let expected = [999.2, 510.0, 2.5];
        assert!(points[0].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{points:?}");
        assert_eq!(reference, "LOCAL");
        assert_eq!(bytes[247..255], 3u64.to_le_bytes(), "points");
        assert_eq!(bytes[255..263], 2u64.to_le_bytes(), "first returns");
        assert_eq!(bytes[start + 12..start + 14], 32_768u16.to_le_bytes(), "half the intensity");
        assert_eq!(bytes[start + 30 + 14], 2 | 2 << 4, "the second of two");
        let time = f64::from_le_bytes(bytes[start + 22..start + 30].try_into().unwrap());
        assert!((time - 1.95).abs() < 1e-7, "fired 50 ms before the end");
    }

    #[test]
    fn las_points_are_within_the_bounds() {
        let dice = bekker_math::random::RandomStream::new(5, "clouds");
        for file in 0..40_u64 {
            let number = |n: u64| 2.0 * dice.uniform(1000 * file + n) - 1.0;
            let position = Vec3::new(4e3 * number(0), 4e3 * number(1), 300.0 * number(2));
            let axis = nalgebra::Unit::new_normalize(Vec3::new(number(3), number(4), number(5)));
            let orientation = Quat::from_axis_angle(&axis, 3.0 * number(6));
            let hit = |n: u64| Return {
                point: [0, 1, 2].map(|k| (90.0 * number(10 + 3 * n + k)) as f32),
                ..Return::default()
            };
            let count = [0, 1, 50][file as usize % 3];
            let cloud = Cloud { returns: (0..count).map(hit).collect() };
            let bytes = las(&cloud, &Pose { position, orientation }, 0.0, "");
            let (points, bounds, _) = read(&bytes);
            assert_eq!(points.len(), count as usize);
            for axis in 0..3 {
                let along = || points.iter().map(|point| point[axis]);
                let [low, high] = bounds[axis];
                assert!(along().all(|x| (low..=high).contains(&x)), "{file}: {low} {high}");
                if count > 0 {
                    assert!(along().any(|x| x == low) && along().any(|x| x == high), "{file}");
                }
            }
        }
    }

    #[test]
    fn the_reference_system_is_that_of_the_site() {
        use bekker_math::geodesy::{Geodetic, Site};
        assert!(reference_system(None).starts_with("LOCAL_CS["));
        let site = Site::new(Geodetic::degrees(47.0, 8.0, 500.0));
        assert!(reference_system(Some(&site.rotated(0.1))).starts_with("LOCAL_CS["));
        let text = reference_system(Some(&site));
        let number = |name: &str| -> f64 {
            let (_, rest) = text.split_once(&format!("[\"{name}\",")).unwrap();
            rest.split(']').next().unwrap().parse().unwrap()
        };
        assert!((number("central_meridian") - 8.0).abs() < 1e-12);
        assert_eq!((number("scale_factor"), number("false_easting")), (1.0, 0.0));
        // length of the meridian from the equator to 47 degrees
        assert!((number("false_northing") + 5_207_247.0).abs() < 1.0, "{text}");
    }
}
