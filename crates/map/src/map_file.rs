//! Map file: read, and validated against its schema and as the scenario of its drives.

use super::cells::Cells;
use super::cone_index::ConeIndexLayer;
use super::config::{BarrierCrossing, BarrierKind, MapConfig};
use super::cover::GroundCover;
use super::layers::Layers;
use super::map_checks::{HEARTBEAT, area, barriers, canonical_soil, check_step, diagnostics};
use super::strength::soil_at_strength;
use super::uscs_soils::assign_uscs_soils;
use bekker_ground::soil::{Frost, Soil, SoilId, SoilKind};
use bekker_ground::terrain::SoilMap;
use bekker_math::numeric::GRAVITY;
use bekker_scenario::build::{self, AssetCache, BuiltTerrain, SoilTable};
use bekker_scenario::config::{CustomSoil, SurfaceConfig};
use bekker_scenario::{
    Diagnostic, DiagnosticKind, Diagnostics, Document, DocumentNode, FileKind, ScenarioFile,
    SourceLocation, TomlValue, conform, input,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// Name of the only vehicle of the drives.
pub const VEHICLE: &str = "vehicle";

/// Returns the JSON Schema of a map file.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(MapConfig).to_value()
}

static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(schema);

/// A map file, ready for its drives.
#[derive(Clone, Debug)]
pub struct MapFile {
    /// Contents of the file.
    pub config: MapConfig,
    /// Document of the file, which locates faults.
    pub document: Document,
    /// Scenario with the vehicle on the ground.
    pub base: ScenarioFile,
    /// Soils.
    pub soils: SoilTable,
    /// Ground.
    pub land: BuiltTerrain,
    /// Barriers by position: 0 none, 1 water, 2 obstacle.
    pub barriers: SoilMap,
    /// Mapped area, `[x_min, y_min, x_max, y_max]`, m.
    pub area: [f64; 4],
    /// Ground conditions other than the soil.
    layers: Layers,
    /// Soil of the snow, if there is any.
    snow: Option<Soil>,
    /// Width of the vehicle, m.
    width: f64,
    /// Distance of the vehicle's farthest corner from its origin, m.
    vehicle_radius: f64,
    /// Weight of the vehicle, N.
    weight: f64,
    /// Warning that the node spacing is too coarse for the vehicle.
    spacing_warning: Option<String>,
    /// Warning that the time step is too long for the vehicle.
    step_warning: Option<String>,
}

/// Returns the kind of a barrier by its code in [`MapFile::barriers`].
pub(super) fn barrier(code: SoilId) -> Option<BarrierKind> {
    match code {
        SoilId(0) => None,
        SoilId(1) => Some(BarrierKind::Water),
        _ => Some(BarrierKind::Obstacle),
    }
}

impl MapFile {
    /// Reads a map file and applies `--set` arguments to it.
    ///
    /// # Errors
    /// Every fault of the file with its key, value and what is allowed, and of the files that it
    /// names.
    pub fn read(path: &Path, sets: &[String]) -> Result<MapFile, Diagnostics> {
        let file = path.display().to_string();
        let text = input::read_text(path, input::LARGEST_TEXT).map_err(|error| {
            let problem = DiagnosticKind::Unreadable { cause: error.to_string() };
            Diagnostic::new(SourceLocation::File(file.as_str().into()), "", None, problem)
        })?;
        MapFile::parse(&file, &text, path.parent().unwrap_or(Path::new("")), sets)
    }

    /// Parses a map file from text.
    ///
    /// `file` names it in messages; relative paths start from `folder`.
    ///
    /// # Errors
    /// As of [`MapFile::read`].
    pub fn parse(
        file: &str,
        text: &str,
        folder: &Path,
        sets: &[String],
    ) -> Result<MapFile, Diagnostics> {
        let mut document = Document::parse(file, text)?;
        FileKind::Map.check(&document)?;
        let refused: Vec<Diagnostic> =
            sets.iter().filter_map(|set| document.set(set).err()).collect();
        Diagnostics::into_result(refused)?;
        Diagnostics::into_result(conform(&document, &SCHEMA))?;
        let mut config = read_config(&document)?;
        if assign_uscs_soils(&mut document, &config)? {
            config = read_config(&document)?;
        }
        check_step(config.step).map_err(|allowed| {
            let cause = format!("must be {allowed}");
            document.diagnostic("step", DiagnosticKind::Refused { cause })
        })?;
        let base = scenario_document(&document, &config);
        let base = ScenarioFile::from_document(base, folder).map_err(with_map_keys)?;
        let soils = build::soil_table(&base).map_err(|faults| with_uscs_keys(faults, &document))?;
        let specs = build::vehicle_specs(&base).map_err(with_map_keys)?;
        let width = specs.first().map_or(0.0, |spec| spec.footprint().width);
        let vehicle_radius = specs.first().map_or(0.0, |spec| spec.footprint().reach());
        let weight = specs.first().map_or(0.0, |spec| spec.total_mass() * GRAVITY);
        let vehicles = specs.iter().map(|spec| (config.vehicle.model.as_str(), spec.as_ref()));
        let spacing_warning =
            build::too_few_nodes(vehicles.clone(), soils.soils(), config.ground.spacing);
        let step_warning = build::too_long_step(vehicles, config.step);
        // positions on an elevation model are unknown before it is read, and each drive sets the
        // position of the vehicle anyway; objects of a random surface keep their distance from the
        // vehicle of the file
        let mut bare = base.clone();
        if matches!(config.terrain.surface, SurfaceConfig::Dem { .. }) {
            bare.scenario.vehicle.clear();
        }
        let land = build::terrain(&bare, &soils, &AssetCache::default())
            .map_err(|faults| with_uscs_keys(with_map_keys(faults), &document))?;
        let area = area(&config, &document, land.terrain.bounds())?;
        let barriers = barriers(&config, &document)?;
        Diagnostics::into_result(diagnostics(&config, &document, &soils))?;
        let cone_index = config.cone_index.as_ref();
        let layers = Layers::read(&config.conditions, cone_index, &base, &document, &land)?;
        let snow = config.conditions.snow.as_ref().map(|snow| snow_soil(&base, &snow.soil));
        let snow = snow.transpose()?;
        Ok(MapFile {
            config,
            document,
            base,
            soils,
            land,
            barriers,
            area,
            layers,
            snow,
            width,
            vehicle_radius,
            weight,
            spacing_warning,
            step_warning,
        })
    }

    /// Returns the cover at a point.
    ///
    /// Frost only occurs in yielding soil without a layer below. Stems between which the vehicle
    /// fits are left out.
    pub fn cover(&self, point @ [x, y]: [f64; 2]) -> GroundCover {
        self.cover_over(self.land.terrain.soil(x, y), point)
    }

    /// Returns the cover at a point, with another soil.
    pub(super) fn cover_over(&self, soil: SoilId, point: [f64; 2]) -> GroundCover {
        let snow = self.layers.snow(point);
        let freezes = matches!(
            &self.soils.soils()[usize::from(soil.0)].kind,
            SoilKind::Deformable(own) if own.details.below.is_none()
        );
        GroundCover {
            soil,
            roughness: self.layers.roughness(point),
            snow,
            frost: self.layers.frost(point).filter(|_| freezes && snow.is_none()),
            stems: self.layers.stems(point).filter(|own| own.blocks(self.width)),
            ridges: self.layers.ridges(point),
        }
    }

    /// Returns the warnings of the map.
    ///
    /// They concern the rasters of the ground, a coarse node spacing, a long time step, and an area
    /// beyond the ground. They also concern conditions without a value in some cells, and frost
    /// that the vehicle breaks, on soils and on any of the covers.
    pub fn warnings(&self, covers: &[GroundCover]) -> Vec<String> {
        let (_, broken) = self.soils.clone().with_frost_under(self.weight, &self.base.document);
        let all_warnings = self.land.warnings.iter().chain(&broken);
        let mut warnings: Vec<String> = all_warnings.map(ToString::to_string).collect();
        for (key, warning) in
            [("ground.spacing", &self.spacing_warning), ("step", &self.step_warning)]
        {
            warnings.extend(warning.clone().map(|cause| {
                self.document.diagnostic(key, DiagnosticKind::Refused { cause }).to_string()
            }));
        }
        let cells = Cells::from_bounds(self.area, self.config.cell);
        warnings.extend(self.layers.omissions(&cells).map(|(key, share, instead)| {
            let cause = format!(
                "has no data in {:.1} % of the map's cells, and `value` is not given: {instead}",
                100.0 * share
            );
            let diagnostic =
                self.document.diagnostic(&format!("{key}.file"), DiagnosticKind::Refused { cause });
            diagnostic.to_string()
        }));
        if self.config.area.is_some_and(|asked| asked != self.area) {
            let cause = format!(
                "extends beyond the ground or is not a multiple of the cell size of {} m; the \
                 mapped area is {:?}",
                self.config.cell, self.area
            );
            let diagnostic = self.document.diagnostic("area", DiagnosticKind::Refused { cause });
            warnings.push(diagnostic.to_string());
        }
        for (n, own) in self.config.barrier.iter().enumerate() {
            if !build::region(&own.area).intersects(self.area) {
                let cause = format!("is outside the mapped area {:?} m", self.area);
                let key = format!("barrier[{n}].area");
                warnings.push(
                    self.document.diagnostic(&key, DiagnosticKind::Refused { cause }).to_string(),
                );
            }
        }
        for (n, own) in self.config.crossing.iter().enumerate() {
            warnings.extend(self.obstruction(own).map(|cause| {
                let kind = DiagnosticKind::Refused { cause };
                self.document.diagnostic(&format!("crossing[{n}]"), kind).to_string()
            }));
        }
        let Some(frost) = &self.config.conditions.frost else { return warnings };
        let mut depths: Vec<f64> = covers.iter().filter_map(|cover| cover.frost).collect();
        depths.sort_unstable_by(f64::total_cmp);
        let bears = |depth: f64| Frost { depth, wet: frost.wet }.bearing();
        if let Some(deepest) = depths.into_iter().rev().find(|depth| bears(*depth) < self.weight) {
            let [bears, weighs] = [bears(deepest), self.weight].map(|newtons| newtons / 1e3);
            let cause = format!(
                "frost of {deepest} m or less supports {bears:.1} kN, but the vehicle weighs \
                 {weighs:.1} kN: it drives there on the unfrozen soil"
            );
            let diagnostic =
                self.document.diagnostic("conditions.frost", DiagnosticKind::Refused { cause });
            warnings.push(diagnostic.to_string());
        }
        warnings
    }

    /// Returns the strength of a cover's soil at a point as a factor to its median.
    pub fn strength_at(&self, point: [f64; 2], cover: &GroundCover) -> f64 {
        self.layers.strength(point, self.custom(&self.soil_of(cover).name))
    }

    /// Returns the soil of a cover: the snow, where there is any.
    pub fn soil_of(&self, cover: &GroundCover) -> &Soil {
        let snow = self.snow.as_ref().filter(|_| cover.snow.is_some());
        snow.unwrap_or(&self.soils.soils()[usize::from(cover.soil.0)])
    }

    fn custom(&self, name: &str) -> Option<&CustomSoil> {
        self.config.soil.custom.iter().find(|own| own.name == name)
    }

    /// Returns why the vehicle cannot use a bridge or a ford; `None` if it can.
    pub(super) fn obstruction(&self, crossing: &BarrierCrossing) -> Option<String> {
        crossing.obstruction(self.weight / GRAVITY, self.config.fording_depth.unwrap_or_default())
    }

    /// Returns the distance of the vehicle's farthest corner from its origin, m.
    pub(super) fn vehicle_radius(&self) -> f64 {
        self.vehicle_radius
    }

    /// Returns the map with another time step of its drives, s.
    ///
    /// # Errors
    /// The allowed values, if the step does not divide the heartbeat of the drives.
    pub fn with_step(mut self, step: f64) -> Result<MapFile, String> {
        check_step(step)?;
        for soil in self.soils.soils() {
            let stiff = soil.stiff_parameters(self.config.ground.spacing, step);
            if let Some(stiff) = stiff.first() {
                return Err(format!("short enough for the soil `{}`: {stiff}", soil.name));
            }
        }
        self.config.step = step;
        self.base.scenario.time.step = step;
        Ok(self)
    }

    /// Returns the soil of a cover at a strength as a custom soil named `name`, with the cover's
    /// snow and frost.
    pub(super) fn soil_under(&self, cover: &GroundCover, strength: f64, name: &str) -> CustomSoil {
        let soil = self.soil_of(cover);
        let own = self.custom(&soil.name);
        let mut custom = soil_at_strength(soil, own, strength.min(self.strongest(soil)), name);
        if let (Some(depth), Some(snow)) = (cover.snow, &mut custom.snow) {
            snow.depth = depth;
        }
        if let (Some(depth), Some(frost)) = (cover.frost, &self.config.conditions.frost) {
            custom.frost = Some(Frost { depth, wet: frost.wet });
        }
        custom
    }

    /// Returns the largest strength of a soil that the map's step and spacing allow.
    fn strongest(&self, soil: &Soil) -> f64 {
        match &soil.kind {
            SoilKind::Firm { .. } => f64::INFINITY,
            SoilKind::Deformable(own) => {
                own.strongest_for(self.config.ground.spacing, self.config.step)
            }
        }
    }

    /// Returns the rating cone index of the ground, if the file gives it.
    pub fn cone_index(&self) -> Option<ConeIndexLayer<'_>> {
        ConeIndexLayer::new(&self.config, &self.layers)
    }

    /// Returns the standard deviation of the logarithm of a soil's strength, by its name.
    ///
    /// It is that of its class, if a class of soils has its own.
    pub fn strength_deviation(&self, name: &str) -> f64 {
        let soil = canonical_soil(&self.soils, name);
        let classes = self.config.cone_index.iter().flat_map(|own| own.soils.values());
        let own =
            classes.filter_map(|own| Some((canonical_soil(&self.soils, &own.soil), own.sigma_ln?)));
        let own = own.into_iter().find(|own| own.0 == soil).map(|own| own.1);
        own.unwrap_or(self.config.strength.sigma_ln)
    }

    /// Returns the median strength of a soil by its name, as a multiple of its nominal strength.
    pub fn strength(&self, name: &str) -> f64 {
        let factors = &self.config.strength.factors;
        let soil = canonical_soil(&self.soils, name);
        let own = factors.iter().find(|(given, _)| canonical_soil(&self.soils, given) == soil);
        own.map_or(1.0, |(_, factor)| *factor)
    }
}

/// Returns the contents of a map's document.
fn read_config(document: &Document) -> Result<MapConfig, Diagnostics> {
    let refused = |cause: String| document.diagnostic("", DiagnosticKind::Refused { cause });
    serde_json::from_value(document.root.value.to_json())
        .map_err(|error| refused(error.to_string()).into())
}

/// Returns the soil of the snow by its name.
fn snow_soil(base: &ScenarioFile, name: &str) -> Result<Soil, Diagnostics> {
    let mut file = base.clone();
    file.scenario.soil.default = name.into();
    let soils = build::soil_table(&file)?;
    Ok(soils.soils()[0].clone())
}

/// Converts faults of the scenario to keys of the map, which has one vehicle.
fn with_map_keys(diagnostics: Diagnostics) -> Diagnostics {
    diagnostics.with_key_prefix("vehicle[0]", "vehicle")
}

/// Reports faults of the soil raster at the keys of `cone_index` from which it was made, if it was.
fn with_uscs_keys(faults: Diagnostics, document: &Document) -> Diagnostics {
    let has_soils = document.get("cone_index.soils").is_some();
    let at_source = |fault: Diagnostic| match fault.key.strip_prefix("soil.raster") {
        Some(".file") if has_soils => document.diagnostic("cone_index.uscs.file", *fault.kind),
        Some(_) if has_soils => document.diagnostic("cone_index.soils", *fault.kind),
        _ => fault,
    };
    Diagnostics(faults.0.into_iter().map(at_source).collect())
}

/// Builds the scenario of a map from the map's own nodes, so that faults report their lines.
fn scenario_document(map: &Document, config: &MapConfig) -> Document {
    let location = map.root.location.clone();
    let node = |value| DocumentNode { location: location.clone(), value };
    let number = |x: f64| node(TomlValue::Float(x));
    let mut root: BTreeMap<String, DocumentNode> = BTreeMap::new();
    for key in ["format", "seed", "terrain", "soil", "ground"] {
        if let Some(given) = map.get(key) {
            root.insert(key.into(), given.clone());
        }
    }
    root.insert("name".into(), node(TomlValue::Text("map".into())));
    let times = [("duration", 60.0), ("step", config.step), ("heartbeat", HEARTBEAT)];
    let time = times.map(|(key, time)| (key.to_owned(), number(time))).into();
    root.insert("time".into(), node(TomlValue::Table(time)));
    let mut vehicle = match map.get("vehicle").map(|given| &given.value) {
        Some(TomlValue::Table(given)) => given.clone(),
        _ => BTreeMap::new(),
    };
    vehicle.insert("name".into(), node(TomlValue::Text(VEHICLE.into())));
    let [x, y] = center(config);
    vehicle.insert("position".into(), node(TomlValue::List(vec![number(x), number(y)])));
    let vehicle = DocumentNode {
        location: map.get("vehicle").map_or(location.clone(), |given| given.location.clone()),
        value: TomlValue::Table(vehicle),
    };
    root.insert("vehicle".into(), node(TomlValue::List(vec![vehicle])));
    Document::new(DocumentNode { location: location.clone(), value: TomlValue::Table(root) })
}

/// Returns a point of the ground, as far as the file determines one.
fn center(config: &MapConfig) -> [f64; 2] {
    let middle =
        |[west, south, east, north]: [f64; 4]| [0.5 * (west + east), 0.5 * (south + north)];
    config.area.map_or([0.0; 2], middle)
}
