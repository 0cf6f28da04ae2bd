//! Axes with ticks, and data series in them.

use super::canvas::{Anchor, Canvas, CanvasPoint, Frame, TextStyle};
use super::color::{GRID, INK, RULE, Rgb, SECONDARY, WHITE};

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeriesMark {
    /// A line.
    #[default]
    Line,
    /// A line with dots at its points, for results that are computed one by one.
    MarkedLine,
    /// A dashed line, for a reference.
    Dashes,
    /// Dots, for measurements.
    Dots,
}

/// An interval of an axis with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AxisScale {
    pub low: f64,
    pub high: f64,
    pub step: f64,
}

impl AxisScale {
    /// Covers the finite `values`, widened to whole ticks, about `count` of them.
    ///
    /// With `zero`, zero is covered too.
    pub fn covering(values: impl Iterator<Item = f64>, zero: bool, count: usize) -> AxisScale {
        let mut scale = AxisScale::spanning(values, zero, count);
        let slack = 1e-9;
        scale.low = (scale.low / scale.step + slack).floor() * scale.step;
        scale.high = (scale.high / scale.step - slack).ceil() * scale.step;
        scale
    }

    /// Covers the finite `values` exactly.
    pub fn spanning(values: impl Iterator<Item = f64>, zero: bool, count: usize) -> AxisScale {
        let start = if zero { (0.0, 0.0) } else { (f64::INFINITY, f64::NEG_INFINITY) };
        let (mut low, mut high) = values
            .filter(|value| value.is_finite())
            .fold(start, |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // An interval is needed even if all values are equal up to rounding.
        if high - low <= 1e-9 * low.abs().max(high.abs()) {
            let margin = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = if zero && low >= 0.0 {
                (0.0, high + margin)
            } else {
                (low - margin, high + margin)
            };
        }
        AxisScale { low, high, step: round_step((high - low) / count.max(1) as f64) }
    }

    /// Position of a value along the axis: 0 at the low end, 1 at the high end.
    pub fn place(&self, value: f64) -> f32 {
        ((value - self.low) / (self.high - self.low)) as f32
    }

    /// Values of the ticks with their labels.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let slack = 1e-6;
        let first = (self.low / self.step - slack).ceil() as i64;
        let last = (self.high / self.step + slack).floor() as i64;
        (first..=last).map(|n| (n as f64 * self.step, self.label(n))).collect()
    }

    fn label(&self, n: i64) -> String {
        let value = n as f64 * self.step;
        let largest = self.low.abs().max(self.high.abs());
        if n != 0 && !(1e-4..1e6).contains(&largest) {
            return format!("{value:.1e}").replace('-', "\u{2212}");
        }
        let decimals = (-self.step.log10()).ceil().max(0.0) as usize;
        // A step of 2.5 needs one decimal more than its magnitude implies.
        let exact = (self.step * 10f64.powi(decimals as i32)).fract().abs() < 1e-6;
        format!("{value:.*}", if exact { decimals } else { decimals + 1 }).replace('-', "\u{2212}")
    }
}

/// Returns the smallest of 1, 2, 2.5 or 5 times a power of ten that is at least `rough`.
pub(super) fn round_step(rough: f64) -> f64 {
    let magnitude = 10f64.powf(rough.log10().floor());
    let leading = rough / magnitude;
    let rounded = [1.0, 2.0, 2.5, 5.0].into_iter().find(|step| leading <= step * (1.0 + 1e-9));
    rounded.unwrap_or(10.0) * magnitude
}

/// Values with 0 for those below 1 % of the largest, so that noise around zero widens no axis.
pub(super) fn without_noise(
    values: impl Iterator<Item = f64> + Clone,
) -> impl Iterator<Item = f64> {
    let largest =
        values.clone().filter(|value| value.is_finite()).map(f64::abs).fold(0.0, f64::max);
    values.map(move |value| if value.abs() < 0.01 * largest { 0.0 } else { value })
}

/// Axes in a frame.
pub(super) struct Axes {
    pub frame: Frame,
    pub x: AxisScale,
    pub y: AxisScale,
    /// Font size of the tick labels.
    pub size: f32,
}

impl Axes {
    /// Position of a pair of values on the canvas.
    pub fn point(&self, [x, y]: [f64; 2]) -> CanvasPoint {
        [
            self.frame.x + self.frame.width * self.x.place(x),
            self.frame.bottom() - self.frame.height * self.y.place(y),
        ]
    }

    /// Draws grid, ticks and frame, and the labels of x if `label_x`.
    pub fn draw(&self, canvas: &mut Canvas, label_x: bool) {
        let Frame { x, y, .. } = self.frame;
        let (right, bottom) = (self.frame.right(), self.frame.bottom());
        let style = TextStyle::new(self.size, SECONDARY);
        for (value, label) in self.y.ticks() {
            let at = self.point([self.x.low, value])[1];
            canvas.line(&[[x, at], [right, at]], 1.0, GRID, 1.0);
            let baseline = [x - 0.6 * self.size, at + 0.36 * self.size];
            canvas.text(&label, baseline, style.anchor(Anchor::Right));
        }
        for (value, label) in self.x.ticks() {
            let at = self.point([value, self.y.low])[0];
            canvas.line(&[[at, y], [at, bottom]], 1.0, GRID, 1.0);
            if label_x {
                let baseline = [at, bottom + 1.45 * self.size];
                canvas.text(&label, baseline, style.anchor(Anchor::Middle));
            }
        }
        if self.y.low < 0.0 && self.y.high > 0.0 {
            let zero = self.point([self.x.low, 0.0])[1];
            canvas.line(&[[x, zero], [right, zero]], 1.2, RULE, 1.0);
        }
        canvas.line(&[[x, bottom], [right, bottom]], 1.5, SECONDARY, 1.0);
    }

    /// Draws a series; a value that is not finite interrupts the line.
    pub fn series(
        &self,
        canvas: &mut Canvas,
        points: &[[f64; 2]],
        color: Rgb,
        width: f32,
        mark: SeriesMark,
    ) {
        let finite = |point: &[f64; 2]| point.iter().all(|value| value.is_finite());
        for run in points.split(|point| !finite(point)) {
            let run: Vec<CanvasPoint> = run.iter().map(|point| self.point(*point)).collect();
            match mark {
                SeriesMark::Line => canvas.line(&run, width, color, 1.0),
                SeriesMark::MarkedLine => {
                    canvas.line(&run, width, color, 1.0);
                    dots(canvas, &run, width, color);
                }
                SeriesMark::Dashes => canvas.dashes(&run, width, color, [4.0 * width, 2.5 * width]),
                SeriesMark::Dots => dots(canvas, &run, width, color),
            }
        }
    }

    /// Draws a title above the frame, flush left with it.
    pub fn title(&self, canvas: &mut Canvas, title: &str) {
        let size = 1.2 * self.size;
        let style = TextStyle::new(size, INK).bold();
        canvas.text(title, [self.frame.x, self.frame.y - 0.8 * size], style);
    }
}

fn dots(canvas: &mut Canvas, points: &[CanvasPoint], width: f32, color: Rgb) {
    for at in points {
        canvas.disc(*at, 2.2 * width, WHITE);
        canvas.disc(*at, 1.6 * width, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round_numbers() {
        let labels = |low: f64, high: f64| -> Vec<String> {
            let scale = AxisScale::covering([low, high].into_iter(), false, 5);
            scale.ticks().into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.03, 0.011), ["−0.03", "−0.02", "−0.01", "0.00", "0.01", "0.02"]);
        assert_eq!(labels(0.0, 1.2), ["0.00", "0.25", "0.50", "0.75", "1.00", "1.25"]);
        assert!(labels(3.0, 3.0).len() >= 3);
    }

    proptest! {
        #[test]
        fn a_scale_covers_its_values_with_a_few_ticks(
            values in prop::collection::vec(-1e7..1e7f64, 1..20), zero: bool, count in 2..8usize,
        ) {
            let scale = AxisScale::covering(values.iter().copied(), zero, count);
            // Both ends are whole ticks, up to the slack that keeps rounding from adding one.
            let slack = 1e-6 * (scale.high - scale.low);
            for value in values {
                prop_assert!(scale.low - slack <= value && value <= scale.high + slack);
            }
            let ticks = scale.ticks().len();
            prop_assert!((2..=count + 3).contains(&ticks), "{} ticks", ticks);
        }
    }
}
