//! Pictures as files: PNG of 8 and 16 bits, and OpenEXR.
//!
//! Colors are linear. PNG stores them with the transfer function of sRGB (IEC 61966-2-1), EXR
//! unchanged. EXR holds every channel of a picture. Viewers know the names R, G, B, Z (depth), N.X,
//! N.Y and N.Z (normal). bekker's labels are class, instance, soil, sinkage, slip, passes and
//! agent.

use bekker_sensor::camera::Image;

/// Converts a linear value, 0 to 1, to sRGB.
fn srgb(linear: f32) -> f32 {
    let x = linear.clamp(0.0, 1.0);
    if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// Encodes colors as PNG of 8 bits.
pub(super) fn png8(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let value = |x: f32| (255.0 * srgb(x)).round() as u8;
    let data: Vec<u8> = image.color.iter().flatten().map(|&x| value(x)).collect();
    png(image, png::ColorType::Rgb, png::BitDepth::Eight, &data)
}

/// Encodes colors as PNG of 16 bits.
pub(super) fn png16(image: &Image) -> Result<Vec<u8>, png::EncodingError> {
    let value = |x: f32| ((65_535.0 * srgb(x)).round() as u16).to_be_bytes();
    let data: Vec<u8> = image.color.iter().flatten().flat_map(|&x| value(x)).collect();
    png(image, png::ColorType::Rgb, png::BitDepth::Sixteen, &data)
}

fn png(
    image: &Image,
    color: png::ColorType,
    depth: png::BitDepth,
    data: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.set_compression(png::Compression::Fast);
    if color == png::ColorType::Rgb {
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    }
    encoder.write_header()?.write_image_data(data)?;
    Ok(bytes)
}

/// A channel of an EXR: its name and one number per pixel.
struct ExrChannel {
    name: &'static str,
    values: Vec<f32>,
}

/// Encodes all channels of a picture as OpenEXR: scan lines of 32-bit numbers, uncompressed.
///
/// Layout: <https://openexr.com/en/latest/OpenEXRFileLayout.html>.
pub(super) fn exr(image: &Image) -> Vec<u8> {
    let mut channels = channels(image);
    // rows hold their channels in the order of names
    channels.sort_by_key(|channel| channel.name);
    let (width, height) = (image.width as usize, image.height as usize);
    let mut bytes = vec![0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0];
    let mut attribute = |name: &str, kind: &str, value: &[u8]| {
        for text in [name, kind] {
            bytes.extend_from_slice(text.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&(value.len() as i32).to_le_bytes());
        bytes.extend_from_slice(value);
    };
    let mut list = Vec::new();
    for channel in &channels {
        list.extend_from_slice(channel.name.as_bytes());
        list.push(0);
        // 32-bit floating point, linear, one sample per pixel
        for number in [2i32, 0, 1, 1] {
            list.extend_from_slice(&number.to_le_bytes());
        }
    }
    list.push(0);
    let last = [0, 0, width as i32 - 1, height as i32 - 1].map(i32::to_le_bytes).concat();
    attribute("channels", "chlist", &list);
    attribute("compression", "compression", &[0]);
    attribute("dataWindow", "box2i", &last);
    attribute("displayWindow", "box2i", &last);
    attribute("lineOrder", "lineOrder", &[0]);
    attribute("pixelAspectRatio", "float", &1f32.to_le_bytes());
    attribute("screenWindowCenter", "v2f", &[0; 8]);
    attribute("screenWindowWidth", "float", &1f32.to_le_bytes());
    bytes.push(0);
    let row = 4 * width * channels.len();
    let first = bytes.len() + 8 * height;
    for y in 0..height {
        bytes.extend_from_slice(&((first + y * (row + 8)) as u64).to_le_bytes());
    }
    for y in 0..height {
        bytes.extend_from_slice(&(y as i32).to_le_bytes());
        bytes.extend_from_slice(&(row as i32).to_le_bytes());
        for channel in &channels {
            let line = &channel.values[y * width..(y + 1) * width];
            line.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        }
    }
    bytes
}

fn channels(image: &Image) -> Vec<ExrChannel> {
    fn split(from: &[[f32; 3]], names: [&'static str; 3]) -> Vec<ExrChannel> {
        let part = |k: usize| from.iter().map(|value| value[k]).collect();
        (0..3).map(|k| ExrChannel { name: names[k], values: part(k) }).collect()
    }
    fn plain<T: Copy>(name: &'static str, from: &[T], value: impl Fn(T) -> f32) -> ExrChannel {
        ExrChannel { name, values: from.iter().map(|&x| value(x)).collect() }
    }
    let mut all = split(&image.color, ["R", "G", "B"]);
    all.extend(split(&image.normal, ["N.X", "N.Y", "N.Z"]));
    all.push(plain("Z", &image.depth, |x| x));
    all.push(plain("class", &image.class, f32::from));
    all.push(plain("instance", &image.instance, f32::from));
    all.push(plain("soil", &image.soil, f32::from));
    all.push(plain("sinkage", &image.sinkage, |x| x));
    all.push(plain("slip", &image.slip, |x| x));
    all.push(plain("passes", &image.passes, f32::from));
    all.push(plain("agent", &image.agent, f32::from));
    let pixels = image.width as usize * image.height as usize;
    all.retain(|channel| pixels > 0 && channel.values.len() == pixels);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        let color =
            vec![[0.0, 0.5, 1.0], [2.0, 0.002, 0.2], [0.1; 3], [0.3; 3], [0.4; 3], [1.0; 3]];
        let depth = vec![1.0, 2.0, 3.0, 4.0, 5.0, f32::INFINITY];
        Image { width: 3, height: 2, color, depth, ..Image::default() }
    }

    #[test]
    fn png_takes_the_curve_of_srgb() {
        for (bytes, depth) in [(png8(&image()).unwrap(), 1), (png16(&image()).unwrap(), 2)] {
            let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            let mut data = vec![0; reader.output_buffer_size().unwrap()];
            reader.next_frame(&mut data).unwrap();
            let value = |k: usize| match depth {
                1 => f32::from(data[k]) / 255.0,
                _ => f32::from(u16::from_be_bytes([data[2 * k], data[2 * k + 1]])) / 65_535.0,
            };
            // 0.5 and 0.002 linear are 0.7354 and 0.02584 in sRGB
            let step = if depth == 1 { 1.0 / 255.0 } else { 1.0 / 65_535.0 };
            for (k, expected) in [0.0, 0.735_36, 1.0, 1.0, 0.025_84].into_iter().enumerate() {
                assert!((value(k) - expected).abs() < step + 1e-5, "{k}: {}", value(k));
            }
        }
    }

    /// The file is read back by the rules of the layout.
    ///
    /// Offsets lead to rows, and rows hold channels in the order of their names.
    #[test]
    fn exr_rows_are_at_their_table_offsets() {
        let bytes = exr(&image());
        let rows: Vec<usize> = (0..2)
            .map(|y| {
                let end = bytes.len() - 2 * (8 + 4 * 3 * 4);
                let at = end - 16 + 8 * y;
                u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
            })
            .collect();
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        for (y, &at) in rows.iter().enumerate() {
            assert_eq!((word(at), word(at + 4)), (y as u32, 48));
        }
        // B, G, R, Z
        let value = |row: usize, channel: usize, x: usize| {
            f32::from_bits(word(rows[row] + 8 + 4 * (3 * channel + x)))
        };
        assert_eq!([value(0, 0, 0), value(0, 1, 0), value(0, 2, 1)], [1.0, 0.5, 2.0]);
        assert_eq!([value(0, 3, 2), value(1, 3, 0), value(1, 3, 2)], [3.0, 4.0, f32::INFINITY]);
    }
}
