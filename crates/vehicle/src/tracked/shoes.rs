//! Where the shoes are, and what the ground does to them.

use super::assembly::Run;
use super::belt::{Belt, Seat};
use super::{TrackedVehicle, TrackedWorkspace};
use crate::state::VehicleState;
use bekker_math::spatial::{Load, Mat3, Mat6, Pose, Twist, Vec3, Wrench};
use std::ops::{Add, Mul, Sub};

/// A shoe that may meet the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShoePlace {
    /// Frame: origin midway between the pins, x to the leading pin, z away from
    /// the ground.
    pub pose: Pose,
    /// Twist about that origin.
    pub twist: Twist,
    hold: Hold,
}

/// What holds a shoe.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// The stretches of a band on which its pins lie, the leading first, and how far
    /// along, 0 to 1; and how far the pins are apart, m.
    Band([(usize, f64); 2], f64),
    /// It is a body with a load of its own.
    Load(usize),
}

/// The shoes of one side that face the ground, those of a belt from the front.
#[derive(Clone, Debug, Default)]
pub struct Shoes {
    /// Room that is kept from step to step.
    places: Vec<ShoePlace>,
    points: Vec<Vec3>,
    velocities: Vec<Vec3>,
    runs: Vec<f64>,
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

/// Sum of what acts at one seat of the band from one stretch: forces with their tangents, and
/// the torque that goes with them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SeatLoad {
    force: Vec3,
    torque: Vec3,
    stiffness: Mat3,
    damping: Mat3,
}

/// Pins a pitch apart on a band with these labels (m), from the leading pin of the
/// first shoe on: for each the stretch on which it lies and how far along, 0 to 1.
fn pins(labels: &[f64], pitch: f64) -> impl Iterator<Item = (usize, f64)> {
    let (mut stretch, mut label) = (0, (labels[0] / pitch).ceil() * pitch);
    std::iter::from_fn(move || {
        if label > labels[labels.len() - 1] {
            return None;
        }
        while stretch + 2 < labels.len() && labels[stretch + 1] <= label {
            stretch += 1;
        }
        let (from, to) = (labels[stretch], labels[stretch + 1]);
        let pin = (stretch, (label - from) / (to - from));
        label += pitch;
        Some(pin)
    })
}

#[inline]
fn between<T>(values: &[T], (stretch, share): (usize, f64)) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    values[stretch] + (values[stretch + 1] - values[stretch]) * share
}

/// Frame of a shoe between its leading and its trailing pin, the chassis's y being
/// `left`.
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

/// Where a band is held: along x and z in the chassis frame (m), and the length of
/// the free band (m) from the leading pin of the first shoe to there.
pub type BandPlace = ([f64; 2], f64);

impl TrackedVehicle {
    /// The band of a side (0 left, 1 right): all that its shoes' poses follow from; empty
    /// where shoes are bodies.
    pub fn band(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
    ) -> Vec<BandPlace> {
        let Run::Belt(track) = &self.parts.tracks[side].run else { return Vec::new() };
        let model = &self.parts.model;
        let hull = model.pose(&workspace.body, self.parts.hull);
        let pitch = self.spec.shoe.pitch;
        let first =
            track.seats.first().map_or(0.0, |seat| (seat.label(state) / pitch).ceil() * pitch);
        let seats = track.seats.iter().map(|seat| {
            let offset = model.rotation(&workspace.body, seat.body) * seat.offset;
            let place = hull.local_point(&(model.place(&workspace.body, seat.body) + offset));
            ([place.x, place.z], seat.label(state) - first)
        });
        seats.collect()
    }

    /// Poses in the chassis frame of the shoes on a [`TrackedVehicle::band`], from the
    /// front; none if its places are fewer than two or their labels do not ascend.
    pub fn shoes_on(&self, side: usize, band: &[BandPlace]) -> Vec<Pose> {
        if band.len() < 2 || band.windows(2).any(|pair| pair[0].1 >= pair[1].1) {
            return Vec::new();
        }
        let y = self.parts.tracks[side].y;
        let points: Vec<Vec3> = band.iter().map(|&([x, z], _)| Vec3::new(x, y, z)).collect();
        let pitch = self.spec.shoe.pitch;
        let mut labels: Vec<f64> = band.iter().map(|&(_, label)| label).collect();
        // the first pin has label 0, which rounding must not lose
        labels[0] = labels[0].clamp(-0.999 * pitch, 0.0);
        let pins: Vec<Vec3> = pins(&labels, pitch).map(|pin| between(&points, pin)).collect();
        pins.windows(2).map(|pair| frame(&pair[0], &pair[1], &Vec3::y())).collect()
    }

    /// The shoes of a side (0 left, 1 right) that are bodies, one behind the other: place
    /// in the chassis frame, m, and angle about its y axis, rad. None on a belt.
    pub fn shoe_bodies(
        &self,
        state: &VehicleState,
        side: usize,
    ) -> impl Iterator<Item = ([f64; 3], f64)> {
        let track = &self.parts.tracks[side];
        let shoes = match &track.run {
            Run::Belt(_) => &[],
            Run::Segments(run) => &run.shoes[..],
        };
        shoes.iter().filter(|shoe| shoe.is_shoe()).map(|shoe| {
            let q = &state.body.q[shoe.position..shoe.position + 4];
            ([q[0], track.y + q[1], q[2]], q[3])
        })
    }

    /// Finds the shoes of a side (0 left, 1 right) that face the ground.
    pub fn lay_shoes(
        &self,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        side: usize,
        shoes: &mut Shoes,
    ) {
        shoes.places.clear();
        match &self.parts.tracks[side].run {
            Run::Belt(belt) => self.lay_on_band(belt, state, workspace, shoes),
            Run::Segments(run) => {
                let (model, body) = (&self.parts.model, &workspace.body);
                for shoe in &run.shoes {
                    let Some(load) = shoe.load else { continue };
                    // the ground meets nothing steeper
                    if model.rotation(body, shoe.body)[(2, 2)] > 0.1 {
                        shoes.places.push(ShoePlace {
                            pose: model.pose(body, shoe.body),
                            twist: model.twist(body, shoe.body),
                            hold: Hold::Load(load),
                        });
                    }
                }
            }
        }
    }

    /// Lays shoes on a band.
    fn lay_on_band(
        &self,
        track: &Belt,
        state: &VehicleState,
        workspace: &TrackedWorkspace,
        shoes: &mut Shoes,
    ) {
        let model = &self.parts.model;
        let hull = model.pose(&workspace.body, self.parts.hull);
        let spin = model.twist(&workspace.body, self.parts.hull).angular;
        let left = hull.direction(&Vec3::y());
        let Shoes { places, points, velocities, runs, labels } = shoes;
        points.clear();
        velocities.clear();
        runs.clear();
        labels.clear();
        for seat in &track.seats {
            let offset = model.rotation(&workspace.body, seat.body) * seat.offset;
            let twist = model.twist(&workspace.body, seat.body);
            points.push(model.place(&workspace.body, seat.body) + offset);
            velocities.push(twist.at(&offset));
            runs.push(seat.scale * state.body.u[seat.rate]);
            labels.push(seat.label(state));
        }
        // of a place of the band that goes along its stretch
        let velocity = |pin: (usize, f64)| {
            between(velocities, pin) + running(points, labels, pin.0) * between(runs, pin)
        };
        let mut pins = pins(labels, self.spec.shoe.pitch);
        let Some(mut leading) = pins.next() else { return };
        for trailing in pins {
            let (front, rear) = (between(points, leading), between(points, trailing));
            let (fast, slow) = (velocity(leading), velocity(trailing));
            let pose = frame(&front, &rear, &left);
            let [y, z] = [Vec3::y(), Vec3::z()].map(|axis| pose.direction(&axis));
            let apart = (front - rear).norm();
            let pitching = -(fast - slow).dot(&z) / apart;
            places.push(ShoePlace {
                pose,
                twist: Twist {
                    linear: (fast + slow) * 0.5,
                    angular: spin + y * (pitching - spin.dot(&y)),
                },
                hold: Hold::Band([leading, trailing], apart),
            });
            leading = trailing;
        }
    }

    /// Forgets the loads of the last step.
    pub fn begin_loads(&self, workspace: &mut TrackedWorkspace) {
        for seats in &mut workspace.seats {
            seats.fill([SeatLoad::default(); 2]);
        }
        for track in &self.parts.tracks {
            if let Run::Segments(run) = &track.run {
                let loads = &mut workspace.body.load;
                let own = run.shoes.iter().filter_map(|shoe| shoe.load);
                own.for_each(|load| loads[load] = Load::default());
            }
        }
    }

    /// Adds what the ground, or what stands on it, does to a shoe of a side, about the shoe's
    /// origin.
    ///
    /// On a band, half goes to each pin; the moment about the shoe's y axis is a couple of
    /// the pins, the others go along with the forces. A pin's share goes to the
    /// seats before and behind it by the lever rule.
    pub fn press_shoe(
        &self,
        workspace: &mut TrackedWorkspace,
        side: usize,
        shoe: &ShoePlace,
        load: &Load,
    ) {
        let (pins, apart) = match shoe.hold {
            Hold::Band(pins, apart) => (pins, apart),
            Hold::Load(own) => {
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
        // [[1, -1], [-1, 1]] of both pins lies below twice its diagonal
        let couples = up * up.transpose() * (2.0 / (apart * apart));
        let [stiffness, damping] = [&load.stiffness, &load.damping].map(|tangent| {
            linear(tangent) * 0.5 + couples * across.dot(&(angular(tangent) * across))
        });
        for ((stretch, share), sense) in pins.into_iter().zip([-1.0, 1.0]) {
            let pin = force * 0.5 + couple * sense;
            let seats = &mut workspace.seats[side][stretch];
            for (seat, weight) in seats.iter_mut().zip([1.0 - share, share]) {
                seat.force += pin * weight;
                seat.torque += rest * weight;
                seat.stiffness += stiffness * weight;
                seat.damping += damping * weight;
            }
        }
    }

    /// Hands the loads of the seats to the multibody model, for a step of `h` seconds.
    ///
    /// A stretch that slopes against the way of the hull presses the ground as the hull goes on,
    /// but the load on it does not change by that: as much is pressed at one place as is left
    /// behind or let go at the next. So the stiffness of the ground, by which a step reckons what
    /// the loads will be at its end, leaves that motion out.
    pub(super) fn seat_loads(
        &self,
        state: &VehicleState,
        workspace: &mut TrackedWorkspace,
        h: f64,
    ) {
        let TrackedWorkspace { body, seats, .. } = workspace;
        let model = &self.parts.model;
        let hull = model.twist(body, self.parts.hull);
        let middle = model.place(body, self.parts.hull);
        let course = course(&hull.linear, &(model.rotation(body, self.parts.hull) * Vec3::x()));
        for (track, stretches) in self.parts.tracks.iter().zip(seats) {
            let Run::Belt(track) = &track.run else { continue };
            let ends = track.seats.windows(2).zip(&track.loads);
            for ((ends, places), loads) in ends.zip(stretches.iter()) {
                let ends = [&ends[0], &ends[1]];
                let offsets = ends.map(|seat| model.rotation(body, seat.body) * seat.offset);
                let points = [0, 1].map(|end| model.place(body, ends[end].body) + offsets[end]);
                let along = running(&points, &ends.map(|seat| seat.label(state)), 0);
                let line = along.normalize();
                let way = hull.at(&(points[0] - middle)).dot(&course) * h;
                let passed = (course - line * line.dot(&course)) * way;
                for end in [0, 1] {
                    body.load[places[end]] = loads[end].load(&passed, &offsets[end]);
                    body.conveyance[places[end]] = along * ends[end].scale;
                }
            }
        }
    }
}

impl SeatLoad {
    /// On a body, `offset` from whose origin the seat is, of a seat that goes `passed` in the step
    /// without being pressed by that.
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

impl Seat {
    /// Length of the free band, m, from the sprocket's seat at the start to what is here now.
    fn label(&self, state: &VehicleState) -> f64 {
        self.label - self.scale * state.body.q[self.advance]
    }
}

/// Speed below which a hull rather stands than goes, m/s.
const STANDS: f64 = 1.0;

/// Direction in which a hull goes, or, while it stands and rocks, points.
fn course(velocity: &Vec3, forward: &Vec3) -> Vec3 {
    let onward = velocity.dot(forward);
    let aside = velocity - forward * onward;
    (forward + aside * (onward / (onward * onward + STANDS * STANDS))).normalize()
}

/// Way of a place of the band per metre that the free band runs on, along its stretch.
fn running(points: &[Vec3], labels: &[f64], stretch: usize) -> Vec3 {
    let next = stretch + 1;
    (points[next] - points[stretch]) / (labels[next] - labels[stretch])
}

fn angular(matrix: &Mat6) -> Mat3 {
    matrix.fixed_view::<3, 3>(0, 0).into()
}

fn linear(matrix: &Mat6) -> Mat3 {
    matrix.fixed_view::<3, 3>(3, 3).into()
}
