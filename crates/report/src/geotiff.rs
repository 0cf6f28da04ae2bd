//! The ruts as a raster: GeoTIFF, float32, deflated.
//!
//! A cell is centered on a node of the soil. It holds the depth below the undisturbed ground, m,
//! negative where soil is heaped. Ground that was never deformed has no data (NaN). North is up. A
//! raster that would exceed a limit is coarsened by an integer factor, which is returned to the
//! caller. A cell then holds the value of largest magnitude among its nodes.
//!
//! Ruts are a few nodes in a large rectangle, so the raster is never in memory as a whole. Strips
//! are filled from the list of nodes and deflated one by one.

use super::{ReportError, file};
use bekker_ground::terrain::{Crs, FramePlacement, geo_keys};
use bekker_math::grid::{Lattice, Node};
use bekker_world::World;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use rayon::prelude::*;
use std::io::{self, Cursor, Write};
use std::path::Path;
use tiff::encoder::TiffEncoder;
use tiff::tags::{CompressionMethod, PhotometricInterpretation, SampleFormat, Tag};
use tiff::{TiffError, TiffResult};

/// Default limit of the number of cells in a raster: 16 384 x 16 384.
///
/// A raster of this size is 1 GiB when read, but a few MiB on disk, because most cells are
/// undisturbed ground.
pub const LARGEST: u64 = 1 << 28;

/// A deformed node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RutNode {
    /// Index of the node.
    pub node: Node,
    /// Depth below the undisturbed ground, m; negative where soil is heaped.
    pub depth: f64,
}

/// Mapping of local meters to coordinates on the earth.
#[derive(Clone, Debug, PartialEq)]
pub struct Georeference {
    /// Local origin in coordinates of `system`.
    pub origin: [f64; 2],
    /// Units of `system` per local meter, along x and y.
    pub units_per_meter: [f64; 2],
    /// Coordinate reference system.
    pub system: Crs,
}

impl Default for Georeference {
    fn default() -> Georeference {
        Georeference { origin: [0.0; 2], units_per_meter: [1.0; 2], system: Crs::local() }
    }
}

impl Georeference {
    /// Returns the georeference of a world's placement; the default is a local system.
    pub fn from_placement(placement: Option<&FramePlacement>) -> Georeference {
        placement.map_or_else(Georeference::default, |placement| Georeference {
            origin: placement.origin,
            units_per_meter: placement.meters_per_unit.map(|meters| 1.0 / meters),
            system: placement.crs.clone(),
        })
    }
}

/// Returns every deformed node of a world, with its depth along the normal of the undisturbed
/// ground.
pub fn rut_nodes(world: &World) -> Vec<RutNode> {
    let (published, ground) = (&world.state().published, &world.model().ground);
    published
        .tiles()
        .flat_map(|(key, tile)| {
            tile.iter().map(move |(index, state)| {
                let node = key.node(index);
                RutNode { node, depth: ground.depth(node, state) }
            })
        })
        .collect()
}

/// Size of a raster that was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RutRaster {
    /// Cells along x.
    pub columns: u32,
    /// Cells along y.
    pub rows: u32,
    /// Side of a cell, m.
    pub cell: f64,
    /// Nodes along the side of a cell: 1 unless the raster was coarsened.
    pub coarsened: u32,
}

/// Writes the nodes, in any order, as a raster of at most `largest` cells.
///
/// Without nodes the raster has no bounds, and no file is written.
pub fn write_ruts(
    path: &Path,
    nodes: &[RutNode],
    lattice: Lattice,
    georeference: &Georeference,
    largest: u64,
) -> Result<Option<RutRaster>, ReportError> {
    let Some(grid) = RutGrid::covering(nodes, largest.max(1)) else { return Ok(None) };
    let cells = grid.cells(nodes);
    let bytes = encode(&grid, &cells, lattice, georeference).map_err(ReportError::encode(path))?;
    file::write(path, &bytes)?;
    let cell = lattice.spacing * grid.factor as f64;
    let (columns, rows) = (grid.columns as u32, grid.rows as u32);
    Ok(Some(RutRaster { columns, rows, cell, coarsened: grid.factor as u32 }))
}

/// Cells of `factor` x `factor` nodes around all nodes.
struct RutGrid {
    factor: i64,
    /// Western column and northern row, counted in cells.
    west: i64,
    north: i64,
    columns: u64,
    rows: u64,
}

/// Row and column from the north-west, and value.
type RasterCell = (u64, u64, f32);

impl RutGrid {
    fn covering(nodes: &[RutNode], largest: u64) -> Option<RutGrid> {
        let first = nodes.first()?.node;
        let (mut low, mut high) = (first, first);
        for RutNode { node, .. } in nodes {
            low = Node { i: low.i.min(node.i), j: low.j.min(node.j) };
            high = Node { i: high.i.max(node.i), j: high.j.max(node.j) };
        }
        let cover = |factor: i64| {
            let cell = |index: i32| i64::from(index).div_euclid(factor);
            RutGrid {
                factor,
                west: cell(low.i),
                north: cell(high.j),
                columns: (cell(high.i) - cell(low.i)) as u64 + 1,
                rows: (cell(high.j) - cell(low.j)) as u64 + 1,
            }
        };
        (1..).map(cover).find(|grid| grid.columns * grid.rows <= largest)
    }

    /// Returns the cells that hold data, row by row from the north-west.
    fn cells(&self, nodes: &[RutNode]) -> Vec<RasterCell> {
        let cell = |rut: &RutNode| {
            let column = i64::from(rut.node.i).div_euclid(self.factor) - self.west;
            let row = self.north - i64::from(rut.node.j).div_euclid(self.factor);
            (row as u64, column as u64, rut.depth as f32)
        };
        let mut cells: Vec<RasterCell> = nodes.iter().map(cell).collect();
        // The value to keep is first among those of a cell.
        cells.sort_unstable_by(|a, b| {
            let magnitude = b.2.abs().total_cmp(&a.2.abs()).then(b.2.total_cmp(&a.2));
            (a.0, a.1).cmp(&(b.0, b.1)).then(magnitude)
        });
        cells.dedup_by_key(|cell| (cell.0, cell.1));
        cells
    }
}

fn encode(
    grid: &RutGrid,
    cells: &[RasterCell],
    lattice: Lattice,
    georeference: &Georeference,
) -> TiffResult<Vec<u8>> {
    // Strips have about 1 MiB before compression.
    let height = ((1 << 18) / grid.columns).clamp(1, grid.rows);
    let tops: Vec<u64> = (0..grid.rows).step_by(height as usize).collect();
    let strip = |top: &u64| deflated_strip(grid, cells, *top, (top + height).min(grid.rows));
    let strips = tops.par_iter().map(strip).collect::<io::Result<Vec<_>>>()?;

    let mut bytes = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut bytes)?;
    // Tags are written one by one: the image encoder does not compress strips written one by one.
    let mut directory = encoder.image_directory()?;
    directory.write_tag(Tag::ImageWidth, dimension(grid.columns)?)?;
    directory.write_tag(Tag::ImageLength, dimension(grid.rows)?)?;
    directory.write_tag(Tag::RowsPerStrip, dimension(height)?)?;
    directory.write_tag(Tag::BitsPerSample, 32_u16)?;
    directory.write_tag(Tag::SamplesPerPixel, 1_u16)?;
    directory.write_tag(Tag::SampleFormat, SampleFormat::IEEEFP.to_u16())?;
    directory.write_tag(Tag::Compression, CompressionMethod::Deflate.to_u16())?;
    let black_is_zero = PhotometricInterpretation::BlackIsZero.to_u16();
    directory.write_tag(Tag::PhotometricInterpretation, black_is_zero)?;
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    for strip in &strips {
        offsets.push(dimension(directory.write_data(&strip[..])?)?);
        lengths.push(dimension(strip.len() as u64)?);
    }
    directory.write_tag(Tag::StripOffsets, &offsets[..])?;
    directory.write_tag(Tag::StripByteCounts, &lengths[..])?;

    let cell = lattice.spacing * grid.factor as f64;
    // Corner of the north-west cell: half a node beyond its outermost node.
    let corner = [
        (grid.west * grid.factor) as f64 * lattice.spacing - 0.5 * lattice.spacing,
        ((grid.north + 1) * grid.factor) as f64 * lattice.spacing - 0.5 * lattice.spacing,
    ];
    let [x, y] =
        [0, 1].map(|k| georeference.origin[k] + corner[k] * georeference.units_per_meter[k]);
    let [across, upward] = [0, 1].map(|k| cell * georeference.units_per_meter[k]);
    directory.write_tag(Tag::ModelPixelScaleTag, &[across, upward, 0.0][..])?;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, x, y, 0.0][..])?;
    directory.write_tag(Tag::GeoKeyDirectoryTag, &geo_keys(&georeference.system)[..])?;
    directory.write_tag(Tag::GdalNodata, "nan")?;
    let description =
        "depth below the undisturbed ground along its normal, m; negative where soil is heaped";
    directory.write_tag(Tag::ImageDescription, description)?;
    directory.finish()?;
    Ok(bytes.into_inner())
}

/// Returns the rows from `top` to just above `bottom`, row by row, deflated.
fn deflated_strip(
    grid: &RutGrid,
    cells: &[RasterCell],
    top: u64,
    bottom: u64,
) -> io::Result<Vec<u8>> {
    let mut bytes = f32::NAN.to_ne_bytes().repeat(((bottom - top) * grid.columns) as usize);
    let begin = cells.partition_point(|cell| cell.0 < top);
    for (row, column, value) in cells[begin..].iter().take_while(|cell| cell.0 < bottom) {
        let at = ((row - top) * grid.columns + column) as usize * size_of::<f32>();
        bytes[at..][..size_of::<f32>()].copy_from_slice(&value.to_ne_bytes());
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&bytes)?;
    encoder.finish()
}

fn dimension(count: u64) -> TiffResult<u32> {
    u32::try_from(count).map_err(|_| TiffError::IntSizeError)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_ground::terrain::Unit;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use tiff::decoder::{Decoder, DecodingResult, Limits};

    const LATTICE: Lattice = Lattice { spacing: 0.02 };

    struct DecodedTiff {
        columns: u32,
        rows: u32,
        scale: Vec<f64>,
        tie: Vec<f64>,
        keys: Vec<u32>,
        no_data: String,
        values: Vec<f32>,
    }

    fn read(path: &Path) -> DecodedTiff {
        let file = std::fs::File::open(path).unwrap();
        let mut decoder = Decoder::new(file).unwrap().with_limits(Limits::unlimited());
        let (columns, rows) = decoder.dimensions().unwrap();
        let DecodingResult::F32(values) = decoder.read_image().unwrap() else { panic!("not f32") };
        DecodedTiff {
            columns,
            rows,
            scale: decoder.get_tag_f64_vec(Tag::ModelPixelScaleTag).unwrap(),
            tie: decoder.get_tag_f64_vec(Tag::ModelTiepointTag).unwrap(),
            keys: decoder.get_tag_u32_vec(Tag::GeoKeyDirectoryTag).unwrap(),
            no_data: decoder.get_tag_ascii_string(Tag::GdalNodata).unwrap(),
            values,
        }
    }

    fn rut(i: i32, j: i32, depth: f64) -> RutNode {
        RutNode { node: Node { i, j }, depth }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_node_is_found_at_its_place(
            nodes in prop::collection::btree_map((-300..300i32, -40..700i32), -0.1..0.3f64, 1..60),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ruts.tif");
            let list: Vec<RutNode> = nodes.iter().map(|((i, j), depth)| rut(*i, *j, *depth)).collect();
            let written = write_ruts(&path, &list, LATTICE, &Georeference::default(), LARGEST);
            let written = written.unwrap().unwrap();
            let raster = read(&path);
            prop_assert_eq!((raster.columns, raster.rows), (written.columns, written.rows));
            prop_assert_eq!(written.coarsened, 1);
            let mut found = BTreeMap::new();
            for (n, value) in raster.values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                let column = (n as u32 % raster.columns) as f64;
                let row = (n as u32 / raster.columns) as f64;
                let x = raster.tie[3] + (column + 0.5) * raster.scale[0];
                let y = raster.tie[4] - (row + 0.5) * raster.scale[1];
                let node = LATTICE.nearest(x, y);
                // The cell is centered on its node, up to rounding.
                let [at_x, at_y] = LATTICE.position(node);
                prop_assert!((x - at_x).abs() < 1e-9 && (y - at_y).abs() < 1e-9);
                found.insert((node.i, node.j), *value);
            }
            let expected: BTreeMap<(i32, i32), f32> =
                nodes.into_iter().map(|(at, depth)| (at, depth as f32)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn too_large_a_raster_is_coarsened_with_a_warning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ruts.tif");
        let nodes = [rut(-1, 0, 0.05), rut(0, 0, 0.01), rut(1, 1, -0.04), rut(99, 99, 0.2)];
        let georeference = Georeference::default();
        let written = write_ruts(&path, &nodes, LATTICE, &georeference, 1000).unwrap().unwrap();
        // 101 x 100 nodes fit 1000 cells first at 4 x 4 nodes per cell: 26 x 25.
        assert_eq!(written, RutRaster { columns: 26, rows: 25, cell: 0.08, coarsened: 4 });
        let raster = read(&path);
        let held: Vec<f32> = raster.values.iter().copied().filter(|v| !v.is_nan()).collect();
        assert_eq!(held, [0.2, 0.05, -0.04]);
        // The west edge: cell -1 begins half a node before node -4.
        assert!((raster.tie[3] + 4.5 * 0.02).abs() < 1e-12);
        assert!((raster.scale[0] - 0.08).abs() < 1e-12);
    }

    #[test]
    fn the_raster_is_at_its_georeference() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ruts.tif");
        let georeference = Georeference {
            origin: [-84.2, 36.5],
            units_per_meter: [1.0 / 89_000.0, 1.0 / 111_000.0],
            system: Crs { unit: Unit::Degree, epsg: Some(4326), ..Crs::local() },
        };
        write_ruts(&path, &[rut(50, 100, 0.1)], LATTICE, &georeference, LARGEST).unwrap();
        let raster = read(&path);
        let center = [raster.tie[3] + 0.5 * raster.scale[0], raster.tie[4] - 0.5 * raster.scale[1]];
        // Node (50, 100) is 1 m east and 2 m north of the origin; 1e-12 degrees are a tenth of a
        // micrometer.
        assert!((center[0] - (-84.2 + 1.0 / 89_000.0)).abs() < 1e-12);
        assert!((center[1] - (36.5 + 2.0 / 111_000.0)).abs() < 1e-12);
        assert_eq!(raster.no_data.trim_end_matches('\0'), "nan");
        assert_eq!(raster.keys[..4], [1, 1, 0, 4]);
        assert!(raster.keys.chunks(4).any(|key| key == [2048, 0, 1, 4326]));
    }

    #[test]
    fn without_ruts_there_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ruts.tif");
        let written = write_ruts(&path, &[], LATTICE, &Georeference::default(), LARGEST);
        assert_eq!(written.unwrap(), None);
        assert!(!path.exists());
    }
}
