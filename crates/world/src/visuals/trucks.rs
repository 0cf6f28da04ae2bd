//! Simple models of trucks from the overall dimensions of their files, in the chassis frame.
//!
//! FMTV and MAN Kat 1 have the cab over the engine; the KrAZ is a tractor with a hood.

use super::{BLACK, DARK, LAMP, OLIVE, RED};
use bekker_sensor::mesh::MeshBuilder;
use bekker_vehicle::spec::VehicleSpec;

/// Dimensions of a truck's cab and bed, m.
struct TruckOutline {
    front: f32,
    rear: f32,
    half: f32,
    /// Back wall of the cab, and front wall of the bed.
    cab_back: f32,
    bed_front: f32,
    /// Heights of the frame rails, the bed's floor and edge, the cab's floor, the window sill, and
    /// the roof.
    rail: f32,
    floor: f32,
    edge: f32,
    cab_floor: f32,
    sill: f32,
    roof: f32,
    /// Horizontal offset of the windshield from its sill to the roof.
    lean: f32,
}

/// FMTV: a medium tactical truck with a short, upright cab.
pub(super) fn fmtv(spec: &VehicleSpec) -> MeshBuilder {
    let [front, rear, half] = ends(spec);
    hull(&TruckOutline {
        front,
        rear,
        half,
        cab_back: front - 1.75,
        bed_front: front - 2.45,
        rail: 0.35,
        floor: 0.62,
        edge: 1.25,
        cab_floor: 0.42,
        sill: 1.35,
        roof: 2.15,
        lean: 0.22,
    })
}

/// MAN Kat 1: a high, angular cab ahead of the first axle.
pub(super) fn man(spec: &VehicleSpec) -> MeshBuilder {
    let [front, rear, half] = ends(spec);
    hull(&TruckOutline {
        front,
        rear,
        half,
        cab_back: front - 2.0,
        bed_front: front - 2.9,
        rail: 0.55,
        floor: 0.86,
        edge: 1.5,
        cab_floor: 0.62,
        sill: 1.6,
        roof: 2.5,
        lean: 0.1,
    })
}

/// KrAZ: a tractor with a hood, and the fifth wheel behind its cab.
pub(super) fn kraz(spec: &VehicleSpec) -> MeshBuilder {
    let [front, rear, half] = ends(spec);
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    for side in [-0.38_f32, 0.38] {
        s.block([0.5 * (front + rear), side, 0.42], [front - rear - 0.2, 0.09, 0.26], DARK);
    }
    s.block([front - 0.08, 0.0, 0.4], [0.16, 2.0 * half - 0.1, 0.3], DARK);
    // Hood and cab.
    let (cab_front, cab_back) = (front - 1.75, front - 3.3);
    let bonnet = [[cab_front, 0.6], [front - 0.15, 0.6], [front - 0.15, 1.35], [cab_front, 1.55]];
    s.prism(&bonnet, [-0.62, 0.62], OLIVE);
    let y = half - 0.1;
    let cab = [[cab_back, 0.6], [cab_front, 0.6], [cab_front, 1.55], [cab_back, 1.55]];
    s.prism(&cab, [-y, y], OLIVE);
    let upper = [[cab_back, 1.55], [cab_front, 1.55], [cab_front - 0.25, 2.3], [cab_back, 2.3]];
    s.prism(&upper, [-y + 0.03, y - 0.03], OLIVE);
    for side in [-1.0_f32, 1.0] {
        let (low, high) = (front - 1.7, front - 0.1);
        let wing = [[low, 0.62], [high, 0.62], [high - 0.1, 0.85], [low + 0.2, 0.95]];
        let across = if side > 0.0 { [0.6, y + 0.05] } else { [-y - 0.05, -0.6] };
        s.prism(&wing, across, OLIVE);
        let window = [0.5 * (cab_back + cab_front) - 0.05, side * (y - 0.02), 1.9];
        s.block(window, [0.9, 0.03, 0.5], BLACK);
        s.block([front - 0.13, 0.8 * side, 0.95], [0.04, 0.24, 0.2], LAMP);
        s.block([cab_back - 0.6, side * 0.85, 0.35], [0.9, 0.5, 0.5], DARK);
        s.block([rear, side * 0.9, 0.5], [0.04, 0.14, 0.1], RED);
        let [near, far] = [0.06, 0.9].map(|share: f32| side * share * (y - 0.1));
        let at = |share: f32| [cab_front - 0.25 * share + 0.01, 1.55 + 0.75 * share];
        let ([x0, z0], [x1, z1]) = (at(0.15), at(0.85));
        let mut pane = [[x0, near, z0], [x0, far, z0], [x1, far, z1], [x1, near, z1]];
        if side < 0.0 {
            pane.reverse();
        }
        s.face(&pane, BLACK);
    }
    // Fifth wheel.
    let [x, _, z] = spec.chassis.rear_coupling.unwrap_or_default().map(|c| c as f32);
    s.block([x, 0.0, z - 0.1], [0.9, 0.9, 0.14], DARK);
    s.block([x, 0.0, z - 0.24], [0.5, 0.9, 0.2], DARK);
    builder
}

/// Front and rear ends, and half the width, m.
fn ends(spec: &VehicleSpec) -> [f32; 3] {
    let own = bekker_vehicle::spec::VehicleFootprint::from_tractor(spec);
    [own.front, own.rear, 0.5 * own.width].map(|x| x as f32)
}

fn hull(o: &TruckOutline) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    // Frame.
    let length = o.front - o.rear - 0.2;
    let middle = 0.5 * (o.front + o.rear);
    for side in [-0.38_f32, 0.38] {
        s.block([middle, side, o.rail], [length, 0.09, 0.24], DARK);
    }
    s.block([o.front - 0.06, 0.0, o.rail + 0.02], [0.12, 2.0 * o.half - 0.1, 0.26], DARK);
    cab(s, o);
    // Spare wheel and filters between cab and bed.
    let gap = [0.5 * (o.cab_back + o.bed_front), 0.0, o.floor + 0.45];
    s.block(gap, [0.6 * (o.cab_back - o.bed_front), 1.5, 0.9], DARK);
    // Bed: floor, boards and their posts.
    let bed = [0.5 * (o.bed_front + o.rear), 0.0, o.floor];
    let bed_length = o.bed_front - o.rear;
    s.block(bed, [bed_length, 2.0 * o.half - 0.06, 0.1], OLIVE);
    let board = 0.5 * (o.floor + o.edge);
    for side in [-1.0_f32, 1.0] {
        let y = side * (o.half - 0.05);
        s.block([bed[0], y, board + 0.04], [bed_length, 0.05, o.edge - o.floor - 0.08], OLIVE);
        for post in 0..5 {
            let x = o.rear + 0.05 + (bed_length - 0.1) * post as f32 / 4.0;
            s.block([x, y + side * 0.03, board], [0.08, 0.04, o.edge - o.floor], DARK);
        }
        s.block([o.rear - 0.02, 0.8 * y, o.rail], [0.04, 0.14, 0.1], RED);
        // Tank and box under the bed.
        s.block([o.bed_front - 0.3, 0.72 * y, o.rail - 0.02], [0.9, 0.45, 0.42], DARK);
    }
    for end in [o.bed_front - 0.03, o.rear + 0.03] {
        s.block([end, 0.0, board], [0.05, 2.0 * o.half - 0.1, o.edge - o.floor], OLIVE);
    }
    builder
}

fn cab(s: &mut MeshBuilder, o: &TruckOutline) {
    let (front, back) = (o.front - 0.05, o.cab_back);
    let y = o.half - 0.06;
    let face = front - o.lean;
    let body = [[back, o.cab_floor], [front, o.cab_floor], [front, o.sill], [back, o.sill]];
    s.prism(&body, [-y, y], OLIVE);
    let upper = [[back, o.sill], [front, o.sill], [face, o.roof], [back, o.roof]];
    s.prism(&upper, [-y + 0.02, y - 0.02], OLIVE);
    // Windshield in two panes, side windows.
    let glass = 0.12;
    let on_face = |share: f32| [front - o.lean * share + 0.006, o.sill + (o.roof - o.sill) * share];
    let ([x0, z0], [x1, z1]) = (on_face(0.15), on_face(0.85));
    for side in [-1.0_f32, 1.0] {
        let (near, far) = (side * 0.05, side * (y - glass));
        let mut pane = [[x0, near, z0], [x0, far, z0], [x1, far, z1], [x1, near, z1]];
        if side < 0.0 {
            pane.reverse();
        }
        s.face(&pane, BLACK);
        let window = [0.45 * (back + face) + 0.1 * front, side * (y - 0.015), 0.5 * (z0 + z1)];
        s.block(window, [0.5 * (face - back), 0.03, z1 - z0], BLACK);
        s.block([front + 0.01, side * (y - 0.25), o.cab_floor + 0.25], [0.04, 0.22, 0.16], LAMP);
        // Mirror and step.
        let arm = [face - 0.05, side * (y + 0.02), o.roof - 0.15];
        s.block([arm[0], side * (y + 0.14), arm[2] - 0.25], [0.06, 0.16, 0.4], DARK);
        s.bar(arm, [arm[0], side * (y + 0.14), arm[2]], 0.015, DARK);
        s.block([back + 0.35, side * y, o.cab_floor - 0.2], [0.5, 0.12, 0.06], DARK);
    }
    // Grille.
    for slot in 0..4 {
        let z = o.cab_floor + 0.2 + 0.12 * slot as f32;
        s.block([front + 0.008, 0.0, z], [0.02, 1.0, 0.06], BLACK);
    }
}
