//! What a camera is.

use serde::{Deserialize, Serialize};

/// How directions become pixels. Focal lengths follow from the field of view across
/// the width; the principal point is the middle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lens {
    /// r = f tan θ.
    Pinhole,
    /// r = f θ (1 + k₁θ² + k₂θ⁴ + k₃θ⁶ + k₄θ⁸): a fisheye after Kannala and Brandt 2006;
    /// all zero for an equidistant one.
    KannalaBrandt([f64; 4]),
    /// Devernay and Faugeras 2001: r = atan(2 tan(θ) tan(w/2))/w, w the distortion, rad.
    FieldOfView(f64),
    /// Pinhole with radial k₁, k₂, k₃ and tangential p₁, p₂ distortion, in OpenCV's
    /// order k₁ k₂ p₁ p₂ k₃.
    BrownConrady([f64; 5]),
}

/// What a camera delivers beside or instead of colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Channel {
    /// Colour.
    Colour,
    /// Distance along the optical axis.
    Depth,
    /// Normals.
    Normal,
    /// What kind of thing.
    Class,
    /// Which thing.
    Instance,
    /// Soil, sinkage, slip, passes and agent of the ground.
    Ground,
}

/// Noise of a sensor chip in electrons, after EMVA 1288: σ² = read² + shot noise of the
/// signal + dark current.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChipNoise {
    /// Electrons at saturation.
    pub full_well: f64,
    /// Read noise, electrons.
    pub read: f64,
    /// Dark current, electrons a second.
    pub dark: f64,
    /// Bits of the converter.
    pub bits: u32,
}

/// A camera; immutable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraSpec {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Angle seen from the left edge to the right, rad.
    pub field_of_view: f64,
    /// How directions become pixels.
    pub lens: Lens,
    /// Samples a pixel, along each axis.
    pub supersample: u32,
    /// Time that the shutter is open, s.
    pub exposure: f64,
    /// Time from the first row's shutter to the last's, s; 0 for a global shutter.
    pub rolling: f64,
    /// Gain: colour 1 is this albedo-weighted sunlight times; chosen so that snow in the
    /// sun does not saturate where 1.
    pub gain: f64,
    /// Share of light lost in the corners: 0 none, 1 cos⁴.
    pub vignetting: f64,
    /// Noise of its chip, if any.
    pub noise: Option<ChipNoise>,
    /// Distance to the left camera of its pair, if it is the right one of a pair, m; else 0.
    pub baseline: f64,
    /// What it delivers.
    pub channels: Vec<Channel>,
}
