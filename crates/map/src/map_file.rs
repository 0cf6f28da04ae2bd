//! Map file: read, and validated against its schema and as the scenario of its drives.

use super::cells::{Cells, whole_cells};
use super::cone_index::ConeIndexLayer;
use super::config::{BarrierCrossing, BarrierKind, MapConfig};
use super::cover::{GroundCover, StraightPath};
use super::layers::Layers;
use super::speed_observers::MAX_DRIVE_LENGTH;
use super::strength::soil_at_strength;
use super::uscs_soils::assign_uscs_soils;
use bekker_ground::soil::{Frost, Soil, SoilId, SoilKind};
use bekker_ground::terrain::SoilMap;
use bekker_math::numeric::{GRAVITY, atan2, hypot};
use bekker_scenario::build::{self, AssetCache, BuiltTerrain, SoilTable};
use bekker_scenario::config::{self, CustomSoil, DriverConfig, PathEnd, SurfaceConfig};
use bekker_scenario::{
    Diagnostic, DiagnosticKind, Diagnostics, Document, DocumentNode, Scenario, ScenarioFile,
    SourceLocation, TomlValue, conform, input,
};
use bekker_vehicle::Locks;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// Name of the only vehicle of the drives.
pub const VEHICLE: &str = "vehicle";
/// Name of a soil at a strength other than its nominal strength.
const ADJUSTED_SOIL: &str = "soil at strength";
/// Name of the catalog's firm ground.
const FIRM: &str = "rigid";
/// Length of the path beyond the part that is driven, m.
const LENGTH_BEYOND: f64 = 60.0;
/// Distance from the end of a drive's path to the edge of the ground, m.
const EDGE_MARGIN: f64 = 0.5;
/// Distance driven before a cell, m.
///
/// Over it the engine and the converter reach their steady speeds, the driver applies the throttle,
/// and the rear wheels enter the ruts of the front wheels.
const LEAD_IN: f64 = 10.0;
/// Heartbeat of the drives, s.
const HEARTBEAT: f64 = 0.01;
/// Greatest number of cells of a map.
const MAX_CELLS: f64 = 1e8;

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
        let soils = build::soil_table(&base)?;
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
        let land = build::terrain(&bare, &soils, &AssetCache::default()).map_err(with_map_keys)?;
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

    /// Returns a drive straight ahead on a plane of one cover at a strength.
    ///
    /// The plane rises with the slope `along` the path and `across` it to the left, rise over run,
    /// and has the roughness of the map. `held` limits the driver's speed, m/s, in addition to the
    /// map's limit.
    pub fn on_plane(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        [along, across]: [f64; 2],
    ) -> Scenario {
        let line = StraightPath { from: [0.0; 2], towards: [1.0, 0.0], length: MAX_DRIVE_LENGTH };
        let mut scenario = self.drive(cover, held, strength, line, f64::INFINITY);
        let own = self.base.scenario.terrain.stamp.len();
        scenario.terrain.stamp.drain(..own);
        scenario.terrain.surface = SurfaceConfig::Slope {
            elevation: 0.0,
            grade: hypot(along, across),
            uphill_deg: atan2(across, along).to_degrees(),
        };
        scenario
    }

    /// Returns a drive over a level plane of firm ground with the roughness of a cover.
    ///
    /// The ground is the cover's own soil if that is firm, else a firm road.
    pub fn on_firm(&self, cover: &GroundCover) -> Scenario {
        let bare = GroundCover { roughness: cover.roughness, ..GroundCover::bare(cover.soil) };
        let mut scenario = self.on_plane(&bare, f64::INFINITY, 1.0, [0.0; 2]);
        if matches!(self.soil_of(cover).kind, SoilKind::Deformable(_)) {
            scenario.soil = config::SoilMapConfig {
                default: FIRM.into(),
                strength: None,
                raster: None,
                zone: Vec::new(),
                custom: Vec::new(),
            };
        }
        scenario
    }

    /// Returns a drive straight over the ground itself, across a cell's length about a point.
    ///
    /// `towards` is a unit vector. The drive is on one cover at a strength. `held` limits the
    /// speed, m/s, in addition to the map's limit. It starts `lead_in` m before the cell.
    pub fn on_ground(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        center: [f64; 2],
        towards: [f64; 2],
        lead_in: f64,
    ) -> Scenario {
        let from = self.entry(center, towards);
        let length_ahead =
            distance_to_edge(self.land.terrain.bounds(), from, towards) - EDGE_MARGIN;
        let line = StraightPath { from, towards, length: self.config.cell };
        let mut scenario = self.drive(cover, held, strength, line, length_ahead);
        let start = [0, 1].map(|k| from[k] - lead_in * towards[k]);
        scenario.vehicle[0].position = start;
        if let DriverConfig::Path { waypoints, .. } = &mut scenario.vehicle[0].driver {
            waypoints[0] = start;
        }
        scenario
    }

    /// Returns the distance before a cell at which a drive over the ground itself starts, m.
    ///
    /// It is reduced at the edge of the ground.
    pub(super) fn lead_in(&self, center: [f64; 2], towards: [f64; 2]) -> f64 {
        let from = self.entry(center, towards);
        let behind = distance_to_edge(self.land.terrain.bounds(), from, towards.map(|part| -part));
        LEAD_IN.min(0.5 * behind).max(0.0)
    }

    /// Returns the point at which a drive enters a cell with a center, in a direction.
    fn entry(&self, center: [f64; 2], towards: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|k| center[k] - 0.5 * self.config.cell * towards[k])
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

    /// Returns a drive along a path.
    ///
    /// `held` limits the driver's speed, m/s; `length_ahead` is the length of the ground ahead, m.
    fn drive(
        &self,
        cover: &GroundCover,
        held: f64,
        strength: f64,
        line: StraightPath,
        length_ahead: f64,
    ) -> Scenario {
        let StraightPath { from, towards, length } = line;
        let reach = (length + LENGTH_BEYOND).min(length_ahead);
        let to = [0, 1].map(|k| from[k] + reach * towards[k]);
        let mut vehicle = self.base.scenario.vehicle[0].clone();
        vehicle.position = from;
        vehicle.heading_deg = atan2(towards[1], towards[0]).to_degrees();
        let speed = self.config.speed.min(held);
        vehicle.speed = self.config.entry_speed.min(speed);
        vehicle.driver = path(vec![from, to], speed, PathEnd::Continue);
        let mut terrain = self.base.scenario.terrain.clone();
        terrain.roughness = cover.roughness.or(terrain.roughness);
        terrain.stamp.extend(cover.ridges.iter().flat_map(|own| own.across_path(&line)));
        Scenario {
            terrain,
            scenery: cover.stems.iter().map(|own| own.along_path(&line)).collect(),
            soil: config::SoilMapConfig {
                default: ADJUSTED_SOIL.into(),
                // the friction of firm ground in the table already has the factor
                strength: match self.soil_of(cover).kind {
                    SoilKind::Firm { .. } => None,
                    SoilKind::Deformable(_) => self.config.soil.strength,
                },
                raster: None,
                zone: Vec::new(),
                custom: vec![self.soil_under(cover, strength, ADJUSTED_SOIL)],
            },
            vehicle: vec![vehicle],
            ..self.base.scenario.clone()
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

/// Returns the distance from a point of a rectangle to its edge along a unit vector, m.
fn distance_to_edge(bounds: [f64; 4], from: [f64; 2], towards: [f64; 2]) -> f64 {
    let to = |k: usize| {
        let edge = if towards[k] > 0.0 { bounds[k + 2] } else { bounds[k] };
        // no edge is reached along this axis
        if towards[k] == 0.0 { f64::INFINITY } else { (edge - from[k]) / towards[k] }
    };
    to(0).min(to(1))
}

/// Returns the soil of the snow by its name.
fn snow_soil(base: &ScenarioFile, name: &str) -> Result<Soil, Diagnostics> {
    let mut file = base.clone();
    file.scenario.soil.default = name.into();
    let soils = build::soil_table(&file)?;
    Ok(soils.soils()[0].clone())
}

/// Returns a driver along waypoints with a speed limit, m/s.
pub(super) fn path(waypoints: Vec<[f64; 2]>, speed: f64, at_end: PathEnd) -> DriverConfig {
    let (look_ahead, start, stop, reverse) = (5.0, 0.0, None, false);
    DriverConfig::Path {
        waypoints,
        speed,
        look_ahead,
        start,
        stop,
        reverse,
        at_end,
        lateral_acceleration: None,
        acceleration: None,
        slip_limit: None,
        locks: Locks::OPEN,
    }
}

/// Converts faults of the scenario to keys of the map, which has one vehicle.
fn with_map_keys(diagnostics: Diagnostics) -> Diagnostics {
    diagnostics.with_key_prefix("vehicle[0]", "vehicle")
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

/// Checks that the step is in whole microseconds and divides the heartbeat of the drives.
///
/// Otherwise the error is the allowed value.
fn check_step(step: f64) -> Result<(), String> {
    let [whole, micros] = [HEARTBEAT, step].map(|time| (1e6 * time).round() as u64);
    let fills = |micros: &u64| whole.is_multiple_of(*micros);
    if (1e6 * step - micros as f64).abs() < 1e-6 && fills(&micros) {
        return Ok(());
    }
    let below = (1..=micros).rev().find(fills).unwrap_or(1) as f64 / 1e6;
    Err(format!(
        "an integer fraction of the {HEARTBEAT} s heartbeat of the drives; the next smaller is \
         {below}"
    ))
}

/// Returns a point of the ground, as far as the file determines one.
fn center(config: &MapConfig) -> [f64; 2] {
    let middle =
        |[west, south, east, north]: [f64; 4]| [0.5 * (west + east), 0.5 * (south + north)];
    config.area.map_or([0.0; 2], middle)
}

/// Returns the mapped area: whole cells, at least a cell inside the ground.
///
/// So every slope is computed from known heights.
fn area(
    config: &MapConfig,
    document: &Document,
    bounds: [f64; 4],
) -> Result<[f64; 4], Diagnostics> {
    let refused = |cause: String| {
        let key = if config.area.is_some() { "area" } else { "terrain.surface" };
        Diagnostics::from(document.diagnostic(key, DiagnosticKind::Refused { cause }))
    };
    let [west, south, east, north] = config.area.unwrap_or(bounds);
    let asked = [west, south, east, north];
    if !asked.iter().all(|edge| edge.is_finite()) {
        return Err(refused("is unbounded; give area = [x_min, y_min, x_max, y_max], m".into()));
    }
    let margin = 1.5 * config.cell;
    let inside = [
        west.max(bounds[0] + margin),
        south.max(bounds[1] + margin),
        east.min(bounds[2] - margin),
        north.min(bounds[3] - margin),
    ];
    let [columns, rows] = [0, 1].map(|k| whole_cells(inside[k + 2] - inside[k], config.cell));
    if columns < 1.0 || rows < 1.0 {
        let cell = config.cell;
        return Err(refused(format!(
            "contains no cell of {cell} m that is at least a cell inside the ground {bounds:?} m"
        )));
    }
    if columns * rows > MAX_CELLS {
        let count = columns * rows;
        return Err(refused(format!("has {count:.0} cells; must have at most {MAX_CELLS:.0}")));
    }
    Ok(Cells::from_bounds(inside, config.cell).bounds())
}

fn barriers(config: &MapConfig, document: &Document) -> Result<SoilMap, Diagnostics> {
    let mut map = SoilMap::uniform(SoilId(0));
    for (n, own) in config.barrier.iter().enumerate() {
        let code = match own.kind {
            BarrierKind::Water => SoilId(1),
            BarrierKind::Obstacle => SoilId(2),
        };
        map = map.paint(build::region(&own.area), code).map_err(|error| {
            let problem = DiagnosticKind::Refused { cause: error.to_string() };
            document.diagnostic(&format!("barrier[{n}].area"), problem)
        })?;
    }
    Ok(map)
}

/// Returns the faults of a map that concern no other file.
fn diagnostics(config: &MapConfig, document: &Document, soils: &SoilTable) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if document.get("entry_speed").is_some() && config.entry_speed > config.speed {
        let cause = format!("must be at most speed = {} m/s", config.speed);
        found.push(document.diagnostic("entry_speed", DiagnosticKind::Refused { cause }));
    }
    let is_ford = |own: &BarrierCrossing| matches!(own, BarrierCrossing::Ford { .. });
    if config.fording_depth.is_none() && config.crossing.iter().any(is_ford) {
        let cause = "is missing: a ford needs the depth that the vehicle fords, m".into();
        found.push(document.diagnostic("fording_depth", DiagnosticKind::Refused { cause }));
    }
    if !config.directions.is_multiple_of(4) {
        let cause = "must be a multiple of 4, so that each direction has its opposite and \
            perpendicular ones"
            .into();
        found.push(document.diagnostic("directions", DiagnosticKind::Refused { cause }));
    }
    let snow = config.conditions.snow.as_ref().map(|own| own.soil.as_str());
    let mut named: Vec<&str> = Vec::new();
    for name in config.strength.factors.keys() {
        let soil = canonical_soil(soils, name);
        let is_known = snow == Some(name) || soils.catalog_ids().iter().any(|own| own == soil);
        let cause = if !is_known {
            let known = soils.soils().iter().map(|own| own.name.as_str()).chain(snow);
            format!(
                "is not a soil of this map; must be one of {}",
                known.collect::<Vec<_>>().join(", ")
            )
        } else if named.contains(&soil) {
            format!("is the soil {soil}, which already has a factor")
        } else {
            named.push(soil);
            continue;
        };
        let key = format!("strength.factors.{name}");
        found.push(document.diagnostic(&key, DiagnosticKind::Refused { cause }));
    }
    found.extend(object_keys(&config.terrain.surface).map(|key| {
        let cause =
            "is not supported in maps; use conditions.stems, conditions.ridges or [[barrier]]";
        let key = format!("terrain.surface.{key}");
        document.diagnostic(&key, DiagnosticKind::Refused { cause: cause.into() })
    }));
    found
}

/// Returns the catalog name of a soil, given that name or its name in the map.
fn canonical_soil<'a>(soils: &'a SoilTable, name: &'a str) -> &'a str {
    soils.id(name).map_or(name, |id| soils.catalog_ids()[usize::from(id.0)].as_str())
}

/// Returns the keys of the objects on a random surface.
fn object_keys(surface: &SurfaceConfig) -> impl Iterator<Item = &'static str> {
    let objects = match surface {
        SurfaceConfig::Random(own) => vec![
            ("holes", own.holes.count, own.holes.density),
            ("trees", own.trees.count, own.trees.density),
            ("rocks", own.rocks.count, own.rocks.density),
            ("barriers", own.barriers.count, own.barriers.density),
        ],
        _ => Vec::new(),
    };
    let any = |count: Option<u32>, density: Option<f64>| {
        count.is_some_and(|count| count > 0) || density.is_some_and(|density| density > 0.0)
    };
    let given = objects.into_iter().filter(move |(_, count, density)| any(*count, *density));
    given.map(|(key, ..)| key)
}
