//! Where the shoes are, and what the ground does to them.

use super::{TrackedVehicle, TrackedWorkspace};
use crate::multibody::Workspace;
use crate::spatial::{Load, Mat3, Mat6, Pose, Twist, Vec3, Wrench};
use crate::vehicle::wheeled::VehicleState;

/// A shoe on the lower run, and how it hangs on the band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShoePlace {
    /// Frame: origin midway between the pins, x to the leading pin, z away from
    /// the ground.
    pub pose: Pose,
    /// Twist about that origin.
    pub twist: Twist,
    /// Stretch of the band on which each pin lies, the leading first, and how far
    /// along, 0 to 1.
    pins: [(usize, f64); 2],
}

/// The shoes of one side between sprocket and idler, from the front.
#[derive(Clone, Debug, Default)]
pub struct Shoes {
    /// Room that is kept from step to step.
    places: Vec<ShoePlace>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    labels: Vec<f64>,
}

impl Shoes {
    /// Room for the shoes of any vehicle.
    pub fn new() -> Shoes {
        Shoes::default()
    }

    /// The shoes.
    pub fn places(&self) -> &[ShoePlace] {
        &self.places
    }
}

/// Sum of what acts at one seat of the band: forces with their tangents, and the
/// torque that goes with them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatLoad {
    force: Vec3,
    torque: Vec3,
    stiffness: Mat3,
    damping: Mat3,
}

impl TrackedVehicle {
    /// Lays the shoes of a side (0 left, 1 right) on the band.
    pub fn lay_shoes(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
        shoes: &mut Shoes,
    ) {
        let track = &self.parts.tracks[side];
        let model = &self.parts.model;
        let hull = model.pose(&workspace.body, self.parts.hull);
        let spin = model.twist(&workspace.body, self.parts.hull).angular;
        let left = hull.direction(&Vec3::y());
        let Shoes { places, points, velocities, labels } = shoes;
        points.clear();
        velocities.clear();
        labels.clear();
        places.clear();
        for seat in &track.seats {
            let offset = model.rotation(&workspace.body, seat.body) * seat.offset;
            let twist = model.twist(&workspace.body, seat.body);
            points.push(model.place(&workspace.body, seat.body) + offset);
            velocities.push(twist.at(&offset));
            labels.push(seat.label - seat.scale * state.body.q[seat.advance]);
        }
        for (index, velocity) in velocities.iter_mut().enumerate() {
            let seat = &track.seats[index];
            *velocity += running(points, index) * (seat.scale * state.body.u[seat.rate]);
        }
        let pitch = self.spec.shoe.pitch;
        let last = labels.len() - 1;
        let mut stretch = 0;
        let mut pin = |label: f64| {
            while stretch + 2 < labels.len() && labels[stretch + 1] <= label {
                stretch += 1;
            }
            let (from, to) = (labels[stretch], labels[stretch + 1]);
            (stretch, (label - from) / (to - from))
        };
        let mut label = (labels[0] / pitch).ceil() * pitch;
        if label > labels[last] {
            return;
        }
        let mut leading = pin(label);
        while label + pitch <= labels[last] {
            label += pitch;
            let trailing = pin(label);
            let at = |values: &[Vec3], (stretch, share): (usize, f64)| {
                values[stretch] + (values[stretch + 1] - values[stretch]) * share
            };
            let (front, rear) = (at(points, leading), at(points, trailing));
            let (fast, slow) = (at(velocities, leading), at(velocities, trailing));
            let x = (front - rear).normalize();
            let z = x.cross(&left).normalize();
            let y = z.cross(&x);
            let axes = Mat3::from_columns(&[x, y, z]);
            let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
            let pitching = -(fast - slow).dot(&z) / (front - rear).norm();
            places.push(ShoePlace {
                pose: Pose {
                    position: (front + rear) * 0.5,
                    orientation: crate::spatial::Quat::from_rotation_matrix(&turn),
                },
                twist: Twist {
                    linear: (fast + slow) * 0.5,
                    angular: spin + y * (pitching - spin.dot(&y)),
                },
                pins: [leading, trailing],
            });
            leading = trailing;
        }
    }

    /// Forgets the loads of the last step.
    pub fn begin_loads(&self, workspace: &mut TrackedWorkspace) {
        for seats in &mut workspace.seats {
            seats.fill(SeatLoad::default());
        }
    }

    /// Adds what the ground does to a shoe of a side, about the shoe's origin.
    ///
    /// Half goes to each pin; the moment about the shoe's y axis is a couple of
    /// the pins, the others go along with the forces. A pin's share goes to the
    /// seats before and behind it by the lever rule.
    pub fn press_shoe(
        &self,
        workspace: &mut TrackedWorkspace,
        side: usize,
        shoe: &ShoePlace,
        load: &Load,
    ) {
        let across = shoe.pose.direction(&Vec3::y());
        let up = shoe.pose.direction(&Vec3::z());
        let mut wrench = load.wrench;
        wrench += load.glide;
        let Wrench { force, torque } = wrench;
        let pitching = torque.dot(&across);
        let couple = up * (pitching / self.spec.shoe.pitch);
        let rest = (torque - across * pitching) * 0.5;
        let stiffness = linear(&load.stiffness) * 0.5;
        let damping = linear(&load.damping) * 0.5;
        for ((stretch, share), sense) in shoe.pins.into_iter().zip([-1.0, 1.0]) {
            let pin = force * 0.5 + couple * sense;
            for (seat, weight) in [(stretch, 1.0 - share), (stretch + 1, share)] {
                let seat = &mut workspace.seats[side][seat];
                seat.force += pin * weight;
                seat.torque += rest * weight;
                seat.stiffness += stiffness * weight;
                seat.damping += damping * weight;
            }
        }
    }

    /// Hands the loads of the seats to the multibody model.
    pub(super) fn seat_loads(&self, workspace: &mut TrackedWorkspace) {
        let TrackedWorkspace { body, seats, .. } = workspace;
        let model = &self.parts.model;
        for (track, loads) in self.parts.tracks.iter().zip(seats) {
            let place = |body: &Workspace, index: usize| {
                let seat = &track.seats[index];
                let offset = model.rotation(body, seat.body) * seat.offset;
                (model.place(body, seat.body) + offset, offset)
            };
            let count = track.seats.len();
            let (mut before, mut here) = (place(body, 0), place(body, 0));
            for (index, own) in loads.iter().enumerate() {
                let after = place(body, (index + 1).min(count - 1));
                let seat = &track.seats[index];
                let along = (after.0 - before.0).normalize();
                let mut load = Load {
                    wrench: Wrench { force: own.force, torque: own.torque },
                    glide: Wrench::default(),
                    stiffness: Mat6::zeros(),
                    damping: Mat6::zeros(),
                };
                load.stiffness.fixed_view_mut::<3, 3>(3, 3).copy_from(&own.stiffness);
                load.damping.fixed_view_mut::<3, 3>(3, 3).copy_from(&own.damping);
                let load = if seat.offset == Vec3::zeros() { load } else { load.moved(&here.1) };
                body.load[seat.load] = load;
                body.conveyance[seat.load] = along * seat.scale;
                (before, here) = (here, after);
            }
        }
    }
}

/// Direction in which the band runs through a point of the lower run.
fn running(points: &[Vec3], index: usize) -> Vec3 {
    let before = points[index.saturating_sub(1)];
    let after = points[(index + 1).min(points.len() - 1)];
    (after - before).normalize()
}

fn linear(matrix: &Mat6) -> Mat3 {
    matrix.fixed_view::<3, 3>(3, 3).into()
}
