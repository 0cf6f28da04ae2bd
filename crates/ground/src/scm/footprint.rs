//! Interface of a body's shape to the contact.

use bekker_math::numeric::{LaneMask, Lanes, Simd, WIDTH};
use bekker_math::spatial::{Twist, Vec3};

/// Lowest points of a body on four vertical lines.
#[derive(Clone, Copy, Debug)]
pub struct UndersidePoints<S: Simd> {
    /// Heights, m.
    pub height: Lanes<S>,
    /// Slopes (∂z/∂x, ∂z/∂y) of the underside there.
    pub slope: [Lanes<S>; 2],
    /// Fractions of the nodes' cells that the body covers, 0..1. From 0.5 the line itself meets the
    /// body; at 0 the other fields are undefined.
    pub coverage: Lanes<S>,
    /// Positions on a flexible body, in its own coordinates; unused by rigid bodies.
    pub on_body: Lanes<S>,
    /// Tread over the cells of the nodes; undefined for rigid bodies.
    pub cover: CellCover<S>,
}

/// Tread of a tire over the covered parts of four nodes' cells.
#[derive(Clone, Copy, Debug)]
pub struct CellCover<S: Simd> {
    /// Horizontal offsets from the nodes to the middles of the parts, m.
    pub offset: [Lanes<S>; 2],
    /// Mean radii, m.
    pub radius: Lanes<S>,
    /// Radii less their means at the ends towards the middle of the tread, m.
    pub inner: Lanes<S>,
    /// Radii less their means at the ends towards the edge, m.
    pub outer: Lanes<S>,
    /// Reciprocal widths, 1/m; negative to the right of the middle.
    pub inverse_width: Lanes<S>,
    /// Increase of depth with the radius.
    pub down: Lanes<S>,
    /// Shares of the strips of a belt, by lane.
    pub strips: [[f64; 4]; WIDTH],
}

impl<S: Simd> CellCover<S> {
    /// Returns the tread at the nodes themselves.
    #[inline(always)]
    pub fn at_nodes(simd: S) -> CellCover<S> {
        let zero = Lanes::zero(simd);
        CellCover {
            offset: [zero; 2],
            radius: zero,
            inner: zero,
            outer: zero,
            inverse_width: zero,
            down: zero,
            strips: [[0.0; 4]; WIDTH],
        }
    }
}

/// Depth of a tire in the soil over four nodes' cells.
#[derive(Clone, Copy, Debug)]
pub struct CellDepth<S: Simd> {
    /// Depths at the mean radii, m.
    pub mean: Lanes<S>,
    /// Additional depths at which the pressure, continued with its slope, would vanish, m.
    pub more: Lanes<S>,
    /// Means of their sums over the parts in the soil, times these parts, m.
    pub support: Lanes<S>,
}

impl<S: Simd> CellDepth<S> {
    /// Returns the depth of a body whose pressure grows linearly.
    #[inline(always)]
    pub fn linear(sinkage: Lanes<S>) -> CellDepth<S> {
        CellDepth { mean: sinkage, more: Lanes::zero(sinkage.simd()), support: sinkage }
    }
}

/// A loaded patch that several bodies share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedPatch {
    /// Width b in Bekker's equation, m.
    pub width: f64,
    /// Length along the heading, m.
    pub length: f64,
    /// Direction of its length.
    pub heading: Vec3,
}

/// A body over the ground, placed in the world.
pub trait Footprint {
    /// Whether the body is flexible, so that the reaction of the soil at each node is stored.
    const DEFORMS: bool = false;

    /// Returns the point about which its load is given, m.
    fn center(&self) -> Vec3;

    /// Returns the bounds `[x_min, y_min, x_max, y_max]` of the part that may touch the ground, m;
    /// they may be narrower after [`clip`](Footprint::clip).
    fn bounds(&self) -> [f64; 4];

    /// Narrows the rows, given that no ground is higher than `ceiling` m.
    fn clip(&mut self, ceiling: f64);

    /// Returns the interval of the row at `y` in which the body may touch the ground, m.
    fn row(&self, y: f64) -> Option<[f64; 2]>;

    /// Returns where the points (`x`, `y`, `z`) may be above the underside; points where it is
    /// false are certainly below.
    fn may_touch<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> LaneMask<S>;

    /// Returns the body's lowest points over four points (x, y).
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S>;

    /// Returns upward unit normals of the underside at four offsets `r` from the center, given its
    /// slopes `slope`. A body may return means over the cells of the nodes instead of values at
    /// their middles.
    #[inline(always)]
    fn normal<S: Simd>(
        &self,
        _r: &[Lanes<S>; 3],
        slope: &[Lanes<S>; 2],
        _depth: &CellDepth<S>,
        _cover: &CellCover<S>,
    ) -> [Lanes<S>; 3] {
        let [x, y] = *slope;
        let steepness = 1.0 / (x * x + y * y + 1.0).sqrt();
        [-x * steepness, -y * steepness, steepness]
    }

    /// Returns the axis about which a turn does not change the shape, if any.
    fn spin_axis(&self) -> Option<Vec3>;

    /// Returns the arms about the center by which the spin moves the material at the offsets `r`
    /// and receives torque from forces. `n` are the upward normals.
    #[inline(always)]
    fn rolling_arm<S: Simd>(
        &self,
        r: &[Lanes<S>; 3],
        _n: &[Lanes<S>; 3],
        _cover: &CellCover<S>,
    ) -> [Lanes<S>; 3] {
        *r
    }

    /// Returns the speed of the rim relative to the center, m/s; zero for bodies that do not roll.
    fn rim_speed(&self, twist: &Twist) -> f64;

    /// Returns whether the cover of its cells is known.
    fn is_over_cells(&self) -> bool {
        false
    }

    /// Returns the loaded patch that the body shares with its neighbors, as the shoes of a track
    /// do; otherwise it is found from the loaded nodes.
    fn shared_patch(&self) -> Option<SharedPatch> {
        None
    }
}
