//! Driveline: shafts from the engine to the wheels.
//!
//! Engine, gearbox input, driveshaft and one shaft per axle are shafts with one degree of freedom.
//! Gear pairs and differentials are rows of velocities: the carrier of a differential turns at the
//! mean of its outputs, so torque is split evenly. The half-shafts act on the wheels. Their
//! reaction acts on the body that holds the differential's housing: the chassis, or the beam of a
//! solid axle. The reaction on the housings about the x axis (engine roll) is neglected.

use super::{AssemblyError, VehicleBuilder};
use crate::lock::Lock;
use crate::multibody::{Closure, Coordinate, Element};
use crate::powertrain::{Brake, Powertrain};
use crate::spec::{AutomaticLock, Differential, Driveline, Layout, VehicleSpec};
use crate::transmission::{TransmissionIndices, TransmissionShafts};
use bekker_math::spatial::Vec3;

/// A locking clutch across a differential.
#[derive(Clone, Debug)]
pub(crate) struct Clutch {
    /// Element at which the clutch acts.
    pub element: usize,
    /// Friction of the clutch.
    pub friction: Brake,
    /// How the clutch is engaged.
    pub engaged: ClutchEngagement,
}

/// How a clutch is engaged; `index` is its position among the clutches that can be switched.
#[derive(Clone, Debug)]
pub(crate) enum ClutchEngagement {
    /// Always or never engaged.
    Fixed(bool),
    /// Engaged by the speeds of its outputs, whose mean is the weighted sum `mean`.
    Automatic { index: usize, lock: AutomaticLock, mean: Vec<(Coordinate, f64)> },
    /// Engaged by the driver's switch.
    Commanded { index: usize, lock: Lock },
    /// Always engaged, with a friction limit proportional to the carrier's torque.
    ///
    /// `closure` is the carrier's closure; `share` is the friction limit per torque of this
    /// closure.
    Biased { closure: usize, share: f64 },
}

impl Clutch {
    /// Returns the position among the clutches that can be switched; `None` for all others.
    pub fn index(&self) -> Option<usize> {
        match self.engaged {
            ClutchEngagement::Fixed(_) | ClutchEngagement::Biased { .. } => None,
            ClutchEngagement::Automatic { index, .. }
            | ClutchEngagement::Commanded { index, .. } => Some(index),
        }
    }
}

/// Carrier of a differential, across whose outputs a clutch acts.
struct DifferentialCarrier {
    /// Mean speed of the outputs, as a weighted sum of coordinates.
    mean: Vec<(Coordinate, f64)>,
    /// Command of the clutch.
    switch: Lock,
    /// Closure that drives the carrier.
    closure: usize,
    /// Share of the closure's torque in this carrier.
    share: f64,
}

/// Builds a differential's clutch; `before` are the clutches added earlier.
fn clutch(
    element: usize,
    differential: &Differential,
    carrier: DifferentialCarrier,
    before: &[Clutch],
) -> Clutch {
    let DifferentialCarrier { mean, switch, closure, share: carried } = carrier;
    let index = before.iter().filter(|clutch| clutch.index().is_some()).count();
    let engaged = match differential.automatic {
        Some(lock) => ClutchEngagement::Automatic { index, lock, mean },
        None if differential.commanded => ClutchEngagement::Commanded { index, lock: switch },
        None => match differential.friction_share() {
            Some(share) => ClutchEngagement::Biased { closure, share: share * carried },
            None => ClutchEngagement::Fixed(differential.locked),
        },
    };
    Clutch { element, friction: Brake { max_torque: differential.lock_torque }, engaged }
}

/// Indices of the driveline's bodies and joints, for a step.
#[derive(Clone, Debug)]
pub(crate) struct DrivelineIndices {
    /// Engine, converter and gearbox.
    pub transmission: TransmissionIndices,
    /// Shafts of the driven axles: (coordinate, axle).
    pub shafts: Vec<(Coordinate, usize)>,
    /// Axle closures, for the torque at the wheels: (closure, axle).
    pub axles: Vec<(usize, usize)>,
    /// Locking clutches.
    pub clutches: Vec<Clutch>,
}

impl DrivelineIndices {
    /// Sets the speeds of the axles' shafts for wheels of each axle that turn at `spin`, rad/s.
    ///
    /// Returns the speed of the gearbox's output, rad/s.
    pub fn turn(
        &self,
        spec: &VehicleSpec,
        driveline: &Driveline,
        u: &mut [f64],
        spin: impl Fn(usize) -> f64,
    ) -> f64 {
        let (front, shares) = driveline.split(self.shafts.len());
        let mut output = 0.0;
        for (index, &(shaft, axle)) in self.shafts.iter().enumerate() {
            let ratio = spec.axles[axle].final_drive.map_or(1.0, |drive| drive.ratio);
            u[shaft.index()] = spin(axle) / ratio;
            output += spin(axle) / ratio * shares[usize::from(index >= front)];
        }
        output
    }

    /// Returns the sum of the torques at all wheels over the torque at the gearbox's output.
    pub fn torque_ratio(&self, spec: &VehicleSpec, driveline: &Driveline) -> f64 {
        let (front, shares) = driveline.split(self.shafts.len());
        let at_wheels = self.shafts.iter().enumerate().map(|(index, &(_, axle))| {
            let ratio = spec.axles[axle].final_drive.map_or(1.0, |drive| drive.ratio);
            shares[usize::from(index >= front)] / ratio
        });
        at_wheels.sum()
    }
}

impl VehicleBuilder<'_> {
    /// Adds the driveline.
    pub(super) fn driveline(
        &mut self,
        driveline: &Driveline,
        powertrain: &Powertrain,
    ) -> Result<DrivelineIndices, AssemblyError> {
        let spec = self.spec;
        let driven: Vec<usize> =
            (0..spec.axles.len()).filter(|&axle| spec.is_driven(axle)).collect();
        let shaft = |builder: &mut crate::multibody::ModelBuilder, inertia| {
            let shaft = builder.shaft(inertia);
            builder.shaft_coordinate(shaft)
        };
        let center = match driveline.layout {
            Layout::Awd | Layout::ByAxle => driveline.center.inertia,
            Layout::Fwd | Layout::Rwd => 0.0,
        };
        let behind = [driveline.driveshaft_inertia, center];
        let transmission = TransmissionShafts::add(powertrain, behind, &mut self.builder);

        let mut clutches = Vec::new();
        let mut shafts = Vec::new();
        let mut axles = Vec::new();
        for (index, &axle) in driven.iter().enumerate() {
            let Some(drive) = spec.axles[axle].final_drive else {
                return Err(AssemblyError::NoFinalDrive {
                    axle: spec.axles[axle].name.clone(),
                    layout: format!("{:?}", driveline.layout).to_lowercase(),
                });
            };
            let carried = drive.differential.inertia * drive.ratio * drive.ratio;
            let own = shaft(&mut self.builder, drive.shaft_inertia + carried);
            let wheels: Vec<_> = self.wheels.iter().filter(|wheel| wheel.axle == axle).collect();
            let share = -1.0 / wheels.len() as f64;
            let spins = wheels.iter().map(|w| (w.body, w.housing, Vec3::y(), share)).collect();
            let between = vec![(wheels[0].spin, 1.0), (wheels[1].spin, -1.0)];
            let rates = vec![(own, drive.ratio)];
            let closure = self.builder.closure(Closure::Gear { rates, spins });
            axles.push((closure, axle));
            let element = self.builder.element(Element::Rates { rates: between });
            let (mean, switch) = (vec![(own, drive.ratio)], driveline.lock_of(index, driven.len()));
            let carrier = DifferentialCarrier { mean, switch, closure, share: 1.0 };
            clutches.push(clutch(element, &drive.differential, carrier, &clutches));
            shafts.push((own, axle));
        }
        let (front, shares) = driveline.split(shafts.len());
        let share = |index: usize| shares[usize::from(index >= front)];
        let mut rates = vec![(transmission.output, 1.0)];
        rates.extend(shafts.iter().enumerate().map(|(i, &(shaft, _))| (shaft, -share(i))));
        let split = self.builder.closure(Closure::Gear { rates, spins: Vec::new() });
        let (ahead, behind) = shafts.split_at(front);
        if !ahead.is_empty() && !behind.is_empty() {
            // the clutch turns at the difference of the mean speeds of its outputs
            let of = |group: &[(Coordinate, usize)], sign: f64| -> Vec<_> {
                group.iter().map(|&(shaft, _)| (shaft, sign / group.len() as f64)).collect()
            };
            let rates = [of(ahead, 1.0), of(behind, -1.0)].concat();
            let mean = [of(ahead, 0.5), of(behind, 0.5)].concat();
            let element = self.builder.element(Element::Rates { rates });
            let carrier =
                DifferentialCarrier { mean, switch: Lock::Center, closure: split, share: 1.0 };
            clutches.push(clutch(element, &driveline.center, carrier, &clutches));
        }
        if let Some(between) = &driveline.inter_axle {
            for (group, share) in [(ahead, shares[0]), (behind, shares[1])] {
                for pair in group.windows(2) {
                    let rates = vec![(pair[0].0, 1.0), (pair[1].0, -1.0)];
                    let carrier = DifferentialCarrier {
                        mean: vec![(pair[0].0, 0.5), (pair[1].0, 0.5)],
                        switch: Lock::InterAxle,
                        closure: split,
                        share: 2.0 * share,
                    };
                    let element = self.builder.element(Element::Rates { rates });
                    clutches.push(clutch(element, between, carrier, &clutches));
                }
            }
        }
        let transmission = transmission.with_elements(powertrain, &mut self.builder);
        Ok(DrivelineIndices { transmission, shafts, axles, clutches })
    }
}
