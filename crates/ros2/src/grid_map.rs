//! The ground around a vehicle as a `grid_map`.

use super::message::{GridMap, Header, MultiArray, MultiArrayDimension};
use bekker_math::spatial::Vec3;
use bekker_world::World;

/// Side of a map, m, and side of its cells, m.
const SIDE: f64 = 16.0;
const CELL: f64 = 0.1;

/// Returns the height and the rut depth of the ground around a position.
///
/// Cell edges are multiples of the cell side. Cells beyond the terrain, or without elevation data,
/// are NaN.
pub(super) fn grid_map(world: &World, header: Header, around: &Vec3) -> GridMap {
    let cells = (SIDE / CELL).round() as usize;
    let corner = [around.x, around.y].map(|at| ((at - 0.5 * SIDE) / CELL).floor() * CELL);
    let terrain = world.model().ground.terrain();
    let layer = |value: &dyn Fn(f64, f64) -> f64| {
        let at = |cell: usize| {
            let [column, row] = [cell % cells, cell / cells].map(|count| count as f64 + 0.5);
            let [x, y] = [corner[0] + column * CELL, corner[1] + row * CELL];
            let known = terrain.contains(x, y) && !terrain.is_gap(x, y);
            if known { value(x, y) as f32 } else { f32::NAN }
        };
        // a grid map starts at its greatest x and y; its columns run along x
        matrix(cells, (0..cells * cells).rev().map(at).collect())
    };
    let [x, y] = corner.map(|at| at + 0.5 * SIDE);
    GridMap {
        header,
        resolution: CELL,
        length_x: SIDE,
        length_y: SIDE,
        position: [x, y, 0.0],
        orientation: [0.0, 0.0, 0.0, 1.0],
        layers: vec!["elevation".into(), "rut_depth".into()],
        basic_layers: vec!["elevation".into()],
        data: vec![layer(&|x, y| world.height(x, y)), layer(&|x, y| world.rut_depth(x, y))],
        outer_start_index: 0,
        inner_start_index: 0,
    }
}

/// Returns a square matrix in column-major order.
fn matrix(cells: usize, data: Vec<f32>) -> MultiArray {
    let dimension = |label: &str, size: usize, stride: usize| MultiArrayDimension {
        label: label.into(),
        size: size as u32,
        stride: stride as u32,
    };
    MultiArray {
        dim: vec![
            dimension("column_index", cells, cells * cells),
            dimension("row_index", cells, cells),
        ],
        data_offset: 0,
        data,
    }
}
