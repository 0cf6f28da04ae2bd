//! A vehicle that hangs up: its belly on the ground.

use super::agent::AgentModel;
use super::firm_spring::FirmSpring;
use super::ground_vehicle::{ContactContext, GroundVehicleWorkspace};
use crate::ground::GroundModel;
use crate::numeric::GRAVITY;
use crate::scm::{Displaced, Plate, PlateOutline, contact};
use crate::soil::Tread;
use crate::spatial::{Load, Pose, Twist, Vec3};
use crate::vehicle::spec::Belly;

/// Clearance under the belly, m, beyond which it is not held against the ground
/// until the next heartbeat.
const CLEAR: f64 = 0.25;
/// Distance between the points of a belly that meet firm ground, m; assumed, as is how
/// far plate and frame give way under a vehicle that stands on one of them, m, ...
const SPACING: f64 = 0.1;
const GIVES: f64 = 0.005;
/// ... the damping ratio of that, and the depth, m, from which the plate is dented and
/// pushes no harder.
const DAMPING_RATIO: f64 = 0.3;
const DENTED: f64 = 0.03;
/// Distance between the points of a belly, m, at which it is looked how far the ground is
/// below. A bump that is wider than that comes under one of them as the vehicle goes on;
/// one that is narrower, and higher than [`CLEAR`], may pass between them unseen. ...
const LOOKED_AT: f64 = 0.2;
/// ... And of how many points the terrain is asked together.
const TOGETHER: usize = 128;

/// What the ground does to a belly that lies on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BellyContact {
    /// On the chassis, about its frame's origin.
    pub load: Load,
    /// Force along the ground's normal, N.
    pub force: f64,
    /// Soil that rises around it.
    pub displaced: Option<Displaced>,
}

/// Points of a belly from its centre, m: all of it, no more than `spacing` m apart.
fn points(belly: &Belly, spacing: f64) -> impl Iterator<Item = Vec3> {
    let steps = move |side: f64| (side / spacing).ceil().clamp(1.0, 200.0) as u32;
    let (along, across) = (steps(belly.length), steps(belly.width));
    let (length, width) = (belly.length, belly.width);
    let place =
        |side: f64, step: u32, steps: u32| side * (f64::from(step) / f64::from(steps) - 0.5);
    (0..=along).flat_map(move |i| {
        (0..=across).map(move |j| Vec3::new(place(length, i, along), place(width, j, across), 0.0))
    })
}

impl AgentModel {
    /// Whether the belly is so near to the undisturbed ground that it may touch before the
    /// next heartbeat.
    pub(super) fn is_low(&self, ground: &GroundModel, body: &GroundVehicleWorkspace) -> bool {
        let Some(belly) = self.vehicle.belly() else { return false };
        let pose = self.vehicle.pose(body);
        let centre = Vec3::from(belly.centre);
        let mut points = points(belly, LOOKED_AT).map(|point| pose.point(&(centre + point)));
        let mut group = [Vec3::zeros(); TOGETHER];
        loop {
            let taken = group.iter_mut().zip(&mut points);
            let count = taken.map(|(place, point)| *place = point).count();
            let places = group.map(|point| [point.x, point.y]);
            let mut heights = [0.0; TOGETHER];
            ground.terrain().heights(&places[..count], &mut heights[..count]);
            let mut met = group[..count].iter().zip(&heights);
            if met.any(|(point, height)| point.z - height < CLEAR) {
                return true;
            }
            if count < TOGETHER {
                return false;
            }
        }
    }

    /// Load of the ground on the belly: the vehicle hangs up on it.
    pub(super) fn rest_on_belly(
        &self,
        body: &GroundVehicleWorkspace,
        context: &mut ContactContext<'_>,
        h: f64,
    ) -> BellyContact {
        let Some(belly) = self.vehicle.belly() else { return BellyContact::default() };
        let chassis = self.vehicle.pose(body);
        let centre = Vec3::from(belly.centre);
        let pose = Pose { position: chassis.point(&centre), ..chassis };
        let offset = pose.position - chassis.position;
        let twist = self.vehicle.twist(body);
        let twist = Twist { linear: twist.at(&offset), ..twist };
        let felt = context.felt(twist, &pose.position);
        let outline = PlateOutline::Rectangle { length: belly.length, width: belly.width };
        let mut plate = Plate::placed(outline, &pose, context.ground.lattice().spacing);
        let met = contact(&mut context.working(), &mut plate, &Tread::rough(), &felt, h);
        let mut on =
            BellyContact { load: met.load, force: met.normal_force, displaced: met.displaced };
        if context.ground.has_firm_soil() {
            self.press_on_firm(belly, &pose, &felt, context, &mut on);
        }
        BellyContact { load: on.load.moved(&offset), ..on }
    }

    /// Adds what firm ground does to the points of a belly, its centre being at `pose`:
    /// springs against the ground's plane at each, Coulomb friction.
    fn press_on_firm(
        &self,
        belly: &Belly,
        pose: &Pose,
        twist: &Twist,
        context: &ContactContext<'_>,
        on: &mut BellyContact,
    ) {
        let mass = self.vehicle.mass();
        let stiffness = mass * GRAVITY / GIVES;
        let damping = 2.0 * DAMPING_RATIO * (stiffness * mass).sqrt();
        let spring = FirmSpring { stiffness, damping, deepest: DENTED };
        for point in points(belly, SPACING) {
            let r = pose.direction(&point);
            let pushed = spring.press(context, &pose.position, &r, twist, &mut on.load);
            on.force += pushed.unwrap_or(0.0);
        }
    }
}
