//! Description of observation fields.

/// A field of the observation.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationField {
    /// Name of the field.
    pub name: &'static str,
    /// Length of the field.
    pub size: usize,
    /// Quantity that 1 represents; zero where each number has its own scale.
    pub scale: f64,
    /// Unit and description.
    pub unit: &'static str,
}
