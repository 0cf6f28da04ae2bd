//! The underside of a track shoe: pads, grousers and ends as flat faces.

use super::footprint::{CellCover, Footprint, SharedPatch, UndersidePoints};
use bekker_math::numeric::{LaneMask, Lanes, Simd};
use bekker_math::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// A flat face of a shoe's underside, level in the shoe's frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShoeOutlineFace {
    /// Its middle in the shoe's frame, m; z is the height of the face.
    pub center: [f64; 3],
    /// Length along x, m.
    pub length: f64,
    /// Width along y, m.
    pub width: f64,
}

/// Outline of a shoe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShoeOutline {
    /// Its faces.
    pub faces: Vec<ShoeOutlineFace>,
    /// Width b in Bekker's equation of the patch that the shoe shares with its neighbors, m.
    pub patch_width: f64,
    /// Length of that patch along the track, m.
    pub patch_length: f64,
}

impl ShoeOutline {
    /// Returns half the length and half the width of the area that the faces cover, m.
    fn reach(&self) -> [f64; 2] {
        let far = |axis: usize, size: fn(&ShoeOutlineFace) -> f64| {
            let reach = |face: &ShoeOutlineFace| face.center[axis].abs() + 0.5 * size(face);
            self.faces.iter().map(reach).fold(0.0, f64::max)
        };
        [far(0, |face| face.length), far(1, |face| face.width)]
    }

    /// Returns the depth of the lowest face below the shoe's origin, m.
    pub fn depth(&self) -> f64 {
        self.faces.iter().map(|face| -face.center[2]).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A shoe in the world, over nodes of the given spacing.
#[derive(Clone, Copy, Debug)]
pub struct PlacedShoe<'a> {
    outline: &'a ShoeOutline,
    pose: &'a Pose,
    x_axis: Vec3,
    y_axis: Vec3,
    slope: [f64; 2],
    /// Components, in the axes of the shoe's plane, of a unit step along x and y of the ground.
    along: [f64; 2],
    across: [f64; 2],
    bounds: [f64; 4],
    cells: [f64; 2],
    lowest: f64,
    /// 1 / (vertical component of the shoe's normal).
    steepness: f64,
    /// Height of the plane of the lowest face above the shoe's origin, m.
    deepest: f64,
    hidden: bool,
}

impl<'a> PlacedShoe<'a> {
    /// Places a shoe in the world.
    pub fn new(outline: &'a ShoeOutline, pose: &'a Pose, spacing: f64) -> PlacedShoe<'a> {
        let [x_axis, y_axis, normal] =
            [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| pose.direction(&axis));
        let [a, b] = outline.reach();
        let depth = outline.depth();
        let reach = |i: usize| {
            a * x_axis[i].abs() + b * y_axis[i].abs() + depth.abs() * normal[i].abs() + spacing
        };
        let (x, y) = (reach(0), reach(1));
        let center = &pose.position;
        let hidden = normal.z < 0.1;
        let steepness = if hidden { 0.0 } else { 1.0 / normal.z };
        let slope = if hidden { [0.0; 2] } else { [-normal.x / normal.z, -normal.y / normal.z] };
        PlacedShoe {
            outline,
            pose,
            slope,
            along: [x_axis.x + x_axis.z * slope[0], x_axis.y + x_axis.z * slope[1]],
            across: [y_axis.x + y_axis.z * slope[0], y_axis.y + y_axis.z * slope[1]],
            bounds: [center.x - x, center.y - y, center.x + x, center.y + y],
            cells: [x_axis, y_axis].map(|axis| 1.0 / (spacing * (axis.x.abs() + axis.y.abs()))),
            lowest: center.z - a * x_axis.z.abs() - b * y_axis.z.abs() - depth,
            steepness,
            deepest: -depth * steepness,
            x_axis,
            y_axis,
            hidden,
        }
    }
}

impl Footprint for PlacedShoe<'_> {
    fn center(&self) -> Vec3 {
        self.pose.position
    }

    fn bounds(&self) -> [f64; 4] {
        self.bounds
    }

    fn clip(&mut self, ceiling: f64) {
        self.hidden |= self.lowest > ceiling;
    }

    #[inline]
    fn row(&self, _y: f64) -> Option<[f64; 2]> {
        (!self.hidden).then_some([self.bounds[0], self.bounds[2]])
    }

    /// The plane of the lowest face bounds the underside.
    #[inline(always)]
    fn may_touch<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> LaneMask<S> {
        let center = &self.pose.position;
        let edge = center.z + self.deepest + self.slope[1] * (y - center.y);
        z.ge(edge + self.slope[0] * (x - center.x))
    }

    /// Where faces of several heights share a node's cell, the height is their mean by coverage.
    #[inline(always)]
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S> {
        let simd = x.simd();
        let (u, v) = (x - self.pose.position.x, y - self.pose.position.y);
        let plane = self.slope[0] * u + self.slope[1] * v;
        let (mut covered, mut height) = (Lanes::zero(simd), Lanes::zero(simd));
        let (p, q) =
            (self.along[0] * u + self.along[1] * v, self.across[0] * u + self.across[1] * v);
        for face in &self.outline.faces {
            let drop = face.center[2] * self.steepness;
            let part = |place: Lanes<S>, center: f64, size: f64, cells: f64| {
                (0.5 + (0.5 * size - (place - center).abs()) * cells).max(0.0).min(1.0)
            };
            let lean = [self.x_axis.z, self.y_axis.z].map(|axis| axis * drop);
            let share = part(p + lean[0], face.center[0], face.length, self.cells[0])
                * part(q + lean[1], face.center[1], face.width, self.cells[1]);
            covered += share;
            height += share * drop;
        }
        UndersidePoints {
            height: self.pose.position.z + plane + height / covered,
            slope: self.slope.map(|slope| Lanes::new(simd, slope)),
            coverage: covered.min(1.0),
            on_body: Lanes::zero(simd),
            cover: CellCover::at_nodes(simd),
        }
    }

    fn spin_axis(&self) -> Option<Vec3> {
        None
    }

    fn rim_speed(&self, _twist: &Twist) -> f64 {
        0.0
    }

    fn shared_patch(&self) -> Option<SharedPatch> {
        let ShoeOutline { patch_width: width, patch_length: length, .. } = *self.outline;
        Some(SharedPatch { width, length, heading: self.x_axis })
    }
}
