//! Wheels and tires.

use super::Point;
use crate::tire::{PlatePoint, RingError, RingParameters, TMeasy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A wheel without its tire.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wheel {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, with y along the spin axis, kg m².
    pub inertia: Point,
    /// Radius of the rim, m.
    pub rim_radius: f64,
    /// Width of the rim, m.
    pub rim_width: f64,
}

/// A tire with its mass, its shape and its force laws on soil and on firm ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tire {
    /// Mass, kg.
    pub mass: f64,
    /// Moments of inertia, with y along the spin axis, kg m².
    pub inertia: Point,
    /// Shape of the unloaded tire. Without `flexible`, it is also the shape on deformable soil.
    pub rigid: RigidTire,
    /// Deformation of the tire under load, both on soil and on firm ground. Where absent, the tire
    /// is rigid on soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flexible: Option<FlexibleTireSpec>,
    /// TMeasy parameters: the tangential forces on firm ground. Without `flexible`, they also give
    /// the vertical force on firm ground.
    pub handling: TMeasy,
}

/// A flexible tire: a belt under inflation pressure, fitted to measured points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FlexibleTire")]
pub struct FlexibleTireSpec {
    /// Sources of the parameters, and which parameters are assumed.
    pub source: String,
    /// Width of the tread, m.
    #[schemars(extend("unit" = "m"))]
    pub width: f64,
    /// Section height, from rim to tread, m.
    #[schemars(extend("unit" = "m"))]
    pub section_height: f64,
    /// Inflation pressure above atmospheric, kPa: one value for all wheels, or a list with one
    /// value for each axle from the front or for each wheel (left before right).
    #[schemars(extend("unit" = "kPa"))]
    pub inflation_kpa: Inflation,
    /// Inflation pressure at which `rolling_resistance` is valid, kPa, in the same form as
    /// `inflation_kpa`. Where absent, it is the `inflation_kpa` of the vehicle's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("unit" = "kPa"))]
    pub nominal_inflation_kpa: Option<Inflation>,
    /// Central tire inflation. Where absent, the vehicle has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub central_inflation: Option<CentralInflation>,
    /// Measured loads on a flat plate: at least three points, at two or more inflation pressures.
    pub load_deflection: Vec<LoadDeflection>,
}

/// Inflation pressure above atmospheric, kPa.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inflation {
    /// One value for all wheels.
    All(f64),
    /// One value for each axle, or for each wheel.
    Each(Vec<f64>),
}

/// A compressor that changes the inflation pressure while driving.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CentralInflation {
    /// Lowest and highest inflation pressure that it can set, kPa.
    #[schemars(extend("unit" = "kPa"))]
    pub range: [f64; 2],
    /// Rate of inflation and deflation, kPa/s.
    #[schemars(extend("unit" = "kPa/s"))]
    pub rate: f64,
}

/// One measured point of a tire on a flat plate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadDeflection {
    /// Inflation pressure above atmospheric, kPa.
    #[schemars(extend("unit" = "kPa"))]
    pub inflation_kpa: f64,
    /// Deflection of the tire, m.
    #[schemars(extend("unit" = "m"))]
    pub deflection: f64,
    /// Load that the tire carries at this deflection, N.
    #[schemars(extend("unit" = "N"))]
    pub load: f64,
}

impl Inflation {
    /// Inflation pressure of the wheel with index `wheel` of `wheels`, Pa.
    ///
    /// Wheels are counted two to an axle, left before right.
    pub fn kpa(&self, wheel: usize, wheels: usize) -> f64 {
        let in_kpa = match self {
            Inflation::All(one) => *one,
            Inflation::Each(each) if each.len() == wheels => each[wheel.min(wheels - 1)],
            Inflation::Each(each) => each[(wheel / 2).min(each.len() - 1)],
        };
        1e3 * in_kpa
    }

    /// All given values, kPa.
    pub fn all_kpa(&self) -> &[f64] {
        match self {
            Inflation::All(one) => std::slice::from_ref(one),
            Inflation::Each(each) => each,
        }
    }
}

impl CentralInflation {
    /// Lowest and highest inflation pressure that it can set, Pa.
    pub fn limits(&self) -> [f64; 2] {
        self.range.map(|kpa| 1e3 * kpa)
    }

    /// Rate of inflation and deflation, Pa/s.
    pub fn pascals_per_second(&self) -> f64 {
        1e3 * self.rate
    }
}

impl FlexibleTireSpec {
    /// Sets the inflation pressure and keeps the pressure at which the rolling resistance is valid.
    pub(crate) fn inflate(&mut self, inflation: &Inflation) {
        let before = std::mem::replace(&mut self.inflation_kpa, inflation.clone());
        self.nominal_inflation_kpa.get_or_insert(before);
    }

    /// Lowest and highest inflation pressure of the measured loads, kPa.
    ///
    /// Outside this range, the load is extrapolated.
    pub fn measured_kpa(&self) -> [f64; 2] {
        let all = || self.load_deflection.iter().map(|point| point.inflation_kpa);
        [all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)]
    }

    /// Inflation pressure at which the rolling resistance of an axle's tires is valid, Pa.
    ///
    /// It is the mean of both sides, for a vehicle with this number of wheels.
    pub fn nominal_inflation(&self, axle: usize, wheels: usize) -> f64 {
        let nominal = self.nominal_inflation_kpa.as_ref().unwrap_or(&self.inflation_kpa);
        0.5 * (nominal.kpa(2 * axle, wheels) + nominal.kpa(2 * axle + 1, wheels))
    }

    /// Returns the belt of a tire with this radius, m.
    ///
    /// # Errors
    /// [`RingError`] for points to which no belt can be fitted.
    pub fn ring(&self, radius: f64) -> Result<RingParameters, RingError> {
        let points: Vec<PlatePoint> = self
            .load_deflection
            .iter()
            .map(|point| PlatePoint {
                inflation: 1e3 * point.inflation_kpa,
                deflection: point.deflection,
                load: point.load,
            })
            .collect();
        RingParameters::fit(radius, self.width, &points)
    }
}

/// A tire as a rigid surface of revolution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidTire {
    /// Outline from the middle of the tread outward. The half widths start at 0 and increase.
    pub outline: Vec<OutlinePoint>,
    /// Lugs on the tread. Where absent, they are not modeled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grousers: Option<GrouserSpec>,
    /// Shear of rubber on soil in part of the contact area. Where absent, the whole contact shears
    /// as soil on soil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soil: Option<TireSoil>,
    /// Surface of the rim. Where absent, it is rough, except where `soil` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<RimSurface>,
}

/// Surface of a rim on soil.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RimSurface {
    /// The whole contact shears as soil on soil.
    Rough,
    /// Metal slides on soil without adhesion, at two thirds of the soil's angle of friction.
    Metal,
}

/// One point of the outline. The outline is linear between points and symmetric about the middle
/// plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutlinePoint {
    /// Distance from the tire's middle plane, m.
    pub half_width: f64,
    /// Radius of the outline at this distance, m.
    pub radius: f64,
}

/// Straight lugs across the tread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Grousers")]
pub struct GrouserSpec {
    /// Number of lugs around the tire.
    pub count: u32,
    /// Height of a lug above the outline, m.
    pub height: f64,
    /// Thickness of a lug along the circumference, m: each lug is a bar, which fine nodes resolve.
    /// Where absent, soil between the lugs moves with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
}

/// Shear of rubber against soil. It is mixed with the soil's own shear by share of the contact
/// area.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TireSoil {
    /// Share of the contact area in which rubber shears against soil, 0 to 1.
    pub area_ratio: f64,
    /// Adhesion of rubber to soil, Pa.
    pub cohesion: f64,
    /// Coefficient of friction of rubber on soil.
    pub friction: f64,
    /// Janosi shear modulus of rubber on soil, m.
    pub shear_modulus: f64,
}

impl RigidTire {
    /// Largest radius, m.
    pub fn radius(&self) -> f64 {
        self.outline.iter().fold(0.0, |largest, point| point.radius.max(largest))
    }

    /// Full width, m.
    pub fn width(&self) -> f64 {
        2.0 * self.outline.last().map_or(0.0, |point| point.half_width)
    }
}
