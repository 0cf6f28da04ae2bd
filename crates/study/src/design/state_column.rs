//! Columns of the states whose minimum, mean or maximum a study can record.

use bekker_agent::{Sample, WheelSample};

/// Statistic of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// Minimum.
    Min,
    /// Mean over time.
    Mean,
    /// Maximum.
    Max,
}

impl Extreme {
    pub(super) fn named(word: &str) -> Option<Extreme> {
        match word {
            "min" => Some(Extreme::Min),
            "mean" => Some(Extreme::Mean),
            "max" => Some(Extreme::Max),
            _ => None,
        }
    }
}

/// A column by its name in `states.parquet`; wheel columns combine all wheels.
#[derive(Clone, Copy, Debug)]
pub struct StateColumn {
    name: &'static str,
    unit: &'static str,
    of: Of,
}

impl PartialEq for StateColumn {
    fn eq(&self, other: &StateColumn) -> bool {
        self.name == other.name
    }
}

#[derive(Clone, Copy, Debug)]
enum Of {
    Vehicle(fn(&Sample) -> f64),
    /// Value of each wheel.
    Wheels(fn(&WheelSample) -> f64),
}

const fn own(name: &'static str, unit: &'static str, of: fn(&Sample) -> f64) -> StateColumn {
    StateColumn { name, unit, of: Of::Vehicle(of) }
}

const fn wheels(
    name: &'static str,
    unit: &'static str,
    of: fn(&WheelSample) -> f64,
) -> StateColumn {
    StateColumn { name, unit, of: Of::Wheels(of) }
}

static COLUMNS: [StateColumn; 24] = [
    own("x_m", "m", |s| s.pose.position.x),
    own("y_m", "m", |s| s.pose.position.y),
    own("z_m", "m", |s| s.pose.position.z),
    own("roll_rad", "rad", |s| s.pose.roll()),
    own("pitch_rad", "rad", |s| s.pose.pitch()),
    own("yaw_rad", "rad", |s| s.pose.yaw()),
    own("vx_mps", "m/s", |s| s.velocity.x),
    own("vy_mps", "m/s", |s| s.velocity.y),
    own("vz_mps", "m/s", |s| s.velocity.z),
    own("wx_radps", "rad/s", |s| s.angular_velocity.x),
    own("wy_radps", "rad/s", |s| s.angular_velocity.y),
    own("wz_radps", "rad/s", |s| s.angular_velocity.z),
    own("speed_mps", "m/s", |s| s.speed),
    own("throttle", "", |s| s.controls.throttle),
    own("brake", "", |s| s.controls.brake),
    own("steering", "", |s| s.controls.steering),
    own("engine_speed_radps", "rad/s", |s| s.engine_speed),
    own("gear", "", |s| f64::from(s.gear)),
    wheels("wheel_spin_radps", "rad/s", |w| w.spin),
    wheels("wheel_slip", "", |w| w.slip),
    wheels("wheel_sinkage_m", "m", |w| w.sinkage),
    wheels("wheel_load_n", "N", |w| w.load),
    wheels("wheel_traction_n", "N", |w| w.traction),
    wheels("wheel_torque_nm", "N m", |w| w.torque),
];

impl StateColumn {
    pub(super) fn named(name: &str) -> Option<StateColumn> {
        COLUMNS.iter().find(|own| own.name == name).copied()
    }

    /// Returns the names of all columns.
    pub fn names() -> Vec<&'static str> {
        COLUMNS.iter().map(|own| own.name).collect()
    }

    /// Returns the unit; empty if dimensionless.
    pub fn unit(&self) -> &'static str {
        self.unit
    }

    /// Returns the values at a time: one, or one per wheel.
    pub(super) fn numbers(&self, sample: &Sample) -> impl Iterator<Item = f64> {
        let (vehicle, wheels) = match self.of {
            Of::Vehicle(of) => (Some(of(sample)), None),
            Of::Wheels(of) => (None, Some(sample.wheels.iter().map(of))),
        };
        vehicle.into_iter().chain(wheels.into_iter().flatten())
    }
}
