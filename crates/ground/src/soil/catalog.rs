//! The built-in catalog of soils.
//!
//! # Contents
//!
//! A soil is in the catalog if its pressure–sinkage parameters are published in Bekker's form, or
//! if it is an exact copy of a preset of the reference implementation (`chrono_*`). [`Provenance`]
//! states the provenance of the parameters. The following soils of the reference collection are
//! left out:
//!
//! - Reece's form, which cannot be converted to Bekker's without the dimensions of the plate:
//!   `wr67_compact_sand`, `wr67_loose_sand`, `mars_regolith_reece`, `mars_sand_reece`,
//!   `yolo_loam_reece`;
//! - raw fits from one unpublished source, one of which has no resistance under a narrow plate:
//!   `krc_fine_grain`, `krc_fine_grain_wet`, `krc_coarse_pit`;
//! - parameters tuned by hand to one wheel: `cmu_testbed_sand`, `krex_roverscape`.
//!
//! # Parameters that the tables do not give
//!
//! - *Elastic stiffness.* 100 times the secant of the virgin curve at 100 kPa under a plate 0.2 m
//!   wide, clamped to the range of the reference's presets, 4e7 to 4e8 Pa/m. (The reference
//!   requires a stiffness above k_φ; the two have different units unless n = 1, so that rule is not
//!   followed.)
//! - *Unloading.* k₀ and A_u of [`assumed_unloading`]; of snow, those of Wong's snow.
//! - *Damping.* Zero: pressure–sinkage tables are quasi-static, and any value would add a
//!   resistance that was not measured.
//! - *Shear modulus.* 0.02 m, the middle of the published range for soils.
//! - *Density.* By family ([`assumed_density`]), as no table of pressure and sinkage gives it. It
//!   has no effect on a wheel that rolls straight ahead. It carries locked wheels and wheels at a
//!   slip angle.
//! - *Range.* No table states the depth of its tests. The parameters are assumed to be valid up to
//!   a sinkage of 0.3 m ([`Soil::measured_sinkage`]), and a run warns about deeper sinkage.
//!
//! [`CatalogSoil::assumed`] lists the parameters that were filled in.
//!
//! # Aliases
//!
//! Names such as `mud` or `deep_snow` refer to one of these soils ([`Alias`]) and have no
//! separate parameters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{DeformableSoil, Details, ParameterError, Soil, SoilKind};
use bekker_math::numeric::pow;

/// Provenance of the parameters of a soil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Read in the publication.
    ReadDirectly,
    /// Published; at least two independent transcriptions agree.
    CrossChecked,
    /// Published; from one transcription, or from two that differ slightly.
    Transcribed,
    /// Copied digit by digit from the named file of the reference.
    ExactCopy,
}

impl Provenance {
    /// Returns the provenance in words.
    pub fn words(self) -> &'static str {
        match self {
            Provenance::ReadDirectly => "read directly",
            Provenance::CrossChecked => "cross-checked",
            Provenance::Transcribed => "transcribed",
            Provenance::ExactCopy => "exact copy",
        }
    }
}

/// Least elastic stiffness that is assumed, Pa/m.
const SOFTEST_ELASTIC: f64 = 4e7;
/// Greatest elastic stiffness that is assumed, Pa/m.
pub(super) const STIFFEST_ELASTIC: f64 = 4e8;
/// Shear modulus where none is published, m.
const ASSUMED_SHEAR_MODULUS: f64 = 0.02;

/// Density of loose dry sand, kg/m³, assumed for soils of no known family.
pub const ASSUMED_DENSITY: f64 = 1500.0;

/// Returns the assumed bulk density of a family of soils, kg/m³.
///
/// Loose dry sand has 1440 to 1600 (90 to 100 lb/ft³ in tables of engineering properties). Moist
/// topsoil has 1300 to 1400 dry and 11 to 50 % of water. Saturated clay of 22 to 55 % moisture and
/// grains of 2700 has 2070 to 1680. Snow that bears vehicles has 200 to 400, and the nominal
/// regolith of the *Lunar Sourcebook* 1660. The invented soils of the reference (`preset`) count
/// as sand.
pub fn assumed_density(family: &str) -> f64 {
    match family {
        "loam" => 1600.0,
        "clay" => 1800.0,
        "snow" => 300.0,
        "lunar" => 1660.0,
        "mars" => 1550.0,
        _ => ASSUMED_DENSITY,
    }
}

/// One soil of the catalog.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CatalogSoil {
    /// Id in scenarios.
    pub id: String,
    /// Descriptive name.
    pub name: String,
    /// Family of soil: sand, loam, clay, snow, lunar, mars, preset, rigid.
    pub family: String,
    /// Citation.
    pub source: String,
    /// Provenance of the parameters.
    pub trust: Provenance,
    /// Remarks for users; may be empty.
    pub notes: String,
    /// Source of the parameters of unloading, if they are given.
    pub unloading: Option<String>,
    /// Parameters without a published value, filled in by the rules of this module.
    pub assumed: Vec<&'static str>,
    /// The parameters.
    pub kind: SoilKind,
}

impl CatalogSoil {
    /// Returns the soil for use in a ground, named by its id.
    pub fn to_soil(&self) -> Soil {
        Soil { name: self.id.clone(), source: self.source.clone(), kind: self.kind.clone() }
    }
}

/// An alias of a soil.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alias {
    /// The alias.
    pub id: String,
    /// Id of the soil it points to.
    pub soil: String,
    /// Reason for the choice.
    pub why: String,
}

/// Error in the catalog or in a lookup by name.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// No soil has this name.
    #[error("no soil is named '{name}'{}", suggestion.as_ref().map(|s| format!("; did you mean '{s}'?")).unwrap_or_default())]
    Unknown {
        /// The requested name.
        name: String,
        /// The most similar name, if one is close.
        suggestion: Option<String>,
    },
    /// A catalog could not be parsed.
    #[error("soil catalog: {0}")]
    Syntax(String),
    /// An entry has neither `friction` (rigid) nor all parameters of a deformable soil.
    #[error("soil '{soil}': '{parameter}' is missing")]
    Missing {
        /// Id of the entry.
        soil: String,
        /// The first parameter that is missing.
        parameter: &'static str,
    },
    /// The parameters of an entry are invalid.
    #[error("soil '{soil}': {error}")]
    Parameters {
        /// Id of the entry.
        soil: String,
        /// The error in the parameters.
        error: ParameterError,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    soil: Vec<Entry>,
    #[serde(default)]
    unloading: Vec<Unloading>,
    #[serde(default)]
    alias: Vec<Alias>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    name: String,
    family: String,
    source: String,
    trust: Provenance,
    #[serde(default)]
    notes: String,
    friction: Option<f64>,
    k_phi: Option<f64>,
    k_c: Option<f64>,
    n: Option<f64>,
    cohesion: Option<f64>,
    friction_angle_deg: Option<f64>,
    shear_modulus: Option<f64>,
    elastic_stiffness: Option<f64>,
    damping: Option<f64>,
    measured_sinkage: Option<f64>,
    density: Option<f64>,
}

impl Entry {
    fn resolve(self, unloading: &[Unloading]) -> Result<CatalogSoil, CatalogError> {
        let mut assumed = Vec::new();
        let unloading = unloading.iter().find(|own| own.growth.contains_key(&self.id));
        let kind = match self.friction {
            Some(friction) => SoilKind::Firm { friction },
            None => SoilKind::Deformable(self.yielding(unloading, &mut assumed)?),
        };
        let soil = CatalogSoil {
            id: self.id,
            name: self.name,
            family: self.family,
            source: self.source,
            trust: self.trust,
            notes: self.notes,
            unloading: unloading.map(|own| own.source.clone()),
            assumed,
            kind,
        };
        match soil.to_soil().check() {
            Ok(()) => Ok(soil),
            Err(error) => Err(CatalogError::Parameters { soil: soil.id, error }),
        }
    }

    fn yielding(
        &self,
        unloading: Option<&Unloading>,
        assumed: &mut Vec<&'static str>,
    ) -> Result<DeformableSoil, CatalogError> {
        if unloading.is_some_and(|own| own.assumed) {
            assumed.extend(["reload_stiffness", "reload_growth"]);
        }
        let need = |value: Option<f64>, parameter| {
            value.ok_or_else(|| CatalogError::Missing { soil: self.id.clone(), parameter })
        };
        let mut fill = |value: Option<f64>, parameter, rule: f64| {
            value.unwrap_or_else(|| {
                assumed.push(parameter);
                rule
            })
        };
        let k_phi = need(self.k_phi, "k_phi")?;
        let k_c = need(self.k_c, "k_c")?;
        let n = need(self.n, "n")?;
        let density = assumed_density(&self.family);
        Ok(DeformableSoil {
            k_phi,
            k_c,
            n,
            cohesion: need(self.cohesion, "cohesion")?,
            friction_angle: need(self.friction_angle_deg, "friction_angle_deg")?.to_radians(),
            shear_modulus: fill(self.shear_modulus, "shear_modulus", ASSUMED_SHEAR_MODULUS),
            elastic_stiffness: fill(
                self.elastic_stiffness,
                "elastic_stiffness",
                assumed_elastic_stiffness(k_phi, k_c, n),
            ),
            damping: fill(self.damping, "damping", 0.0),
            bulldozing: None,
            details: Details {
                measured_sinkage: self.measured_sinkage,
                density: Some(fill(self.density, "density", density)),
                reload_stiffness: unloading.map(|own| own.stiffness),
                reload_growth: unloading.and_then(|own| own.growth.get(&self.id)).copied(),
                is_snow: self.family == "snow",
                ..Details::default()
            },
        })
    }
}

/// Returns the assumed elastic stiffness for a soil with a known virgin curve only, Pa/m:
/// 100 times its secant at 100 kPa under a plate 0.2 m wide, within 4e7..4e8.
pub fn assumed_elastic_stiffness(k_phi: f64, k_c: f64, n: f64) -> f64 {
    let pressure = 1e5;
    let modulus = k_c / 0.2 + k_phi;
    if modulus <= 0.0 {
        return SOFTEST_ELASTIC;
    }
    let sinkage = pow(pressure / modulus, 1.0 / n);
    (100.0 * pressure / sinkage).clamp(SOFTEST_ELASTIC, STIFFEST_ELASTIC)
}

/// Returns the assumed k₀, Pa/m, and A_u, Pa/m², for the unloading of a soil with a known virgin
/// curve only.
///
/// They are those of Wong's LETE sand, 0 and 503 MN/m⁴, with A_u times the root of the ratio of both
/// soils' pressures at 10 cm under a plate 0.2 m wide: the modulus of reloading grows with about the
/// root of the pressure (J. Ohde, 1939; N. Janbu, 1963).
pub fn assumed_unloading(k_phi: f64, k_c: f64, n: f64) -> [f64; 2] {
    let pressure = |k_phi: f64, k_c: f64, n: f64| (k_c / 0.2 + k_phi).max(0.0) * pow(0.1, n);
    // a soil without resistance is refused elsewhere
    let ratio = pressure(k_phi, k_c, n).max(1.0) / pressure(5.301e6, 102e3, 0.793);
    [0.0, 5.03e8 * ratio.sqrt()]
}

/// Unloading of some soils of the catalog.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unloading {
    /// Citation.
    source: String,
    /// Whether the values follow from those of another soil.
    assumed: bool,
    /// k₀, Pa/m.
    stiffness: f64,
    /// A_u of each soil, Pa/m².
    growth: BTreeMap<String, f64>,
}

/// Soils and their aliases.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    /// The soils, in the order of the file.
    pub soils: Vec<CatalogSoil>,
    /// Aliases.
    pub aliases: Vec<Alias>,
}

impl Catalog {
    /// Parses a catalog in the schema of the built-in one: `[[soil]]` tables with the parameters in
    /// SI units and `friction_angle_deg` in degrees, and `[[alias]]` tables.
    pub fn parse(text: &str) -> Result<Catalog, CatalogError> {
        let document: Document =
            toml::from_str(text).map_err(|error| CatalogError::Syntax(error.to_string()))?;
        let unloading = &document.unloading;
        let soils = document.soil.into_iter().map(|entry| entry.resolve(unloading));
        let soils: Vec<CatalogSoil> = soils.collect::<Result<_, _>>()?;
        let catalog = Catalog { soils, aliases: document.alias };
        for alias in &catalog.aliases {
            catalog.find(&alias.soil)?;
        }
        Ok(catalog)
    }

    /// Returns the soil called `name`, which may be an alias.
    pub fn find(&self, name: &str) -> Result<&CatalogSoil, CatalogError> {
        let target = self.id_of(name);
        self.soils.iter().find(|soil| soil.id == target).ok_or_else(|| CatalogError::Unknown {
            name: name.to_string(),
            suggestion: self.nearest(name),
        })
    }

    /// Returns the id of the soil to which an alias refers, or else the name itself.
    pub fn id_of<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.iter().find(|alias| alias.id == name).map_or(name, |alias| &alias.soil)
    }

    fn nearest(&self, name: &str) -> Option<String> {
        // the time is quadratic in the length
        if name.len() > 200 {
            return None;
        }
        let ids = self.soils.iter().map(|s| &s.id).chain(self.aliases.iter().map(|a| &a.id));
        // 0.7 accepts one typo in a short name and two or three in a long one
        ids.map(|id| (strsim::jaro_winkler(name, id), id))
            .filter(|(likeness, _)| *likeness > 0.7)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, id)| id.clone())
    }
}

static BUILT_IN: LazyLock<Catalog> = LazyLock::new(|| {
    Catalog::parse(include_str!("catalog.toml")).expect("a test checks the embedded catalog")
});

/// Returns the built-in catalog.
pub fn catalog() -> &'static Catalog {
    &BUILT_IN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soil::Laws;

    fn yielding(id: &str) -> &'static DeformableSoil {
        match &catalog().find(id).unwrap().kind {
            SoilKind::Deformable(y) => y,
            SoilKind::Firm { .. } => panic!("{id} is firm"),
        }
    }

    #[test]
    fn every_entry_is_usable_and_its_name_unique() {
        let catalog = Catalog::parse(include_str!("catalog.toml")).unwrap();
        assert_eq!(catalog.soils.len(), 41);
        let mut ids: Vec<_> = catalog
            .soils
            .iter()
            .map(|s| &s.id)
            .chain(catalog.aliases.iter().map(|a| &a.id))
            .collect();
        ids.sort();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        for soil in &catalog.soils {
            assert!(!soil.source.is_empty(), "{} has no source", soil.id);
        }
    }

    #[test]
    fn figures_are_those_of_the_publications() {
        // Wong, Table 2.3, first row, in the units of its first columns:
        // k_phi = 3.9 lb/in^(n+2), k_c = 0.1 lb/in^(n+1), n = 1.1, c = 0.15 lb/in².
        let (pound, inch, n) = (4.448_221_6, 0.0254, 1.1);
        let sand = yielding("dry_sand_lll");
        // the table rounds its SI column to three digits
        assert!((sand.k_phi / (3.9 * pound / pow(inch, n + 2.0)) - 1.0).abs() < 1e-3);
        assert!((sand.k_c / (0.1 * pound / pow(inch, n + 1.0)) - 1.0).abs() < 1e-2);
        assert!((sand.cohesion / (0.15 * pound / inch / inch) - 1.0).abs() < 1e-2);
        assert!((sand.friction_angle.to_degrees() - 28.0).abs() < 1e-12);
        let soft = yielding("chrono_soft");
        assert_eq!(
            (soft.k_phi, soft.n, soft.elastic_stiffness, soft.damping),
            (2e5, 1.1, 4e7, 3e4)
        );
    }

    #[test]
    fn unpublished_parameters_are_assumed_by_rule_and_marked() {
        let sand = catalog().find("dry_sand_lll").unwrap();
        let unloading = ["reload_stiffness", "reload_growth"];
        let assumed = ["elastic_stiffness", "damping", "density"];
        assert_eq!(sand.assumed, [&unloading[..], &assumed].concat());
        // (k_c/0.2 + k_phi) z^1.1 = 1e5 gives z = 83.7 mm, hence 100 * 1e5/z.
        let stiffness = yielding("dry_sand_lll").elastic_stiffness;
        assert!((stiffness / 1.195e8 - 1.0).abs() < 1e-2, "{stiffness}");
        assert_eq!(yielding("heavy_clay_25_wes").elastic_stiffness, STIFFEST_ELASTIC);
        assert_eq!(yielding("sandy_loam_22_lll").elastic_stiffness, SOFTEST_ELASTIC);
        assert_eq!(
            catalog().find("chrono_mid").unwrap().assumed,
            [&unloading[..], &["density"]].concat()
        );
        assert_eq!(catalog().find("chrono_hard").unwrap().assumed, ["density"]);
        for soil in &catalog().soils {
            let SoilKind::Deformable(own) = &soil.kind else { continue };
            assert!(soil.unloading.is_some(), "{} has no unloading", soil.id);
            let [k0, growth] = own.details.unloading(own.elastic_stiffness, Laws::refined());
            let measured = ["lete_sand_chrono", "chrono_hard"].contains(&soil.id.as_str());
            assert_eq!(!soil.assumed.contains(&"reload_growth"), measured, "{}", soil.id);
            let assumed = assumed_unloading(own.k_phi, own.k_c, own.n);
            // the file has three digits
            let rounded = k0 == 0.0 && (growth / assumed[1] - 1.0).abs() < 5e-3;
            assert!(rounded || soil.family == "snow", "{}: {growth}, {assumed:?}", soil.id);
            let reference = own.details.unloading(own.elastic_stiffness, Laws::reference());
            assert_eq!(reference, [own.elastic_stiffness, 0.0]);
        }
    }

    /// Published where the source gives it, otherwise within the range of its family.
    #[test]
    fn every_deformable_soil_has_a_density() {
        let published = |id: &str| {
            assert!(!catalog().find(id).unwrap().assumed.contains(&"density"), "{id}");
            yielding(id).details.density
        };
        // Table 3 of the paper: 1430 kg/m³. Ishigami's set: 1600 kg/m³.
        assert_eq!(published("push_pull_silica_2020"), Some(1430.0));
        assert_eq!(published("lunar_simulant_fjs1_ishigami"), Some(1600.0));
        for soil in &catalog().soils {
            let SoilKind::Deformable(parameters) = &soil.kind else { continue };
            let range = if soil.family == "snow" { 100.0..550.0 } else { 1200.0..2100.0 };
            let density = parameters.details.density.unwrap();
            assert!(range.contains(&density), "{}: {density}", soil.id);
        }
    }

    #[test]
    fn aliases_point_and_slips_are_put_right() {
        assert_eq!(catalog().find("mud").unwrap().id, "lean_clay_32_wes");
        assert_eq!(
            catalog().find("lean_clay_32_wess").unwrap_err().to_string(),
            "no soil is named 'lean_clay_32_wess'; did you mean 'lean_clay_32_wes'?"
        );
        assert_eq!(
            catalog().find("granite?!").unwrap_err().to_string(),
            "no soil is named 'granite?!'"
        );
    }

    #[test]
    fn faulty_entries_name_themselves() {
        let entry = "[[soil]]\nid='x'\nname='x'\nfamily='x'\nsource='x'\ntrust='exact_copy'\n";
        let message = |rest: &str| Catalog::parse(&format!("{entry}{rest}")).unwrap_err();
        assert_eq!(message("").to_string(), "soil 'x': 'k_phi' is missing");
        let low = "k_phi=1e6\nk_c=0\nn=1\ncohesion=0\nfriction_angle_deg=75";
        assert!(message(low).to_string().starts_with("soil 'x': friction angle, rad is 1.3"));
        assert!(message("color='red'").to_string().contains("unknown field `color`"));
    }
}
