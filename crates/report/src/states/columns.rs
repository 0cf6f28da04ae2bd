//! Columns of the table: name, unit and value in a sample.

use crate::columns::RecordValues;
use bekker_agent::{MotorSample, Sample, TrailerSample, WheelMotorRecord, WheelSample};
use bekker_scenario::config::QuantityConfig;
use bekker_vehicle::inflation::kilopascals;

/// A column of the table.
#[derive(Clone, Copy)]
pub(super) enum SampleColumn {
    Vehicle(VehicleColumn),
    Wheel(usize, WheelColumn),
    Articulation,
    Trailer(TrailerColumn),
    Motors(MotorColumn),
    WheelMotor(usize, WheelMotorColumn),
}

impl SampleColumn {
    pub(super) fn quantity(&self) -> Option<QuantityConfig> {
        match self {
            SampleColumn::Vehicle(own) => own.quantity,
            SampleColumn::Wheel(_, (quantity, ..)) => Some(*quantity),
            SampleColumn::Articulation => Some(QuantityConfig::Steering),
            SampleColumn::Trailer(_) => Some(QuantityConfig::Trailer),
            SampleColumn::Motors(_) | SampleColumn::WheelMotor(..) => Some(QuantityConfig::Motors),
        }
    }

    pub(super) fn name(&self) -> String {
        match self {
            SampleColumn::Vehicle(own) => own.name.to_owned(),
            SampleColumn::Wheel(wheel, (_, name, ..))
            | SampleColumn::WheelMotor(wheel, (name, ..)) => {
                format!("wheel{wheel}_{name}")
            }
            SampleColumn::Articulation => ARTICULATION.0.to_owned(),
            SampleColumn::Trailer((name, ..)) | SampleColumn::Motors((name, ..)) => {
                (*name).to_owned()
            }
        }
    }

    pub(super) fn values(&self) -> RecordValues {
        match self {
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Real(_), .. }) => {
                RecordValues::Real(Vec::new())
            }
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Integer(_), .. }) => {
                RecordValues::Integer(Vec::new())
            }
            SampleColumn::Vehicle(VehicleColumn { of: ColumnValue::Name, .. }) => {
                RecordValues::Text(Vec::new())
            }
            SampleColumn::Wheel(..)
            | SampleColumn::Articulation
            | SampleColumn::Trailer(_)
            | SampleColumn::Motors(_)
            | SampleColumn::WheelMotor(..) => RecordValues::OptionalReal(Vec::new()),
        }
    }
}

/// A column of a vehicle.
#[derive(Clone, Copy)]
pub(super) struct VehicleColumn {
    pub(super) name: &'static str,
    /// QuantityConfig that selects the column; none if it is always present.
    pub(super) quantity: Option<QuantityConfig>,
    pub(super) of: ColumnValue,
    pub(super) what: &'static str,
}

#[derive(Clone, Copy)]
pub(super) enum ColumnValue {
    Real(fn(&Sample) -> f64),
    Integer(fn(&Sample) -> i32),
    Name,
}

const fn real(
    name: &'static str,
    quantity: QuantityConfig,
    of: fn(&Sample) -> f64,
    what: &'static str,
) -> VehicleColumn {
    VehicleColumn { name, quantity: Some(quantity), of: ColumnValue::Real(of), what }
}

pub(super) static OWN: [VehicleColumn; 25] = {
    use QuantityConfig::{
        Angles, AngularVelocity, Brake, EngineSpeed, Gear, Orientation, Position, Speed, Steering,
        Throttle, Velocity,
    };
    let quantity = None;
    [
        VehicleColumn {
            name: "time_s",
            quantity,
            of: ColumnValue::Real(|s| s.time),
            what: "simulated time, s",
        },
        VehicleColumn {
            name: "vehicle",
            quantity,
            of: ColumnValue::Integer(|s| s.vehicle as i32),
            what: "index of the vehicle in the scenario, from 0",
        },
        VehicleColumn {
            name: "name",
            quantity,
            of: ColumnValue::Name,
            what: "name of the vehicle in the scenario",
        },
        real("x_m", Position, |s| s.pose.position.x, "origin of the chassis frame, east, m"),
        real("y_m", Position, |s| s.pose.position.y, "the same, north, m"),
        real("z_m", Position, |s| s.pose.position.z, "the same, up, m"),
        real("qw", Orientation, |s| s.pose.orientation.w, "orientation, body to world: quaternion"),
        real("qx", Orientation, |s| s.pose.orientation.i, "the same, x"),
        real("qy", Orientation, |s| s.pose.orientation.j, "the same, y"),
        real("qz", Orientation, |s| s.pose.orientation.k, "the same, z"),
        real("roll_rad", Angles, |s| s.pose.roll(), "roll by ISO 8855, rad"),
        real("pitch_rad", Angles, |s| s.pose.pitch(), "pitch by ISO 8855, rad"),
        real("yaw_rad", Angles, |s| s.pose.yaw(), "yaw by ISO 8855, rad"),
        real("vx_mps", Velocity, |s| s.velocity.x, "velocity of that origin, east, m/s"),
        real("vy_mps", Velocity, |s| s.velocity.y, "the same, north, m/s"),
        real("vz_mps", Velocity, |s| s.velocity.z, "the same, up, m/s"),
        real("wx_radps", AngularVelocity, |s| s.angular_velocity.x, "roll rate, body axes, rad/s"),
        real("wy_radps", AngularVelocity, |s| s.angular_velocity.y, "pitch rate, rad/s"),
        real("wz_radps", AngularVelocity, |s| s.angular_velocity.z, "yaw rate, rad/s"),
        real("speed_mps", Speed, |s| s.speed, "forward speed along the chassis x axis, m/s"),
        real("throttle", Throttle, |s| s.controls.throttle, "throttle, 0 to 1"),
        real(
            "steering",
            Steering,
            |s| s.controls.steering,
            "steering, -1 full right to 1 full left",
        ),
        real("brake", Brake, |s| s.controls.brake, "brake, 0 to 1"),
        real("engine_speed_radps", EngineSpeed, |s| s.engine_speed, "engine speed, rad/s"),
        VehicleColumn {
            name: "gear",
            quantity: Some(Gear),
            of: ColumnValue::Integer(|s| s.gear),
            what: "gear: 1 is first, 0 neutral, negative reverse",
        },
    ]
};

/// A column of each wheel: the quantity that selects it, its name, value and description.
pub(super) type WheelColumn = (QuantityConfig, &'static str, fn(&WheelSample) -> f64, &'static str);

pub(super) static OF_WHEEL: [WheelColumn; 10] = [
    (
        QuantityConfig::WheelSpin,
        "spin_radps",
        |w| w.spin,
        "spin, rad/s, positive when rolling forward",
    ),
    (
        QuantityConfig::WheelSlip,
        "slip",
        |w| w.slip,
        "slip, -1 to 1: 1 - v/(omega r) when driving, omega r/v - 1 when braking",
    ),
    (
        QuantityConfig::WheelSinkage,
        "sinkage_m",
        |w| w.sinkage,
        "depth of the lowest point below the undisturbed ground, m",
    ),
    (QuantityConfig::WheelLoad, "load_n", |w| w.load, "force of the ground on the wheel, up, N"),
    (
        QuantityConfig::WheelTraction,
        "traction_n",
        |w| w.traction,
        "the same along the wheel's heading, N",
    ),
    (QuantityConfig::WheelLateral, "lateral_n", |w| w.lateral, "the same to its left, N"),
    (
        QuantityConfig::WheelTorque,
        "torque_nm",
        |w| w.torque,
        "torque of driveline and brake, N m; for a road wheel, its share of the sprocket torque",
    ),
    (
        QuantityConfig::TireInflation,
        "inflation_kpa",
        |w| kilopascals(w.inflation),
        "tire inflation, kPa; this and the next two are 0 for rigid tires and road wheels",
    ),
    (QuantityConfig::TireDeflection, "deflection_m", |w| w.deflection, "tire deflection, m"),
    (
        QuantityConfig::TireContact,
        "contact_length_m",
        |w| w.contact_length,
        "contact length of the tire, m",
    ),
];

/// Name and description of the column of articulated frames.
pub(super) const ARTICULATION: (&str, &str) = (
    "articulation_rad",
    "angle of an articulated frame, positive with the front turned to the left of the rear, rad",
);

/// A column of a trailer: its name, value and description.
pub(super) type TrailerColumn = (&'static str, fn(&TrailerSample) -> f64, &'static str);

pub(super) static OF_TRAILER: [TrailerColumn; 8] = [
    ("trailer_x_m", |t| t.position.x, "trailer side of the coupling in the world, east, m"),
    ("trailer_y_m", |t| t.position.y, "the same, north, m"),
    ("trailer_z_m", |t| t.position.z, "the same, up, m"),
    (
        "trailer_articulation_rad",
        |t| t.articulation,
        "yaw of the trailer relative to its vehicle, positive to the left, rad",
    ),
    (
        "trailer_pitch_rad",
        |t| t.pitch,
        "pitch of the trailer relative to its vehicle, positive nose down, rad",
    ),
    ("hitch_x_n", |t| t.hitch_force.x, "force of the trailer on the vehicle, chassis axes, x, N"),
    ("hitch_y_n", |t| t.hitch_force.y, "the same, y, N"),
    ("hitch_z_n", |t| t.hitch_force.z, "the same, z, N"),
];

/// A column of electric motors: its name, value and description.
pub(super) type MotorColumn = (&'static str, fn(&MotorSample) -> f64, &'static str);

pub(super) static OF_MOTORS: [MotorColumn; 4] = [
    (
        "motor_left_current_a",
        |m| m.currents[0],
        "current of the left motors, positive for a forward torque, A",
    ),
    ("motor_right_current_a", |m| m.currents[1], "the same of the right motors, A"),
    (
        "battery_power_w",
        |m| m.battery_power,
        "power from the battery, negative while the motors charge it, W",
    ),
    ("battery_charge", |m| m.battery_charge, "state of charge, 1 full at the start, 0 empty"),
];

/// A column of the motor of a wheel: its name, value and description.
pub(super) type WheelMotorColumn = (&'static str, fn(&WheelMotorRecord) -> f64, &'static str);

pub(super) static OF_WHEEL_MOTOR: [WheelMotorColumn; 2] = [
    ("motor_current_a", |m| m.current, "current of the wheel's own motor, A"),
    ("motor_energy_j", |m| m.energy, "energy that it drew from the battery, J"),
];

/// Returns every column with its description; N stands for the number of a wheel.
pub fn described() -> Vec<(String, &'static str)> {
    let own = OWN.iter().map(|own| (own.name.to_owned(), own.what));
    let of_trailer = OF_TRAILER.iter().map(|(name, _, what)| ((*name).to_owned(), *what));
    let (name, what) = ARTICULATION;
    own.chain(OF_WHEEL.iter().map(|(_, name, _, what)| (format!("wheelN_{name}"), *what)))
        .chain(std::iter::once((name.to_owned(), what)))
        .chain(of_trailer)
        .chain(OF_MOTORS.iter().map(|(name, _, what)| ((*name).to_owned(), *what)))
        .chain(OF_WHEEL_MOTOR.iter().map(|(name, _, what)| (format!("wheelN_{name}"), *what)))
        .collect()
}
