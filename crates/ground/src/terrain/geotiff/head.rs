//! What a GeoTIFF says before its heights.

use super::keys::{GeoKeys, georeference, scaling, unit_type};
use super::{LARGEST, fault, refuse};
use crate::terrain::cells::Cells;
use crate::terrain::error::{RasterWarning, TerrainError, overstated};
use crate::terrain::raster::Crs;
use crate::terrain::reference::HeightUnit;
use std::io::{Read, Seek};
use tiff::decoder::ifd::Value;
use tiff::decoder::{Decoder, Limits};
use tiff::tags::Tag;

const GDAL_METADATA: Tag = Tag::Unknown(42112);

/// What the first image of a GeoTIFF says before its heights.
#[derive(Clone, Debug)]
pub(in crate::terrain) struct Head {
    pub cells: Cells,
    pub crs: Crs,
    /// What a height is multiplied with to be in metres.
    pub factor: f64,
    /// What cells without data hold.
    pub gap: Option<f64>,
    pub warnings: Vec<RasterWarning>,
}

/// Opens a GeoTIFF of so many bytes at its first image.
pub(in crate::terrain) fn open<R: Read + Seek>(
    source: R,
    bytes: u64,
) -> Result<(Decoder<R>, Head), TerrainError> {
    let mut limits = Limits::default();
    limits.decoding_buffer_size = LARGEST;
    let mut file = Decoder::new(source).map_err(fault)?.with_limits(limits);
    let (columns, rows) = file.dimensions().map_err(fault)?;
    let (columns, rows) = (columns as usize, rows as usize);
    let bits = match file.colortype().map_err(fault)? {
        tiff::ColorType::Gray(bits @ (8 | 16 | 32 | 64)) => bits,
        tiff::ColorType::Gray(bits) => {
            return Err(refuse("BitsPerSample", bits, "8, 16, 32 or 64"));
        }
        other => return Err(refuse("colour type", format!("{other:?}"), "one band (gray)")),
    };
    overstated("geotiff", [columns, rows], bits.into(), bytes)?;
    let keys = GeoKeys::read(&mut file)?;
    let (size, south_west) = georeference(&mut file, &keys, rows)?;
    let ascii = match file.find_tag(Tag::GeoAsciiParamsTag).map_err(fault)? {
        Some(value) => value.into_string().map_err(fault)?,
        None => String::new(),
    };
    let mut crs = keys.crs(&ascii)?;
    let mut warnings: Vec<RasterWarning> = keys.doubt().into_iter().collect();
    if let Some(Ok(text)) = file.find_tag(GDAL_METADATA).map_err(fault)?.map(Value::into_string) {
        crs.heights = crs.heights.or(unit_type(&text));
        if let Some([scale, offset]) = scaling(&text) {
            return Err(TerrainError::Scaled { scale, offset });
        }
    }
    let gap = match file.find_tag(Tag::GdalNodata).map_err(fault)? {
        None => None,
        Some(value) => {
            let text = value.into_string().map_err(fault)?;
            let text = text.trim_matches(['\0', ' ']);
            Some(text.parse::<f64>().map_err(|_| refuse("GDAL_NODATA", text, "a number"))?)
        }
    };
    if bits == 8 {
        warnings.push(RasterWarning::StairSteps { step: 1.0 });
    }
    if file.more_images() {
        let mut images = 1;
        while file.more_images() && file.next_image().is_ok() {
            images += 1;
        }
        warnings.push(RasterWarning::FurtherImages(images));
        file.seek_to_image(0).map_err(fault)?;
    }
    let mut factor = 1.0;
    if let Some(unit) = crs.heights.filter(|unit| *unit != HeightUnit::Metre) {
        factor = unit.metres();
        warnings.push(RasterWarning::HeightsConverted(unit));
    }
    let cells = Cells { columns, rows, south_west, size };
    cells.check(columns.saturating_mul(rows))?;
    Ok((file, Head { cells, crs, factor, gap, warnings }))
}
