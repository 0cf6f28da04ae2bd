//! Privileged observations: the soil under the vehicle, and slip and sinkage of its wheels.

use super::Level;
use super::observation_field::ObservationField;
use bekker_agent::Sample;
use bekker_ground::soil::SoilKind;
use bekker_math::numeric::ln;

/// Privileged fields, for teachers and critics.
pub const PRIVILEGED: [ObservationField; 3] = [
    ObservationField::vector(
        "soil",
        6,
        0.0,
        "k_phi and k_c (log10, /7), n /2, cohesion /20 kPa, friction angle /45 deg, shear modulus /0.05 m, of the soil under the chassis",
    ),
    ObservationField::vector("wheel_slip", 4, 1.0, "positive when driving"),
    ObservationField::vector("wheel_sinkage", 4, 0.5, "m"),
];

/// Writes the privileged observations, clamped to ±1.
pub(super) fn privileged(level: &Level, sample: &Sample, buffer: &mut [f32]) {
    let position = sample.pose.position;
    let decades = |value: f64| ln(value.max(1.0)) / std::f64::consts::LN_10 / 7.0;
    let soil = match &level.built.world.ground.soil_at(position.x, position.y).kind {
        SoilKind::Firm { .. } => [1.0, 1.0, 0.0, 1.0, 1.0, 0.0],
        SoilKind::Deformable(soil) => [
            decades(soil.k_phi),
            decades(soil.k_c),
            soil.n / 2.0,
            soil.cohesion / 2e4,
            soil.friction_angle.to_degrees() / 45.0,
            soil.shear_modulus / 0.05,
        ],
    };
    let corners = || level.corners.iter().filter_map(|wheel| sample.wheels.get(*wheel));
    let slips = corners().map(|wheel| wheel.slip);
    let sinkages = corners().map(|wheel| wheel.sinkage / 0.5);
    for (place, value) in buffer.iter_mut().zip(soil.into_iter().chain(slips).chain(sinkages)) {
        *place = value.clamp(-1.0, 1.0) as f32;
    }
}
