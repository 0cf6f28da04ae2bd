//! Ground conditions of a map: read from the map file, validated, and evaluated at a point.

use super::cells::Cells;
use super::conditions::{Conditions, Layer, Ridges, Stems};
use super::cone_index_config::ConeIndexConfig;
use super::uscs::UscsClass;
use bekker_ground::soil::Moisture;
use bekker_ground::terrain::{CellContent, Raster, TerrainError, read_raster_with};
use bekker_rig::PSI;
use bekker_scenario::build::BuiltTerrain;
use bekker_scenario::config::{CustomSoil, RoughnessConfig};
use bekker_scenario::{Diagnostic, DiagnosticKind, Diagnostics, Document, ScenarioFile, input};
use std::fmt::Display;

/// Step of depths of snow and frost, m; each depth that occurs has its own table.
const DEPTH_STEP: f64 = 0.05;

/// Ground conditions by position; a condition that the map does not give is `None`.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    strength: Option<ConditionSource<f64>>,
    moisture: Option<ConditionSource<f64>>,
    roughness: Option<ConditionSource<RoughnessConfig>>,
    snow: Option<ConditionSource<f64>>,
    frost: Option<ConditionSource<f64>>,
    stems: Option<ConditionSource<Stems>>,
    ridges: Option<ConditionSource<Ridges>>,
    cone_index: Option<ConeIndexSource>,
}

/// Source of the rating cone index.
#[derive(Clone, Debug)]
enum ConeIndexSource {
    /// Values and their unit, Pa.
    Given(ConditionSource<f64>, f64),
    /// Classes, with the moisture of the map's conditions.
    Classes(ConditionSource<UscsClass>),
}

/// A condition as read from the map file.
#[derive(Clone, Debug)]
struct ConditionSource<T> {
    value: Option<T>,
    raster: Option<Raster>,
    /// Conversion of the raster's numbers to values.
    meaning: ValueMapping<T>,
}

/// Conversion of a raster's numbers to values.
#[derive(Clone, Debug)]
enum ValueMapping<T> {
    Itself(fn(f64) -> T),
    Classes(Vec<(f64, T)>),
}

impl<T: Copy> ConditionSource<T> {
    /// Returns the value at a point: that of the raster, else the general value.
    fn value_at(&self, point: [f64; 2]) -> Option<T> {
        let number = self.raster.as_ref().and_then(|raster| nearest(raster, point));
        let value = number.and_then(|number| match &self.meaning {
            ValueMapping::Itself(of) => Some(of(number)),
            ValueMapping::Classes(classes) => {
                classes.iter().find(|own| own.0 == number).map(|own| own.1)
            }
        });
        value.or(self.value)
    }

    /// Returns the fraction of cells without a value.
    fn missing_share(&self, cells: &Cells) -> f64 {
        if self.value.is_some() {
            return 0.0;
        }
        let all = || 0..cells.count();
        all().filter(|cell| self.value_at(cells.center(*cell)).is_none()).count() as f64
            / cells.count() as f64
    }
}

/// Returns the value of the raster cell that contains a point, if it has one.
fn nearest(raster: &Raster, point: [f64; 2]) -> Option<f64> {
    let [column, row] =
        [0, 1].map(|k| ((point[k] - raster.south_west[k]) / raster.cell[k]).round());
    let inside =
        column >= 0.0 && row >= 0.0 && column < raster.columns as f64 && row < raster.rows as f64;
    let value = inside.then(|| raster.value_at(column as usize, row as usize))?;
    value.is_finite().then_some(value)
}

impl Layers {
    /// Reads the rasters of a map's conditions and checks that they cover its ground.
    pub(super) fn read(
        conditions: &Conditions,
        cone_index: Option<&ConeIndexConfig>,
        base: &ScenarioFile,
        document: &Document,
        land: &BuiltTerrain,
    ) -> Result<Layers, Diagnostics> {
        let reader = ConditionReader { base, document, land };
        let custom = &base.scenario.soil.custom;
        let by_class = cone_index.is_some_and(|own| own.uscs.is_some());
        let has_moisture = by_class || custom.iter().any(|own| own.moisture.is_some());
        if conditions.moisture.is_some() && !has_moisture {
            let cause = "has no effect: no soil of soil.custom has `moisture`";
            return Err(reader.refused("conditions.moisture", &cause));
        }
        if let Some(snow) = &conditions.snow
            && !custom.iter().any(|own| own.name == snow.soil && own.snow.is_some())
        {
            let cause = "must be a soil of soil.custom that has `snow`";
            return Err(reader.refused("conditions.snow.soil", &cause));
        }
        let [snow, frost] = [
            ("conditions.snow.depth", conditions.snow.as_ref().map(|own| &own.depth)),
            ("conditions.frost.depth", conditions.frost.as_ref().map(|own| &own.depth)),
        ];
        Ok(Layers {
            strength: reader.numbers(
                "conditions.strength",
                conditions.strength.as_ref(),
                [0.05, 20.0],
            )?,
            moisture: reader.numbers(
                "conditions.moisture",
                conditions.moisture.as_ref(),
                [0.01, 2.0],
            )?,
            roughness: reader.classes("conditions.roughness", conditions.roughness.as_ref())?,
            snow: reader.numbers(snow.0, snow.1, [0.0, 10.0])?,
            frost: reader.numbers(frost.0, frost.1, [0.0, 5.0])?,
            stems: reader.classes("conditions.stems", conditions.stems.as_ref())?,
            ridges: reader.classes("conditions.ridges", conditions.ridges.as_ref())?,
            cone_index: cone_index
                .map(|own| reader.cone_index(own, conditions.moisture.is_some()))
                .transpose()?,
        })
    }

    /// Returns the median rating cone index at a point, Pa; `None` under snow and on frost.
    pub(super) fn rating_cone_index(&self, point: [f64; 2]) -> Option<f64> {
        if self.snow(point).is_some() || self.frost(point).is_some() {
            return None;
        }
        match self.cone_index.as_ref()? {
            ConeIndexSource::Given(own, unit) => own.value_at(point).map(|value| unit * value),
            ConeIndexSource::Classes(own) => {
                let moisture = self.moisture.as_ref()?.value_at(point)?;
                Some(own.value_at(point)?.rating_cone_index(moisture))
            }
        }
    }

    /// Returns the conditions that lack a value in some cells: the key, the fraction of cells and
    /// what applies there.
    pub(super) fn omissions(
        &self,
        cells: &Cells,
    ) -> impl Iterator<Item = (&'static str, f64, &'static str)> {
        let Layers { strength, moisture, roughness, snow, frost, stems, ridges, cone_index } = self;
        fn missing<T: Copy>(layer: &Option<ConditionSource<T>>, cells: &Cells) -> f64 {
            layer.as_ref().map_or(0.0, |own| own.missing_share(cells))
        }
        let (cone_index_key, cone_index_share) = match cone_index {
            None => ("cone_index", 0.0),
            Some(ConeIndexSource::Classes(own)) => ("cone_index.uscs", own.missing_share(cells)),
            Some(ConeIndexSource::Given(own, PSI)) => {
                ("cone_index.rci_psi", own.missing_share(cells))
            }
            Some(ConeIndexSource::Given(own, _)) => {
                ("cone_index.rci_kpa", own.missing_share(cells))
            }
        };
        let shares = [
            (cone_index_key, cone_index_share, "NRMM is not compared there"),
            (
                "conditions.strength",
                missing(strength, cells),
                "soils have their nominal strength there",
            ),
            (
                "conditions.moisture",
                missing(moisture, cells),
                "soils have their nominal moisture there",
            ),
            (
                "conditions.roughness",
                missing(roughness, cells),
                "the terrain's roughness applies there",
            ),
            ("conditions.snow.depth", missing(snow, cells), "no snow there"),
            ("conditions.frost.depth", missing(frost, cells), "no frost there"),
            ("conditions.stems", missing(stems, cells), "no stems there"),
            ("conditions.ridges", missing(ridges, cells), "no ridges there"),
        ];
        shares.into_iter().filter(|(_, share, _)| *share > 0.0)
    }

    /// Returns the class of roughness at a point.
    pub(super) fn roughness(&self, point: [f64; 2]) -> Option<RoughnessConfig> {
        self.roughness.as_ref()?.value_at(point)
    }

    /// Returns the depth of snow, m; `None` without snow.
    pub(super) fn snow(&self, point: [f64; 2]) -> Option<f64> {
        round_to_step(self.snow.as_ref()?.value_at(point)?)
    }

    /// Returns the depth of frost, m; `None` without frost.
    pub(super) fn frost(&self, point: [f64; 2]) -> Option<f64> {
        round_to_step(self.frost.as_ref()?.value_at(point)?)
    }

    /// Returns the stem pattern at a point.
    pub(super) fn stems(&self, point: [f64; 2]) -> Option<Stems> {
        self.stems.as_ref()?.value_at(point)
    }

    /// Returns the ridges at a point.
    pub(super) fn ridges(&self, point: [f64; 2]) -> Option<Ridges> {
        self.ridges.as_ref()?.value_at(point)
    }

    /// Returns the strength of a soil at a point as a multiple of its nominal strength.
    ///
    /// The nominal strength is that of the soil's parameters.
    pub(super) fn strength(&self, point: [f64; 2], soil: Option<&CustomSoil>) -> f64 {
        let given = self.strength.as_ref().and_then(|own| own.value_at(point)).unwrap_or(1.0);
        let wet = self.moisture.as_ref().and_then(|own| own.value_at(point));
        let moisture = soil.and_then(|own| own.moisture.as_ref());
        let (Some(wet), Some(moisture)) = (wet, moisture) else { return given };
        let now = Moisture { content: Some(wet), ..moisture.clone() };
        // faults of a moisture's rain were reported before
        match (now.strength(), moisture.strength()) {
            (Ok(now), Ok(as_given)) => given * now / as_given,
            _ => given,
        }
    }
}

/// Rounds a depth to whole steps; `None` for a depth of zero.
fn round_to_step(depth: f64) -> Option<f64> {
    let steps = (depth / DEPTH_STEP).round();
    // exactly the decimal value of the depth
    (steps > 0.0).then(|| steps * 5.0 / 100.0)
}

struct ConditionReader<'a> {
    base: &'a ScenarioFile,
    document: &'a Document,
    land: &'a BuiltTerrain,
}

impl ConditionReader<'_> {
    fn refused(&self, key: &str, cause: &dyn Display) -> Diagnostics {
        self.document.diagnostic(key, DiagnosticKind::Refused { cause: cause.to_string() }).into()
    }

    /// Reads the rating cone index from the only one of its sources that is given.
    fn cone_index(
        &self,
        config: &ConeIndexConfig,
        has_moisture: bool,
    ) -> Result<ConeIndexSource, Diagnostics> {
        let kpa = self.numbers("cone_index.rci_kpa", config.rci_kpa.as_ref(), [1.0, 10_000.0])?;
        let psi = self.numbers("cone_index.rci_psi", config.rci_psi.as_ref(), [0.1, 1500.0])?;
        let classes = self.classes("cone_index.uscs", config.uscs.as_ref())?;
        match (kpa, psi, classes) {
            (Some(own), None, None) => Ok(ConeIndexSource::Given(own, 1e3)),
            (None, Some(own), None) => Ok(ConeIndexSource::Given(own, PSI)),
            (None, None, Some(own)) if has_moisture => Ok(ConeIndexSource::Classes(own)),
            (None, None, Some(_)) => Err(self.refused(
                "cone_index.uscs",
                &"needs conditions.moisture: SMSP II gives the cone index of a class over its \
                  moisture",
            )),
            _ => {
                let cause = "must have exactly one of rci_kpa, rci_psi and uscs";
                Err(self.refused("cone_index", &cause))
            }
        }
    }

    /// Reads a condition that is a number within bounds.
    fn numbers(
        &self,
        key: &str,
        layer: Option<&Layer<f64>>,
        [low, high]: [f64; 2],
    ) -> Result<Option<ConditionSource<f64>>, Diagnostics> {
        let Some(layer) = layer else { return Ok(None) };
        let allowed = |value: f64| (low..=high).contains(&value);
        let outside = |key: String| {
            let cause = format!("must be from {low} to {high}");
            self.document.diagnostic(&key, DiagnosticKind::Refused { cause })
        };
        let given = layer.value.iter().map(|value| (format!("{key}.value"), *value));
        let classes = layer.classes.iter();
        let classes = classes.map(|(class, value)| (format!("{key}.classes.{class}"), *value));
        let diagnostics: Vec<Diagnostic> = given
            .chain(classes)
            .filter(|(_, value)| !allowed(*value))
            .map(|(key, _)| outside(key))
            .collect();
        Diagnostics::into_result(diagnostics)?;
        if !layer.classes.is_empty() {
            return self.classes(key, Some(layer));
        }
        let raster = self.raster(key, layer)?;
        let first =
            raster.iter().flat_map(|own| &own.values).position(|x| x.is_finite() && !allowed(*x));
        if let (Some(n), Some(raster)) = (first, &raster) {
            let (row, column, value) = (n / raster.columns, n % raster.columns, raster.values[n]);
            let cause = format!(
                "has {value} in row {row} from the north, column {column} from the west; must be \
                 from {low} to {high}"
            );
            return Err(self.refused(&format!("{key}.file"), &cause));
        }
        Ok(Some(ConditionSource {
            value: layer.value,
            raster,
            meaning: ValueMapping::Itself(|number| number),
        }))
    }

    /// Reads a condition by classes.
    fn classes<T: Copy>(
        &self,
        key: &str,
        layer: Option<&Layer<T>>,
    ) -> Result<Option<ConditionSource<T>>, Diagnostics> {
        let Some(layer) = layer else { return Ok(None) };
        let raster = self.raster(key, layer)?;
        if raster.is_some() && layer.classes.is_empty() {
            let cause = "is missing: give a value for each class of the raster";
            return Err(self.refused(&format!("{key}.classes"), &cause));
        }
        let mut classes = Vec::new();
        for (class, value) in &layer.classes {
            let number: i32 = class.parse().map_err(|_| {
                self.refused(&format!("{key}.classes.{class}"), &"must be a whole number")
            })?;
            let number = f64::from(number);
            if let Some(place) = classes.iter().position(|(own, _)| *own == number) {
                let other = layer.classes.keys().nth(place).map_or("", String::as_str);
                let cause = format!("is class {number}, like classes.{other}; remove one");
                return Err(self.refused(&format!("{key}.classes.{class}"), &cause));
            }
            classes.push((number, *value));
        }
        let known = |x: f64| classes.iter().any(|own| own.0 == x);
        let mut values = raster.iter().flat_map(|own| &own.values);
        if let Some(x) = values.find(|x| x.is_finite() && !known(**x)) {
            let names: Vec<&str> = layer.classes.keys().map(String::as_str).collect();
            let cause = format!("has class {x}, which is not in classes ({})", names.join(", "));
            return Err(self.refused(&format!("{key}.file"), &cause));
        }
        Ok(Some(ConditionSource {
            value: layer.value,
            raster,
            meaning: ValueMapping::Classes(classes),
        }))
    }

    fn raster<T>(&self, key: &str, layer: &Layer<T>) -> Result<Option<Raster>, Diagnostics> {
        let Some(file) = &layer.file else {
            let (needless, cause) = match (layer.classes.is_empty(), &layer.value) {
                (false, _) => ("classes", "needs a raster; give file"),
                (true, None) => ("value", "is missing; give value or file"),
                _ => return Ok(None),
            };
            return Err(self.refused(&format!("{key}.{needless}"), &cause));
        };
        let key = format!("{key}.file");
        let path = self.base.folder.join(file);
        let bytes = self.base.inputs.read(&path, input::LARGEST_BINARY).map_err(|error| {
            let cause = format!("{}: {error}", path.display());
            Diagnostics::from(self.document.diagnostic(&key, DiagnosticKind::Unreadable { cause }))
        })?;
        let sidecars = self.base.inputs.sidecars(&path);
        let sidecars = sidecars.map_err(|error| self.refused(&key, &error))?;
        let (raster, _) = read_raster_with(&bytes, None, &sidecars, CellContent::Values)
            .map_err(|error| self.refused(&key, &error))?;
        let raster = raster.aligned_to(self.land.placement.as_ref());
        let raster = raster.map_err(|error| self.refused(&key, &error))?;
        let bounds = self.land.terrain.bounds();
        raster.check_covers(bounds).map_err(|error| self.refused(&key, &error))?;
        if raster.range().is_none() {
            return Err(self.refused(&key, &TerrainError::Empty));
        }
        Ok(Some(raster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_are_taken_in_whole_steps() {
        assert_eq!([0.0, 0.02, 0.03, 0.31].map(round_to_step), [None, None, Some(0.05), Some(0.3)]);
    }
}
