//! Inputs and outputs, each with unit, range and source of its value.
//!
//! Names are structured (FMI 3.0, section 2.4.7.5): `lead.wheel[1].force.z`. The value reference of
//! a variable is its index in the list.

use bekker_agent::{AnyVehicle, GroundVehicle, Sample, WheelSample};
use bekker_math::spatial::Vec3;
use bekker_scenario::Scenario;
use bekker_scenario::config::DriverConfig;
use bekker_vehicle::Lock;
use bekker_vehicle::inflation::{MOST_KPA, kilopascals};
use bekker_world::WorldModel;

/// Role of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Causality {
    /// The time, which is the only independent variable.
    Independent,
    /// Set by the importer.
    Input,
    /// Read by the importer.
    Output,
}

impl Causality {
    /// Name in model descriptions.
    pub fn name(self) -> &'static str {
        match self {
            Causality::Independent => "independent",
            Causality::Input => "input",
            Causality::Output => "output",
        }
    }
}

/// Type of a variable, as FMI 3.0 names it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VariableType {
    /// A floating-point number.
    Float64 {
        /// Unit.
        unit: &'static str,
    },
    /// An integer.
    Int32,
    /// A truth value.
    Boolean,
    /// A text.
    String,
}

impl VariableType {
    /// Name of the type in FMI 3.0.
    pub fn name(self) -> &'static str {
        match self {
            VariableType::Float64 { .. } => "Float64",
            VariableType::Int32 => "Int32",
            VariableType::Boolean => "Boolean",
            VariableType::String => "String",
        }
    }
}

/// Range of an input and its value at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value, to which lower ones are clamped.
    pub min: f64,
    /// Largest value, if there is one.
    pub max: Option<f64>,
    /// Initial value.
    pub start: f64,
}

/// A command to a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlInput {
    Throttle,
    Brake,
    Steering,
    Gear,
    Inflation,
    Lock(Lock),
    Uncouple,
}

/// Inputs of a vehicle: name, type, range and description.
///
/// By default the brake is applied.
const CONTROLS: [(&str, ControlInput, VariableType, Range, &str); 10] = [
    ("throttle", ControlInput::Throttle, SHARE, from(0.0, 1.0, 0.0), "Throttle"),
    ("brake", ControlInput::Brake, SHARE, from(0.0, 1.0, 1.0), "Service brake"),
    (
        "steering",
        ControlInput::Steering,
        SHARE,
        from(-1.0, 1.0, 0.0),
        "Fraction of full lock, positive to the left",
    ),
    (
        "selector",
        ControlInput::Gear,
        VariableType::Int32,
        from(-1.0, 1.0, 1.0),
        "Gear lever: 1 drive, 0 neutral, -1 reverse",
    ),
    (
        "inflation_kpa",
        ControlInput::Inflation,
        VariableType::Float64 { unit: "kPa" },
        from(0.0, MOST_KPA, 0.0),
        "Target of central tire inflation; 0: no change",
    ),
    lock("lock.center", Lock::Center, "Lock of the center differential"),
    lock("lock.inter_axle", Lock::InterAxle, "Locks of the inter-axle differentials"),
    lock("lock.front_axles", Lock::FrontAxles, "Locks of the front axles' differentials"),
    lock("lock.rear_axles", Lock::RearAxles, "Locks of the rear axles' differentials"),
    (
        "uncouple",
        ControlInput::Uncouple,
        VariableType::Int32,
        from(0.0, 1.0, 0.0),
        "1 uncouples the trailer permanently",
    ),
];

const fn lock(
    name: &'static str,
    lock: Lock,
    about: &'static str,
) -> (&'static str, ControlInput, VariableType, Range, &'static str) {
    (name, ControlInput::Lock(lock), VariableType::Int32, from(0.0, 1.0, 0.0), about)
}

const SHARE: VariableType = VariableType::Float64 { unit: "1" };

const fn from(min: f64, max: f64, start: f64) -> Range {
    Range { min, max: Some(max), start }
}

/// State of a vehicle at a communication point.
#[derive(Clone, Copy, Debug)]
pub(super) struct VehicleMoment<'a> {
    pub sample: &'a Sample,
    /// Mean acceleration over the last heartbeat, m/s², world axes.
    pub acceleration: Vec3,
}

type VehicleValue = fn(VehicleMoment<'_>) -> f64;
type WheelValue = fn(&WheelSample) -> f64;

/// Outputs of a vehicle: name, unit, description, value.
const VEHICLE: [(&str, &str, &str, VehicleValue); 21] = [
    ("position.x", "m", "Chassis frame, east", |m| m.sample.pose.position.x),
    ("position.y", "m", "Chassis frame, north", |m| m.sample.pose.position.y),
    ("position.z", "m", "Chassis frame, up", |m| m.sample.pose.position.z),
    ("orientation.w", "1", "Quaternion from chassis to world", |m| orientation(m)[0]),
    ("orientation.x", "1", "Quaternion from chassis to world", |m| orientation(m)[1]),
    ("orientation.y", "1", "Quaternion from chassis to world", |m| orientation(m)[2]),
    ("orientation.z", "1", "Quaternion from chassis to world", |m| orientation(m)[3]),
    ("velocity.x", "m/s", "Chassis origin, east", |m| m.sample.velocity.x),
    ("velocity.y", "m/s", "Chassis origin, north", |m| m.sample.velocity.y),
    ("velocity.z", "m/s", "Chassis origin, up", |m| m.sample.velocity.z),
    ("angular_velocity.x", "rad/s", "About forward", |m| m.sample.angular_velocity.x),
    ("angular_velocity.y", "rad/s", "About left", |m| m.sample.angular_velocity.y),
    ("angular_velocity.z", "rad/s", "About up of the chassis", |m| m.sample.angular_velocity.z),
    ("acceleration.x", "m/s2", "Mean over the last heartbeat, east", |m| m.acceleration.x),
    ("acceleration.y", "m/s2", "Mean over the last heartbeat, north", |m| m.acceleration.y),
    ("acceleration.z", "m/s2", "Mean over the last heartbeat, up", |m| m.acceleration.z),
    ("speed", "m/s", "Along the chassis' forward axis", |m| m.sample.speed),
    ("engine_speed", "rad/s", "Engine speed", |m| m.sample.engine_speed),
    ("applied.throttle", "1", "Applied throttle", |m| m.sample.controls.throttle),
    ("applied.brake", "1", "Applied service brake", |m| m.sample.controls.brake),
    ("applied.steering", "1", "Applied fraction of full lock", |m| m.sample.controls.steering),
];

fn orientation(moment: VehicleMoment<'_>) -> [f64; 4] {
    let turn = moment.sample.pose.orientation.quaternion();
    [turn.w, turn.i, turn.j, turn.k]
}

/// Outputs of a wheel or road wheel.
const WHEEL: [(&str, &str, &str, WheelValue); 10] = [
    ("spin", "rad/s", "Positive when rolling forward", |own| own.spin),
    (
        "slip",
        "1",
        "1 - v/(omega r) when driving, omega r/v - 1 when braking, from -1 to 1",
        |own| own.slip,
    ),
    ("sinkage", "m", "Depth of the lowest point below the undisturbed ground", |own| own.sinkage),
    ("force.x", "N", "Force of the ground along the wheel's heading", |own| own.traction),
    ("force.y", "N", "Force of the ground to the wheel's left", |own| own.lateral),
    ("force.z", "N", "Force of the ground, up", |own| own.load),
    ("torque", "N.m", "Torque of driveline and brake, positive forward", |own| own.torque),
    ("inflation_kpa", "kPa", "Inflation of a flexible tire, else 0", |own| {
        kilopascals(own.inflation)
    }),
    ("deflection", "m", "Deflection of a flexible tire", |own| own.deflection),
    ("contact_length", "m", "Contact length of a flexible tire", |own| own.contact_length),
];

/// Source of the value of a variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum ValueSource {
    Time,
    StateHash,
    Control { agent: usize, control: ControlInput },
    Vehicle { agent: usize, of: VehicleValue },
    Wheel { agent: usize, wheel: usize, of: WheelValue },
    Gear { agent: usize },
    Driving { agent: usize },
    Outcome { agent: usize },
}

/// An input or output.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Structured name, unique.
    pub name: String,
    /// Description in words.
    pub description: String,
    /// Role of the variable.
    pub causality: Causality,
    /// Type of the variable.
    pub kind: VariableType,
    /// Range; only of inputs.
    pub range: Option<Range>,
    pub(super) source: ValueSource,
}

/// Indices of the vehicles with an external controller.
pub fn external_vehicles(scenario: &Scenario) -> Vec<usize> {
    let vehicles = scenario.vehicle.iter().enumerate();
    let outside = vehicles.filter(|(_, own)| matches!(own.driver, DriverConfig::Outside { .. }));
    outside.map(|(index, _)| index).collect()
}

/// All variables; the index of each is its value reference.
///
/// First the time, then for each vehicle its inputs, if it has an external controller, and its
/// outputs, then the hash of the state.
pub fn variables(model: &WorldModel, outside: &[usize]) -> Vec<Variable> {
    let time = VariableType::Float64 { unit: "s" };
    let mut all = vec![variable("time", "Simulated time", time, ValueSource::Time)];
    all[0].causality = Causality::Independent;
    for (agent, own) in model.agents.iter().enumerate() {
        let vehicle = component(&own.name);
        if outside.contains(&agent) {
            all.extend(controls(&vehicle, agent, &own.vehicle));
        }
        all.extend(states(&vehicle, agent));
        all.extend((0..own.vehicle.wheels()).flat_map(|wheel| wheels(&vehicle, agent, wheel)));
    }
    let hash = "SHA-256 of the whole state, hexadecimal";
    all.push(variable("state_hash", hash, VariableType::String, ValueSource::StateHash));
    all
}

fn variable(
    name: impl Into<String>,
    about: &str,
    kind: VariableType,
    source: ValueSource,
) -> Variable {
    let (name, description) = (name.into(), about.to_owned());
    Variable { name, description, causality: Causality::Output, kind, range: None, source }
}

fn controls(vehicle: &str, agent: usize, own: &AnyVehicle) -> impl Iterator<Item = Variable> {
    let (inflates, locks, trailer) =
        (own.properties().has_central_inflation, own.properties().locks, own.has_trailer());
    let there = move |control| match control {
        ControlInput::Inflation => inflates,
        ControlInput::Lock(lock) => locks.contains(lock),
        ControlInput::Uncouple => trailer,
        _ => true,
    };
    let own = CONTROLS.iter().filter(move |(_, control, ..)| there(*control));
    own.map(move |(name, control, kind, range, about)| Variable {
        causality: Causality::Input,
        range: Some(*range),
        ..variable(
            format!("{vehicle}.{name}"),
            about,
            *kind,
            ValueSource::Control { agent, control: *control },
        )
    })
}

fn states(vehicle: &str, agent: usize) -> Vec<Variable> {
    let named = |name: &str, about: &str, kind, source| {
        variable(format!("{vehicle}.{name}"), about, kind, source)
    };
    let mut all: Vec<Variable> = VEHICLE
        .iter()
        .map(|&(name, unit, about, of)| {
            named(name, about, VariableType::Float64 { unit }, ValueSource::Vehicle { agent, of })
        })
        .collect();
    all.push(named(
        "gear",
        "1 first, 0 neutral, negative reverse",
        VariableType::Int32,
        ValueSource::Gear { agent },
    ));
    let driving = "Whether the vehicle is still driving: not arrived, stuck, overturned or lost";
    all.push(named("driving", driving, VariableType::Boolean, ValueSource::Driving { agent }));
    let outcome = "Outcome of the drive, or current status";
    all.push(named("outcome", outcome, VariableType::String, ValueSource::Outcome { agent }));
    all
}

fn wheels(vehicle: &str, agent: usize, wheel: usize) -> impl Iterator<Item = Variable> {
    WHEEL.iter().map(move |&(name, unit, about, of)| {
        let name = format!("{vehicle}.wheel[{}].{name}", wheel + 1);
        variable(
            name,
            about,
            VariableType::Float64 { unit },
            ValueSource::Wheel { agent, wheel, of },
        )
    })
}

/// Converts a name to a component of structured names.
///
/// Names that are not identifiers are quoted. Bytes not allowed in quotes are escaped as `%C3%A9`.
fn component(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        return name.into();
    }
    let quoted = |byte: u8| match byte {
        b'%' | b'\'' | b'"' | b'\\' | b'`' => format!("%{byte:02X}"),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    format!("'{}'", name.bytes().map(quoted).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_identifiers_are_quoted() {
        assert_eq!(component("lead_2"), "lead_2");
        assert_eq!(component("2nd lead"), "'2nd lead'");
        assert_eq!(component("l'\u{e9}t\u{e9}"), "'l%27%C3%A9t%C3%A9'");
    }
}
