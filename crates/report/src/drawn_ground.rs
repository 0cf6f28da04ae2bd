//! The undisturbed ground on maps: relief tinted by soil, contours with labels, obstacles and axes.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::chart::{AxisScale, round_step};
use super::color::{self, INK, Oklab, Rgb, SECONDARY, WHITE};
use super::relief::{self, HeightField, MapView};
use bekker_agent::{PropForm, PropKind, SceneryObject};
use bekker_ground::soil::Soil;
use bekker_ground::terrain::{FramePlacement, Unit};
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::material::SoilAppearance;

/// A function of the ground at world (x, y), m.
pub type GroundFunction<'a, T> = &'a (dyn Fn(f64, f64) -> T + Sync);

/// Ground to draw.
#[derive(Clone)]
pub struct DrawnGround<'a> {
    /// Height of the undisturbed ground, m.
    pub height: GroundFunction<'a, f64>,
    /// Index into `soils`.
    pub soil: GroundFunction<'a, usize>,
    /// Whether there is no elevation data.
    pub is_gap: GroundFunction<'a, bool>,
    /// Appearance of the soils.
    pub soils: Vec<SoilSign>,
    /// Bounds `[x_min, y_min, x_max, y_max]` of the terrain, m; may be infinite.
    pub bounds: [f64; 4],
    /// Trees, rocks, posts and meshes on the ground.
    pub props: &'a [SceneryObject],
    /// Mapping of local meters to the coordinates of the elevation model.
    pub placement: Option<&'a FramePlacement>,
}

/// Appearance of a soil on maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoilSign {
    /// Its name.
    pub name: String,
    /// Its tint.
    pub tint: Rgb,
}

impl SoilSign {
    /// Returns the appearances of a table of soils.
    ///
    /// Soils with a white surface get tints of snow, all others unobtrusive tints, each in turn.
    pub fn for_soils(soils: &[Soil]) -> Vec<SoilSign> {
        let mut earths = 0..;
        let mut snows = 0..;
        soils
            .iter()
            .map(|soil| {
                let [r, g, b] = SoilAppearance::from_soil(soil).fresh.albedo;
                let white = (r + g + b) / 3.0 > 0.6;
                let tint = if white {
                    color::snow(snows.next().unwrap_or(0))
                } else {
                    color::soil(earths.next().unwrap_or(0))
                };
                SoilSign { name: soil.name.clone(), tint }
            })
            .collect()
    }
}

impl DrawnGround<'_> {
    /// Tint of a soil by its index.
    pub(super) fn tint(&self, soil: usize) -> Rgb {
        self.soils.get(soil).map_or(color::soil(soil), |sign| sign.tint)
    }

    /// Tint of the ground at a point.
    pub(super) fn tint_at(&self, [x, y]: [f64; 2]) -> Rgb {
        self.tint((self.soil)(x, y))
    }

    /// Tints of the soils in Oklab, for [`DrawnGround::oklab_tint_at`].
    pub(super) fn oklab_tints(&self) -> Vec<Oklab> {
        self.soils.iter().map(|sign| Oklab::from_rgb(sign.tint)).collect()
    }

    /// Tint of the ground at a point, from [`DrawnGround::oklab_tints`].
    pub(super) fn oklab_tint_at(&self, tints: &[Oklab], [x, y]: [f64; 2]) -> Oklab {
        let soil = (self.soil)(x, y);
        tints.get(soil).copied().unwrap_or_else(|| Oklab::from_rgb(self.tint(soil)))
    }

    fn contains(&self, [x, y]: [f64; 2]) -> bool {
        let [x_min, y_min, x_max, y_max] = self.bounds;
        x_min <= x && x <= x_max && y_min <= y && y <= y_max
    }

    /// Returns a view of all of `shown` that extends as little as possible beyond the terrain.
    ///
    /// The view is moved onto the terrain, and the frame is reduced where the terrain is smaller.
    pub(super) fn view(&self, frame: Frame, shown: [f64; 4]) -> MapView {
        let mut view = MapView::fitting(frame, shown);
        let seen = view.bounds();
        for k in 0..2 {
            // tracks remain visible, on or off the terrain
            let low = self.bounds[k].min(shown[k]);
            let high = self.bounds[k + 2].max(shown[k + 2]);
            let (span, room) = (seen[k + 2] - seen[k], high - low);
            if span > room {
                let cut = (room / view.meters) as f32;
                if k == 0 {
                    view.frame.width = cut
                } else {
                    view.frame.height = cut
                }
                view.center[k] = 0.5 * (low + high);
            } else {
                let half = 0.5 * span;
                view.center[k] = view.center[k].max(low + half).min(high - half);
            }
        }
        view
    }

    /// Returns whether the view contains ground without elevation data.
    pub(super) fn has_gaps_in(&self, view: &MapView) -> bool {
        self.points_in(view).any(|[x, y]| (self.is_gap)(x, y))
    }

    /// Returns the soils in the view, in the order of their table.
    pub(super) fn soils_in(&self, view: &MapView) -> Vec<usize> {
        let mut soils: Vec<usize> = self.points_in(view).map(|[x, y]| (self.soil)(x, y)).collect();
        soils.sort_unstable();
        soils.dedup();
        soils
    }

    /// Returns the points of the terrain on a grid of 200 by 200 in the view.
    fn points_in(&self, view: &MapView) -> impl Iterator<Item = [f64; 2]> {
        let [x_min, y_min, x_max, y_max] = view.bounds();
        let place = |low: f64, high: f64, n: usize| low + (high - low) * (n as f64 + 0.5) / 200.0;
        let at = move |n: usize| [place(x_min, x_max, n % 200), place(y_min, y_max, n / 200)];
        (0..200 * 200).map(at).filter(move |point| self.contains(*point))
    }
}

/// Color of ground beyond the terrain, and of the hatching on it.
const BEYOND: [Rgb; 2] = [Rgb(250, 250, 251), Rgb(214, 219, 225)];

/// Paints the ground with contours, and returns their interval, m, if there are any.
///
/// The labels of the contours avoid the points `taken`.
pub(super) fn ground(
    canvas: &mut Canvas,
    land: &DrawnGround<'_>,
    view: &MapView,
    taken: &[CanvasPoint],
) -> Option<f64> {
    // Two pixels between samples: finer shading is not visible.
    let step = 2.0 * view.meters / f64::from(canvas.scale());
    let field = HeightField::sample(view, step, land.height);
    let (low, high) = field.range();
    let roughness = field.roughness();
    // Heights of gentle ground are exaggerated until its slopes are visible; level ground is not
    // changed.
    let exaggeration = if roughness > 1e-4 { (0.3 / roughness).clamp(1.0, 12.0) } else { 1.0 };
    let interval = round_step(((high - low) / 14.0).max(0.05));
    let pixel = view.meters / f64::from(canvas.scale());
    let width = 1.0 * f64::from(canvas.scale());
    let tints = land.oklab_tints();
    relief::paint(canvas, view, &|point| {
        if !land.contains(point) || (land.is_gap)(point[0], point[1]) {
            let stripe = (point[0] + point[1]) / (8.0 * view.meters);
            return BEYOND[usize::from(stripe.rem_euclid(1.0) < 0.15)];
        }
        let ground = field.surface_at(point);
        let base = land.oklab_tint_at(&tints, point);
        let shaded = relief::lit(base, relief::shade(ground.slope, exaggeration));
        let contour = contour(ground, interval, pixel, width);
        shaded.mix(Oklab { lightness: 0.35, a: 0.01, b: 0.03 }, 0.32 * contour).rgb()
    });
    edge(canvas, land, view);
    if high - low <= interval {
        return None;
    }
    canvas.clip(view.frame);
    heights(canvas, land, view, &field, interval, taken);
    canvas.unclip();
    Some(interval)
}

/// Draws the edge of the terrain, if it is in the view.
fn edge(canvas: &mut Canvas, land: &DrawnGround<'_>, view: &MapView) {
    let seen = view.bounds();
    let far = [0, 1, 2, 3].map(|k| {
        let margin = view.meters * 50.0;
        land.bounds[k].clamp(seen[k % 2] - margin, seen[k % 2 + 2] + margin)
    });
    let slack = 2.0 * view.meters;
    let ends = |k: usize| far[k] > seen[k % 2] + slack && far[k] < seen[k % 2 + 2] - slack;
    if !(0..4).any(ends) {
        return;
    }
    canvas.clip(view.frame);
    let ([left, top], [right, bottom]) =
        (view.point([far[0], far[3]]), view.point([far[2], far[1]]));
    let frame = Frame { x: left, y: top, width: right - left, height: bottom - top };
    canvas.outline(frame, 2.0, SECONDARY);
    let style = TextStyle::new(13.0, SECONDARY).halo();
    let x = left.max(view.frame.x) + 70.0;
    let y = if ends(3) { top - 6.0 } else { bottom + 16.0 };
    if ends(3) || ends(1) {
        canvas.text("edge of the terrain", [x, y], style);
    } else {
        let (x, at) = if ends(0) { (left - 6.0, 0.0) } else { (right + 16.0, 0.0) };
        let middle = view.frame.y + 0.5 * view.frame.height + at;
        canvas.text("edge of the terrain", [x, middle], style.anchor(Anchor::Middle).upward());
    }
    canvas.unclip();
}

/// Label of ground without elevation data.
pub(super) const GAPS: &str = "no elevation data, impassable";

/// Draws a patch of the hatching of ground without elevation data.
pub(super) fn gap_patch(canvas: &mut Canvas, frame: Frame) {
    canvas.rectangle(frame, BEYOND[0], 1.0);
    canvas.clip(frame);
    for n in 0..6 {
        let x = frame.x - frame.height + 8.0 * n as f32;
        canvas.line(&[[x, frame.bottom()], [x + frame.height, frame.y]], 1.4, BEYOND[1], 1.0);
    }
    canvas.unclip();
    canvas.outline(frame, 0.8, SECONDARY);
}

/// Returns the coverage of a pixel by a contour; every fifth contour is wider and darker.
fn contour(ground: relief::SurfacePoint, interval: f64, pixel: f64, width: f64) -> f64 {
    let steepness = ground.slope[0].hypot(ground.slope[1]);
    if steepness < 1e-9 {
        return 0.0;
    }
    let place = ground.height / interval;
    let nearest = place.round();
    let away = (place - nearest).abs() * interval / (steepness * pixel);
    let index = nearest.rem_euclid(5.0) == 0.0;
    let half = if index { 0.8 * width } else { 0.5 * width };
    (half + 0.5 - away).clamp(0.0, 1.0) * if index { 1.0 } else { 0.6 }
}

/// A candidate position for the label of a contour.
#[derive(Clone, Copy)]
struct ContourLabel {
    level: i64,
    at: CanvasPoint,
    /// Direction of the contour on the canvas, rad.
    turn: f64,
}

/// Labels contours with their heights.
///
/// Every fifth contour has priority. Labels keep a distance from each other and from `taken`.
fn heights(
    canvas: &mut Canvas,
    land: &DrawnGround<'_>,
    view: &MapView,
    field: &HeightField,
    interval: f64,
    taken: &[CanvasPoint],
) {
    const LINES: usize = 9;
    const STEPS: usize = 500;
    let Frame { x, y, width, height } = view.frame;
    let decimals = if interval >= 1.0 && interval.fract() == 0.0 {
        0
    } else if interval >= 0.1 {
        1
    } else {
        2
    };
    let mut crossings: Vec<ContourLabel> = Vec::new();
    for across in [true, false] {
        for line in 0..LINES {
            let share = (line as f32 + 0.5) / LINES as f32;
            let mut before: Option<f64> = None;
            for step in 0..=STEPS {
                let along = step as f32 / STEPS as f32;
                let at = if across {
                    [x + along * width, y + share * height]
                } else {
                    [x + share * width, y + along * height]
                };
                let world = [0, 1].map(|k| {
                    let middle = if k == 0 { x + 0.5 * width } else { y + 0.5 * height };
                    let off = f64::from(at[k] - middle) * view.meters;
                    view.center[k] + if k == 0 { off } else { -off }
                });
                let ground = field.surface_at(world);
                let place = ground.height / interval;
                let level = match before.replace(place) {
                    Some(last) if last.floor() != place.floor() => last.max(place).floor(),
                    _ => continue,
                };
                let [gx, gy] = ground.slope;
                // contours closer than this on the canvas leave no space for a label
                let spacing = interval / (gx.hypot(gy).max(1e-9) * view.meters);
                let inside = at[0] > x + 40.0
                    && at[0] < x + width - 40.0
                    && at[1] > y + 24.0
                    && at[1] < y + height - 24.0;
                if inside
                    && spacing > 9.0
                    && land.contains(world)
                    && !(land.is_gap)(world[0], world[1])
                {
                    // along the contour, readable from left to right
                    let turn = gx.atan2(gy);
                    let half = std::f64::consts::PI;
                    let turn = if turn.cos() < 0.0 { turn - half * turn.signum() } else { turn };
                    crossings.push(ContourLabel { level: level as i64, at, turn });
                }
            }
        }
    }
    crossings.sort_by_key(|crossing| crossing.level.rem_euclid(5) != 0);
    let far = |a: CanvasPoint, b: CanvasPoint, least: f32| (a[0] - b[0]).hypot(a[1] - b[1]) > least;
    let mut set: Vec<ContourLabel> = Vec::new();
    let style = TextStyle::new(12.0, Rgb(96, 80, 60)).anchor(Anchor::Middle).halo();
    for crossing in crossings {
        let clear = taken.iter().all(|point| far(*point, crossing.at, 30.0))
            && set.iter().all(|other| {
                let least = if other.level == crossing.level { 320.0 } else { 60.0 };
                far(other.at, crossing.at, least)
            });
        if clear && set.len() < 30 {
            let label =
                format!("{:.decimals$}", crossing.level as f64 * interval).replace('-', "\u{2212}");
            let (s, c) = crossing.turn.sin_cos();
            let down = 0.36 * style.size;
            let at = [crossing.at[0] - down * s as f32, crossing.at[1] + down * c as f32];
            canvas.text(&label, at, style.turned(crossing.turn.to_degrees() as f32));
            set.push(crossing);
        }
    }
}

const LEAVES: Rgb = Rgb(96, 138, 84);
const NEEDLES: Rgb = Rgb(62, 106, 76);
const STONE: Rgb = Rgb(128, 128, 126);
const WOOD: Rgb = Rgb(120, 78, 48);

/// Draws trees, rocks and other props at their size, but never too small to be visible.
pub(super) fn props(canvas: &mut Canvas, land: &DrawnGround<'_>, view: &MapView) {
    canvas.clip(view.frame);
    let Frame { x, y, .. } = view.frame;
    for prop in land.props {
        let at = view.point(prop.place);
        if at[0] < x - 30.0
            || at[1] < y - 30.0
            || at[0] > view.frame.right() + 30.0
            || at[1] > view.frame.bottom() + 30.0
        {
            continue;
        }
        let (radius, fill) = symbol(prop);
        let radius = ((radius * prop.scale / view.meters) as f32).max(2.2);
        canvas.blot(at, radius + 0.8, WHITE, 0.5);
        canvas.blot(at, radius, fill, 0.75);
        if matches!(prop.form, PropForm::Kind(PropKind::Spruce)) {
            canvas.disc(at, (0.25 * radius).max(0.8), WHITE);
        }
    }
    canvas.unclip();
}

/// Radius of the crown or body, m, and its color.
fn symbol(prop: &SceneryObject) -> (f64, Rgb) {
    match prop.form {
        PropForm::Kind(PropKind::Spruce) => (1.9, NEEDLES),
        PropForm::Kind(PropKind::Oak) => (2.4, LEAVES),
        PropForm::Kind(PropKind::Birch) => (1.7, LEAVES),
        PropForm::Kind(PropKind::Pine) => (2.6, NEEDLES),
        PropForm::Kind(PropKind::WhiteOak) => (5.0, LEAVES),
        PropForm::Kind(PropKind::Pecan) => (4.4, LEAVES),
        PropForm::Kind(PropKind::Magnolia) => (3.4, LEAVES),
        PropForm::Kind(PropKind::Rock) | PropForm::Mesh { class: SurfaceClass::Rock, .. } => {
            (0.6, STONE)
        }
        PropForm::Kind(PropKind::Post) | PropForm::Mesh { class: SurfaceClass::Post, .. } => {
            (0.2, WOOD)
        }
        PropForm::Kind(PropKind::Block | PropKind::Barrier) => {
            let [length, width, _] = prop.size.unwrap_or([1.0; 3]);
            (0.5 * length.min(width), STONE)
        }
        PropForm::Mesh { class: SurfaceClass::Tree, .. } => (2.0, LEAVES),
        PropForm::Mesh { .. } => (1.5, WOOD),
    }
}

/// Returns the names and colors of the props in the view, for a legend.
pub(super) fn prop_key(land: &DrawnGround<'_>, view: &MapView) -> Vec<(&'static str, Rgb)> {
    let [x_min, y_min, x_max, y_max] = view.bounds();
    let mut key: Vec<(&str, Rgb)> = Vec::new();
    for prop in land.props {
        let [x, y] = prop.place;
        let name = prop.noun();
        let seen = x_min <= x && x <= x_max && y_min <= y && y <= y_max;
        if seen && !key.iter().any(|(own, _)| *own == name) {
            key.push((name, symbol(prop).1));
        }
    }
    key
}

/// Draws the frame of a map: local coordinates, scale, north arrow and contour interval.
///
/// Below the map are the coordinates of its corners in the elevation model.
pub(super) fn frame(
    canvas: &mut Canvas,
    land: &DrawnGround<'_>,
    view: &MapView,
    interval: Option<f64>,
) {
    scale_bar(canvas, view);
    north_arrow(canvas, view.frame);
    if let Some(interval) = interval {
        let style = TextStyle::new(14.0, INK).anchor(Anchor::Right).halo();
        let at = [view.frame.right() - 16.0, view.frame.bottom() - 16.0];
        canvas.text(&format!("contours every {interval} m"), at, style);
    }
    canvas.outline(view.frame, 1.2, SECONDARY);
    let [x_min, y_min, x_max, y_max] = view.bounds();
    let Frame { x: left, .. } = view.frame;
    let bottom = view.frame.bottom();
    let style = TextStyle::new(12.5, SECONDARY);
    let count = |length: f32| ((length / 190.0) as usize).clamp(2, 8);
    let across = AxisScale::spanning([x_min, x_max].into_iter(), false, count(view.frame.width));
    for (value, label) in across.ticks() {
        let at = view.point([value, y_min])[0];
        canvas.line(&[[at, bottom], [at, bottom + 5.0]], 1.0, SECONDARY, 1.0);
        if at < view.frame.right() - 50.0 {
            canvas.text(&label, [at, bottom + 18.0], style.anchor(Anchor::Middle));
        }
    }
    canvas.text("x, m", [view.frame.right(), bottom + 18.0], style.anchor(Anchor::Right));
    let upward =
        AxisScale::spanning([y_min, y_max].into_iter(), false, count(1.6 * view.frame.height));
    for (value, label) in upward.ticks() {
        let at = view.point([x_min, value])[1];
        canvas.line(&[[left - 5.0, at], [left, at]], 1.0, SECONDARY, 1.0);
        if at > view.frame.y + 40.0 {
            canvas.text(&label, [left - 8.0, at + 4.5], style.anchor(Anchor::Right));
        }
    }
    canvas.text("y, m", [left - 8.0, view.frame.y + 10.0], style.anchor(Anchor::Right));
    if let Some(text) = land.placement.map(|placement| corners(placement, view)) {
        canvas.text(&text, [left, bottom + 38.0], style);
    }
}

/// Corners of the view in the coordinates of the elevation model.
fn corners(placement: &FramePlacement, view: &MapView) -> String {
    let [x_min, y_min, x_max, y_max] = view.bounds();
    let name = |[x, y]: [f64; 2]| match placement.crs.unit {
        Unit::Degree => format!(
            "{:.5}° {}, {:.5}° {}",
            y.abs(),
            if y < 0.0 { "S" } else { "N" },
            x.abs(),
            if x < 0.0 { "W" } else { "E" }
        ),
        Unit::Meter => format!("E {x:.0}, N {y:.0}"),
    };
    let (south_west, north_east) =
        (placement.to_file([x_min, y_min]), placement.to_file([x_max, y_max]));
    let system = placement.crs.epsg.map_or(String::new(), |code| format!(" (EPSG:{code})"));
    format!("from {} to {}{system}", name(south_west), name(north_east))
}

/// Returns a round distance of about a fifth of the view's width, m.
fn round_distance(view: &MapView) -> f64 {
    round_step(0.14 * f64::from(view.frame.width) * view.meters)
}

/// Draws a scale bar of a round distance at the lower left of a view.
pub(super) fn scale_bar(canvas: &mut Canvas, view: &MapView) {
    let distance = round_distance(view);
    let length = (distance / view.meters) as f32;
    let (x, y) = (view.frame.x + 20.0, view.frame.bottom() - 22.0);
    let label = if distance < 1.0 {
        format!("{:.0} cm", 100.0 * distance)
    } else if distance < 1000.0 {
        format!("{distance} m")
    } else {
        format!("{} km", distance / 1000.0)
    };
    let bar = [[x, y - 6.0], [x, y], [x + length, y], [x + length, y - 6.0]];
    canvas.line(&bar, 5.5, WHITE, 0.8);
    canvas.line(&bar, 2.2, INK, 1.0);
    let style = TextStyle::new(15.0, INK).bold().anchor(Anchor::Middle).halo();
    canvas.text(&label, [x + 0.5 * length, y - 9.0], style);
}

fn north_arrow(canvas: &mut Canvas, frame: Frame) {
    let (x, y) = (frame.right() - 32.0, frame.y + 30.0);
    let shape = |grow: f32| {
        [
            [x, y - 16.0 - 1.6 * grow],
            [x + 9.0 + grow, y + 12.0 + grow],
            [x, y + 6.0 + 0.5 * grow],
            [x - 9.0 - grow, y + 12.0 + grow],
        ]
    };
    canvas.polygon(&shape(2.2), WHITE, 0.8);
    canvas.polygon(&shape(0.0), INK, 1.0);
    let style = TextStyle::new(14.0, INK).bold().anchor(Anchor::Middle).halo();
    canvas.text("N", [x, y + 29.0], style);
}

/// Color of a planned path.
pub(super) const PLANNED: Rgb = Rgb(40, 48, 58);

/// Draws a planned path.
pub(super) fn draw_route(canvas: &mut Canvas, view: &MapView, way: &[[f64; 2]]) {
    let line: Vec<CanvasPoint> = way.iter().map(|point| view.point(*point)).collect();
    canvas.line(&line, 4.0, WHITE, 0.55);
    canvas.dashes(&line, 1.6, PLANNED, [7.0, 5.0]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn land(bounds: [f64; 4]) -> DrawnGround<'static> {
        DrawnGround {
            height: &|_, _| 0.0,
            soil: &|_, _| 0,
            is_gap: &|_, _| false,
            soils: Vec::new(),
            bounds,
            props: &[],
            placement: None,
        }
    }

    const FRAME: Frame = Frame { x: 10.0, y: 20.0, width: 200.0, height: 100.0 };

    #[test]
    fn a_view_is_moved_onto_the_terrain_and_cut_where_it_ends() {
        // 1 m per unit; 50 m below the shown part, where there is no terrain
        let view = land([0.0, 0.0, 1000.0, 1000.0]).view(FRAME, [5.0, 0.0, 205.0, 10.0]);
        assert_eq!((view.meters, view.bounds()), (1.0, [5.0, 0.0, 205.0, 100.0]));
        // terrain 60 m wide and high: the frame shrinks to it
        let view = land([0.0, 0.0, 60.0, 60.0]).view(FRAME, [0.0, 0.0, 60.0, 60.0]);
        assert_eq!(view.bounds(), [0.0, 0.0, 60.0, 60.0]);
        assert_eq!((view.frame.width, view.frame.height), (100.0, 100.0));
    }

    #[test]
    fn a_vehicle_off_the_terrain_is_still_shown() {
        let view = land([0.0, 0.0, 60.0, 60.0]).view(FRAME, [10.0, 10.0, 70.0, 40.0]);
        let [x_min, y_min, x_max, y_max] = view.bounds();
        assert!(x_min <= 10.0 && y_min <= 10.0 && x_max >= 70.0 && y_max >= 40.0);
    }

    #[test]
    fn snow_is_white_and_earth_is_not() {
        let soil = |name: &str| Soil {
            name: name.into(),
            source: String::new(),
            kind: bekker_ground::soil::SoilKind::Firm { friction: 0.8 },
        };
        let signs = SoilSign::for_soils(&[soil("mud"), soil("snow_on_frozen_ground")]);
        let white = |tint: Rgb| tint.0.min(tint.1).min(tint.2) > 240;
        assert!(!white(signs[0].tint) && white(signs[1].tint));
    }
}
