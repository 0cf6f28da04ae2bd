//! The terrain of a scenario, with its soils.

use super::SoilTable;
use super::asset_cache::{AssetCache, ElevationKey, Elevations};
use super::site::site;
use crate::config::{self, AreaConfig, OriginName, RandomSurface};
use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::document::Document;
use crate::input::{LARGEST_BINARY, LARGEST_TILED};
use crate::inputs::sha256;
use crate::random_world::{RandomWorld, random_world};
use crate::{Diagnostics, OpenedInput, ScenarioFile};
use bekker_ground::soil::SoilId;
use bekker_ground::terrain::{
    CellContent, FramePlacement, Gaps, HeightUnit, NoData, Origin, PngScale, Procedural, Raster,
    RasterFile, RasterWarning, Roughness, RoughnessClass, Sidecars, SoilMap, SoilRegion, Stamp,
    StampFace, Surface, Terrain, TerrainError, read_raster_with,
};
use bekker_math::geodesy::Site;
use bekker_math::numeric::{cos, sin};
use std::fmt::{self, Display};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The undisturbed ground of a scenario.
#[derive(Clone, Debug)]
pub struct BuiltTerrain {
    /// The terrain.
    pub terrain: Terrain,
    /// Placement of its local frame on the earth, if a DEM specifies it.
    pub placement: Option<FramePlacement>,
    /// Geographic location, by `[site]` or a DEM.
    pub site: Option<Site>,
    /// The objects on a random surface.
    pub random: Option<RandomWorld>,
    /// Warnings about the terrain.
    pub warnings: Vec<Diagnostic>,
}

/// Opens the terrain of a scenario and checks that all vehicles and waypoints are on it.
///
/// # Errors
/// Files that cannot be read or used, and points outside the terrain.
pub fn terrain(
    file: &ScenarioFile,
    soils: &SoilTable,
    assets: &AssetCache,
) -> Result<BuiltTerrain, Diagnostics> {
    let mut builder =
        TerrainAssembly { file, soils, assets, placement: None, gaps: None, warnings: Vec::new() };
    let surface = builder.surface()?;
    let config = &file.scenario.terrain;
    let ends = match &config.surface {
        config::SurfaceConfig::Random(own) => {
            let [x, y] = own.size.map(|length| 0.5 * length);
            Some([-x, -y, x, y])
        }
        _ => None,
    };
    let map = builder.soil_map(ends.unwrap_or_else(|| surface.bounds()))?;
    let mut terrain = Terrain::builder(surface, map).gaps(builder.gaps.take());
    if let Some(class) = config.roughness {
        terrain = terrain.roughness(Roughness::new(roughness_class(class), file.scenario.seed));
    }
    let random = random_world(file)?;
    if let Some(bounds) = ends {
        terrain = terrain.bounds(bounds);
    }
    for hole in random.iter().flat_map(RandomWorld::stamps) {
        terrain = terrain.stamp(hole);
    }
    for entry in &config.stamp {
        terrain = terrain.stamp(stamp(entry));
    }
    let terrain = terrain.build().map_err(|error| builder.diagnostics("terrain", &error))?;
    Diagnostics::into_result(positions_outside(file, &terrain))?;
    let TerrainAssembly { placement, mut warnings, .. } = builder;
    let (site, doubt) = site(&file.document, file.scenario.site.as_ref(), placement.as_ref());
    warnings.extend(doubt);
    warnings.extend(scenery_outside(file, &terrain));
    Ok(BuiltTerrain { terrain, placement, site, random, warnings })
}

/// Key of a terrain's elevation model.
const ELEVATIONS: &str = "terrain.surface.file";

/// The hashes of an elevation model and of its sidecar files, as a cache key.
fn content_key(opened: &OpenedInput, sidecars: &Sidecars) -> String {
    let Sidecars { world, projection, auxiliary, mask } = sidecars;
    let hashes = [world, projection, auxiliary, mask]
        .map(|content| content.as_deref().map_or_else(String::new, sha256));
    format!("{} {}", opened.sha256, hashes.join(" "))
}

/// An error with a hint at the keys that help with missing data.
struct ErrorWithRemedy(TerrainError);

impl Display for ErrorWithRemedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        match self.0 {
            TerrainError::NoData { .. } => write!(
                f,
                " (terrain.surface.crop; terrain.surface.no_data = \"keep\", \"fill_nearest\" or \
                 \"fill_interpolated\")"
            ),
            _ => Ok(()),
        }
    }
}

struct TerrainAssembly<'a> {
    file: &'a ScenarioFile,
    soils: &'a SoilTable,
    assets: &'a AssetCache,
    placement: Option<FramePlacement>,
    gaps: Option<Arc<Gaps>>,
    warnings: Vec<Diagnostic>,
}

impl TerrainAssembly<'_> {
    fn document(&self) -> &Document {
        &self.file.document
    }

    fn diagnostics(&self, key: &str, error: &dyn Display) -> Diagnostics {
        self.document().diagnostic(key, DiagnosticKind::Refused { cause: error.to_string() }).into()
    }

    fn surface(&mut self) -> Result<Surface, Diagnostics> {
        let key = "terrain.surface";
        match &self.file.scenario.terrain.surface {
            config::SurfaceConfig::Flat { elevation } => {
                Ok(Surface::Plane { elevation: *elevation, slope: [0.0; 2] })
            }
            config::SurfaceConfig::Slope { elevation, grade, uphill_deg } => {
                let uphill = uphill_deg.to_radians();
                let slope = [grade * cos(uphill), grade * sin(uphill)];
                Ok(Surface::Plane { elevation: *elevation, slope })
            }
            config::SurfaceConfig::Procedural { elevation, amplitude, wavelength, octaves }
            | config::SurfaceConfig::Random(RandomSurface {
                elevation,
                amplitude,
                wavelength,
                octaves,
                ..
            }) => {
                let seed = self.file.scenario.seed;
                Procedural::new(*elevation, *amplitude, *wavelength, *octaves, seed)
                    .map(Surface::Procedural)
                    .map_err(|error| self.diagnostics(key, &error))
            }
            surface @ config::SurfaceConfig::Dem { file, .. } => {
                let opened = self.open_elevations(file)?;
                // read even if the model is cached, so that each scenario lists them among its
                // inputs
                let sidecars = self.sidecars(file, ELEVATIONS)?;
                let content = content_key(&opened, &sidecars);
                let key = ElevationKey { surface: surface.clone(), content };
                let elevations =
                    self.assets.elevations(key, || self.elevations(surface, opened, &sidecars))?;
                self.placement = Some(elevations.placement);
                self.gaps = elevations.gaps;
                self.warn(ELEVATIONS, &elevations.warnings);
                Ok(elevations.surface)
            }
        }
    }

    /// The surface of an elevation model in a file.
    fn elevations(
        &self,
        surface: &config::SurfaceConfig,
        opened: OpenedInput,
        sidecars: &Sidecars,
    ) -> Result<Elevations, Diagnostics> {
        let config::SurfaceConfig::Dem { origin, crop, no_data, epsg, height_unit, .. } = surface
        else {
            unreachable!("only elevation models are read from files")
        };
        let refused = |error: TerrainError| self.diagnostics(ELEVATIONS, &ErrorWithRemedy(error));
        let unreadable = |error: io::Error| self.diagnostics(ELEVATIONS, &error);
        let tiled = match no_data {
            config::NoDataConfig::Refuse => {
                opened.geotiff(sidecars).map_err(refused)?.filter(is_large)
            }
            // filling gaps needs the whole raster
            config::NoDataConfig::FillNearest
            | config::NoDataConfig::FillInterpolated
            | config::NoDataConfig::Keep => None,
        };
        if let Some(raster) = tiled {
            let raster = raster
                .with_reference(*epsg, height_unit.map(unit_of_heights))
                .map_err(|error| self.diagnostics("terrain.surface", &error))?;
            let placement = raster
                .placement(origin_of(*origin))
                .map_err(|error| self.diagnostics("terrain.surface.origin", &error))?;
            let window = raster
                .window(&placement, *crop)
                .map_err(|error| self.diagnostics("terrain.surface.crop", &error))?;
            let (surface, warnings) = raster.surface(window, CACHE_SIZE).map_err(refused)?;
            let warnings = warnings.iter().map(ToString::to_string).collect();
            return Ok(Elevations { surface, gaps: None, placement, warnings });
        }
        let bytes = opened.read(LARGEST_BINARY).map_err(unreadable)?;
        let (raster, mut warnings) =
            read_raster_with(&bytes, png_scale(surface).as_ref(), sidecars, CellContent::Heights)
                .map_err(refused)?;
        warnings.retain(|own| !own.is_settled_by(*epsg));
        let raster = raster
            .with_reference(*epsg, height_unit.map(unit_of_heights))
            .map_err(|error| self.diagnostics("terrain.surface", &error))?;
        let (local, placement) = raster
            .localized(origin_of(*origin))
            .map_err(|error| self.diagnostics("terrain.surface.origin", &error))?;
        // gaps are filled from all surrounding cells, also from those that are cropped away
        let rule = no_data_rule(*no_data);
        let cropped = |raster: Raster| match crop {
            Some(bounds) => raster
                .cropped(*bounds)
                .map_err(|error| self.diagnostics("terrain.surface.crop", &error)),
            None => Ok(raster),
        };
        let gaps = match (no_data, crop) {
            (config::NoDataConfig::Keep, None) => Gaps::from_raster(&local),
            (config::NoDataConfig::Keep, Some(bounds)) => Gaps::from_part(&local, *bounds)
                .map_err(|error| self.diagnostics("terrain.surface.crop", &error))?,
            _ => None,
        };
        if gaps.as_ref().is_some_and(|gaps| gaps.share() == 1.0) {
            return Err(refused(TerrainError::Empty));
        }
        let local = match rule {
            NoData::Refuse => local,
            _ => local.without_gaps(rule).map_err(refused)?,
        };
        let cropped = cropped(local)?;
        let surface =
            cropped.without_gaps(NoData::Refuse).and_then(Surface::raster).map_err(refused)?;
        let mut warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        warnings.extend(gaps.as_ref().map(gap_warning));
        Ok(Elevations { surface, gaps: gaps.map(Arc::new), placement, warnings })
    }

    /// The soil map; `ground` is the extent of the surface, m.
    fn soil_map(&mut self, ground: [f64; 4]) -> Result<SoilMap, Diagnostics> {
        let soil = &self.file.scenario.soil;
        let mut map = SoilMap::uniform(self.id(&soil.default));
        if let Some(classes) = &soil.raster {
            let key = "soil.raster.file";
            let bytes = self.read_bytes(&classes.file, key)?;
            let sidecars = self.sidecars(&classes.file, key)?;
            let (raster, warnings) = read_raster_with(&bytes, None, &sidecars, CellContent::Values)
                .map_err(|error| self.diagnostics(key, &error))?;
            let reference = self.placement.as_ref().and_then(|own| own.crs.epsg);
            // stair steps are normal for classes, and class rasters use the elevation model's
            // coordinates
            let doubts = warnings.iter().filter(|own| {
                !(matches!(own, RasterWarning::StairSteps { .. }) || own.is_settled_by(reference))
            });
            self.warn(key, &doubts.map(ToString::to_string).collect::<Vec<_>>());
            let table: Vec<(i32, SoilId)> = classes
                .classes
                .iter()
                .filter_map(|(class, name)| Some((class.parse().ok()?, self.id(name))))
                .collect();
            // class rasters use the coordinates of the DEM, or local meters without one
            let local = raster.aligned_to(self.placement.as_ref());
            let (covered, laid) = local
                .and_then(|local| {
                    local.check_covers(ground)?;
                    let laid = SoilMap::classes(&local, &table, Some(self.id(&soil.default)))?;
                    Ok((local.covered_bounds(), laid))
                })
                .map_err(|error| self.diagnostics(key, &error))?;
            map = laid;
            let uncovered = coverage_warning(covered, ground);
            self.warn(key, &uncovered.into_iter().collect::<Vec<_>>());
        }
        for (index, zone) in soil.zone.iter().enumerate() {
            let key = format!("soil.zone[{index}].area");
            map = map
                .paint(region(&zone.area), self.id(&zone.soil))
                .map_err(|error| self.diagnostics(&key, &error))?;
        }
        Ok(map)
    }

    /// The id of a soil in the table.
    fn id(&self, name: &str) -> SoilId {
        self.soils.id(name).unwrap_or_default()
    }

    fn open_elevations(&self, file: &Path) -> Result<OpenedInput, Diagnostics> {
        let path = self.file.folder.join(file);
        self.file.inputs.open(&path, LARGEST_TILED).map_err(|error| {
            let cause = format!("{}: {error}", path.display());
            self.document().diagnostic(ELEVATIONS, DiagnosticKind::Unreadable { cause }).into()
        })
    }

    fn sidecars(&self, file: &Path, key: &str) -> Result<Sidecars, Diagnostics> {
        let sidecars = self.file.inputs.sidecars(&self.file.folder.join(file));
        sidecars.map_err(|error| self.diagnostics(key, &error))
    }

    fn read_bytes(&self, file: &Path, key: &str) -> Result<Vec<u8>, Diagnostics> {
        let path = self.file.folder.join(file);
        self.file.inputs.read(&path, LARGEST_BINARY).map_err(|error| {
            let cause = format!("{}: {error}", path.display());
            self.document().diagnostic(key, DiagnosticKind::Unreadable { cause }).into()
        })
    }

    fn warn(&mut self, key: &str, warnings: &[String]) {
        for cause in warnings {
            let problem = DiagnosticKind::Refused { cause: cause.clone() };
            self.warnings.push(self.document().diagnostic(key, problem));
        }
    }
}

/// Reports how many cells without data are kept.
fn gap_warning(gaps: &Gaps) -> String {
    format!(
        "{} cells ({:.1} %) have no data and are off limits; images and sensors use the height of \
         the nearest cell with data there",
        gaps.count(),
        100.0 * gaps.share()
    )
}

/// A warning if a raster of classes leaves at least 1 % of the ground uncovered.
///
/// `covered` and `ground` are extents, m.
fn coverage_warning(covered: [f64; 4], ground: [f64; 4]) -> Option<String> {
    let [west, south, east, north] = ground;
    if ground.iter().any(|edge| !edge.is_finite()) {
        return None;
    }
    let within = |low: f64, high: f64, k: usize| {
        (high.min(covered[k + 2]) - low.max(covered[k])).max(0.0) / (high - low)
    };
    let share = 1.0 - within(west, east, 0) * within(south, north, 1);
    (share >= 0.01).then(|| {
        format!(
            "covers x {:.0} to {:.0}, y {:.0} to {:.0} m: the other {:.0} % of the ground uses the \
             values of its outermost cells",
            covered[0],
            covered[2],
            covered[1],
            covered[3],
            100.0 * share
        )
    })
}

/// Maximum memory of a raster of heights that is kept whole, bytes.
const MAX_WHOLE_SIZE: usize = 64 << 20;
/// Memory for the tiles of a larger raster, bytes.
///
/// This suffices for a thousand vehicles, each on separate tiles of 256 x 256 cells.
const CACHE_SIZE: usize = 256 << 20;

/// Whether a raster is too large to be kept whole.
fn is_large(raster: &RasterFile) -> bool {
    let cells = raster.cells();
    cells.columns.saturating_mul(cells.rows).saturating_mul(size_of::<f64>()) > MAX_WHOLE_SIZE
}

/// Faults of vehicles, waypoints, goals and search areas outside the terrain.
fn positions_outside(file: &ScenarioFile, terrain: &Terrain) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut check = |key: String, [x, y]: [f64; 2]| {
        if !terrain.contains(x, y) {
            let bounds = terrain.bounds().map(|b| (b * 100.0).round() / 100.0);
            diagnostics
                .push(file.document.diagnostic(&key, DiagnosticKind::OutsideTerrain { bounds }));
        } else if terrain.is_gap(x, y) {
            diagnostics.push(file.document.diagnostic(&key, DiagnosticKind::NoElevation));
        }
    };
    for (index, goal) in file.scenario.team.iter().flat_map(|team| &team.goals).enumerate() {
        check(format!("team.goals[{index}]"), *goal);
    }
    if let Some(search) = file.scenario.team.as_ref().and_then(|team| team.search.as_ref()) {
        let [west, south, east, north] = search.area;
        let beyond = |corner: &[f64; 2]| !terrain.contains(corner[0], corner[1]);
        // one fault, whichever corner is outside
        let corner = [[west, south], [east, north]].into_iter().find(beyond);
        corner.into_iter().for_each(|corner| check("team.search.area".into(), corner));
    }
    for (index, vehicle) in file.scenario.vehicle.iter().enumerate() {
        check(format!("vehicle[{index}].position"), vehicle.position);
        if let config::DriverConfig::Autonomous { goal: Some(goal), .. } = &vehicle.driver {
            check(format!("vehicle[{index}].driver.goal"), *goal);
        }
        if let config::DriverConfig::Path { waypoints, .. } = &vehicle.driver {
            for (point, waypoint) in waypoints.iter().enumerate() {
                check(format!("vehicle[{index}].driver.waypoints[{point}]"), *waypoint);
            }
        }
    }
    diagnostics
}

/// Warnings for scenery outside the terrain, which no vehicle can reach.
fn scenery_outside(file: &ScenarioFile, terrain: &Terrain) -> Vec<Diagnostic> {
    let bounds = terrain.bounds().map(|b| (b * 100.0).round() / 100.0);
    let outside =
        |key: String| file.document.diagnostic(&key, DiagnosticKind::OutsideTerrain { bounds });
    let mut found = Vec::new();
    for (index, own) in file.scenario.scenery.iter().enumerate() {
        let beyond = |[x, y]: &[f64; 2]| !terrain.contains(*x, *y);
        // one warning per scenery entry
        if let Some(place) = own.places.iter().position(beyond) {
            found.push(outside(format!("scenery[{index}].places[{place}]")));
        }
        let corners = own.area.map(|[west, south, east, north]| [[west, south], [east, north]]);
        if corners.is_some_and(|corners| corners.iter().any(beyond)) {
            found.push(outside(format!("scenery[{index}].area")));
        }
    }
    found
}

pub(crate) fn origin_of(origin: config::OriginConfig) -> Origin {
    match origin {
        config::OriginConfig::Named(OriginName::Center) => Origin::Center,
        config::OriginConfig::Named(OriginName::SouthWest) => Origin::SouthWest,
        config::OriginConfig::Point(point) => Origin::At(point),
    }
}

/// Height range and cell size of a DEM in a PNG file, which the file itself lacks.
pub(crate) fn png_scale(surface: &config::SurfaceConfig) -> Option<PngScale> {
    let config::SurfaceConfig::Dem { height_range, cell_size, .. } = surface else { return None };
    let scale = |(heights, cell)| PngScale { heights, cell, south_west: [0.0; 2] };
    height_range.zip(*cell_size).map(scale)
}

fn unit_of_heights(unit: config::HeightUnitConfig) -> HeightUnit {
    match unit {
        config::HeightUnitConfig::M => HeightUnit::Meter,
        config::HeightUnitConfig::Ft => HeightUnit::Foot,
        config::HeightUnitConfig::UsSurveyFt => HeightUnit::UsSurveyFoot,
    }
}

fn no_data_rule(rule: config::NoDataConfig) -> NoData {
    match rule {
        config::NoDataConfig::Refuse => NoData::Refuse,
        // kept gaps need heights for images and sensors: the nearest one, as it is fast for large
        // gaps
        config::NoDataConfig::FillNearest | config::NoDataConfig::Keep => NoData::Nearest,
        config::NoDataConfig::FillInterpolated => NoData::Interpolate,
    }
}

fn roughness_class(class: config::RoughnessConfig) -> RoughnessClass {
    match class {
        config::RoughnessConfig::A => RoughnessClass::A,
        config::RoughnessConfig::B => RoughnessClass::B,
        config::RoughnessConfig::C => RoughnessClass::C,
        config::RoughnessConfig::D => RoughnessClass::D,
        config::RoughnessConfig::E => RoughnessClass::E,
        config::RoughnessConfig::F => RoughnessClass::F,
        config::RoughnessConfig::G => RoughnessClass::G,
        config::RoughnessConfig::H => RoughnessClass::H,
    }
}

fn face_of(face: config::Face) -> StampFace {
    match face {
        config::Face::Smooth => StampFace::Smooth,
        config::Face::Straight => StampFace::Straight,
        config::Face::Round => StampFace::Round,
        config::Face::Parabolic => StampFace::Parabolic,
    }
}

fn stamp(stamp: &config::StampConfig) -> Stamp {
    match *stamp {
        config::StampConfig::Hole { at, radius, depth, edge, face } => {
            Stamp::hole(at, radius, depth, edge.unwrap_or(radius)).with_face(face_of(face))
        }
        config::StampConfig::Ditch { from, to, width, depth, edge, face } => {
            let edge = edge.unwrap_or(0.5 * width);
            Stamp::ditch(from, to, width, depth, edge).with_face(face_of(face))
        }
        config::StampConfig::Ridge { from, to, width, height, edge, face } => {
            let edge = edge.unwrap_or(0.5 * width);
            Stamp::ridge(from, to, width, height, edge).with_face(face_of(face))
        }
        config::StampConfig::Bump { at, radius, height, edge, face } => {
            Stamp::bump(at, radius, height, edge.unwrap_or(radius)).with_face(face_of(face))
        }
    }
}

/// A region of the plane in the terrain's terms.
pub fn region(area: &AreaConfig) -> SoilRegion {
    match area {
        AreaConfig::HalfPlane { through, towards_deg } => {
            let towards = towards_deg.to_radians();
            SoilRegion::HalfPlane { point: *through, direction: [cos(towards), sin(towards)] }
        }
        AreaConfig::Rectangle { min, max } => SoilRegion::Rectangle { min: *min, max: *max },
        AreaConfig::Band { from, to, width } => {
            SoilRegion::Band { from: *from, to: *to, width: *width }
        }
        AreaConfig::Polygon { points } => SoilRegion::Polygon(points.clone()),
    }
}
