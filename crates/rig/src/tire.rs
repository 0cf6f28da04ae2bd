//! Tire rig: a flexible tire pressed on a plate or on soil.

use super::convergence::Rig;
use super::wheel::{RigError, WheelRig, WheelRigMotion};
use bekker_ground::scm::{Ring, STATIONS, STRIPS, Stations, Underside};
use bekker_ground::soil::{Laws, Soil, SoilKind};
use serde::{Deserialize, Serialize};

/// A tire pressed down without rotation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TireRig {
    /// Shape without load.
    pub underside: Underside,
    /// Belt.
    pub ring: Ring,
    /// Inflation pressure, Pa.
    pub inflation: f64,
    /// Load, N.
    pub load: f64,
    /// Soil under the tire; a steel plate if `None`.
    pub soil: Option<Soil>,
    /// Soil laws.
    pub laws: Laws,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Length of the run, s.
    pub duration: f64,
}

/// State of a tire under its load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TireResult {
    /// Vertical force of the ground, N.
    pub load: f64,
    /// Deflection of the tire, m.
    pub deflection: f64,
    /// Depth of the lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Contact length, m.
    pub contact_length: f64,
    /// Number of belt stations in contact.
    ///
    /// With fewer than [`RESOLVED`], contact length and pressures are inaccurate.
    pub stations: usize,
    /// Load over contact length and tread width, Pa.
    pub mean_pressure: f64,
    /// Greatest pressure, Pa.
    pub greatest_pressure: f64,
    /// Pressure on the belt, Pa, by station from the rear and by strip.
    pub pressure: Stations,
}

/// Number of stations in contact required for accurate contact length and pressures.
pub const RESOLVED: usize = 5;

/// Fractions of the run: for applying the load, and, at its end, for taking means.
const RAMP: f64 = 0.5;
const SETTLED: f64 = 0.1;
/// Damper of the guide, N s/m; slow compared with the tire.
const GUIDE: f64 = 2e4;

impl TireRig {
    /// Default time step, s.
    pub const STEP: f64 = 1e-3;
    /// Default length of the run, s.
    pub const DURATION: f64 = 4.0;
}

impl Rig for TireRig {
    type Outcome = TireResult;

    /// Presses the tire with the wheel rig without travel.
    fn run(&self) -> Result<TireResult, RigError> {
        let steel = || Soil {
            name: "plate".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let soil = self.soil.clone().unwrap_or_else(steel);
        let rig = WheelRig {
            laws: self.laws,
            belt: Some((self.ring.clone(), self.inflation)),
            spacing: self.spacing,
            step: self.step,
            duration: self.duration,
            ramp: RAMP,
            settled: SETTLED,
            guide_damping: GUIDE,
            ..WheelRig::new(soil, self.underside.clone(), self.load, WheelRigMotion::Pressed)
        };
        let (means, state) = rig.with_belt()?;
        let pressure = state.map_or([[0.0; STRIPS]; STATIONS], |state| self.ring.pressure(&state));
        let apart = self.ring.station_at(1) - self.ring.station_at(0);
        Ok(TireResult {
            load: means.vertical,
            deflection: means.deflection,
            sinkage: means.sinkage,
            contact_length: means.contact_length,
            stations: (means.contact_length / apart - 1e-6).ceil().max(0.0) as usize,
            mean_pressure: means.vertical / (means.contact_length * self.ring.width),
            greatest_pressure: pressure.iter().flatten().fold(0.0, |most, p| p.max(most)),
            pressure,
        })
    }

    fn spacing_mut(&mut self) -> &mut f64 {
        &mut self.spacing
    }

    fn step_mut(&mut self) -> &mut f64 {
        &mut self.step
    }

    fn extend(&mut self) {
        self.duration *= 2.0;
    }

    fn metrics(&self, outcome: &TireResult) -> Vec<(&'static str, f64)> {
        let mut figures =
            vec![("deflection", outcome.deflection), ("length", outcome.contact_length)];
        // with few stations in contact, the pressure does not converge on any grid
        if outcome.stations >= RESOLVED {
            figures.push(("greatest pressure", outcome.greatest_pressure));
        }
        // firm ground has nearly no sinkage
        if self.soil.is_some() {
            figures.push(("sinkage", outcome.sinkage));
        }
        figures
    }
}
