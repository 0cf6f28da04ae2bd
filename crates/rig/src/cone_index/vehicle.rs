//! Dimensions of a vehicle that the relations of the cone index use, from its file.

use super::ground_pressure::{axle_constant, wheels_pressure};
use crate::LoadedTire;
use bekker_math::numeric::GRAVITY;
use bekker_vehicle::AnySpec;
use bekker_vehicle::spec::{TrackedSpec, VehicleSpec};
use serde::Serialize;

/// Deflections over the section height to which the one-pass index is applied here.
///
/// The measured vehicles had about 0.15 and more; the bounds are a judgment.
const DEFLECTIONS: [f64; 2] = [0.1, 0.45];
/// Least mass to which the relations are applied here, kg: a judgment.
///
/// The measured vehicles were military vehicles.
const LEAST_MASS: f64 = 1000.0;
/// Greatest height of grousers, m, for which the mobility index has a factor of 1: 1.5 in.
const HIGHEST_GROUSER: f64 = 0.0381;

/// Dimensions of a vehicle for the relations of the cone index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConeIndexVehicle {
    /// Weight without a trailer, N.
    pub weight: f64,
    /// Ground clearance at rest, m; `None` if unknown.
    pub clearance: Option<f64>,
    /// Greatest power at the crankshaft, W.
    pub power: f64,
    /// Share of the weight on driven axles, each axle taken to carry the same load.
    pub driven_share: f64,
    /// Whether it has a trailer, which is left out.
    pub has_trailer: bool,
    /// Height of the highest grousers of wheels or shoes, m.
    pub grouser_height: f64,
    /// Running gear.
    pub gear: ConeIndexGear,
}

/// Running gear of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConeIndexGear {
    /// Wheels.
    Wheels(WheelDimensions),
    /// Two tracks.
    Tracks(TrackDimensions),
}

/// Wheels of a vehicle; dimensions are means over its axles.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WheelDimensions {
    /// Number of axles.
    pub axles: usize,
    /// Number of driven axles.
    pub driven: usize,
    /// Number of tires.
    pub tires: usize,
    /// Width of a tire, m.
    pub width: f64,
    /// Outer radius of a tire without load, m.
    pub radius: f64,
    /// Section height of a tire, m.
    pub section_height: f64,
    /// Deflection under the mean load on a hard plate over the section height.
    pub deflection: f64,
}

/// Two tracks of a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrackDimensions {
    /// Contact length, m.
    pub length: f64,
    /// Width, m.
    pub width: f64,
    /// Pitch, m.
    pub pitch: f64,
    /// Area of the shoe faces over that of the underside.
    pub face_share: f64,
    /// Road wheels of a track; a mean if the tracks differ.
    pub wheels: f64,
    /// Outer diameter of a road wheel, m.
    pub wheel_diameter: f64,
}

impl ConeIndexVehicle {
    /// Takes the dimensions from a vehicle's file.
    ///
    /// `clearance` is that of its underside at rest, m, if it is known.
    pub fn from_spec(spec: &AnySpec, clearance: Option<f64>) -> ConeIndexVehicle {
        let power = spec.rated_power();
        let (weight, driven_share, has_trailer, gear) = match spec {
            AnySpec::Wheeled(own) => {
                let weight = (own.total_mass() - own.trailer_mass()) * GRAVITY;
                let wheels = wheel_dimensions(own, weight);
                let share = wheels.driven as f64 / wheels.axles as f64;
                (weight, share, own.trailer.is_some(), ConeIndexGear::Wheels(wheels))
            }
            AnySpec::Tracked(own) => {
                let gear = ConeIndexGear::Tracks(track_dimensions(own));
                (spec.total_mass() * GRAVITY, 1.0, false, gear)
            }
        };
        let grouser_height = grouser_height(spec);
        ConeIndexVehicle {
            weight,
            clearance,
            power,
            driven_share,
            has_trailer,
            grouser_height,
            gear,
        }
    }

    /// Returns the limits of validity that the vehicle exceeds, each in one sentence.
    pub fn limits(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mass = self.weight / GRAVITY;
        if mass < LEAST_MASS {
            found.push(format!(
                "its mass is {mass:.0} kg, and the relations were measured with military vehicles of \
                 {LEAST_MASS:.0} kg and more"
            ));
        }
        if self.has_trailer {
            found.push("its trailer, and the load of the trailer on it, are left out".to_owned());
        }
        if self.clearance.is_none() {
            found.push(
                "its file specifies no underside: the clearance is taken as the radius of its wheels"
                    .to_owned(),
            );
        }
        if self.grouser_height > HIGHEST_GROUSER {
            found.push(format!(
                "its grousers are {:.0} mm high, and the factor of grousers above {:.0} mm is left out",
                1e3 * self.grouser_height,
                1e3 * HIGHEST_GROUSER
            ));
        }
        if let ConeIndexGear::Wheels(own) = self.gear {
            if own.driven < own.axles {
                found.push(format!(
                    "{} of {} axles are driven, and the vehicle cone index is that of vehicles with \
                     all axles driven",
                    own.driven, own.axles
                ));
            }
            let [low, high] = DEFLECTIONS;
            if !(low..=high).contains(&own.deflection) {
                found.push(format!(
                    "its tires deflect by {:.3} of their section height, outside of {low} to {high}",
                    own.deflection
                ));
            }
            if axle_constant(own.axles, own.driven).is_none() {
                found.push(format!(
                    "Rowland's mean maximum pressure has no constant for {} of {} axles driven",
                    own.driven, own.axles
                ));
            }
        }
        found
    }

    /// Returns the nominal ground pressure, Pa.
    ///
    /// It is the weight over width times length of both tracks, or over width times radius of all
    /// tires.
    pub fn nominal_ground_pressure(&self) -> f64 {
        match self.gear {
            ConeIndexGear::Wheels(own) => self.weight / (own.width * own.radius * own.tires as f64),
            ConeIndexGear::Tracks(own) => self.weight / (2.0 * own.width * own.length),
        }
    }

    /// Returns the mean maximum pressure, Pa; `None` if no constant is known for its driven axles.
    pub fn mean_maximum_pressure(&self) -> Option<f64> {
        match self.gear {
            ConeIndexGear::Wheels(own) => wheels_pressure(&own, self.weight),
            ConeIndexGear::Tracks(own) => Some(own.mean_maximum_pressure(self.weight)),
        }
    }
}

/// Returns the height of the highest grousers, m: lugs of tires, or the lowest face of a shoe below
/// its highest face.
fn grouser_height(spec: &AnySpec) -> f64 {
    match spec {
        AnySpec::Wheeled(own) => (0..own.tractor_axles().len())
            .filter_map(|axle| own.tire_of(axle).rigid.grousers.as_ref())
            .map(|grousers| grousers.height)
            .fold(0.0, f64::max),
        AnySpec::Tracked(own) => {
            let heights = own.shoe.faces.iter().map(|face| face.center[2]);
            let [lowest, highest] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |range, z| {
                [range[0].min(z), range[1].max(z)]
            });
            (highest - lowest).max(0.0)
        }
    }
}

/// Returns the dimensions of the wheels under a weight, N.
fn wheel_dimensions(own: &VehicleSpec, weight: f64) -> WheelDimensions {
    let axles = own.tractor_axles().len();
    let count = axles.max(1) as f64;
    let load = weight / (2.0 * count);
    let mut tires = 0;
    let [mut width, mut radius, mut height, mut deflection] = [0.0; 4];
    for index in 0..axles {
        let twins = own.tire_offsets(index).len();
        let tire = own.tire_of(index);
        let section = section_height(own, index);
        tires += 2 * twins;
        width += tire.handling.width / count;
        radius += tire.rigid.radius() / count;
        height += section / count;
        deflection += plate_deflection(own, index, load / twins as f64) / section / count;
    }
    let driven = (0..axles).filter(|&axle| own.is_driven(axle)).count();
    WheelDimensions { axles, driven, tires, width, radius, section_height: height, deflection }
}

/// Returns a tire of an axle under a load, N, for the relations of a tire.
pub fn loaded_tire(own: &VehicleSpec, axle: usize, load: f64) -> LoadedTire {
    let tire = own.tire_of(axle);
    let section_height = section_height(own, axle);
    LoadedTire {
        diameter: 2.0 * tire.rigid.radius(),
        width: tire.handling.width,
        section_height,
        load,
        deflection: plate_deflection(own, axle, load) / section_height,
    }
}

fn section_height(own: &VehicleSpec, axle: usize) -> f64 {
    let tire = own.tire_of(axle);
    let solid = tire.rigid.radius() - own.wheel_of(axle).rim_radius;
    tire.flexible.as_ref().map_or(solid, |own| own.section_height)
}

/// Returns the deflection of a tire of an axle on a hard plate under a load, N, in m.
pub fn plate_deflection(own: &VehicleSpec, axle: usize, load: f64) -> f64 {
    let tire = own.tire_of(axle);
    let ring = tire.flexible.as_ref().and_then(|flexible| {
        let inflation = flexible.inflation_kpa.kpa(2 * axle, 2 * own.axles.len());
        Some((flexible.ring(tire.rigid.radius()).ok()?, inflation))
    });
    match ring {
        Some((ring, inflation)) => ring.deflection(inflation, load),
        None => {
            // k x + c x² = load
            let [k, c] = [tire.handling.vertical_stiffness, tire.handling.vertical_progression];
            2.0 * load / (k + (k * k + 4.0 * c * load).max(0.0).sqrt())
        }
    }
}

fn track_dimensions(own: &TrackedSpec) -> TrackDimensions {
    TrackDimensions {
        length: own.contact_length(),
        width: own.shoe_width(),
        pitch: own.shoe.pitch,
        face_share: own.face_share(),
        wheels: 0.5 * own.tracks().map(|track| track.stations.len() as f64).iter().sum::<f64>(),
        wheel_diameter: 2.0 * own.road_wheel.radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_vehicle::find_vehicle;

    fn limits(spec: &AnySpec) -> String {
        ConeIndexVehicle::from_spec(spec, None).limits().join("; ")
    }

    /// Both kinds of grousers are named above 38.1 mm, and not below.
    #[test]
    fn grousers_above_an_inch_and_a_half_are_a_limit() {
        let mut rover = find_vehicle("mer").unwrap();
        assert!(!limits(&rover).contains("grousers"));
        let AnySpec::Wheeled(own) = &mut rover else { unreachable!() };
        own.tire.rigid.grousers.as_mut().unwrap().height = 0.04;
        assert!(limits(&rover).contains("its grousers are 40 mm high"), "{}", limits(&rover));
        let mut tracked = find_vehicle("m113_chrono").unwrap();
        assert!(!limits(&tracked).contains("grousers"));
        let AnySpec::Tracked(own) = &mut tracked else { unreachable!() };
        own.shoe.faces[0].center[2] -= 0.02;
        assert!(limits(&tracked).contains("its grousers are 40 mm high"), "{}", limits(&tracked));
    }

    /// By hand: two motors of 360 W on the sides of a husky, six of 13.3 W at the wheels of `mer`.
    #[test]
    fn the_power_is_that_of_all_motors() {
        for (model, power) in [("husky", 720.0), ("mer", 79.8)] {
            let spec = find_vehicle(model).unwrap();
            let found = ConeIndexVehicle::from_spec(&spec, None).power;
            assert!((found - power).abs() < 1e-9, "{model}: {found} W");
        }
    }
}
