//! Ranges in which the contact models were compared with trials, and the time outside them.
//!
//! [`VALIDITY_RANGES`] is the only place of the limits; docs/validation.md names the trials. The
//! time is taken at heartbeats and does not affect the drive.

use super::agent::{AgentModel, AgentState, AgentWorkspace};
use super::ground_vehicle::{ContactWorkspace, GroundVehicle};
use super::sample::WheelSample;
use super::wheeled_ground_vehicle::level_forward;
use bekker_ground::GroundModel;
use bekker_ground::soil::SoilKind;
use bekker_math::numeric::{hypot, tan};
use bekker_math::spatial::Vec3;
use serde::{Deserialize, Serialize};

/// Speed below which a wheel has no slip angle, m/s.
const MIN_SPEED: f64 = 0.2;
/// Share of the drive below which time outside a range is not reported: starts, stops and bumps.
pub const MIN_REPORTED_SHARE: f64 = 0.1;

/// Kind of running gear, by its contact model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunningGearKind {
    /// Rigid wheel or tire.
    RigidWheel,
    /// Flexible tire.
    FlexibleTire,
    /// Track.
    Track,
}

/// Class of soil, by its trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoilClass {
    /// Sand, loam, clay and other mineral soils.
    Mineral,
    /// Snow.
    Snow,
}

/// Kind of data with which the models were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// Measurements.
    Measured,
    /// Published relations that are fitted to measurements.
    Relation,
    /// Published theory.
    Theory,
}

/// Quantity with a range of validity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidityQuantity {
    /// Load over contact area of all wheels or tracks, Pa.
    GroundPressure,
    /// Slip of a driven wheel or track.
    Slip,
    /// Slip of a braked wheel or track, positive.
    BrakingSlip,
    /// Angle between the motion of a wheel and its heading, degrees.
    SlipAngle,
    /// Sinkage over the radius of the wheel or road wheel.
    SinkageRatio,
    /// Speed over ground, m/s.
    Speed,
}

/// Number of quantities with a range.
const QUANTITIES: usize = 6;
/// Number of ranges.
const RANGES: usize = 6;

/// Range in which a kind of running gear was compared on a class of soil. Absent limits are not
/// evaluated, because the model does not depend on the quantity or nothing was compared.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ValidityRange {
    /// Running gear.
    pub running_gear: RunningGearKind,
    /// Soil.
    pub soil: SoilClass,
    /// Kind of data with which the models were compared.
    pub comparison: Comparison,
    /// Greatest ground pressure, Pa.
    pub ground_pressure: Option<f64>,
    /// Greatest driving slip.
    pub slip: Option<f64>,
    /// Greatest braking slip, positive.
    pub braking_slip: Option<f64>,
    /// Greatest slip angle, degrees.
    pub slip_angle_deg: Option<f64>,
    /// Greatest sinkage over the radius of the wheel or road wheel.
    pub sinkage_ratio: Option<f64>,
    /// Greatest speed, m/s.
    pub speed: Option<f64>,
    /// Trials or theories.
    pub source: &'static str,
}

/// Ranges of validity of all running gear on all classes of soil.
pub const VALIDITY_RANGES: [ValidityRange; RANGES] = [
    ValidityRange {
        running_gear: RunningGearKind::RigidWheel,
        soil: SoilClass::Mineral,
        comparison: Comparison::Measured,
        ground_pressure: Some(150e3),
        slip: Some(0.9),
        braking_slip: Some(1.0),
        slip_angle_deg: Some(45.0),
        sinkage_ratio: Some(0.9),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "CMU wheel in sand; pressure: sands of Wong and Reece",
    },
    ValidityRange {
        running_gear: RunningGearKind::FlexibleTire,
        soil: SoilClass::Mineral,
        comparison: Comparison::Relation,
        // the tire was compared at inflations of 27 to 345 kPa
        ground_pressure: Some(350e3),
        slip: Some(0.6),
        braking_slip: Some(1.0),
        slip_angle_deg: Some(45.0),
        sinkage_ratio: Some(0.55),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "WES and NRMM, Brixius, VTI; slip angle and braking: CMU wheel in sand",
    },
    ValidityRange {
        running_gear: RunningGearKind::Track,
        soil: SoilClass::Mineral,
        comparison: Comparison::Theory,
        ground_pressure: Some(100e3),
        slip: Some(0.5),
        braking_slip: None,
        slip_angle_deg: None,
        sinkage_ratio: Some(0.35),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "Bekker's thrust of a track, Wong's turning moment",
    },
    ValidityRange {
        running_gear: RunningGearKind::RigidWheel,
        soil: SoilClass::Snow,
        comparison: Comparison::Measured,
        ground_pressure: Some(110e3),
        slip: Some(0.1),
        braking_slip: None,
        slip_angle_deg: None,
        sinkage_ratio: Some(0.45),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "CRREL's wheel in snow",
    },
    ValidityRange {
        running_gear: RunningGearKind::FlexibleTire,
        soil: SoilClass::Snow,
        comparison: Comparison::Measured,
        ground_pressure: Some(110e3),
        slip: Some(0.1),
        braking_slip: None,
        slip_angle_deg: None,
        sinkage_ratio: Some(0.45),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "CRREL's wheel in snow",
    },
    ValidityRange {
        running_gear: RunningGearKind::Track,
        soil: SoilClass::Snow,
        comparison: Comparison::Relation,
        ground_pressure: Some(60e3),
        slip: Some(0.3),
        braking_slip: None,
        slip_angle_deg: None,
        sinkage_ratio: Some(0.3),
        speed: Some(MAX_QUASI_STATIC_SPEED),
        source: "CRREL's CRM-1 for the M113",
    },
];

/// Speed up to which the inertia of the soil, which the laws omit, is small, m/s.
///
/// No trial of the comparisons states a higher speed. A wheel that enters a rut at an angle a
/// moves soil of density ρ down at v sin a, which takes ρ v² sin² a of pressure: at 5.5 m/s, 1600
/// kg/m³ and 30 degrees an eighth of a tire's 100 kPa. A drive at 5 m/s with the overshoot of its
/// speed control is within.
const MAX_QUASI_STATIC_SPEED: f64 = 5.5;

impl ValidityQuantity {
    const ALL: [ValidityQuantity; QUANTITIES] = [
        ValidityQuantity::GroundPressure,
        ValidityQuantity::Slip,
        ValidityQuantity::BrakingSlip,
        ValidityQuantity::SlipAngle,
        ValidityQuantity::SinkageRatio,
        ValidityQuantity::Speed,
    ];
}

impl ValidityRange {
    /// Returns the limit of a quantity.
    pub fn limit(&self, quantity: ValidityQuantity) -> Option<f64> {
        match quantity {
            ValidityQuantity::GroundPressure => self.ground_pressure,
            ValidityQuantity::Slip => self.slip,
            ValidityQuantity::BrakingSlip => self.braking_slip,
            ValidityQuantity::SlipAngle => self.slip_angle_deg,
            ValidityQuantity::SinkageRatio => self.sinkage_ratio,
            ValidityQuantity::Speed => self.speed,
        }
    }

    /// Returns the index of the range of a running gear on a class of soil.
    fn index(running_gear: RunningGearKind, soil: SoilClass) -> Option<usize> {
        VALIDITY_RANGES.iter().position(|own| own.running_gear == running_gear && own.soil == soil)
    }

    /// Returns whether each quantity of a wheel exceeds its limit.
    fn exceeded(&self, wheel: &WheelMotion) -> [bool; QUANTITIES] {
        let WheelMotion { sample, radius, along, across, speed } = *wheel;
        let above = |x: f64, limit: Option<f64>| limit.is_some_and(|limit| x > limit);
        let turns = hypot(along, across) >= MIN_SPEED;
        let slips = |limit: f64| across.abs() > tan(limit.to_radians()) * along.abs();
        [
            // of all wheels together: coarse nodes change the area of one from step to step
            false,
            above(sample.slip, self.slip),
            above(-sample.slip, self.braking_slip),
            turns && self.slip_angle_deg.is_some_and(slips),
            above(sample.sinkage / radius, self.sinkage_ratio),
            above(speed, self.speed),
        ]
    }
}

/// Motion of a wheel for the comparison with its range.
struct WheelMotion<'a> {
    sample: &'a WheelSample,
    /// Radius of the wheel, or of a road wheel with the track below it, m.
    radius: f64,
    /// Velocity of the center in the wheel's heading and across it, m/s.
    along: f64,
    across: f64,
    /// Speed of the vehicle, m/s.
    speed: f64,
}

/// Time of a drive outside the ranges of validity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValidityRecord {
    /// Time of the drive, s.
    time: f64,
    /// Time in which a wheel exceeded the limit of a quantity, s, by range.
    outside: [[f64; QUANTITIES]; RANGES],
}

/// Range that a drive left.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeExceedance {
    /// Running gear.
    pub running_gear: RunningGearKind,
    /// Soil.
    pub soil: SoilClass,
    /// Kind of data with which the models were compared.
    pub comparison: Comparison,
    /// Quantity that exceeded its limit.
    pub quantity: ValidityQuantity,
    /// Limit: Pa, degrees, m/s or a ratio.
    pub limit: f64,
    /// Share of the drive in which a wheel exceeded it.
    pub share: f64,
}

impl ValidityRecord {
    /// Adds `span` s in which wheels exceeded the flagged limits.
    fn add(&mut self, span: f64, exceeded: &[[bool; QUANTITIES]; RANGES]) {
        self.time += span;
        let flags = self.outside.iter_mut().flatten().zip(exceeded.iter().flatten());
        flags.filter(|(_, exceeded)| **exceeded).for_each(|(time, _)| *time += span);
    }

    /// Returns the limits that were exceeded for at least a tenth of the drive.
    pub fn exceedances(&self) -> impl Iterator<Item = RangeExceedance> + '_ {
        VALIDITY_RANGES.iter().zip(&self.outside).flat_map(|(range, times)| {
            ValidityQuantity::ALL.into_iter().zip(times).filter_map(|(quantity, time)| {
                let share = time / self.time;
                // not a number before the first heartbeat
                (share >= MIN_REPORTED_SHARE).then_some(RangeExceedance {
                    running_gear: range.running_gear,
                    soil: range.soil,
                    comparison: range.comparison,
                    quantity,
                    limit: range.limit(quantity)?,
                    share,
                })
            })
        })
    }

    /// Returns whether the times are valid in a checkpoint.
    pub fn is_valid(&self) -> bool {
        let times = self.outside.iter().flatten();
        self.time.is_finite() && times.clone().all(|time| (0.0..=self.time).contains(time))
    }
}

impl RangeExceedance {
    /// Returns the limit in words, such as "slip above 60 %".
    pub fn words(&self) -> String {
        let limit = self.limit;
        match self.quantity {
            ValidityQuantity::GroundPressure => {
                format!("ground pressure above {:.0} kPa", 1e-3 * limit)
            }
            ValidityQuantity::Slip => format!("slip above {:.0} %", 100.0 * limit),
            ValidityQuantity::BrakingSlip => {
                format!("braking slip above {:.0} %", 100.0 * limit)
            }
            ValidityQuantity::SlipAngle => format!("slip angle above {limit} deg"),
            ValidityQuantity::SinkageRatio => format!("sinkage above {limit} of the wheel radius"),
            ValidityQuantity::Speed => format!("speed above {limit} m/s"),
        }
    }

    /// Returns the name of the trials, such as "measured wheels in snow".
    pub fn trials(&self) -> &'static str {
        match (self.running_gear, self.soil) {
            (RunningGearKind::RigidWheel, SoilClass::Mineral) => "measured rigid wheels",
            (RunningGearKind::FlexibleTire, SoilClass::Mineral) => "published relations of tires",
            (RunningGearKind::Track, SoilClass::Mineral) => "theories of tracks",
            (RunningGearKind::Track, SoilClass::Snow) => "published relations of tracks in snow",
            (_, SoilClass::Snow) => "measured wheels in snow",
        }
    }
}

impl AgentModel {
    /// Adds a heartbeat of `span` s to the time outside the ranges of validity.
    ///
    /// Firm ground and the time after an arrival do not count.
    pub(super) fn record_validity(
        &self,
        ground: &GroundModel,
        span: f64,
        state: &mut AgentState,
        workspace: &AgentWorkspace,
    ) {
        if state.monitor.arrival_time().is_some() {
            return;
        }
        let mut exceeded = [[false; QUANTITIES]; RANGES];
        let mut carried = [[0.0; 2]; RANGES];
        let vehicle = &workspace.vehicle;
        let speed = self.vehicle.twist(vehicle).linear.norm();
        let properties = self.vehicle.properties();
        let samples = self.vehicle.coupled_samples(state.vehicle.coupling, vehicle);
        for (wheel, sample) in samples.iter().enumerate() {
            if sample.load <= 0.0 {
                continue;
            }
            let pose = self.vehicle.wheel_pose(vehicle, wheel);
            let soil = ground.terrain().soil(pose.position.x, pose.position.y);
            let SoilKind::Deformable(soil) = &ground.soils()[usize::from(soil.0)].kind else {
                continue;
            };
            let class = if soil.details.is_snow { SoilClass::Snow } else { SoilClass::Mineral };
            let running_gear = if properties.is_tracked {
                RunningGearKind::Track
            } else if sample.contact_length > 0.0 || sample.inflation > 0.0 {
                RunningGearKind::FlexibleTire
            } else {
                RunningGearKind::RigidWheel
            };
            let Some(range) = ValidityRange::index(running_gear, class) else { continue };
            let body = self.vehicle.wheel_body(wheel);
            let velocity = self.vehicle.bodies().twist_of(vehicle.bodies(), body).linear;
            let forward = level_forward(&pose.direction(&Vec3::y()));
            let motion = WheelMotion {
                sample,
                radius: properties.wheel_reach[0],
                along: velocity.dot(&forward),
                across: velocity.dot(&Vec3::z().cross(&forward)),
                speed,
            };
            carried[range][0] += sample.load;
            carried[range][1] += sample.area;
            let own = VALIDITY_RANGES[range].exceeded(&motion);
            exceeded[range].iter_mut().zip(own).for_each(|(known, own)| *known |= own);
        }
        for ((range, [load, area]), exceeded) in
            VALIDITY_RANGES.iter().zip(carried).zip(&mut exceeded)
        {
            exceeded[0] = range.ground_pressure.is_some_and(|limit| load > limit * area);
        }
        state.validity.add(span, &exceeded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_running_gear_has_a_range_on_every_class_of_soil() {
        for running_gear in
            [RunningGearKind::RigidWheel, RunningGearKind::FlexibleTire, RunningGearKind::Track]
        {
            for soil in [SoilClass::Mineral, SoilClass::Snow] {
                assert!(ValidityRange::index(running_gear, soil).is_some());
            }
        }
    }

    #[test]
    fn limits_are_exceeded_by_the_wheel_that_exceeds_them() {
        let range = &VALIDITY_RANGES[1];
        let sample =
            WheelSample { load: 6e3, area: 0.06, slip: 0.59, sinkage: 0.2, ..Default::default() };
        let motion = |sample, along, across| {
            let (radius, speed) = (0.467, hypot(along, across));
            range.exceeded(&WheelMotion { sample, radius, along, across, speed })
        };
        assert_eq!(motion(&sample, 2.0, 0.0), [false; QUANTITIES]);
        // 60 degrees
        assert!(motion(&sample, 1.0, 3.0_f64.sqrt())[3] && !motion(&sample, 1.0, 0.9)[3]);
        // a standing wheel has no slip angle
        assert!(!motion(&sample, 0.0, 0.1)[3]);
        let deep = WheelSample { slip: 0.7, sinkage: 0.29, ..sample };
        assert_eq!(motion(&deep, 6.0, 0.0), [false, true, false, false, true, true]);
    }

    #[test]
    fn shares_are_of_the_time_of_the_drive() {
        let mut record = ValidityRecord::default();
        assert_eq!(record.exceedances().count(), 0);
        let mut slips = [[false; QUANTITIES]; RANGES];
        slips[1][1] = true;
        let inside = [[false; QUANTITIES]; RANGES];
        // heartbeats of unequal length
        for (span, flags) in [(2.0, &inside), (1.0, &slips), (0.25, &slips), (6.75, &inside)] {
            record.add(span, flags);
        }
        let found: Vec<RangeExceedance> = record.exceedances().collect();
        let [own] = &found[..] else { panic!("{found:?}") };
        assert_eq!((own.quantity, own.share), (ValidityQuantity::Slip, 0.125));
        assert_eq!(own.words(), "slip above 60 %");
        // shorter than a tenth
        record.add(4.0, &inside);
        assert_eq!(record.exceedances().count(), 0);
        assert!(record.is_valid());
    }
}
