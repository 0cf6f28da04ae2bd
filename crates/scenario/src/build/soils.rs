//! The soils that a scenario names, as a table.

use super::laws::laws;
use super::strongest::strongest;
use crate::config::{BulldozingConfig, CustomSoil};
use crate::consistency::check_custom_soil;
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::document::Document;
use crate::{Diagnostics, ScenarioFile, conform};
use bekker_ground::soil::catalog::{
    ASSUMED_DENSITY, assumed_elastic_stiffness, assumed_unloading, catalog,
};
use bekker_ground::soil::{
    Bulldozing, CatalogError, DeformableSoil, Details, Frost, Laws, Soil, SoilId, SoilKind,
};

/// The soils of a scenario by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoilTable {
    names: Vec<String>,
    /// Id in the catalog of each soil; of a custom soil its name.
    catalog_ids: Vec<String>,
    /// The soils, with the names of the scenario.
    soils: Vec<Soil>,
    /// Frost on each soil.
    frosts: Vec<Option<FrozenSoil>>,
    /// Warnings about the soils.
    warnings: Vec<Diagnostic>,
}

/// A soil with a frozen top layer.
#[derive(Clone, Debug, PartialEq)]
struct FrozenSoil {
    /// The key that specifies the frost.
    key: String,
    frost: Frost,
    /// The soil without its moisture: frozen water does not weaken it.
    soil: Soil,
}

impl SoilTable {
    /// The soils, in the order of their ids.
    pub fn soils(&self) -> &[Soil] {
        &self.soils
    }

    /// The id of a soil that the scenario names.
    pub fn id(&self, name: &str) -> Option<SoilId> {
        self.names.iter().position(|n| n == name).map(|index| SoilId(index as u16))
    }

    /// The ids of the soils in the catalog, in the order of their ids in the table. A custom soil has its name.
    pub fn catalog_ids(&self) -> &[String] {
        &self.catalog_ids
    }

    /// Returns the soils for vehicles up to `max_weight`, N, with warnings.
    ///
    /// Warns about each soil whose requested strength was reduced, and about each frost layer that
    /// the vehicles break through.
    pub fn with_frost_under(
        mut self,
        max_weight: f64,
        document: &Document,
    ) -> (SoilTable, Vec<Diagnostic>) {
        let mut warnings = self.warnings.clone();
        for (soil, frost) in self.soils.iter_mut().zip(&self.frosts) {
            let Some(FrozenSoil { key, frost, soil: frozen }) = frost else { continue };
            let (SoilKind::Deformable(bearing_soil), SoilKind::Deformable(frozen)) =
                (&mut soil.kind, &frozen.kind)
            else {
                continue;
            };
            if max_weight <= frost.bearing() {
                *bearing_soil = frost.under(frozen, max_weight);
            } else {
                let [bears, weighs] = [frost.bearing(), max_weight].map(|newtons| newtons / 1e3);
                let cause = format!(
                    "carries {bears:.1} kN, but the heaviest vehicle weighs {weighs:.1} kN: all \
                     vehicles drive on the unfrozen soil"
                );
                warnings.push(document.diagnostic(key, DiagnosticKind::Refused { cause }));
            }
        }
        (self, warnings)
    }
}

/// Looks up every soil that a scenario names, in the order of first mention.
///
/// # Errors
/// Unknown names, and invalid custom soils.
pub fn soil_table(file: &ScenarioFile) -> Result<SoilTable, Diagnostics> {
    let soil = &file.scenario.soil;
    let bulldozing = file.scenario.ground.bulldozing;
    let laws = laws(&file.scenario.ground, file.scenario.world.gravity);
    let (spacing, step) = (file.scenario.ground.spacing, file.scenario.time.step);
    let mut diagnostics = Vec::new();
    let (mut custom, mut warnings, mut catalog_warnings) = (Vec::new(), Vec::new(), Vec::new());
    let strengthened: Vec<CustomSoil> =
        soil.custom.iter().map(|entry| with_ground_strength(entry, soil.strength)).collect();
    for (index, entry) in strengthened.iter().enumerate() {
        match resolve_soil(entry, &laws, &format!("soil.custom[{index}]"), &file.document) {
            Ok((soil, too_strong_soil)) => {
                custom.push(soil);
                warnings.extend(
                    too_strong_soil.map(|own| (entry.name.as_str(), own.warning(&file.document))),
                );
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    let mut table = SoilTable::default();
    let mut add_soil = |key: String, name: &str| {
        if table.id(name).is_some() || is_invalid_custom(soil.custom.as_slice(), &custom, name) {
            return;
        }
        let found = match custom.iter().find(|s| s.name == name) {
            Some(own) => Ok(own.clone()),
            None => catalog_soil(name).map(|own| match soil.strength {
                None => own,
                Some(factor) => {
                    let (own, too_strong) = catalog_soil_with_strength(&own, factor);
                    catalog_warnings.extend(too_strong.map(|own| own.warning(&file.document)));
                    own
                }
            }),
        };
        match found {
            Ok(found) => {
                let given = soil.custom.iter().position(|s| s.name == name);
                let too_stiff = found.stiff_parameters(spacing, step);
                diagnostics.extend(too_stiff.into_iter().map(|stiff| {
                    let stiff_for = stiff.cause("time.step", "ground.spacing");
                    let cause = format!("`{name}`: {stiff_for}");
                    let key = given.map_or_else(
                        || key.clone(),
                        |index| format!("soil.custom[{index}].{}", stiff.parameter),
                    );
                    file.document.diagnostic(&key, DiagnosticKind::Refused { cause })
                }));
                table.names.push(name.to_string());
                table.catalog_ids.push(found.name.clone());
                // an alias stays the name of its soil in all results
                let found = Soil { name: name.to_string(), ..found };
                table.soils.push(with_bulldozing(found, bulldozing));
                table.frosts.push(given.and_then(|index| {
                    let (key, frost) = (format!("soil.custom[{index}]"), soil.custom[index].frost?);
                    let dry = CustomSoil { moisture: None, ..strengthened[index].clone() };
                    let (frozen, _) = resolve_soil(&dry, &laws, &key, &file.document).ok()?;
                    let soil = with_bulldozing(frozen, bulldozing);
                    Some(FrozenSoil { key: format!("{key}.frost"), frost, soil })
                }));
            }
            Err(problem) => diagnostics.push(file.document.diagnostic(&key, problem)),
        }
    };
    add_soil("soil.default".into(), &soil.default);
    for (class, name) in soil.raster.iter().flat_map(|raster| &raster.classes) {
        add_soil(format!("soil.raster.classes.{class}"), name);
    }
    for (index, zone) in soil.zone.iter().enumerate() {
        add_soil(format!("soil.zone[{index}].soil"), &zone.soil);
    }
    Diagnostics::into_result(diagnostics)?;
    let named = warnings.into_iter().filter(|(name, _)| table.id(name).is_some());
    table.warnings = named.map(|(_, too_strong_soil)| too_strong_soil).collect();
    table.warnings.extend(catalog_warnings);
    Ok(table)
}

/// Whether a name is that of a custom soil which was already refused.
fn is_invalid_custom(given: &[CustomSoil], accepted: &[Soil], name: &str) -> bool {
    given.iter().any(|s| s.name == name) && !accepted.iter().any(|s| s.name == name)
}

/// Builds a custom soil from a document with the keys of `[[soil.custom]]`.
///
/// # Errors
/// All faults of the document.
pub fn custom_soil(document: &Document, laws: &Laws) -> Result<Soil, Diagnostics> {
    let schema = schemars::schema_for!(CustomSoil).to_value();
    Diagnostics::into_result(conform(document, &schema))?;
    let custom: CustomSoil = serde_json::from_value(document.root.value.to_json())
        .map_err(|e| document.diagnostic("", DiagnosticKind::Refused { cause: e.to_string() }))?;
    let mut diagnostics = Vec::new();
    check_custom_soil(&custom, "", &mut |key, problem| {
        diagnostics.push(document.diagnostic(key.trim_start_matches('.'), problem));
    });
    if custom.frost.is_some() {
        let cause = "requires the weight of a vehicle, so it is allowed in scenarios only; remove \
            it"
        .into();
        diagnostics.push(document.diagnostic("frost", DiagnosticKind::Refused { cause }));
    }
    Diagnostics::into_result(diagnostics)?;
    match resolve_soil(&custom, laws, "", document)? {
        (soil, None) => Ok(soil),
        // refused rather than reduced: no warning would report the changed strength
        (_, Some(too_strong_soil)) => Err(too_strong_soil.error(document).into()),
    }
}

/// A soil of the catalog.
fn catalog_soil(name: &str) -> Result<Soil, DiagnosticKind> {
    catalog().find(name).map(|soil| soil.to_soil()).map_err(|error| match error {
        CatalogError::Unknown { suggestion, .. } => DiagnosticKind::UnknownSoil { suggestion },
        other => DiagnosticKind::Refused { cause: other.to_string() },
    })
}

/// Greatest friction of firm ground.
const MAX_FRICTION: f64 = 2.0;

/// The custom soil of a ground with a strength.
fn with_ground_strength(custom: &CustomSoil, strength: Option<f64>) -> CustomSoil {
    let Some(factor) = strength else { return custom.clone() };
    let own = CustomSoil {
        friction: custom.friction.map(|own| (own * factor).min(MAX_FRICTION)),
        ..custom.clone()
    };
    match own.friction {
        Some(_) => own,
        None => CustomSoil { strength: Some(factor * custom.strength.unwrap_or(1.0)), ..own },
    }
}

/// The catalog soil of a ground with a strength, and the reduction if it was too strong.
fn catalog_soil_with_strength(soil: &Soil, factor: f64) -> (Soil, Option<TooStrong>) {
    let (kind, too_strong) = match &soil.kind {
        SoilKind::Firm { friction } => {
            (SoilKind::Firm { friction: (friction * factor).min(MAX_FRICTION) }, None)
        }
        SoilKind::Deformable(own) => {
            let limited = factor.min(strongest(own));
            // tolerance for rounding of the product
            let is_less = limited < factor * (1.0 - 1e-9);
            let key = "soil.strength".to_owned();
            let too_strong = is_less.then_some(TooStrong { key, requested: factor, limited });
            (SoilKind::Deformable(own.with_strength(limited)), too_strong)
        }
    };
    (Soil { kind, ..soil.clone() }, too_strong)
}

/// Builds a custom soil from its base or from its own parameters alone.
///
/// Also returns the reduction of its strength, if it was too strong.
fn resolve_soil(
    custom: &CustomSoil,
    laws: &Laws,
    key: &str,
    document: &Document,
) -> Result<(Soil, Option<TooStrong>), Diagnostic> {
    let crushing = with_snow_pressures(custom, laws);
    let custom = crushing.as_ref().unwrap_or(custom);
    let full_key = |name: &str| format!("{key}{name}").trim_start_matches('.').to_owned();
    let refuse = |name: &str, problem| document.diagnostic(&full_key(name), problem);
    let mut too_strong = None;
    let mut deformable_kind = |parameters: DeformableSoil| {
        let SoilStrength { key, requested, limited } = strength(&parameters, custom);
        // tolerance for rounding of the product
        let is_less = limited < requested * (1.0 - 1e-9);
        too_strong = is_less.then(|| TooStrong { key: full_key(key), requested, limited });
        SoilKind::Deformable(with_weather(parameters, custom, limited))
    };
    let base = custom.based_on.as_deref().map(catalog_soil).transpose();
    let base = base.map_err(|problem| refuse(".based_on", problem))?;
    let kind = match (&base, custom.friction) {
        (Some(Soil { name, kind: SoilKind::Deformable(_), .. }), Some(_)) => {
            let cause = format!(
                "applies to firm ground only, but the base soil `{name}` is deformable; remove one \
                 of the two"
            );
            return Err(refuse(".friction", DiagnosticKind::Refused { cause }));
        }
        (_, Some(friction)) => SoilKind::Firm { friction },
        (Some(Soil { kind: SoilKind::Deformable(base), .. }), None) => {
            deformable_kind(with_custom_parameters(base.clone(), custom))
        }
        (Some(firm), None) => {
            let cause = format!(
                "is firm ground: with base `{}`, friction is the only soil parameter allowed",
                firm.name
            );
            return Err(refuse(".based_on", DiagnosticKind::Refused { cause }));
        }
        (None, None) => deformable_kind(with_custom_parameters(soil_without_base(custom), custom)),
    };
    let source = match (&custom.source, &base) {
        (Some(source), _) => source.clone(),
        (None, Some(base)) => format!("changed by the scenario from: {}", base.source),
        (None, None) => "given in the scenario".to_string(),
    };
    let soil = Soil { name: custom.name.clone(), source, kind };
    match soil.check() {
        Ok(()) => Ok((soil, too_strong)),
        Err(error) => Err(refuse("", DiagnosticKind::Refused { cause: error.to_string() })),
    }
}

/// The soil with the crushing pressure of its snow, unless it specifies pressures itself.
///
/// `None` under laws without layers, which ignore snow and its crushing pressure.
fn with_snow_pressures(custom: &CustomSoil, laws: &Laws) -> Option<CustomSoil> {
    let snow = custom.snow.filter(|_| laws.layers && !custom.has_pressure_sinkage())?;
    let [k_phi, k_c, n] = snow.pressure_sinkage().map(Some);
    Some(CustomSoil { k_phi, k_c, n, ..custom.clone() })
}

/// Initial parameters of a soil without a base: missing ones follow the catalog's rules.
fn soil_without_base(custom: &CustomSoil) -> DeformableSoil {
    let [k_phi, k_c, n] = [custom.k_phi, custom.k_c, custom.n].map(|x| x.unwrap_or(0.0));
    let [reload_stiffness, reload_growth] = assumed_unloading(k_phi, k_c, n).map(Some);
    DeformableSoil {
        k_phi,
        k_c,
        n,
        cohesion: 0.0,
        friction_angle: 0.0,
        shear_modulus: 0.0,
        elastic_stiffness: assumed_elastic_stiffness(k_phi, k_c, n),
        damping: 0.0,
        bulldozing: None,
        details: Details {
            density: Some(ASSUMED_DENSITY),
            reload_stiffness,
            reload_growth,
            ..Details::default()
        },
    }
}

/// Returns the base's parameters, overridden by the scenario's values.
fn with_custom_parameters(base: DeformableSoil, custom: &CustomSoil) -> DeformableSoil {
    DeformableSoil {
        k_phi: custom.k_phi.unwrap_or(base.k_phi),
        k_c: custom.k_c.unwrap_or(base.k_c),
        n: custom.n.unwrap_or(base.n),
        cohesion: custom.cohesion.unwrap_or(base.cohesion),
        friction_angle: custom.friction_angle_deg.map_or(base.friction_angle, f64::to_radians),
        shear_modulus: custom.shear_modulus.unwrap_or(base.shear_modulus),
        elastic_stiffness: custom.elastic_stiffness.unwrap_or(base.elastic_stiffness),
        damping: custom.damping.unwrap_or(base.damping),
        bulldozing: custom.bulldozing.as_ref().map(in_radians).or(base.bulldozing),
        details: details(with_own_unloading(base.details, custom), custom),
    }
}

/// The details of a base without its unloading, if the soil sets a stiffness of unloading itself.
fn with_own_unloading(base: Details, custom: &CustomSoil) -> Details {
    if custom.elastic_stiffness.is_none() {
        return base;
    }
    Details { reload_stiffness: None, reload_growth: None, ..base }
}

fn details(base: Details, custom: &CustomSoil) -> Details {
    let mut details = Details {
        measured_sinkage: custom.measured_sinkage.or(base.measured_sinkage),
        is_snow: custom.snow.is_some() || base.is_snow,
        density: custom.density.or(custom.snow.map(|snow| snow.density)).or(base.density),
        multi_pass: custom.multi_pass.or(base.multi_pass),
        reload_stiffness: custom.reload_stiffness.or(base.reload_stiffness),
        reload_growth: custom.reload_growth.or(base.reload_growth),
        reece: custom.reece.or(base.reece),
        below: custom.below.or(base.below),
        packs_to: base.packs_to,
        trailing_resistance: base.trailing_resistance,
        crust: custom.crust.or(base.crust),
        peak_shear: custom.peak_shear.or(base.peak_shear),
        rate: custom.rate.or(base.rate),
    };
    if let Some(snow) = custom.snow {
        snow.apply_to(&mut details);
        details.reload_stiffness = custom.reload_stiffness;
        details.reload_growth = custom.reload_growth;
    }
    details
}

/// Strength factor of a soil relative to its parameters.
struct SoilStrength {
    /// The key that specifies it.
    key: &'static str,
    /// As requested.
    requested: f64,
    /// As limited by the laws.
    limited: f64,
}

/// Requested and allowed strength of a soil, from its own factor and its moisture.
fn strength(parameters: &DeformableSoil, custom: &CustomSoil) -> SoilStrength {
    // an invalid moisture was refused before
    let moist = custom.moisture.as_ref().and_then(|m| m.strength().ok()).unwrap_or(1.0);
    let (requested, most) = (moist * custom.strength.unwrap_or(1.0), strongest(parameters));
    let key = match &custom.moisture {
        Some(moisture) if custom.strength.is_none() || moist > most => {
            if moisture.content.is_some() { ".moisture.content" } else { ".moisture" }
        }
        _ => ".strength",
    };
    SoilStrength { key, requested, limited: requested.min(most) }
}

/// A soil with a requested strength above the limit of the laws.
struct TooStrong {
    key: String,
    requested: f64,
    limited: f64,
}

impl TooStrong {
    /// The warning that the strength is reduced to the limit.
    fn warning(&self, document: &Document) -> Diagnostic {
        let limited = format!("it is limited to {:.4} times, as in maps", self.limited);
        document.diagnostic(&self.key, DiagnosticKind::Refused { cause: self.cause(&limited) })
    }

    /// The error that the strength is not allowed.
    fn error(&self, document: &Document) -> Diagnostic {
        let most = format!("it must be at most {:.4} times", self.limited);
        document.diagnostic(&self.key, DiagnosticKind::Refused { cause: self.cause(&most) })
    }

    fn cause(&self, instead: &str) -> String {
        format!(
            "makes the soil {:.4} times as strong as its parameters, with a friction angle above \
             59 degrees, about the limit of the laws: {instead}",
            self.requested
        )
    }
}

/// The soil with the scenario's strength and thaw.
fn with_weather(soil: DeformableSoil, custom: &CustomSoil, strength: f64) -> DeformableSoil {
    let mut soil = soil.with_strength(strength);
    if let Some(thaw) = custom.thaw {
        soil = thaw.thawed(&soil);
    }
    soil
}

fn in_radians(config: &BulldozingConfig) -> Bulldozing {
    Bulldozing {
        flow_factor: config.flow_factor,
        erosion_angle: config.erosion_angle_deg.to_radians(),
        erosion_sweeps: config.erosion_sweeps,
        erosion_rings: config.erosion_rings,
    }
}

/// The soil with bulldozing on or off.
fn with_bulldozing(mut soil: Soil, wanted: bool) -> Soil {
    if let SoilKind::Deformable(yielding) = &mut soil.kind {
        yielding.bulldozing = match yielding.bulldozing {
            _ if !wanted => None,
            None => Some(in_radians(&BulldozingConfig::default())),
            given => given,
        };
    }
    soil
}
