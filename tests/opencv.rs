//! Lenses compared with OpenCV: projections of points, and rays of pixels.

use crate::python;

use bekker::sensor::camera::{Camera, Lens};
use bekker::spatial::Vec3;
use serde_json::{Value as Json, json};
use std::path::Path;

/// Returns points in the camera frame (x along the axis, y left, z up) over the whole image, at
/// distances from 0.5 m to 800 m.
fn points(tangents: [f64; 2]) -> Vec<Vec3> {
    let (across, down) = (41, 31);
    let spread =
        |k: i32, of: i32, reach: f64| reach * (2.0 * f64::from(k) / f64::from(of - 1) - 1.0);
    (0..across * down)
        .map(|k| {
            let depth = 0.5 * f64::from(1 + k % 40) * f64::from(1 + k % 40);
            let aside = spread(k % across, across, tangents[0]);
            let above = spread(k / across, down, tangents[1]);
            Vec3::new(depth, aside * depth, above * depth)
        })
        .collect()
}

/// Returns a lens with points and their projections, and pixels with their rays.
///
/// All are in OpenCV's axes: x right, y down, z along the axis.
fn worked(name: &str, lens: Lens, coefficients: &[f64], field: f64, tangents: [f64; 2]) -> Json {
    let camera = Camera::with_field(1280, 720, lens, field).unwrap();
    let optical = |p: &Vec3| [-p.y, -p.z, p.x];
    let seen: Vec<([f64; 3], [f64; 2])> = points(tangents)
        .iter()
        .map(|point| (optical(point), camera.project(point).expect("before the camera")))
        .collect();
    let pixels =
        (0..32 * 18).map(|k| [f64::from(k % 32) * 40.0 + 20.0, f64::from(k / 32) * 40.0 + 20.0]);
    let rays: Vec<([f64; 2], [f64; 3])> = pixels
        .filter_map(|[u, v]| Some(([u, v], optical(&camera.direction(u, v)?))))
        // OpenCV projects no points to the side of or behind the camera.
        .filter(|(_, ray)| ray[2] > 0.02)
        .collect();
    assert!(rays.len() > 400, "{name}: {} rays", rays.len());
    json!({
        "name": name, "coefficients": coefficients, "focal": camera.focal,
        "middle": camera.middle, "seen": seen, "rays": rays,
    })
}

/// Lenses project as in OpenCV.
///
/// OpenCV has no field-of-view lens; that one is repeated in numpy by the formula of Devernay and
/// Faugeras.
#[test]
fn lenses_project_as_opencv_does() {
    let Some(python) = python::having("import cv2, numpy", "`opencv-python-headless`") else {
        return;
    };
    // Distortions of a machine-vision lens, of an action camera and of a fisheye.
    let brown = [-0.28, 0.09, 6e-4, -4e-4, -0.012];
    let fisheye = [-0.013, 0.021, -0.012, 0.0021];
    let lenses = [
        worked("pinhole", Lens::Pinhole, &[], 1.4, [1.2, 0.8]),
        worked("brown_conrady", Lens::BrownConrady(brown), &brown, 1.2, [0.75, 0.45]),
        worked("kannala_brandt", Lens::KannalaBrandt(fisheye), &fisheye, 2.4, [6.0, 4.0]),
        worked("field_of_view", Lens::FieldOfView(0.95), &[0.95], 2.0, [3.0, 2.0]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lenses.json");
    std::fs::write(&file, serde_json::to_vec(&lenses).unwrap()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencv.py");
    let output = std::process::Command::new(python).arg(script).arg(&file).output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    eprintln!("{told}{errors}");
    assert!(output.status.success(), "{errors}");
    assert_eq!(told.lines().count(), lenses.len(), "one line a lens");
}
