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
const SMALL: [u32; 2] = [560, 420];

/// Pauses the run and waits until it shows a time.
fn seek(browser: &mut Browser, time: f64) {
    browser.evaluate(&format!(
        "document.body.dataset.hash = ''; bekker.source.ask({{kind: 'pause'}}); \
         bekker.source.ask({{kind: 'seek', time: {time}}})"
    ));
    browser.wait(&format!(
        "document.body.dataset.hash !== '' && Math.abs(bekker.frame.time - {time}) < 0.02"
    ));
}

/// Sets the size of the window and its theme.
fn emulate(browser: &mut Browser, [width, height]: [u32; 2], theme: &str) {
    let metrics =
        json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
    browser.call("Emulation.setDeviceMetricsOverride", metrics);
    let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
    browser.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    browser.wait(&format!("innerWidth === {width}"));
    browser.draw();
}

/// A picture of the page.
struct Shot {
    pixels: Vec<[u8; 3]>,
    width: usize,
}

impl Shot {
    fn new(browser: &mut Browser) -> Shot {
        browser.draw();
        let (pixels, width) = browser.picture();
        Shot { pixels, width }
    }

    /// Whether a pixel at most `reach` pixels from a position differs from that of another picture.
    fn differs_near(&self, other: &Shot, [x, y]: [f64; 2], reach: i64) -> bool {
        let (x, y) = (x as i64, y as i64);
        let around = (-reach..=reach).flat_map(|dx| (-reach..=reach).map(move |dy| [dx, dy]));
        around.into_iter().any(|[dx, dy]| {
            let at = ((y + dy) as usize * self.width) + (x + dx) as usize;
            let pair = self.pixels[at].iter().zip(other.pixels[at]);
            pair.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>() > 10
        })
    }
}

/// Returns the positions on the page of points on the ground that are inside the view.
fn projected(browser: &mut Browser, points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let script = format!(
        "(() => {{ \
           const box = document.getElementById('canvas').getBoundingClientRect(); \
           const [ox, oy, oz] = bekker.run.origin; \
           bekker.camera.updateMatrixWorld(); \
           return {points:?}.map(([x, y]) => {{ \
             const p = bekker.camera.position.clone().set(x - ox, y - oy, bekker.terrain.at(x - ox, y - oy).height); \
             p.project(bekker.camera); \
             return [box.left + (p.x + 1) * box.width / 2, box.top + (1 - p.y) * box.height / 2]; }})\
             .filter(([u, v]) => u > box.left + 6 && u < box.right - 6 && v > box.top + 60 && v < box.bottom - 6); \
         }})()"
    );
    serde_json::from_value(browser.evaluate(&script)).unwrap()
}

/// Checks that the ruts through `points` are seen: with depths in color, and without.
///
/// The same moment is also drawn without deformed tiles, so that vehicles do not count.
fn assert_ruts_visible(browser: &mut Browser, time: f64, points: &[[f64; 2]], view: &str) {
    browser.evaluate(view);
    // the squares of this view have arrived
    browser.wait("bekker.terrain.waiting === 0 && bekker.ruts.shown === bekker.terrain.shown");
    let plain = Shot::new(browser);
    let places = projected(browser, points);
    assert!(places.len() * 2 > points.len(), "{view}: {} of the points in view", places.len());
    browser.evaluate("document.getElementById('depths').click()");
    let colored = Shot::new(browser);
    browser.evaluate("document.getElementById('depths').click(); bekker.ruts.clear()");
    let without = Shot::new(browser);
    for (shot, other, name) in [(&colored, &plain, "colored"), (&plain, &without, "plain")] {
        let seen = places.iter().filter(|at| shot.differs_near(other, **at, 2)).count();
        // a vehicle may hide a few
        assert!(
            seen * 10 >= places.len() * 9,
            "{view}: {name} ruts at {seen} of {} points",
            places.len()
        );
    }
    seek(browser, time);
}

/// Ruts of wheels and tracks are continuous from near and far, after seeks, and while only coarse
/// terrain is available.
#[test]
fn ruts_are_visible_at_every_zoom_and_moment() {
    // (scenario, lateral offset of a rut, end, x up to which the rut is not below the vehicle)
    for (scenario, aside, end, reach) in [(SCENARIO, 0.91, 3.0, 6.0), (TRACKED, 1.08, 2.0, 3.0)] {
        let runs = Runs::new(scenario);
        let run = driven(&runs);
        let (_view, url) = viewed(&run);
        let Some(mut browser) = Browser::open(&format!("{url}&keep{SCENE_ONLY}")) else { return };
        browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
        emulate(&mut browser, SMALL, "light");
        let points: Vec<[f64; 2]> = (0..=40)
            .flat_map(|k| [-aside, aside].map(|y| [0.5 + (reach - 0.5) * f64::from(k) / 40.0, y]))
            .collect();
        let view = |range: f64, elevation: f64| {
            format!(
                "bekker.eye.mode = 'orbit'; bekker.eye.azimuth = 3.6; bekker.eye.range = {range}; \
                 bekker.eye.elevation = {elevation}; \
                 bekker.eye.target.set(2 - bekker.run.origin[0], -bekker.run.origin[1], 0);"
            )
        };
        seek(&mut browser, end);
        for (range, elevation) in
            [(9.0, 1.56), (14.0, 0.7), (60.0, 1.0), (300.0, 0.6), (2500.0, 1.2)]
        {
            assert_ruts_visible(&mut browser, end, &points, &view(range, elevation));
        }
        // back, and forward again
        seek(&mut browser, 0.0);
        browser.wait("bekker.tiles === 0");
        seek(&mut browser, end);
        assert_ruts_visible(&mut browser, end, &points, &view(40.0, 0.9));
        // no finer square arrives, as on a slow machine
        browser.evaluate(
            "for (const [key, chunk] of bekker.terrain.chunks) if (chunk.mesh && chunk.level < 3) { \
               chunk.mesh.removeFromParent(); bekker.terrain.chunks.set(key, 'absent'); }",
        );
        for range in [12.0, 300.0] {
            assert_ruts_visible(&mut browser, end, &points, &view(range, 0.8));
        }
        assert!(browser.errors.is_empty(), "{:?}", browser.errors);
    }
}

/// Looked at from above, no pixel between terrain and ruts shows the sky.
#[test]
fn there_are_no_holes_beside_ruts() {
    let runs = Runs::new(SCENARIO);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep{SCENE_ONLY}")) else { return };
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(&mut browser, SMALL, "light");
    seek(&mut browser, 3.0);
    browser.evaluate("document.getElementById('head').hidden = true");
    for (range, elevation) in [(8.0, 1.5), (12.0, 0.5), (90.0, 0.9)] {
        browser.evaluate(&format!(
            "bekker.eye.mode = 'orbit'; bekker.eye.range = {range}; \
             bekker.eye.elevation = {elevation}; bekker.eye.azimuth = 2.5; bekker.eye.target.set(4, 0, 0);"
        ));
        browser.wait("bekker.terrain.waiting === 0");
        let colors = browser.evaluate(
            "(() => { const c = bekker.clearColor; return [c.r, c.g, c.b].map((x) => Math.round(255 * x)); })()",
        );
        let sky: [u8; 3] = serde_json::from_value(colors).unwrap();
        let shot = Shot::new(&mut browser);
        let size = browser.evaluate("[canvas.clientWidth, canvas.clientHeight]");
        let [width, height]: [usize; 2] = serde_json::from_value(size).unwrap();
        let inside = (height / 3..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let holes = inside.filter(|(x, y)| shot.pixels[y * shot.width + x] == sky).count();
        assert_eq!(holes, 0, "{range} m, {elevation}");
    }
}

/// Returns the rows of a table of states, with values by the names of their columns.
fn table(run: &Path) -> Vec<BTreeMap<String, String>> {
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
               return getComputedStyle(own).display !== 'none' && !own.hidden && \
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
    let hash = "#t=1.5&vehicle=second&camera=orbit:1.000,0.500,30.00,4.00,20.00,0.00&show=panel,depths,plots&relief=2";
    let Some(mut browser) = Browser::open(&format!("{url}&keep{hash}")) else { return };
    browser.wait("globalThis.bekker?.frame != null && Math.abs(bekker.frame.time - 1.5) < 0.02");
    browser.wait(
        "bekker.panel.chosen === 1 && bekker.eye.mode === 'orbit' && bekker.eye.range === 30",
    );
    browser.wait(
        "document.getElementById('depths').checked && bekker.ruts.uniforms.relief.value === 2",
    );
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
