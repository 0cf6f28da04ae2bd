//! A rigid plate: a bevameter's, or a shoe without its lugs.

use super::footprint::{CellCover, Footprint, UndersidePoints};
use bekker_math::numeric::{LaneMask, Lanes, Simd};
use bekker_math::spatial::{Pose, Twist, Vec3};
use serde::{Deserialize, Serialize};

/// Least upward component of a plate's normal: a plate on edge has no contact.
const EDGE: f64 = 0.05;
/// Margin by which a plate counts as lower in the search for nodes, m: more than rounding.
const SKIN: f64 = 1e-6;

/// Outline of a plate in its own plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlateOutline {
    /// A rectangle of length (along x) and width (along y), m.
    Rectangle {
        /// Length, m.
        length: f64,
        /// Width, m.
        width: f64,
    },
    /// A disc.
    Disc {
        /// Radius, m.
        radius: f64,
    },
}

/// A plate in the world, its outline in the x-y plane of its pose, over nodes
/// of the given spacing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plate {
    outline: PlateOutline,
    pose: Pose,
    normal: Vec3,
    x_axis: Vec3,
    y_axis: Vec3,
    spacing: f64,
}

impl Plate {
    /// Places a plate in the world.
    pub fn placed(outline: PlateOutline, pose: &Pose, spacing: f64) -> Plate {
        Plate {
            outline,
            pose: *pose,
            normal: pose.direction(&Vec3::z()),
            x_axis: pose.direction(&Vec3::x()),
            y_axis: pose.direction(&Vec3::y()),
            spacing,
        }
    }

    fn half_sides(&self) -> [f64; 2] {
        match self.outline {
            PlateOutline::Rectangle { length, width } => [0.5 * length, 0.5 * width],
            PlateOutline::Disc { radius } => [radius, radius],
        }
    }
}

impl Footprint for Plate {
    fn center(&self) -> Vec3 {
        self.pose.position
    }

    fn bounds(&self) -> [f64; 4] {
        let [a, b] = self.half_sides();
        let reach = |ex: f64, ey: f64| a * ex.abs() + b * ey.abs() + self.spacing;
        let x = reach(self.x_axis.x, self.y_axis.x);
        let y = reach(self.x_axis.y, self.y_axis.y);
        let center = &self.pose.position;
        [center.x - x, center.y - y, center.x + x, center.y + y]
    }

    fn clip(&mut self, _ceiling: f64) {}

    fn row(&self, _y: f64) -> Option<[f64; 2]> {
        let [x0, _, x1, _] = self.bounds();
        Some([x0, x1])
    }

    #[inline(always)]
    fn may_touch<S: Simd>(&self, x: Lanes<S>, y: f64, z: Lanes<S>) -> LaneMask<S> {
        let upright = self.normal.z.max(EDGE);
        let [east, north] = [self.normal.x, self.normal.y].map(|part| -part / upright);
        let across = self.pose.position.z + north * (y - self.pose.position.y);
        z.gt((x - self.pose.position.x) * east + (across - SKIN))
    }

    #[inline(always)]
    fn underside<S: Simd>(&self, x: Lanes<S>, y: Lanes<S>) -> UndersidePoints<S> {
        let simd = x.simd();
        let (u, v) = (x - self.pose.position.x, y - self.pose.position.y);
        let slope = [-self.normal.x / self.normal.z, -self.normal.y / self.normal.z];
        let height = slope[0] * u + slope[1] * v;
        let at = |axis: &Vec3| axis.x * u + axis.y * v + axis.z * height;
        let (along, across) = (at(&self.x_axis), at(&self.y_axis));
        let share = |inside: Lanes<S>| (0.5 + inside).max(0.0).min(1.0);
        let covered = |inside: Lanes<S>, axis: &Vec3| {
            share(inside / (self.spacing * (axis.x.abs() + axis.y.abs())))
        };
        let coverage = match self.outline {
            // a plate on edge has no contact
            _ if self.normal.z < EDGE => Lanes::zero(simd),
            PlateOutline::Rectangle { length, width } => {
                covered(0.5 * length - along.abs(), &self.x_axis)
                    * covered(0.5 * width - across.abs(), &self.y_axis)
            }
            PlateOutline::Disc { radius } => {
                let distance = (along * along + across * across).sqrt();
                share((radius - distance) / self.spacing)
            }
        };
        UndersidePoints {
            height: self.pose.position.z + height,
            slope: slope.map(|slope| Lanes::new(simd, slope)),
            coverage,
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
}
