//! What the contact asks of a body's shape.

use bekker_math::numeric::{Lanes, Simd, Where};
use bekker_math::spatial::{Twist, Vec3};

/// The lowest points of a body on four vertical lines.
#[derive(Clone, Copy, Debug)]
pub struct UndersidePoints<S: Simd> {
    /// Their heights, m.
    pub height: Lanes<S>,
    /// Slopes (∂z/∂x, ∂z/∂y) of the underside there.
    pub slope: [Lanes<S>; 2],
    /// Parts of the nodes' cells that the body covers, 0..1. From one half on,
    /// a line itself meets the body; at zero the rest means nothing.
    pub coverage: Lanes<S>,
    /// Where on it they are, for a body that gives way to find again; else of no meaning.
    pub place: Lanes<S>,
}

/// A loaded patch that several bodies press together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedPatch {
    /// Its width in Bekker's sense, m.
    pub width: f64,
    /// Its length along the heading, m.
    pub length: f64,
    /// Which way it lies.
    pub heading: Vec3,
}

/// A body over the ground, placed in the world.
pub trait Footprint {
    /// Whether it gives way, so that what the ground does at each node is to be kept.
    const DEFORMS: bool = false;

    /// The point about which its load is given, m.
    fn centre(&self) -> Vec3;

    /// Bounds `[x_min, y_min, x_max, y_max]` of what may touch the ground, m;
    /// they may be narrower once the body has been clipped.
    fn bounds(&self) -> [f64; 4];

    /// Tells that no ground rises above `ceiling` m, so that rows may shrink.
    fn clip(&mut self, ceiling: f64);

    /// The stretch of the row at `y` in which the body may touch the ground, m.
    fn row(&self, y: f64) -> Option<[f64; 2]>;

    /// Where the points (`x`, `y`, `z`) may lie above the underside: nowhere that
    /// it does not hold.
    fn near<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> Where<S>;

    /// The body's lowest points over four points (x, y).
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S>;

    /// Upward unit normals of the underside at four offsets `r` from the centre, where
    /// its slopes are `slope`: of what the cells of the nodes stand for, if that is
    /// more than their middles.
    #[inline(always)]
    fn normal<S: Simd>(
        &self,
        _r: &[Lanes<S>; 3],
        slope: &[Lanes<S>; 2],
        _sinkage: Lanes<S>,
    ) -> [Lanes<S>; 3] {
        let [x, y] = *slope;
        let steepness = 1.0 / (x * x + y * y + 1.0).sqrt();
        [-x * steepness, -y * steepness, steepness]
    }

    /// The axis about which a turn leaves the shape where it is.
    fn spin_axis(&self) -> Option<Vec3>;

    /// Arms about the centre by which its spin moves its material at the offsets `r`, where
    /// its upward normals are `n`, and takes up forces along it.
    #[inline(always)]
    fn rolling_arm<S: Simd>(&self, r: &[Lanes<S>; 3], _n: &[Lanes<S>; 3]) -> [Lanes<S>; 3] {
        *r
    }

    /// Speed of the rim against the centre, m/s; zero for what does not roll.
    fn rim_speed(&self, twist: &Twist) -> f64;

    /// The loaded patch where the body shares it with its neighbours, as the
    /// shoes of a track do; otherwise it is found from the loaded nodes.
    fn shared_patch(&self) -> Option<SharedPatch> {
        None
    }
}
