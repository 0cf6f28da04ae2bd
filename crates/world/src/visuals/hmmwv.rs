//! The M1025: a flat four-door body with high ground clearance and a sloping tail.
//!
//! Chassis frame: origin at mid-wheelbase, 0.59 m above the ground.

use super::{BLACK, DARK, LAMP, OLIVE, RED};
use bekker_sensor::material::Material;
use bekker_sensor::mesh::MeshBuilder;

const HALF: f32 = 1.07;

pub(super) fn hull() -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    // Frame and belly between the wheels.
    s.block([0.0, 0.0, -0.02], [4.3, 0.9, 0.26], DARK);
    // Tub between the axles, with a sill that rises towards the wheels.
    let sill =
        [[-1.05, 0.12], [-0.95, -0.08], [0.95, -0.08], [1.08, 0.12], [1.08, 0.56], [-1.05, 0.56]];
    s.prism(&sill, [-HALF, HALF], OLIVE);
    // Body over the rear wheels.
    let rear = [
        [-2.27, 0.34],
        [-2.2, 0.14],
        [-2.1, 0.14],
        [-2.1, 0.42],
        [-1.05, 0.42],
        [-1.05, 0.56],
        [-2.27, 0.56],
    ];
    convex_pair(s, &rear, HALF);
    // Hood, sloping to the front, with its fenders.
    let bonnet = [[1.05, 0.40], [2.12, 0.40], [2.12, 0.47], [1.05, 0.645]];
    s.prism(&bonnet, [-HALF, HALF], OLIVE);
    let nose = [[1.05, 0.1], [2.16, 0.1], [2.16, 0.42], [1.05, 0.42]];
    s.prism(&nose, [-0.62, 0.62], OLIVE);
    let peak_shear = [[1.12, 0.62], [1.95, 0.49], [1.92, 0.53], [1.12, 0.69]];
    s.prism(&peak_shear, [-0.42, 0.42], OLIVE);
    // Front wheel arches: body panels ahead of and behind the wheel.
    for side in [-1.0_f32, 1.0] {
        s.block([2.13, 0.86 * side, 0.30], [0.10, 0.42, 0.26], OLIVE);
        lamp(s, [2.19, 0.82 * side, 0.32]);
        s.block([-2.28, 0.93 * side, 0.36], [0.03, 0.12, 0.09], RED);
        // Mirrors.
        s.bar([0.75, 1.02 * side, 0.62], [0.80, 1.22 * side, 0.78], 0.012, DARK);
        s.block([0.80, 1.24 * side, 0.82], [0.05, 0.14, 0.24], DARK);
    }
    // Grille.
    for slot in 0..7 {
        let y = 0.14 * (slot as f32 - 3.0);
        s.block([2.165, y, 0.27], [0.02, 0.07, 0.24], BLACK);
    }
    // Bumpers and winch.
    s.block([2.24, 0.0, 0.02], [0.10, 1.70, 0.16], DARK);
    s.block([-2.24, 0.0, 0.02], [0.08, 1.90, 0.15], DARK);
    s.bar([2.28, -0.25, 0.06], [2.28, 0.25, 0.06], 0.06, Material::STEEL);
    cab(s);
    // Snorkel and antennae.
    s.bar([0.9, -0.98, 0.6], [0.78, -1.02, 1.25], 0.045, DARK);
    s.bar([-2.1, 0.95, 0.56], [-2.3, 0.95, 2.4], 0.008, BLACK);
    s.bar([-2.1, -0.95, 0.56], [-2.2, -0.95, 1.9], 0.008, BLACK);
    builder
}

/// Upper cab, narrower at the roof, with glass set into its sides.
fn cab(s: &mut MeshBuilder) {
    let (low, high) = (0.55, 1.24);
    let (wide, narrow) = (HALF - 0.01, 0.88);
    let deck = [[-2.25, low], [0.98, low]];
    let roof = [[-1.0, high], [0.42, high]];
    let corner = |[x, z]: [f32; 2], side: f32| [x, side * if z > 1.0 { narrow } else { wide }, z];
    let at = |k: usize, side: f32| match k {
        0 => corner(deck[0], side),
        1 => corner(deck[1], side),
        2 => corner(roof[1], side),
        _ => corner(roof[0], side),
    };
    for side in [-1.0_f32, 1.0] {
        let mut face = [at(0, side), at(1, side), at(2, side), at(3, side)];
        if side > 0.0 {
            face.reverse();
        }
        s.face(&face, OLIVE);
    }
    let across = |a: usize, b: usize| [at(a, -1.0), at(a, 1.0), at(b, 1.0), at(b, -1.0)];
    s.face(&across(1, 2), OLIVE);
    s.face(&across(2, 3), OLIVE);
    s.face(&across(3, 0), OLIVE);
    // A point slightly outside the sloping windshield or side.
    let glass = Material::GLASS;
    let lerp = |a: [f32; 3], b: [f32; 3], t: f32| [0, 1, 2].map(|k| a[k] + t * (b[k] - a[k]));
    let off = |p: [f32; 3], by: [f32; 3]| [0, 1, 2].map(|k| p[k] + by[k]);
    for (from, to) in [(-0.86, -0.05), (0.05, 0.86)] {
        let place = |y: f32, t: f32| {
            let a = [deck[1][0], y * wide, low];
            let b = [roof[1][0], y * narrow, high];
            off(lerp(a, b, t), [0.012, 0.0, 0.010])
        };
        s.face(&[place(from, 0.18), place(to, 0.18), place(to, 0.90), place(from, 0.90)], glass);
    }
    for side in [-1.0_f32, 1.0] {
        // Two doors: windows front and rear.
        for (x0, x1, top0, top1) in [(0.02, 0.80, 0.02, 0.42), (-0.95, -0.10, -0.92, -0.10)] {
            let place = |x: f32, t: f32| {
                let y = wide + t * (narrow - wide) + 0.008;
                [x, side * y, low + t * (high - low)]
            };
            let mut face = [place(x0, 0.22), place(x1, 0.22), place(top1, 0.86), place(top0, 0.86)];
            if side > 0.0 {
                face.reverse();
            }
            s.face(&face, glass);
        }
        // Door seams and handles.
        for x in [-1.0_f32, -0.04, 0.95] {
            s.block([x, side * (HALF + 0.004), 0.24], [0.018, 0.012, 0.62], DARK);
        }
        s.block([0.12, side * (HALF + 0.012), 0.42], [0.12, 0.03, 0.03], BLACK);
        s.block([-0.86, side * (HALF + 0.012), 0.42], [0.12, 0.03, 0.03], BLACK);
    }
    // Hatch ring on the roof.
    s.column([-0.35, 0.0, high], &[[0.0, 0.45], [0.05, 0.45], [0.05, 0.0]], 32, DARK);
}

/// Draws a concave outline as two prisms: below and above the wheel arch.
fn convex_pair(s: &mut MeshBuilder, outline: &[[f32; 2]; 7], half: f32) {
    let [a, b, c, d, e, f, g] = *outline;
    s.prism(&[a, b, c, d, [d[0], g[1]], g], [-half, half], OLIVE);
    s.prism(&[d, e, f, [d[0], g[1]]], [-half, half], OLIVE);
    // Inside the arches the body is narrower.
    s.prism(&[[c[0], 0.0], [e[0], 0.0], [e[0], d[1]], d], [-0.6, 0.6], DARK);
}

fn lamp(s: &mut MeshBuilder, middle: [f32; 3]) {
    s.block(middle, [0.03, 0.24, 0.20], DARK);
    let face: Vec<[f32; 3]> = (0..20)
        .map(|k| {
            let (sine, cosine) =
                bekker_math::numeric::sin_cos(std::f64::consts::TAU * f64::from(k) / 20.0);
            [middle[0] + 0.02, middle[1] + 0.085 * cosine as f32, middle[2] + 0.085 * sine as f32]
        })
        .collect();
    s.face(&face, LAMP);
}
