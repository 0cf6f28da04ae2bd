//! Driveline: shafts from the engine to the wheels.
//!
//! Engine, gearbox input, driveshaft and one shaft an axle are shafts of one
//! freedom. Gear pairs and differentials are rows of velocities: the carrier of a
//! differential turns at the mean of its outputs, so torque splits evenly. The
//! half-shafts act on the wheels, with their reaction on what holds the
//! differential's housing: the chassis, or the beam of a solid axle. What each housing gets about the x axis (engine
//! roll) is left out.

use super::{AssemblyError, Frame};
use crate::multibody::{Closure, Coordinate, Element};
use crate::spatial::Vec3;
use crate::vehicle::powertrain::{Brake, GearboxState};
use crate::vehicle::spec::{Layout, VehicleSpec};
use crate::vehicle::transmission::{Transmission, TransmissionShafts};

/// A locking clutch across a differential.
#[derive(Clone, Copy, Debug)]
pub(in crate::vehicle) struct Clutch {
    /// Where it acts.
    pub element: usize,
    /// Its friction.
    pub friction: Brake,
    /// Whether it is engaged.
    pub locked: bool,
}

/// The driveline as the step reaches it.
#[derive(Clone, Debug)]
pub(in crate::vehicle) struct DrivelinePlan {
    /// Engine, converter and gearbox.
    pub transmission: Transmission,
    /// Shafts of the driven axles: (coordinate, axle).
    pub shafts: Vec<(Coordinate, usize)>,
    /// Axle closures, for the torque at the wheels: (closure, axle).
    pub axles: Vec<(usize, usize)>,
    /// Locking clutches.
    pub clutches: Vec<Clutch>,
}

impl DrivelinePlan {
    /// Sets the speeds of shafts and engine when all wheels turn at `spin` (rad/s),
    /// and says in which gear; in neutral the engine stands.
    pub fn turn(&self, spec: &VehicleSpec, u: &mut [f64], spin: f64) -> GearboxState {
        let mut output = 0.0;
        for &(shaft, axle) in &self.shafts {
            let ratio = spec.axles[axle].final_drive.map_or(1.0, |drive| drive.ratio);
            u[shaft.index()] = spin / ratio;
            output += spin / ratio / self.shafts.len() as f64;
        }
        self.transmission.turn(&spec.powertrain.gearbox, u, output)
    }
}

impl Frame<'_> {
    /// Adds the driveline.
    pub(super) fn driveline(&mut self) -> Result<DrivelinePlan, AssemblyError> {
        let spec = self.spec;
        let driven: Vec<usize> =
            (0..spec.axles.len()).filter(|&axle| spec.is_driven(axle)).collect();
        let shaft = |builder: &mut crate::multibody::Builder, inertia| {
            let shaft = builder.shaft(inertia);
            builder.shaft_coordinate(shaft)
        };
        let centre = match spec.driveline.layout {
            Layout::Awd => spec.driveline.centre.inertia,
            _ => 0.0,
        };
        let behind = [spec.driveline.driveshaft_inertia, centre];
        let transmission = TransmissionShafts::add(&spec.powertrain, behind, &mut self.builder);

        let mut clutches = Vec::new();
        let mut shafts = Vec::new();
        let mut axles = Vec::new();
        for &axle in &driven {
            let Some(drive) = spec.axles[axle].final_drive else {
                return Err(AssemblyError::NoFinalDrive {
                    axle: spec.axles[axle].name.clone(),
                    layout: format!("{:?}", spec.driveline.layout).to_lowercase(),
                });
            };
            let carried = drive.differential.inertia * drive.ratio * drive.ratio;
            let own = shaft(&mut self.builder, drive.shaft_inertia + carried);
            let wheels: Vec<_> = self.wheels.iter().filter(|wheel| wheel.axle == axle).collect();
            let share = -1.0 / wheels.len() as f64;
            let spins = wheels.iter().map(|w| (w.body, w.housing, Vec3::y(), share)).collect();
            let between = vec![(wheels[0].spin, 1.0), (wheels[1].spin, -1.0)];
            let rates = vec![(own, drive.ratio)];
            axles.push((self.builder.closure(Closure::Gear { rates, spins }), axle));
            clutches.push(Clutch {
                element: self.builder.element(Element::Rates { rates: between }),
                friction: Brake { max_torque: drive.differential.lock_torque },
                locked: drive.differential.locked,
            });
            shafts.push((own, axle));
        }
        let share = -1.0 / shafts.len() as f64;
        let mut rates = vec![(transmission.output, 1.0)];
        rates.extend(shafts.iter().map(|&(shaft, _)| (shaft, share)));
        self.builder.closure(Closure::Gear { rates, spins: Vec::new() });
        if let (Layout::Awd, [(front, _), .., (rear, _)]) = (spec.driveline.layout, &shafts[..]) {
            let rates = vec![(*front, 1.0), (*rear, -1.0)];
            clutches.push(Clutch {
                element: self.builder.element(Element::Rates { rates }),
                friction: Brake { max_torque: spec.driveline.centre.lock_torque },
                locked: spec.driveline.centre.locked,
            });
        }
        let transmission = transmission.acted_on(&mut self.builder);
        Ok(DrivelinePlan { transmission, shafts, axles, clutches })
    }
}
