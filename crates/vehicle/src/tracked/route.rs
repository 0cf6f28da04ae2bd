//! The route of a band: over the sprocket, under the road wheels, around the idler.
//!
//! The route is that of the pins in the plane of the track, x forward and z up. Its direction is
//! that of the shoes when the vehicle drives forward: down the front of the sprocket, rearward
//! along the ground, up behind the idler and forward on top.

use crate::spec::{Track, TrackedSpec};
use bekker_math::numeric::{asin, atan2, hypot};
use std::f64::consts::{PI, TAU};

/// Number of nodes of the band between two road wheels.
const BETWEEN: usize = 3;
/// Number of nodes between an end road wheel's arc and the sprocket or idler.
const AHEAD: usize = 2;

/// Number of polygon edges that replace an arc.
const ARC: usize = 180;

/// A point in the track's plane: x, z, m.
pub(super) type BeltPoint = [f64; 2];

/// A circle around which the pins move.
#[derive(Clone, Copy, Debug)]
struct PinCircle {
    center: BeltPoint,
    radius: f64,
}

impl PinCircle {
    /// Points of the circle's arc between two positions in the track's direction, without the last.
    fn arc(&self, from: BeltPoint, to: BeltPoint) -> Vec<BeltPoint> {
        let [first, last] =
            [from, to].map(|at| atan2(at[1] - self.center[1], at[0] - self.center[0]));
        let turn = (first - last) - TAU * ((first - last) / TAU).floor();
        let point = |k: usize| {
            let (s, c) = bekker_math::numeric::sin_cos(first - turn * k as f64 / ARC as f64);
            [self.center[0] + self.radius * c, self.center[1] + self.radius * s]
        };
        (0..ARC).map(point).collect()
    }
}

/// A straight section that is an outer tangent of two circles.
#[derive(Clone, Copy, Debug)]
struct OuterTangent {
    from: BeltPoint,
    to: BeltPoint,
    /// Direction of the outward normal, rad.
    normal: f64,
}

impl OuterTangent {
    fn new(a: PinCircle, b: PinCircle) -> OuterTangent {
        let (dx, dz) = (b.center[0] - a.center[0], b.center[1] - a.center[1]);
        let normal = atan2(dx, -dz) - asin((a.radius - b.radius) / hypot(dx, dz));
        let (sine, cosine) = bekker_math::numeric::sin_cos(normal);
        let touch = |c: PinCircle| [c.center[0] + c.radius * cosine, c.center[1] + c.radius * sine];
        OuterTangent { from: touch(a), to: touch(b), normal }
    }

    fn length(&self) -> f64 {
        distance(self.from, self.to)
    }
}

/// Length of the arc of a circle between two straight sections, m.
fn arc(before: &OuterTangent, after: &OuterTangent, radius: f64) -> f64 {
    let turn = before.normal - after.normal;
    radius * (turn - TAU * (turn / TAU).floor())
}

/// A node of the band under the vehicle.
#[derive(Clone, Copy, Debug)]
pub(super) struct BandStation {
    /// Position in the design position.
    pub point: BeltPoint,
    /// Road wheel that rolls on the node.
    pub wheel: Option<usize>,
}

/// The route in the design position.
#[derive(Clone, Debug)]
pub(super) struct TrackRoute {
    /// Point where the band leaves the sprocket.
    pub front: BeltPoint,
    /// Nodes from the front to the rear.
    pub stations: Vec<BandStation>,
    /// Point where the band reaches the idler.
    pub rear: BeltPoint,
    /// Point where the band leaves the idler, on top.
    pub top_rear: BeltPoint,
    /// Point where the band reaches a part fixed to the hull: the rearmost supporting return
    /// roller, or the sprocket.
    pub top_hull: BeltPoint,
    /// Point where the band returns to the sprocket.
    pub top_front: BeltPoint,
    /// Length from `top_hull` to `top_front`, over the rollers, m.
    pub over_rollers: f64,
    /// Length of the arc around the sprocket, m.
    pub sprocket_arc: f64,
    /// Length of the arc around the idler, m.
    pub idler_arc: f64,
    sprocket: PinCircle,
    idler: PinCircle,
    /// Supporting return rollers from the rear, with the points where the band reaches and leaves
    /// them.
    rollers: Vec<(PinCircle, [BeltPoint; 2])>,
}

/// The upper run from the idler to the sprocket over the supporting rollers: straight sections and
/// the circles between them.
///
/// Rollers are ordered from the rear. A roller below the taut band supports nothing and is left
/// out.
fn upper_run(
    idler: PinCircle,
    rollers: &[PinCircle],
    sprocket: PinCircle,
) -> (Vec<OuterTangent>, Vec<PinCircle>) {
    let (mut circles, mut stretches) = (vec![idler], Vec::<OuterTangent>::new());
    for &next in rollers.iter().chain([&sprocket]) {
        let mut stretch = OuterTangent::new(circles[circles.len() - 1], next);
        while let Some(before) = stretches.last() {
            let turn = before.normal - stretch.normal;
            if turn - TAU * (turn / TAU).floor() < PI {
                break;
            }
            stretches.pop();
            circles.pop();
            stretch = OuterTangent::new(circles[circles.len() - 1], next);
        }
        stretches.push(stretch);
        circles.push(next);
    }
    circles.pop();
    (stretches, circles.split_off(1))
}

impl TrackRoute {
    /// Returns the route with the idler's center at `idler_x`.
    pub fn new(spec: &TrackedSpec, track: &Track, idler_x: f64) -> TrackRoute {
        TrackRoute::with_radii(
            spec,
            track,
            idler_x,
            [spec.pitch_radius(), spec.idler.radius + spec.shoe.top],
        )
    }

    /// Returns the route with these radii of the pins at the sprocket and the idler, m.
    pub fn with_radii(
        spec: &TrackedSpec,
        track: &Track,
        idler_x: f64,
        radii: [f64; 2],
    ) -> TrackRoute {
        let top = spec.shoe.top;
        let [x, _, z] = spec.sprocket.position;
        let sprocket = PinCircle { center: [x, z], radius: radii[0] };
        let idler = PinCircle { center: [idler_x, spec.idler.position[2]], radius: radii[1] };
        let run = spec.road_wheel.radius + top;
        let wheel = |x: f64| PinCircle { center: [x, spec.wheel_height], radius: run };
        let stations = &track.stations;
        let last = stations.len() - 1;
        let down = OuterTangent::new(sprocket, wheel(stations[0]));
        let up = OuterTangent::new(wheel(stations[last]), idler);
        let returning = spec.return_roller.iter().flat_map(|own| {
            let circle =
                move |&x: &f64| PinCircle { center: [x, own.height], radius: own.radius + top };
            track.return_rollers.iter().rev().map(circle)
        });
        let (runs, held) = upper_run(idler, &returning.collect::<Vec<_>>(), sprocket);
        let (back, home) = (runs[0], runs[runs.len() - 1]);
        let wraps = held.iter().zip(runs.windows(2));
        let over_rollers = wraps
            .clone()
            .map(|(own, pair)| arc(&pair[0], &pair[1], own.radius) + pair[1].length())
            .sum();
        let rollers = wraps.map(|(own, pair)| (*own, [pair[0].to, pair[1].from])).collect();
        let ground = spec.wheel_height - run;

        let mut nodes = Vec::new();
        let stretch = |from: BeltPoint, to: BeltPoint, count: usize| -> Vec<BandStation> {
            (1..=count)
                .map(|k| {
                    let s = k as f64 / (count + 1) as f64;
                    let point = [from[0] + s * (to[0] - from[0]), from[1] + s * (to[1] - from[1])];
                    BandStation { point, wheel: None }
                })
                .collect()
        };
        nodes.append(&mut stretch(down.from, down.to, AHEAD));
        nodes.push(BandStation { point: down.to, wheel: Some(0) });
        for (index, &x) in stations.iter().enumerate() {
            nodes.push(BandStation { point: [x, ground], wheel: Some(index) });
            if index < last {
                nodes.append(&mut stretch([x, ground], [stations[index + 1], ground], BETWEEN));
            }
        }
        nodes.push(BandStation { point: up.from, wheel: Some(last) });
        nodes.append(&mut stretch(up.from, up.to, AHEAD));
        TrackRoute {
            front: down.from,
            stations: nodes,
            rear: up.to,
            top_rear: back.from,
            top_hull: back.to,
            top_front: home.to,
            over_rollers,
            sprocket_arc: arc(&home, &down, sprocket.radius),
            idler_arc: arc(&up, &back, idler.radius),
            sprocket,
            idler,
            rollers,
        }
    }

    /// Returns the points of the lower run from the sprocket to the idler, including the ends.
    pub fn points(&self) -> Vec<BeltPoint> {
        let nodes = self.stations.iter().map(|station| station.point);
        std::iter::once(self.front).chain(nodes).chain([self.rear]).collect()
    }

    /// Returns the whole loop as a polygon that starts where the band reaches the sprocket.
    pub fn outline(&self) -> Vec<BeltPoint> {
        let lower = self.points();
        let mut outline = self.sprocket.arc(self.top_front, self.front);
        outline.extend_from_slice(&lower[..lower.len() - 1]);
        outline.append(&mut self.idler.arc(self.rear, self.top_rear));
        outline.push(self.top_rear);
        for (roller, [from, to]) in &self.rollers {
            outline.append(&mut roller.arc(*from, *to));
            outline.push(*to);
        }
        outline
    }

    /// Returns the length of the upper run from the idler to the first part fixed to the hull, m.
    pub fn top_length(&self) -> f64 {
        distance(self.top_rear, self.top_hull)
    }

    /// Returns the length of the whole loop, m.
    pub fn length(&self) -> f64 {
        let lower: f64 = self.points().windows(2).map(|pair| distance(pair[0], pair[1])).sum();
        lower + self.idler_arc + self.top_length() + self.over_rollers + self.sprocket_arc
    }

    /// Returns the route in equilibrium of band tension and tensioner.
    ///
    /// `stiffness` is the force per strain of the band, N. The second result is the displacement of
    /// the idler to the rear from its position in the file, m.
    pub fn in_equilibrium(spec: &TrackedSpec, track: &Track, stiffness: f64) -> (TrackRoute, f64) {
        let idler = &spec.idler;
        let free = f64::from(track.shoes) * spec.shoe.pitch;
        let at = |back: f64| TrackRoute::new(spec, track, idler.position[0] - back);
        let tension = |route: &TrackRoute| (stiffness * (route.length() - free) / free).max(0.0);
        let surplus = |back: f64| {
            let route = at(back);
            // both runs pull the idler forward, in proportion to the growth of the loop
            let growth = (at(back + 1e-4).length() - at(back - 1e-4).length()) / 2e-4;
            idler.force(back) - tension(&route) * growth
        };
        let (mut low, mut high) = (-0.5, 0.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if surplus(middle) > 0.0 { low = middle } else { high = middle }
        }
        (at(low), low)
    }
}

pub(super) fn distance(a: BeltPoint, b: BeltPoint) -> f64 {
    hypot(b[0] - a[0], b[1] - a[1])
}

impl crate::spec::Idler {
    /// Force of the tensioner towards the rear with the idler `back` m behind its position in the
    /// file, N.
    pub(super) fn force(&self, back: f64) -> f64 {
        self.preload + self.stiffness * (self.compression - back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(x: f64, z: f64, radius: f64) -> PinCircle {
        PinCircle { center: [x, z], radius }
    }

    /// One roller of radius r, d above two wheels of radius R, at a distance a from each.
    ///
    /// The length is twice the tangent √(a² + d² - (R - r)²), plus the arc around the roller
    /// between both tangents.
    #[test]
    fn a_roller_lifts_the_upper_run_as_geometry_has_it() {
        let (big, small, apart, up) = (0.3, 0.1, 2.0, 0.4);
        let ends = [circle(-4.0, 0.0, big), circle(0.0, 0.0, big)];
        let (runs, held) = upper_run(ends[0], &[circle(-2.0, up, small)], ends[1]);
        assert_eq!((runs.len(), held.len()), (2, 1));
        let tangent = (apart * apart + up * up - (big - small) * (big - small)).sqrt();
        let rise = (up / apart).atan() - ((big - small) / apart.hypot(up)).asin();
        for run in &runs {
            // rounding of a few meters
            assert!((run.length() - tangent).abs() < 1e-12, "{}", run.length());
        }
        let round = arc(&runs[0], &runs[1], small);
        assert!((round - small * 2.0 * rise).abs() < 1e-12, "{round}, not {}", small * 2.0 * rise);
    }

    #[test]
    fn rollers_below_the_run_do_not_hold_it() {
        let ends = [circle(-4.0, 0.0, 0.3), circle(0.0, 0.0, 0.3)];
        let straight = OuterTangent::new(ends[0], ends[1]);
        let low = [circle(-3.0, 0.15, 0.1), circle(-1.0, -0.1, 0.1)];
        let (runs, held) = upper_run(ends[0], &low, ends[1]);
        assert_eq!((runs.len(), held.len()), (1, 0));
        assert_eq!((runs[0].from, runs[0].to), (straight.from, straight.to));
        // a roller between two higher ones is left out; the higher ones remain
        let rollers = [circle(-3.0, 0.4, 0.1), circle(-2.0, 0.35, 0.1), circle(-1.0, 0.4, 0.1)];
        let (_, held) = upper_run(ends[0], &rollers, ends[1]);
        assert_eq!(held.iter().map(|own| own.center[0]).collect::<Vec<_>>(), [-3.0, -1.0]);
    }
}
