//! Barriers of a map in a scenario: walls along the edges of areas near a route.

use super::cells::Cells;
use bekker_agent::PropKind;
use bekker_ground::terrain::strip;
use bekker_math::numeric::{atan2, hypot, sin_cos};
use bekker_scenario::config::{AreaConfig, Scenery};

/// Longest piece of a wall, m; each piece rests on the ground by itself.
const PIECE: f64 = 5.0;
/// Thickness and height of a wall, m.
const THICKNESS: f64 = 0.2;
const HEIGHT: f64 = 2.0;
/// Smallest length of a block, m.
const LEAST: f64 = 0.05;

/// Returns walls along the edges of an area, in cells that are `near` a route.
pub(super) fn walls(
    area: &AreaConfig,
    cells: &Cells,
    near: impl Fn(usize) -> bool,
) -> Vec<Scenery> {
    let bounds = cells.bounds();
    let edges = edges(area, bounds).into_iter();
    let edges = edges.filter_map(|edge| clipped(edge, bounds));
    let wall = |[from, to]: [[f64; 2]; 2]| {
        let [x, y] = [to[0] - from[0], to[1] - from[1]];
        let length = hypot(x, y);
        let count = (length / PIECE).ceil().max(1.0);
        let middle = |n: usize| {
            let share = (n as f64 + 0.5) / count;
            [from[0] + share * x, from[1] + share * y]
        };
        let stands = |place: &[f64; 2]| cells.cell_at(*place).is_some_and(&near);
        let places: Vec<[f64; 2]> = (0..count as usize).map(middle).filter(stands).collect();
        (!places.is_empty()).then(|| Scenery {
            kind: Some(PropKind::Block),
            size: Some([(length / count).max(LEAST), THICKNESS, HEIGHT]),
            heading_deg: atan2(y, x).to_degrees(),
            places,
            clear: 0.0,
            ..Scenery::default()
        })
    };
    edges.filter_map(wall).collect()
}

/// Returns the edges of an area, each from end to end, m.
///
/// The edge of a half-plane extends as far as `bounds` require.
fn edges(area: &AreaConfig, [west, south, east, north]: [f64; 4]) -> Vec<[[f64; 2]; 2]> {
    let around = |corners: &[[f64; 2]]| {
        let next = corners.iter().cycle().skip(1);
        corners.iter().zip(next).map(|(from, to)| [*from, *to]).collect()
    };
    match area {
        AreaConfig::HalfPlane { through: [x, y], towards_deg } => {
            let (sin, cos) = sin_cos(towards_deg.to_radians());
            let corners = [[west, south], [west, north], [east, south], [east, north]];
            let along = corners.map(|corner| cos * (corner[1] - y) - sin * (corner[0] - x));
            let low = along.into_iter().fold(f64::INFINITY, f64::min);
            let high = along.into_iter().fold(f64::NEG_INFINITY, f64::max);
            vec![[low, high].map(|along| [x - along * sin, y + along * cos])]
        }
        AreaConfig::Rectangle { min: [west, south], max: [east, north] } => {
            around(&[[*west, *south], [*east, *south], [*east, *north], [*west, *north]])
        }
        AreaConfig::Band { from, to, width } => around(&strip(*from, *to, *width)),
        AreaConfig::Polygon { points } => around(points),
    }
}

/// Returns the part of a segment within bounds (Y.-D. Liang and B. Barsky, ACM Trans. Graph. 3,
/// 1984).
fn clipped([from, to]: [[f64; 2]; 2], bounds: [f64; 4]) -> Option<[[f64; 2]; 2]> {
    let mut part = [0.0, 1.0];
    for k in 0..2 {
        let run = to[k] - from[k];
        for (way, room) in [(-run, from[k] - bounds[k]), (run, bounds[k + 2] - from[k])] {
            if way == 0.0 && room < 0.0 {
                return None;
            } else if way < 0.0 {
                part[0] = f64::max(part[0], room / way);
            } else if way > 0.0 {
                part[1] = f64::min(part[1], room / way);
            }
        }
    }
    let at = |share: f64| [0, 1].map(|k| from[k] + share * (to[k] - from[k]));
    (part[0] < part[1]).then(|| part.map(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELLS: Cells = Cells { columns: 10, rows: 10, side: 10.0, north_west: [-50.0, 50.0] };

    fn length(walls: &[Scenery]) -> f64 {
        walls.iter().map(|own| own.places.len() as f64 * own.size.unwrap()[0]).sum()
    }

    /// The whole length of an edge on the map is a wall, and nothing beyond the map.
    #[test]
    fn walls_are_along_all_edges_of_the_map() {
        let half = AreaConfig::HalfPlane { through: [20.0, 900.0], towards_deg: 0.0 };
        let rectangle = AreaConfig::Rectangle { min: [-10.0, -90.0], max: [10.0, 0.0] };
        let band = AreaConfig::Band { from: [-90.0, -30.0], to: [90.0, -30.0], width: 4.0 };
        let pond = AreaConfig::Band { from: [-20.0, 10.0], to: [10.0, 10.0], width: 10.0 };
        let polygon = AreaConfig::Polygon { points: vec![[0.0, 0.0], [30.0, 0.0], [0.0, 40.0]] };
        // the rectangle's southern edge and the band's ends are off the map; a band has flat ends;
        // the triangle has sides of 3, 4 and 5
        let known = [100.0, 120.0, 200.0, 80.0, 120.0];
        for (area, known) in [half, rectangle, band, pond, polygon].into_iter().zip(known) {
            let walls = walls(&area, &CELLS, |_| true);
            // sums of fives and sixes: only rounding errors
            assert!((length(&walls) - known).abs() < 1e-9, "{area:?}: {walls:?}");
        }
    }

    #[test]
    fn distant_walls_are_omitted() {
        let river = AreaConfig::Band { from: [2.0, -90.0], to: [2.0, 90.0], width: 1.0 };
        let near = CELLS.cell_at([5.0, 5.0]).unwrap();
        let walls = walls(&river, &CELLS, |cell| cell == near);
        assert_eq!(walls.len(), 2);
        assert!((length(&walls) - 20.0).abs() < 1e-9, "{walls:?}");
        // one to the north, one to the south
        assert!(walls.iter().all(|own| own.heading_deg.abs() == 90.0), "{walls:?}");
    }
}
