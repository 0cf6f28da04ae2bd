//! The routes and scenery of a scenario, prepared for drawings.

use crate::map::route::{PlannedRoute, RouteCheck, RouteStation, Trafficability, check_routes};
use crate::report::drawn_ground::{DrawnGround, SoilSign};
use crate::report::profile::ProfilePoint;
use crate::scenario::ScenarioFile;
use crate::scenario::build::{BuiltWorld, props};
use crate::simulation::{SceneryObject, WorldModel};

/// Maximum number of points of a drawn line; more are not distinguishable.
const POINTS: usize = 1500;

/// A scenario's scenery and its routes.
pub struct PlannedRoutes {
    /// The props.
    pub props: Vec<SceneryObject>,
    /// Its routes.
    pub routes: RouteCheck,
    /// Display of its soils.
    pub soils: Vec<SoilSign>,
}

impl PlannedRoutes {
    /// Prepares a built scenario.
    pub fn new(file: &ScenarioFile, built: &BuiltWorld) -> PlannedRoutes {
        let props = props(file, &built.meshes, built.random.as_ref());
        let routes = check_routes(&built.world, file.scenario.time.duration, &props);
        PlannedRoutes { props, routes, soils: SoilSign::for_soils(built.world.ground.soils()) }
    }

    /// The points of every route, m.
    pub fn lines(&self) -> Vec<Vec<[f64; 2]>> {
        self.routes.routes.iter().map(|way| line(&way.stations)).collect()
    }

    /// Elevation and grade along a route.
    ///
    /// With `going`, each point also has the steepest grade that its soil allows.
    pub fn profile(
        &self,
        way: &PlannedRoute,
        going: Option<&[Trafficability]>,
    ) -> Vec<ProfilePoint> {
        let point = |station: &RouteStation| {
            let soil = usize::from(station.soil.0);
            ProfilePoint {
                distance: station.distance,
                height: station.height,
                grade: station.grade,
                limit: going.and_then(|going| Some(going.get(soil)?.drawbar().max(0.0))),
                tint: self.soils[soil].tint,
            }
        };
        thinned(&way.stations).map(point).collect()
    }
}

/// Calls `draw` with accessors to the ground of a model.
pub fn with_drawn_ground<T>(
    model: &WorldModel,
    planned: &PlannedRoutes,
    built: &BuiltWorld,
    draw: impl FnOnce(DrawnGround<'_>) -> T,
) -> T {
    let terrain = model.ground.terrain();
    draw(DrawnGround {
        height: &|x, y| terrain.height(x, y),
        soil: &|x, y| usize::from(terrain.soil(x, y).0),
        is_gap: &|x, y| terrain.is_gap(x, y),
        soils: planned.soils.clone(),
        bounds: terrain.bounds(),
        props: &planned.props,
        placement: built.placement.as_ref(),
    })
}

/// Positions of stations, m.
pub fn line(stations: &[RouteStation]) -> Vec<[f64; 2]> {
    thinned(stations).map(|station| station.position).collect()
}

fn thinned(stations: &[RouteStation]) -> impl Iterator<Item = &RouteStation> {
    let every = stations.len().div_ceil(POINTS).max(1);
    let last = stations.len().saturating_sub(1);
    let kept = move |(n, _): &(usize, &RouteStation)| n.is_multiple_of(every) || *n == last;
    stations.iter().enumerate().filter(kept).map(|(_, station)| station)
}
