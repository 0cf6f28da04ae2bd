//! Line plots of the rigs: panels one above the other.

use super::canvas::{Anchor, Canvas, Frame, TextStyle};
use super::chart::{Axes, AxisScale, without_noise};
use super::color::{self, INK, SECONDARY};
use super::{ReportError, file};
use std::path::Path;

pub use super::chart::SeriesMark;

/// A plot with one or more panels, one above the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Conditions: soil, load, grid.
    pub subtitle: String,
    /// Panels, from top to bottom.
    pub panels: Vec<PlotAxes>,
}

/// Axes with their series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotAxes {
    /// Heading; may be empty.
    pub title: String,
    /// Quantity and unit of the horizontal axis.
    ///
    /// Panels with the same label share their range; only the last of consecutive ones has tick
    /// labels.
    pub x_label: String,
    /// Quantity and unit of the vertical axis.
    pub y_label: String,
    /// Whether the vertical axis includes zero, regardless of the values.
    pub from_zero: bool,
    /// Whether the horizontal axis shows whole numbers, for example of vehicles: its ticks are then
    /// whole numbers too, and half of one is left free on either side.
    pub counts: bool,
    /// Series, from bottom to top.
    pub series: Vec<Series>,
}

impl PlotAxes {
    /// Returns a panel without heading whose vertical axis includes zero.
    pub fn from_zero(x_label: &str, y_label: &str, series: Vec<Series>) -> PlotAxes {
        PlotAxes {
            title: String::new(),
            x_label: x_label.into(),
            y_label: y_label.into(),
            from_zero: true,
            counts: false,
            series,
        }
    }
}

/// A series of a panel. A value that is not finite interrupts the line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend; series with the same name have the same color in all panels.
    pub name: String,
    /// Points (x, y) in the units of the labels.
    pub points: Vec<[f64; 2]>,
    /// Mark of the points.
    pub mark: SeriesMark,
}

impl From<&bekker_rig::PlotPanel> for PlotAxes {
    fn from(panel: &bekker_rig::PlotPanel) -> PlotAxes {
        let series = panel.lines.iter().map(|line| Series {
            name: line.name.clone(),
            points: line.points.clone(),
            mark: match line.mark {
                bekker_rig::LineStyle::Line => SeriesMark::Line,
                bekker_rig::LineStyle::MarkedLine => SeriesMark::MarkedLine,
                bekker_rig::LineStyle::Dashes => SeriesMark::Dashes,
                bekker_rig::LineStyle::Dots => SeriesMark::Dots,
            },
        });
        PlotAxes {
            title: panel.title.clone(),
            x_label: panel.x.clone(),
            y_label: panel.y.clone(),
            from_zero: true,
            counts: false,
            series: series.collect(),
        }
    }
}

const WIDTH: f32 = 1000.0;
const LEFT: f32 = 92.0;
const RIGHT: f32 = 36.0;
const HEADER: f32 = 108.0;
const FOOTER: f32 = 76.0;
const GAP: f32 = 34.0;
const TITLED_GAP: f32 = 62.0;
const LEGEND_LINE: f32 = 24.0;
/// Pixels per design unit.
const SCALE: f32 = 1.6;

/// Draws the figure as a PNG, 1600 pixels wide and as high as its panels require.
pub fn write(path: &Path, figure: &Figure) -> Result<(), ReportError> {
    let bytes = draw(figure)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

fn draw(figure: &Figure) -> Result<Canvas, ReportError> {
    let points = || figure.panels.iter().flat_map(|p| &p.series).flat_map(|s| &s.points);
    if !points().any(|point| point.iter().all(|value| value.is_finite())) {
        return Err(ReportError::Nothing("the plot has no finite points"));
    }
    let panel_height = match figure.panels.len() {
        1 => 470.0,
        2 => 300.0,
        _ => 220.0,
    };
    let pixels = |length: f32| (length * SCALE).round() as u32;
    let legend = legend(figure);
    let gaps: f32 = figure.panels.iter().map(|panel| gap(figure, panel)).sum();
    // fonts measure the legend before the height of the picture is known
    let entries = legend_entries(&Canvas::new(pixels(WIDTH), pixels(WIDTH), SCALE)?, &legend);
    let lines = entries.last().map_or(0.0, |[_, line]| line + 1.0);
    let legend_height = if legend.len() > 1 { 10.0 + LEGEND_LINE * lines } else { 0.0 };
    let height = HEADER + legend_height + gaps + panel_height * figure.panels.len() as f32 + FOOTER;
    let mut canvas = Canvas::new(pixels(WIDTH), pixels(height), SCALE)?;

    let title = TextStyle::new(26.0, INK).bold();
    let subtitle = TextStyle::new(15.0, SECONDARY);
    let room = WIDTH - 40.0 - RIGHT;
    canvas.text(&canvas.fitted(&figure.title, room, title), [40.0, 50.0], title);
    canvas.text(&canvas.fitted(&figure.subtitle, room, subtitle), [40.0, 76.0], subtitle);
    if legend.len() > 1 {
        draw_legend(&mut canvas, &legend, &entries);
    }

    let mut top = HEADER + legend_height;
    for (n, panel) in figure.panels.iter().enumerate() {
        top += gap(figure, panel);
        let frame = Frame { x: LEFT, y: top, width: WIDTH - LEFT - RIGHT, height: panel_height };
        let next = figure.panels.get(n + 1);
        let labeled = next.is_none_or(|next| next.x_label != panel.x_label);
        draw_panel(&mut canvas, figure, panel, frame, labeled, &legend);
        top += panel_height;
    }
    Ok(canvas)
}

/// Returns the space above a panel, for its title and the x label of the panel above.
fn gap(figure: &Figure, panel: &PlotAxes) -> f32 {
    let place = figure.panels.iter().position(|other| std::ptr::eq(other, panel));
    let above = place.and_then(|n| n.checked_sub(1)).map(|n| &figure.panels[n]);
    let label = match above {
        Some(above) if above.x_label != panel.x_label => FOOTER - 20.0,
        Some(_) => GAP,
        None => 0.0,
    };
    if panel.title.is_empty() { label } else { label + TITLED_GAP - GAP }
}

/// Returns the names in their order of appearance, with the marks of their series.
fn legend(figure: &Figure) -> Vec<(&str, SeriesMark)> {
    let mut names: Vec<(&str, SeriesMark)> = Vec::new();
    for series in figure.panels.iter().flat_map(|panel| &panel.series) {
        if !names.iter().any(|(name, _)| *name == series.name) {
            names.push((&series.name, series.mark));
        }
    }
    names
}

fn legend_style() -> TextStyle {
    TextStyle::new(14.0, INK)
}

/// Returns left edge and line of each entry of the legend.
fn legend_entries(canvas: &Canvas, legend: &[(&str, SeriesMark)]) -> Vec<[f32; 2]> {
    let [mut x, mut line] = [40.0, 0.0];
    let entry = |(name, _): &(&str, SeriesMark)| {
        let width = 34.0 + canvas.text_width(name, legend_style());
        if x > 40.0 && x + width > WIDTH - RIGHT {
            [x, line] = [40.0, line + 1.0];
        }
        let place = [x, line];
        x += width + 28.0;
        place
    };
    legend.iter().map(entry).collect()
}

fn draw_legend(canvas: &mut Canvas, legend: &[(&str, SeriesMark)], entries: &[[f32; 2]]) {
    for (n, ((name, mark), [x, line])) in legend.iter().zip(entries).enumerate() {
        let (x, y) = (*x, 108.0 + LEGEND_LINE * line);
        let color = color::line(n);
        match mark {
            SeriesMark::Line => canvas.line(&[[x, y], [x + 26.0, y]], 3.0, color, 1.0),
            SeriesMark::MarkedLine => {
                canvas.line(&[[x, y], [x + 26.0, y]], 3.0, color, 1.0);
                canvas.disc([x + 13.0, y], 4.5, color);
            }
            SeriesMark::Dashes => canvas.dashes(&[[x, y], [x + 26.0, y]], 2.5, color, [8.0, 5.0]),
            SeriesMark::Dots => canvas.disc([x + 13.0, y], 4.5, color),
        }
        canvas.text(name, [x + 34.0, y + 5.0], legend_style());
    }
}

fn draw_panel(
    canvas: &mut Canvas,
    figure: &Figure,
    panel: &PlotAxes,
    frame: Frame,
    labeled: bool,
    legend: &[(&str, SeriesMark)],
) {
    let sharing = figure.panels.iter().filter(|other| other.x_label == panel.x_label);
    let across = sharing.flat_map(|p| &p.series).flat_map(|s| &s.points).map(|p| p[0]);
    let across = without_noise(across);
    let x = match panel.counts {
        true => counting(across),
        false => AxisScale::covering(across, false, 8),
    };
    let upward = || without_noise(panel.series.iter().flat_map(|s| &s.points).map(|p| p[1]));
    let rows = if figure.panels.len() > 2 { 5 } else { 6 };
    let axes = Axes {
        frame,
        x,
        y: AxisScale::covering(upward(), panel.from_zero || near_zero(upward()), rows),
        size: 14.0,
    };
    axes.draw(canvas, labeled);
    if !panel.title.is_empty() {
        axes.title(canvas, &panel.title);
    }
    let label = TextStyle::new(14.0, INK).anchor(Anchor::Middle);
    let middle = frame.y + 0.5 * frame.height;
    canvas.text(&panel.y_label, [30.0, middle], label.upward());
    if labeled {
        let center = frame.x + 0.5 * frame.width;
        canvas.text(&panel.x_label, [center, frame.bottom() + 46.0], label);
    }
    canvas.clip(Frame {
        x: frame.x - 6.0,
        y: frame.y - 6.0,
        width: frame.width + 12.0,
        height: frame.height + 12.0,
    });
    for series in &panel.series {
        let place = legend.iter().position(|(name, _)| *name == series.name).unwrap_or(0);
        axes.series(canvas, &series.points, color::line(place), 2.4, series.mark);
    }
    canvas.unclip();
}

/// Covers whole numbers with half of one as space on either side, and ticks at whole numbers.
fn counting(values: impl Iterator<Item = f64>) -> AxisScale {
    let exact = AxisScale::spanning(values, false, 8);
    AxisScale { low: exact.low - 0.5, high: exact.high + 0.5, step: exact.step.max(1.0).ceil() }
}

/// Returns whether the axis should include zero because the values are close to it.
fn near_zero(values: impl Iterator<Item = f64>) -> bool {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    low <= high && low.abs().min(high.abs()) <= 0.6 * low.abs().max(high.abs())
}

#[cfg(test)]
mod tests {
    use super::super::color::Rgb;
    use super::*;

    fn wheel_rig() -> Figure {
        let slips: Vec<f64> = (0..=16).map(|n| 0.05 * f64::from(n)).collect();
        let over = |f: &dyn Fn(f64) -> f64| slips.iter().map(|s| [*s, f(*s)]).collect::<Vec<_>>();
        let panel = |y_label: &str, f: &dyn Fn(f64) -> f64| PlotAxes {
            title: String::new(),
            x_label: "slip".into(),
            y_label: y_label.into(),
            from_zero: false,
            counts: false,
            series: vec![
                Series { name: "2 cm grid".into(), points: over(f), mark: SeriesMark::Line },
                Series {
                    name: "1 cm grid".into(),
                    points: over(&|s| 1.02 * f(s)),
                    mark: SeriesMark::Dashes,
                },
                Series {
                    name: "closed form".into(),
                    points: over(&|s| 0.99 * f(s)),
                    mark: SeriesMark::Dots,
                },
            ],
        };
        Figure {
            title: "Driven wheel on lean clay at 22 % moisture".into(),
            subtitle: "rigid wheel 0.47 m x 0.25 m, load 8 kN, converged to 1.2 %".into(),
            panels: vec![
                panel("drawbar pull, kN", &|s| 3.0 * (1.0 - (-s / 0.12f64).exp()) - 1.1),
                panel("torque, kN m", &|s| 2.2 * (1.0 - (-s / 0.15f64).exp())),
                panel("sinkage, cm", &|s| 6.0 + 5.0 * s),
            ],
        }
    }

    #[test]
    fn draws_a_decodable_image() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rig.png");
        write(&path, &wheel_rig()).unwrap();
        if let Some(kept) = std::env::var_os("BEKKER_KEEP_PICTURES") {
            std::fs::copy(&path, Path::new(&kept).join("rig.png")).unwrap();
        }
        let decoder =
            png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(reader.info().width, 1600);
        let line = color::line(0);
        let drawn = pixels.chunks(3).filter(|p| **p == [line.0, line.1, line.2]).count();
        assert!(drawn > 3 * 500, "only {drawn} pixels in the first line's color");
    }

    #[test]
    fn counted_things_have_whole_ticks() {
        let labels = |values: &[f64]| -> Vec<String> {
            let scale = counting(values.iter().copied());
            scale.ticks().into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(&[1.0, 1.5, 3.0]), ["1", "2", "3"]);
        assert_eq!(labels(&[2.0]), ["1", "2", "3"]);
        assert_eq!(labels(&[1.0, 24.0]), ["5", "10", "15", "20"]);
    }

    /// A result at a single point is visible, and a long legend stays on the page.
    #[test]
    fn single_points_and_long_legends_are_drawn() {
        let canvas = Canvas::new(200, 200, 1.0).unwrap();
        let names: Vec<String> = (0..9).map(|n| format!("simulation, lean_clay_{n}")).collect();
        let legend: Vec<_> =
            names.iter().map(|name| (name.as_str(), SeriesMark::MarkedLine)).collect();
        let entries = legend_entries(&canvas, &legend);
        for ((name, _), [x, _]) in legend.iter().zip(&entries) {
            assert!(x + 34.0 + canvas.text_width(name, legend_style()) <= WIDTH - RIGHT);
        }
        assert!(entries[8][1] >= 1.0, "{entries:?}");

        let points = vec![[27.0, 16.0]];
        let series = vec![Series { name: "a".into(), points, mark: SeriesMark::MarkedLine }];
        let panels = vec![PlotAxes::from_zero("roughness, mm", "speed, km/h", series)];
        let canvas = draw(&Figure { panels, ..Figure::default() }).unwrap();
        let bytes = canvas.encode().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let Rgb(r, g, b) = color::line(0);
        assert!(pixels.chunks(3).filter(|pixel| **pixel == [r, g, b]).count() > 50);
    }

    #[test]
    fn a_plot_without_points_is_refused() {
        let mut figure = wheel_rig();
        for series in figure.panels.iter_mut().flat_map(|panel| &mut panel.series) {
            series.points = vec![[0.0, f64::NAN]];
        }
        let error = write(Path::new("/nowhere/plot.png"), &figure).unwrap_err();
        assert_eq!(error.to_string(), "nothing to draw: the plot has no finite points");
    }
}
