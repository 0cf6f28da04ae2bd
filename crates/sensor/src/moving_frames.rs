//! Frames of what moves, each at the moments of the rays of a packet.
//!
//! A lidar fires a column of beams at a time, and beam by beam the rays of some columns go
//! together: places and moments are those of the columns, the same for every beam. So what
//! moves is put where it was at each of these moments once, not beam by beam.

use super::bvh::Beams;
use super::packet::{Packet, RAYS, Simd, Wide};
use super::scene::{Instance, InstanceSet, along, between, rows};
use fearless_simd::prelude::*;

/// A mesh's frame at the moment of each ray of a packet.
#[derive(Clone, Debug)]
pub(super) struct MovingFrame {
    /// Where the rays start in it.
    origin: [[f32; RAYS]; 3],
    /// Rows of the matrices from the world's axes to its own.
    turn: [[[f32; RAYS]; 3]; 3],
}

impl MovingFrame {
    /// That of `instance`, a ray at a time in double precision, as a ray alone would have it.
    pub fn new(instance: &Instance, packet: &Packet) -> MovingFrame {
        let mut frame = MovingFrame { origin: [[0.0; RAYS]; 3], turn: [[[0.0; RAYS]; 3]; 3] };
        let [x, y, z] = &packet.origin;
        for lane in 0..packet.count {
            let pose = between(&instance.poses, packet.moment[lane]);
            let turn = rows(&pose.orientation, instance.scale);
            let at = pose.position;
            let from = [x[lane] - at.x, y[lane] - at.y, z[lane] - at.z];
            for (k, row) in turn.iter().enumerate() {
                frame.origin[k][lane] = along(row, &from) as f32;
                for (axis, part) in row.iter().enumerate() {
                    frame.turn[k][axis][lane] = *part as f32;
                }
            }
        }
        frame
    }

    /// The rays of these directions, world, in it.
    #[inline(always)]
    pub fn beams<S: Simd>(&self, direction: &[Wide<S>; 3]) -> Beams<S> {
        let [dx, dy, dz] = *direction;
        let lanes = |numbers: &[f32; RAYS]| Wide::load_array(dx.simd, *numbers);
        let mut beams = Beams { origin: *direction, direction: *direction };
        for (k, [x, y, z]) in self.turn.iter().enumerate() {
            beams.origin[k] = lanes(&self.origin[k]);
            beams.direction[k] = dx * lanes(x) + dy * lanes(y) + dz * lanes(z);
        }
        beams
    }
}

/// Frames of the instances that packets have come to which share places and moments.
#[derive(Clone, Debug, Default)]
pub struct MovingFrames<'a> {
    /// Whose frames they are.
    instances: Option<&'a InstanceSet>,
    /// Places and moments that they are for.
    origin: [[f64; RAYS]; 3],
    moment: [f64; RAYS],
    count: usize,
    /// By instance: 0 where packets have not come to it, else 1 + the index of its frame.
    frame_of: Vec<u32>,
    frames: Vec<MovingFrame>,
}

impl<'a> MovingFrames<'a> {
    /// Keeps the frames if they are those of these instances for the packet's rays; else begins anew.
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

    /// The frame of the instance at `place`, for a packet that is followed.
    #[inline(always)]
    pub(super) fn of(
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
