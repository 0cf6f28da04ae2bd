//! Trafficability of a soil for a vehicle by the classic theory: an estimate before the drive.
//!
//! Sinkage and compaction resistance follow M. G. Bekker (*Theory of Land Locomotion*, 1956).
//! Thrust follows Mohr and Coulomb, mobilized after Janosi and Hanamoto over the contact length at
//! a slip of 30 %, as in J. Y. Wong, *Theory of Ground Vehicles*, chapter 2.
//!
//! All forces are divided by the weight. Thrust less resistance is the steepest grade, and the
//! drawbar-pull coefficient of mobility models. Only the first axle
//! compacts the rut. A layer below limits the sinkage to its depth.

use crate::RigidWheel;
use bekker_agent::{AnyVehicle, GroundVehicle};
use bekker_ground::soil::{DeformableSoil, Soil, SoilKind};
use bekker_math::numeric::{exp, pow, tan};
use serde::Serialize;

/// Slip at which the thrust is evaluated.
const SLIP: f64 = 0.3;

/// Trafficability of a soil for a vehicle; forces are divided by the vehicle's weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Trafficability {
    /// Sinkage, m.
    pub sinkage: f64,
    /// Limit of the soil's shear strength at any slip.
    pub strength: f64,
    /// Thrust at a slip of 30 %.
    pub thrust: f64,
    /// Compaction resistance.
    pub resistance: f64,
    /// Whether the vehicle's belly touches the ground.
    pub hung_up: bool,
}

impl Trafficability {
    /// Returns the drawbar pull over weight on level ground, about the steepest grade it climbs.
    pub fn drawbar(&self) -> f64 {
        self.thrust - self.resistance
    }

    /// Estimates the trafficability of `soil` for a vehicle.
    pub fn estimate(ground_vehicle: &AnyVehicle, soil: &Soil) -> Trafficability {
        match &soil.kind {
            SoilKind::Firm { friction } => Trafficability {
                sinkage: 0.0,
                strength: *friction,
                thrust: *friction,
                resistance: 0.0,
                hung_up: false,
            },
            SoilKind::Deformable(soil) => yielding(ground_vehicle, soil),
        }
    }
}

fn yielding(ground_vehicle: &AnyVehicle, soil: &DeformableSoil) -> Trafficability {
    let weight = ground_vehicle.mass() * ground_vehicle.gravity();
    let floor = soil.details.below.map_or(f64::INFINITY, |layer| layer.depth);
    let (sinkage, length, area, resistance) = match ground_vehicle {
        AnyVehicle::Wheeled(own) => {
            let tire = &own.vehicle.spec().tire.rigid;
            let width = 2.0 * tire.outline.iter().map(|p| p.half_width).fold(0.0, f64::max);
            let (radius, wheels) = (tire.radius(), own.vehicle.wheels() as f64);
            let wheel = RigidWheel { radius, width, load: weight / wheels };
            let modulus = soil.k_c / width + soil.k_phi;
            let free = if soil.n < 3.0 { wheel.bekker_sinkage(modulus, soil.n) } else { radius };
            let sinkage = free.min(floor).min(radius);
            let length = (sinkage * (2.0 * radius - sinkage)).max(0.0).sqrt();
            // only the wheels of the first axle compact the rut
            let rut = 2.0 * wheel.compaction(modulus, soil.n, sinkage);
            (sinkage, length, wheels * width * length, rut)
        }
        AnyVehicle::Tracked(own) => {
            let spec = own.vehicle.spec();
            let (width, length) = (spec.shoe_width(), spec.contact_length());
            let modulus = soil.k_c / width + soil.k_phi;
            let area = 2.0 * width * length;
            let free = pow(weight / area / modulus, 1.0 / soil.n);
            let sinkage = free.min(floor);
            let rut = 2.0 * width * modulus * pow(sinkage, soil.n + 1.0) / (soil.n + 1.0);
            (sinkage, length, area, rut)
        }
    };
    let strength = area * soil.cohesion / weight + tan(soil.friction_angle);
    // mean of 1 - exp(-j/K) over a contact along which the shear displacement grows to slip x
    // length
    let reach = SLIP * length / soil.shear_modulus;
    let mobilized = if reach > 1e-6 { 1.0 - (1.0 - exp(-reach)) / reach } else { 0.0 };
    Trafficability {
        sinkage,
        strength,
        thrust: strength * mobilized,
        resistance: resistance / weight,
        hung_up: clearance(ground_vehicle).is_some_and(|clearance| sinkage > clearance),
    }
}

/// Returns the clearance under the belly, m, if the vehicle file specifies a belly.
fn clearance(ground_vehicle: &AnyVehicle) -> Option<f64> {
    let properties = ground_vehicle.properties();
    let lowest = properties.wheel_centers[0].z - properties.ride_radius;
    Some(ground_vehicle.belly()?.center[2] - lowest)
}
