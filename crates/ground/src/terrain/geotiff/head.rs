//! Georeference of a GeoTIFF, and conversion of its samples to heights.

use super::heights::{HeightReader, Mask};
use super::keys::{GeoKeys, georeference, placing};
use super::stored::{SampleType, StoredImage, text};
use super::{LARGEST, fault, refuse};
use crate::terrain::angles::AngleFrame;
use crate::terrain::arc_info::parse_arc_info;
use crate::terrain::cells::GridCells;
use crate::terrain::error::{RasterWarning, TerrainError};
use crate::terrain::no_data_value::{NoDataValue, Precision};
use crate::terrain::raster::{CellContent, Crs};
use crate::terrain::sidecars::{Auxiliary, Sidecars};
use std::io::{Cursor, Read, Seek, SeekFrom};
use tiff::decoder::{Decoder, Limits};
use tiff::tags::Tag;

const GDAL_METADATA: Tag = Tag::Unknown(42112);
/// Greatest number of directories of a file that are read.
const MOST_DIRECTORIES: usize = 1000;
/// Bit of `NewSubfileType` for an overview; `MASK` is the one for a mask.
const OVERVIEW: u32 = 1;
const MASK: u32 = 4;

/// A linear map of samples to values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::terrain) struct SampleScaling {
    factor: f64,
    /// -0.0 leaves every number unchanged, including -0.0.
    offset: f64,
}

impl SampleScaling {
    pub fn new([scale, offset]: [f64; 2]) -> SampleScaling {
        SampleScaling { factor: scale, offset: if offset == 0.0 { -0.0 } else { offset } }
    }

    /// Returns the scaling with values in a unit that is shorter by a factor.
    #[must_use]
    pub fn times(self, factor: f64) -> SampleScaling {
        SampleScaling { factor: self.factor * factor, offset: self.offset * factor }
    }

    #[inline]
    pub fn apply(self, sample: f64) -> f64 {
        sample * self.factor + self.offset
    }
}

/// Georeference of the first image of a GeoTIFF, and the conversion of its samples to heights.
#[derive(Clone, Debug)]
pub(in crate::terrain) struct GeoTiffHead {
    pub cells: GridCells,
    pub crs: Crs,
    /// Conversion of samples to heights in meters.
    pub scaling: SampleScaling,
    pub warnings: Vec<RasterWarning>,
    /// Length of the file, bytes.
    pub bytes: u64,
}

/// The first image with its georeference and the properties of its values.
struct FirstImage {
    keys: GeoKeys,
    image: StoredImage,
    map: Option<super::keys::AffineMap>,
    height_scale: Option<[f64; 2]>,
    metadata: Auxiliary,
    no_data: Option<f64>,
}

fn first_image<R: Read + Seek>(
    file: &mut Decoder<R>,
    bytes: u64,
) -> Result<FirstImage, TerrainError> {
    let byte_order = file.byte_order();
    let mut tags = file.image_ifd();
    let photometric: Option<u16> =
        tags.find_tag_unsigned(Tag::PhotometricInterpretation).map_err(fault)?;
    // 0: white is zero, 1: black is zero, 3: a palette; the stored values are used in all cases
    if let Some(other) = photometric.filter(|code| !matches!(code, 0 | 1 | 3)) {
        let allowed = "0, 1 or 3 (one band of values); select one band, for example with \
            gdal_translate -b 1";
        return Err(refuse("PhotometricInterpretation", other, allowed));
    }
    let image = StoredImage::of_tags(&mut tags, byte_order, bytes)?;
    if image.sample == SampleType::Bit {
        let allowed = "8, 16, 32 or 64; convert it, for example with gdal_translate -ot Byte -co \
            NBITS=8";
        return Err(refuse("BitsPerSample", 1, allowed));
    }
    let keys = GeoKeys::read(&mut tags)?;
    let (map, height_scale) = placing(&mut tags, &keys)?;
    let metadata = text(&mut tags, GDAL_METADATA)?;
    let metadata = metadata.map(|own| Auxiliary::from_metadata(&own)).unwrap_or_default();
    let no_data = match text(&mut tags, Tag::GdalNodata)? {
        None => None,
        Some(own) => {
            let own = own.trim_matches(['\0', ' ']);
            Some(own.parse::<f64>().map_err(|_| refuse("GDAL_NODATA", own, "a number"))?)
        }
    };
    Ok(FirstImage { keys, image, map, height_scale, metadata, no_data })
}

/// Directories after the first.
#[derive(Default)]
struct ExtraDirectories {
    mask: Option<StoredImage>,
    /// Number of images that are neither masks nor overviews.
    images: usize,
    /// Warning about directories that cannot be read.
    warning: Option<RasterWarning>,
}

/// Reads the directories after the first.
///
/// # Errors
/// A cyclic chain of directories, and a mask that cannot be used.
fn further_images<R: Read + Seek>(
    file: &mut Decoder<R>,
    first: u64,
    bytes: u64,
) -> Result<ExtraDirectories, TerrainError> {
    let byte_order = file.byte_order();
    let mut found = ExtraDirectories::default();
    let mut offsets = vec![first];
    let mut next = file.image_ifd().directory().next();
    while let Some(pointer) = next {
        let index = offsets.len();
        if let Some(before) = offsets.iter().position(|offset| *offset == pointer.0) {
            return Err(TerrainError::GeoTiff(format!(
                "the directories form a cycle: directory {} refers back to directory {before}, at \
                 byte {}; rewrite the file, for example with gdal_translate",
                index - 1,
                pointer.0
            )));
        }
        offsets.push(pointer.0);
        let unread = |cause: String| {
            Some(RasterWarning::DirectoriesUnread { index, offset: pointer.0, cause })
        };
        if index > MOST_DIRECTORIES {
            found.warning = unread(format!("only the first {MOST_DIRECTORIES} are read"));
            break;
        }
        let directory = match file.read_directory(pointer) {
            Ok(directory) => directory,
            Err(error) => {
                found.warning = unread(error.to_string());
                break;
            }
        };
        next = directory.next();
        let mut tags = file.read_directory_tags(&directory);
        let kind: Option<u32> = tags.find_tag_unsigned(Tag::NewSubfileType).map_err(fault)?;
        match kind.unwrap_or(0) {
            kind if kind & OVERVIEW != 0 => {}
            kind if kind & MASK != 0 => {
                if found.mask.is_none() {
                    found.mask = Some(StoredImage::of_tags(&mut tags, byte_order, bytes)?);
                }
            }
            _ => found.images += 1,
        }
    }
    Ok(found)
}

/// Returns the offset of the first directory of a TIFF, bytes.
fn first_directory<R: Read + Seek>(source: &mut R) -> std::io::Result<u64> {
    let mut head = [0; 16];
    source.rewind()?;
    let read = source.by_ref().take(16).read(&mut head)?;
    source.rewind()?;
    let is_big_endian = head[0] == b'M';
    let at = |from: usize, length: usize| {
        let word = &head[from..from + length];
        let digit = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match is_big_endian {
            true => word.iter().fold(0, digit),
            false => word.iter().rev().fold(0, digit),
        }
    };
    let is_long = at(2, 2) == 43 && read == 16;
    Ok(if is_long { at(8, 8) } else { at(4, 4) })
}

/// Returns the mask of a sidecar file.
fn mask_file(bytes: &[u8]) -> Result<Mask, TerrainError> {
    let refused =
        |error: TerrainError| TerrainError::Sidecar { file: "mask", cause: error.to_string() };
    let mut file = Decoder::new(Cursor::new(bytes)).map_err(|e| refused(fault(e)))?;
    let byte_order = file.byte_order();
    let image = StoredImage::of_tags(&mut file.image_ifd(), byte_order, bytes.len() as u64);
    Ok(Mask::new(image.map_err(refused)?, Some(Cursor::new(bytes.to_vec()))))
}

/// Marks the cells of a raster, in row-major order from the north, that the mask of a sidecar file
/// excludes.
pub(in crate::terrain) fn apply_mask_file(
    bytes: &[u8],
    size: [usize; 2],
    values: &mut [f64],
) -> Result<(), TerrainError> {
    let mut mask = mask_file(bytes)?;
    mask.check_size(size)?;
    mask.apply_to_all(values)
}

fn precision(sample: SampleType) -> Precision {
    match sample {
        SampleType::F16 => Precision::Half,
        SampleType::F32 => Precision::Single,
        SampleType::F64 => Precision::Double,
        _ => Precision::Integer,
    }
}

/// Returns the reference system and the frame of its longitudes and latitudes, from the auxiliary
/// file, the file's own keys or the projection file.
pub(in crate::terrain) fn system(
    own: Option<&GeoKeys>,
    auxiliary: &Auxiliary,
    sidecars: &Sidecars,
    warnings: &mut Vec<RasterWarning>,
) -> Result<Option<(Crs, AngleFrame)>, TerrainError> {
    let what = "reference system";
    let refused =
        |file, error: TerrainError| TerrainError::Sidecar { file, cause: error.to_string() };
    if let Some(text) = auxiliary.system.as_deref().filter(|text| !text.trim().is_empty()) {
        let file = "auxiliary file (.aux.xml)";
        warnings.push(RasterWarning::TakenFromSidecar(what, file));
        return Crs::from_text(text).map(Some).map_err(|error| refused(file, error));
    }
    let mut of_keys = |keys: &GeoKeys| {
        let (crs, angles) = keys.crs()?;
        warnings.extend(keys.doubt(&crs));
        Ok(Some((Crs { heights: keys.heights()?, ..crs }, angles)))
    };
    if let Some(keys) = own.filter(|keys| !keys.are_silent()) {
        return of_keys(keys);
    }
    if let Some(text) = sidecars.projection_text() {
        let file = "projection file (.prj)";
        warnings.push(RasterWarning::TakenFromSidecar(what, file));
        let read = parse_arc_info(&text).unwrap_or_else(|| Crs::from_text(&text));
        return read.map(Some).map_err(|error| match error {
            error @ TerrainError::Sidecar { .. } => error,
            other => refused(file, other),
        });
    }
    own.map_or(Ok(None), of_keys)
}

/// Opens a GeoTIFF at its first image.
pub(in crate::terrain) fn open<R: Read + Seek>(
    mut source: R,
    sidecars: &Sidecars,
    content: CellContent,
) -> Result<(HeightReader<R>, GeoTiffHead), TerrainError> {
    let unreadable = |error: std::io::Error| TerrainError::GeoTiff(error.to_string());
    let bytes = source.seek(SeekFrom::End(0)).map_err(unreadable)?;
    source.rewind().map_err(unreadable)?;
    let mut limits = Limits::default();
    limits.decoding_buffer_size = LARGEST;
    let first = first_directory(&mut source).map_err(unreadable)?;
    let mut file = Decoder::new(&mut source).map_err(fault)?.with_limits(limits);
    let FirstImage { keys, mut image, map, height_scale, metadata, no_data } =
        first_image(&mut file, bytes)?;
    let further = further_images(&mut file, first, bytes)?;
    drop(file);
    let mut mask = match (further.mask, &sidecars.mask) {
        (Some(image), _) => Some(Mask::new(image, None)),
        (None, Some(bytes)) => Some(mask_file(bytes)?),
        (None, None) => None,
    };
    let [columns, rows] = image.grid.image();
    let auxiliary = sidecars.auxiliary()?;
    let mut warnings = Vec::from_iter(further.warning);
    let (mut crs, angles) = system(Some(&keys), &auxiliary, sidecars, &mut warnings)?
        .unwrap_or_else(|| (Crs::local(), AngleFrame::PLAIN));
    // a world file is read only if nothing else places the raster, as in GDAL
    let (map, origin) = if let Some(map) = auxiliary.map {
        (map, "the auxiliary file (.aux.xml)")
    } else if let Some(map) = map {
        (map, "ModelTransformation")
    } else if let Some(map) = sidecars.world_map()? {
        warnings.push(RasterWarning::TakenFromSidecar("position", "world file"));
        (map, "the world file")
    } else {
        let cause = "no ModelPixelScale and ModelTiepoint, no ModelTransformation, no world file";
        return Err(TerrainError::GeoTiff(cause.to_string()));
    };
    let (size, south_west, south_up) = georeference(map, rows, origin)?;
    image.set_south_up(south_up);
    if let Some(mask) = &mut mask {
        mask.check_size([columns, rows])?;
        mask.image.set_south_up(south_up);
    }
    let scale = [auxiliary.scale.or(metadata.scale), auxiliary.offset.or(metadata.offset)];
    let scale = match scale {
        [None, None] => height_scale.unwrap_or([1.0, 0.0]),
        [scale, offset] => [scale.unwrap_or(1.0), offset.unwrap_or(0.0)],
    };
    let mut scaling = SampleScaling::new(scale);
    if scale != [1.0, 0.0] {
        warnings.push(RasterWarning::Scaled(scale[0], scale[1]));
    }
    let unit = content.unit(auxiliary.unit.or(metadata.unit), &mut crs, &mut warnings)?;
    scaling = scaling.times(unit);
    if image.sample.bits() == 8 {
        warnings.push(RasterWarning::StairSteps { step: scaling.factor.abs() });
    }
    if further.images > 0 {
        warnings.push(RasterWarning::FurtherImages(1 + further.images));
    }
    let mut cells = GridCells { columns, rows, south_west, size };
    if let Some(warning) = cells.convert_angles(angles) {
        warnings.push(warning);
        crs.epsg = None;
    }
    cells.check(columns.saturating_mul(rows))?;
    warnings.extend(crs.length_warnings(&cells));
    let no_data = auxiliary
        .no_data
        .or(no_data)
        .and_then(|no_data| NoDataValue::new(no_data, precision(image.sample)));
    let reader = HeightReader::new(source, image, no_data, mask);
    Ok((reader, GeoTiffHead { cells, crs, scaling, warnings, bytes }))
}
