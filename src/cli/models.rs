//! Models of tires and soil on the command line.

use crate::scenario::config::{LawsPreset, TireModel};
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Returns the parser of a tire model.
pub fn tire_model() -> impl TypedValueParser<Value = TireModel> {
    PossibleValuesParser::new(["flexible", "rigid"]).map(|word| match word.as_str() {
        "flexible" => TireModel::Flexible,
        _ => TireModel::Rigid,
    })
}

/// Parses a preset of the soil laws.
pub fn laws(text: &str) -> Result<LawsPreset, String> {
    match text {
        "reference" => Ok(LawsPreset::Reference),
        "refined" => Ok(LawsPreset::Refined),
        _ => Err("must be reference or refined".into()),
    }
}
