//! Firm ground under a wheel, for a handling tyre to run on.

use super::gather::FARTHEST;
use super::underside::Underside;
use crate::grid::{Node, TILE, TileKey};
use crate::ground::{GroundModel, Overlay, Published, working_surface_height};
use crate::soil::SoilKind;
use crate::spatial::{Pose, Vec3};

/// Firm ground under a wheel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirmGround {
    /// Share of the footprint that is firm, above 0 and up to 1. It varies
    /// continuously as the wheel crosses from one ground to the other.
    pub share: f64,
    /// Height of the ground's mean plane under the wheel's centre, m.
    pub height: f64,
    /// Unit normal of that plane, pointing up.
    pub normal: Vec3,
    /// Mean coefficient of friction of the firm nodes.
    pub friction: f64,
}

/// Half the length of the nominal footprint, as part of the radius.
const HALF_LENGTH: f64 = 0.35;

/// The firm part of a wheel's nominal footprint, weighted by a tent along and
/// across it; `None` where all is yielding.
pub(super) fn under_wheel(
    model: &GroundModel,
    published: &Published,
    overlay: &mut Overlay,
    wheel: &Underside,
    pose: &Pose,
) -> Option<FirmGround> {
    if !model.has_firm_soil() {
        return None;
    }
    let lattice = model.lattice();
    let axis = pose.direction(&Vec3::y());
    let level = (axis.x * axis.x + axis.y * axis.y).sqrt();
    let on_lattice = |x: &f64| x.abs() < FARTHEST * lattice.spacing;
    if !pose.position.iter().all(on_lattice) || level < 1e-3 {
        return None;
    }
    let across = [axis.x / level, axis.y / level];
    // the tents reach a spacing beyond, so that some node always has a weight
    let half_length = HALF_LENGTH * wheel.max_radius() + lattice.spacing;
    let half_width = wheel.half_width() + lattice.spacing;
    let centre = [pose.position.x, pose.position.y];
    let reach_x = half_length * across[1].abs() + half_width * across[0].abs();
    let reach_y = half_length * across[0].abs() + half_width * across[1].abs();
    let first = lattice.nearest(centre[0] - reach_x, centre[1] - reach_y);
    let last = lattice.nearest(centre[0] + reach_x, centre[1] + reach_y);
    let (low, high) = (first.tile(), last.tile());
    let (mut total, mut firm, mut friction) = (0.0, 0.0, 0.0);
    let mut any = false;
    for b in low.b..=high.b {
        for a in low.a..=high.a {
            let slot = overlay.fetch(model, published, TileKey { a, b });
            any |= overlay.at(slot).firm_nodes() > 0;
        }
    }
    if !any {
        return None;
    }
    for b in low.b..=high.b {
        for a in low.a..=high.a {
            let key = TileKey { a, b };
            let slot = overlay.fetch(model, published, key);
            let tile = overlay.at(slot);
            let corner: Node = key.node(0);
            let end = |first: i32, last: i32| last.min(first + TILE as i32 - 1);
            for j in corner.j.max(first.j)..=end(corner.j, last.j) {
                for i in corner.i.max(first.i)..=end(corner.i, last.i) {
                    let node = Node { i, j };
                    let [x, y] = lattice.position(node);
                    let (u, v) = (x - centre[0], y - centre[1]);
                    let lateral = across[0] * u + across[1] * v;
                    let forward = across[1] * u - across[0] * v;
                    let weight = (1.0 - lateral.abs() / half_width).max(0.0)
                        * (1.0 - forward.abs() / half_length).max(0.0);
                    total += weight;
                    let soil = tile.soil(node.index());
                    if let SoilKind::Firm { friction: mu } = model.soils()[soil].kind {
                        firm += weight;
                        friction += weight * mu;
                    }
                }
            }
        }
    }
    if firm == 0.0 {
        return None;
    }
    let span = half_length.max(lattice.spacing);
    let height = |dx: f64, dy: f64| {
        working_surface_height(model, published, overlay, centre[0] + dx, centre[1] + dy)
    };
    let (east, west) = (height(span, 0.0), height(-span, 0.0));
    let (north, south) = (height(0.0, span), height(0.0, -span));
    let normal = Vec3::new(west - east, south - north, 2.0 * span).normalize();
    Some(FirmGround {
        share: firm / total,
        // the mean of centre and rim: a least-squares plane through them
        height: (height(0.0, 0.0) + east + west + north + south) / 5.0,
        normal,
        friction: friction / firm,
    })
}
