//! Single-wheel rig: drawbar pull, torque and sinkage at a given slip.

use super::convergence::Rig;
use super::plate::DEEPEST;
use super::slip::rim_speed;
use super::work_terms::WorkTerms;
use bekker_ground::scm::{
    Contact, FlexibleTire, Ring, RingState, RingStep, Scratch, Underside, WorkingGround, heap,
    settle_ring, tire_contact, wheel_contact,
};
use bekker_ground::soil::{Laws, Soil, SoilId, Tread};
use bekker_ground::terrain::Terrain;
use bekker_ground::{GroundError, GroundModel, Overlay, Patches, SharedGround, rut_depth};
use bekker_math::grid::Lattice;
use bekker_math::numeric::{GRAVITY, cos, hypot, sin, smooth_step};
use bekker_math::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// Reasons why a rig fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// The ground cannot be created.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// A parameter is out of range.
    #[error("{parameter} = {value}: must be {allowed}")]
    Parameter {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value given.
        value: f64,
        /// Allowed range.
        allowed: &'static str,
    },
    /// The multibody model of the vehicle is invalid.
    #[error(transparent)]
    Model(#[from] bekker_vehicle::multibody::ModelError),
    /// The equations of motion have no solution.
    #[error(transparent)]
    Step(#[from] bekker_vehicle::multibody::StepError),
    /// The mean vertical force of the ground differs from the load.
    #[error(
        "the ground supports {carried:.0} N of the load of {load:.0} N on average at {sinkage:.3} \
         m sinkage: the body still sinks or oscillates"
    )]
    NotCarried {
        /// Mean vertical force of the ground, N.
        carried: f64,
        /// Load, N.
        load: f64,
        /// Mean sinkage, m.
        sinkage: f64,
    },
    /// The soil does not reach the pressure of the plate.
    #[error(
        "pressure = {pressure:.0} Pa: the soil supports only {reached:.0} Pa at {sinkage:.3} m \
         sinkage; must be supported within {DEEPEST} m, by k_c, k_phi and n"
    )]
    NotPressed {
        /// Mean pressure at the last step, Pa.
        reached: f64,
        /// Pressure requested, Pa.
        pressure: f64,
        /// Sinkage, m.
        sinkage: f64,
    },
    /// The state is no longer finite.
    #[error("the state of the rig is not finite at {time} s")]
    NotFinite {
        /// Simulated time, s.
        time: f64,
    },
}

pub(super) fn require(
    parameter: &'static str,
    value: f64,
    ok: bool,
    allowed: &'static str,
) -> Result<(), RigError> {
    if ok && value.is_finite() {
        return Ok(());
    }
    Err(RigError::Parameter { parameter, value, allowed })
}

/// Relative difference allowed between the mean vertical force of the ground and the load.
///
/// In a rut a wheel bounces on compacted soil, which raises the mean by up to 3 %.
pub(super) const CARRIED: f64 = 0.05;

/// Rejects the results of a body whose load the ground did not carry.
pub(super) fn require_carried(carried: f64, load: f64, sinkage: f64) -> Result<(), RigError> {
    if (carried - load).abs() <= CARRIED * load {
        return Ok(());
    }
    Err(RigError::NotCarried { carried, load, sinkage })
}

/// Creates flat ground of one soil.
pub fn flat_bed(soil: &Soil, laws: Laws, spacing: f64) -> Result<GroundModel, RigError> {
    let terrain = Terrain::flat(0.0, SoilId(0));
    Ok(GroundModel::new(Lattice { spacing }, terrain, vec![soil.clone()], laws)?)
}

/// Creates flat ground of one soil and checks that it allows steps of `step` s.
pub(super) fn flat_bed_for_steps(
    soil: &Soil,
    laws: Laws,
    spacing: f64,
    step: f64,
) -> Result<GroundModel, RigError> {
    let ground = flat_bed(soil, laws, spacing)?;
    ground.check_step(step)?;
    Ok(ground)
}

/// Motion of the wheel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WheelRigMotion {
    /// Pressed straight down without inertia, without rotation.
    Pressed,
    /// Towed along x with the rotation of a given slip.
    Rolling {
        /// Speed of the center, m/s.
        speed: f64,
        /// Slip 1 - v/(ω r), below 1; for a braked wheel ω r/v - 1, down to -1 when locked.
        slip: f64,
    },
    /// Towed at a speed and a slip angle with a given rim speed, which may be zero.
    Drawn {
        /// Speed of the center, m/s.
        speed: f64,
        /// Speed of the rim, m/s; below the wheel's speed in skid.
        rim_speed: f64,
        /// Angle from the wheel's plane to its velocity, rad, positive to the left.
        slip_angle: f64,
    },
    /// Towed at a speed and a slip angle with a free axle: the soil turns the wheel.
    Towed {
        /// Speed of the center, m/s.
        speed: f64,
        /// Angle from the wheel's plane to its velocity, rad, positive to the left.
        slip_angle: f64,
    },
}

/// A wheel on flat ground with free height and given speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WheelRig {
    /// Soil of the bed.
    pub soil: Soil,
    /// Soil laws.
    pub laws: Laws,
    /// The wheel.
    pub wheel: Underside,
    /// Tread of the wheel.
    pub tread: Tread,
    /// Belt and inflation pressure, Pa, of a flexible tire.
    pub belt: Option<(Ring, f64)>,
    /// Vertical load, N; when rolling, load over gravity is also the wheel's inertia.
    pub load: f64,
    /// Motion of the wheel.
    pub motion: WheelRigMotion,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Length of the run, s.
    pub duration: f64,
    /// Fraction of the run over which the load is applied.
    pub ramp: f64,
    /// Fraction of the run, at its end, over which means are taken.
    pub settled: f64,
    /// Damper of the vertical guide, N s/m.
    pub guide_damping: f64,
}

impl WheelRig {
    /// Creates a rig with the settings of the comparison with Project Chrono.
    ///
    /// The load is applied over 30 % of 4 s (linearly in Chrono, smoothly here). The guide damper
    /// has 5 kN s/m, means are taken over the last 40 %, the spacing is 2 cm and the step 1 ms.
    pub fn new(soil: Soil, wheel: Underside, load: f64, motion: WheelRigMotion) -> WheelRig {
        WheelRig {
            soil,
            laws: Laws::reference(),
            wheel,
            tread: Tread::rough(),
            belt: None,
            load,
            motion,
            spacing: 0.02,
            step: 1e-3,
            duration: 4.0,
            ramp: 0.3,
            settled: 0.4,
            guide_damping: 5e3,
        }
    }
}

/// Means over the settled part of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WheelResult {
    /// Forward force of the soil, N.
    pub drawbar: f64,
    /// Lateral force of the soil, N, positive to the left of the wheel.
    pub lateral: f64,
    /// Vertical force of the soil, N.
    pub vertical: f64,
    /// Torque of the motor, N m.
    pub torque: f64,
    /// Aligning torque of the soil, about the vertical through the wheel's center, N m.
    pub aligning: f64,
    /// Speed of the rim, m/s; for a free wheel on firm ground it equals the speed of the center.
    pub rim_speed: f64,
    /// Depth of the wheel's lowest point below the undisturbed ground, m.
    pub sinkage: f64,
    /// Depth of the rut behind the wheel, m; zero for a pressed wheel.
    pub rut: f64,
    /// Mean contact area, m².
    pub area: f64,
    /// Deflection of the tire, m.
    pub deflection: f64,
    /// Contact length of a flexible tire, m.
    pub contact_length: f64,
    /// Energy of compaction per meter, N, or in total, J, if the wheel is pressed.
    pub compaction: f64,
    /// All work terms per meter, N, or in total, J.
    pub works: WorkTerms,
    /// Nodes in contact.
    pub nodes_in_contact: f64,
}

impl Rig for WheelRig {
    type Outcome = WheelResult;

    fn run(&self) -> Result<WheelResult, RigError> {
        Ok(self.passes(1)?[0])
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

    fn metrics(&self, outcome: &WheelResult) -> Vec<(&'static str, f64)> {
        let mut figures = vec![("drawbar", outcome.drawbar)];
        if !matches!(self.motion, WheelRigMotion::Towed { .. }) {
            figures.push(("torque", outcome.torque));
        }
        if self.motion.slip_angle() != 0.0 {
            figures.push(("side force", outcome.lateral));
        }
        figures.push(("sinkage", outcome.sinkage));
        figures
    }

    /// Returns a tenth of the load: the drawbar pull passes through zero at some slip.
    fn least_scale(&self, figure: &str) -> f64 {
        match figure {
            "drawbar" | "side force" => 0.1 * self.load,
            "torque" => 0.1 * self.load * self.wheel.max_radius(),
            _ => 0.0,
        }
    }
}

impl WheelRigMotion {
    /// Returns the angle from the wheel's plane to its velocity, rad, positive to the left.
    pub fn slip_angle(&self) -> f64 {
        match *self {
            WheelRigMotion::Pressed | WheelRigMotion::Rolling { .. } => 0.0,
            WheelRigMotion::Drawn { slip_angle, .. } | WheelRigMotion::Towed { slip_angle, .. } => {
                slip_angle
            }
        }
    }
}

/// Mass of a towed wheel over the mass that it carries.
///
/// It matters only until the wheel turns steadily.
const WHEEL_MASS: f64 = 0.1;

/// Velocities imposed by the guide: along x, m/s; about the axle, rad/s; along y, m/s.
#[derive(Default)]
struct ImposedVelocities {
    speed: f64,
    spin: f64,
    drift: f64,
}

impl WheelResult {
    /// Divides the sums by the number of samples, and the work terms by the travel, m.
    fn means(self, samples: f64, way: f64) -> WheelResult {
        WheelResult {
            drawbar: self.drawbar / samples,
            lateral: self.lateral / samples,
            vertical: self.vertical / samples,
            torque: self.torque / samples,
            aligning: self.aligning / samples,
            rim_speed: self.rim_speed / samples,
            sinkage: self.sinkage / samples,
            rut: self.rut,
            area: self.area / samples,
            deflection: self.deflection / samples,
            contact_length: self.contact_length / samples,
            compaction: self.works.compaction / way,
            works: self.works.per_distance(way),
            nodes_in_contact: self.nodes_in_contact / samples,
        }
    }
}

impl WheelRig {
    /// Runs `count` passes over the same ground, each in the rut of the previous one.
    ///
    /// # Errors
    /// Parameters out of range, and a state that is no longer finite.
    pub fn passes(&self, count: usize) -> Result<Vec<WheelResult>, RigError> {
        let model = flat_bed_for_steps(&self.soil, self.laws, self.spacing, self.step)?;
        let mut published = SharedGround::default();
        (0..count).map(|_| Ok(self.pass(&model, &mut published)?.0)).collect()
    }

    /// Runs one pass; returns the final state of the belt if the tire is flexible.
    ///
    /// # Errors
    /// As for [`WheelRig::passes`].
    pub(super) fn with_belt(&self) -> Result<(WheelResult, Option<RingState>), RigError> {
        let bed = flat_bed_for_steps(&self.soil, self.laws, self.spacing, self.step)?;
        self.pass(&bed, &mut SharedGround::default())
    }

    fn pass(
        &self,
        model: &GroundModel,
        published: &mut SharedGround,
    ) -> Result<(WheelResult, Option<RingState>), RigError> {
        let ImposedVelocities { speed, mut spin, drift } = self.imposed()?;
        let (mut overlay, mut scratch) = (Overlay::new(), Scratch::new());
        let mut patches = Patches::default();
        let mut pose = Pose::default();
        pose.position.z = self.wheel.max_radius();
        let mut climb = 0.0;
        let mut belt = self
            .belt
            .as_ref()
            .map(|(ring, inflation)| (ring, RingState::unloaded(*inflation), RingStep::default()));
        let steps = (self.duration / self.step + 0.5).floor() as u64;
        let first_settled = (steps as f64 * (1.0 - self.settled)) as u64;
        let mut sum = WheelResult::default();
        let (mut traveled, mut stored) = (0.0, 0.0);
        for count in 0..steps {
            let time = count as f64 * self.step;
            // a flexible tire rolls on a smaller radius, to which the slip refers
            let shrunk = belt.as_ref().map_or(1.0, |(ring, state, _)| {
                1.0 - ring.deflection(state) / (3.0 * self.wheel.max_radius())
            });
            let twist = Twist {
                linear: Vec3::new(speed, drift, climb),
                angular: Vec3::new(0.0, spin / shrunk, 0.0),
            };
            overlay.begin_step();
            let mut ground =
                WorkingGround { model, published, overlay: &mut overlay, scratch: &mut scratch };
            let contact = match &mut belt {
                None => {
                    wheel_contact(&mut ground, &self.wheel, &self.tread, &pose, &twist, self.step)
                }
                Some((ring, state, step)) => {
                    let (underside, tread) = (&self.wheel, &self.tread);
                    let tire = FlexibleTire { underside, ring, tread };
                    tire_contact(&mut ground, &tire, state, &pose, &twist, self.step, step).contact
                }
            };
            heap(&mut ground, contact.displaced);
            if count >= first_settled {
                self.add(&mut sum, &contact, &pose);
                sum.rim_speed += spin * self.wheel.max_radius();
                if let Some((ring, state, _)) = &belt {
                    sum.sinkage -= ring.deflection(state);
                    sum.deflection += ring.deflection(state);
                    sum.contact_length += ring.contact_length(state);
                }
                traveled += hypot(speed, drift) * self.step;
            }
            if count >= first_settled || self.motion == WheelRigMotion::Pressed {
                sum.works.add(&contact, &twist, stored, self.step);
            }
            stored = contact.works.elastic;
            if matches!(self.motion, WheelRigMotion::Towed { .. }) {
                spin = shrunk * self.next_spin(twist.angular.y, &contact);
            }
            climb = self.next_climb(climb, &contact, time);
            if let Some((_, state, step)) = &mut belt {
                let linear = Vec3::new(speed, drift, climb);
                settle_ring(step, &Twist { linear, ..twist }, self.step, state);
            }
            pose.position.z += climb * self.step;
            pose.position.x += speed * self.step;
            pose.position.y += drift * self.step;
            if !pose.position.z.is_finite() {
                return Err(RigError::NotFinite { time });
            }
            // publishes the rut behind the wheel, in compact form, for the next pass
            if count % 64 == 63 {
                patches.clear();
                overlay.publish(&mut patches);
                published.apply(&patches);
                overlay.refresh(published);
            }
        }
        patches.clear();
        overlay.publish_all(&mut patches);
        published.apply(&patches);
        // in the middle of the part of the run over which means are taken
        let half = 0.5 * self.settled * self.duration;
        let [x, y] = [pose.position.x - half * speed, pose.position.y - half * drift];
        if traveled > 0.0 {
            sum.rut = rut_depth(model, published, x, y);
        }
        let samples = (steps - first_settled) as f64;
        require_carried(sum.vertical / samples, self.load, sum.sinkage / samples)?;
        let means = sum.means(samples, if traveled > 0.0 { traveled } else { 1.0 });
        Ok((means, belt.map(|(_, state, _)| state)))
    }

    /// Checks the parameters and returns the velocities imposed by the guide.
    ///
    /// # Errors
    /// Parameters out of range.
    fn imposed(&self) -> Result<ImposedVelocities, RigError> {
        require("load", self.load, self.load > 0.0, "positive")?;
        require("step", self.step, self.step > 0.0, "positive")?;
        require("duration", self.duration, self.duration >= self.step, "at least one step")?;
        require("ramp", self.ramp, (0.0..=1.0).contains(&self.ramp), "from 0 to 1")?;
        let settled = self.settled;
        require("settled", settled, settled > 0.0 && settled <= 1.0, "above 0, up to 1")?;
        match self.motion {
            WheelRigMotion::Pressed => Ok(ImposedVelocities::default()),
            WheelRigMotion::Rolling { speed, slip } => {
                require("slip", slip, (-1.0..1.0).contains(&slip), "from -1 to below 1")?;
                require("speed", speed, true, "finite")?;
                let spin = rim_speed(speed, slip) / self.wheel.max_radius();
                Ok(ImposedVelocities { speed, spin, drift: 0.0 })
            }
            WheelRigMotion::Drawn { speed, rim_speed, slip_angle } => {
                require("speed", speed, true, "finite")?;
                require("rim speed", rim_speed, true, "finite")?;
                require("slip angle", slip_angle, true, "finite")?;
                let spin = rim_speed / self.wheel.max_radius();
                Ok(ImposedVelocities {
                    speed: speed * cos(slip_angle),
                    spin,
                    drift: speed * sin(slip_angle),
                })
            }
            WheelRigMotion::Towed { speed, slip_angle } => {
                require("speed", speed, true, "finite")?;
                require("slip angle", slip_angle, true, "finite")?;
                let (speed, drift) = (speed * cos(slip_angle), speed * sin(slip_angle));
                Ok(ImposedVelocities { speed, spin: speed / self.wheel.max_radius(), drift })
            }
        }
    }

    /// Returns the angular velocity about a free axle after a step, implicit in the ground's
    /// damping.
    fn next_spin(&self, spin: f64, contact: &Contact) -> f64 {
        let radius = self.wheel.max_radius();
        let mass = WHEEL_MASS * self.load / GRAVITY;
        let inertia = 0.5 * mass * radius * radius / self.step;
        let damping = contact.load.damping[(1, 1)].max(0.0);
        spin + contact.load.wrench.torque.y / (inertia + damping)
    }

    /// Returns the vertical velocity after a step under the load at `time`.
    ///
    /// The step is implicit in the ground's stiffness and damping.
    fn next_climb(&self, climb: f64, contact: &Contact, time: f64) -> f64 {
        // pressing is quasi-static by definition: with inertia the wheel would sink deeper than
        // under its load
        let mass = match self.motion {
            WheelRigMotion::Pressed => 0.0,
            _ => self.load / GRAVITY,
        };
        let ramp = self.ramp * self.duration;
        // smooth at both ends: a wheel that lands with a speed sinks too deep
        let load = self.load * if ramp > 0.0 { smooth_step(0.0, ramp, time) } else { 1.0 };
        let damping = contact.load.damping[(5, 5)];
        let stiffness = contact.load.stiffness[(5, 5)];
        // `glide` is left out: it corrects the stiffness for travel along the ground, while only
        // vertical travel matters here
        let momentum =
            mass / self.step * climb + contact.load.wrench.force.z + damping * climb - load;
        momentum / (mass / self.step + damping + stiffness * self.step + self.guide_damping)
    }

    fn add(&self, sum: &mut WheelResult, contact: &Contact, pose: &Pose) {
        sum.drawbar += contact.load.wrench.force.x;
        sum.lateral += contact.load.wrench.force.y;
        sum.vertical += contact.load.wrench.force.z;
        sum.torque -= contact.load.wrench.torque.y;
        sum.aligning += contact.load.wrench.torque.z;
        sum.sinkage += self.wheel.max_radius() - pose.position.z;
        sum.area += contact.area;
        sum.nodes_in_contact += f64::from(contact.nodes_in_contact);
    }
}
