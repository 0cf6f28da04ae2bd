//! Draws a vehicle from the side, from above and from behind as SVG.
//!
//! The drawing shows hull, wheels, hard points and center of mass.

use crate::vehicle::AnySpec;
use crate::vehicle::spec::{Chassis, Point, Suspension, VehicleSpec};
use std::fmt::Write;

/// Pixels per meter; `MARGIN` is the space around a view, m.
const SCALE: f64 = 90.0;
const MARGIN: f64 = 0.5;

/// The drawn parts of a vehicle, in the chassis frame, m.
struct DrawnParts {
    /// Boxes: center and size.
    boxes: Vec<[Point; 2]>,
    /// Wheels: center, radius, width.
    wheels: Vec<(Point, f64, f64)>,
    points: Vec<Point>,
    com: Point,
}

/// The chassis axes that point right and up in a view, with their signs.
#[derive(Clone, Copy)]
struct DrawingView {
    name: &'static str,
    right: SignedAxis,
    up: SignedAxis,
}

/// A chassis axis with its sign.
#[derive(Clone, Copy)]
struct SignedAxis {
    index: usize,
    sign: f64,
}

impl SignedAxis {
    const FRONT: SignedAxis = SignedAxis { index: 0, sign: 1.0 };
    const LEFT: SignedAxis = SignedAxis { index: 1, sign: 1.0 };
    const RIGHT: SignedAxis = SignedAxis { index: 1, sign: -1.0 };
    const UP: SignedAxis = SignedAxis { index: 2, sign: 1.0 };
}

const VIEWS: [DrawingView; 3] = [
    DrawingView { name: "side", right: SignedAxis::FRONT, up: SignedAxis::UP },
    DrawingView { name: "above", right: SignedAxis::FRONT, up: SignedAxis::LEFT },
    DrawingView { name: "behind", right: SignedAxis::RIGHT, up: SignedAxis::UP },
];

/// Returns the three views as SVG text.
pub(super) fn views(spec: &AnySpec) -> String {
    let parts = parts(spec);
    let mut corners: Vec<Point> = Vec::new();
    for [center, size] in &parts.boxes {
        corners.push([0, 1, 2].map(|k| center[k] - 0.5 * size[k]));
        corners.push([0, 1, 2].map(|k| center[k] + 0.5 * size[k]));
    }
    for (center, radius, width) in &parts.wheels {
        let half = [*radius, 0.5 * width, *radius];
        corners.push([0, 1, 2].map(|k| center[k] - half[k]));
        corners.push([0, 1, 2].map(|k| center[k] + half[k]));
    }
    let bound = |k: usize, pick: fn(f64, f64) -> f64| {
        corners.iter().map(|corner| corner[k]).reduce(pick).unwrap_or_default()
    };
    let low = [0, 1, 2].map(|k| bound(k, f64::min));
    let high = [0, 1, 2].map(|k| bound(k, f64::max));
    let size = [0, 1, 2].map(|k| high[k] - low[k] + 2.0 * MARGIN);
    // the side view is above the top view, the rear view next to the side view
    let origins = [[0.0, 0.0], [0.0, size[2]], [size[0], 0.0]];
    let (width, height) = (SCALE * (size[0] + size[1]), SCALE * (size[2] + size[1]));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n"
    );
    for (view, [x0, y0]) in VIEWS.into_iter().zip(origins) {
        let place = |point: &Point| {
            let along = |SignedAxis { index, sign }: SignedAxis| {
                if sign > 0.0 { point[index] - low[index] } else { high[index] - point[index] }
            };
            let down = size[view.up.index] - 2.0 * MARGIN - along(view.up);
            [SCALE * (x0 + MARGIN + along(view.right)), SCALE * (y0 + MARGIN + down)]
        };
        draw(&mut svg, view, &parts, place);
        let (x, y) = (SCALE * (x0 + 0.1), SCALE * (y0 + 0.25));
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", view.name);
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw(
    svg: &mut String,
    view: DrawingView,
    parts: &DrawnParts,
    place: impl Fn(&Point) -> [f64; 2],
) {
    let mut rectangle = |center: &Point, size: &Point, style: &str| {
        let [x, y] = place(center);
        let (width, height) = (SCALE * size[view.right.index], SCALE * size[view.up.index]);
        let (x, y) = (x - 0.5 * width, y - 0.5 * height);
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" {style}/>"
        );
    };
    for [center, size] in &parts.boxes {
        rectangle(center, size, "rx=\"8\" fill=\"#c9cdb8\" stroke=\"#555\"");
    }
    for (center, radius, width) in &parts.wheels {
        if view.name != "side" {
            let size = [2.0 * radius, *width, 2.0 * radius];
            rectangle(center, &size, "rx=\"5\" fill=\"#444\" fill-opacity=\"0.7\"");
        }
    }
    for (center, radius, _) in parts.wheels.iter().filter(|_| view.name == "side") {
        let ([x, y], r) = (place(center), SCALE * radius);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"#444\" fill-opacity=\"0.7\"/>"
        );
    }
    for point in &parts.points {
        let [x, y] = place(point);
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.2\" fill=\"#06c\"/>");
    }
    let [x, y] = place(&parts.com);
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {y:.1}h16M{x:.1} {:.1}v16\" stroke=\"#c00\" stroke-width=\"2\"/>",
        x - 8.0,
        y - 8.0
    );
}

fn parts(spec: &AnySpec) -> DrawnParts {
    let (chassis, wheels, points) = match spec {
        AnySpec::Wheeled(own) => (&own.chassis, wheels(own), hard_points(own)),
        AnySpec::Tracked(own) => {
            let mut wheels = Vec::new();
            let width = own.shoe_width();
            for (track, sense) in [(&own.left, 1.0), (&own.right, -1.0)] {
                let y = sense * 0.5 * own.gauge();
                for x in &track.stations {
                    wheels.push(([*x, y, own.wheel_height], own.road_wheel.radius, width));
                }
                let ends = [
                    (own.sprocket.position, own.drive_radius()),
                    (own.idler.position, own.idler.radius),
                ];
                wheels.extend(ends.map(|([x, _, z], radius)| ([x, y, z], radius, width)));
            }
            (&own.chassis, wheels, Vec::new())
        }
    };
    let mut parts = DrawnParts { boxes: boxes(chassis, spec), wheels, points, com: chassis.com };
    if let Some(trailer) = spec.wheeled().and_then(|own| own.trailer.as_ref()) {
        let behind = |[x, y, z]: Point| {
            let [x0, y0, z0] = trailer.coupling;
            [x0 + x, y0 + y, z0 + z]
        };
        let hulls = trailer.chassis.hulls.iter();
        parts.boxes.extend(hulls.map(|hull| [behind(hull.center), hull.size]));
        parts.points.push(trailer.coupling);
    }
    parts
}

/// Returns the collision hulls, or otherwise the footprint with a height of 1 m.
fn boxes(chassis: &Chassis, spec: &AnySpec) -> Vec<[Point; 2]> {
    if !chassis.hulls.is_empty() {
        return chassis.hulls.iter().map(|hull| [hull.center, hull.size]).collect();
    }
    let own = spec.footprint();
    let center = [0.5 * (own.front + own.rear), 0.0, chassis.com[2]];
    vec![[center, [own.length(), own.width, 1.0]]]
}

fn wheels(own: &VehicleSpec) -> Vec<(Point, f64, f64)> {
    let mut wheels = Vec::new();
    for (index, axle) in own.axles.iter().enumerate() {
        let tire = &own.tire_of(index).rigid;
        for center in both(&axle.position, &axle.suspension.spindle()) {
            wheels.push((center, tire.radius(), tire.width()));
        }
    }
    wheels
}

/// Returns a point on an axle's left side and its mirror image, in the chassis frame.
fn both(position: &Point, local: &Point) -> [Point; 2] {
    [1.0, -1.0].map(|mirror| {
        [position[0] + local[0], position[1] + mirror * local[1], position[2] + local[2]]
    })
}

fn hard_points(own: &VehicleSpec) -> Vec<Point> {
    let mut points = Vec::new();
    for axle in &own.axles {
        let locals: Vec<Point> = match &axle.suspension {
            Suspension::DoubleWishbone(s) => {
                let p = &s.points;
                vec![
                    p.upper_arm_front,
                    p.upper_arm_back,
                    p.upper_arm_outer,
                    p.lower_arm_front,
                    p.lower_arm_back,
                    p.lower_arm_outer,
                    p.spring_chassis,
                    p.spring_arm,
                    p.damper_chassis,
                    p.damper_arm,
                    p.tie_rod_chassis,
                    p.tie_rod_upright,
                ]
            }
            Suspension::SingleWishbone(s) => {
                let p = &s.points;
                let arm = [p.arm_front, p.arm_back, p.kingpin_lower, p.kingpin_upper];
                let lines = [p.spring_chassis, p.spring_arm, p.damper_chassis, p.damper_arm];
                [&arm[..], &lines, &[p.tie_rod_chassis, p.tie_rod_upright]].concat()
            }
            Suspension::MacphersonStrut(s) => {
                let p = &s.points;
                let arm = [p.arm_front, p.arm_back, p.arm_outer];
                let strut = [p.strut_chassis, p.strut_upright];
                [&arm[..], &strut, &[p.tie_rod_chassis, p.tie_rod_upright]].concat()
            }
            Suspension::TrailingArm(s) => {
                let p = &s.points;
                vec![p.pivot_inner, p.pivot_outer, p.spring_chassis, p.spring_arm, p.damper_chassis]
            }
            Suspension::SolidAxle(s) => {
                let p = &s.points;
                vec![p.spring_chassis, p.spring_beam, p.damper_chassis, p.damper_beam]
            }
            Suspension::Rigid(_) => vec![],
        };
        points.extend(locals.iter().flat_map(|local| both(&axle.position, local)));
    }
    let links = own.rocker_bogie.iter().flat_map(|own| own.links());
    points.extend(links.flat_map(|link| both(&[0.0; 3], &link.pin)));
    points
}
