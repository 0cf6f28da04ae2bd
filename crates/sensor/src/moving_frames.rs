//! Poses of moving instances at the time of each ray of a packet.
//!
//! A lidar fires a column of beams at a time, and the rays of several columns form a packet per
//! beam. Start points and times are those of the columns, equal for every beam. The poses of moving
//! instances are therefore computed once per set of columns, not per beam.

use super::bvh::Beams;
use super::packet::{F32Lanes, Packet, RAYS, Simd};
use super::scene::{Instance, InstanceSet, interpolate_pose, row_dot, rows};
use fearless_simd::prelude::*;

/// Frame of a mesh at the time of each ray of a packet.
#[derive(Clone, Debug)]
pub(super) struct MovingFrame {
    /// Start points of the rays in the mesh frame.
    origin: [[f32; RAYS]; 3],
    /// Rows of the matrices from world axes to mesh axes.
    turn: [[[f32; RAYS]; 3]; 3],
}

impl MovingFrame {
    /// Computes the frame of `instance` for each ray in double precision, as for a single ray.
    pub fn new(instance: &Instance, packet: &Packet) -> MovingFrame {
        let mut frame = MovingFrame { origin: [[0.0; RAYS]; 3], turn: [[[0.0; RAYS]; 3]; 3] };
        let [x, y, z] = &packet.origin;
        for lane in 0..packet.count {
            let pose = interpolate_pose(&instance.poses, packet.moment[lane]);
            let turn = rows(&pose.orientation, instance.scale);
            let at = pose.position;
            let from = [x[lane] - at.x, y[lane] - at.y, z[lane] - at.z];
            for (k, row) in turn.iter().enumerate() {
                frame.origin[k][lane] = row_dot(row, &from) as f32;
                for (axis, part) in row.iter().enumerate() {
                    frame.turn[k][axis][lane] = *part as f32;
                }
            }
        }
        frame
    }

    /// Returns rays with these world directions in the mesh frame.
    #[inline(always)]
    pub fn beams<S: Simd>(&self, direction: &[F32Lanes<S>; 3]) -> Beams<S> {
        let [dx, dy, dz] = *direction;
        let lanes = |numbers: &[f32; RAYS]| F32Lanes::load_array(dx.simd, *numbers);
        let mut beams = Beams { origin: *direction, direction: *direction };
        for (k, [x, y, z]) in self.turn.iter().enumerate() {
            beams.origin[k] = lanes(&self.origin[k]);
            beams.direction[k] = dx * lanes(x) + dy * lanes(y) + dz * lanes(z);
        }
        beams
    }
}

/// Frames of the instances that were tested by packets with equal start points and times.
#[derive(Clone, Debug, Default)]
pub struct MovingFrames<'a> {
    /// Set that the frames belong to.
    instances: Option<&'a InstanceSet>,
    /// Start points and times that the frames are valid for.
    origin: [[f64; RAYS]; 3],
    moment: [f64; RAYS],
    count: usize,
    /// By instance: 0 before its first test, else 1 + the index of its frame.
    frame_of: Vec<u32>,
    frames: Vec<MovingFrame>,
}

impl<'a> MovingFrames<'a> {
    /// Keeps the frames if set, start points and times match the packet; otherwise clears them.
    pub(super) fn follow(&mut self, packet: &Packet, instances: &'a InstanceSet) {
        let Packet { origin, moment, count, .. } = packet;
        let same = self.instances.is_some_and(|own| std::ptr::eq(own, instances));
        if same && (&self.origin, &self.moment, &self.count) == (origin, moment, count) {
            return;
        }
        self.instances = Some(instances);
        (self.origin, self.moment, self.count) = (*origin, *moment, *count);
        self.frames.clear();
        self.frame_of.clear();
        self.frame_of.resize(instances.len(), 0);
    }

    /// Returns the frame of the instance at index `place`, for the packet last passed to `follow`.
    #[inline(always)]
    pub(super) fn frame_of(
        &mut self,
        place: usize,
        instance: &Instance,
        packet: &Packet,
    ) -> &MovingFrame {
        if self.frame_of[place] == 0 {
            self.frames.push(MovingFrame::new(instance, packet));
            self.frame_of[place] = self.frames.len() as u32;
        }
        &self.frames[self.frame_of[place] as usize - 1]
    }
}
