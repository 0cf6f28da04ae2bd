//! Soils on which the cells of USCS classes are driven.

use super::cone_index_config::UscsSoil;
use super::config::MapConfig;
use bekker_scenario::{Diagnostic, DiagnosticKind, Diagnostics, Document};
use std::collections::BTreeMap;

/// Writes the soils of `cone_index.soils` into `soil.raster` of a map's document.
///
/// Returns whether the document has changed.
///
/// # Errors
/// Classes without a soil, soils without a class, a second raster of soils, and soils of two classes
/// with different uncertainties.
pub(super) fn assign_uscs_soils(
    document: &mut Document,
    config: &MapConfig,
) -> Result<bool, Diagnostics> {
    let Some(own) = config.cone_index.as_ref().filter(|own| !own.soils.is_empty()) else {
        return Ok(false);
    };
    let refused = |document: &Document, key: &str, cause: String| {
        Diagnostics::from(document.diagnostic(key, DiagnosticKind::Refused { cause }))
    };
    let Some((file, classes)) =
        own.uscs.as_ref().and_then(|layer| Some((layer.file.as_ref()?, &layer.classes)))
    else {
        let cause = "needs cone_index.uscs.file, a raster of classes".to_owned();
        return Err(refused(document, "cone_index.soils", cause));
    };
    if config.soil.raster.is_some() {
        let cause = "replaces soil.raster, which is given as well; remove one".to_owned();
        return Err(refused(document, "cone_index.soils", cause));
    }
    let symbols: Vec<&str> = classes.values().map(|class| class.symbol()).collect();
    let unused = own.soils.keys().filter(|key| !symbols.contains(&key.as_str()));
    let mut faults: Vec<Diagnostic> = unused
        .map(|key| {
            let cause = format!("is no class of cone_index.uscs.classes ({})", symbols.join(", "));
            let key = format!("cone_index.soils.{key}");
            document.diagnostic(&key, DiagnosticKind::Refused { cause })
        })
        .collect();
    let mut raster: Vec<String> = Vec::new();
    for (number, class) in classes {
        match own.soils.get(class.symbol()) {
            Some(UscsSoil { soil, .. }) => raster.push(format!("{number} = {soil:?}")),
            None => {
                let cause = format!("must have a soil for class {}", class.symbol());
                let kind = DiagnosticKind::Refused { cause };
                faults.push(document.diagnostic("cone_index.soils", kind));
            }
        }
    }
    faults.extend(contradiction(document, &own.soils));
    Diagnostics::into_result(faults)?;
    let raster = format!(
        "soil.raster={{ file = {:?}, classes = {{ {} }} }}",
        file.display().to_string(),
        raster.join(", ")
    );
    document.set(&raster)?;
    Ok(true)
}

/// Returns a fault if two classes give one soil different uncertainties.
fn contradiction(document: &Document, soils: &BTreeMap<String, UscsSoil>) -> Option<Diagnostic> {
    let clash = |(key, own): (&String, &UscsSoil)| {
        let other = soils
            .iter()
            .find(|(_, other)| other.soil == own.soil && other.sigma_ln != own.sigma_ln)?;
        let cause = format!("differs from that of {} for the same soil", other.0);
        let key = format!("cone_index.soils.{key}.sigma_ln");
        Some(document.diagnostic(&key, DiagnosticKind::Refused { cause }))
    };
    soils.iter().find_map(clash)
}
