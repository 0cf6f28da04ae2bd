//! Clearances, bounds and marks, and incremental updates.

use super::*;
use crate::elevation_map::{MapCell, MapModel, MapTile, index};
use bekker_ground::terrain::{Crs, Raster};
use bekker_math::numeric::hypot;
use proptest::prelude::*;
use std::sync::LazyLock;

const HALF: f64 = 0.785;

fn costs(bounds: Option<[[f64; 2]; 2]>) -> CostMap {
    let area = MapArea::spanning([[-16.0, -16.0], [32.0, 32.0]], 0.5);
    CostMap::new(area, bounds, 0.5, &CostModel::default())
}

fn update(costs: &mut CostMap, map: &ElevationMap, marks: &[CostPenalty]) -> usize {
    costs.apply_changes(map, marks);
    costs.refresh_all(&judged(map))
}

fn judged(map: &ElevationMap) -> CostInputs<'_> {
    static OBSTACLES: LazyLock<ObstacleModel> = LazyLock::new(ObstacleModel::default);
    static COSTS: LazyLock<CostModel> = LazyLock::new(CostModel::default);
    CostInputs { map, obstacles: &OBSTACLES, costs: &COSTS, half_width: HALF }
}

/// Adds level cells to the map as seen; those flagged contain an obstacle of 2 m.
fn see(map: &mut ElevationMap, cells: impl Iterator<Item = ([i32; 2], bool)>) {
    for (place, stands) in cells {
        let mut tile = Box::new([MapCell::EMPTY; TILE_CELLS]);
        let rise = if stands { 2000 } else { 0 };
        tile[index(place)] = MapCell { lowest: 0, range: 0, rise, returns: 3, hole: false };
        map.merge_tile(MapTileKey::containing(place), &Arc::new(MapTile::new(tile)));
    }
}

fn square(side: i32) -> impl Iterator<Item = [i32; 2]> {
    (0..side).flat_map(move |j| (0..side).map(move |i| [i, j]))
}

/// Around a single blocked cell the clearance is the distance to its edge.
///
/// Cells are impassable where the clearance is below half the width of the vehicle plus the margin.
#[test]
fn clearance_is_the_distance_to_obstacles() {
    let mut map = ElevationMap::new(MapModel::default());
    see(&mut map, square(31).map(|cell| (cell, cell == [15, 15])));
    let mut costs = costs(None);
    update(&mut costs, &map, &[]);
    let [cx, cy] = [7.75, 7.75];
    assert_eq!(costs.class([cx, cy]), CellClass::Obstacle);
    for [i, j] in square(31) {
        let [x, y] = [i, j].map(|k| 0.5 * (f64::from(k) + 0.5));
        let away = hypot(x - cx, y - cy);
        let expected = if away < 3.1 { (away - 0.25).max(0.0) } else { 5.1 };
        // clearances are stored in steps of 0.02 m and saturate at 6 cells
        let found = costs.clearance([x, y]);
        let close = (found - expected).abs() < 0.021 || away > 3.0 && found > 2.7;
        assert!(close, "({x}, {y}): {found} for {expected}");
    }
    for coarse in 0..costs.costs().len() {
        let [x, y] = costs.middle(coarse);
        let away = hypot(x - cx, y - cy);
        let cost = costs.costs()[coarse];
        // the nearest fine cell of a coarse cell is up to 0.36 m closer than the coarse cell's
        // center
        if away < HALF + 0.3 + 0.25 - 0.01 {
            assert_eq!(cost, IMPASSABLE, "({x}, {y})");
        } else if away > HALF + 0.3 + 0.25 + 0.36 {
            assert!(cost >= UNIT, "({x}, {y})");
        }
    }
    assert_eq!(costs.cost([1.0, 1.0]), UNIT, "free, level and far from anything");
    assert_eq!(costs.cost([25.0, 25.0]), 120, "unknown");
    assert_eq!(costs.cost([99.0, 0.0]), IMPASSABLE, "out of the area");
}

/// The exact distance is measured to the nearest point of a blocked cell, from any position within
/// a cell.
#[test]
fn distance_is_that_to_the_nearest_point() {
    let standing = [[8, 8], [15, 15], [15, 16], [22, 9], [9, 24]];
    let mut map = ElevationMap::new(MapModel::default());
    see(&mut map, square(31).map(|cell| (cell, standing.contains(&cell))));
    let mut costs = costs(None);
    update(&mut costs, &map, &[]);
    for [i, j] in square(120) {
        let [x, y] = [i, j].map(|k| 2.0 + 0.093 * f64::from(k));
        let away = standing.map(|cell: [i32; 2]| {
            let gap = |at: f64, cell: i32| {
                let low = 0.5 * f64::from(cell);
                (low - at).max(at - low - 0.5).max(0.0)
            };
            hypot(gap(x, cell[0]), gap(y, cell[1]))
        });
        let away = away.into_iter().fold(f64::INFINITY, f64::min);
        let found = costs.distance([x, y], 1.1);
        let rough = away > 1.1 && found > 1.1;
        assert!((found - away).abs() < 1e-9 || rough, "({x}, {y}): {found} for {away}");
    }
}

/// The range of the clearances in meters does not shrink with the cell size.
#[test]
fn small_cells_are_cleared_as_far() {
    let mut map = ElevationMap::new(MapModel { cell: 0.1, ..MapModel::default() });
    see(&mut map, square(60).map(|cell| (cell, cell == [5, 5])));
    let area = MapArea::spanning([[-3.0, -3.0], [9.0, 9.0]], 0.1);
    let mut costs = CostMap::new(area, None, 0.1, &CostModel::default());
    update(&mut costs, &map, &[]);
    for away in [0.5, 1.0, 2.0] {
        let found = costs.clearance([0.55 + away, 0.55]);
        assert!((found - (away - 0.05)).abs() < 0.03, "{found} for {away}");
    }
}

#[test]
fn out_of_bounds_is_impassable() {
    let mut map = ElevationMap::new(MapModel::default());
    see(&mut map, square(31).map(|cell| (cell, false)));
    let mut costs = costs(Some([[-10.0, 0.0], [30.0, 20.0]]));
    update(&mut costs, &map, &[]);
    for (place, passable) in
        [([5.0, 10.0], true), ([5.0, -5.0], false), ([5.0, 0.5], false), ([29.9, 10.0], false)]
    {
        assert_eq!(costs.cost(place) != IMPASSABLE, passable, "{place:?}");
    }
    assert!((costs.clearance([5.25, 1.25]) - 1.25).abs() < 0.03);
}

/// Cells around (6, 6) have no elevation data; they are blocked whether they have been seen or not.
#[test]
fn ground_without_elevation_data_is_impassable() {
    let mut values = vec![1.0; 9 * 9];
    values[4 * 9 + 4] = f64::NAN;
    let (south_west, cell) = ([-10.0, -10.0], [4.0, 4.0]);
    let raster = Raster { columns: 9, rows: 9, south_west, cell, values, crs: Crs::local() };
    let gaps = Gaps::from_raster(&raster).map(Arc::new);
    for seen in [31, 0] {
        let mut map = ElevationMap::new(MapModel::default());
        see(&mut map, square(seen).map(|cell| (cell, false)));
        let mut costs = costs(None).with_gaps(gaps.clone());
        update(&mut costs, &map, &[]);
        for (place, passable) in [([6.5, 6.5], false), ([4.5, 7.5], false), ([12.5, 6.5], true)] {
            assert_eq!(costs.cost(place) != IMPASSABLE, passable, "{seen}: {place:?}");
        }
        assert!((costs.clearance([9.25, 6.25]) - 1.5).abs() < 0.3, "{seen}");
    }
}

#[test]
fn penalties_raise_the_cost_around_them() {
    let mut map = ElevationMap::new(MapModel::default());
    see(&mut map, square(31).map(|cell| (cell, false)));
    let mut costs = costs(None);
    update(&mut costs, &map, &[]);
    let mark = |cost| CostPenalty { place: [7.5, 7.5], radius: 2.5, cost };
    let marks = [mark(3.0), mark(1.0)];
    update(&mut costs, &map, &marks[..1]);
    assert_eq!([costs.cost([7.5, 7.5]), costs.cost([7.5, 11.5])], [400, 100]);
    // of two overlapping marks the more expensive one counts
    assert_eq!(update(&mut costs, &map, &marks), 0, "no tile of the map has changed");
    assert_eq!(costs.cost([7.5, 7.5]), 400);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Costs from incremental updates equal those of one full update, whatever the portions and the
    /// tiles refreshed in between.
    ///
    /// Refreshed tiles are equal immediately, all others after the final refresh.
    #[test]
    fn portions_end_in_the_costs_of_the_whole(
        cells in prop::collection::vec(([-30i32..62, -30i32..62], any::<bool>()), 1..60),
        portion in 1usize..20,
        wanted in prop::collection::vec([-1i32..2, -1i32..2], 0..5),
    ) {
        let mut map = ElevationMap::new(MapModel::default());
        let mut portions = costs(None);
        for cells in cells.chunks(portion) {
            // patches, so that cells have neighbors
            let patch = cells.iter().flat_map(|([i, j], stands)| {
                square(4).map(move |[di, dj]| ([i + di, j + dj], *stands && di == dj))
            });
            see(&mut map, patch);
            portions.apply_changes(&map, &[]);
            let wanted = wanted.iter().map(|[a, b]| MapTileKey { a: *a, b: *b });
            portions.refresh(&judged(&map), wanted.clone());
            let mut whole = costs(None);
            update(&mut whole, &map, &[]);
            for place in wanted.flat_map(|key| {
                square(TILE as i32).map(move |[i, j]| [key.first()[0] + i, key.first()[1] + j])
            }) {
                let place = place.map(|at| 0.5 * (f64::from(at) + 0.5));
                prop_assert_eq!(whole.class(place), portions.class(place));
                prop_assert_eq!(whole.clearance(place), portions.clearance(place));
                prop_assert_eq!(whole.cost(place), portions.cost(place));
            }
        }
        portions.refresh_all(&judged(&map));
        let mut whole = costs(None);
        update(&mut whole, &map, &[]);
        prop_assert_eq!(whole.classes(), portions.classes());
        prop_assert_eq!(&whole.clearances, &portions.clearances);
        prop_assert_eq!(whole.costs(), portions.costs());
    }
}
