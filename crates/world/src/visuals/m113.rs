//! The M113: a welded box on tracks with a sloped glacis.
//!
//! Chassis frame: origin at the sprockets' axle, 0.58 m above the ground.

use super::{BLACK, DARK, LAMP, OLIVE, RED};
use bekker_sensor::material::Material;
use bekker_sensor::mesh::MeshBuilder;

const WIDE: f32 = 1.27;
const ROOF: f32 = 1.27;

pub(super) fn hull() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    // Lower hull between the tracks.
    let lower =
        [[-4.12, -0.10], [-3.95, -0.24], [0.10, -0.24], [0.46, 0.10], [0.46, 0.36], [-4.12, 0.36]];
    s.prism(&lower, [-0.86, 0.86], DARK);
    // Upper hull over the tracks, glacis in front.
    let upper = [[-4.18, 0.36], [0.58, 0.36], [0.62, 0.46], [-0.42, ROOF], [-4.12, ROOF]];
    s.prism(&upper, [-WIDE, WIDE], OLIVE);
    // Trim vane on the glacis.
    let slope = |x: f32| 0.46 + (0.62 - x) * (ROOF - 0.46) / (0.62 + 0.42);
    let plate = |from: f32, to: f32, out: f32| {
        [
            [from, slope(from)],
            [from + out, slope(from) + out],
            [to + out, slope(to) + out],
            [to, slope(to)],
        ]
    };
    s.prism(&plate(0.55, 0.05, 0.035), [-1.15, 1.15], OLIVE);
    for y in [-0.8_f32, -0.27, 0.27, 0.8] {
        s.prism(&plate(0.54, 0.06, 0.05), [y - 0.03, y + 0.03], DARK);
    }
    // Head lamps with their guards.
    for side in [-1.0_f32, 1.0] {
        let y = 0.98 * side;
        s.block([0.02, y, slope(-0.05) + 0.10], [0.16, 0.34, 0.05], DARK);
        for k in [-1.0_f32, 1.0] {
            s.block([0.06, y + 0.09 * k, slope(-0.05) + 0.01], [0.10, 0.13, 0.13], LAMP);
        }
        s.bar([0.16, y - 0.17, slope(0.16)], [0.16, y - 0.17, slope(0.0) + 0.12], 0.014, DARK);
        s.bar([0.16, y + 0.17, slope(0.16)], [0.16, y + 0.17, slope(0.0) + 0.12], 0.014, DARK);
        // Mudguard over the sprocket, shroud over the track.
        s.block([0.54, 1.08 * side, 0.34], [0.24, 0.38, 0.03], OLIVE);
        s.block([-1.9, side * (WIDE + 0.006), 0.30], [4.3, 0.012, 0.16], DARK);
        // Stowage on the side.
        s.block([-3.2, side * (WIDE + 0.03), 0.85], [0.55, 0.06, 0.22], OLIVE);
        s.block([-1.5, side * (WIDE + 0.012), 1.0], [1.1, 0.024, 0.05], DARK);
        s.block([-4.20, 1.08 * side, 0.62], [0.05, 0.16, 0.10], RED);
    }
    // Ramp with its door.
    s.block([-4.19, 0.0, 0.72], [0.06, 1.70, 1.0], OLIVE);
    s.block([-4.23, 0.30, 0.74], [0.03, 0.66, 0.8], DARK);
    // Roof: commander's cupola with its machine gun, driver's hatch, engine grilles.
    s.column(
        [-1.75, 0.0, ROOF],
        &[[0.0, 0.46], [0.16, 0.44], [0.20, 0.38], [0.23, 0.0]],
        32,
        OLIVE,
    );
    for k in 0..6 {
        let turn = std::f64::consts::TAU * f64::from(k) / 6.0;
        let (sine, cosine) = bekker_math::numeric::sin_cos(turn);
        let [x, y] = [-1.75 + 0.44 * cosine as f32, 0.44 * sine as f32];
        s.block([x, y, ROOF + 0.10], [0.10, 0.10, 0.07], Material::GLASS);
    }
    s.bar([-1.35, 0.0, ROOF + 0.20], [-1.35, 0.0, ROOF + 0.42], 0.03, DARK);
    s.block([-1.45, 0.0, ROOF + 0.45], [0.62, 0.10, 0.13], BLACK);
    s.bar([-1.2, 0.0, ROOF + 0.47], [-0.15, 0.0, ROOF + 0.47], 0.018, BLACK);
    for side in [-1.0_f32, 1.0] {
        s.block([-1.42, 0.38 * side, ROOF + 0.40], [0.04, 0.34, 0.42], OLIVE);
    }
    s.column([-0.85, 0.62, ROOF], &[[0.0, 0.34], [0.06, 0.33], [0.09, 0.0]], 28, OLIVE);
    for bar in 0..9 {
        let x = -0.60 - 0.085 * bar as f32;
        s.block([x, -0.45, ROOF + 0.012], [0.04, 0.95, 0.03], BLACK);
    }
    s.bar([-1.25, -1.0, ROOF], [-1.25, -1.0, ROOF + 0.22], 0.07, DARK);
    // Cargo hatch.
    s.block([-3.05, 0.0, ROOF + 0.02], [1.30, 1.20, 0.05], OLIVE);
    s.block([-3.05, 0.0, ROOF + 0.05], [0.06, 1.10, 0.03], DARK);
    // Antennae.
    s.bar([-4.0, 1.1, ROOF], [-4.25, 1.1, ROOF + 2.3], 0.009, BLACK);
    s.bar([-2.3, -1.1, ROOF], [-2.4, -1.1, ROOF + 1.9], 0.009, BLACK);
    builder
}
