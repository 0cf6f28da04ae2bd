//! Checks of the values of a map file: time step, area, barriers, strengths.

use super::cells::{Cells, whole_cells};
use super::config::{BarrierCrossing, BarrierKind, MapConfig};
use bekker_ground::soil::SoilId;
use bekker_ground::terrain::SoilMap;
use bekker_scenario::build::{self, SoilTable};
use bekker_scenario::config::SurfaceConfig;
use bekker_scenario::{Diagnostic, DiagnosticKind, Diagnostics, Document};

/// Heartbeat of the drives, s.
pub(super) const HEARTBEAT: f64 = 0.01;
/// Greatest number of cells of a map.
const MAX_CELLS: f64 = 1e8;

/// Checks that the step is in whole microseconds and divides the heartbeat of the drives.
///
/// Otherwise the error is the allowed value.
pub(super) fn check_step(step: f64) -> Result<(), String> {
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

/// Returns the mapped area: whole cells, at least a cell inside the ground.
///
/// So every slope is computed from known heights.
pub(super) fn area(
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

/// Returns the barriers by position: 0 none, 1 water, 2 obstacle.
pub(super) fn barriers(config: &MapConfig, document: &Document) -> Result<SoilMap, Diagnostics> {
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
pub(super) fn diagnostics(
    config: &MapConfig,
    document: &Document,
    soils: &SoilTable,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if document.get("entry_speed").is_some() && config.entry_speed > config.speed {
        let cause = format!("must be at most speed = {} m/s", config.speed);
        found.push(document.diagnostic("entry_speed", DiagnosticKind::Refused { cause }));
    }
    if config.cell_entry_speed.is_some_and(|speed| speed > config.speed) {
        let cause = format!("must be at most speed = {} m/s", config.speed);
        found.push(document.diagnostic("cell_entry_speed", DiagnosticKind::Refused { cause }));
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
pub(super) fn canonical_soil<'a>(soils: &'a SoilTable, name: &'a str) -> &'a str {
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
