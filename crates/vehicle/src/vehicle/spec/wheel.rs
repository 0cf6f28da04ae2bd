//! Wheels and tyres.

use super::Point;
use crate::vehicle::tyre::TMeasy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A wheel without its tyre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, y along the spin axis, kg m².
    pub inertia: Point,
    /// Radius of the rim, m.
    pub rim_radius: f64,
    /// Width of the rim, m.
    pub rim_width: f64,
}

/// A tyre: one mass, two laws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tyre {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, y along the spin axis, kg m².
    pub inertia: Point,
    /// Its shape on yielding soil, where it counts as rigid.
    pub rigid: RigidTyre,
    /// Its forces on firm ground.
    pub handling: TMeasy,
}

/// A tyre as a rigid surface of revolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidTyre {
    /// Outline from the middle of the tread outwards: half widths increase from 0.
    pub outline: Vec<OutlinePoint>,
    /// Lugs on the tread, if modelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grousers: Option<Grousers>,
    /// How rubber and soil share the contact, if not all soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<TyreSoil>,
}

/// One point of the outline, linear in between; both sides alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlinePoint {
    /// Distance from the middle plane, m.
    pub half_width: f64,
    /// Radius there, m.
    pub radius: f64,
}

/// Straight lugs across the tread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grousers {
    /// Number around the tyre.
    pub count: u32,
    /// Height above the outline, m.
    pub height: f64,
    /// Thickness along the circumference, m.
    pub thickness: f64,
}

/// Shear of rubber against soil, mixed with the soil's own by share of area.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TyreSoil {
    /// Share of the contact that is rubber on soil, 0 to 1.
    pub area_ratio: f64,
    /// Adhesion of rubber on soil, Pa.
    pub cohesion: f64,
    /// Friction coefficient of rubber on soil.
    pub friction: f64,
    /// Janosi shear modulus of rubber on soil, m.
    pub shear_modulus: f64,
}

impl RigidTyre {
    /// Largest radius, m.
    pub fn radius(&self) -> f64 {
        self.outline.iter().fold(0.0, |largest, point| point.radius.max(largest))
    }

    /// Whole width, m.
    pub fn width(&self) -> f64 {
        2.0 * self.outline.last().map_or(0.0, |point| point.half_width)
    }
}
