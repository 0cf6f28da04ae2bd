//! Properties of whole terrains.

use bekker_math::grid::{Lattice, TILE_NODES, TileKey};
use proptest::prelude::*;

use super::*;

const SOIL: SoilId = SoilId(3);

fn raster(columns: usize, rows: usize, f: impl Fn(f64, f64) -> f64) -> Raster {
    let (cell, south_west) = ([10.0, 8.0], [-40.0, 16.0]);
    let values = (0..columns * rows)
        .map(|k| {
            let (column, row) = (k % columns, rows - 1 - k / columns);
            f(south_west[0] + column as f64 * cell[0], south_west[1] + row as f64 * cell[1])
        })
        .collect();
    Raster { columns, rows, south_west, cell, values, crs: Crs::local() }
}

fn terrain(raster: Raster) -> Terrain {
    let surface = Surface::raster(raster).unwrap();
    Terrain::builder(surface, SoilMap::uniform(SOIL)).build().unwrap()
}

fn hilly(x: f64, y: f64) -> f64 {
    let stream = bekker_math::random::RandomStream::new(5, "hills");
    20.0 * stream.uniform((x * 7.0 + y * 1001.0) as i64 as u64)
}

#[test]
fn a_plane_is_restored_up_to_the_edge() {
    let plane = |x: f64, y: f64| 100.0 + 0.05 * x - 0.02 * y;
    for (columns, rows) in [(2, 2), (3, 2), (9, 7)] {
        let terrain = terrain(raster(columns, rows, plane));
        let [west, south, east, north] = terrain.bounds();
        for k in 0..=100 {
            let (s, t) = (f64::from(k) / 100.0, f64::from(k * 37 % 101) / 100.0);
            let (x, y) = (west + s * (east - west), south + t * (north - south));
            // sixteen products of heights near 100 m round to 1e-13
            assert!((terrain.height(x, y) - plane(x, y)).abs() < 1e-12);
            let [gx, gy] = terrain.gradient(x, y);
            assert!((gx - 0.05).abs() < 1e-12 && (gy + 0.02).abs() < 1e-12);
        }
    }
}

#[test]
fn the_surface_passes_through_every_height() {
    let source = raster(9, 7, hilly);
    let terrain = terrain(source.clone());
    for row in 0..7 {
        for column in 0..9 {
            let x = source.south_west[0] + column as f64 * source.cell[0];
            let y = source.south_west[1] + row as f64 * source.cell[1];
            assert!((terrain.height(x, y) - source.value_at(column, row)).abs() < 1e-12);
        }
    }
}

#[test]
fn a_terrain_ends_and_continues_level() {
    let terrain = terrain(raster(9, 7, |x, _| x));
    assert_eq!(terrain.bounds(), [-40.0, 16.0, 40.0, 64.0]);
    assert!(terrain.contains(40.0, 64.0) && !terrain.contains(40.1, 64.0));
    assert_eq!(terrain.height(400.0, 20.0), terrain.height(40.0, 20.0));
    assert_eq!(terrain.gradient(400.0, 20.0), [0.0, 0.0]);
    assert!((terrain.gradient(0.0, 900.0)[0] - 1.0).abs() < 1e-12);
    assert!(!terrain.contains(f64::NAN, 20.0));
}

#[test]
fn a_plane_has_its_grade_and_no_end() {
    let surface = Surface::Plane { elevation: 2.0, slope: [0.3, 0.0] };
    let terrain = Terrain::builder(surface, SoilMap::uniform(SOIL)).build().unwrap();
    assert_eq!(terrain.height(1e6, 5.0), 300_002.0);
    assert!(terrain.contains(-1e9, 1e9));
    let normal = terrain.normal(0.0, 0.0);
    assert!((normal.x / normal.z + 0.3).abs() < 1e-15);
    assert_eq!(Terrain::flat(1.5, SOIL).height(3.0, 4.0), 1.5);
}

/// Terrain with raster, roughness and stamp.
fn rich() -> Terrain {
    let surface = Surface::raster(raster(9, 7, hilly)).unwrap();
    let mud = SoilRegion::HalfPlane { point: [5.0, 0.0], direction: [1.0, 0.0] };
    Terrain::builder(surface, SoilMap::uniform(SOIL).paint(mud, SoilId(1)).unwrap())
        .roughness(Roughness::new(RoughnessClass::D, 4))
        .stamp(Stamp::ditch([0.0, 20.0], [0.0, 60.0], 3.0, 1.0, 1.0))
        .build()
        .unwrap()
}

#[test]
fn many_heights_have_the_bits_of_each() {
    let terrain = rich();
    let lattice = Lattice { spacing: 0.02 };
    let key = TileKey { a: 15, b: 120 };
    let places: Vec<[f64; 2]> =
        (0..TILE_NODES).map(|index| lattice.position(key.node(index))).collect();
    let mut heights = [0.0; TILE_NODES];
    terrain.heights(&places, &mut heights);
    for ([x, y], height) in places.into_iter().zip(heights) {
        assert_eq!(height.to_bits(), terrain.height(x, y).to_bits());
    }
    assert_eq!((terrain.soil(4.0, 30.0), terrain.soil(6.0, 30.0)), (SOIL, SoilId(1)));
}

#[test]
fn a_square_kilometer_holds_no_more_than_its_raster() {
    // 2.5e9 nodes at 2 cm; the terrain holds only the shared raster and a few hundred bytes
    let side = 101;
    let mut source = raster(side, side, hilly);
    source.cell = [10.0, 10.0];
    let surface = Surface::raster(source).unwrap();
    let Surface::Raster(shared) = surface.clone() else { unreachable!() };
    let terrain = Terrain::builder(surface, SoilMap::uniform(SOIL))
        .roughness(Roughness::new(RoughnessClass::C, 1))
        .build()
        .unwrap();
    let [west, south, east, north] = terrain.bounds();
    assert_eq!((east - west, north - south), (1000.0, 1000.0));
    let Surface::Raster(held) = &terrain.model.surface else { unreachable!() };
    assert!(Arc::ptr_eq(held, &shared));
    assert_eq!(held.values.len(), side * side);
    assert!(size_of::<TerrainModel>() < 1024);
    let copy = terrain.clone();
    assert!(Arc::ptr_eq(&copy.model, &terrain.model));
}

#[test]
fn terrains_cross_threads() {
    fn crosses<T: Send + Sync + Clone>() {}
    crosses::<Terrain>();
}

#[test]
fn wrong_values_are_reported() {
    let gap = raster(3, 3, |x, y| if x == -30.0 && y == 24.0 { f64::NAN } else { 1.0 });
    assert!(matches!(Surface::raster(gap), Err(TerrainError::NoData { missing: 1, .. })));
    let mut degrees = raster(3, 3, hilly);
    degrees.crs.unit = Unit::Degree;
    assert!(matches!(Surface::raster(degrees), Err(TerrainError::NotMeters(_))));
    let far =
        Terrain::builder(Surface::raster(raster(3, 3, hilly)).unwrap(), SoilMap::uniform(SOIL))
            .bounds([500.0, 500.0, 600.0, 600.0]);
    assert!(matches!(far.build(), Err(TerrainError::EmptyBox { .. })));
    assert_eq!(RasterFormat::detect(b"\x7fELF\0"), Err(TerrainError::UnknownFormat));
    assert_eq!(RasterFormat::detect(b""), Err(TerrainError::UnknownFormat));
}

#[test]
fn foreign_grids_are_read() {
    let folder = std::path::Path::new("/work/shared/reference/terrains");
    let grids = [("kootenai-river-1m.asc", 50, 37), ("landslide-slope-10m.asc", 80, 122)];
    for (name, columns, rows) in grids {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            eprintln!("NOT RUN: {name} is not in {}", folder.display());
            continue;
        };
        let (raster, warnings) = read_raster(&bytes, None).unwrap();
        assert_eq!((raster.columns, raster.rows), (columns, rows));
        assert_eq!(warnings, []);
        let raster = raster.without_gaps(NoData::Interpolate).unwrap();
        let (local, _) = raster.localized(Origin::Center).unwrap();
        let [low, high] = local.range().unwrap();
        let height = terrain(local).height(0.0, 0.0);
        assert!(height > low && height < high);
    }
}

#[test]
fn any_bytes_are_answered_without_a_panic() {
    proptest!(ProptestConfig::with_cases(256), |(bytes in proptest::collection::vec(any::<u8>(), 0..200))| {
        for magic in [&b"II*\0"[..], b"\x89PNG\r\n\x1a\n", b"ncols 3\nnrows 2\n", b""] {
            let mut file = magic.to_vec();
            file.extend(&bytes);
            let scale = PngScale { heights: [0.0, 1.0], cell: 1.0, south_west: [0.0; 2] };
            let _ = read_raster(&file, Some(&scale));
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Continuity of height and slope, and bounds of the interpolation.
    #[test]
    fn the_ground_is_smooth_and_bounded(x in -45.0..45.0f64, y in 10.0..70.0f64) {
        let terrain = rich();
        let h = 1e-5;
        let fx = (terrain.height(x + h, y) - terrain.height(x - h, y)) / (2.0 * h);
        let fy = (terrain.height(x, y + h) - terrain.height(x, y - h)) / (2.0 * h);
        let [gx, gy] = terrain.gradient(x, y);
        let [west, south, east, north] = terrain.bounds();
        let at_edge = [west, east].iter().any(|e| (x - e).abs() <= h)
            || [south, north].iter().any(|e| (y - e).abs() <= h);
        // curvature: 8 1/m of the ditch, 10 1/m of the shortest roughness
        prop_assert!(at_edge || ((gx - fx).abs() < 4e-4 && (gy - fy).abs() < 4e-4));
        // Heights are 0..20 m. Weights of both signs sum to at most 1.25 in absolute value along
        // each axis (1.5 where the edge is extrapolated). So the surface exceeds the range by at
        // most (1.5² - 1)/2 of it.
        let surface = terrain.model.surface.height(x, y);
        prop_assert!((-12.5..=32.5).contains(&surface));
    }
}

/// The shipped DEM around the start of the corridor of the convoy examples.
fn jacksboro() -> Terrain {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../terrains/jacksboro_fault.tif");
    let (raster, warnings) = read_raster(&std::fs::read(path).unwrap(), None).unwrap();
    assert!(warnings.is_empty());
    assert_eq!((raster.columns, raster.rows), (403, 344));
    assert_eq!(raster.range(), Some([236.0, 1076.0]));
    assert_eq!((raster.crs.unit, raster.crs.epsg), (Unit::Degree, Some(4326)));
    // outer edges from the data set's description: 84.41375 W and 36.44625 N
    assert!((raster.south_west[0] - raster.cell[0] / 2.0 + 84.41375).abs() < 1e-9);
    assert!((raster.south_west[1] - raster.cell[1] / 2.0 - 36.44625).abs() < 1e-9);
    let (local, _) = raster.localized(Origin::At([-84.1901, 36.6206])).unwrap();
    terrain(local.cropped([-1000.0, -1000.0, 1000.0, 1000.0]).unwrap())
}

#[test]
fn the_shipped_dem_has_a_corridor_to_drive() {
    let terrain = jacksboro();
    let heading = 30.0_f64.to_radians();
    let (c, s) = (bekker_math::numeric::cos(heading), bekker_math::numeric::sin(heading));
    let mut steepest = 0.0_f64;
    for along in (-80..=450).step_by(5) {
        for aside in (-12..=12).step_by(4) {
            let (t, d) = (f64::from(along), f64::from(aside));
            let [gx, gy] = terrain.gradient(c * t - s * d, s * t + c * d);
            steepest = steepest.max((gx * gx + gy * gy).sqrt());
        }
    }
    assert!(steepest < 0.1, "{steepest}");
    // down into a valley whose floor is 10 m below either end
    for (t, expected) in [(10.0, 339.29), (100.0, 334.57), (220.0, 329.43), (430.0, 338.68)] {
        // the heights in terrains/README.md, which are rounded to centimeters
        assert!((terrain.height(c * t, s * t) - expected).abs() < 0.006);
    }
}
