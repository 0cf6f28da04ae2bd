//! Simple models of the Husky, the Warthog and the Mars Exploration Rover from the dimensions of their data
//! sheets, and of other vehicles from the boxes of their hulls.
//!
//! All are in the chassis frame.

use super::{BLACK, DARK, LAMP, OLIVE, RED};
use bekker_sensor::material::Material;
use bekker_sensor::mesh::MeshBuilder;
use bekker_vehicle::VehicleOutline;

/// Yellow plates of Clearpath's robots.
const YELLOW: Material =
    Material { reflectance: 0.5, ..Material::dull([0.6, 0.42, 0.02]).polished(0.5) };

/// Husky A200: black body between the wheels, yellow plates on top, bumpers, a bar for sensors.
/// 0.99 x 0.67 x 0.39 m without the bar; origin at mid-wheelbase, at the height of the wheel centers.
pub(super) fn husky() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    s.block([0.0, 0.0, 0.04], [0.86, 0.38, 0.15], DARK);
    s.block([0.0, 0.0, 0.13], [0.8, 0.44, 0.05], BLACK);
    s.block([0.0, 0.0, 0.205], [0.68, 0.42, 0.012], YELLOW);
    for side in [-1.0_f32, 1.0] {
        s.block([0.0, 0.25 * side, 0.19], [0.76, 0.15, 0.03], YELLOW);
        s.block([0.38, 0.12 * side, 0.11], [0.06, 0.1, 0.05], LAMP);
        s.block([-0.42, 0.15 * side, 0.1], [0.02, 0.06, 0.04], RED);
        for end in [-1.0_f32, 1.0] {
            s.bar([0.4 * end, 0.16 * side, 0.05], [0.48 * end, 0.16 * side, 0.05], 0.015, BLACK);
        }
        s.bar([-0.2, 0.24 * side, 0.2], [-0.2, 0.24 * side, 0.46], 0.014, BLACK);
    }
    s.block([0.48, 0.0, 0.05], [0.03, 0.5, 0.1], BLACK);
    s.block([-0.48, 0.0, 0.05], [0.03, 0.5, 0.1], BLACK);
    s.bar([-0.2, -0.24, 0.46], [-0.2, 0.24, 0.46], 0.014, BLACK);
    builder
}

/// Warthog: a tub between wide wheels, a yellow deck, pods of the running gear on both sides.
/// 1.52 x 1.38 x 0.83 m; origin at mid-wheelbase, at the height of the wheel centers.
pub(super) fn warthog() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    let tub =
        [[-0.55, -0.05], [0.55, -0.05], [0.74, 0.16], [0.74, 0.36], [-0.74, 0.36], [-0.74, 0.16]];
    s.prism(&tub, [-0.34, 0.34], DARK);
    s.block([0.0, 0.0, 0.39], [1.36, 0.66, 0.06], YELLOW);
    s.block([0.0, 0.0, 0.43], [0.9, 0.5, 0.03], BLACK);
    for side in [-1.0_f32, 1.0] {
        s.block([0.0, 0.4 * side, 0.12], [0.9, 0.14, 0.26], BLACK);
        s.block([0.0, 0.55 * side, 0.34], [1.3, 0.3, 0.03], YELLOW);
        s.block([0.75, 0.22 * side, 0.3], [0.02, 0.14, 0.07], LAMP);
        s.block([-0.75, 0.24 * side, 0.3], [0.02, 0.1, 0.06], RED);
    }
    s.bar([-0.6, 0.28, 0.42], [-0.6, 0.28, 0.52], 0.012, BLACK);
    builder
}

/// Mars Exploration Rover: a warm box for the electronics, swept panels of solar cells, a mast with cameras.
/// 1.6 x 2.3 x 1.5 m; origin midway between the front and the rear wheels, at their hubs.
pub(super) fn rover() -> MeshBuilder {
    let gold = Material { reflectance: 0.6, ..Material::dull([0.5, 0.33, 0.1]).polished(0.35) };
    let cells = Material { reflectance: 0.3, ..Material::dull([0.02, 0.03, 0.09]).polished(0.3) };
    let white = Material { reflectance: 0.4, ..Material::dull([0.7, 0.7, 0.68]).polished(0.6) };
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    s.block([0.0, 0.0, 0.33], [0.9, 0.66, 0.32], gold);
    // panels, seen from above: a deck with two wings that point to the rear
    s.block([0.0, 0.0, 0.555], [1.0, 0.8, 0.03], cells);
    s.block([-0.62, 0.0, 0.555], [0.4, 0.55, 0.03], cells);
    for side in [-1.0_f32, 1.0] {
        let wing = [
            [0.35, 0.4 * side, 0.57],
            [-0.5, 0.4 * side, 0.57],
            [-0.7, 1.12 * side, 0.57],
            [-0.25, 1.12 * side, 0.57],
        ];
        let mut below = wing.map(|[x, y, z]| [x, y, z - 0.02]);
        below.reverse();
        let [upper, lower] = [wing, below].map(|mut face| {
            if side < 0.0 {
                face.reverse();
            }
            face
        });
        s.face(&upper, cells);
        s.face(&lower, DARK);
    }
    s.bar([0.42, 0.0, 0.55], [0.42, 0.0, 1.2], 0.035, white);
    s.block([0.42, 0.0, 1.25], [0.14, 0.42, 0.1], white);
    for side in [-1.0_f32, 1.0] {
        s.block([0.495, 0.15 * side, 1.25], [0.02, 0.05, 0.05], BLACK);
    }
    s.bar([-0.2, 0.25, 0.55], [-0.2, 0.25, 0.8], 0.02, white);
    s.column([-0.2, 0.25, 0.8], &[[0.0, 0.0], [0.0, 0.14], [0.03, 0.14], [0.03, 0.0]], 16, white);
    builder
}

/// The boxes of the hulls that collide, for vehicles without a model.
pub(super) fn boxes(outline: &VehicleOutline) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    for own in &outline.hulls {
        let size = own.shape.half().map(|half| 2.0 * half as f32);
        builder.block(own.center.map(|x| x as f32).into(), size.into(), OLIVE);
    }
    builder
}
