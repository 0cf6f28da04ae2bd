//! Motion, forces and energy of a tracked vehicle, read from its state and workspace.

use super::assembly::TrackKind;
use super::{TrackedVehicle, TrackedWorkspace};
use crate::multibody::{BodyId, ElementForce};
use crate::state::VehicleState;
use bekker_math::spatial::{Pose, Quat, Twist, Vec3};

/// Energy balance of the engine's work, J.
///
/// engine = brakes + suspension + pins + rims + soil + increase of the vehicle's kinetic and
/// potential energy.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct EngineEnergyBalance {
    /// Work of the engine behind its converter, less its own drag.
    pub engine: f64,
    /// Work on the brakes, including the steering brakes, and on the running resistance of belts.
    pub brakes: f64,
    /// Work on torsion bars, stops, dampers and tensioners: dissipated and stored.
    pub suspension: f64,
    /// Work on the pins of shoes or the stretching of belts: dissipated and stored.
    pub pins: f64,
    /// Work on rims of wheels, teeth and guides: dissipated and stored.
    pub rims: f64,
    /// Work on the ground.
    pub soil: f64,
}

impl TrackedVehicle {
    /// Returns the pose of the chassis frame.
    pub fn pose(&self, workspace: &TrackedWorkspace) -> Pose {
        self.bodies.pose(&workspace.body)
    }

    /// Returns the twist of the chassis about its frame's origin.
    pub fn twist(&self, workspace: &TrackedWorkspace) -> Twist {
        self.bodies.twist(&workspace.body)
    }

    /// Returns the body of a road wheel, whose y axis is its axle.
    pub fn wheel_body(&self, wheel: usize) -> BodyId {
        self.parts.tracks[wheel % 2].arms[wheel / 2].wheel
    }

    /// Returns the pose of a road wheel: origin at its center, y along its axle.
    pub fn wheel_pose(&self, workspace: &TrackedWorkspace, wheel: usize) -> Pose {
        self.bodies.pose_of(&workspace.body, self.wheel_body(wheel))
    }

    /// Returns the pose of a sprocket: origin at its center, y along its axle, turned with the
    /// track.
    pub fn sprocket_pose(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
    ) -> Pose {
        let track = &self.parts.tracks[side];
        let [x, _, z] = self.spec.sprocket.position;
        let hull = self.pose(workspace);
        let angle = state.body.q[track.turned];
        Pose {
            position: hull.point(&Vec3::new(x, track.y, z)),
            orientation: hull.orientation * Quat::from_axis_angle(&Vec3::y_axis(), angle),
        }
    }

    /// Returns the pose of an idler: origin at its center, y along its axle, without its spin.
    pub fn idler_pose(&self, workspace: &TrackedWorkspace, side: usize) -> Pose {
        self.bodies.model.pose(&workspace.body, self.parts.tracks[side].carrier)
    }

    /// Returns the spin of an idler, rad/s, positive forward.
    pub fn idler_spin(&self, state: &VehicleState, side: usize) -> f64 {
        self.parts.tracks[side].idler.rate(&state.body.u)
    }

    /// Returns the spin of a road wheel, rad/s, positive forward; it rolls on the track.
    pub fn wheel_spin(&self, state: &VehicleState, wheel: usize) -> f64 {
        self.parts.tracks[wheel % 2].arms[wheel / 2].spin.rate(&state.body.u)
    }

    /// Returns the force of a road wheel on its track in the last step, N.
    pub fn wheel_load(&self, workspace: &TrackedWorkspace, wheel: usize) -> f64 {
        let TrackKind::Belt(belt) = &self.parts.tracks[wheel % 2].run else {
            return workspace.rims[wheel % 2][wheel / 2];
        };
        let rims = belt.rims.iter().filter(|rim| rim.wheel == wheel / 2);
        rims.map(|rim| -workspace.body.element[rim.element].force).sum()
    }

    /// Returns the road wheel of a side whose design position is nearest to a world point.
    ///
    /// `hull` is the pose of the chassis frame.
    pub fn nearest_wheel(&self, side: usize, hull: &Pose, point: &Vec3) -> usize {
        let x = hull.local_point(point).x;
        let stations = &self.spec.tracks()[side].stations;
        let further = |wheel: &usize| (stations[*wheel] - x).abs();
        let nearest = (0..stations.len()).min_by(|a, b| further(a).total_cmp(&further(b)));
        2 * nearest.unwrap_or_default() + side
    }

    /// Returns the speed of a track over its sprocket, m/s, positive forward.
    pub fn track_speed(&self, state: &VehicleState, side: usize) -> f64 {
        self.sprocket_speed(state, side) * self.spec.drive_radius()
    }

    /// Returns the speed of the faster track, by magnitude, m/s, positive forward.
    pub fn rim_speed(&self, state: &VehicleState) -> f64 {
        let [left, right] = [0, 1].map(|side| self.track_speed(state, side));
        if left.abs() > right.abs() { left } else { right }
    }

    /// Returns the spin of a sprocket, rad/s, positive forward.
    pub fn sprocket_speed(&self, state: &VehicleState, side: usize) -> f64 {
        state.body.u[self.parts.tracks[side].sprocket.index()]
    }

    /// Returns the tension of a track in the last step, N.
    ///
    /// For a belt it is the tension in each section from the sprocket's front to the idler, with
    /// the upper run last. For shoes it is the tension at the pin behind each.
    pub fn tensions(&self, workspace: &TrackedWorkspace, side: usize) -> Vec<f64> {
        let force = |element: usize| workspace.body.element[element].force;
        match &self.parts.tracks[side].run {
            TrackKind::Belt(belt) => belt.sections.iter().map(|link| force(link.element)).collect(),
            TrackKind::Segments(run) => {
                run.shoes.iter().map(|shoe| force(shoe.pin.along)).collect()
            }
        }
    }

    /// Returns the largest opening of a pin between shoes that are bodies, m; 0 for belts.
    pub fn pin_opening(&self, workspace: &TrackedWorkspace) -> f64 {
        let tracks = self.parts.tracks.iter().map(|track| match &track.run {
            TrackKind::Belt(_) => 0.0,
            TrackKind::Segments(run) => run.opening(&workspace.body),
        });
        tracks.fold(0.0, f64::max)
    }

    /// Returns the force of a tensioner on its idler in the last step, towards the rear, N.
    pub fn tensioner_force(&self, workspace: &TrackedWorkspace, side: usize) -> f64 {
        -workspace.body.element[self.parts.tracks[side].tensioner].force
    }

    /// Starts recording the energy balance.
    pub fn start_account(&self, workspace: &mut TrackedWorkspace) {
        self.bodies.model.start_account(&mut workspace.body);
    }

    /// Returns the energy balance since recording began; all zero if it is not recorded.
    pub fn account(&self, workspace: &TrackedWorkspace) -> EngineEnergyBalance {
        let Some(work) = &workspace.body.work else { return EngineEnergyBalance::default() };
        let parts = &self.parts;
        let [engine, input] = self.parts.transmission.torque_elements();
        let of = |element: usize| -work.elements[element];
        let mut account = EngineEnergyBalance {
            engine: -of(engine) - of(input),
            brakes: parts.steering.iter().map(|&element| of(element)).sum(),
            rims: -work.touches,
            soil: -work.loads.iter().sum::<f64>(),
            ..EngineEnergyBalance::default()
        };
        for track in &parts.tracks {
            account.brakes += of(track.brake);
            account.suspension += of(track.tensioner);
            for arm in &track.arms {
                account.suspension += of(arm.element) + arm.damper.map_or(0.0, of);
            }
            account.pins += match &track.run {
                TrackKind::Belt(belt) => {
                    account.rims += belt.rims.iter().map(|rim| of(rim.element)).sum::<f64>();
                    belt.sections.iter().map(|link| of(link.element)).sum()
                }
                TrackKind::Segments(run) => {
                    let pins = run.shoes.iter().map(|shoe| shoe.pin);
                    pins.map(|p| of(p.along) + of(p.across) + of(p.side) + of(p.bend)).sum::<f64>()
                }
            };
        }
        account
    }

    /// Returns the energy stored in torsion bars, stops, tensioners and the tracks' tension, J.
    ///
    /// The energy in rims and pads is not included.
    pub fn spring_energy(&self, workspace: &TrackedWorkspace) -> f64 {
        let body = &workspace.body;
        let (bar, idler) = (&self.spec.road_arm, &self.spec.idler);
        let of_arm = |element: usize| {
            let angle = body.measure[element];
            let beyond = (angle - bar.bump_deg.to_radians()).max(0.0)
                + (angle + bar.rebound_deg.to_radians()).min(0.0);
            angle * (bar.torque + 0.5 * bar.stiffness * angle)
                + 0.5 * bar.stop_stiffness * beyond * beyond
        };
        let pulled = |element: usize| {
            let ElementForce { force, stiffness, .. } = body.element[element];
            if stiffness > 0.0 { 0.5 * force * force / stiffness } else { 0.0 }
        };
        let tracks = self.parts.tracks.iter().map(|track| {
            let back = body.measure[track.tensioner];
            let tensioner = back * (0.5 * idler.stiffness * back - track.idler_force);
            let links: f64 = match &track.run {
                TrackKind::Belt(belt) => {
                    belt.sections.iter().map(|link| pulled(link.element)).sum()
                }
                TrackKind::Segments(run) => {
                    run.shoes.iter().map(|shoe| pulled(shoe.pin.along)).sum()
                }
            };
            tensioner + links + track.arms.iter().map(|arm| of_arm(arm.element)).sum::<f64>()
        });
        tracks.sum()
    }
}
