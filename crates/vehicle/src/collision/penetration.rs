//! Penetration of a wheel and a box: the minimum translation that separates them.
//!
//! S. Cameron and R. Culley, Determining the minimum translational distance between two convex
//! polyhedra, IEEE Int. Conf. Robotics and Automation 1986. A force along the gradient of the depth
//! that depends on the depth alone conserves energy.

use super::shape::{ExitRule, RoundedBox, RoundedCylinder};
use bekker_math::spatial::Vec3;

/// Greatest bluntness of the edges of a wheel's core, as a tangent.
///
/// It keeps the support point from jumping between edges when the tilt changes its sign.
const BLUNT: f64 = 0.02;
/// Intervals of the quarter circle between two faces in which minima are sought.
const PIECES: u32 = 12;
/// Limit on the iterations of a minimum. They end earlier once the bracket is one rounding wide.
const ROUNDS: u32 = 60;

/// Minimum translation of a wheel out of a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Length of the translation, m; negative where the two are apart.
    pub depth: f64,
    /// Direction of the translation, out of the box.
    pub normal: Vec3,
    /// Contact point on the box's surface, in the box's frame.
    pub point: Vec3,
}

/// A wheel about its center: the Minkowski sum of a flat ellipsoid (the disc), a slender one (the
/// axle) and a ball.
struct WheelCore {
    axle: Vec3,
    disc: f64,
    roll: f64,
    ball: f64,
    blunt2: f64,
}

/// The quarter circle of directions between two orthogonal ones, with a vertex of the box relative
/// to the center of the disc.
struct DirectionArc<'a> {
    disc: &'a WheelCore,
    ends: [Vec3; 2],
    vertex: Vec3,
}

impl WheelCore {
    /// Builds the sum so that its extent at the middle of tread and flanks equals the wheel's.
    fn new(wheel: &RoundedCylinder, axle: Vec3) -> WheelCore {
        let ball = wheel.rounding();
        let [radius, width] = [wheel.radius, wheel.half_width].map(|reach| reach - ball);
        let blunt = BLUNT.min(0.5 * width / radius).min(0.5 * radius / width);
        let long = (1.0 + blunt * blunt).sqrt();
        WheelCore {
            axle,
            disc: radius * long - width * blunt,
            roll: width * long - radius * blunt,
            ball,
            blunt2: blunt * blunt,
        }
    }

    /// Support point of the core: its farthest point in a unit direction.
    fn support_point(&self, direction: &Vec3) -> Vec3 {
        let along = direction.dot(&self.axle);
        let thick = (along * along + self.blunt2).sqrt();
        let wide = ((1.0 - along * along).max(0.0) + self.blunt2).sqrt();
        let axial = self.axle * along;
        (direction * (1.0 + self.blunt2) - axial) * (self.disc / wide)
            + (axial + direction * self.blunt2) * (self.roll / thick)
    }
}

impl DirectionArc<'_> {
    fn direction(&self, share: f64) -> Vec3 {
        (self.ends[0] * (1.0 - share) + self.ends[1] * share).normalize()
    }

    /// A value whose sign and zeros are those of the slope of the depth along the arc.
    fn slope(&self, share: f64) -> f64 {
        let along = self.ends[1] * (1.0 - share) - self.ends[0] * share;
        along.dot(&(self.disc.support_point(&self.direction(share)) + self.vertex))
    }

    /// Finds the directions between the arc's ends at which the depth has a minimum.
    fn minima(&self, mut found: impl FnMut(Vec3)) {
        let mut shares = [0.0; PIECES as usize + 9];
        let (even, near) = shares.split_at_mut(PIECES as usize + 1);
        for (share, piece) in even.iter_mut().zip(0..) {
            *share = f64::from(piece) / f64::from(PIECES);
        }
        // near the normals of tread and flank the slope changes within a small angle
        let [first, last] = self.ends.map(|end| end.dot(&self.disc.axle));
        let tread = first / (first - last);
        let flank = last / (first + last);
        let close = 3.0 * BLUNT;
        let about = |place: f64, way: f64| [place - way, place + way];
        let special =
            [[tread, flank], about(tread, close), about(flank, close), about(flank, 2.0 * close)];
        for (share, place) in near.iter_mut().zip(special.into_iter().flatten()) {
            // 0 / 0 where the axle is orthogonal to the arc
            *share = if place > 0.0 && place < 1.0 { place } else { 0.0 };
        }
        shares.sort_unstable_by(f64::total_cmp);
        let mut before = [0.0, self.slope(0.0)];
        for share in shares {
            let here = [share, self.slope(share)];
            if before[1] < 0.0 && here[1] >= 0.0 {
                found(self.direction(zero(before, here, |share| self.slope(share))));
            }
            before = here;
        }
    }
}

/// Zero of a function that rises through it between two points.
///
/// Regula falsi in the Illinois variant (Dowell and Jarratt, BIT 11 (1971) 168).
fn zero(mut low: [f64; 2], mut high: [f64; 2], value: impl Fn(f64) -> f64) -> f64 {
    let mut last_was_low = None;
    for _ in 0..ROUNDS {
        let place = (low[0] * high[1] - high[0] * low[1]) / (high[1] - low[1]);
        if !(place > low[0] && place < high[0]) {
            break;
        }
        let here = value(place);
        if here == 0.0 {
            return place;
        }
        let is_low = here < 0.0;
        let kept = if is_low { &mut high } else { &mut low };
        if last_was_low == Some(is_low) {
            kept[1] *= 0.5;
        }
        *(if is_low { &mut low } else { &mut high }) = [place, here];
        last_was_low = Some(is_low);
    }
    if -low[1] < high[1] { low[0] } else { high[0] }
}

impl RoundedBox {
    /// Returns the minimum translation of a wheel out of the box.
    ///
    /// `center` and `axle`, a unit vector, are in the box's frame. The result is the direction n at
    /// which n·(X(n) + v) is least. X is the support point of the wheel and v a vertex of the box
    /// relative to the wheel's center. The minimum is at a face's normal, between two faces'
    /// normals along an edge, or at a vertex in the plane of axle and vertex. A wheel whose center
    /// is in the box never leaves by the face opposite to the one that `exit` selects. `None` if
    /// the two are farther apart than their sizes.
    pub fn penetration(
        &self,
        wheel: &RoundedCylinder,
        center: &Vec3,
        axle: &Vec3,
        exit: ExitRule,
    ) -> Option<Penetration> {
        let reach = wheel.radius + wheel.half_width;
        if self.field(center, ExitRule::Any).distance > reach {
            return None;
        }
        let disc = WheelCore::new(wheel, *axle);
        let core = self.half().add_scalar(-self.rounding());
        let is_in = (0..3).all(|axis| center[axis].abs() < self.half()[axis]);
        let entry = match exit {
            ExitRule::Towards(middle) if is_in => self.entry(&middle, center),
            _ => None,
        };
        let beyond = |axis: usize, side: f64| side * core[axis] - center[axis];
        // a face that is farther from the center than the nearest face by this much is never an
        // exit
        let nearest = (core - center.abs()).min().max(0.0);
        let leads_out = |axis: usize, side: f64| {
            entry != Some((axis, -side)) && side * beyond(axis, side) < nearest + 2.0 * reach
        };
        let vertex = |sides: [f64; 3]| Vec3::from_fn(|axis, _| beyond(axis, sides[axis]));
        let mut best: Option<(f64, Vec3)> = None;
        let mut take = |normal: Vec3, vertex: &Vec3| {
            let depth = normal.dot(&(disc.support_point(&normal) + vertex));
            if best.is_none_or(|(least, _)| depth < least) {
                best = Some((depth, normal));
            }
        };
        let faces = || (0..3).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]);
        for (axis, side) in faces().filter(|&(axis, side)| leads_out(axis, side)) {
            let mut normal = Vec3::zeros();
            normal[axis] = side;
            take(normal, &vertex([side; 3]));
            for (other, turn) in
                faces().filter(|&(other, turn)| other > axis && leads_out(other, turn))
            {
                let mut square = Vec3::zeros();
                square[other] = turn;
                let mut sides = [1.0; 3];
                (sides[axis], sides[other]) = (side, turn);
                let edge =
                    DirectionArc { disc: &disc, ends: [normal, square], vertex: vertex(sides) };
                edge.minima(|normal| take(normal, &edge.vertex));
                if axis != 0 || other != 1 {
                    continue;
                }
                for last in [1.0, -1.0].into_iter().filter(|&last| leads_out(2, last)) {
                    sides[2] = last;
                    minima_near_vertex(&disc, sides, vertex(sides), &mut take);
                }
            }
        }
        let (depth, normal) = best?;
        let depth = depth + disc.ball + self.rounding();
        let deepest = center - disc.support_point(&normal) - normal * disc.ball;
        Some(Penetration { depth, normal, point: deepest + normal * depth })
    }
}

/// Finds minima among the outward directions between the three faces of a vertex, on these sides.
fn minima_near_vertex(
    disc: &WheelCore,
    sides: [f64; 3],
    vertex: Vec3,
    take: &mut impl FnMut(Vec3, &Vec3),
) {
    let radial = vertex - disc.axle * vertex.dot(&disc.axle);
    let Some(inward) = radial.try_normalize(1e-9) else { return };
    for axle in [disc.axle, -disc.axle] {
        let arc = DirectionArc { disc, ends: [-inward, axle], vertex };
        arc.minima(|normal| {
            if (0..3).all(|axis| normal[axis] * sides[axis] > 0.0) {
                take(normal, &vertex);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEEL: RoundedCylinder = RoundedCylinder { radius: 0.47, half_width: 0.16 };

    fn chance(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64
    }

    fn direction(seed: &mut u64) -> Vec3 {
        loop {
            let drawn = Vec3::from_fn(|_, _| 2.0 * chance(seed) - 1.0);
            if drawn.norm() < 1.0 && drawn.norm() > 0.1 {
                return drawn.normalize();
            }
        }
    }

    /// Random boxes and wheels that touch or overlap.
    fn cases() -> impl Iterator<Item = (RoundedBox, Vec3, Vec3)> {
        let mut seed = 5;
        (0..400).map(move |_| {
            let size = [0.0; 3].map(|_| 0.1 + 1.5 * chance(&mut seed));
            let solid = RoundedBox::new(size, 0.05);
            let axle = direction(&mut seed);
            let out = direction(&mut seed).component_mul(&(solid.half().add_scalar(0.35)));
            (solid, out * (0.4 + 0.7 * chance(&mut seed)), axle)
        })
    }

    fn depth(solid: &RoundedBox, center: &Vec3, axle: &Vec3) -> f64 {
        solid.penetration(&WHEEL, center, axle, ExitRule::Any).map_or(-9.0, |met| met.depth)
    }

    /// No direction out of twenty thousand gives a smaller depth.
    #[test]
    fn no_translation_is_shorter() {
        for (solid, center, axle) in cases().take(60) {
            let Some(met) = solid.penetration(&WHEEL, &center, &axle, ExitRule::Any) else {
                continue;
            };
            let disc = WheelCore::new(&WHEEL, axle);
            let core = solid.half().add_scalar(-solid.rounding());
            let mut seed = 9;
            for _ in 0..20_000 {
                let out = direction(&mut seed);
                let way = out.dot(&disc.support_point(&out))
                    + disc.ball
                    + solid.rounding()
                    + out.abs().dot(&core)
                    - out.dot(&center);
                assert!(met.depth < way + 1e-9, "{met:?} {out} {way}");
            }
        }
    }

    /// The change of the depth by a small displacement or rotation equals the work of a unit force
    /// at the contact point.
    #[test]
    fn force_is_the_gradient_of_the_depth() {
        let step = 1e-6;
        let mut compared = 0;
        for (solid, center, axle) in cases() {
            let Some(met) = solid.penetration(&WHEEL, &center, &axle, ExitRule::Any) else {
                continue;
            };
            for axis in 0..3 {
                let mut way = Vec3::zeros();
                way[axis] = step;
                let moved = [-1.0, 1.0].map(|sign| depth(&solid, &(center + way * sign), &axle));
                let turned = [-1.0, 1.0].map(|sign| {
                    let axle = nalgebra::Rotation3::new(way * sign) * axle;
                    depth(&solid, &center, &axle)
                });
                let slope = |[before, after]: [f64; 2]| (after - before) / (2.0 * step);
                let arm = met.point - center;
                let torque = arm.cross(&met.normal)[axis];
                // the second difference reveals a change of the exit between the two sides
                let jumps =
                    |[before, after]: [f64; 2]| (before + after - 2.0 * met.depth).abs() > 1e-9;
                if jumps(moved) || jumps(turned) {
                    continue;
                }
                compared += 1;
                assert!((slope(moved) + met.normal[axis]).abs() < 1e-6, "{met:?}");
                assert!((slope(turned) + torque).abs() < 1e-6, "{met:?}");
            }
        }
        assert!(compared > 900, "{compared}");
    }

    /// On every path into a box, as far as its center, the depth changes by no more than the
    /// displacement.
    #[test]
    fn depth_never_jumps() {
        let step = 5e-4;
        for (solid, center, axle) in cases().take(100) {
            let way = (center + axle * 0.3).normalize() * -step;
            let mut last = depth(&solid, &center, &axle);
            for k in 1..1200 {
                let next = depth(&solid, &(center + way * f64::from(k)), &axle);
                let is_met = last > -0.1 && last < WHEEL.radius && next > -0.1;
                assert!(!is_met || (next - last).abs() < 1.001 * step, "{last} {next}");
                last = next;
            }
        }
    }

    /// A wheel on a slab, flank against a wall, and against a ball, compared with its exact shape.
    #[test]
    fn tread_and_flank_are_where_they_are() {
        let slab = RoundedBox::new([8.0, 6.0, 0.3], 0.05);
        let on = Vec3::new(0.3, -0.4, 0.15 + 0.47 - 0.02);
        let met = slab.penetration(&WHEEL, &on, &Vec3::y(), ExitRule::Any).unwrap();
        assert!((met.depth - 0.02).abs() < 1e-12 && (met.normal - Vec3::z()).norm() < 1e-12);
        assert!((met.point - Vec3::new(0.3, -0.4, 0.15)).norm() < 1e-12, "{met:?}");
        let beside = Vec3::new(0.3, 3.0 + 0.16 - 0.01, 0.0);
        let met = slab.penetration(&WHEEL, &beside, &Vec3::y(), ExitRule::Any).unwrap();
        assert!((met.depth - 0.01).abs() < 1e-12 && (met.normal - Vec3::y()).norm() < 1e-12);
        let ball = RoundedBox::new([1.0; 3], 0.5);
        let ahead = Vec3::new(0.5 + 0.47 - 0.03, 0.0, 0.0);
        let met = ball.penetration(&WHEEL, &ahead, &Vec3::y(), ExitRule::Any).unwrap();
        assert!(
            (met.depth - 0.03).abs() < 1e-9 && (met.normal - Vec3::x()).norm() < 1e-6,
            "{met:?}"
        );
    }

    /// A wheel at any depth in a large box leaves by the nearest face.
    #[test]
    fn bodies_far_inside_are_pushed_out() {
        let house = RoundedBox::new([20.0, 20.0, 16.0], 0.05);
        let met = house
            .penetration(&WHEEL, &Vec3::new(0.0, 3.0, 0.0), &Vec3::y(), ExitRule::Any)
            .unwrap();
        assert!((met.normal - Vec3::y()).norm() < 1e-12 && (met.depth - 7.16).abs() < 1e-12);
    }

    /// A wheel whose center is inside a thin wall returns to the side from which it came.
    #[test]
    fn bodies_in_a_wall_are_pushed_back() {
        let wall = RoundedBox::new([0.3, 6.0, 2.0], 0.05);
        let exit = ExitRule::Towards(Vec3::new(2.0, 0.3, 0.1));
        let met = wall.penetration(&WHEEL, &Vec3::new(-0.1, 0.4, 0.0), &Vec3::y(), exit).unwrap();
        assert!((met.normal - Vec3::x()).norm() < 1e-12 && (met.depth - 0.72).abs() < 1e-12);
    }
}
