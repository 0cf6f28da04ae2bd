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
    pub(super) fn find(word: &str) -> Option<Extreme> {
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
    source: ColumnSource,
}

impl PartialEq for StateColumn {
    fn eq(&self, other: &StateColumn) -> bool {
        self.name == other.name
    }
}

#[derive(Clone, Copy, Debug)]
enum ColumnSource {
    Vehicle(fn(&Sample) -> f64),
    /// Value of each wheel.
    Wheels(fn(&WheelSample) -> f64),
}

const fn vehicle_column(
    name: &'static str,
    unit: &'static str,
    of: fn(&Sample) -> f64,
) -> StateColumn {
    StateColumn { name, unit, source: ColumnSource::Vehicle(of) }
}

const fn wheel_column(
    name: &'static str,
    unit: &'static str,
    of: fn(&WheelSample) -> f64,
) -> StateColumn {
    StateColumn { name, unit, source: ColumnSource::Wheels(of) }
}

static COLUMNS: [StateColumn; 24] = [
    vehicle_column("x_m", "m", |s| s.pose.position.x),
    vehicle_column("y_m", "m", |s| s.pose.position.y),
    vehicle_column("z_m", "m", |s| s.pose.position.z),
    vehicle_column("roll_rad", "rad", |s| s.pose.roll()),
    vehicle_column("pitch_rad", "rad", |s| s.pose.pitch()),
    vehicle_column("yaw_rad", "rad", |s| s.pose.yaw()),
    vehicle_column("vx_mps", "m/s", |s| s.velocity.x),
    vehicle_column("vy_mps", "m/s", |s| s.velocity.y),
    vehicle_column("vz_mps", "m/s", |s| s.velocity.z),
    vehicle_column("wx_radps", "rad/s", |s| s.angular_velocity.x),
    vehicle_column("wy_radps", "rad/s", |s| s.angular_velocity.y),
    vehicle_column("wz_radps", "rad/s", |s| s.angular_velocity.z),
    vehicle_column("speed_mps", "m/s", |s| s.speed),
    vehicle_column("throttle", "", |s| s.controls.throttle),
    vehicle_column("brake", "", |s| s.controls.brake),
    vehicle_column("steering", "", |s| s.controls.steering),
    vehicle_column("engine_speed_radps", "rad/s", |s| s.engine_speed),
    vehicle_column("gear", "", |s| f64::from(s.gear)),
    wheel_column("wheel_spin_radps", "rad/s", |w| w.spin),
    wheel_column("wheel_slip", "", |w| w.slip),
    wheel_column("wheel_sinkage_m", "m", |w| w.sinkage),
    wheel_column("wheel_load_n", "N", |w| w.load),
    wheel_column("wheel_traction_n", "N", |w| w.traction),
    wheel_column("wheel_torque_nm", "N m", |w| w.torque),
];

impl StateColumn {
    pub(super) fn find(name: &str) -> Option<StateColumn> {
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
        let (vehicle, wheels) = match self.source {
            ColumnSource::Vehicle(of) => (Some(of(sample)), None),
            ColumnSource::Wheels(of) => (None, Some(sample.wheels.iter().map(of))),
        };
        vehicle.into_iter().chain(wheels.into_iter().flatten())
    }
}
