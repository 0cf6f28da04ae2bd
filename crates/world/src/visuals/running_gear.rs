//! Meshes of wheels and shoes from the parameters of the vehicle file.
//!
//! Frame of a wheel: origin at its center, y along the axle. Frame of a shoe: origin midway between
//! the pins, x to the leading pin, z away from the ground.

use super::{BLACK, DARK};
use bekker_math::numeric::sin_cos;
use bekker_sensor::material::Material;
use bekker_sensor::mesh::MeshBuilder;
use bekker_vehicle::spec::{Tire, TrackedSpec, Wheel};
use std::f64::consts::TAU;

/// A tire with tread blocks, and its rim.
pub(super) fn wheel(wheel: &Wheel, tire: &Tire) -> MeshBuilder {
    const SIDES: usize = 48;
    let rubber = Material::RUBBER;
    let outline: Vec<[f32; 2]> =
        tire.rigid.outline.iter().map(|p| [p.half_width as f32, p.radius as f32]).collect();
    let rim = wheel.rim_radius as f32;
    let rim_half = 0.5 * wheel.rim_width as f32;
    let [half, shoulder] = outline.last().copied().unwrap_or([0.1, rim + 0.05]);
    let tread = outline.first().map_or(shoulder, |p| p[1]);
    let mut builder = MeshBuilder::new();
    // Section from bead to bead, at the depth of the grooves between the tread blocks.
    let groove = 0.012;
    let mut section = vec![[-rim_half, rim], [-half, 0.5 * (rim + shoulder)]];
    section.extend(outline.iter().rev().map(|[y, r]| [-y, r - groove]));
    section.extend(outline.iter().map(|[y, r]| [*y, r - groove]));
    section.extend([[half, 0.5 * (rim + shoulder)], [rim_half, rim]]);
    builder.lathe([0.0; 3], &section, SIDES, rubber);
    blocks(&mut builder, half, tread, groove, rubber);
    // The rim, with a dish on either side.
    for side in [-1.0_f32, 1.0] {
        let mut dish =
            vec![[rim_half, rim], [rim_half - 0.02, 0.93 * rim], [0.35 * rim_half, 0.62 * rim]];
        dish.extend([[0.45 * rim_half, 0.3 * rim], [0.7 * rim_half, 0.27 * rim]]);
        dish.push([0.7 * rim_half, 0.0]);
        if side < 0.0 {
            dish = dish.into_iter().rev().map(|[y, r]| [-y, r]).collect();
        }
        builder.lathe([0.0; 3], &dish, 32, DARK);
        for k in 0..8 {
            let (s, c) = sin_cos(TAU * f64::from(k) / 8.0);
            let (x, z) = (0.45 * rim * c as f32, 0.45 * rim * s as f32);
            let y = side * 0.4 * rim_half;
            builder.bar([x, y, z], [x, y + side * 0.02, z], 0.012, Material::STEEL);
        }
    }
    builder
}

/// Two rows of slanted blocks around the tread.
fn blocks(builder: &mut MeshBuilder, half: f32, tread: f32, groove: f32, rubber: Material) {
    let count = 26;
    for (k, side) in (0..count).flat_map(|k| [(k, -1.0_f32), (k, 1.0)]) {
        let shift = if side > 0.0 { 0.5 } else { 0.0 };
        let turn = TAU * (f64::from(k) + shift) / f64::from(count);
        let wide = 0.3 * TAU / f64::from(count);
        let slant = 0.35 * TAU / f64::from(count);
        let corner = |along: f64, y: f32, r: f32| {
            let reach = f64::from(y / half);
            let (s, c) = sin_cos(turn + along * wide + slant * reach);
            [r * s as f32, side * y, r * c as f32]
        };
        // Inner and outer end, bottom and top.
        let ends = [(0.03 * half, tread), (0.98 * half, tread - 0.035)];
        let (low, high) = (groove + 0.004, 0.0);
        let place =
            |end: usize, along: f64, depth: f32| corner(along, ends[end].0, ends[end].1 - depth);
        let faces = [
            [place(0, -1.0, high), place(0, 1.0, high), place(1, 1.0, high), place(1, -1.0, high)],
            [place(1, -1.0, low), place(1, -1.0, high), place(1, 1.0, high), place(1, 1.0, low)],
            [place(0, 1.0, low), place(1, 1.0, low), place(1, 1.0, high), place(0, 1.0, high)],
            [place(1, -1.0, low), place(0, -1.0, low), place(0, -1.0, high), place(1, -1.0, high)],
        ];
        for face in faces {
            let mut face = face;
            if side < 0.0 {
                face.reverse();
            }
            builder.face(&face, rubber);
        }
    }
}

/// Both halves of a road wheel.
pub(super) fn road_wheel(spec: &TrackedSpec) -> MeshBuilder {
    let radius = spec.road_wheel.radius as f32;
    let half = 0.4 * spec.shoe_width() as f32;
    let mut builder = MeshBuilder::new();
    for side in [-1.0_f32, 1.0] {
        let middle = side * 0.62 * half;
        let w = 0.32 * half;
        let rubber = [
            [middle - w, 0.85 * radius],
            [middle - w, radius],
            [middle + w, radius],
            [middle + w, 0.85 * radius],
        ];
        builder.lathe([0.0; 3], &rubber, 40, Material::RUBBER);
        let out = middle + side * 0.9 * w;
        let mut dish = vec![
            [out, 0.86 * radius],
            [out - side * 0.035, 0.72 * radius],
            [out - side * 0.045, 0.4 * radius],
            [out + side * 0.02, 0.3 * radius],
            [out + side * 0.03, 0.0],
        ];
        if side < 0.0 {
            dish.reverse();
        }
        builder.lathe([0.0; 3], &dish, 32, super::OLIVE);
        let mut inner = vec![[middle - side * w, 0.0], [middle - side * w, 0.86 * radius]];
        if side < 0.0 {
            inner.reverse();
        }
        builder.lathe([0.0; 3], &inner, 32, DARK);
    }
    builder.drum([0.0; 3], 0.25 * radius, half, 16, DARK);
    builder
}

/// A sprocket: two toothed rings on a hub.
pub(super) fn sprocket(spec: &TrackedSpec) -> MeshBuilder {
    let radius = spec.pitch_radius() as f32;
    let half = 0.3 * spec.shoe_width() as f32;
    let teeth = spec.sprocket.teeth;
    let mut builder = MeshBuilder::new();
    builder.drum([0.0; 3], 0.6 * radius, 2.0 * half, 24, super::OLIVE);
    for side in [-1.0_f32, 1.0] {
        let y = side * half;
        builder.drum([0.0, y, 0.0], 0.86 * radius, 0.03, 32, DARK);
        for k in 0..teeth {
            let turn = TAU * f64::from(k) / f64::from(teeth);
            let place = |along: f64, r: f32| {
                let (s, c) = sin_cos(turn + along * 0.3 * TAU / f64::from(teeth));
                [r * c as f32, r * s as f32]
            };
            let tooth = [
                place(-1.0, 0.8 * radius),
                place(-0.45, 1.06 * radius),
                place(0.45, 1.06 * radius),
                place(1.0, 0.8 * radius),
            ];
            builder.prism(&tooth, [y - 0.015, y + 0.015], Material::STEEL);
        }
    }
    builder
}

/// An idler.
pub(super) fn idler(spec: &TrackedSpec) -> MeshBuilder {
    let radius = spec.idler.radius as f32;
    let half = 0.35 * spec.shoe_width() as f32;
    let mut builder = MeshBuilder::new();
    for side in [-1.0_f32, 1.0] {
        builder.drum([0.0, 0.6 * side * half, 0.0], radius, 0.5 * half, 32, DARK);
        builder.drum([0.0, 0.9 * side * half, 0.0], 0.3 * radius, 0.1, 16, super::OLIVE);
    }
    builder
}

/// A shoe: its body between the pins, the pads on its underside, and a guide horn.
pub(super) fn shoe(spec: &TrackedSpec) -> MeshBuilder {
    let shoe = &spec.shoe;
    let (pitch, width) = (shoe.pitch as f32, spec.shoe_width() as f32);
    let (top, lowest) = (shoe.top as f32, spec.shoe_depth());
    let mut builder = MeshBuilder::new();
    builder.block([0.0, 0.0, 0.35 * top], [0.86 * pitch, width, 0.9 * top], Material::STEEL);
    for face in &shoe.faces {
        let [x, y, z] = face.center.map(|c| c as f32);
        let (length, width) = (face.length as f32, face.width as f32);
        let pad = face.center[2] < 1e-6 - lowest;
        let material = if pad { BLACK } else { Material::STEEL };
        builder.block([x, y, 0.5 * z], [length, width, -z], material);
    }
    for end in [-1.0_f32, 1.0] {
        let x = 0.46 * end * pitch;
        builder.bar([x, -0.5 * width, 0.0], [x, 0.5 * width, 0.0], 0.022, DARK);
    }
    let horn = [[-0.035, top * 0.8], [0.035, top * 0.8], [0.015, top + 0.06], [-0.015, top + 0.06]];
    builder.prism(&horn, [-0.02, 0.02], Material::STEEL);
    builder
}
