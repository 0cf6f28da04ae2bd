//! Positions of the shoes, and the loads of the ground on them.

use super::assembly::TrackKind;
use super::belt::{BandIndices, BeltNode};
use super::{TrackedVehicle, TrackedWorkspace};
use crate::state::VehicleState;
use bekker_math::spatial::{Load, Mat3, Mat6, Pose, Twist, Vec3, Wrench};
use std::ops::{Add, Mul, Sub};

/// A shoe that may contact the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShoePose {
    /// Pose of its frame: origin midway between the pins, x to the leading pin, z away from the
    /// ground.
    pub pose: Pose,
    /// Twist about that origin.
    pub twist: Twist,
    support: ShoeSupport,
}

/// Support of a shoe.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ShoeSupport {
    /// Pins on a band, the leading first, and the distance between them, m.
    Band { pins: [BandPoint; 2], apart: f64 },
    /// A body with this load.
    Load(usize),
}

/// Point of a band.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BandPoint {
    /// Section of the band.
    section: usize,
    /// Position along the section, 0 to 1.
    share: f64,
}

/// The shoes of one side that face the ground; those of a belt are ordered from the front.
#[derive(Clone, Debug, Default)]
pub struct Shoes {
    /// Buffers that are reused from step to step.
    poses: Vec<ShoePose>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    runs: Vec<f64>,
    labels: Vec<f64>,
}

impl Shoes {
    /// Creates empty buffers for the shoes of any vehicle.
    pub fn new() -> Shoes {
        Shoes::default()
    }

    /// Returns the shoes.
    pub fn poses(&self) -> &[ShoePose] {
        &self.poses
    }
}

/// Sum of the loads at one seat of the band from one section: forces with tangents, and torque.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BeltNodeLoad {
    force: Vec3,
    torque: Vec3,
    stiffness: Mat3,
    damping: Mat3,
}

/// Pins at intervals of a pitch on a band with these labels, m, from the first shoe's leading pin.
fn pins(labels: &[f64], pitch: f64) -> impl Iterator<Item = BandPoint> {
    let (mut section, mut label) = (0, (labels[0] / pitch).ceil() * pitch);
    std::iter::from_fn(move || {
        if label > labels[labels.len() - 1] {
            return None;
        }
        while section + 2 < labels.len() && labels[section + 1] <= label {
            section += 1;
        }
        let (from, to) = (labels[section], labels[section + 1]);
        let pin = BandPoint { section, share: (label - from) / (to - from) };
        label += pitch;
        Some(pin)
    })
}

#[inline]
fn interpolate<T>(values: &[T], point: BandPoint) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let BandPoint { section, share } = point;
    values[section] + (values[section + 1] - values[section]) * share
}

/// Frame of a shoe between its leading and its trailing pin; `left` is the chassis's y axis.
fn frame(front: &Vec3, rear: &Vec3, left: &Vec3) -> Pose {
    let x = (front - rear).normalize();
    let z = x.cross(left).normalize();
    let y = z.cross(&x);
    let turn = nalgebra::Rotation3::from_matrix_unchecked(Mat3::from_columns(&[x, y, z]));
    Pose {
        position: (front + rear) * 0.5,
        orientation: bekker_math::spatial::Quat::from_rotation_matrix(&turn),
    }
}

/// A support point of a band.
///
/// It consists of x and z in the chassis frame, m, and the free length of the band from the leading
/// pin of the first shoe to this point, m.
pub type BandPosition = ([f64; 2], f64);

impl TrackedVehicle {
    /// Returns the band of a side (0 left, 1 right), which determines the poses of its shoes.
    ///
    /// It is empty where shoes are bodies.
    pub fn band(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
    ) -> Vec<BandPosition> {
        let TrackKind::Belt(track) = &self.parts.tracks[side].run else { return Vec::new() };
        let model = &self.bodies.model;
        let hull = model.pose(&workspace.body, self.bodies.chassis);
        let pitch = self.spec.shoe.pitch;
        let first =
            track.seats.first().map_or(0.0, |seat| (seat.label(state) / pitch).ceil() * pitch);
        let seats = track.seats.iter().map(|seat| {
            let offset = model.rotation(&workspace.body, seat.body) * seat.offset;
            let place = hull.local_point(&(model.body_origin(&workspace.body, seat.body) + offset));
            ([place.x, place.z], seat.label(state) - first)
        });
        seats.collect()
    }

    /// Returns the poses in the chassis frame of the shoes on a [`TrackedVehicle::band`], from the
    /// front.
    ///
    /// Empty if the band has fewer than two points or its labels do not ascend.
    pub fn shoes_on(&self, side: usize, band: &[BandPosition]) -> Vec<Pose> {
        if band.len() < 2 || band.windows(2).any(|pair| pair[0].1 >= pair[1].1) {
            return Vec::new();
        }
        let y = self.parts.tracks[side].y;
        let points: Vec<Vec3> = band.iter().map(|&([x, z], _)| Vec3::new(x, y, z)).collect();
        let pitch = self.spec.shoe.pitch;
        let mut labels: Vec<f64> = band.iter().map(|&(_, label)| label).collect();
        // the first pin has label 0, which rounding must not skip
        labels[0] = labels[0].clamp(-0.999 * pitch, 0.0);
        let pins: Vec<Vec3> = pins(&labels, pitch).map(|pin| interpolate(&points, pin)).collect();
        pins.windows(2).map(|pair| frame(&pair[0], &pair[1], &Vec3::y())).collect()
    }

    /// Returns the shoes of a side (0 left, 1 right) that are bodies, in track order.
    ///
    /// Each item is the position in the chassis frame, m, and the angle about its y axis, rad. A
    /// belt has none.
    pub fn shoe_bodies(
        &self,
        state: &VehicleState,
        side: usize,
    ) -> impl Iterator<Item = ([f64; 3], f64)> {
        let track = &self.parts.tracks[side];
        let shoes = match &track.run {
            TrackKind::Belt(_) => &[],
            TrackKind::Segments(run) => &run.shoes[..],
        };
        shoes.iter().filter(|shoe| shoe.is_shoe()).map(|shoe| {
            let q = &state.body.q[shoe.position..shoe.position + 4];
            ([q[0], track.y + q[1], q[2]], q[3])
        })
    }

    /// Finds the shoes of a side (0 left, 1 right) that face the ground.
    pub fn find_shoes(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
        shoes: &mut Shoes,
    ) {
        shoes.poses.clear();
        match &self.parts.tracks[side].run {
            TrackKind::Belt(belt) => self.find_shoes_on_band(belt, state, workspace, shoes),
            TrackKind::Segments(run) => {
                let (model, body) = (&self.bodies.model, &workspace.body);
                for shoe in &run.shoes {
                    let Some(load) = shoe.load else { continue };
                    // contact with the ground is not evaluated for steeper shoes
                    if model.rotation(body, shoe.body)[(2, 2)] > 0.1 {
                        shoes.poses.push(ShoePose {
                            pose: model.pose(body, shoe.body),
                            twist: model.twist(body, shoe.body),
                            support: ShoeSupport::Load(load),
                        });
                    }
                }
            }
        }
    }

    /// Finds the shoes on a band.
    fn find_shoes_on_band(
        &self,
        track: &BandIndices,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        shoes: &mut Shoes,
    ) {
        let model = &self.bodies.model;
        let hull = model.pose(&workspace.body, self.bodies.chassis);
        let spin = model.twist(&workspace.body, self.bodies.chassis).angular;
        let left = hull.direction(&Vec3::y());
        let Shoes { poses, points, velocities, runs, labels } = shoes;
        points.clear();
        velocities.clear();
        runs.clear();
        labels.clear();
        for seat in &track.seats {
            let offset = model.rotation(&workspace.body, seat.body) * seat.offset;
            let twist = model.twist(&workspace.body, seat.body);
            points.push(model.body_origin(&workspace.body, seat.body) + offset);
            velocities.push(twist.velocity_at(&offset));
            runs.push(seat.scale * state.body.u[seat.rate]);
            labels.push(seat.label(state));
        }
        // velocity of a point of the band, including the motion along its section
        let velocity = |pin: BandPoint| {
            interpolate(velocities, pin)
                + section_advance(points, labels, pin.section) * interpolate(runs, pin)
        };
        let mut pins = pins(labels, self.spec.shoe.pitch);
        let Some(mut leading) = pins.next() else { return };
        for trailing in pins {
            let (front, rear) = (interpolate(points, leading), interpolate(points, trailing));
            let (fast, slow) = (velocity(leading), velocity(trailing));
            let pose = frame(&front, &rear, &left);
            let [y, z] = [Vec3::y(), Vec3::z()].map(|axis| pose.direction(&axis));
            let apart = (front - rear).norm();
            let pitching = -(fast - slow).dot(&z) / apart;
            poses.push(ShoePose {
                pose,
                twist: Twist {
                    linear: (fast + slow) * 0.5,
                    angular: spin + y * (pitching - spin.dot(&y)),
                },
                support: ShoeSupport::Band { pins: [leading, trailing], apart },
            });
            leading = trailing;
        }
    }

    /// Clears the loads of the last step.
    pub fn clear_loads(&self, workspace: &mut TrackedWorkspace) {
        for seats in &mut workspace.seats {
            seats.fill([BeltNodeLoad::default(); 2]);
        }
        for track in &self.parts.tracks {
            if let TrackKind::Segments(run) = &track.run {
                let loads = &mut workspace.body.load;
                let own = run.shoes.iter().filter_map(|shoe| shoe.load);
                own.for_each(|load| loads[load] = Load::default());
            }
        }
    }

    /// Adds the load of the ground, or of an obstacle, on a shoe of a side about the shoe's origin.
    ///
    /// On a band, each pin takes half of the force. The moment about the shoe's y axis becomes a
    /// couple of the pins; the other moments are divided like the forces. A pin's share is divided
    /// between the seats before and after it by the lever rule.
    pub fn add_shoe_load(
        &self,
        workspace: &mut TrackedWorkspace,
        side: usize,
        shoe: &ShoePose,
        load: &Load,
    ) {
        let (pins, apart) = match shoe.support {
            ShoeSupport::Band { pins, apart } => (pins, apart),
            ShoeSupport::Load(own) => {
                workspace.body.load[own] += *load;
                return;
            }
        };
        let across = shoe.pose.direction(&Vec3::y());
        let up = shoe.pose.direction(&Vec3::z());
        let mut wrench = load.wrench;
        wrench += load.glide;
        let Wrench { force, torque } = wrench;
        let pitching = torque.dot(&across);
        let couple = up * (pitching / apart);
        let rest = (torque - across * pitching) * 0.5;
        // the matrix [[1, -1], [-1, 1]] of both pins is bounded by twice its diagonal
        let couples = up * up.transpose() * (2.0 / (apart * apart));
        let [stiffness, damping] = [&load.stiffness, &load.damping].map(|tangent| {
            linear(tangent) * 0.5 + couples * across.dot(&(angular(tangent) * across))
        });
        for (BandPoint { section, share }, sense) in pins.into_iter().zip([-1.0, 1.0]) {
            let pin = force * 0.5 + couple * sense;
            let seats = &mut workspace.seats[side][section];
            for (seat, weight) in seats.iter_mut().zip([1.0 - share, share]) {
                seat.force += pin * weight;
                seat.torque += rest * weight;
                seat.stiffness += stiffness * weight;
                seat.damping += damping * weight;
            }
        }
    }

    /// Transfers the loads of the seats to the multibody model, for a step of `h` seconds.
    ///
    /// A section that slopes against the hull's travel moves into the ground as the hull advances.
    /// The load on it does not change by that motion, since as much ground is compacted at one end
    /// as is unloaded at the other. So this motion is excluded from the prediction of the loads at
    /// the step's end by the ground's stiffness.
    pub(super) fn seat_loads(
        &self,
        state: &VehicleState,
        workspace: &mut TrackedWorkspace,
        h: f64,
    ) {
        let TrackedWorkspace { body, seats, .. } = workspace;
        let model = &self.bodies.model;
        let hull = model.twist(body, self.bodies.chassis);
        let middle = model.body_origin(body, self.bodies.chassis);
        let course = travel_direction(
            &hull.linear,
            &(model.rotation(body, self.bodies.chassis) * Vec3::x()),
        );
        for (track, stretches) in self.parts.tracks.iter().zip(seats) {
            let TrackKind::Belt(track) = &track.run else { continue };
            let ends = track.seats.windows(2).zip(&track.loads);
            for ((ends, poses), loads) in ends.zip(stretches.iter()) {
                let ends = [&ends[0], &ends[1]];
                let offsets = ends.map(|seat| model.rotation(body, seat.body) * seat.offset);
                let points =
                    [0, 1].map(|end| model.body_origin(body, ends[end].body) + offsets[end]);
                let along = section_advance(&points, &ends.map(|seat| seat.label(state)), 0);
                let line = along.normalize();
                let way = hull.velocity_at(&(points[0] - middle)).dot(&course) * h;
                let passed = (course - line * line.dot(&course)) * way;
                for end in [0, 1] {
                    body.load[poses[end]] = loads[end].load(&passed, &offsets[end]);
                    body.conveyance[poses[end]] = along * ends[end].scale;
                }
            }
        }
    }
}

impl BeltNodeLoad {
    /// Load on a body whose origin is `offset` from the seat's point.
    ///
    /// `passed` is the seat's displacement in the step that does not change the load.
    fn load(&self, passed: &Vec3, offset: &Vec3) -> Load {
        let force = self.force + self.stiffness * passed;
        let mut load = Load {
            wrench: Wrench { force, torque: self.torque },
            glide: Wrench::default(),
            stiffness: Mat6::zeros(),
            damping: Mat6::zeros(),
        };
        load.stiffness.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.stiffness);
        load.damping.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.damping);
        if *offset == Vec3::zeros() { load } else { load.moved(offset) }
    }
}

impl BeltNode {
    /// Free length of the band from the sprocket's seat at the start to the present point, m.
    fn label(&self, state: &VehicleState) -> f64 {
        self.label - self.scale * state.body.q[self.advance]
    }
}

/// Speed below which the hull's heading, rather than its velocity, determines its course, m/s.
const STANDS: f64 = 1.0;

/// Direction of the hull's travel, or of its heading while it stands still.
fn travel_direction(velocity: &Vec3, forward: &Vec3) -> Vec3 {
    let onward = velocity.dot(forward);
    let aside = velocity - forward * onward;
    (forward + aside * (onward / (onward * onward + STANDS * STANDS))).normalize()
}

/// Displacement of a point of the band along its section per free length of advance.
fn section_advance(points: &[Vec3], labels: &[f64], section: usize) -> Vec3 {
    let next = section + 1;
    (points[next] - points[section]) / (labels[next] - labels[section])
}

fn angular(matrix: &Mat6) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into()
}

fn linear(matrix: &Mat6) -> Mat3 {
    matrix.fixed_view::<3, 3>(3, 3).into()
}
