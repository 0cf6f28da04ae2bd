//! What can be wrong with a terrain.

use super::reference::HeightUnit;

/// Why a terrain, or a raster for one, was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
    /// A line of an ESRI ASCII grid cannot be read.
    #[error("ascii grid, line {line}: {field} is '{value}'; allowed: {allowed}")]
    AsciiField {
        /// Line, counted from 1.
        line: usize,
        /// Header key, or `height`.
        field: String,
        /// The text found.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// A header of an ESRI ASCII grid lacks a key.
    #[error("ascii grid: the header has no '{0}'")]
    AsciiMissing(&'static str),
    /// An ESRI ASCII grid holds too few or too many heights.
    #[error(
        "ascii grid: {found} heights; allowed: ncols x nrows = {columns} x {rows} = {expected}"
    )]
    AsciiCount {
        /// Heights found.
        found: usize,
        /// Heights that the header announces.
        expected: usize,
        /// Columns announced.
        columns: usize,
        /// Rows announced.
        rows: usize,
    },
    /// A TIFF cannot be decoded or lacks its georeference.
    #[error("geotiff: {0}")]
    GeoTiff(String),
    /// A TIFF tag holds something that cannot be used.
    #[error("geotiff: {tag} is {value}; allowed: {allowed}")]
    GeoTiffTag {
        /// Name of the tag or geo-key.
        tag: &'static str,
        /// What it holds.
        value: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// A tile or strip of a TIFF cannot be decoded.
    #[error("geotiff: {chunk} {index} at byte {offset}: {cause}")]
    GeoTiffChunk {
        /// `tile` or `strip`.
        chunk: &'static str,
        /// Which, counted from 0.
        index: usize,
        /// Where the file says it begins, bytes.
        offset: u64,
        /// Why not.
        cause: String,
    },
    /// A PNG cannot be decoded.
    #[error("png: {0}")]
    Png(String),
    /// A PNG is not a picture of heights.
    #[error("png: colour type is {0}; allowed: grayscale, of 16 (or 8) bits")]
    PngColour(String),
    /// The bytes are of no known raster format.
    #[error("unknown raster format; allowed: GeoTIFF, ESRI ASCII grid, PNG")]
    UnknownFormat,
    /// A raster is too small, or its values do not fill it.
    #[error(
        "raster of {columns} x {rows} cells with {values} values; allowed: at least 2 x 2, one value each"
    )]
    RasterSize {
        /// Columns.
        columns: usize,
        /// Rows.
        rows: usize,
        /// Values given.
        values: usize,
    },
    /// A raster has cells without data.
    #[error(
        "{missing} of {total} cells hold no data, the first in row {row} (0 is north), column {column}; crop the raster or ask for them to be filled"
    )]
    NoData {
        /// Cells without data.
        missing: usize,
        /// Cells in all.
        total: usize,
        /// Row of the first.
        row: usize,
        /// Column of the first.
        column: usize,
    },
    /// Nothing to fill the missing cells from.
    #[error("no cell of the raster holds data")]
    Empty,
    /// A raster in degrees is used where metres are needed.
    #[error("the raster's coordinates are in {0}, not in metres; place it at a local origin first")]
    NotMetres(String),
    /// A raster of soil classes holds a class that the table does not list.
    #[error(
        "soil class {class} in row {row} (0 is north), column {column} is not in the table; allowed: {allowed}"
    )]
    UnknownClass {
        /// The class found.
        class: f64,
        /// Row of the first such cell.
        row: usize,
        /// Column of the first such cell.
        column: usize,
        /// Classes of the table.
        allowed: String,
    },
    /// A reference system that is not known.
    #[error(
        "EPSG {0} is not known; allowed: a zone of UTM (32611, 26911, 25832 ...) or degrees (4326)"
    )]
    UnknownReference(u16),
    /// A file says otherwise.
    #[error("the {what} is {given}, but the file says {file}; leave it out")]
    Contradicted {
        /// What.
        what: &'static str,
        /// What the file says.
        file: String,
        /// What was given.
        given: String,
    },
    /// A figure is outside its range.
    #[error("{field} is {value}; allowed: {allowed}")]
    OutOfRange {
        /// What the figure is, with its unit.
        field: &'static str,
        /// The figure given.
        value: f64,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// Metres of Web Mercator, which are longer than those on the ground.
    #[error(
        "EPSG {0} is Web Mercator, whose metres are 1/cos(latitude) times those on the ground; warp it to a \
         zone of UTM, as by gdalwarp -t_srs EPSG:326ZZ"
    )]
    Mercator(u16),
    /// Values that have to be scaled before they are heights.
    #[error(
        "its values are to be multiplied by {scale} and {offset} added (GDAL's metadata); write them out so, as \
         by gdal_translate -unscale -ot Float32"
    )]
    Scaled {
        /// What they are multiplied with.
        scale: f64,
        /// What is added then.
        offset: f64,
    },
    /// A raster in other coordinates than the ground that it is laid over.
    #[error("is in {own}, the elevation model in {ground}; warp it to that, as by gdalwarp -t_srs")]
    OtherReference {
        /// Its reference system.
        own: String,
        /// That of the ground.
        ground: String,
    },
    /// A raster that lies beside the ground.
    #[error(
        "covers {own:?} m (x_min, y_min, x_max, y_max of the local frame), nothing of the ground, {ground:?}"
    )]
    Beside {
        /// What it covers, m.
        own: [f64; 4],
        /// What the ground covers, m.
        ground: [f64; 4],
    },
    /// A box is empty or upside down.
    #[error("{field} [{}, {}, {}, {}] (x_min, y_min, x_max, y_max) is empty", bounds[0], bounds[1], bounds[2], bounds[3])]
    EmptyBox {
        /// What the box is for.
        field: &'static str,
        /// The box given, m.
        bounds: [f64; 4],
    },
    /// A header that announces more than the file can hold.
    #[error(
        "{format}: the header announces {columns} x {rows} cells, more than {bytes} bytes can hold"
    )]
    Overstated {
        /// The format.
        format: &'static str,
        /// Columns announced.
        columns: usize,
        /// Rows announced.
        rows: usize,
        /// Length of the file.
        bytes: u64,
    },
    /// A polygon has too few corners.
    #[error("polygon of {0} corners; allowed: at least 3")]
    Polygon(usize),
}

/// What a reader should know of a raster that was accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterWarning {
    /// Heights of 8 bits: the ground comes in steps that wheels feel.
    #[error("heights of 8 bits come in steps of {step} m; use 16 bits or floating point")]
    StairSteps {
        /// Height of one step, m.
        step: f64,
    },
    /// The file does not say in what its coordinates are measured.
    #[error("coordinates look like degrees (cell of {cell}); taken as degrees")]
    DegreesGuessed {
        /// Cell size in the file's coordinates.
        cell: f64,
    },
    /// The file does not say in what its coordinates are measured.
    #[error("no coordinate unit in the file; taken as metres")]
    MetresGuessed,
    /// The file names a projected system that is not known, and no unit.
    #[error(
        "EPSG {0} is not known here and the file names no unit: coordinates are taken as metres"
    )]
    UnitUnknown(u16),
    /// Heights were not in metres.
    #[error("heights are in {0} and are turned into metres")]
    HeightsConverted(HeightUnit),
    /// Heights that are what others mark gaps by, in a file that names no such value.
    #[error(
        "{count} cells are at {value} m, by which gaps are often marked, but the file names no \
         value for gaps: taken as heights; `gdal_edit -a_nodata {value}` names it"
    )]
    GapsGuessed {
        /// How many cells.
        count: usize,
        /// The height, m.
        value: f64,
    },
    /// The file carries further bands or images, which are not read.
    #[error("only the first of {0} images is read")]
    FurtherImages(usize),
}

impl RasterWarning {
    /// Whether it doubts what the EPSG code of the coordinates, where one is given, settles.
    pub fn is_settled_by(&self, epsg: Option<u16>) -> bool {
        let guessed =
            matches!(self, RasterWarning::MetresGuessed | RasterWarning::DegreesGuessed { .. });
        guessed && epsg.is_some()
    }
}

pub(crate) fn finite(
    field: &'static str,
    value: f64,
    allowed: &'static str,
    test: impl Fn(f64) -> bool,
) -> Result<(), TerrainError> {
    if value.is_finite() && test(value) {
        Ok(())
    } else {
        Err(TerrainError::OutOfRange { field, value, allowed })
    }
}

/// Largest ratio of a raster's length in memory to the file's: what Deflate reaches on one
/// value repeated. LZW comes near it in strips of the usual length.
const DENSEST: u64 = 1100;
/// Length in memory that no file is too short for, bytes.
const SMALL: u64 = 16 << 20;

/// Refuses a header whose cells, of so many bits each, no file of this length can hold,
/// before memory is asked for them.
pub(crate) fn overstated(
    format: &'static str,
    [columns, rows]: [usize; 2],
    bits: usize,
    bytes: u64,
) -> Result<(), TerrainError> {
    let length = columns.saturating_mul(rows).saturating_mul(bits) / 8;
    if length as u64 <= bytes.saturating_mul(DENSEST).max(SMALL) {
        return Ok(());
    }
    Err(TerrainError::Overstated { format, columns, rows, bytes })
}
