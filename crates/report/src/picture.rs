//! The run in one picture.
//!
//! The map shows the ground driven over, shaded from the north-west and tinted by soil, with
//! contours. Ruts are bands, much wider than the ruts themselves, colored by their depth. Each
//! vehicle's track is a line next to the band, in the vehicle's color. Next to the map is the
//! deepest rut to scale at the resolution of the soil, with a cross section. Below are speed, slip
//! and sinkage over time. Without ruts, the map is larger, and the plots are next to it.

use super::canvas::{Canvas, Frame, TextStyle};
use super::close_up::close_up;
use super::color::SECONDARY;
use super::depth_scale::{DepthScale, VISIBLE, color_bar};
use super::geotiff::RutNode;
use super::legend::{ENDING, ENDING_LINE, endings, legend};
use super::page::{MAP_LEFT, MAP_RIGHT, MARGIN, SIDE, TOP, WIDTH, footer, heading};
use super::relief::MapView;
use super::scene::RunScene;
use super::{ReportError, file, histories, map};
use std::path::Path;

/// Size of a picture, pixels.
///
/// The layout is made for 1920 x 1200 and scales with the width. The height of the map adapts to
/// the height of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Default for Size {
    fn default() -> Size {
        Size { width: 1920, height: 1200 }
    }
}

/// Height of the content below the map.
const FOOT: f32 = 372.0;
/// The same for a run without ruts, whose plots are right of the map.
const BARE_FOOT: f32 = 108.0;
/// Minimum height of the map; outcome sentences may reduce it to this.
const LEAST_MAP: f32 = 380.0;
/// Draws the scene as a PNG.
pub fn write(path: &Path, scene: &RunScene<'_>, size: Size) -> Result<(), ReportError> {
    let bytes = draw(scene, size)?.encode().map_err(ReportError::encode(path))?;
    file::write(path, &bytes)
}

fn draw(scene: &RunScene<'_>, size: Size) -> Result<Canvas, ReportError> {
    let scale = size.width as f32 / WIDTH;
    let height = size.height as f32 / scale;
    if height < 900.0 {
        return Err(ReportError::Size {
            what: "size of the run picture",
            width: u64::from(size.width),
            height: u64::from(size.height),
            allowed: "at most twice as wide as high",
        });
    }
    let driven =
        map::driven_bounds(&scene.tracks).ok_or(ReportError::Nothing("no vehicle has a track"))?;
    let mut canvas = Canvas::new(size.width, size.height, scale)?;
    heading(&mut canvas, &scene.caption);

    let is_deformed = map::deepest_node(scene.nodes).is_some_and(|own| own.depth >= VISIBLE);
    let foot = if is_deformed { FOOT } else { BARE_FOOT };
    let endings = endings(&canvas, scene, height - foot - TOP - LEAST_MAP);
    let floor = height - endings.len() as f32 * ENDING_LINE;
    let bottom = floor - foot;
    let frame = Frame { x: MAP_LEFT, y: TOP, width: MAP_RIGHT - MAP_LEFT, height: bottom - TOP };
    let view = scene.land.view(frame, driven);
    if is_deformed {
        with_ruts(&mut canvas, scene, &view, floor);
    } else {
        without_ruts(&mut canvas, scene, &view, floor);
    }
    for (n, (line, color)) in endings.iter().enumerate() {
        let y = floor - 26.0 + n as f32 * ENDING_LINE;
        canvas.text(line, [MARGIN, y], TextStyle::new(ENDING, *color));
    }

    footer(&mut canvas, &scene.caption, height);
    Ok(canvas)
}

/// Draws the map with the ruts, the deepest one to its right, and plots below it.
fn with_ruts(canvas: &mut Canvas, scene: &RunScene<'_>, view: &MapView, floor: f32) {
    let bottom = floor - FOOT;
    let sections = map::sections(scene, view);
    let deepest = map::deepest(scene, &sections);
    let colors = DepthScale::reaching(deepest.map_or(0.0, |section| section.depth));
    map::draw(canvas, scene, view, &sections, &colors, MAP_RIGHT);
    let side = Frame { x: SIDE, y: TOP, width: WIDTH - MARGIN - SIDE, height: bottom - TOP };
    if let Some(section) = &deepest {
        let close = close_up(canvas, scene, section, &colors, side);
        map::mark_window(canvas, view, &close);
        color_bar(canvas, &colors, side);
    }
    map::blocked(canvas, scene, view);
    map::marks(canvas, scene, view, &sections);
    histories::below_map(canvas, scene, bottom + 76.0, floor - 92.0);
    legend(canvas, scene, view, Frame { y: bottom + 58.0, ..side });
}

/// Draws a larger map without ruts, with the legend and the plots to its right. They take the width that the
/// map leaves.
fn without_ruts(canvas: &mut Canvas, scene: &RunScene<'_>, view: &MapView, floor: f32) {
    let sections = map::sections(scene, view);
    let left = (view.frame.right() + 88.0).min(SIDE);
    // the signs below a narrow map may be wider than it
    let right = view.frame.right().max(MAP_LEFT + 0.5 * (MAP_RIGHT - MAP_LEFT));
    map::draw(canvas, scene, view, &sections, &DepthScale::reaching(0.0), right);
    map::blocked(canvas, scene, view);
    map::marks(canvas, scene, view, &sections);
    let side = Frame { x: left, y: TOP, width: WIDTH - MARGIN - left, height: floor - TOP };
    let mut y = legend(canvas, scene, view, Frame { y: TOP + 8.0, ..side }) + 42.0;
    let style = TextStyle::new(14.0, SECONDARY);
    for line in canvas.wrapped(&undeformed(scene), side.width, style) {
        canvas.text(&line, [side.x, y], style);
        y += 20.0;
    }
    let column = Frame { y: y + 12.0, height: floor - 48.0 - y - 12.0, ..side };
    histories::right_of_map(canvas, scene, column);
}

/// Returns the depth of the deepest rut in centimeters, as printed in the heading and the inset.
pub fn rut_depth(nodes: &[RutNode]) -> String {
    let depth = map::deepest_node(nodes).map_or(0.0, |own| 100.0 * own.depth.max(0.0));
    if depth < 9.95 { format!("{depth:.1} cm") } else { format!("{depth:.0} cm") }
}

/// Returns the reason that no rut is shown.
fn undeformed(scene: &RunScene<'_>) -> String {
    match scene.nodes.len() {
        0 => "The ground was not deformed.".into(),
        count => {
            format!("{count} nodes were deformed, all by less than {:.0} mm.", 1000.0 * VISIBLE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::canvas::TextStyle;
    use super::super::color::{self, ALARM, INK, Rgb};
    use super::super::drawn_ground::{DrawnGround, SoilSign};
    use super::super::profile::ProfilePoint;
    use super::super::scene::{Caption, Highlight, SceneTrack, TrackPoint};
    use super::*;
    use bekker_agent::Outcome;
    use bekker_ground::soil::SoilId;
    use bekker_math::grid::Node;
    use bekker_math::spatial::Vec3;
    use bekker_world::BlockedCell;
    use std::sync::LazyLock;

    const SPACING: f64 = 0.02;

    /// Nodes of [`rut`], every second one in each direction.
    static NODES: LazyLock<Vec<RutNode>> = LazyLock::new(|| {
        let mut nodes = Vec::new();
        for i in (3000..10_250).step_by(2) {
            let middle = (way(SPACING * f64::from(i)) / SPACING) as i32;
            for j in (middle - 120..middle + 120).step_by(2) {
                let depth = rut(SPACING * f64::from(i), SPACING * f64::from(j));
                nodes.extend((depth != 0.0).then_some(RutNode { node: Node { i, j }, depth }));
            }
        }
        nodes
    });

    fn way(x: f64) -> f64 {
        22.0 * (x / 55.0).sin() + 6.0 * (x / 21.0).cos()
    }

    fn hill(x: f64, y: f64) -> f64 {
        8.0 * (x / 70.0 + 0.4).sin() * (y / 50.0).cos()
            + 2.5 * ((x + 1.7 * y) / 23.0).sin()
            + 0.35 * (x / 6.0).sin() * (y / 7.0).sin()
    }

    /// Two ruts with berms that get deeper toward the east, up to x = 205 m.
    fn rut(x: f64, y: f64) -> f64 {
        let (i, j) = ((x / SPACING).round() * SPACING, (y / SPACING).round() * SPACING);
        if !(60.0..205.0).contains(&i) {
            return 0.0;
        }
        let slope = 0.4 * (i / 55.0).cos() - 6.0 / 21.0 * (i / 21.0).sin();
        let off = (j - way(i)) / slope.hypot(1.0);
        let depth = 0.02 + 0.2 * ((i - 60.0) / 145.0).powi(2);
        [-0.92, 0.92].iter().fold(0.0, |sum, side| {
            let from = (off - side).abs();
            if from < 0.15 {
                sum + depth * (1.0 + 0.08 * (i * 20.0).sin())
            } else if from < 0.30 {
                sum - 0.25 * depth * (1.0 - ((from - 0.225) / 0.075).powi(2))
            } else {
                sum
            }
        })
    }

    fn track(n: usize, end: f64, outcome: Outcome) -> SceneTrack {
        let points = (0..=1200).map(|k| {
            let time = 0.05 * f64::from(k);
            let start = -18.0 * n as f64;
            let x = (start + 4.6 * time).min(end);
            let stuck = x >= end;
            let soft = ((x - 60.0) / 145.0).clamp(0.0, 1.0);
            TrackPoint {
                time,
                position: [x, way(x)],
                speed: if stuck { 0.0 } else { 5.0 - 2.2 * soft + 0.1 * (time * 3.0).sin() },
                slip: if stuck {
                    0.95
                } else {
                    0.02 + 0.4 * soft * soft + 0.01 * (time * 9.0).sin()
                },
                sinkage: 0.01 + 0.16 * soft * soft + 0.004 * (time * 7.0).sin(),
                deepest: 0.02 + 0.2 * soft * soft,
            }
        });
        SceneTrack {
            name: ["leader", "second", "third", "rear guard"][n].into(),
            outcome: outcome.report(|_| "mud", |_| "leader", |_| "oak"),
            distance: end + 18.0 * n as f64,
            points: points.collect(),
        }
    }

    fn profile_point(n: i32) -> ProfilePoint {
        let x = f64::from(n);
        ProfilePoint {
            distance: x,
            height: hill(x, way(x)),
            grade: hill(x + 1.0, way(x + 1.0)) - hill(x, way(x)),
            limit: Some(0.2),
            tint: color::soil(usize::from(x > 60.0)),
        }
    }

    fn scene() -> RunScene<'static> {
        let sunk = Outcome::Sunk {
            time: 44.6,
            position: Vec3::new(205.0, 0.0, 0.0),
            soil: SoilId(0),
            depth: 1.02,
            height: 0.94,
        };
        let fact =
            |value: &str, label: &str| Highlight { value: value.into(), label: label.into() };
        RunScene {
            caption: Caption {
                title: "Convoy into mud".into(),
                subtitle:
                    "four HMMWVs, 60 s, gap 18 m; firm loam turning into lean clay at 32 % moisture"
                        .into(),
                facts: vec![
                    fact("22 cm", "deepest rut"),
                    fact("812 k", "deformed nodes"),
                    fact("2.5 ×", "real time on 2 cores"),
                ],
                footer: "bekker 0.1.0, state 9f86d081884c7d65".into(),
            },
            land: DrawnGround {
                height: &hill,
                soil: &|x, y| usize::from(x + 12.0 * (y / 30.0).sin() > 60.0),
                is_gap: &|_, _| false,
                soils: vec![
                    SoilSign { name: "firm loam".into(), tint: color::soil(0) },
                    SoilSign { name: "lean clay, 32 % moisture".into(), tint: color::soil(1) },
                ],
                bounds: [-100.0, -70.0, 400.0, 300.0],
                props: &[],
                placement: None,
            },
            rut: &rut,
            spacing: SPACING,
            nodes: &NODES,
            ways: vec![(0..260).map(|x| [f64::from(x), way(f64::from(x))]).collect()],
            profile: Some((0, (0..260).map(profile_point).collect())),
            hits: vec![[60.0, 4.0]],
            blocked: vec![BlockedCell { corner: [40.0, 6.0], side: 0.5, is_hole: true }],
            tracks: vec![
                track(0, 204.0, sunk),
                track(1, 186.0, Outcome::UnderWay),
                track(2, 168.0, Outcome::UnderWay),
                track(3, 150.0, Outcome::Arrived { time: 55.0 }),
            ],
        }
    }

    /// Copies pictures for visual inspection to the folder in `BEKKER_KEEP_PICTURES`, if it is set.
    fn keep(path: &Path, name: &str) {
        if let Some(folder) = std::env::var_os("BEKKER_KEEP_PICTURES") {
            std::fs::copy(path, Path::new(&folder).join(name)).unwrap();
        }
    }

    fn decoded(path: &Path) -> (u32, u32, Vec<u8>) {
        let file = std::fs::File::open(path).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (reader.info().width, reader.info().height, pixels)
    }

    #[test]
    fn shows_ruts_tracks_and_trouble() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.png");
        write(&path, &scene(), Size::default()).unwrap();
        keep(&path, "run.png");
        let (width, height, pixels) = decoded(&path);
        assert_eq!((width, height), (1920, 1200));
        let count = |c: Rgb| pixels.chunks(3).filter(|p| **p == [c.0, c.1, c.2]).count();
        for n in 0..4 {
            assert!(count(color::line(n)) > 500, "track {n} is not to be seen");
        }
        assert!(count(ALARM) > 50, "the stuck vehicle is not marked");
    }

    /// The deepest rut may be a pit far from every track, or below a vehicle that never moved.
    #[test]
    fn the_deepest_rut_is_that_of_the_grid() {
        let track_of = |places: &[[f64; 2]]| {
            let mut own = track(0, 0.0, Outcome::UnderWay);
            own.points.truncate(places.len());
            own.points.iter_mut().zip(places).for_each(|(point, place)| point.position = *place);
            own
        };
        let straight: Vec<[f64; 2]> = (0..60).map(|n| [f64::from(n), 0.3]).collect();
        for (places, [x, y]) in [
            (&straight[..], [30.0, 9.0]),
            (&straight[..], [31.26, 1.5]),
            (&straight[..], [-40.0, -3.0]),
            (&[[5.0, 5.0]; 40][..], [5.9, 5.9]),
        ] {
            let at = |x: f64| (x / SPACING).round() as i32;
            let pit = Node { i: at(x), j: at(y) };
            let is_pit = move |a: f64, b: f64| (a - x).hypot(b - y) < 0.5 * SPACING;
            let depth = move |a: f64, b: f64| if is_pit(a, b) { 0.6 } else { 0.0 };
            // berms and a shallow rut on the track, which are not the deepest
            let shallow = RutNode { node: Node { i: 500, j: 0 }, depth: 0.125 };
            let heaped = RutNode { node: Node { i: 501, j: 0 }, depth: -0.7 };
            let lost = RutNode { node: Node { i: 502, j: 0 }, depth: f64::NAN };
            let nodes = [shallow, heaped, lost, RutNode { node: pit, depth: 0.6 }];
            let scene =
                RunScene { nodes: &nodes, rut: &depth, tracks: vec![track_of(places)], ..scene() };
            let bounds = map::driven_bounds(&scene.tracks).unwrap();
            let frame = Frame { x: 0.0, y: 0.0, width: 1000.0, height: 600.0 };
            let view = scene.land.view(frame, bounds);
            let sections = map::sections(&scene, &view);
            let found = map::deepest(&scene, &sections).unwrap();
            assert_eq!((found.depth, rut_depth(&nodes)), (0.6, "60 cm".into()));
            // the line across contains the pit
            let [a, b] = [found.across(-map::REACH), found.across(map::REACH)];
            let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
            let off = ((x - a[0]) * dy - (y - a[1]) * dx).abs() / dx.hypot(dy);
            let along = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy);
            assert!(off < 0.5 * SPACING && (0.0..=1.0).contains(&along), "{found:?}");
            let shown = map::interpolated(&scene, [x, y]);
            assert!(shown > 0.5, "{shown}");
        }
    }

    #[test]
    fn ground_is_undeformed_only_without_a_deformed_node() {
        let told = |nodes: &'static [RutNode]| undeformed(&RunScene { nodes, ..scene() });
        assert_eq!(told(&[]), "The ground was not deformed.");
        const SLIGHT: [RutNode; 2] = [
            RutNode { node: Node { i: 0, j: 0 }, depth: 0.001 },
            RutNode { node: Node { i: 1, j: 0 }, depth: -0.02 },
        ];
        assert_eq!(told(&SLIGHT), "2 nodes were deformed, all by less than 2 mm.");
        assert_eq!([rut_depth(&SLIGHT), rut_depth(&[])], ["0.1 cm", "0.0 cm"]);
    }

    #[test]
    fn level_firm_ground_a_standing_vehicle_and_a_gap_are_drawn_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.png");
        let infinite = f64::INFINITY;
        let mut still = track(0, 0.0, Outcome::UnderWay);
        still.points.truncate(2);
        let mut driving = track(1, 186.0, Outcome::UnderWay);
        driving.points[600].position = [f64::NAN; 2];
        let scene = RunScene {
            land: DrawnGround {
                height: &|_, _| 1.0,
                soil: &|_, _| 0,
                bounds: [-infinite, -infinite, infinite, infinite],
                ..scene().land
            },
            rut: &|_, _| 0.0,
            nodes: &[],
            ways: Vec::new(),
            profile: None,
            tracks: vec![still, driving],
            ..scene()
        };
        write(&path, &scene, Size { width: 960, height: 600 }).unwrap();
        keep(&path, "firm.png");
        let (width, _, pixels) = decoded(&path);
        assert_eq!(width, 960);
        // its plots are right of the map, below the legend
        let driven = color::line(1);
        // lines of less than a pixel are mixed with the white of the page
        let is_line = |n: usize| {
            let near = |k: usize, own: u8| pixels[3 * n + k].abs_diff(own) < 60;
            near(0, driven.0) && near(1, driven.1) && near(2, driven.2)
        };
        let count = (960 * 200..960 * 560).filter(|n| n % 960 > 700 && is_line(*n)).count();
        assert!(count > 50, "{count} pixels of the plots");
    }

    #[test]
    fn an_ending_is_printed_as_a_whole_sentence() {
        let canvas = Canvas::new(1920, 1200, 1.0).unwrap();
        let sentence = format!("leader: {}", scene().tracks[0].outcome);
        let told = endings(&canvas, &scene(), 300.0);
        let words: Vec<&str> = told.iter().map(|(line, _)| line.as_str()).collect();
        assert_eq!(words.join(" "), sentence);
        // of many sentences, those that do not fit are counted
        let tracks = vec![scene().tracks[0].clone(); 9];
        let many = RunScene { tracks, ..scene() };
        let told = endings(&canvas, &many, 3.0 * ENDING_LINE);
        assert_eq!((told.len(), told[2].0.as_str()), (3, "7 more ended drives: see summary.json"));
        // in a narrow column a sentence continues in the next line
        let style = TextStyle::new(ENDING, INK);
        let lines = canvas.wrapped(&sentence, 200.0, style);
        assert!(lines.len() > 2 && lines.join(" ") == sentence, "{lines:?}");
        assert!(lines.iter().all(|line| canvas.text_width(line, style) <= 200.0), "{lines:?}");
    }

    #[test]
    fn nothing_to_draw_and_odd_sizes_are_errors() {
        let path = Path::new("/nowhere/run.png");
        let empty = RunScene { tracks: vec![], ..scene() };
        let error = write(path, &empty, Size::default()).unwrap_err().to_string();
        assert_eq!(error, "nothing to draw: no vehicle has a track");
        let flat = Size { width: 1920, height: 400 };
        let error = write(path, &scene(), flat).unwrap_err().to_string();
        assert!(error.contains("1920 x 400; must be at most twice as wide as high"), "{error}");
    }
}
