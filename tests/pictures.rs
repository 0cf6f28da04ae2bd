//! A dozen pictures and pages, compared with stored ones at low resolution.
//!
//! Each stored picture has the mean colors of a grid of cells. A change of layout, colors, shadows,
//! ruts or plots moves them; a change of fonts or of antialiasing does not. After a wanted change,
//! `BEKKER_WRITE_PICTURES=1` writes them again: look at the pictures before you commit them.

use crate::runs::{Runs, bekker, stderr_text};
use crate::view::{Browser, viewed};
use crate::view_page::{emulate, seek};

use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cells of a stored picture in x and y.
const GRID: [usize; 2] = [48, 30];
/// Largest difference of the mean over all cells, in levels of 255.
///
/// Two machines with other fonts differ by up to 1.5.
const MEAN_LEVELS: f64 = 3.0;
/// Share of the cells that may differ by more than [`CELL_LEVELS`].
const SHARE_OF_CELLS: f64 = 0.03;
/// Difference of a cell that counts, in levels of 255.
const CELL_LEVELS: f64 = 30.0;

const SCENARIO: &str = r#"
format = 1
name = "pictured"
seed = 7
time = { duration = 4 }
ground = { spacing = 0.1 }
terrain = { surface = { kind = "procedural", amplitude = 1, wavelength = 30 } }
soil = { default = "mud" }
[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
speed = 3
tire = "rigid"
driver = { kind = "path", waypoints = [[0, 0], [20, 2], [60, 0]], speed = 4 }
[[vehicle]]
name = "second"
model = "hmmwv"
position = [0, 6]
speed = 3
tire = "rigid"
driver = { kind = "path", waypoints = [[0, 6], [60, 8]], speed = 3 }
"#;

const STUDY: &str = r#"
format = 1
scenario = "scenario.toml"
design = "full_factorial"
responses = ["mean_slip", "distance"]
[[factor]]
name = "speed"
key = "vehicle[0].driver.speed"
values = [2, 3, 4]
"#;

/// Mean colors of the cells of a picture.
type Cells = Vec<[f64; 3]>;

fn cells(pixels: &[[u8; 3]], width: usize) -> Cells {
    let height = pixels.len() / width;
    let [columns, rows] = GRID;
    let cell = |index: usize| {
        let [column, row] = [index % columns, index / columns];
        let x = column * width / columns..(column + 1) * width / columns;
        let y = row * height / rows..(row + 1) * height / rows;
        let count = (x.len() * y.len()) as f64;
        let all = y.flat_map(|y| x.clone().map(move |x| y * width + x));
        let sum = all.fold([0.0; 3], |sum: [f64; 3], at| {
            [0, 1, 2].map(|part| sum[part] + f64::from(pixels[at][part]))
        });
        sum.map(|part| part / count)
    };
    (0..columns * rows).map(cell).collect()
}

fn read(path: &Path) -> (Vec<[u8; 3]>, usize) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let channels = info.color_type.samples();
    let pixels = bytes.chunks_exact(channels).map(|p| [p[0], p[1], p[2]]).collect();
    (pixels, info.width as usize)
}

fn write(path: &Path, cells: &Cells) {
    let file = fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, GRID[0] as u32, GRID[1] as u32);
    encoder.set_color(png::ColorType::Rgb);
    let levels: Vec<u8> = cells.iter().flatten().map(|level| level.round() as u8).collect();
    encoder.write_header().unwrap().write_image_data(&levels).unwrap();
}

/// Pictures compared so far.
#[derive(Default)]
struct Comparison {
    count: usize,
    faults: Vec<String>,
}

impl Comparison {
    /// Compares a picture with the stored one, or stores it.
    fn check(&mut self, name: &str, (pixels, width): (Vec<[u8; 3]>, usize)) {
        self.count += 1;
        let found = cells(&pixels, width);
        let path = format!("{}/tests/data/pictures/{name}.png", env!("CARGO_MANIFEST_DIR"));
        let path = PathBuf::from(path);
        if std::env::var_os("BEKKER_WRITE_PICTURES").is_some() {
            return write(&path, &found);
        }
        let (stored, columns) = read(&path);
        let stored = cells(&stored, columns);
        let apart = found.iter().zip(&stored);
        let apart: Vec<f64> = apart
            .map(|(own, other)| {
                (0..3).map(|part| (own[part] - other[part]).abs()).sum::<f64>() / 3.0
            })
            .collect();
        let mean = apart.iter().sum::<f64>() / apart.len() as f64;
        let others = apart.iter().filter(|apart| **apart > CELL_LEVELS).count();
        let share = others as f64 / apart.len() as f64;
        println!("{name}: mean {mean:.2} levels, {share:.3} of the cells differ");
        if mean > MEAN_LEVELS || share > SHARE_OF_CELLS {
            let kept = std::env::temp_dir().join(format!("bekker_{name}.png"));
            write(&kept, &found);
            let stored = path.display();
            self.faults.push(format!(
                "{name}: mean {mean:.1} levels, {share:.2} of the cells; compare {} with {stored}",
                kept.display()
            ));
        }
    }

    fn finish(self) {
        assert!(self.faults.is_empty(), "{:#?}", self.faults);
        println!("{} pictures", self.count);
    }
}

fn command(folder: &Path, arguments: &[&str]) {
    let output = Command::new(bekker()).current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", stderr_text(&output));
}

/// Pictures of commands, then pages in a headless Chromium, at both sizes and in both themes.
#[test]
fn pictures_and_pages_look_as_stored() {
    let runs = Runs::new(SCENARIO);
    let folder = runs.folder.path();
    fs::write(folder.join("study.toml"), STUDY).unwrap();
    fs::create_dir(folder.join("all")).unwrap();
    for arguments in [
        &["run", "scenario.toml", "-q", "--out", "all/mud"][..],
        &["run", "scenario.toml", "-q", "--set", "soil.default=\"firm\"", "--out", "all/firm"],
        &["compare", "all/mud", "all/firm", "--out", "compare.png"],
        &["preview", "scenario.toml", "--out", "preview.png"],
        &["render", "--run", "all/mud", "--size", "480x300", "--out", "render.png"],
        &[
            "rig",
            "wheel",
            "--soil",
            "mud",
            "--slip",
            "0,0.2,0.5",
            "--spacing",
            "0.05",
            "--plot",
            "wheel.png",
        ],
        &["rig", "plate", "--soil", "mud", "--plot", "plate.png"],
        &["study", "run", "study.toml", "-q", "--out", "all/study"],
        &["study", "report", "all/study", "--pictures", "0"],
    ] {
        command(folder, arguments);
    }
    let mut comparison = Comparison::default();
    for name in ["compare", "preview", "render", "wheel", "plate"] {
        comparison.check(name, read(&folder.join(format!("{name}.png"))));
    }
    comparison.check("run", read(&folder.join("all/mud/picture.png")));
    let (_view, url) = viewed(&folder.join("all"));
    let Some(mut browser) = Browser::open(&url) else { return comparison.finish() };
    // the first page sets the cookie that the others need
    browser.wait("document.querySelector('.cards') !== null");
    let base = url.split("/?").next().unwrap().to_string();
    let desktop = ([1280, 800], "light");
    for (name, path, ready, (size, theme)) in [
        ("list", "/", "document.querySelector('.cards') !== null", desktop),
        ("list_phone", "/", "document.querySelector('.cards') !== null", ([390, 844], "dark")),
        (
            "compare_page",
            "/compare?run=0&run=1",
            "document.querySelector('table') !== null",
            desktop,
        ),
        ("study_page", "/study/0", "document.querySelector('svg, img') !== null", desktop),
    ] {
        browser.call("Page.navigate", json!({ "url": format!("{base}{path}") }));
        browser.wait(ready);
        emulate(&mut browser, size, theme);
        comparison.check(name, browser.picture());
    }
    browser.call("Page.navigate", json!({ "url": format!("{base}/run/1/") }));
    browser.wait("globalThis.bekker?.frame != null && bekker.plots.recorded");
    for (name, size, theme) in
        [("viewer", [1280, 800], "light"), ("viewer_phone", [390, 844], "dark")]
    {
        emulate(&mut browser, size, theme);
        seek(&mut browser, 3.5);
        browser.wait("bekker.settle()");
        browser.draw();
        comparison.check(name, browser.picture());
    }
    comparison.finish();
}
