//! Heights from a grayscale PNG.
//!
//! A PNG has neither heights nor lengths: the caller gives the heights of black and white and the
//! cell size.

use std::io::Cursor;

use super::error::{RasterWarning, TerrainError, finite, overstated};
use super::raster::{Crs, Raster};

/// Scale of a PNG.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PngScale {
    /// Heights of black and of white, m.
    pub heights: [f64; 2],
    /// Size of a cell, m.
    pub cell: f64,
    /// x and y of the center of the south-west cell, m.
    pub south_west: [f64; 2],
}

/// Reads a grayscale PNG; the top row is north.
///
/// Alpha is ignored. Images of 8 bits or fewer are accepted with a warning about their stair-steps.
pub fn read_png(
    bytes: &[u8],
    scale: &PngScale,
) -> Result<(Raster, Vec<RasterWarning>), TerrainError> {
    let [black, white] = scale.heights;
    finite("height of black, m", black, "a finite number", |_| true)?;
    finite("height of white, m", white, "above the height of black", |v| v > black)?;
    let fault = |error: png::DecodingError| TerrainError::Png(error.to_string());
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // gray of 1, 2 and 4 bits becomes gray of 8 bits
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(fault)?;
    let own_depth = reader.info().bit_depth;
    let size = [reader.info().width, reader.info().height].map(|count| count as usize);
    overstated("png", size, own_depth as usize, bytes.len() as u64)?;
    if reader.info().color_type == png::ColorType::Indexed {
        return Err(TerrainError::PngColor("Indexed".to_string()));
    }
    let (color, depth) = reader.output_color_type();
    let samples = match color {
        png::ColorType::Grayscale => 1,
        png::ColorType::GrayscaleAlpha => 2,
        other => return Err(TerrainError::PngColor(format!("{other:?}"))),
    };
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| TerrainError::Png("the image does not fit into memory".to_string()))?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(fault)?;
    let pixels = &buffer[..frame.buffer_size()];
    let height = |share: f64| black + share * (white - black);
    let mut warnings = Vec::new();
    let values = if depth == png::BitDepth::Sixteen {
        let word = |b: &[u8]| f64::from(u16::from_be_bytes([b[0], b[1]])) / 65535.0;
        pixels.chunks_exact(2 * samples).map(|b| height(word(b))).collect()
    } else {
        let levels = f64::from((1u32 << (own_depth as u32).min(8)) - 1);
        warnings.push(RasterWarning::StairSteps { step: (white - black) / levels });
        pixels.chunks_exact(samples).map(|b| height(f64::from(b[0]) / 255.0)).collect()
    };
    let raster = Raster {
        columns: frame.width as usize,
        rows: frame.height as usize,
        south_west: scale.south_west,
        cell: [scale.cell; 2],
        values,
        crs: Crs::local(),
    };
    raster.check()?;
    Ok((raster, warnings))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: PngScale = PngScale { heights: [10.0, 56.9], cell: 2.0, south_west: [0.0, 0.0] };

    fn image(color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    #[test]
    fn sixteen_bits_span_the_height_range() {
        let data = [0, 0, 255, 255, 128, 0, 0, 1];
        let bytes = image(png::ColorType::Grayscale, png::BitDepth::Sixteen, &data);
        let (raster, warnings) = read_png(&bytes, &SCALE).unwrap();
        assert!(warnings.is_empty());
        assert_eq!((raster.value_at(0, 1), raster.value_at(1, 1)), (10.0, 56.9));
        assert!((raster.value_at(0, 0) - (10.0 + 46.9 * 32768.0 / 65535.0)).abs() < 1e-12);
    }

    #[test]
    fn eight_bits_are_warned_of() {
        let bytes = image(png::ColorType::Grayscale, png::BitDepth::Eight, &[0, 255, 1, 2]);
        let (raster, warnings) = read_png(&bytes, &SCALE).unwrap();
        assert_eq!(raster.value_at(1, 1), 56.9);
        let [RasterWarning::StairSteps { step }] = warnings[..] else { panic!("{warnings:?}") };
        // 46.9 m in 255 steps
        assert!((step - 0.183_921_568).abs() < 1e-8);
    }

    #[test]
    fn faults_are_named() {
        let message = |bytes: &[u8], scale| read_png(bytes, scale).unwrap_err().to_string();
        let red = image(png::ColorType::Rgb, png::BitDepth::Eight, &[0; 12]);
        assert_eq!(
            message(&red, &SCALE),
            "png: color type is Rgb; allowed: grayscale with 16 or 8 bits"
        );
        assert!(message(b"not a png", &SCALE).starts_with("png: "));
        let upside = PngScale { heights: [5.0, 5.0], ..SCALE };
        assert_eq!(
            message(&red, &upside),
            "height of white, m is 5; allowed: above the height of black"
        );
    }
}
