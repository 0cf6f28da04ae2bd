//! Labels of a dataset: ground truth of vehicle, wheels and soil, in SI units.

use super::agent::Agent;
use super::env::EpisodeRun;
use super::observation_field::ObservationField;
use bekker_agent::GroundVehicle;
use bekker_ground::soil::SoilKind;
use bekker_ground::soil::catalog::catalog;
use bekker_math::spatial::Vec3;

const fn label(name: &'static str, size: usize, unit: &'static str) -> ObservationField {
    ObservationField::vector(name, size, 1.0, unit)
}

/// Labels of one moment, in order.
///
/// Wheels are those at the corners, or road wheels of tracks, front left first, left before right.
/// Forces are those of the last simulation step, and 0 at a reset.
pub const LABELS: [ObservationField; 16] = [
    label("time", 1, "s, since the reset"),
    label("position", 3, "m, of the chassis frame's origin: east, north, up from the start"),
    label("orientation", 4, "quaternion w, x, y, z from chassis to world axes"),
    label("speed", 1, "m/s along the chassis x axis"),
    label(
        "soil_k_phi",
        1,
        "N/m^(n+2), of the soil under the chassis; this and the next are 0 on firm ground",
    ),
    label("soil_k_c", 1, "N/m^(n+1)"),
    label("soil_n", 1, "sinkage exponent"),
    label("soil_cohesion", 1, "Pa"),
    label("soil_friction_angle", 1, "rad"),
    label("soil_shear_modulus", 1, "m"),
    label("wheel_slip", 4, "1 - v/(ω r) when driving, ω r/v - 1 when braking"),
    label("wheel_sinkage", 4, "m, depth of the lowest point below the undisturbed ground"),
    label("wheel_load", 4, "N, vertical force of the ground"),
    label("wheel_traction", 4, "N, force of the ground along the wheel's heading"),
    label("wheel_lateral", 4, "N, force of the ground to the wheel's left"),
    label(
        "wheel_rut",
        4,
        "m, depth of the rut one wheel radius ahead of the hub; negative for heaps",
    ),
];

/// Appends the labels of one vehicle at the current moment.
///
/// Returns the catalog name of the soil under its chassis.
pub(super) fn write_labels(run: &EpisodeRun, vehicle: usize, to: &mut Vec<f64>) -> String {
    let EpisodeRun { level, world, agents } = run;
    let Agent { sample, memory, .. } = &agents[vehicle];
    let (position, turned) = (sample.pose.position, sample.pose.orientation);
    to.extend([memory.time, position.x, position.y, position.z]);
    to.extend([turned.w, turned.i, turned.j, turned.k, sample.speed]);
    let soil = level.built.world.ground.soil_at(position.x, position.y);
    to.extend(match &soil.kind {
        SoilKind::Firm { .. } => [0.0; 6],
        SoilKind::Deformable(law) => {
            let strength = [law.cohesion, law.friction_angle, law.shear_modulus];
            let [cohesion, friction_angle, shear_modulus] = strength;
            [law.k_phi, law.k_c, law.n, cohesion, friction_angle, shear_modulus]
        }
    });
    let wheels = level.corners.map(|wheel| sample.wheels.get(wheel).copied().unwrap_or_default());
    to.extend(wheels.map(|wheel| wheel.slip));
    to.extend(wheels.map(|wheel| wheel.sinkage));
    to.extend(wheels.map(|wheel| wheel.load));
    to.extend(wheels.map(|wheel| wheel.traction));
    to.extend(wheels.map(|wheel| wheel.lateral));
    let model = &level.built.world.agents[vehicle].vehicle;
    let room = model.workspace(&world.state().agents[vehicle].vehicle);
    // under its hub a wheel has already left nodes; a radius ahead it has touched none
    let ahead = if sample.speed < 0.0 { -level.wheel_radius } else { level.wheel_radius };
    let ahead = sample.pose.direction(&Vec3::x()) * ahead;
    to.extend(level.corners.map(|wheel| {
        let place = model.wheel_pose(&room, wheel).position + ahead;
        world.rut_depth(place.x, place.y)
    }));
    let customs = &level.file.scenario.soil.custom;
    let custom = customs.iter().find(|custom| custom.name == soil.name);
    let name = custom.and_then(|custom| custom.based_on.as_ref()).unwrap_or(&soil.name);
    catalog().id_of(name).to_owned()
}
