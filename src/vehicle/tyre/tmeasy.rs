//! The handling tyre TMeasy: its parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure at the nominal load and at twice the nominal load.
pub type LoadPair = [f64; 2];

/// A steady force over slip, at nominal and at double load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlipCurve {
    /// Slope at vanishing slip, N.
    pub initial_slope: LoadPair,
    /// Largest force, N.
    pub max_force: LoadPair,
    /// Slip at the largest force.
    pub max_slip: LoadPair,
    /// Force of full sliding, N.
    pub sliding_force: LoadPair,
    /// Slip at which full sliding begins.
    pub sliding_slip: LoadPair,
}

/// Pneumatic trail over lateral slip, at nominal and at double load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trail {
    /// Trail at vanishing slip over length of contact.
    pub initial: LoadPair,
    /// Lateral slip at which the trail passes through zero.
    pub zero_slip: LoadPair,
    /// Lateral slip beyond which there is none.
    pub end_slip: LoadPair,
}

/// Parameters of a TMeasy tyre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TMeasy {
    /// Radius without load, m.
    pub unloaded_radius: f64,
    /// Width of the tread, m.
    pub width: f64,
    /// Radial stiffness at vanishing deflection, N/m.
    pub vertical_stiffness: f64,
    /// Growth of the radial force with the square of the deflection, N/m².
    #[serde(default)]
    pub vertical_progression: f64,
    /// Radial damping, N s/m.
    pub vertical_damping: f64,
    /// Nominal load, N.
    pub nominal_load: f64,
    /// Load beyond which the slip curves no longer grow, N.
    pub max_load: f64,
    /// Coefficient of friction for which the figures hold.
    pub friction: f64,
    /// Rolling resistance over load.
    pub rolling_resistance: f64,
    /// Longitudinal and lateral stiffness of the carcass, N/m.
    pub carcass_stiffness: [f64; 2],
    /// Longitudinal and lateral damping of the carcass, N s/m.
    pub carcass_damping: [f64; 2],
    /// Force along the wheel over longitudinal slip.
    pub longitudinal: SlipCurve,
    /// Force across the wheel over lateral slip.
    pub lateral: SlipCurve,
    /// Trail of the lateral force.
    pub trail: Trail,
}
