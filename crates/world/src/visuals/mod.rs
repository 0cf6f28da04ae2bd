//! Meshes of vehicles, built from primitives and the parameters of the vehicle files.

mod arms;
mod articulated;
mod hmmwv;
mod m113;
mod mrzr;
mod others;
mod robots;
mod running_gear;
mod trailers;
mod trucks;

pub(super) use arms::DrawnArm;

use bekker_agent::AnyVehicle;
use bekker_math::spatial::Vec3;
use bekker_sensor::material::Material;
use bekker_sensor::mesh::{Mesh, MeshBuilder};
use bekker_vehicle::Vehicle;
use bekker_vehicle::spec::{TrackedSpec, VehicleSpec};

/// Olive drab paint.
const OLIVE: Material =
    Material { reflectance: 0.35, ..Material::dull([0.085, 0.095, 0.05]).polished(0.6) };
/// Darker paint of the same kind, for recessed parts.
const DARK: Material =
    Material { reflectance: 0.3, ..Material::dull([0.045, 0.05, 0.03]).polished(0.7) };
/// Desert tan paint.
const TAN: Material =
    Material { reflectance: 0.4, ..Material::dull([0.30, 0.235, 0.14]).polished(0.6) };
/// Black plastic and fabric.
const BLACK: Material = Material { reflectance: 0.08, ..Material::dull([0.02, 0.02, 0.021]) };
/// Lens of a lamp.
const LAMP: Material =
    Material { albedo: [0.75, 0.75, 0.70], roughness: 0.15, metallic: 0.3, reflectance: 0.5 };
/// Tail lamp.
const RED: Material = Material { albedo: [0.35, 0.02, 0.015], ..LAMP };

/// Indices of imported meshes that replace built-in parts of a vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VisualMeshes {
    /// The hull, in the chassis frame.
    pub hull: Option<usize>,
    /// Left wheel or road wheel. Its axle is along y, its outer side points to +y, and its center
    /// is at the origin. Right wheels are turned by 180 degrees.
    pub wheel: Option<usize>,
}

/// Indices of the meshes of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct VehicleVisual {
    pub hull: usize,
    /// Wheel mesh of each axle. The road wheel of tracks and an imported mesh serve all axles.
    pub wheels: Vec<usize>,
    /// Whether wheels of the right side are turned by 180 degrees.
    pub handed: bool,
    /// Distance between the twin wheels of each axle, m; 0 for single wheels.
    pub twins: Vec<f64>,
    pub arms: Vec<DrawnArm>,
    pub track: Option<TrackVisual>,
}

/// Meshes of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TrackVisual {
    pub sprocket: usize,
    pub idler: usize,
    pub shoe: usize,
}

/// Adds the meshes of a vehicle, except imported ones.
pub(super) fn visual(
    ground_vehicle: &AnyVehicle,
    own: &VisualMeshes,
    meshes: &mut Vec<Mesh>,
) -> VehicleVisual {
    let mut add = |builder: MeshBuilder| {
        meshes.push(builder.finish());
        meshes.len() - 1
    };
    let handed = own.wheel.is_some();
    match ground_vehicle {
        AnyVehicle::Wheeled(ground_vehicle) => {
            let spec = ground_vehicle.vehicle.spec();
            let wheels = match own.wheel {
                Some(wheel) => vec![wheel],
                None => of_axles(spec, &mut add),
            };
            let hull = own.hull.unwrap_or_else(|| add(wheeled_hull(&ground_vehicle.vehicle)));
            let twins = spec.axles.iter().map(|axle| axle.twin_spacing.unwrap_or(0.0)).collect();
            let vehicle = &ground_vehicle.vehicle;
            let mut arms = arms::of_axles(vehicle, meshes);
            arms.extend(arms::of_trailer(vehicle, meshes));
            arms.extend(arms::of_rear_frame(vehicle, meshes));
            VehicleVisual { hull, wheels, handed, twins, arms, track: None }
        }
        AnyVehicle::Tracked(ground_vehicle) => {
            let spec = ground_vehicle.vehicle.spec();
            let hull = own.hull.unwrap_or_else(|| add(tracked_hull(spec)));
            let wheels = vec![own.wheel.unwrap_or_else(|| add(running_gear::road_wheel(spec)))];
            let track = TrackVisual {
                sprocket: add(running_gear::sprocket(spec)),
                idler: add(running_gear::idler(spec)),
                shoe: add(running_gear::shoe(spec)),
            };
            let indices = 0..ground_vehicle.vehicle.wheels();
            let centers: Vec<Vec3> =
                indices.map(|wheel| ground_vehicle.vehicle.wheel_center(wheel)).collect();
            let arms = arms::of_tracks(&spec.road_arm, &centers, meshes);
            VehicleVisual { hull, wheels, handed, twins: Vec::new(), arms, track: Some(track) }
        }
    }
}

/// Builds the hull of a vehicle without an imported mesh.
pub fn drawn_hull(ground_vehicle: &AnyVehicle) -> Mesh {
    let builder = match ground_vehicle {
        AnyVehicle::Wheeled(own) => wheeled_hull(&own.vehicle),
        AnyVehicle::Tracked(own) => tracked_hull(own.vehicle.spec()),
    };
    builder.finish()
}

/// Meshes of the wheels of each axle. Axles with the same tire and rim share a mesh.
fn of_axles(spec: &VehicleSpec, add: &mut impl FnMut(MeshBuilder) -> usize) -> Vec<usize> {
    let mut wheels: Vec<usize> = Vec::with_capacity(spec.axles.len());
    for axle in 0..spec.axles.len() {
        let like = |other: &usize| {
            spec.wheel_of(*other) == spec.wheel_of(axle)
                && spec.tire_of(*other).rigid == spec.tire_of(axle).rigid
        };
        let wheel = match (0..axle).find(like) {
            Some(other) => wheels[other],
            None => add(running_gear::wheel(spec.wheel_of(axle), spec.tire_of(axle))),
        };
        wheels.push(wheel);
    }
    wheels
}

/// Hull of a wheeled vehicle; the front frame of an articulated one.
fn wheeled_hull(vehicle: &Vehicle) -> MeshBuilder {
    if vehicle.rear_frame().is_some() {
        return articulated::front(vehicle.bodies().outline());
    }
    let spec = vehicle.spec();
    let name = spec.name.to_ascii_lowercase();
    if name.contains("hmmwv") {
        return hmmwv::hull();
    }
    if name.contains("mrzr") {
        return mrzr::hull();
    }
    let drawn = match name.as_str() {
        own if own.contains("fmtv") => Some(trucks::fmtv(spec)),
        own if own.contains("kat 1") => Some(trucks::man(spec)),
        own if own.contains("kraz") => Some(trucks::kraz(spec)),
        own if own.contains("fed-alpha") => Some(others::fed_alpha()),
        own if own.contains("gator") => Some(others::gator()),
        own if own.contains("husky") => Some(robots::husky()),
        own if own.contains("warthog") => Some(robots::warthog()),
        own if own.contains("mars exploration rover") => Some(robots::rover()),
        _ => None,
    };
    drawn.unwrap_or_else(|| robots::boxes(vehicle.bodies().outline()))
}

fn tracked_hull(spec: &TrackedSpec) -> MeshBuilder {
    if spec.name.to_ascii_lowercase().contains("m113") {
        return m113::hull();
    }
    if spec.name.to_ascii_lowercase().contains("marder") {
        return others::marder();
    }
    let half = (0.5 * spec.gauge()) as f32;
    let [front, _, z] = spec.sprocket.position.map(|x| x as f32);
    let rear = spec.idler.position[0] as f32;
    let (length, middle) = (front - rear, 0.5 * (front + rear));
    let mut builder = MeshBuilder::new();
    builder.block([middle, 0.0, z], [length, 2.0 * half - 0.5, 0.6], OLIVE);
    builder.block([middle, 0.0, z + 0.75], [length, 2.0 * half + 0.3, 0.7], OLIVE);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::{find_vehicle, find_wheeled};

    #[test]
    fn each_axle_has_the_wheels_of_its_file() {
        for (name, expected) in [("hmmwv", 1), ("gator", 2), ("kraz_64431+semitrailer", 2)] {
            let spec = find_wheeled(name).unwrap();
            let mut meshes = Vec::new();
            let wheels = of_axles(&spec, &mut |builder| {
                meshes.push(builder.finish());
                meshes.len() - 1
            });
            println!("{name}: {wheels:?}");
            assert_eq!((wheels.len(), meshes.len()), (spec.axles.len(), expected), "{name}");
            for (axle, &wheel) in wheels.iter().enumerate() {
                let tread = spec.tire_of(axle).rigid.radius();
                let high = f64::from(meshes[wheel].bounds().high[2]);
                // The highest point of the tire may lie between two tread blocks.
                assert!((high / tread - 1.0).abs() < 0.01, "{name}: {high} m, not {tread}");
            }
        }
    }

    #[test]
    fn built_in_vehicles_have_their_size() {
        // Lengths and widths from the manufacturers' data, m: HMMWV M1025 4.57 x 2.16, with mirrors
        // of 0.23 on either side; M113A1 4.86 x 2.54 without skirts; MRZR-4 3.59 x 1.52.
        let sizes = [
            (wheeled_hull(&Vehicle::new(find_wheeled("hmmwv").unwrap()).unwrap()), 4.57, 2.62),
            (tracked_hull(find_vehicle("m113").unwrap().tracked().unwrap()), 4.86, 2.54),
            (wheeled_hull(&Vehicle::new(find_wheeled("mrzr4").unwrap()).unwrap()), 3.59, 1.52),
        ];
        for (builder, length, width) in sizes {
            let bounds = builder.finish().bounds();
            let size = [0, 1].map(|k| bounds.high[k] - bounds.low[k]);
            assert!((size[0] - length).abs() < 0.15, "{size:?} {length}");
            assert!((size[1] - width).abs() < 0.15, "{size:?} {width}");
        }
    }
}
