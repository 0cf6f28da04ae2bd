//! What a scenario plans, made ready for pictures.

use crate::map::route::{Going, Reconnaissance, Station, Way, reconnoitre};
use crate::report::land::{Land, SoilSign};
use crate::report::profile::ProfilePoint;
use crate::scenario::ScenarioFile;
use crate::scenario::build::{Built, props};
use crate::simulation::{Prop, WorldModel};

/// Points of a line on a picture: more are not to be told apart.
const POINTS: usize = 1500;

/// A scenario's scenery and its routes.
pub struct Planned {
    /// What stands on the ground.
    pub props: Vec<Prop>,
    /// Its routes.
    pub routes: Reconnaissance,
    /// How its soils are shown.
    pub soils: Vec<SoilSign>,
}

impl Planned {
    /// Of a scenario that has been built.
    pub fn of(file: &ScenarioFile, built: &Built) -> Planned {
        let props = props(file, &built.meshes, built.random.as_ref());
        let routes = reconnoitre(&built.world, file.scenario.time.duration, &props);
        Planned { props, routes, soils: SoilSign::of(built.world.ground.soils()) }
    }

    /// The points of every way, m.
    pub fn lines(&self) -> Vec<Vec<[f64; 2]>> {
        self.routes.ways.iter().map(|way| line(&way.stations)).collect()
    }

    /// Elevation and grade along a way; with `going`, the steepest grade too that each
    /// soil leaves.
    pub fn profile(&self, way: &Way, going: Option<&[Going]>) -> Vec<ProfilePoint> {
        let point = |station: &Station| {
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

/// Draws the ground of a model on a map, by closures over it.
pub fn with_land<T>(
    model: &WorldModel,
    planned: &Planned,
    built: &Built,
    draw: impl FnOnce(Land<'_>) -> T,
) -> T {
    let terrain = model.ground.terrain();
    draw(Land {
        height: &|x, y| terrain.height(x, y),
        soil: &|x, y| usize::from(terrain.soil(x, y).0),
        is_gap: &|x, y| terrain.is_gap(x, y),
        soils: planned.soils.clone(),
        bounds: terrain.bounds(),
        props: &planned.props,
        placement: built.placement.as_ref(),
    })
}

/// Places of stations, m.
pub fn line(stations: &[Station]) -> Vec<[f64; 2]> {
    thinned(stations).map(|station| station.position).collect()
}

fn thinned(stations: &[Station]) -> impl Iterator<Item = &Station> {
    let every = stations.len().div_ceil(POINTS).max(1);
    let last = stations.len().saturating_sub(1);
    let kept = move |(n, _): &(usize, &Station)| n.is_multiple_of(every) || *n == last;
    stations.iter().enumerate().filter(kept).map(|(_, station)| station)
}
