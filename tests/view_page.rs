//! The viewer's page in a headless Chromium: ruts at any zoom, plots, selection, sizes, themes,
//! bookmarks, keys and accessibility.

use crate::runs::Runs;
use crate::view::{Browser, SCENARIO, driven, two, viewed};

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A tracked vehicle that leaves prints in mud within two seconds.
const TRACKED: &str = r#"
format = 1
name = "tracked"
seed = 7
time = { duration = 2 }
soil = { default = "mud" }

[[vehicle]]
name = "lead"
model = "m113"
position = [0, 0]
speed = 3
driver = { kind = "path", waypoints = [[0, 0], [60, 0]], speed = 4 }

[output]
picture = { draw = false }
"#;

/// Bookmark of a paused run without panel, and a small window, which software draws fast.
const SCENE_ONLY: &str = "#t=0&show=";
pub const SMALL: [u32; 2] = [400, 340];

/// Pauses the run and waits until it shows a time.
pub fn seek(browser: &mut Browser, time: f64) {
    browser.evaluate(&format!(
        "document.body.dataset.hash = ''; bekker.source.ask({{kind: 'pause'}}); \
         bekker.source.ask({{kind: 'seek', time: {time}}})"
    ));
    browser.wait(&format!(
        "document.body.dataset.hash !== '' && Math.abs(bekker.frame.time - {time}) < 0.02"
    ));
}

/// Sets the size of the window and its theme.
pub fn emulate(browser: &mut Browser, [width, height]: [u32; 2], theme: &str) {
    let metrics =
        json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
    browser.call("Emulation.setDeviceMetricsOverride", metrics);
    let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
    browser.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    browser.wait(&format!("innerWidth === {width}"));
    browser.draw();
}

/// A picture of the scene without vehicles, in rows from below.
pub struct Shot {
    pixels: Vec<[u8; 3]>,
    size: [usize; 2],
}

impl Shot {
    /// Draws a view after all its squares of terrain have arrived.
    ///
    /// The scene is drawn and read in one call, which does not wait for the browser's frames.
    pub fn new(browser: &mut Browser, view: &str) -> Shot {
        browser.evaluate(view);
        browser.wait("bekker.settle()");
        let hide = "for (const own of bekker.vehicles.moving.values()) own.visible = false";
        Shot::read(browser, &format!("{hide}; bekker.pixels()"))
    }

    /// Evaluates a script that returns `bekker.pixels()`.
    fn read(browser: &mut Browser, script: &str) -> Shot {
        use base64::Engine;
        let drawn = browser.evaluate(script);
        let (width, height, text): (usize, usize, String) = serde_json::from_value(drawn).unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
        assert_eq!(bytes.len(), 4 * width * height);
        let pixels = bytes.chunks_exact(4).map(|p| [p[0], p[1], p[2]]).collect();
        Shot { pixels, size: [width, height] }
    }

    /// Returns the color of the pixel that is offset from a position.
    pub fn pixel(&self, [x, y]: [f64; 2], [dx, dy]: [i64; 2]) -> [u8; 3] {
        self.pixels[(y as i64 + dy) as usize * self.size[0] + (x as i64 + dx) as usize]
    }

    /// Returns the share of pixels that differ from another picture by more than 5 levels.
    pub fn share_that_differs(&self, other: &Shot) -> f64 {
        let pairs = self.pixels.iter().zip(&other.pixels);
        let differs = |(own, other): &(&[u8; 3], &[u8; 3])| {
            own.iter().zip(*other).any(|(a, b)| a.abs_diff(*b) > 5)
        };
        pairs.filter(differs).count() as f64 / self.pixels.len() as f64
    }

    /// Whether a pixel at most two pixels from a position differs from that of another picture.
    ///
    /// Pictures of the same scene are equal; haze at 2.5 km leaves 9 of 765 levels of a rut.
    fn differs_near(&self, other: &Shot, at: [f64; 2]) -> bool {
        let around = (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| [dx, dy]));
        around.into_iter().any(|by| {
            let [own, other] = [self, other].map(|shot| shot.pixel(at, by));
            let pair = own.iter().zip(other);
            pair.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>() > 5
        })
    }
}

/// Returns the positions in the picture of points on the ground that are inside the view.
fn projected(browser: &mut Browser, points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let script = format!(
        "(() => {{ \
           const [ox, oy] = bekker.run.origin, {{ width, height }} = canvas; \
           return {points:?}.map(([x, y]) => {{ \
             const z = bekker.terrain.at(x - ox, y - oy).height; \
             const p = bekker.camera.position.clone().set(x - ox, y - oy, z).project(bekker.camera); \
             return [(p.x + 1) * width / 2, (p.y + 1) * height / 2]; }})\
             .filter(([u, v]) => u > 3 && u < width - 3 && v > 3 && v < height - 3); \
         }})()"
    );
    serde_json::from_value(browser.evaluate(&script)).unwrap()
}

/// Checks that the ruts through `points` are seen in a view: with depths in color, and without.
fn assert_ruts_visible(browser: &mut Browser, points: &[[f64; 2]], view: &str, without: &Shot) {
    let plain = Shot::new(browser, view);
    let click = "document.getElementById('depths').click()";
    let colored = Shot::new(browser, click);
    browser.evaluate(click);
    let places = projected(browser, points);
    assert!(places.len() * 2 > points.len(), "{view}: {} of the points in view", places.len());
    for (shot, other, name) in [(&colored, &plain, "colored"), (&plain, without, "plain")] {
        let unseen: Vec<_> = places.iter().filter(|at| !shot.differs_near(other, **at)).collect();
        assert!(unseen.is_empty(), "{view}: no {name} rut at {unseen:?} of {}", places.len());
    }
}

/// Returns a script that looks at the ruts from a range, m, and an elevation.
pub fn view(range: f64, elevation: f64) -> String {
    format!(
        "bekker.eye.mode = 'orbit'; bekker.eye.azimuth = 3.6; bekker.eye.range = {range}; \
         bekker.eye.elevation = {elevation}; \
         bekker.eye.target.set(2 - bekker.run.origin[0], -bekker.run.origin[1], 0)"
    )
}

/// Ruts are continuous from near and far, after seeks, and while only coarse terrain is available.
///
/// `aside` is the lateral distance of a rut from the middle, and `reach` its length, m.
fn assert_ruts_visible_in(scenario: &str, aside: f64, end: f64, reach: f64) {
    let runs = Runs::new(scenario);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep{SCENE_ONLY}")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(browser, SMALL, "light");
    let points: Vec<[f64; 2]> = (0..=40)
        .flat_map(|k| [-aside, aside].map(|y| [0.5 + (reach - 0.5) * f64::from(k) / 40.0, y]))
        .collect();
    let views = [(9.0, 1.56), (14.0, 0.7), (40.0, 0.9), (60.0, 1.0), (300.0, 0.6), (2500.0, 1.2)]
        .map(|(range, elevation)| view(range, elevation));
    seek(browser, 0.0);
    browser.wait("bekker.tiles === 0");
    let without = views.each_ref().map(|view| Shot::new(browser, view));
    seek(browser, end);
    for (view, without) in views.iter().zip(&without) {
        assert_ruts_visible(browser, &points, view, without);
    }
    // back, and forward again
    seek(browser, 0.0);
    browser.wait("bekker.tiles === 0");
    seek(browser, end);
    assert_ruts_visible(browser, &points, &views[2], &without[2]);
    // no finer square arrives, as on a slow machine
    browser.evaluate(
        "for (const [key, chunk] of bekker.terrain.chunks) if (chunk.mesh && chunk.level < 3) { \
           chunk.mesh.removeFromParent(); bekker.terrain.chunks.set(key, 'absent'); }",
    );
    for near in [1, 4] {
        assert_ruts_visible(browser, &points, &views[near], &without[near]);
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn ruts_of_wheels_are_visible_at_every_zoom_and_moment() {
    assert_ruts_visible_in(SCENARIO, 0.91, 3.0, 6.0);
}

#[test]
fn ruts_of_tracks_are_visible_at_every_zoom_and_moment() {
    assert_ruts_visible_in(TRACKED, 1.08, 2.0, 3.0);
}

/// No pixel between terrain and ruts shows the background.
#[test]
fn there_are_no_holes_beside_ruts() {
    let runs = Runs::new(SCENARIO);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep{SCENE_ONLY}")) else { return };
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(&mut browser, SMALL, "light");
    // magenta, which no soil has, so that a part of a pixel is recognized, too
    browser.evaluate("bekker.renderer.setClearColor(0xff00ff, 1)");
    seek(&mut browser, 3.0);
    for (range, elevation) in [(8.0, 1.5), (12.0, 0.5), (90.0, 0.9)] {
        let Shot { pixels, size: [width, height] } =
            Shot::new(&mut browser, &view(range, elevation));
        let below = &pixels[..width * (2 * height / 3)];
        let holes = below.iter().filter(|[r, g, b]| *g < r.min(b).saturating_sub(10)).count();
        assert_eq!(holes, 0, "{range} m, {elevation}");
    }
}

/// A vehicle shades the ground on the side away from the sun, and its path is a ribbon in color.
#[test]
fn shadows_and_paths_are_on_the_ground() {
    let runs = Runs::new(SCENARIO);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep{SCENE_ONLY}")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(browser, SMALL, "light");
    seek(browser, 0.0);
    // the sun is 45 degrees high at the left of the vehicle, whose roof is 1.8 m high
    browser.evaluate("bekker.ruts.uniforms.toSun.value.set(0, Math.SQRT1_2, Math.SQRT1_2)");
    let sides = [[0.0, 1.7], [0.0, -1.7]];
    let lights = |browser: &mut Browser, shot: &Shot| -> Vec<f64> {
        let places = projected(browser, &sides);
        let mean = |at: &[f64; 2]| {
            let around = (-2..=2).flat_map(|dx| (-2..=2).map(move |dy| [dx, dy]));
            let sum: u32 =
                around.map(|by| shot.pixel(*at, by).map(u32::from).iter().sum::<u32>()).sum();
            f64::from(sum)
        };
        places.iter().map(mean).collect()
    };
    let without = Shot::new(browser, &view(14.0, 1.5));
    let bare = lights(browser, &without);
    assert!((bare[0] / bare[1] - 1.0).abs() < 0.1, "without a vehicle: {bare:?}");
    let shown = "for (const own of bekker.vehicles.moving.values()) own.visible = true; \
        bekker.eye.range = 14.01; bekker.pixels()";
    let with = Shot::read(browser, shown);
    let shaded = lights(browser, &with);
    assert!(shaded[1] < 0.8 * shaded[0] && shaded[0] > 0.9 * bare[0], "{shaded:?}, {bare:?}");
    // the ribbon ends at the vehicle
    seek(browser, 3.0);
    let middle: Vec<[f64; 2]> = (1..=12).map(|k| [0.5 * f64::from(k), 0.0]).collect();
    let plain = Shot::new(browser, &view(14.0, 0.7));
    let choose = |quantity: &str| {
        format!(
            "document.getElementById('path').value = '{quantity}'; \
             document.getElementById('path').onchange()"
        )
    };
    let ribbon = Shot::new(browser, &choose("sinkage"));
    let places = projected(browser, &middle);
    assert!(places.len() > 6);
    assert!(places.iter().all(|at| ribbon.differs_near(&plain, *at)));
    let ahead = projected(browser, &[[12.0, 0.0]]);
    assert!(!ribbon.differs_near(&plain, ahead[0]));
    let hidden = Shot::new(browser, &choose(""));
    assert!(places.iter().all(|at| !hidden.differs_near(&plain, *at)));
}

/// Returns the rows of a table of states, with values by the names of their columns.
pub fn table(run: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(run.join("states.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().unwrap().collect();
    lines.map(|values| names.iter().cloned().zip(values).collect()).collect()
}

/// Plots have the numbers of the table before anything is played, and a click in one seeks.
#[test]
fn plots_show_the_table_and_seek() {
    let runs = Runs::new(&two());
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep")) else { return };
    browser.wait("globalThis.bekker?.plots?.recorded === true");
    let rows = table(&run);
    let plotted = |browser: &mut Browser, plot: usize, vehicle: usize| -> Vec<f64> {
        let column = format!("Array.from(bekker.plots.columns[{plot}][{vehicle}])");
        serde_json::from_value(browser.evaluate(&column)).unwrap()
    };
    let times: Vec<f64> =
        serde_json::from_value(browser.evaluate("Array.from(bekker.plots.times)")).unwrap();
    for vehicle in 0..2 {
        let own: Vec<&BTreeMap<String, String>> =
            rows.iter().filter(|row| row["vehicle"] == vehicle.to_string()).collect();
        assert_eq!(own.len(), times.len());
        let number =
            |row: &BTreeMap<String, String>, column: &str| row[column].parse::<f64>().unwrap();
        let wheels = |row: &BTreeMap<String, String>, what: &str| -> Vec<f64> {
            (0..4).map(|wheel| number(row, &format!("wheel{wheel}_{what}"))).collect()
        };
        let [speeds, slips, sinkages] = [0, 1, 2].map(|plot| plotted(&mut browser, plot, vehicle));
        for (k, row) in own.iter().enumerate() {
            assert_eq!(times[k], number(row, "time_s"));
            assert_eq!(speeds[k], number(row, "speed_mps"));
            let mean = wheels(row, "slip").iter().sum::<f64>() / 4.0;
            assert!((slips[k] - 100.0 * mean).abs() < 1e-9);
            let deepest = wheels(row, "sinkage_m").into_iter().fold(0.0, f64::max);
            assert!((sinkages[k] - 100.0 * deepest).abs() < 1e-9);
        }
    }
    // A click in the middle of a plot seeks to the middle of the run; the cursor is there.
    browser.evaluate("bekker.source.ask({kind: 'pause'})");
    let place = browser.evaluate(
        "(() => { const over = bekker.plots.parts[0].plot.over; over.scrollIntoView({ block: 'center' }); \
         const box = over.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; })()",
    );
    let [x, y]: [f64; 2] = serde_json::from_value(place).unwrap();
    for kind in ["mousePressed", "mouseReleased"] {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
        browser.call("Input.dispatchMouseEvent", event);
    }
    browser.wait(
        "Math.abs(bekker.frame.time - 1.5) < 0.05 && document.body.dataset.hash !== undefined",
    );
    browser.wait(&format!(
        "Math.abs(bekker.plots.parts[0].cursor.getBoundingClientRect().left - {x}) < 3"
    ));
    // Nothing was added by seeking.
    let after = browser.evaluate("bekker.plots.times.length");
    assert_eq!(after.as_u64().unwrap() as usize, times.len());
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

#[test]
fn a_selection_while_paused_shows_the_table_and_keeps_pictures() {
    let runs = Runs::new(&two());
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep")) else { return };
    browser.wait("globalThis.bekker?.frame != null");
    seek(&mut browser, 1.0);
    browser.evaluate(
        "bekker.panel.picture({ vehicle: 0, time: 0.5, name: 'front', png: new Uint8Array() })",
    );
    let caption = "document.querySelector('#table caption').textContent";
    let pictures = "document.querySelectorAll('#pictures img').length";
    browser.wait(&format!("{caption}.startsWith('lead')"));
    assert_eq!(browser.evaluate(pictures), 1);
    browser.evaluate("document.querySelectorAll('#vehicles button')[1].click()");
    browser.wait(&format!("{caption}.startsWith('second')"));
    let y = browser.evaluate("document.querySelector('#table td').textContent.split(',')[1]");
    assert_eq!(y.as_str().unwrap().trim().split('.').next(), Some("20"));
    assert_eq!(browser.evaluate(pictures), 0);
    browser.evaluate("document.querySelectorAll('#vehicles button')[0].click()");
    assert_eq!(browser.evaluate(pictures), 1);
    let wheels = browser.evaluate(
        "[...document.querySelectorAll('#table table:last-of-type th[scope=row]')].map((own) => own.textContent).join(' ')",
    );
    assert_eq!(wheels, "FL FR RL RR");
    let more = "import('view/panel').then(({ wheelName }) => \
        [wheelName(0, 8), wheelName(7, 8), wheelName(4, 10), wheelName(1, 2)].join(' '))";
    assert_eq!(browser.evaluate(more), "1L 4R 3L R");
}

/// Every control is on the screen of a phone and of a laptop, and the scene is visible.
#[test]
fn controls_are_reachable_at_any_size() {
    let runs = Runs::new(&two());
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep")) else { return };
    browser.wait("globalThis.bekker?.frame != null");
    seek(&mut browser, 1.0);
    for size @ [width, height] in [[390, 844], [1280, 800], [900, 600]] {
        emulate(&mut browser, size, "light");
        browser.evaluate("document.body.classList.add('more')");
        browser.draw();
        let outside = browser.evaluate(
            "[...document.querySelectorAll('#foot button, #foot select, #foot input')].filter((own) => { \
               const box = own.getBoundingClientRect(); \
               return getComputedStyle(own).display !== 'none' && own.closest('[hidden]') === null && \
                 !(box.left >= 0 && box.right <= innerWidth && box.top >= 0 && box.bottom <= innerHeight && box.width > 0); \
             }).map((own) => own.id)",
        );
        assert_eq!(outside, json!([]), "{size:?}");
        browser.evaluate("document.body.classList.remove('more')");
        browser.draw();
        let share = browser.evaluate(
            "(() => { const box = document.getElementById('canvas').getBoundingClientRect(); \
              return box.width * box.height / (innerWidth * innerHeight); })()",
        );
        assert!(share.as_f64().unwrap() > 0.45, "{width} x {height}: {share}");
        // the panel hides and the scene takes its place
        let before = browser.evaluate("canvas.clientWidth * canvas.clientHeight").as_f64().unwrap();
        browser.evaluate("document.getElementById('panel').click()");
        browser.wait(&format!("canvas.clientWidth * canvas.clientHeight > 1.2 * {before}"));
        browser.evaluate("document.getElementById('panel').click()");
        browser.wait(&format!("canvas.clientWidth * canvas.clientHeight === {before}"));
    }
}

/// A bookmark restores time, vehicle, camera and what is shown, and follows them.
#[test]
fn a_bookmark_and_keys_set_the_view() {
    let runs = Runs::new(&two());
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let hash = "#t=1.5&vehicle=second&camera=orbit:1.000,0.500,30.00,4.00,20.00,0.00&show=panel,depths,plots&relief=2&path=slip";
    let Some(mut browser) = Browser::open(&format!("{url}&keep{hash}")) else { return };
    browser.wait("globalThis.bekker?.frame != null && Math.abs(bekker.frame.time - 1.5) < 0.02");
    browser.wait(
        "bekker.panel.chosen === 1 && bekker.eye.mode === 'orbit' && bekker.eye.range === 30",
    );
    browser.wait(
        "document.getElementById('depths').checked && bekker.ruts.uniforms.relief.value === 2",
    );
    browser.wait("bekker.paths.quantity === 'slip' && bekker.paths.ribbons.length === 2");
    browser.wait("document.getElementById('vehicles').closest('details').open === false");
    browser.wait(&format!("location.hash === '{hash}'"));
    let press = |browser: &mut Browser, key: &str, code: &str| {
        for kind in ["keyDown", "keyUp"] {
            let event = json!({ "type": kind, "key": key, "code": code, "text": key });
            browser.call("Input.dispatchKeyEvent", event);
        }
    };
    press(&mut browser, "n", "KeyN");
    browser.wait("bekker.panel.chosen === 0 && location.hash.includes('vehicle=lead')");
    press(&mut browser, "d", "KeyD");
    browser.wait("!document.getElementById('depths').checked && !location.hash.includes('depths')");
    press(&mut browser, "t", "KeyT");
    browser.wait("bekker.paths.quantity === 'sinkage' && location.hash.includes('path=sinkage')");
    press(&mut browser, "h", "KeyH");
    browser.wait("document.getElementById('side').offsetParent === null");
    press(&mut browser, "1", "Digit1");
    browser.wait("bekker.eye.mode === 'orbit'");
    press(&mut browser, "?", "Slash");
    browser.wait("document.getElementById('keys').open");
    browser.evaluate("document.getElementById('keys').close()");
    // the saved picture has the name of the run and its time
    browser.evaluate(
        "HTMLAnchorElement.prototype.click = function () { globalThis.saved = this.download; }",
    );
    press(&mut browser, "s", "KeyS");
    browser.wait("globalThis.saved === 'watched-1.50s.png'");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// Returns the rules of axe-core that a page violates seriously, in a theme and size.
fn violations(browser: &mut Browser, axe: &str) -> Value {
    browser.evaluate(axe);
    browser.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations \
           .filter(({ impact }) => ['critical', 'serious'].includes(impact)) \
           .map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))]))",
    )
}

/// axe-core finds nothing critical or serious on any page, and no page writes an error.
#[test]
fn pages_are_accessible() {
    let Ok(modules) = std::env::var("BEKKER_NODE_MODULES") else {
        eprintln!(
            "NOT RUN: install axe-core (npm) and set BEKKER_NODE_MODULES, or `.ci/run tests`"
        );
        return;
    };
    let Ok(axe) = std::fs::read_to_string(Path::new(&modules).join("axe-core/axe.min.js")) else {
        eprintln!("NOT RUN: {modules} has no axe-core");
        return;
    };
    let runs = Runs::new(&two());
    let folder = runs.out("several");
    std::fs::create_dir(&folder).unwrap();
    for name in ["first", "second"] {
        std::fs::rename(driven(&runs), folder.join(name)).unwrap();
    }
    let (_view, url) = viewed(&folder);
    let Some(mut browser) = Browser::open(&url) else { return };
    let base = url.split("/?").next().unwrap().to_string();
    for (path, ready) in [
        ("/", "document.querySelector('.cards') !== null"),
        ("/compare?run=0&run=1", "document.querySelector('table') !== null"),
        ("/run/0/", "globalThis.bekker?.frame != null && bekker.plots.recorded"),
    ] {
        browser.call("Page.navigate", json!({ "url": format!("{base}{path}") }));
        browser.wait(ready);
        for (size, theme) in [([1280, 800], "light"), ([390, 844], "dark")] {
            emulate(&mut browser, size, theme);
            browser.evaluate("document.body.classList.add('more')");
            assert_eq!(violations(&mut browser, &axe), json!([]), "{path} {size:?} {theme}");
        }
    }
    browser.evaluate("document.getElementById('help').click()");
    assert_eq!(violations(&mut browser, &axe), json!([]), "help");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
