//! Wheels and tyres.

use super::Point;
use crate::tyre::{PlatePoint, RingError, RingFigures, TMeasy};
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
    /// Its shape without load; where nothing says how it gives way, that on yielding soil.
    pub rigid: RigidTyre,
    /// How it gives way under load, on soil as on firm ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flexible: Option<FlexibleTyre>,
    /// Its forces along firm ground; where nothing says how it gives way, also upright.
    pub handling: TMeasy,
}

/// How a tyre gives way: a belt under inflation, fitted to measured points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlexibleTyre {
    /// Where its figures come from, and which are assumed.
    pub source: String,
    /// Width of the tread, m.
    #[schemars(extend("unit" = "m"))]
    pub width: f64,
    /// Height of its section, from rim to tread, m.
    #[schemars(extend("unit" = "m"))]
    pub section_height: f64,
    /// Inflation over the atmosphere, kPa: of all wheels, of each axle from the front, or
    /// of each wheel, left before right.
    #[schemars(extend("unit" = "kPa"))]
    pub inflation: Inflation,
    /// Inflation at which `rolling_resistance` holds, kPa, given as `inflation` is; without it
    /// that one, as the vehicle's file has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub nominal_inflation: Option<Inflation>,
    /// Central tyre inflation, if the vehicle has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub central_inflation: Option<CentralInflation>,
    /// What it was measured to carry on a plate: three points or more, at two inflations
    /// or more.
    pub load_deflection: Vec<LoadDeflection>,
}

/// Inflation over the atmosphere, kPa.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inflation {
    /// Of all wheels.
    All(f64),
    /// Of each axle, or of each wheel.
    Each(Vec<f64>),
}

/// A compressor that changes the inflation while driving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CentralInflation {
    /// Least and greatest inflation that it sets, kPa.
    #[schemars(extend("unit" = "kPa"))]
    pub range: [f64; 2],
    /// How fast it inflates and deflates, kPa/s.
    #[schemars(extend("unit" = "kPa/s"))]
    pub rate: f64,
}

/// A tyre on a plate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadDeflection {
    /// Inflation over the atmosphere, kPa.
    #[schemars(extend("unit" = "kPa"))]
    pub inflation: f64,
    /// How far it is pressed in, m.
    #[schemars(extend("unit" = "m"))]
    pub deflection: f64,
    /// What it carries then, N.
    #[schemars(extend("unit" = "N"))]
    pub load: f64,
}

impl Inflation {
    /// Inflation of a wheel of so many, Pa: two an axle, left before right.
    pub fn of(&self, wheel: usize, wheels: usize) -> f64 {
        let in_kpa = match self {
            Inflation::All(one) => *one,
            Inflation::Each(each) if each.len() == wheels => each[wheel.min(wheels - 1)],
            Inflation::Each(each) => each[(wheel / 2).min(each.len() - 1)],
        };
        1e3 * in_kpa
    }

    /// All figures given, kPa.
    pub fn figures(&self) -> &[f64] {
        match self {
            Inflation::All(one) => std::slice::from_ref(one),
            Inflation::Each(each) => each,
        }
    }
}

impl FlexibleTyre {
    /// Sets the inflation, and keeps that at which the rolling resistance holds.
    pub fn inflate(&mut self, inflation: &Inflation) {
        let before = std::mem::replace(&mut self.inflation, inflation.clone());
        self.nominal_inflation.get_or_insert(before);
    }

    /// The least and the greatest inflation, kPa, at which its load was measured: beyond, it is extrapolated.
    pub fn measured(&self) -> [f64; 2] {
        let all = || self.load_deflection.iter().map(|point| point.inflation);
        [all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)]
    }

    /// Inflation at which the rolling resistance of an axle's tyres holds, Pa: the mean of both
    /// sides, of a vehicle of so many wheels.
    pub fn nominal_inflation(&self, axle: usize, wheels: usize) -> f64 {
        let nominal = self.nominal_inflation.as_ref().unwrap_or(&self.inflation);
        0.5 * (nominal.of(2 * axle, wheels) + nominal.of(2 * axle + 1, wheels))
    }

    /// The belt of a tyre of this radius, m.
    ///
    /// # Errors
    /// [`RingError`] for points that make no belt.
    pub fn ring(&self, radius: f64) -> Result<RingFigures, RingError> {
        let points: Vec<PlatePoint> = self
            .load_deflection
            .iter()
            .map(|point| PlatePoint {
                inflation: 1e3 * point.inflation,
                deflection: point.deflection,
                load: point.load,
            })
            .collect();
        RingFigures::fit(radius, self.width, &points)
    }
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
