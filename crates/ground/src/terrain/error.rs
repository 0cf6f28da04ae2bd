//! Errors and warnings about terrains and rasters.

use super::reference::HeightUnit;

/// Error in a terrain or in a raster for one.
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
        /// Allowed values.
        allowed: &'static str,
    },
    /// A header of an ESRI ASCII grid lacks a key.
    #[error("ascii grid: the header has no '{0}'")]
    AsciiMissing(&'static str),
    /// An ESRI ASCII grid has too few or too many heights.
    #[error(
        "ascii grid: {found} heights; allowed: ncols x nrows = {columns} x {rows} = {expected}"
    )]
    AsciiCount {
        /// Number of heights found.
        found: usize,
        /// Number of heights that the header specifies.
        expected: usize,
        /// Number of columns that the header specifies.
        columns: usize,
        /// Number of rows that the header specifies.
        rows: usize,
    },
    /// A TIFF cannot be decoded or lacks its georeference.
    #[error("geotiff: {0}")]
    GeoTiff(String),
    /// A TIFF tag has an unusable value.
    #[error("geotiff: {tag} is {value}; allowed: {allowed}")]
    GeoTiffTag {
        /// Name of the tag or geo-key.
        tag: &'static str,
        /// Its value.
        value: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A tile or strip of a TIFF cannot be decoded.
    #[error("geotiff: {chunk} {index} at byte {offset}: {cause}")]
    GeoTiffChunk {
        /// `tile` or `strip`.
        chunk: &'static str,
        /// Index, counted from 0.
        index: usize,
        /// Offset of its start, bytes.
        offset: u64,
        /// Cause of the failure.
        cause: String,
    },
    /// A PNG cannot be decoded.
    #[error("png: {0}")]
    Png(String),
    /// A PNG is not a grayscale image of heights.
    #[error("png: color type is {0}; allowed: grayscale with 16 or 8 bits")]
    PngColor(String),
    /// The bytes are in an unknown raster format.
    #[error("unknown raster format; allowed: GeoTIFF, ESRI ASCII grid, PNG")]
    UnknownFormat,
    /// A raster is too small, or the number of its values does not match its size.
    #[error(
        "raster of {columns} x {rows} cells with {values} values; allowed: at least 2 x 2 cells \
         with one value each"
    )]
    RasterSize {
        /// Number of columns.
        columns: usize,
        /// Number of rows.
        rows: usize,
        /// Number of values given.
        values: usize,
    },
    /// A raster has cells without data.
    #[error(
        "{missing} of {total} cells have no data, the first in row {row} (0 is north), column \
         {column}; crop the raster or have them filled"
    )]
    NoData {
        /// Number of cells without data.
        missing: usize,
        /// Total number of cells.
        total: usize,
        /// Row of the first.
        row: usize,
        /// Column of the first.
        column: usize,
    },
    /// No cell has data from which the missing cells could be filled.
    #[error("no cell of the raster has data")]
    Empty,
    /// A raster in degrees is used where meters are required.
    #[error("the raster's coordinates are in {0}, not in meters; place it at a local origin first")]
    NotMeters(String),
    /// A raster of soil classes has a class that is not in the table.
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
    /// The EPSG code of the reference system is unknown.
    #[error(
        "EPSG {0} is not known; allowed: a UTM zone (32611, 26911, 25832 ...) or degrees (4326)"
    )]
    UnknownReference(u16),
    /// A given property contradicts the file.
    #[error("the {what} is {given}, but the file specifies {file}; omit it")]
    Contradicted {
        /// The property.
        what: &'static str,
        /// Its value in the file.
        file: String,
        /// The given value.
        given: String,
    },
    /// A value is out of range.
    #[error("{field} is {value}; allowed: {allowed}")]
    OutOfRange {
        /// Name of the value, with its unit.
        field: &'static str,
        /// The value given.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// The compression is not supported.
    #[error(
        "geotiff: Compression is {code} ({name}); allowed: none, LZW, Deflate and PackBits; \
         convert it, for example with gdal_translate -co COMPRESS=DEFLATE IN.tif OUT.tif"
    )]
    GeoTiffCompression {
        /// Value of the tag.
        code: u16,
        /// Its name.
        name: &'static str,
    },
    /// The rows of the raster do not run east.
    #[error(
        "{0} rotates or shears the raster, or mirrors it east to west; allowed: rows that run \
         east; warp it, for example with gdalwarp -t_srs EPSG:326ZZ IN.tif OUT.tif (ZZ: the UTM \
         zone)"
    )]
    Rotated(&'static str),
    /// The unit of heights is unknown.
    #[error(
        "the unit of heights is {found}; allowed: {allowed}; convert the heights, or set their \
         unit, for example with gdal_edit.py -units m"
    )]
    HeightUnit {
        /// The unit found.
        found: String,
        /// The known units.
        allowed: &'static str,
    },
    /// The text of a reference system cannot be parsed.
    #[error(
        "the reference system '{0}' cannot be read; allowed: WKT of a projected, geographic \
         (degrees) or local system"
    )]
    ReferenceText(String),
    /// The unit of longitudes and latitudes is unknown.
    #[error(
        "the unit of longitudes and latitudes is {0}; allowed: degree, grad, radian, arc-minute, \
         arc-second; warp the raster, for example with gdalwarp -t_srs EPSG:4326"
    )]
    AngleUnit(String),
    /// A sidecar file cannot be read.
    #[error("{file}: {cause}")]
    Sidecar {
        /// The kind of file.
        file: &'static str,
        /// Cause of the failure.
        cause: String,
    },
    /// A raster that is laid over the ground uses other coordinates than the ground.
    #[error(
        "is in {own}, but the elevation model is in {ground}; warp it to that system, for example \
         with gdalwarp -t_srs"
    )]
    OtherReference {
        /// Its reference system.
        own: String,
        /// Reference system of the ground.
        ground: String,
    },
    /// A raster that is laid over the ground does not overlap it.
    #[error(
        "covers {own:?} m (x_min, y_min, x_max, y_max of the local frame), which does not overlap \
         the ground, {ground:?}"
    )]
    NoOverlap {
        /// Extent of the raster, m.
        own: [f64; 4],
        /// Extent of the ground, m.
        ground: [f64; 4],
    },
    /// A box is empty or inverted.
    #[error("{field} [{}, {}, {}, {}] (x_min, y_min, x_max, y_max) is empty", bounds[0], bounds[1], bounds[2], bounds[3])]
    EmptyBox {
        /// Purpose of the box.
        field: &'static str,
        /// The box given, m.
        bounds: [f64; 4],
    },
    /// A header specifies more cells than the file can hold.
    #[error(
        "{format}: the header specifies {columns} x {rows} cells, more than {bytes} bytes can hold"
    )]
    Overstated {
        /// The format.
        format: &'static str,
        /// Number of columns specified.
        columns: usize,
        /// Number of rows specified.
        rows: usize,
        /// Length of the file.
        bytes: u64,
    },
    /// A polygon has too few corners.
    #[error("polygon has {0} corners; allowed: at least 3")]
    Polygon(usize),
}

/// Warning about a raster that was accepted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RasterWarning {
    /// Heights have 8 bits, so that the ground has steps that affect wheels.
    #[error("8-bit heights have steps of {step} m; use 16 bits or floating point")]
    StairSteps {
        /// Height of one step, m.
        step: f64,
    },
    /// The file does not specify the unit of its coordinates; degrees are assumed.
    #[error("coordinates look like degrees (cell size {cell}); degrees are assumed")]
    DegreesGuessed {
        /// Cell size in the file's coordinates.
        cell: f64,
    },
    /// The file does not specify the unit of its coordinates; meters are assumed.
    #[error("the file has no coordinate unit; meters are assumed")]
    MetersGuessed,
    /// Coordinates are in a unit other than meters and are converted.
    #[error("coordinates are in units of {0} m and are converted to meters")]
    UnitConverted(f64),
    /// Longitudes and latitudes are not in degrees from Greenwich and are converted.
    #[error(
        "longitudes and latitudes are in units of {degrees} degrees from a meridian {meridian} \
         degrees east of Greenwich. They are converted to degrees from Greenwich, as is the \
         `origin`"
    )]
    AnglesConverted {
        /// Length of one unit, degrees.
        degrees: f64,
        /// Longitude of the prime meridian, degrees east of Greenwich.
        meridian: f64,
    },
    /// Lengths of coordinates differ from those on the ground and are corrected.
    #[error(
        "{system}: 1 m of its coordinates is {:.4} m east and {:.4} m north on the ground at the \
         center of the raster; all lengths are corrected by this",
        meters[0], meters[1]
    )]
    LengthsCorrected {
        /// The reference system.
        system: String,
        /// Length on the ground of a meter of easting and of one of northing, m.
        meters: [f64; 2],
    },
    /// The projection is unknown.
    #[error(
        "{system} is an unknown projection ({method}): 1 unit of its coordinates is assumed to be \
         {length} m on the ground, east and north. If it is not, warp the raster to a UTM zone, \
         for example with gdalwarp -t_srs EPSG:326ZZ"
    )]
    LengthsAssumed {
        /// The reference system.
        system: String,
        /// Its projection.
        method: String,
        /// Length on the ground that is assumed for a unit of its coordinates, m.
        length: f64,
    },
    /// The axes are not perpendicular on the ground.
    #[error(
        "{system}: its axes are {degrees:.1} degrees from a right angle on the ground, which \
         shears shapes by that angle; warp it to a UTM zone, for example with gdalwarp -t_srs \
         EPSG:326ZZ"
    )]
    AxesSkew {
        /// The reference system.
        system: String,
        /// Deviation from a right angle.
        degrees: f64,
    },
    /// The raster is far outside its zone of UTM.
    #[error(
        "is far from the center of its UTM zone: its lengths are {percent:.1} % longer than on the \
         ground; warp it to its own zone, for example with gdalwarp -t_srs EPSG:326ZZ"
    )]
    FarFromZone {
        /// Excess of its lengths over those on the ground, %.
        percent: f64,
    },
    /// The vertical system counts depths downward.
    #[error(
        "EPSG {0} counts depths downward, but its values are used as heights upward; negate them \
         if they are depths"
    )]
    Depths(u16),
    /// Values were scaled.
    #[error("values are multiplied by {0} and {1} is added, as the file specifies")]
    Scaled(f64, f64),
    /// A property was taken from a sidecar file.
    #[error("the {0} is taken from the {1}")]
    TakenFromSidecar(&'static str, &'static str),
    /// A sidecar file is ignored.
    #[error("the {0} next to the raster is ignored: {1}")]
    SidecarIgnored(&'static str, &'static str),
    /// Directories of a TIFF cannot be read.
    #[error(
        "directory {index} of the file, at byte {offset}, cannot be read ({cause}): masks from \
         there on are not applied; rewrite the file, for example with gdal_translate"
    )]
    DirectoriesUnread {
        /// Index of the directory, counted from 0.
        index: usize,
        /// Offset of its start, bytes.
        offset: u64,
        /// Cause of the failure.
        cause: String,
    },
    /// Heights are not in meters and are converted.
    #[error("heights are in {0} and are converted to meters")]
    HeightsConverted(HeightUnit),
    /// Heights equal a value that commonly marks gaps, but the file does not declare it.
    #[error(
        "{count} cells have the value {value} m, which often marks gaps, but the file declares no \
         value for gaps: they are used as heights; `gdal_edit -a_nodata {value}` declares it"
    )]
    GapsGuessed {
        /// Number of such cells.
        count: usize,
        /// The height, m.
        value: f64,
    },
    /// The file has further bands or images, which are not read.
    #[error("only the first of {0} images is read (overviews and masks not counted)")]
    FurtherImages(usize),
}

impl RasterWarning {
    /// Returns whether a given EPSG code resolves the warning.
    pub fn is_settled_by(&self, epsg: Option<u16>) -> bool {
        let guessed =
            matches!(self, RasterWarning::MetersGuessed | RasterWarning::DegreesGuessed { .. });
        // a projection that the file specifies is not overridden; one that it only names is
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

/// Greatest ratio of a raster's size in memory to its file size: that of Deflate for one repeated
/// value. LZW comes close in strips of the usual length.
pub(crate) const DENSEST: u64 = 1100;
/// Size in memory that is accepted for files of any length, bytes.
pub(crate) const SMALL: u64 = 16 << 20;

/// Rejects a header whose cells, of `bits` bits each, cannot be in a file of this length, before
/// memory is allocated for them.
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
