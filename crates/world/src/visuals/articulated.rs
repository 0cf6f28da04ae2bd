//! Meshes of articulated vehicles from the boxes of their hulls, one for each frame.

use super::{BLACK, DARK, LAMP, OLIVE, RED};
use bekker_math::spatial::Vec3;
use bekker_sensor::mesh::MeshBuilder;
use bekker_vehicle::VehicleOutline;

/// Smallest height of a cab's floor above the wheel centers, m.
const CAB_FLOOR: f32 = 0.6;

/// Draws the front frame: boxes, with windows around those that are cabs, and lamps.
pub(super) fn front(outline: &VehicleOutline) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    let tallest = outline.hulls.iter().map(|own| 2.0 * own.shape.half().z).fold(0.0, f64::max);
    for own in &outline.hulls {
        let ([x, y, z], [length, width, height]) = extent(&own.center, &own.shape.half());
        let floor = z - 0.5 * height;
        let is_cab = floor > CAB_FLOOR && f64::from(height) > tallest - 1e-3;
        s.block([x, y, z], [length, width, height], OLIVE);
        if is_cab {
            // windows on all sides of the upper half
            let glass = [x, y, floor + 0.68 * height];
            s.block(glass, [length + 0.02, width - 0.2, 0.4 * height], BLACK);
            s.block(glass, [length - 0.2, width + 0.02, 0.4 * height], BLACK);
        } else {
            for side in [-0.35_f32, 0.35] {
                let lamp = [x + 0.5 * length, y + side * width, z];
                s.block(lamp, [0.04, 0.16, 0.12], LAMP);
            }
        }
    }
    builder
}

/// Draws the rear frame in its own axes, with the origin at the joint.
pub(super) fn rear(outline: &VehicleOutline) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    let widest = outline.hulls.iter().map(|own| 2.0 * own.shape.half().y).fold(0.0, f64::max);
    for own in &outline.hulls {
        let ([x, y, z], [length, width, height]) = extent(&own.center, &own.shape.half());
        if f64::from(width) < widest - 1e-3 || height < 0.5 {
            s.block([x, y, z], [length, width, height], DARK);
            continue;
        }
        // the load space: a floor, and stakes on both sides
        let floor = z - 0.5 * height;
        s.block([x, y, floor + 0.06], [length, width, 0.12], OLIVE);
        for side in [-1.0_f32, 1.0] {
            for stake in 0..4 {
                let along = x - 0.45 * length + 0.9 * length * stake as f32 / 3.0;
                let place = [along, y + 0.48 * side * width, z];
                s.block(place, [0.14, 0.1, height], DARK);
            }
            let lamp = [x - 0.5 * length, y + 0.4 * side * width, floor];
            s.block(lamp, [0.04, 0.16, 0.1], RED);
        }
        let board = [x + 0.5 * length, y, z];
        s.block(board, [0.08, width, height], OLIVE);
    }
    builder
}

fn extent(center: &Vec3, half: &Vec3) -> ([f32; 3], [f32; 3]) {
    (center.map(|c| c as f32).into(), half.map(|h| 2.0 * h as f32).into())
}
