//! Pictures of cameras as PNG files.

use super::ReportError;
use bekker_sensor::camera::Image;
use std::path::Path;

/// Writes a picture's colors, encoded by [`encode`].
///
/// # Errors
/// [`ReportError`] if the file cannot be written.
pub fn write(path: &Path, image: &Image) -> Result<(), ReportError> {
    let encoded = encode(image);
    let bytes = encoded.map_err(|e| ReportError::file("encode", path)(std::io::Error::other(e)))?;
    super::write_file(path, &bytes)
}

/// Returns a picture's [`levels`] as the content of a PNG file.
///
/// # Errors
/// An encoding error if the number of colors does not match the image's size.
pub fn encode(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&levels(image))?;
    writer.finish()?;
    Ok(bytes)
}

/// Red, green and blue of each pixel as 8-bit sRGB.
///
/// Values above 0.7 are compressed exponentially, like the shoulder of film, so that highlights do
/// not clip.
pub fn levels(image: &Image) -> Vec<u8> {
    image.color.iter().flatten().map(|&linear| level(linear)).collect()
}

fn level(linear: f32) -> u8 {
    const KNEE: f32 = 0.7;
    let held = if linear > KNEE {
        KNEE + (1.0 - KNEE) * (1.0 - (-(linear - KNEE) / (1.0 - KNEE)).exp())
    } else {
        linear.max(0.0)
    };
    let encoded =
        if held <= 0.003_130_8 { 12.92 * held } else { 1.055 * held.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0 + 0.5) as u8
}
