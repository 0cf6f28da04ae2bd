//! What sensors see of a scenario besides the ground.

use super::BuiltMeshes;
use crate::random::Stream;
use crate::scenario::ScenarioFile;
use crate::scenario::config::Driver;
use crate::sensor::air::Air;
use crate::sensor::class::Class;
use crate::sensor::sky::Sky;
use crate::simulation::{Form, Prop, SceneModel, WorldModel, strewn};

/// Distance of the places along ways that scenery keeps clear of, m.
const SPACING: f64 = 2.0;

/// The stage of a scenario's world: its vehicles, scenery, sun and weather.
pub fn scene_model(file: &ScenarioFile, world: &WorldModel, meshes: &BuiltMeshes) -> SceneModel {
    let scenario = &file.scenario;
    let props = props(file, world, meshes);
    let mut scene_model = SceneModel::with(world, &props, meshes.imported.clone());
    let sky = &scenario.sky;
    scene_model.sky = Sky {
        azimuth: sky.sun_azimuth_deg.to_radians(),
        elevation: sky.sun_elevation_deg.to_radians(),
        cloud: sky.cloud,
    };
    scene_model.air =
        Air { visibility: sky.visibility, rain: sky.rain, snow: sky.snow, puffs: Vec::new() };
    // what rain has wetted does not rise
    scene_model.dust = if sky.rain > 0.0 { 0.0 } else { sky.dust };
    scene_model.wind = sky.wind;
    scene_model
}

/// What stands in a scenario: its scenery, strewn or placed.
pub fn props(file: &ScenarioFile, world: &WorldModel, meshes: &BuiltMeshes) -> Vec<Prop> {
    let ways = ways(file, world);
    let mut props = Vec::new();
    for (index, scenery) in file.scenario.scenery.iter().enumerate() {
        let mesh = meshes.scenery.get(index).copied().flatten();
        let form = match (scenery.kind, mesh) {
            (Some(kind), _) => Form::Kind(kind),
            (None, Some(index)) => {
                Form::Mesh { index, class: scenery.class.map_or(Class::Other, |c| c.class()) }
            }
            // the cross-checks have refused it
            (None, None) => continue,
        };
        let placed = scenery.places.iter().map(|&place| Prop {
            form,
            place,
            heading: scenery.heading_deg.to_radians(),
            scale: scenery.scale,
            solid: scenery.solid,
            diameter: scenery.diameter,
            size: scenery.size,
        });
        props.extend(placed);
        let area = scenery.area.unwrap_or([-100.0, -100.0, 100.0, 100.0]);
        // named, not counted on from the seed: else a group would be the next seed's neighbour
        let dice = Stream::new(file.scenario.seed, &format!("scenery {index}"));
        let count = scenery.count as usize;
        let mut strewn = strewn(form, count, area, &ways, scenery.clear, &dice);
        for prop in &mut strewn {
            (prop.solid, prop.diameter, prop.size) =
                (scenery.solid, scenery.diameter, scenery.size);
        }
        props.append(&mut strewn);
    }
    props
}

/// Places along the ways of vehicles: from their starts through their waypoints.
fn ways(file: &ScenarioFile, world: &WorldModel) -> Vec<[f64; 2]> {
    let mut places = Vec::new();
    for (agent, vehicle) in world.agents.iter().zip(&file.scenario.vehicle) {
        let start = agent.start.position;
        let mut at = [start.x, start.y];
        places.push(at);
        let Driver::Path { waypoints, .. } = &vehicle.driver else { continue };
        for &next in waypoints {
            let (dx, dy) = (next[0] - at[0], next[1] - at[1]);
            let steps = (crate::numeric::hypot(dx, dy) / SPACING).ceil().min(10_000.0) as usize;
            let along = (1..=steps).map(|k| {
                let share = k as f64 / steps as f64;
                [at[0] + share * dx, at[1] + share * dy]
            });
            places.extend(along);
            at = next;
        }
    }
    places
}
