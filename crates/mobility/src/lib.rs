//! Standard mobility events. Each drives a whole vehicle.
//!
//! They cover acceleration, turning, slopes, drawbar pull, ride, obstacles, passes and fuel. The
//! events are those of the NATO Reference Mobility Model and its successor (NG-NRMM; listed after
//! the report SBEL TR-2016-08).
//!
//! Each event is a file in this folder. It builds scenarios with a [`Subject`], drives them, and
//! returns [`Findings`] as plain data: metrics with a closed form or a published value for
//! comparison, curves, and the scenarios that decided them. To add an event, write it in a new file
//! and list it in [`EVENTS`].
//!
//! This crate is a layer of the crate `bekker`, whose documentation has examples. `ARCHITECTURE.md`
//! describes the layers.

mod absorbed_power;
mod cone_index;
mod cornering;
mod drawbar;
mod event_scale;
mod findings;
mod fuel;
mod grade;
mod half_round;
mod lane_change;
mod obstacles;
mod passes;
mod published;
mod ride;
mod side_slope;
mod straight;
mod subject;
mod threshold;
mod tractive_effort;
mod turning;
pub mod vehicle_sheet;

pub use absorbed_power::absorbed_power;
pub use findings::{ClosedForm, EventMetric, Findings, Limit, Published};
pub use half_round::shock_speed;
pub use ride::ride_speed;
pub use subject::{FrontAxle, MobilityError, Subject, VehicleDimensions, is_firm};
pub use threshold::{Threshold, threshold};
pub use tractive_effort::TractiveEffort;

/// Resolution of the limits and number of variants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchEffort {
    /// Coarse limits and fewer variants.
    pub quick: bool,
}

impl SearchEffort {
    /// Returns the resolution of a limit, given that of a full run.
    fn width(self, fine: f64) -> f64 {
        if self.quick { 4.0 * fine } else { fine }
    }

    /// Returns the first of the variants if quick, else all.
    fn some<T>(self, all: &[T]) -> &[T] {
        if self.quick { &all[..all.len().min(1)] } else { all }
    }
}

/// A mobility event.
#[derive(Clone, Copy, Debug)]
pub struct MobilityEvent {
    /// Name, used to select the event.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Whether the event uses the soils of the subject.
    pub on_soil: bool,
    drive: fn(&Subject, SearchEffort) -> Result<Findings, MobilityError>,
}

impl MobilityEvent {
    /// Drives the event.
    ///
    /// # Errors
    /// [`MobilityError`] when a scenario is refused or a trial has no result.
    pub fn drive(
        &self,
        subject: &Subject,
        effort: SearchEffort,
    ) -> Result<Findings, MobilityError> {
        (self.drive)(subject, effort)
    }

    /// Returns the event with a name.
    pub fn find(name: &str) -> Option<&'static MobilityEvent> {
        EVENTS.iter().find(|event| event.name == name)
    }
}

/// All events, in order.
pub const EVENTS: [MobilityEvent; 15] = [
    MobilityEvent {
        name: "straight",
        about: "acceleration and top speed at full throttle, braking, on a firm road",
        on_soil: false,
        drive: straight::drive,
    },
    MobilityEvent {
        name: "turning",
        about: "steering circle from wall to wall at full lock",
        on_soil: false,
        drive: turning::drive,
    },
    MobilityEvent {
        name: "cornering",
        about: "steady cornering at a held speed with slowly growing steering: understeer gradient",
        on_soil: false,
        drive: cornering::drive,
    },
    MobilityEvent {
        name: "lane_change",
        about: "fastest double lane change within its lanes",
        on_soil: false,
        drive: lane_change::drive,
    },
    MobilityEvent {
        name: "grade",
        about: "steepest grade climbed from rest, firm and on soils",
        on_soil: true,
        drive: grade::gradeability,
    },
    MobilityEvent {
        name: "speed_on_slope",
        about: "speed held at full throttle up grades, firm and on soil",
        on_soil: true,
        drive: grade::speeds,
    },
    MobilityEvent {
        name: "side_slope",
        about: "steepest side slope driven along under control, firm and on soil",
        on_soil: true,
        drive: side_slope::drive,
    },
    MobilityEvent {
        name: "drawbar",
        about: "drawbar pull over slip against a braked vehicle on a rope, and motion resistance",
        on_soil: true,
        drive: drawbar::drive,
    },
    MobilityEvent {
        name: "ride",
        about: "speed at which the driver absorbs 6 W over rough ground",
        on_soil: false,
        drive: ride::drive,
    },
    MobilityEvent {
        name: "half_round",
        about: "speed at which a half-round shakes the driver with 2.5 g",
        on_soil: false,
        drive: half_round::drive,
    },
    MobilityEvent {
        name: "step",
        about: "highest vertical step climbed",
        on_soil: false,
        drive: obstacles::step,
    },
    MobilityEvent {
        name: "gap",
        about: "widest trench with upright walls crossed",
        on_soil: false,
        drive: obstacles::gap,
    },
    MobilityEvent {
        name: "trapezoids",
        about: "deepest ditch and highest barrier with faces of 45 degrees crossed",
        on_soil: false,
        drive: obstacles::trapezoids,
    },
    MobilityEvent {
        name: "passes",
        about: "weakest clay passed once and repeatedly, as a fraction of its catalog strength",
        on_soil: true,
        drive: passes::drive,
    },
    MobilityEvent {
        name: "fuel",
        about: "fuel burned on a road and on soil",
        on_soil: true,
        drive: fuel::drive,
    },
];
