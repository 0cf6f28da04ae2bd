//! Plate rig (bevameter): pressure against sinkage.

use super::convergence::Rig;
use super::wheel::{CARRIED, RigError, flat_bed, require};
use bekker_ground::scm::{Contact, PlateOutline, Scratch, WorkingGround, heap, plate_contact};
use bekker_ground::soil::{Laws, Soil, Tread};
use bekker_ground::{GroundModel, Overlay, SharedGround};
use bekker_math::spatial::{Pose, Twist};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// A rigid plate pressed slowly onto flat ground, unloaded and pressed again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlateRig {
    /// Soil of the bed.
    pub soil: Soil,
    /// Soil laws.
    pub laws: Laws,
    /// Shape of the plate.
    pub outline: PlateOutline,
    /// Greatest mean pressure, Pa.
    pub pressure: f64,
    /// Distance between nodes, m.
    pub spacing: f64,
    /// Greatest increment of sinkage, as a fraction of the sinkage.
    pub increment: f64,
    /// Offset of the plate's center from a node, in spacings.
    pub offset: f64,
}

impl PlateRig {
    /// Creates a rig on nodes 1 cm apart.
    pub fn new(soil: Soil, outline: PlateOutline, pressure: f64) -> PlateRig {
        let laws = Laws::reference();
        PlateRig { soil, laws, outline, pressure, spacing: 0.01, increment: 0.02, offset: 0.0 }
    }
}

/// Sinkage at which pressing stops, m.
///
/// No measured plate test is a hundredth as deep. A soil that does not bear the load at this depth
/// has nearly no pressure modulus.
pub(super) const DEEPEST: f64 = 100.0;

/// One point of a pressure–sinkage curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SinkagePoint {
    /// Sinkage, m.
    pub sinkage: f64,
    /// Mean pressure over the plate's area, Pa.
    pub pressure: f64,
}

/// Result of a pressure–sinkage test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlateResult {
    /// Loading, from zero to the greatest pressure.
    pub loading: Vec<SinkagePoint>,
    /// Unloading, to zero pressure.
    pub unloading: Vec<SinkagePoint>,
    /// Reloading, to the greatest pressure.
    pub reloading: Vec<SinkagePoint>,
    /// Sinkage at the greatest pressure, m.
    pub sinkage: f64,
    /// Residual sinkage after unloading, m.
    pub residual: f64,
    /// Sinkage after reloading, m.
    pub reloaded: f64,
    /// Work of loading, J.
    pub work: f64,
    /// Work returned by unloading, J.
    pub returned: f64,
}

/// State of a plate test: the bed and the pose of the plate.
pub(super) struct PlateTest {
    model: GroundModel,
    published: SharedGround,
    overlay: Overlay,
    scratch: Scratch,
    outline: PlateOutline,
    pub(super) pose: Pose,
    increment: f64,
}

impl PlateTest {
    pub(super) fn new(rig: &PlateRig) -> Result<PlateTest, RigError> {
        require("pressure", rig.pressure, rig.pressure > 0.0, "positive")?;
        let increment = rig.increment;
        require("increment", increment, increment > 0.0 && increment <= 1.0, "above 0, up to 1")?;
        let (a, b) = match rig.outline {
            PlateOutline::Rectangle { length, width } => (length, width),
            PlateOutline::Disc { radius } => (radius, radius),
        };
        require("plate length or radius", a, a > 0.0, "positive")?;
        require("plate width or radius", b, b > 0.0, "positive")?;
        let model = flat_bed(&rig.soil, rig.laws, rig.spacing)?;
        let mut pose = Pose::default();
        pose.position.x = rig.offset * rig.spacing;
        pose.position.y = rig.offset * rig.spacing;
        Ok(PlateTest {
            model,
            published: SharedGround::default(),
            overlay: Overlay::new(),
            scratch: Scratch::new(),
            outline: rig.outline,
            pose,
            increment,
        })
    }

    pub(super) fn area(&self) -> f64 {
        match self.outline {
            PlateOutline::Rectangle { length, width } => length * width,
            PlateOutline::Disc { radius } => PI * radius * radius,
        }
    }

    pub(super) fn sinkage(&self) -> f64 {
        -self.pose.position.z
    }

    pub(super) fn contact(&mut self, tread: &Tread, twist: &Twist, dt: f64) -> Contact {
        self.overlay.begin_step();
        let PlateTest { model, published, overlay, scratch, .. } = self;
        let mut ground = WorkingGround { model, published, overlay, scratch };
        let met = plate_contact(&mut ground, self.outline, tread, &self.pose, twist, dt);
        heap(&mut ground, met.displaced);
        met
    }

    /// Evaluates the contact at rest; returns the mean pressure and its slope over sinkage.
    fn at_rest(&mut self) -> (SinkagePoint, f64) {
        let found = self.contact(&Tread::rough(), &Twist::default(), 0.0);
        let pressure = found.load.wrench.force.z / self.area();
        let slope = found.load.stiffness[(5, 5)] / self.area();
        (SinkagePoint { sinkage: self.sinkage(), pressure }, slope)
    }

    /// Presses to a mean pressure, along the tangent and by limited increments.
    ///
    /// The tangent does not anticipate a layer below. Where a step overshoots the target pressure,
    /// the plate and the soil are restored and the step is halved. Pressing stops at [`DEEPEST`].
    fn load_to(&mut self, target: f64) -> Vec<SinkagePoint> {
        const CLOSE: f64 = 1e-9;
        const FIRST: f64 = 1e-7;
        const MOST: usize = 20_000;
        // overshoot of the target by increments on a smooth curve
        const BEYOND: f64 = 2e-3;
        let mut curve = Vec::new();
        let (mut advance, mut before) = (0.0, None);
        for _ in 0..MOST {
            let (point, slope) = self.at_rest();
            let missing = target - point.pressure;
            if missing < -BEYOND * target
                && let Some((pose, overlay)) = &before
            {
                (self.pose, self.overlay) = (*pose, Overlay::clone(overlay));
                advance *= 0.5;
                self.pose.position.z -= advance;
                continue;
            }
            curve.push(point);
            if missing <= CLOSE * target || point.sinkage > DEEPEST {
                break;
            }
            // above the soil there is no slope from which to predict the contact
            advance = if slope > 0.0 {
                FIRST.max(self.increment * point.sinkage).min(missing / slope)
            } else {
                FIRST
            };
            before = Some((self.pose, self.overlay.clone()));
            self.pose.position.z -= advance;
        }
        curve
    }

    /// Unloads the plate along the elastic line.
    fn release(&mut self) -> Vec<SinkagePoint> {
        const POINTS: usize = 50;
        // a small distance off the yield point, where the slope is the elastic one
        const NUDGE: f64 = 1e-10;
        let mut curve = vec![self.at_rest().0];
        self.pose.position.z += NUDGE;
        let (start, slope) = self.at_rest();
        let lift = if slope > 0.0 { start.pressure / slope } else { 0.0 };
        let from = self.pose.position.z;
        for count in 1..=POINTS {
            self.pose.position.z = from + lift * count as f64 / POINTS as f64;
            curve.push(self.at_rest().0);
        }
        curve
    }
}

/// Returns the area under a curve of pressure over sinkage, J/m².
fn work(curve: &[SinkagePoint]) -> f64 {
    let strip = |pair: &[SinkagePoint]| {
        0.5 * (pair[0].pressure + pair[1].pressure) * (pair[1].sinkage - pair[0].sinkage)
    };
    curve.windows(2).map(strip).sum()
}

impl PlateRig {
    /// Presses to the greatest pressure, or fails with the pressure that the soil bears instead.
    pub(super) fn press(&self, press: &mut PlateTest) -> Result<Vec<SinkagePoint>, RigError> {
        let curve = press.load_to(self.pressure);
        let last = curve.last().copied().unwrap_or_default();
        let (reached, pressure, sinkage) = (last.pressure, self.pressure, last.sinkage);
        // false for NaN, too
        let carried = (reached - pressure).abs() <= CARRIED * pressure;
        match carried {
            true => Ok(curve),
            false => Err(RigError::NotPressed { reached, pressure, sinkage }),
        }
    }
}

impl Rig for PlateRig {
    type Outcome = PlateResult;

    fn run(&self) -> Result<PlateResult, RigError> {
        let mut press = PlateTest::new(self)?;
        let loading = self.press(&mut press)?;
        let unloading = press.release();
        let reloading = self.press(&mut press)?;
        let last = |curve: &[SinkagePoint]| curve.last().map_or(0.0, |point| point.sinkage);
        let area = press.area();
        Ok(PlateResult {
            sinkage: last(&loading),
            residual: last(&unloading),
            reloaded: last(&reloading),
            work: work(&loading) * area,
            returned: -work(&unloading) * area,
            loading,
            unloading,
            reloading,
        })
    }

    fn spacing_mut(&mut self) -> &mut f64 {
        &mut self.spacing
    }

    fn step_mut(&mut self) -> &mut f64 {
        &mut self.increment
    }

    fn extend(&mut self) {
        self.offset += 0.5;
    }

    fn metrics(&self, outcome: &PlateResult) -> Vec<(&'static str, f64)> {
        vec![("sinkage", outcome.sinkage), ("residual", outcome.residual), ("work", outcome.work)]
    }
}
