//! The ground's surface as it is now.

use super::{GroundModel, Overlay, Published};
use crate::grid::Node;

/// Height of the ground at (x, y) after all published deformation, m,
/// bilinear between nodes.
///
/// Plastic sinkage is measured along the initial normal; a node's surface is
/// at z₀ + berm - s_p / n_z.
pub fn surface_height(model: &GroundModel, published: &Published, x: f64, y: f64) -> f64 {
    bilinear(model, x, y, |node| {
        let state = published.node(node);
        let height = model.base_height(node) + state.berm_m();
        if state.plastic_sinkage == 0 {
            return height;
        }
        height - state.plastic_sinkage_m() / model.base(node).normal.z
    })
}

/// Height of the ground at (x, y) as one agent sees it, m: its own overlay
/// where it has one, else what is published, else the undisturbed ground.
pub fn working_surface_height(
    model: &GroundModel,
    published: &Published,
    overlay: &Overlay,
    x: f64,
    y: f64,
) -> f64 {
    bilinear(model, x, y, |node| match overlay.tile(node.tile()) {
        Some(tile) => tile.surface(node.index()),
        None => {
            let [x, y] = model.lattice().position(node);
            surface_height(model, published, x, y)
        }
    })
}

fn bilinear(model: &GroundModel, x: f64, y: f64, height: impl Fn(Node) -> f64) -> f64 {
    let spacing = model.lattice().spacing;
    let (column, row) = ((x / spacing).floor(), (y / spacing).floor());
    let (u, v) = (x / spacing - column, y / spacing - row);
    let node =
        |di, dj| Node { i: (column as i32).saturating_add(di), j: (row as i32).saturating_add(dj) };
    // a corner of no weight is not asked for: on a node this is one look-up
    let weighted = |weight: f64, node| if weight == 0.0 { 0.0 } else { weight * height(node) };
    weighted((1.0 - u) * (1.0 - v), node(0, 0))
        + weighted(u * (1.0 - v), node(1, 0))
        + weighted((1.0 - u) * v, node(0, 1))
        + weighted(u * v, node(1, 1))
}
