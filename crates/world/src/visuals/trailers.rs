//! Meshes of trailers from the boxes of their hulls. The origin of the frame is at the coupling.

use super::{DARK, OLIVE, RED};
use bekker_sensor::mesh::MeshBuilder;
use bekker_vehicle::spec::{HitchKind, HullBox, Trailer};

/// A covered body on a frame, with a drawbar or a coupling plate in front.
pub(super) fn hull(trailer: &Trailer) -> MeshBuilder {
    let mut builder = MeshBuilder::new();
    let s = &mut builder;
    for (index, own) in trailer.chassis.hulls.iter().enumerate() {
        let HullBox { center, size, .. } = own;
        let ([x, y, z], [length, width, height]) =
            (center.map(|c| c as f32), size.map(|c| c as f32));
        let floor = z - 0.5 * height;
        let (front, rear) = (x + 0.5 * length, x - 0.5 * length);
        // Boards below, a cover above.
        let board = 0.45 * height;
        s.block([x, y, floor + 0.5 * board], [length, width, board], OLIVE);
        let (low, top) = (floor + board, floor + height);
        let cover = [[rear, low], [front, low], [front - 0.06, top], [rear + 0.06, top]];
        let half = 0.5 * width - 0.03;
        s.prism(&cover, [y - half, y + half], DARK);
        for side in [-1.0_f32, 1.0] {
            for post in 0..4 {
                let at = rear + 0.05 + (length - 0.1) * post as f32 / 3.0;
                let place = [at, y + 0.5 * side * width, floor + 0.5 * board];
                s.block(place, [0.07, 0.04, board], DARK);
            }
            let lamp = [rear - 0.02, y + 0.4 * side * width, floor + 0.05];
            s.block(lamp, [0.04, 0.14, 0.1], RED);
            s.block([x, y + 0.25 * side * width, floor - 0.09], [length, 0.09, 0.18], DARK);
            if index == 0 && trailer.hitch.kind == HitchKind::Ball {
                let end = [front, y + 0.3 * side * width, floor - 0.06];
                s.bar([0.0, 0.0, 0.0], end, 0.05, DARK);
            }
        }
        if index == 0 && trailer.hitch.kind == HitchKind::FifthWheel {
            // Plate that rests on the fifth wheel, and the support legs behind it.
            s.block([0.0, 0.0, 0.04], [1.2, 0.9, 0.08], DARK);
            for side in [-0.7_f32, 0.7] {
                s.bar([-2.4, side, floor], [-2.4, side, floor - 0.7], 0.06, DARK);
            }
        }
    }
    builder
}
