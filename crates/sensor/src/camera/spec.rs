//! Specification of a camera.

use serde::{Deserialize, Serialize};

/// Lens model: the map from directions to pixels.
///
/// Focal lengths follow from the horizontal field of view; the principal point is the image center.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lens {
    /// r = f tan θ.
    Pinhole,
    /// Fisheye after Kannala and Brandt 2006: r = f θ (1 + k₁θ² + k₂θ⁴ + k₃θ⁶ + k₄θ⁸).
    ///
    /// All coefficients are zero for an equidistant lens.
    KannalaBrandt([f64; 4]),
    /// Devernay and Faugeras 2001: r = atan(2 tan(θ) tan(w/2))/w, with the distortion w, rad.
    FieldOfView(f64),
    /// Pinhole with radial k₁, k₂, k₃ and tangential p₁, p₂ distortion, in OpenCV's order k₁ k₂ p₁
    /// p₂ k₃.
    BrownConrady([f64; 5]),
}

/// Image channel that a camera delivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ImageChannel {
    /// Color.
    Color,
    /// Distance along the optical axis.
    Depth,
    /// Unit normals in the world frame.
    Normal,
    /// Semantic class.
    Class,
    /// Instance label.
    Instance,
    /// Soil, sinkage, slip, passes and agent of the ground.
    Ground,
}

/// Noise of an image sensor in electrons, after EMVA 1288.
///
/// σ² = read² + shot noise of the signal + dark current.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipNoise {
    /// Electrons at saturation.
    pub full_well: f64,
    /// Read noise, electrons.
    pub read: f64,
    /// Dark current, electrons per second.
    pub dark: f64,
    /// Bits of the converter.
    pub bits: u32,
}

/// Camera specification; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraSpec {
    /// Pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Angle from the left edge of the image to the right, rad.
    pub field_of_view: f64,
    /// Lens model.
    pub lens: Lens,
    /// Samples along each side of a pixel.
    pub supersample: u32,
    /// Exposure time, s.
    pub exposure: f64,
    /// Time from the first row's exposure to the last's, s; 0 for a global shutter.
    pub rolling: f64,
    /// Gain: the color of a pixel with radiance 1.
    ///
    /// At 1, snow in the sun does not saturate.
    pub gain: f64,
    /// Vignetting coefficient: 0 for none, 1 for cos⁴.
    pub vignetting: f64,
    /// Noise of the image sensor, if any.
    pub noise: Option<ChipNoise>,
    /// Distance to the left camera of the pair for the right camera, m; else 0.
    pub baseline: f64,
    /// Channels that it delivers.
    pub channels: Vec<ImageChannel>,
}
