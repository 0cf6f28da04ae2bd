//! Setup of a vehicle for a drive: trailer, tires, inflation and payload.

use crate::spec::{AnySpec, Inflation, SpecError, TrailerSpec, VehicleSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Model of a tire's contact with the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TireModel {
    /// Rigid on soil, a spring on firm ground.
    Rigid,
    /// Flexible belt under inflation, on soil and on firm ground.
    Flexible,
}

/// A mass that is fixed to a chassis. It adds weight and rotational inertia.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// Mass, kg.
    #[schemars(range(min = 0.0, max = 100_000.0), extend("unit" = "kg"))]
    pub mass: f64,
    /// Center of the mass in the chassis frame, m.
    #[schemars(inner(range(min = -20.0, max = 20.0)))]
    pub position: [f64; 3],
    /// Length, width and height, m. The inertia is that of a box of uniform density. Where absent,
    /// the mass is a point.
    #[serde(default)]
    #[schemars(inner(range(min = 0.0, max = 20.0)))]
    pub size: [f64; 3],
}

/// Choices for one vehicle beyond its spec. The default leaves the spec as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VehicleSetup {
    /// Trailer behind the vehicle.
    pub trailer: Option<TrailerSpec>,
    /// Tire model; where absent, as the spec gives it.
    pub tire: Option<TireModel>,
    /// Inflation pressure of the tires, kPa; where absent, as the spec gives it. One value also
    /// applies to the tires of a trailer, a list only to the vehicle's own.
    pub inflation_kpa: Option<Inflation>,
    /// Mass of the vehicle without trailer and payload, kg; where absent, as the spec gives it. The
    /// difference is that of the chassis, whose inertia changes in proportion to its mass.
    pub mass: Option<f64>,
    /// Unloaded radius of the vehicle's own tires, m; where absent, as the spec gives it. The rims
    /// are the same: the sections are higher or lower by the difference.
    pub wheel_radius: Option<f64>,
    /// Additional masses that are fixed to the chassis.
    pub payload: Vec<Payload>,
}

/// Why a vehicle cannot have a setup.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The vehicle cannot tow the trailer.
    #[error(transparent)]
    Trailer(SpecError),
    /// A value does not fit the vehicle.
    #[error("{key}: {cause}")]
    Value {
        /// Field of [`VehicleSetup`].
        key: &'static str,
        /// Requirement on the value, with its reason.
        cause: String,
    },
}

impl SetupError {
    fn value(key: &'static str, cause: String) -> SetupError {
        SetupError::Value { key, cause }
    }
}

impl AnySpec {
    /// Returns the vehicle with a setup: with the trailer, on the tires at the inflation, under the
    /// payload.
    ///
    /// # Errors
    ///
    /// [`SetupError`] for the first part of the setup that the vehicle cannot have.
    pub fn with_setup(&self, setup: &VehicleSetup) -> Result<AnySpec, SetupError> {
        let mut spec = self.clone();
        match &mut spec {
            AnySpec::Wheeled(own) => {
                if let Some(trailer) = &setup.trailer {
                    **own = own.clone().towing(trailer.clone()).map_err(SetupError::Trailer)?;
                }
                set_tires(own, setup)?;
                set_wheel_radius(own, setup.wheel_radius)?;
            }
            AnySpec::Tracked(own) => {
                let given = [
                    ("trailer", setup.trailer.is_some()),
                    ("tire", setup.tire.is_some()),
                    ("inflation_kpa", setup.inflation_kpa.is_some()),
                    ("wheel_radius", setup.wheel_radius.is_some()),
                ];
                if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
                    let cause = format!("must be absent: {} is a tracked vehicle", own.name);
                    return Err(SetupError::value(key, cause));
                }
            }
        }
        set_mass(&mut spec, setup.mass)?;
        add_payload(&mut spec, &setup.payload)?;
        Ok(spec)
    }
}

/// Sets the tire model and the inflation.
fn set_tires(spec: &mut VehicleSpec, setup: &VehicleSetup) -> Result<(), SetupError> {
    if setup.tire == Some(TireModel::Rigid) {
        spec.tires_mut().for_each(|tire| tire.flexible = None);
    }
    let name = spec.name.clone();
    let defines = "defines flexible tires ([tire.flexible])";
    let flexible = spec.tires_mut().any(|tire| tire.flexible.is_some());
    let refused = |key, cause| Err(SetupError::value(key, cause));
    match (setup.tire, &setup.inflation_kpa) {
        (Some(TireModel::Flexible), _) if spec.tire.flexible.is_none() => {
            refused("tire", format!("must be \"rigid\": no file of {name} {defines}"))
        }
        (Some(TireModel::Rigid), Some(_)) => {
            refused("inflation_kpa", "must be absent with tire = \"rigid\"".into())
        }
        (None, Some(_)) if !flexible => {
            refused("inflation_kpa", format!("must be absent: no file of {name} {defines}"))
        }
        (_, Some(inflation)) => {
            inflate(spec, inflation).map_err(|cause| SetupError::value("inflation_kpa", cause))
        }
        _ => Ok(()),
    }
}

/// Sets the inflation of flexible tires.
///
/// A single value applies to all, including those of a trailer. A list applies to the vehicle's own
/// tires only.
fn inflate(spec: &mut VehicleSpec, inflation: &Inflation) -> Result<(), String> {
    let one = matches!(inflation, Inflation::All(_));
    if !one && spec.tire.flexible.is_none() {
        let name = &spec.name;
        return Err(format!(
            "must be a single value: of {name}, only axles with their own tires have flexible ones"
        ));
    }
    let tires = if one { usize::MAX } else { 1 };
    for flexible in spec.tires_mut().filter_map(|tire| tire.flexible.as_mut()).take(tires) {
        flexible.inflate(inflation);
    }
    spec.check().map_err(|error| match error {
        SpecError::Value { allowed, .. } => format!("must be {allowed}"),
        other => other.to_string(),
    })
}

/// Sets the radius of the vehicle's own tires: outline, section and the radius on firm ground.
fn set_wheel_radius(spec: &mut VehicleSpec, radius: Option<f64>) -> Result<(), SetupError> {
    let Some(radius) = radius else { return Ok(()) };
    let own_axles = spec.tractor_axles().len();
    let tires = spec.axles[..own_axles].iter_mut().filter_map(|axle| axle.tire.as_deref_mut());
    for tire in std::iter::once(&mut spec.tire).chain(tires) {
        let before = tire.rigid.radius();
        let difference = radius - before;
        tire.rigid.outline.iter_mut().for_each(|point| point.radius += difference);
        tire.handling.unloaded_radius += difference;
        if let Some(flexible) = &mut tire.flexible {
            flexible.section_height += difference;
        }
        // the mass is at about the same share of the radius
        let ratio = (radius / before) * (radius / before);
        tire.inertia = tire.inertia.map(|moment| moment * ratio);
    }
    spec.check().map_err(|error| invalid("wheel_radius", &spec.name, &error))
}

/// Sets the mass of the vehicle without its trailer.
fn set_mass(spec: &mut AnySpec, mass: Option<f64>) -> Result<(), SetupError> {
    let Some(mass) = mass else { return Ok(()) };
    let (chassis, rest) = match spec {
        AnySpec::Wheeled(own) => {
            let rest = own.total_mass() - own.trailer_mass() - own.chassis.mass;
            (&mut own.chassis, rest)
        }
        AnySpec::Tracked(own) => {
            let rest = own.total_mass() - own.chassis.mass;
            (&mut own.chassis, rest)
        }
    };
    if mass <= rest {
        let cause = format!("must be above {rest:.1} kg, the mass of all parts but the chassis");
        return Err(SetupError::value("mass", cause));
    }
    let ratio = (mass - rest) / chassis.mass;
    chassis.mass = mass - rest;
    chassis.inertia = chassis.inertia.map(|moment| moment * ratio);
    chassis.products = chassis.products.map(|product| product * ratio);
    if let AnySpec::Wheeled(own) = spec
        && let Some(rear) = &mut own.rear_frame
    {
        rear.mass *= ratio;
        rear.inertia = rear.inertia.map(|moment| moment * ratio);
        rear.products = rear.products.map(|product| product * ratio);
    }
    spec.check().map_err(|error| invalid("mass", spec.name(), &error))
}

/// Returns the error for a value that makes the vehicle invalid as a vehicle file.
fn invalid(key: &'static str, name: &str, error: &SpecError) -> SetupError {
    SetupError::value(key, format!("must leave {name} valid: {error}"))
}

/// Fixes masses to the chassis.
///
/// The loaded vehicle must satisfy the rules for vehicle files: it stands on its wheels, and these
/// can carry it.
fn add_payload(spec: &mut AnySpec, payload: &[Payload]) -> Result<(), SetupError> {
    if payload.is_empty() {
        return Ok(());
    }
    for Payload { mass, position, size } in payload {
        match spec {
            AnySpec::Wheeled(own) => own.load(*mass, position, size),
            AnySpec::Tracked(own) => own.chassis.load(*mass, position, size),
        }
    }
    spec.check().map_err(|error| {
        let name = spec.name();
        let cause = format!("must leave {name} valid: with the whole payload, {error}");
        SetupError::value("payload", cause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find_trailer, find_vehicle};

    fn refused(name: &str, setup: &VehicleSetup) -> String {
        find_vehicle(name).unwrap().with_setup(setup).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_setup_returns_the_spec() {
        for name in ["hmmwv", "m113", "fmtv_4x4+semitrailer"] {
            let spec = find_vehicle(name).unwrap();
            assert_eq!(spec.with_setup(&VehicleSetup::default()).unwrap(), spec);
        }
    }

    #[test]
    fn a_setup_couples_inflates_and_loads() {
        let setup = VehicleSetup {
            trailer: Some(find_trailer("cargo_trailer").unwrap()),
            tire: Some(TireModel::Flexible),
            inflation_kpa: Some(Inflation::All(150.0)),
            payload: vec![Payload { mass: 200.0, position: [-1.0, 0.0, 0.5], size: [0.0; 3] }],
            ..VehicleSetup::default()
        };
        let spec = find_vehicle("hmmwv").unwrap().with_setup(&setup).unwrap();
        let towing = find_vehicle("hmmwv+cargo_trailer").unwrap();
        assert!((spec.total_mass() - towing.total_mass() - 200.0).abs() < 1e-9);
        let own = spec.wheeled().unwrap();
        let flexible = own.tire.flexible.as_ref().unwrap();
        assert_eq!(flexible.inflation_kpa, Inflation::All(150.0));
        assert!(flexible.nominal_inflation_kpa.is_some());
    }

    #[test]
    fn mass_and_wheel_radius_are_set() {
        for (name, factor) in [("hmmwv", 1.3), ("gator", 0.9), ("m113", 1.1), ("fmtv_6x6", 1.05)] {
            let plain = find_vehicle(name).unwrap();
            let mass = factor * plain.total_mass();
            let setup = VehicleSetup { mass: Some(mass), ..VehicleSetup::default() };
            let spec = plain.with_setup(&setup).unwrap();
            assert!((spec.total_mass() - mass).abs() < 1e-9 * mass, "{name}");
        }
        let setup = VehicleSetup {
            mass: Some(3000.0),
            wheel_radius: Some(0.52),
            ..VehicleSetup::default()
        };
        let spec = find_vehicle("hmmwv+cargo_trailer").unwrap().with_setup(&setup).unwrap();
        let own = spec.wheeled().unwrap();
        assert!((own.total_mass() - own.trailer_mass() - 3000.0).abs() < 1e-9);
        assert!((own.tire.rigid.radius() - 0.52).abs() < 1e-12);
        let plain = find_vehicle("hmmwv").unwrap();
        let [before, after] = [plain.wheeled().unwrap(), own]
            .map(|own| own.tire.flexible.as_ref().unwrap().section_height);
        assert!((after - before - (0.52 - 0.4677)).abs() < 1e-12);
        let trailing = own.axles.last().unwrap().tire.as_ref().unwrap();
        assert!((trailing.rigid.radius() - 0.4677).abs() < 1e-12, "the trailer keeps its tires");
        let radius = |radius| VehicleSetup { wheel_radius: Some(radius), ..Default::default() };
        assert!(
            refused("hmmwv", &radius(0.2)).starts_with("wheel_radius: must leave HMMWV valid: ")
        );
        assert!(refused("m113", &radius(0.4)).starts_with("wheel_radius: must be absent: "));
        let light = VehicleSetup { mass: Some(100.0), ..Default::default() };
        assert!(refused("hmmwv", &light).starts_with("mass: must be above "));
    }

    #[test]
    fn tracked_vehicles_have_neither_tires_nor_trailers() {
        let tire = VehicleSetup { tire: Some(TireModel::Rigid), ..VehicleSetup::default() };
        assert!(refused("m113", &tire).starts_with("tire: must be absent: "));
        let trailer = find_trailer("cargo_trailer").unwrap();
        let trailer = VehicleSetup { trailer: Some(trailer), ..VehicleSetup::default() };
        assert!(refused("m113", &trailer).starts_with("trailer: must be absent: "));
        let both = refused("hmmwv+cargo_trailer", &trailer);
        assert!(both.contains("absent: a vehicle draws at most one trailer"), "{both}");
    }

    #[test]
    fn a_setup_that_does_not_fit_is_refused() {
        let inflation_kpa = Some(Inflation::All(150.0));
        let rigid =
            VehicleSetup { tire: Some(TireModel::Rigid), inflation_kpa, ..Default::default() };
        assert_eq!(refused("hmmwv", &rigid), "inflation_kpa: must be absent with tire = \"rigid\"");
        let heavy = Payload { mass: 9e4, position: [0.0; 3], size: [0.0; 3] };
        let heavy = VehicleSetup { payload: vec![heavy], ..VehicleSetup::default() };
        assert!(refused("hmmwv", &heavy).starts_with("payload: must leave "));
    }
}
