//! Videos of rendered images: MP4 with H.264, or GIF.

use super::{ReportError, photograph, write_file};
use bekker_sensor::camera::Image;
use rusty_h264_common::YuvFrame;
use rusty_h264_encoder::{Encoder, EncoderConfig};
use std::path::{Path, PathBuf};

/// File format of a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// MP4 with one H.264 track, for players and browsers.
    Mp4,
    /// Animated GIF that repeats, for pages that play no video.
    Gif,
}

impl VideoFormat {
    /// Returns the format of a path by its extension, `mp4` or `gif`.
    pub fn of_path(path: &Path) -> Option<VideoFormat> {
        let extension = path.extension()?.to_str()?;
        [("mp4", VideoFormat::Mp4), ("gif", VideoFormat::Gif)]
            .into_iter()
            .find_map(|(known, format)| extension.eq_ignore_ascii_case(known).then_some(format))
    }
}

/// Reason that a video cannot be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VideoError {
    /// H.264 stores colors of 2 x 2 pixels.
    #[error("video size {width}x{height}: width and height of an MP4 must be even")]
    OddSize {
        /// Columns, pixels.
        width: u32,
        /// Rows, pixels.
        height: u32,
    },
    /// GIF stores sizes in 16 bits.
    #[error("video size {width}x{height}: width and height of a GIF must be at most 65535")]
    TooLarge {
        /// Columns, pixels.
        width: u32,
        /// Rows, pixels.
        height: u32,
    },
    /// A frame differs in size from the video.
    #[error("frame of {width}x{height}: must have the size of the video")]
    FrameSize {
        /// Columns of the frame, pixels.
        width: u32,
        /// Rows of the frame, pixels.
        height: u32,
    },
    /// An encoder failed.
    #[error("video encoder: {0}")]
    Encoder(String),
}

/// Encoder of a video, which keeps the encoded frames in memory until it is written.
pub struct VideoEncoder {
    path: PathBuf,
    size: (u32, u32),
    frame_rate: u32,
    frames: EncodedFrames,
}

enum EncodedFrames {
    Mp4 { encoder: Box<Encoder>, access_units: Vec<Vec<u8>> },
    Gif { encoder: Box<gif::Encoder<Vec<u8>>>, count: u32 },
}

/// Quantizer of H.264, 0 to 51; up to about 25 artifacts are hardly seen.
const QUANTIZER: u8 = 25;
/// Seconds between frames to which a player can seek.
const KEYFRAME_INTERVAL: u32 = 2;
/// Speed of the search for a GIF palette, 1 (best) to 30.
const PALETTE_SPEED: i32 = 10;

impl VideoEncoder {
    /// Starts a video for the file `path`, with `size` pixels and `frame_rate` frames per second.
    ///
    /// An MP4 stores durations of frames in whole milliseconds, a GIF in hundredths of a second; each
    /// frame has the duration that keeps the sum closest.
    ///
    /// # Errors
    /// [`VideoError`] if the format cannot store the size.
    pub fn new(
        path: &Path,
        format: VideoFormat,
        size: (u32, u32),
        frame_rate: u32,
    ) -> Result<VideoEncoder, VideoError> {
        let (width, height) = size;
        let failed = |error: &dyn std::fmt::Display| VideoError::Encoder(error.to_string());
        let frames = match format {
            VideoFormat::Mp4 => {
                if width % 2 != 0 || height % 2 != 0 {
                    return Err(VideoError::OddSize { width, height });
                }
                let mut config = EncoderConfig::baseline(width as usize, height as usize);
                config.qp = QUANTIZER;
                config.gop_size = KEYFRAME_INTERVAL * frame_rate;
                config.framerate = frame_rate as f32;
                let encoder = Box::new(Encoder::new(config).map_err(|error| failed(&error))?);
                EncodedFrames::Mp4 { encoder, access_units: Vec::new() }
            }
            VideoFormat::Gif => {
                let fits = (u16::try_from(width), u16::try_from(height));
                let (Ok(columns), Ok(rows)) = fits else {
                    return Err(VideoError::TooLarge { width, height });
                };
                let encoder = gif::Encoder::new(Vec::new(), columns, rows, &[]);
                let mut encoder = encoder.map_err(|error| failed(&error))?;
                let repeated = encoder.set_repeat(gif::Repeat::Infinite);
                repeated.map_err(|error| failed(&error))?;
                EncodedFrames::Gif { encoder: Box::new(encoder), count: 0 }
            }
        };
        Ok(VideoEncoder { path: path.to_owned(), size, frame_rate, frames })
    }

    /// Adds a frame.
    ///
    /// # Errors
    /// [`VideoError`] if its size differs, or if it cannot be encoded.
    pub fn add(&mut self, image: &Image) -> Result<(), VideoError> {
        let (width, height) = (image.width, image.height);
        if (width, height) != self.size {
            return Err(VideoError::FrameSize { width, height });
        }
        let rgb = photograph::levels(image);
        match &mut self.frames {
            EncodedFrames::Mp4 { encoder, access_units } => {
                let frame = yuv_frame(&rgb, width as usize, height as usize);
                let encoded = encoder.try_encode(&frame);
                access_units.push(encoded.map_err(|e| VideoError::Encoder(e.to_string()))?);
            }
            EncodedFrames::Gif { encoder, count } => {
                let (columns, rows) = (width as u16, height as u16);
                let mut frame = gif::Frame::from_rgb_speed(columns, rows, &rgb, PALETTE_SPEED);
                frame.delay = duration(*count, self.frame_rate, 100) as u16;
                *count += 1;
                let written = encoder.write_frame(&frame);
                written.map_err(|error| VideoError::Encoder(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// Writes the video to its file.
    ///
    /// # Errors
    /// [`ReportError`] if the file cannot be written.
    pub fn finish(self) -> Result<(), ReportError> {
        let VideoEncoder { path, size: (width, height), frame_rate, frames } = self;
        let failed = |error: std::io::Error| ReportError::file("encode", &path)(error);
        let bytes = match frames {
            EncodedFrames::Mp4 { access_units, .. } => {
                let mut file = std::io::Cursor::new(Vec::new());
                let mut muxer = mp4e::Mp4e::new(&mut file);
                muxer.set_video_track(width, height, mp4e::Codec::AVC);
                for (number, unit) in (0..).zip(&access_units) {
                    let shown = duration(number, frame_rate, 1000);
                    muxer.encode_video(unit, shown).map_err(failed)?;
                }
                muxer.flush().map_err(failed)?;
                file.into_inner()
            }
            EncodedFrames::Gif { encoder, .. } => {
                encoder.into_inner().map_err(|error| failed(std::io::Error::other(error)))?
            }
        };
        write_file(&path, &bytes)
    }
}

impl std::fmt::Debug for VideoEncoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VideoEncoder").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Returns the duration of a frame, where `units` make a second.
fn duration(number: u32, frame_rate: u32, units: u32) -> u32 {
    let start = |number: u64| (number * u64::from(units)) / u64::from(frame_rate);
    (start(u64::from(number) + 1) - start(u64::from(number))) as u32
}

/// Rows from which players assume the colors of high definition, where a file names none.
const HIGH_DEFINITION: usize = 720;

/// Converts 8-bit RGB to luma and to color differences of 2 x 2 pixels, by ITU-R BT.601 or, from
/// 720 rows, BT.709; luma in 16 to 235, differences in 16 to 240.
fn yuv_frame(rgb: &[u8], width: usize, height: usize) -> YuvFrame {
    let [red, blue] = if height < HIGH_DEFINITION { [0.299, 0.114] } else { [0.2126, 0.0722] };
    let luma = |[r, g, b]: [f32; 3]| red * r + (1.0 - red - blue) * g + blue * b;
    let pixel = |row: usize, column: usize| -> [f32; 3] {
        let start = 3 * (row * width + column);
        [0, 1, 2].map(|channel| f32::from(rgb[start + channel]) / 255.0)
    };
    let mut y = Vec::with_capacity(width * height);
    for row in 0..height {
        y.extend((0..width).map(|column| (16.5 + 219.0 * luma(pixel(row, column))) as u8));
    }
    let (mut u, mut v) = (Vec::with_capacity(y.len() / 4), Vec::with_capacity(y.len() / 4));
    for row in (0..height).step_by(2) {
        for column in (0..width).step_by(2) {
            let four = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| pixel(row + i, column + j));
            let mean = [0, 1, 2].map(|k| four.iter().map(|pixel| pixel[k]).sum::<f32>() / 4.0);
            let difference = |channel: f32, weight: f32| {
                (128.5 + 112.0 * (channel - luma(mean)) / (1.0 - weight)) as u8
            };
            u.push(difference(mean[2], blue));
            v.push(difference(mean[0], red));
        }
    }
    YuvFrame { width, height, y, u, v }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BT.601 has white at 235, black at 16, and pure red, green and blue at the values of its table.
    #[test]
    fn colors_are_those_of_bt_601() {
        let table = [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [81, 90, 240]),
            ([0, 255, 0], [145, 54, 34]),
            ([0, 0, 255], [41, 240, 110]),
        ];
        for (rgb, yuv) in table {
            let frame = yuv_frame(&rgb.repeat(4), 2, 2);
            assert_eq!([frame.y[0], frame.u[0], frame.v[0]], yuv, "{rgb:?}");
        }
    }

    /// 30 frames in a second last a second, though 100 / 30 is no whole number.
    #[test]
    fn durations_add_up_to_whole_seconds() {
        for (frame_rate, units) in [(30, 100), (24, 1000), (20, 100), (50, 100)] {
            let sum: u32 = (0..frame_rate).map(|k| duration(k, frame_rate, units)).sum();
            assert_eq!(sum, units, "{frame_rate}");
        }
    }

    #[test]
    fn sizes_that_a_format_cannot_store_are_refused() {
        let start = |format, size| VideoEncoder::new(Path::new("v"), format, size, 20).map(|_| ());
        let odd = start(VideoFormat::Mp4, (321, 180));
        assert_eq!(odd, Err(VideoError::OddSize { width: 321, height: 180 }));
        let wide = start(VideoFormat::Gif, (70_000, 2));
        assert_eq!(wide, Err(VideoError::TooLarge { width: 70_000, height: 2 }));
        let mut video = VideoEncoder::new(Path::new("v"), VideoFormat::Gif, (4, 2), 20).unwrap();
        let image = Image { width: 2, height: 4, color: vec![[0.0; 3]; 8], ..Image::default() };
        assert_eq!(video.add(&image), Err(VideoError::FrameSize { width: 2, height: 4 }));
    }
}
