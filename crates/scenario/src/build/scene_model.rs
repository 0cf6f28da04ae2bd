//! The scene that sensors see, apart from the ground.

use super::BuiltMeshes;
use crate::ScenarioFile;
use crate::random_world::RandomWorld;
use crate::vehicle_points::vehicle_points;
use bekker_agent::{PropForm, SceneryObject};
use bekker_math::random::RandomStream;
use bekker_sensor::air::Air;
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::sky::Sky;
use bekker_world::{SceneModel, WorldModel, scatter_props};

/// The scene of a scenario's world: vehicles, scenery, sun and weather.
pub fn scene_model(
    file: &ScenarioFile,
    world: &WorldModel,
    meshes: &BuiltMeshes,
    random: Option<&RandomWorld>,
) -> SceneModel {
    let scenario = &file.scenario;
    let props = props(file, meshes, random);
    let mut scene_model = SceneModel::with_meshes(world, &props, meshes.imported.clone());
    let sky = &scenario.sky;
    scene_model.sky = Sky {
        azimuth: sky.sun_azimuth_deg.to_radians(),
        elevation: sky.sun_elevation_deg.to_radians(),
        cloud: sky.cloud,
    };
    scene_model.air =
        Air { visibility: sky.visibility, rain: sky.rain, snow: sky.snow, puffs: Vec::new() };
    // wet dust does not rise
    scene_model.dust = if sky.rain > 0.0 { 0.0 } else { sky.dust };
    scene_model.wind = sky.wind;
    scene_model
}

/// All props of a scenario: objects of its random surface, and scattered or placed scenery.
pub fn props(
    file: &ScenarioFile,
    meshes: &BuiltMeshes,
    random: Option<&RandomWorld>,
) -> Vec<SceneryObject> {
    let points = vehicle_points(&file.scenario);
    let mut props: Vec<SceneryObject> =
        random.map(RandomWorld::props).into_iter().flatten().collect();
    for (index, scenery) in file.scenario.scenery.iter().enumerate() {
        let mesh = meshes.scenery.get(index).copied().flatten();
        let form = match (scenery.kind, mesh) {
            (Some(kind), _) => PropForm::Kind(kind),
            (None, Some(index)) => {
                let class = scenery.class.map_or(SurfaceClass::Other, |c| c.class());
                PropForm::Mesh { index, class, bounds: meshes.imported.meshes[index].bounds() }
            }
            // refused by the cross-checks
            (None, None) => continue,
        };
        let placed = scenery.places.iter().map(|&place| SceneryObject {
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
        // the stream has a separate name: with seed + index, groups of adjacent seeds would be
        // equal
        let dice = RandomStream::new(file.scenario.seed, &format!("scenery {index}"));
        let count = scenery.count as usize;
        let mut strewn = scatter_props(form, count, area, &points, scenery.clear, &dice);
        for prop in &mut strewn {
            (prop.solid, prop.diameter, prop.size) =
                (scenery.solid, scenery.diameter, scenery.size);
        }
        props.append(&mut strewn);
    }
    props.extend(super::roadside::posts(&file.scenario));
    props
}
