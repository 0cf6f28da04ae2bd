//! Simple models of the FED-Alpha, the Gator and the Marder from the overall dimensions of their
//! files.
//!
//! All are in the chassis frame.

use super::{BLACK, DARK, LAMP, OLIVE, RED, TAN};
use bekker_sensor::material::Material;
use bekker_sensor::mesh::MeshBuilder;

/// FED-Alpha: short hood, four doors between the axles, sloping tail, flat armor plates.
///
/// Origin at mid-wheelbase, at the height of the wheel centers.
pub(super) fn fed_alpha() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    s.block([0.0, 0.0, 0.0], [4.4, 0.9, 0.26], DARK);
    let tub = [[-1.0, 0.1], [-0.85, -0.1], [0.85, -0.1], [1.0, 0.1], [1.0, 0.8], [-1.0, 0.8]];
    s.prism(&tub, [-1.1, 1.1], TAN);
    let nose = [[1.0, 0.5], [2.35, 0.5], [2.38, 0.72], [1.0, 0.95]];
    s.prism(&nose, [-1.05, 1.05], TAN);
    s.block([2.2, 0.0, 0.32], [0.3, 1.3, 0.45], TAN);
    let tail = [[-2.5, 0.5], [-1.0, 0.5], [-1.0, 0.95], [-2.5, 0.85]];
    s.prism(&tail, [-1.08, 1.08], TAN);
    let cabin = [[-1.9, 0.85], [1.05, 0.85], [0.55, 1.5], [-1.45, 1.54]];
    s.prism(&cabin, [-0.98, 0.98], TAN);
    for side in [-1.0_f32, 1.0] {
        for [x, length] in [[0.1, 0.7], [-0.85, 0.8]] {
            s.block([x, 0.985 * side, 1.17], [length, 0.03, 0.36], BLACK);
        }
        s.block([2.37, 0.75 * side, 0.6], [0.04, 0.24, 0.14], LAMP);
        s.block([-2.51, 0.9 * side, 0.7], [0.03, 0.14, 0.1], RED);
        s.block([0.75, 1.15 * side, 1.05], [0.06, 0.16, 0.26], DARK);
    }
    let mut screen = [[1.0, -0.85, 0.93], [1.0, 0.85, 0.93], [0.6, 0.8, 1.45], [0.6, -0.8, 1.45]];
    for point in &mut screen {
        point[0] += 0.02;
    }
    s.face(&screen, BLACK);
    s.block([2.38, 0.0, 0.1], [0.14, 1.9, 0.2], DARK);
    s.block([-2.5, 0.0, 0.1], [0.12, 1.9, 0.2], DARK);
    builder
}

/// Gator: flat nose, two seats under a bar, cargo box at the rear. Origin at mid-wheelbase.
pub(super) fn gator() -> MeshBuilder {
    let green = Material { reflectance: 0.4, ..Material::dull([0.05, 0.17, 0.04]).polished(0.5) };
    let yellow = Material { reflectance: 0.5, ..Material::dull([0.6, 0.45, 0.03]).polished(0.5) };
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    s.block([0.1, 0.0, 0.0], [2.2, 0.75, 0.12], DARK);
    s.block([0.1, 0.0, 0.08], [0.9, 1.3, 0.06], BLACK);
    let nose = [[0.55, 0.2], [1.24, 0.2], [1.2, 0.45], [0.75, 0.62], [0.55, 0.62]];
    s.prism(&nose, [-0.62, 0.62], green);
    for side in [-1.0_f32, 1.0] {
        s.block([1.22, 0.42 * side, 0.38], [0.04, 0.2, 0.1], LAMP);
        s.block([-0.05, 0.32 * side, 0.4], [0.45, 0.5, 0.16], yellow);
        s.block([-0.27, 0.32 * side, 0.68], [0.12, 0.5, 0.45], yellow);
        s.bar([-0.4, 0.66 * side, 0.1], [-0.4, 0.6 * side, 1.45], 0.025, DARK);
        s.bar([0.62, 0.6 * side, 0.6], [0.35, 0.6 * side, 1.45], 0.025, DARK);
        s.bar([-0.4, 0.6 * side, 1.45], [0.35, 0.6 * side, 1.45], 0.025, DARK);
    }
    s.bar([-0.4, -0.6, 1.45], [-0.4, 0.6, 1.45], 0.025, DARK);
    s.bar([0.35, -0.6, 1.45], [0.35, 0.6, 1.45], 0.025, DARK);
    s.bar([0.6, 0.3, 0.6], [0.35, 0.3, 0.75], 0.02, DARK);
    // Cargo box.
    s.block([-0.95, 0.0, 0.4], [1.1, 1.45, 0.06], green);
    for side in [-1.0_f32, 1.0] {
        s.block([-0.95, 0.71 * side, 0.56], [1.1, 0.04, 0.3], green);
    }
    s.block([-1.49, 0.0, 0.56], [0.04, 1.45, 0.3], green);
    s.block([-0.41, 0.0, 0.56], [0.04, 1.45, 0.3], green);
    builder
}

/// Marder: hull with a long sloping front and a small turret with a 20 mm gun.
///
/// Origin at the sprockets.
pub(super) fn marder() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    let lower = [[-5.66, -0.36], [0.04, -0.36], [1.1, 0.3], [0.9, 0.48], [-5.97, 0.48]];
    s.prism(&lower, [-1.02, 1.02], OLIVE);
    let upper = [[-5.97, 0.47], [1.1, 0.47], [-1.37, 1.06], [-6.1, 1.06]];
    s.prism(&upper, [-1.45, 1.45], OLIVE);
    for side in [-1.0_f32, 1.0] {
        s.block([-2.4, 1.4 * side, 0.4], [6.7, 0.44, 0.05], OLIVE);
        s.block([-2.6, 1.6 * side, 0.22], [5.8, 0.03, 0.36], OLIVE);
        s.block([0.75, 1.1 * side, 0.58], [0.1, 0.22, 0.16], LAMP);
        s.block([-6.05, 1.2 * side, 0.75], [0.06, 0.14, 0.1], RED);
    }
    // Turret, gun above it, and sights.
    let turret = [[-4.0, 1.05], [-2.3, 1.05], [-2.6, 1.62], [-3.8, 1.62]];
    s.prism(&turret, [-0.75, 0.75], OLIVE);
    s.block([-2.75, 0.0, 1.78], [0.7, 0.3, 0.28], DARK);
    s.bar([-2.5, 0.0, 1.8], [-0.6, 0.0, 1.84], 0.035, DARK);
    s.block([-3.1, 0.5, 1.72], [0.3, 0.3, 0.2], DARK);
    s.bar([-3.7, -0.5, 1.6], [-3.8, -0.5, 3.2], 0.01, BLACK);
    // Driver's hatch and exhaust.
    s.block([-1.2, 0.55, 1.08], [0.6, 0.6, 0.08], DARK);
    s.block([-1.6, -1.0, 1.1], [0.9, 0.5, 0.1], DARK);
    builder
}
