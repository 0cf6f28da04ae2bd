//! Description of observation fields.

use std::borrow::Cow;

/// A field of the observation.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationField {
    /// Name of the field.
    pub name: Cow<'static, str>,
    /// Length of the field.
    pub size: usize,
    /// Quantity that 1 represents; zero where each number has its own scale.
    pub scale: f64,
    /// Unit and description.
    pub unit: &'static str,
    /// Rows, columns and channels of an image, a map or a scan.
    pub axes: Option<[usize; 3]>,
}

impl ObservationField {
    /// Returns a field of `size` numbers.
    pub const fn vector(
        name: &'static str,
        size: usize,
        scale: f64,
        unit: &'static str,
    ) -> ObservationField {
        ObservationField { name: Cow::Borrowed(name), size, scale, unit, axes: None }
    }

    /// Returns a field with rows, columns and channels.
    pub fn image(
        name: impl Into<Cow<'static, str>>,
        axes: [usize; 3],
        scale: f64,
        unit: &'static str,
    ) -> ObservationField {
        let size = axes.iter().product();
        ObservationField { name: name.into(), size, scale, unit, axes: Some(axes) }
    }
}
