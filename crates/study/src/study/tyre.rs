//! The tyre rig: a tyre that gives way, pressed on a plate or on soil.

use super::wheel::{RigError, bed, require};
use crate::grid::Lattice;
use crate::ground::{GroundModel, Overlay, Published};
use crate::numeric::smooth_step;
use crate::scm::{
    FlexibleTyre, Ring, RingState, RingStep, Scratch, Stations, Underside, WorkingGround,
    settle_ring, tyre_contact,
};
use crate::soil::{Laws, Soil, SoilId, SoilKind, Tread};
use crate::spatial::{Pose, Twist, Vec3};
use crate::terrain::Terrain;
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
    /// Load over length of contact and width of the tread, Pa.
    pub mean_pressure: f64,
    /// Greatest pressure, Pa.
    pub greatest_pressure: f64,
    /// Pressure on the belt, Pa, by station from the rear and by strip.
    pub pressure: Stations,
}

/// Step, s, time for the load to come on, and damper of the guide, N s/m: slow beside both.
const STEP: f64 = 1e-3;
const DURATION: f64 = 4.0;
const GUIDE: f64 = 2e4;

impl TyreRig {
    /// Presses the tyre.
    ///
    /// # Errors
    /// Figures out of range, and a state that is no longer finite.
    pub fn run(&self) -> Result<TyreResult, RigError> {
        require("load", self.load, self.load > 0.0, "positive")?;
        require("inflation", self.inflation, self.inflation >= 0.0, "0 or more")?;
        let model = match &self.soil {
            Some(soil) => bed(soil, self.laws, self.spacing)?,
            None => {
                let steel = Soil {
                    name: "plate".into(),
                    source: String::new(),
                    kind: SoilKind::Firm { friction: 0.8 },
                };
                let terrain = Terrain::flat(0.0, SoilId(0));
                let lattice = Lattice { spacing: self.spacing };
                GroundModel::new(lattice, terrain, vec![steel], self.laws)?
            }
        };
        let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
        let (published, tread) = (Published::default(), Tread::rough());
        let mut state = RingState::unloaded(self.inflation);
        let mut step = RingStep::default();
        let mut pose = Pose::default();
        pose.position.z = self.underside.max_radius();
        let (mut climb, mut borne) = (0.0, 0.0);
        let steps = (DURATION / STEP) as u32;
        for count in 0..steps {
            let time = f64::from(count) * STEP;
            let load = self.load * smooth_step(0.0, 0.5 * DURATION, time);
            let moving =
                |climb| Twist { linear: Vec3::new(0.0, 0.0, climb), angular: Vec3::zeros() };
            overlay.begin_step();
            let mut ground = WorkingGround {
                model: &model,
                published: &published,
                overlay: &mut overlay,
                scratch: &mut scratch,
            };
            let tyre = FlexibleTyre { underside: &self.underside, ring: &self.ring, tread: &tread };
            let place = (&pose, &moving(climb));
            let met = tyre_contact(&mut ground, &tyre, &state, place, STEP, &mut step);
            let on = &met.contact.load;
            borne = on.wrench.force.z;
            let (damping, stiffness) = (on.damping[(5, 5)], on.stiffness[(5, 5)]);
            climb = (borne + damping * climb - load) / (damping + stiffness * STEP + GUIDE);
            settle_ring(&step, &moving(climb), STEP, &mut state);
            pose.position.z += climb * STEP;
            if !pose.position.z.is_finite() {
                return Err(RigError::NotFinite { time });
            }
        }
        let deflection = self.ring.deflection(&state);
        let pressure = self.ring.pressure(&state);
        let contact_length = self.ring.contact_length(&state);
        Ok(TyreResult {
            load: borne,
            deflection,
            sinkage: self.underside.max_radius() - deflection - pose.position.z,
            contact_length,
            mean_pressure: borne / (contact_length * self.ring.width),
            greatest_pressure: pressure.iter().flatten().fold(0.0, |most, p| p.max(most)),
            pressure,
        })
    }
}
