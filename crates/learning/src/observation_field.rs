//! Parts of an observation.

/// A part of the observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// How many numbers it has.
    pub size: usize,
    /// What 1 stands for; zero where each number has its own.
    pub scale: f64,
    /// In which unit.
    pub unit: &'static str,
}
