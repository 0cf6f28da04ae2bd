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
    /// A compression that is not decoded.
    #[error(
        "geotiff: Compression is {code} ({name}); allowed: none, LZW, Deflate and PackBits; convert it, as by \
         gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif"
    )]
    GeoTiffCompression {
        /// Value of the tag.
        code: u16,
        /// Its name.
        name: &'static str,
    },
    /// A raster whose rows do not run east.
    #[error(
        "{0} turns or shears the raster, or mirrors it east to west; allowed: rows that run east; warp it, as by \
         gdalwarp -t_srs EPSG:326ZZ IN.tif OUT.tif (ZZ: the zone of UTM)"
    )]
    Rotated(&'static str),
    /// A unit of heights that is not known.
    #[error(
        "the unit of heights is {found}; allowed: {allowed}; convert the heights, or name their unit, as by \
         gdal_edit.py -units m"
    )]
    HeightUnit {
        /// The unit found.
        found: String,
        /// The units that are known.
        allowed: &'static str,
    },
    /// A text of a reference system that cannot be read.
    #[error(
        "the reference system '{0}' cannot be read; allowed: WKT of a projected, a geographic (degrees) or a \
         local system"
    )]
    ReferenceText(String),
    /// A unit of longitudes and latitudes that is not known.
    #[error(
        "the unit of longitudes and latitudes is {0}; allowed: degree, grad, radian, arc-minute, arc-second; \
         warp the raster, as by gdalwarp -t_srs EPSG:4326"
    )]
    AngleUnit(String),
    /// A sidecar file that cannot be read.
    #[error("{file}: {cause}")]
    Sidecar {
        /// Which file.
        file: &'static str,
        /// Why not.
        cause: String,
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
    /// Coordinates in another unit than metres.
    #[error("coordinates are in units of {0} m and are turned into metres")]
    UnitConverted(f64),
    /// Longitudes and latitudes that are not in degrees from Greenwich.
    #[error(
        "longitudes and latitudes are in units of {degrees} degrees from a meridian {meridian} degrees east of \
         Greenwich, and are turned into degrees from Greenwich; an `origin` is given in these"
    )]
    AnglesConverted {
        /// One unit, degrees.
        degrees: f64,
        /// Longitude of the prime meridian, degrees east of Greenwich.
        meridian: f64,
    },
    /// Lengths of coordinates that are not those on the ground, and are corrected.
    #[error(
        "{system}: 1 m of its coordinates is {:.4} m east and {:.4} m north on the ground at the middle \
         of the raster; corrected by that everywhere",
        metres[0], metres[1]
    )]
    LengthsCorrected {
        /// The reference system.
        system: String,
        /// Length on the ground of a metre of easting and of one of northing, m.
        metres: [f64; 2],
    },
    /// A projection that is not known.
    #[error(
        "{system} is a projection that is not known here ({method}): 1 unit of its coordinates is taken for \
         {length} m on the ground, east and north; warp it to a zone of UTM if it is not, as by \
         gdalwarp -t_srs EPSG:326ZZ"
    )]
    LengthsAssumed {
        /// The reference system.
        system: String,
        /// Its projection.
        method: String,
        /// Length on the ground that a unit of its coordinates is taken for, m.
        length: f64,
    },
    /// Axes that are not at right angles on the ground.
    #[error(
        "{system}: its axes are {degrees:.1} degrees from a right angle on the ground, and shapes are sheared by as \
         much; warp it to a zone of UTM, as by gdalwarp -t_srs EPSG:326ZZ"
    )]
    AxesSkew {
        /// The reference system.
        system: String,
        /// The angle.
        degrees: f64,
    },
    /// A raster that lies far outside of its zone of UTM.
    #[error(
        "lies far from the middle of its zone of UTM: its lengths are {percent:.1} % longer than on the ground; \
         warp it to its own zone, as by gdalwarp -t_srs EPSG:326ZZ"
    )]
    FarFromZone {
        /// Excess of its lengths over those on the ground, %.
        percent: f64,
    },
    /// A vertical system that counts depths downward.
    #[error(
        "EPSG {0} counts depths downward: its values are taken as heights upward all the same; \
         negate them if they are depths"
    )]
    Depths(u16),
    /// Values that were scaled.
    #[error("values are multiplied by {0} and {1} is added, as the file specifies")]
    Scaled(f64, f64),
    /// A property that comes from a sidecar file.
    #[error("the {0} is taken from the {1}")]
    TakenFromSidecar(&'static str, &'static str),
    /// A sidecar file that is not used.
    #[error("the {0} beside the raster is ignored: {1}")]
    SidecarIgnored(&'static str, &'static str),
    /// Directories of a TIFF that cannot be read.
    #[error(
        "directory {index} of the file, at byte {offset}, cannot be read ({cause}): masks from there on are not \
         applied; write the file anew, as by gdal_translate"
    )]
    DirectoriesUnread {
        /// Which directory, counted from 0.
        index: usize,
        /// Where it begins, bytes.
        offset: u64,
        /// Why not.
        cause: String,
    },
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
    #[error("only the first of {0} images is read (overviews and masks not counted)")]
    FurtherImages(usize),
}

impl RasterWarning {
    /// Whether it doubts what the EPSG code of the coordinates, where one is given, settles.
    pub fn is_settled_by(&self, epsg: Option<u16>) -> bool {
        let guessed =
            matches!(self, RasterWarning::MetresGuessed | RasterWarning::DegreesGuessed { .. });
        // a projection that the file states is not overridden; one that it only names is
        let assumed = matches!(self, RasterWarning::LengthsAssumed { .. });
        (guessed || assumed) && epsg.is_some()
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
pub(crate) const DENSEST: u64 = 1100;
/// Length in memory that no file is too short for, bytes.
pub(crate) const SMALL: u64 = 16 << 20;

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
