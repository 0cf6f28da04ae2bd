//! Charts as SVG.

use super::escape_html;
use crate::chart::AxisScale;
use crate::color::{self, Rgb};
use std::fmt::Write;

/// A chart: layers on a pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlChart {
    /// Title.
    pub title: String,
    /// Horizontal axis.
    pub x: ChartAxis,
    /// Vertical axis.
    pub y: ChartAxis,
    /// Layers, from bottom to top.
    pub layers: Vec<ChartLayer>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartAxis {
    /// Numbers over the range of the layers.
    Number {
        /// Quantity and unit.
        label: String,
        /// Whether the range includes zero.
        zero: bool,
    },
    /// Numbers between two ends.
    Between {
        /// Quantity and unit.
        label: String,
        /// Ends of the range.
        ends: [f64; 2],
    },
    /// Given ticks on a scale of numbers.
    Levels {
        /// Quantity and unit.
        label: String,
        /// Values of the ticks with their labels.
        levels: Vec<(f64, String)>,
        /// Ends of the range.
        ends: [f64; 2],
    },
    /// Categories at 0, 1, 2 and so on.
    Words {
        /// Title of the axis.
        label: String,
        /// Names of the categories.
        words: Vec<String>,
    },
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueInterval {
    /// Position along the axis.
    pub at: f64,
    /// The value.
    pub value: f64,
    /// Ends of the interval.
    pub ends: [f64; 2],
}

/// A filled rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilledRect {
    /// Horizontal range.
    pub across: [f64; 2],
    /// Vertical range.
    pub upwards: [f64; 2],
    /// Value, shown as color.
    pub value: f64,
}

/// A layer of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum ChartLayer {
    /// A line.
    Line {
        /// Name in the legend.
        name: String,
        /// Points of the line.
        points: Vec<[f64; 2]>,
        /// Whether the line is a step function that keeps each value up to the next point.
        steps: bool,
    },
    /// Dots.
    Dots {
        /// Name in the legend.
        name: String,
        /// Positions.
        points: Vec<[f64; 2]>,
    },
    /// Values with vertical intervals.
    Intervals {
        /// Name in the legend.
        name: String,
        /// Values; `at` is horizontal.
        values: Vec<ValueInterval>,
        /// Whether a line joins them.
        joined: bool,
    },
    /// Horizontal bars between the ends, with a mark at the value; `at` is vertical.
    Bars {
        /// Name in the legend.
        name: String,
        /// The bars.
        bars: Vec<ValueInterval>,
    },
    /// Filled rectangles.
    Fields {
        /// Quantity and unit of the values.
        label: String,
        /// Rectangles.
        fields: Vec<FilledRect>,
        /// Values of the palest and of the deepest color.
        ends: [f64; 2],
    },
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 18.0;
const FOOT: f64 = 58.0;
/// Height of a row of the legend.
const ROW: f64 = 20.0;
const INK: &str = "#1f2933";
const SECONDARY: &str = "#616e7c";

impl ChartAxis {
    fn label(&self) -> &str {
        match self {
            ChartAxis::Number { label, .. }
            | ChartAxis::Between { label, .. }
            | ChartAxis::Levels { label, .. }
            | ChartAxis::Words { label, .. } => label,
        }
    }

    /// Returns the scale for these values, and its ticks.
    fn scale(&self, values: impl Iterator<Item = f64>) -> (AxisScale, Vec<(f64, String)>) {
        match self {
            ChartAxis::Number { zero, .. } => {
                let scale = AxisScale::covering(values, *zero, 5);
                let ticks = scale.ticks();
                (scale, ticks)
            }
            ChartAxis::Between { ends, .. } => {
                let scale = AxisScale::spanning(ends.iter().copied(), false, 5);
                let ticks = scale.ticks();
                (scale, ticks)
            }
            ChartAxis::Levels { levels, ends, .. } => {
                (AxisScale::spanning(ends.iter().copied(), false, 5), levels.clone())
            }
            ChartAxis::Words { words, .. } => {
                let ends = [-0.5, words.len().max(1) as f64 - 0.5];
                let scale = AxisScale::spanning(ends.into_iter(), false, 5);
                (scale, words.iter().enumerate().map(|(n, w)| (n as f64, w.clone())).collect())
            }
        }
    }
}

impl ChartLayer {
    fn name(&self) -> &str {
        match self {
            ChartLayer::Line { name, .. }
            | ChartLayer::Dots { name, .. }
            | ChartLayer::Intervals { name, .. }
            | ChartLayer::Bars { name, .. } => name,
            ChartLayer::Fields { .. } => "",
        }
    }

    /// Horizontal and vertical values that the axes must cover.
    fn extents(&self) -> [Vec<f64>; 2] {
        let across = |points: &[[f64; 2]], n: usize| points.iter().map(|p| p[n]).collect();
        match self {
            ChartLayer::Line { points, .. } | ChartLayer::Dots { points, .. } => {
                [across(points, 0), across(points, 1)]
            }
            ChartLayer::Intervals { values, .. } => [
                values.iter().map(|v| v.at).collect(),
                values.iter().flat_map(|v| [v.value, v.ends[0], v.ends[1]]).collect(),
            ],
            ChartLayer::Bars { bars, .. } => [
                bars.iter().flat_map(|v| [v.value, v.ends[0], v.ends[1]]).collect(),
                bars.iter().map(|v| v.at).collect(),
            ],
            ChartLayer::Fields { fields, .. } => [
                fields.iter().flat_map(|field| field.across).collect(),
                fields.iter().flat_map(|field| field.upwards).collect(),
            ],
        }
    }
}

/// Area of the plot, with the scales of both axes.
struct PlotArea {
    left: f64,
    bottom: f64,
    x: AxisScale,
    y: AxisScale,
}

impl PlotArea {
    fn x(&self, value: f64) -> f64 {
        self.left + f64::from(self.x.place(value)) * (WIDTH - RIGHT - self.left)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - f64::from(self.y.place(value)) * (self.bottom - TOP)
    }
}

impl HtmlChart {
    /// Returns the chart as an SVG element.
    pub fn svg(&self) -> String {
        let reach: Vec<[Vec<f64>; 2]> = self.layers.iter().map(ChartLayer::extents).collect();
        let along = |n: usize| reach.iter().flat_map(move |r| r[n].iter().copied());
        let (x, x_ticks) = self.x.scale(along(0));
        let (y, y_ticks) = self.y.scale(along(1));
        let widest = y_ticks.iter().map(|(_, word)| word.chars().count()).max().unwrap_or(0);
        let left = 40.0 + (7.2 * widest as f64).min(170.0);
        let named: Vec<usize> =
            (0..self.layers.len()).filter(|n| !self.layers[*n].name().is_empty()).collect();
        let legend = self.legend(&named);
        let frame = PlotArea { left, bottom: HEIGHT - FOOT, x, y };
        let height = HEIGHT + legend.1;
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" font-family=\"inherit\" font-size=\"12.5\">\
             <title>{0}</title><text x=\"{left}\" y=\"22\" font-size=\"15\" font-weight=\"600\" fill=\"{INK}\">{0}</text>",
            escape_html(&self.title)
        );
        svg += &self.axes(&frame, &x_ticks, &y_ticks);
        for (n, layer) in self.layers.iter().enumerate() {
            svg += &drawn(layer, &frame, color::line(n));
        }
        svg + &legend.0 + "</svg>"
    }

    fn axes(&self, frame: &PlotArea, x: &[(f64, String)], y: &[(f64, String)]) -> String {
        let PlotArea { left, bottom, .. } = *frame;
        let right = WIDTH - RIGHT;
        let mut svg = String::new();
        // a label that would overlap the previous one is omitted
        let mut last = f64::INFINITY;
        for (value, label) in y {
            let y = frame.y(*value);
            if (last - y).abs() < 13.0 {
                continue;
            }
            last = y;
            let _ = write!(
                svg,
                "<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#e8ebef\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"{SECONDARY}\">{}</text>",
                left - 7.0,
                y + 4.0,
                escape_html(&short(label, 24))
            );
        }
        let mut taken = f64::NEG_INFINITY;
        for (value, label) in x {
            let x = frame.x(*value);
            let _ = write!(svg, "<path d=\"M{x:.1} {bottom:.1}v5\" stroke=\"#9aa5b1\"/>");
            let half = 0.5 * (7.5 * label.chars().count().min(16) as f64 + 6.0);
            if x - half < taken {
                continue;
            }
            taken = x + half;
            let _ = write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{SECONDARY}\">{}</text>",
                bottom + 19.0,
                escape_html(&short(label, 16))
            );
        }
        let _ = write!(
            svg,
            "<path d=\"M{left:.1} {TOP}V{bottom:.1}H{right:.1}\" fill=\"none\" stroke=\"#9aa5b1\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{INK}\">{}</text>\
             <text transform=\"translate(15 {:.1}) rotate(-90)\" text-anchor=\"middle\" fill=\"{INK}\">{}</text>",
            0.5 * (left + right),
            bottom + 42.0,
            escape_html(self.x.label()),
            0.5 * (TOP + bottom),
            escape_html(self.y.label())
        );
        svg
    }

    /// Returns the legend and its height; it has an entry per named layer if there are several, and
    /// one per `Fields` layer.
    fn legend(&self, named: &[usize]) -> (String, f64) {
        let mut svg = String::new();
        let (mut x, mut y) = (40.0, HEIGHT + 4.0);
        if named.len() > 1 {
            for n in named {
                let name = short(self.layers[*n].name(), 40);
                let width = 30.0 + 7.2 * name.chars().count() as f64;
                if x + width > WIDTH {
                    (x, y) = (40.0, y + ROW);
                }
                let _ = write!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"14\" height=\"4\" rx=\"2\" fill=\"{}\"/>\
                     <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{INK}\">{}</text>",
                    y - 5.0,
                    hex(color::line(*n)),
                    x + 19.0,
                    y,
                    escape_html(&name)
                );
                x += width;
            }
            y += ROW;
        }
        for layer in &self.layers {
            let ChartLayer::Fields { label, ends, .. } = layer else { continue };
            for n in 0..60 {
                let _ = write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"4.2\" height=\"10\" fill=\"{}\"/>",
                    40.0 + 4.0 * f64::from(n),
                    y - 10.0,
                    hex(color::depth(f64::from(n) / 59.0).rgb())
                );
            }
            let [low, high] = ends.map(number);
            let _ = write!(
                svg,
                "<text x=\"290\" y=\"{y:.1}\" fill=\"{INK}\">{low} to {high}: {}</text>",
                escape_html(&short(label, 34))
            );
            y += ROW;
        }
        (svg, y - HEIGHT - 4.0)
    }
}

fn drawn(layer: &ChartLayer, frame: &PlotArea, color: Rgb) -> String {
    let (ink, mut svg) = (hex(color), String::new());
    match layer {
        ChartLayer::Line { points, steps, .. } => {
            svg += &line(points, *steps, frame, &ink);
        }
        ChartLayer::Dots { points, .. } => {
            for [x, y] in points.iter().filter(|p| p.iter().all(|v| v.is_finite())) {
                let [cx, cy] = [frame.x(*x), frame.y(*y)];
                let _ = write!(
                    svg,
                    "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"2.2\" fill=\"{ink}\" fill-opacity=\"0.55\"/>"
                );
            }
        }
        ChartLayer::Intervals { values, joined, .. } => {
            if *joined {
                let points: Vec<[f64; 2]> = values.iter().map(|v| [v.at, v.value]).collect();
                svg += &line(&points, false, frame, &ink);
            }
            for v in values.iter().filter(|v| v.value.is_finite()) {
                let [x, y] = [frame.x(v.at), frame.y(v.value)];
                if v.ends.iter().all(|end| end.is_finite()) {
                    let [low, high] = v.ends.map(|end| frame.y(end));
                    let _ = write!(
                        svg,
                        "<path d=\"M{x:.1} {low:.1}V{high:.1}M{:.1} {low:.1}h8M{:.1} {high:.1}h8\" \
                         stroke=\"{ink}\" stroke-width=\"1.5\" fill=\"none\"/>",
                        x - 4.0,
                        x - 4.0
                    );
                }
                let _ = write!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{ink}\"><title>{}</title></circle>",
                    tooltip(v)
                );
            }
        }
        ChartLayer::Bars { bars, .. } => {
            for v in bars.iter().filter(|v| v.ends.iter().all(|end| end.is_finite())) {
                let [left, right] =
                    [v.ends[0].min(v.ends[1]), v.ends[0].max(v.ends[1])].map(|end| frame.x(end));
                let y = frame.y(v.at);
                let _ = write!(
                    svg,
                    "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"18\" rx=\"2\" fill=\"{ink}\" \
                     fill-opacity=\"0.75\"><title>{}</title></rect>",
                    y - 9.0,
                    (right - left).max(0.5),
                    tooltip(v)
                );
                if v.value.is_finite() {
                    let x = frame.x(v.value);
                    let _ = write!(
                        svg,
                        "<path d=\"M{x:.1} {:.1}v22\" stroke=\"{INK}\" stroke-width=\"2\"/>",
                        y - 11.0
                    );
                }
            }
        }
        ChartLayer::Fields { fields, ends: [low, high], .. } => {
            for FilledRect { across, upwards, value } in
                fields.iter().filter(|f| f.value.is_finite())
            {
                let [left, right] = across.map(|x| frame.x(x));
                let [low_y, high_y] = upwards.map(|y| frame.y(y));
                let share = if high > low { (value - low) / (high - low) } else { 0.5 };
                let _ = write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}</title></rect>",
                    left,
                    high_y,
                    right - left + 0.3,
                    low_y - high_y + 0.3,
                    hex(color::depth(share).rgb()),
                    number(*value)
                );
            }
        }
    }
    svg
}

/// Draws a line, interrupted where a value is not finite.
fn line(points: &[[f64; 2]], steps: bool, frame: &PlotArea, ink: &str) -> String {
    let (mut path, mut down) = (String::new(), false);
    for [x, y] in points {
        if !(x.is_finite() && y.is_finite()) {
            down = false;
            continue;
        }
        let [x, y] = [frame.x(*x), frame.y(*y)];
        let _ = match (down, steps) {
            (false, _) => write!(path, "M{x:.1} {y:.1}"),
            (true, false) => write!(path, "L{x:.1} {y:.1}"),
            (true, true) => write!(path, "H{x:.1}V{y:.1}"),
        };
        down = true;
    }
    format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"2\" stroke-linejoin=\"round\"/>"
    )
}

fn tooltip(v: &ValueInterval) -> String {
    let [value, low, high] = [v.value, v.ends[0], v.ends[1]].map(number);
    // a single trial has no interval
    if v.ends.iter().all(|end| end.is_finite()) {
        format!("{value} [{low}, {high}]")
    } else {
        value
    }
}

/// Formats a number with three significant digits.
pub(super) fn number(value: f64) -> String {
    let magnitude = value.abs();
    match () {
        () if value == 0.0 || !value.is_finite() => format!("{value}"),
        () if !(1e-3..1e6).contains(&magnitude) => format!("{value:.2e}"),
        () => {
            let digits = (2.0 - magnitude.log10().floor()).clamp(0.0, 6.0) as usize;
            let text = format!("{value:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
    }
}

fn hex(color: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

/// Returns a text cut to `most` characters.
fn short(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let told = [0.0, 0.123_44, 1.5, 12.0, 123.456, 1234.0, 1e-9, 2.5e7].map(number);
        assert_eq!(told, ["0", "0.123", "1.5", "12", "123", "1234", "1.00e-9", "2.50e7"]);
    }

    /// Levels 1, 2 and 10 are spaced by their values, and fields end half-way between them.
    #[test]
    fn levels_are_spaced_by_their_numbers() {
        let levels = [1.0, 2.0, 10.0].map(|x| (x, x.to_string())).to_vec();
        let chart = HtmlChart {
            title: "t".into(),
            x: ChartAxis::Levels { label: "x".into(), levels, ends: [0.0, 11.0] },
            y: ChartAxis::Between { label: "y".into(), ends: [0.0, 1.0] },
            layers: vec![
                ChartLayer::Dots {
                    name: "d".into(),
                    points: [1.0, 2.0, 10.0].map(|x| [x, 0.5]).to_vec(),
                },
                ChartLayer::Fields {
                    label: "f".into(),
                    fields: vec![FilledRect {
                        across: [1.5, 6.0],
                        upwards: [0.0, 1.0],
                        value: 0.5,
                    }],
                    ends: [0.0, 1.0],
                },
            ],
        };
        let svg = chart.svg();
        let circles = svg.split("<circle cx=\"").skip(1);
        let at: Vec<f64> =
            circles.map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect();
        assert!(((at[2] - at[1]) / (at[1] - at[0]) - 8.0).abs() < 0.02, "{at:?}");
        let field = svg.split("<rect x=\"").nth(1).unwrap();
        let left: f64 = field.split('"').next().unwrap().parse().unwrap();
        assert!((left - 0.5 * (at[0] + at[1])).abs() < 0.1, "{svg}");
    }

    #[test]
    fn a_dot_stands_where_its_value_is() {
        let chart = HtmlChart {
            title: "t".into(),
            x: ChartAxis::Between { label: "x".into(), ends: [0.0, 10.0] },
            y: ChartAxis::Between { label: "y".into(), ends: [0.0, 1.0] },
            layers: vec![ChartLayer::Dots {
                name: "d".into(),
                points: vec![[10.0, 1.0], [f64::NAN, 0.0]],
            }],
        };
        let svg = chart.svg();
        let place = format!("cx=\"{:.1}\" cy=\"{TOP:.1}\"", WIDTH - RIGHT);
        assert!(svg.contains(&place), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 1);
    }
}
