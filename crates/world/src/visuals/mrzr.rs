//! The MRZR-4: an open tubular frame over a low tub with four seats.
//!
//! Chassis frame: origin at mid-wheelbase, at hub height.

use super::{BLACK, DARK, LAMP, RED, TAN};
use bekker_sensor::mesh::MeshBuilder;

pub(super) fn hull() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    // Skid plate and tub.
    s.block([0.0, 0.0, 0.0], [3.0, 0.62, 0.06], DARK);
    let tub = [[-0.95, 0.0], [0.95, 0.0], [1.0, 0.16], [-1.0, 0.16]];
    s.prism(&tub, [-0.60, 0.60], DARK);
    for side in [-1.0_f32, 1.0] {
        s.block([0.0, 0.66 * side, 0.06], [1.75, 0.12, 0.10], TAN);
    }
    // Nose.
    let bonnet = [[0.95, 0.14], [1.72, 0.18], [1.70, 0.40], [1.0, 0.62]];
    s.prism(&bonnet, [-0.48, 0.48], TAN);
    let wing = [[0.98, 0.42], [1.75, 0.40], [1.74, 0.46], [1.0, 0.56]];
    s.prism(&wing, [-0.74, 0.74], TAN);
    s.block([1.73, 0.0, 0.28], [0.03, 0.5, 0.16], BLACK);
    for side in [-1.0_f32, 1.0] {
        s.block([1.71, 0.40 * side, 0.37], [0.06, 0.22, 0.07], LAMP);
        s.block([-1.76, 0.50 * side, 0.48], [0.03, 0.10, 0.08], RED);
    }
    s.bar([1.80, -0.45, 0.14], [1.80, 0.45, 0.14], 0.025, DARK);
    s.bar([1.80, -0.30, 0.14], [1.74, -0.30, 0.46], 0.02, DARK);
    s.bar([1.80, 0.30, 0.14], [1.74, 0.30, 0.46], 0.02, DARK);
    // Bed.
    let bed = [[-1.76, 0.34], [-0.98, 0.34], [-0.98, 0.44], [-1.76, 0.44]];
    s.prism(&bed, [-0.70, 0.70], TAN);
    for side in [-1.0_f32, 1.0] {
        s.block([-1.37, 0.72 * side, 0.50], [0.78, 0.03, 0.16], TAN);
    }
    s.block([-1.76, 0.0, 0.50], [0.03, 1.40, 0.16], TAN);
    s.block([-1.40, 0.0, 0.22], [0.7, 0.5, 0.22], DARK);
    // Seats, dashboard, steering wheel.
    for (x, y) in [(0.28, 0.32), (0.28, -0.32), (-0.62, 0.32), (-0.62, -0.32)] {
        s.block([x, y, 0.30], [0.46, 0.48, 0.14], BLACK);
        let back = [[x - 0.32, 0.32], [x - 0.20, 0.32], [x - 0.32, 0.92], [x - 0.42, 0.92]];
        s.prism(&back, [y - 0.23, y + 0.23], BLACK);
        s.block([x - 0.39, y, 0.99], [0.09, 0.24, 0.15], BLACK);
    }
    s.block([0.90, 0.0, 0.60], [0.18, 1.15, 0.16], DARK);
    s.bar([0.82, 0.32, 0.66], [0.62, 0.32, 0.74], 0.02, BLACK);
    s.bar([0.62, 0.16, 0.74], [0.62, 0.48, 0.74], 0.018, BLACK);
    cage(s);
    builder
}

/// Roll cage.
fn cage(s: &mut MeshBuilder) {
    const TUBE: f32 = 0.025;
    let top = 1.36;
    let left = |x: f32, z: f32, y: f32| [[x, -y, z], [x, y, z]];
    let sill = left(1.0, 0.18, 0.70);
    let cowl = left(0.98, 0.62, 0.70);
    let front = left(0.42, top, 0.60);
    let middle = left(-0.18, top + 0.02, 0.60);
    let rear = left(-0.98, top - 0.02, 0.60);
    let floor = left(-0.18, 0.10, 0.72);
    let tail = left(-1.02, 0.30, 0.72);
    let bed = left(-1.72, 0.50, 0.68);
    for side in 0..2 {
        let runs = [
            (sill, cowl),
            (cowl, front),
            (front, middle),
            (middle, rear),
            (middle, floor),
            (rear, tail),
            (rear, bed),
            (floor, tail),
        ];
        for (from, to) in runs {
            s.bar(from[side], to[side], TUBE, TAN);
        }
    }
    for pair in [cowl, front, middle, rear] {
        s.bar(pair[0], pair[1], TUBE, TAN);
    }
    s.bar(front[0], middle[1], 0.8 * TUBE, TAN);
    s.bar(middle[0], rear[1], 0.8 * TUBE, TAN);
}
