//! The tyre rig: a tyre that gives way, pressed on a plate or on soil.

use super::convergence::Rig;
use super::wheel::{RigError, WheelMotion, WheelRig};
use bekker_ground::scm::{Ring, STATIONS, STRIPS, Stations, Underside};
use bekker_ground::soil::{Laws, Soil, SoilKind};
use serde::{Deserialize, Serialize};

/// A tyre pressed down, not turning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TyreRig {
    /// Its shape without load.
    pub underside: Underside,
    /// Its belt.
    pub ring: Ring,
    /// Its inflation, Pa.
    pub inflation: f64,
    /// Load, N.
    pub load: f64,
    /// What it stands on; a plate of steel if nothing.
    pub soil: Option<Soil>,
    /// Laws of the soil.
    pub laws: Laws,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Length of the run, s.
    pub duration: f64,
}

/// A tyre under its load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TyreResult {
    /// What the ground bears, N.
    pub load: f64,
    /// How far the tyre is pressed in, m.
    pub deflection: f64,
    /// Depth of its lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Length of contact, m.
    pub contact_length: f64,
    /// Stations of the belt that this is: with fewer than [`RESOLVED`], length of contact and pressures are not told
    /// right.
    pub stations: usize,
    /// Load over length of contact and width of the tread, Pa.
    pub mean_pressure: f64,
    /// Greatest pressure, Pa.
    pub greatest_pressure: f64,
    /// Pressure on the belt, Pa, by station from the rear and by strip.
    pub pressure: Stations,
}

/// Stations that must touch for length of contact and pressures to be told right.
pub const RESOLVED: usize = 5;

/// Part of the run over which the load comes on, and, at its end, over which means are taken.
const RAMP: f64 = 0.5;
const SETTLED: f64 = 0.1;
/// Damper of the guide, N s/m: slow beside the tyre.
const GUIDE: f64 = 2e4;

impl TyreRig {
    /// Step and length of the run where none are given, s.
    pub const STEP: f64 = 1e-3;
    /// See [`TyreRig::STEP`].
    pub const DURATION: f64 = 4.0;
}

impl Rig for TyreRig {
    type Outcome = TyreResult;

    /// Presses the tyre: the wheel rig without a way.
    fn run(&self) -> Result<TyreResult, RigError> {
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
            ..WheelRig::new(soil, self.underside.clone(), self.load, WheelMotion::Pressed)
        };
        let (means, state) = rig.with_belt()?;
        let pressure = state.map_or([[0.0; STRIPS]; STATIONS], |state| self.ring.pressure(&state));
        let apart = self.ring.station_at(1) - self.ring.station_at(0);
        Ok(TyreResult {
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

    fn figures(&self, outcome: &TyreResult) -> Vec<(&'static str, f64)> {
        let mut figures =
            vec![("deflection", outcome.deflection), ("length", outcome.contact_length)];
        // a contact over few stations tells no pressure right on any nodes
        if outcome.stations >= RESOLVED {
            figures.push(("greatest pressure", outcome.greatest_pressure));
        }
        // firm ground is hardly pressed in
        if self.soil.is_some() {
            figures.push(("sinkage", outcome.sinkage));
        }
        figures
    }
}
