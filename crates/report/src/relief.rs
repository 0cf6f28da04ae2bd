//! Shaded relief of the ground.

use super::canvas::{Canvas, CanvasPoint, Frame};
use super::color::{Oklab, Rgb};
use rayon::prelude::*;

/// A view of the world, north up, with the same scale in both directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapView {
    pub frame: Frame,
    /// World point at the frame's center, m.
    pub center: [f64; 2],
    /// Meters per design unit.
    pub meters: f64,
}

impl MapView {
    /// Creates a view that shows all of `[x_min, y_min, x_max, y_max]` in the frame.
    pub fn fitting(frame: Frame, [x_min, y_min, x_max, y_max]: [f64; 4]) -> MapView {
        let across = (x_max - x_min) / f64::from(frame.width);
        let upward = (y_max - y_min) / f64::from(frame.height);
        let center = [0.5 * (x_min + x_max), 0.5 * (y_min + y_max)];
        MapView { frame, center, meters: across.max(upward) }
    }

    /// Position of a world point on the canvas.
    pub fn point(&self, [x, y]: [f64; 2]) -> CanvasPoint {
        let Frame { width, height, .. } = self.frame;
        [
            self.frame.x + 0.5 * width + ((x - self.center[0]) / self.meters) as f32,
            self.frame.y + 0.5 * height - ((y - self.center[1]) / self.meters) as f32,
        ]
    }

    /// World point at a fraction of the frame's width and height, from the top left.
    pub fn world(&self, across: f64, down: f64) -> [f64; 2] {
        let width = f64::from(self.frame.width) * self.meters;
        let height = f64::from(self.frame.height) * self.meters;
        [self.center[0] + (across - 0.5) * width, self.center[1] + (0.5 - down) * height]
    }

    /// Bounds `[x_min, y_min, x_max, y_max]` of the view, m.
    pub fn bounds(&self) -> [f64; 4] {
        let ([x_min, y_max], [x_max, y_min]) = (self.world(0.0, 0.0), self.world(1.0, 1.0));
        [x_min, y_min, x_max, y_max]
    }
}

/// Height and slope at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SurfacePoint {
    pub height: f64,
    pub slope: [f64; 2],
}

/// Heights sampled on a square grid, with their slopes, interpolated in between.
pub(super) struct HeightField {
    origin: [f64; 2],
    step: f64,
    columns: usize,
    rows: usize,
    points: Vec<SurfacePoint>,
}

impl HeightField {
    /// Samples `height` over the view at multiples of `step`, m.
    ///
    /// The grid extends beyond the view, for the slopes.
    pub fn sample(
        view: &MapView,
        step: f64,
        height: &(dyn Fn(f64, f64) -> f64 + Sync),
    ) -> HeightField {
        let [x_min, y_min, x_max, y_max] = view.bounds();
        let first = |low: f64| (low / step).floor() - 1.0;
        let count = |low: f64, high: f64| ((high / step).ceil() - first(low)) as usize + 2;
        let (columns, rows) = (count(x_min, x_max), count(y_min, y_max));
        let (column, row) = (first(x_min), first(y_min));
        let at = |n: usize| {
            let (i, j) = (column + (n % columns) as f64, row + (n / columns) as f64);
            height(i * step, j * step)
        };
        let heights: Vec<f64> = (0..columns * rows).into_par_iter().map(at).collect();
        let surface_point = |n: usize| {
            let (i, j) = (n % columns, n / columns);
            let height = |i: usize, j: usize| heights[j * columns + i];
            let central = |low: f64, high: f64| (high - low) / (2.0 * step);
            let (left, right) = (i.saturating_sub(1), (i + 1).min(columns - 1));
            let (below, above) = (j.saturating_sub(1), (j + 1).min(rows - 1));
            let across = central(height(left, j), height(right, j));
            let upward = central(height(i, below), height(i, above));
            SurfacePoint { height: heights[n], slope: [across, upward] }
        };
        let points = (0..columns * rows).into_par_iter().map(surface_point).collect();
        HeightField { origin: [column * step, row * step], step, columns, rows, points }
    }

    /// Height by bilinear interpolation; slope by bilinear interpolation of central differences.
    pub fn surface_at(&self, [x, y]: [f64; 2]) -> SurfacePoint {
        let place = |value: f64, origin: f64, count: usize| {
            let place = ((value - origin) / self.step).clamp(1.0, count as f64 - 2.001);
            (place as usize, place.fract())
        };
        let (i, u) = place(x, self.origin[0], self.columns);
        let (j, v) = place(y, self.origin[1], self.rows);
        let first = j * self.columns + i;
        let (low, high) = (&self.points[first..first + 2], &self.points[first + self.columns..]);
        let blend = |corners: [f64; 4]| {
            let [a, b, c, d] = corners;
            let (low, high) = (a + u * (b - a), c + u * (d - c));
            low + v * (high - low)
        };
        let (a, b, c, d) = (low[0], low[1], high[0], high[1]);
        SurfacePoint {
            height: blend([a.height, b.height, c.height, d.height]),
            slope: [
                blend([a.slope[0], b.slope[0], c.slope[0], d.slope[0]]),
                blend([a.slope[1], b.slope[1], c.slope[1], d.slope[1]]),
            ],
        }
    }

    /// Lowest and highest sample, m.
    pub fn range(&self) -> (f64, f64) {
        let start = (f64::INFINITY, f64::NEG_INFINITY);
        self.points.iter().fold(start, |(low, high), p| (low.min(p.height), high.max(p.height)))
    }

    /// Root mean square of the slope.
    pub fn roughness(&self) -> f64 {
        let rises = |row: &[SurfacePoint]| {
            row.windows(2).map(|pair| pair[1].height - pair[0].height).collect::<Vec<_>>()
        };
        let rises: Vec<f64> = self.points.chunks(self.columns).flat_map(rises).collect();
        let square: f64 = rises.iter().map(|rise| rise * rise).sum();
        (square / rises.len().max(1) as f64).sqrt() / self.step
    }
}

/// Directions in plan and weights of the light sources: the north-west and, fainter, both sides of
/// it.
const SUNS: [([f64; 2], f64); 3] = [([-0.707, 0.707], 0.6), ([-1.0, 0.0], 0.2), ([0.0, 1.0], 0.2)];
/// Sine and cosine of their elevation above the horizon, 45 degrees.
const SUN_HEIGHT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// Brightness of a slope relative to level ground: -0.7 to +0.3.
pub(super) fn shade([slope_x, slope_y]: [f64; 2], exaggeration: f64) -> f64 {
    let (x, y) = (slope_x * exaggeration, slope_y * exaggeration);
    let length = (1.0 + x * x + y * y).sqrt();
    let mut brightness = -SUN_HEIGHT;
    for (to, share) in &SUNS {
        let toward = (-x * to[0] - y * to[1] + 1.0) * SUN_HEIGHT / length;
        brightness += share * toward.max(0.0);
    }
    brightness
}

/// Color in this light.
pub(super) fn lit(color: Oklab, shade: f64) -> Oklab {
    let gain = if shade < 0.0 { 0.55 } else { 0.45 };
    Oklab { lightness: (color.lightness + gain * shade).clamp(0.0, 1.0), ..color }
}

/// Paints every pixel of the view with the color of its world point.
pub(super) fn paint(canvas: &mut Canvas, view: &MapView, color: &(dyn Fn([f64; 2]) -> Rgb + Sync)) {
    let (columns, rows) = canvas.pixels_in(view.frame);
    let at = |n: usize| {
        let across = ((n % columns) as f64 + 0.5) / columns as f64;
        let down = ((n / columns) as f64 + 0.5) / rows as f64;
        color(view.world(across, down))
    };
    let colors: Vec<Rgb> = (0..columns * rows).into_par_iter().map(at).collect();
    canvas.pixels(view.frame, &colors);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { x: 10.0, y: 20.0, width: 200.0, height: 100.0 };

    #[test]
    fn a_view_shows_all_it_should_and_north_is_up() {
        let view = MapView::fitting(FRAME, [0.0, 0.0, 100.0, 10.0]);
        assert_eq!(view.meters, 0.5);
        assert_eq!(view.point([0.0, 5.0]), [10.0, 70.0]);
        assert!(view.point([0.0, 10.0])[1] < 70.0);
        assert_eq!(view.bounds(), [0.0, -20.0, 100.0, 30.0]);
    }

    #[test]
    fn a_plane_is_sampled_exactly() {
        let view = MapView::fitting(FRAME, [-7.0, 3.0, 40.0, 20.0]);
        let field = HeightField::sample(&view, 0.5, &|x, y| 2.0 + 0.25 * x - 0.5 * y);
        for point in [[-6.9, 3.1], [0.0, 10.0], [17.123, 8.77], [39.9, 19.9]] {
            let ground = field.surface_at(point);
            // Exact up to rounding.
            assert!((ground.height - (2.0 + 0.25 * point[0] - 0.5 * point[1])).abs() < 1e-9);
            assert!((ground.slope[0] - 0.25).abs() < 1e-9 && (ground.slope[1] + 0.5).abs() < 1e-9);
        }
    }

    #[test]
    fn slopes_to_the_north_west_are_bright() {
        assert!(shade([0.0, 0.0], 1.0).abs() < 1e-3);
        // A slope that descends toward the north-west faces the light.
        assert!(shade([0.3, -0.3], 1.0) > 0.1);
        assert!(shade([-0.3, 0.3], 1.0) < -0.1);
    }
}
