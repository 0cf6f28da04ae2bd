//! The viewer's page in a headless Chromium: forces, scans of lidars, a second run, and videos.

use crate::runs::Runs;
use crate::view::{Browser, SCENARIO, driven, viewed};
use crate::view_page::{SMALL, Shot, emulate, seek, table, view};

use serde_json::json;

/// Arrows have the forces of the table of states, and the picture shows them.
#[test]
fn forces_are_those_of_the_table() {
    let runs = Runs::new(SCENARIO);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep#t=0&show=forces")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(browser, SMALL, "light");
    seek(browser, 3.0);
    let script = "bekker.frame.vehicles[0].wheels.map(({ force }) => Array.from(force))";
    let forces: Vec<[f64; 3]> = serde_json::from_value(browser.evaluate(script)).unwrap();
    let rows = table(&run);
    let last = rows.iter().find(|row| row["time_s"].parse() == Ok(3.0)).unwrap();
    assert_eq!(forces.len(), 4);
    for (wheel, [x, y, z]) in forces.iter().enumerate() {
        let number = |what: &str| last[&format!("wheel{wheel}_{what}_n")].parse::<f64>().unwrap();
        // single precision of some kN; the heading of a wheel is sent to 3e-5 rad
        assert!((z - number("load")).abs() < 1e-2, "{wheel}: {z}");
        let level = number("traction").hypot(number("lateral"));
        assert!((x.hypot(*y) - level).abs() < 1e-2, "{wheel}: {x}, {y}, not {level}");
    }
    // the head of each arrow is orange with the arrows, and is not without them
    let shown = Shot::new(browser, &view(9.0, 0.4));
    let heads: Vec<[f64; 2]> = serde_json::from_value(browser.evaluate(
        "bekker.frame.vehicles[0].wheels.map(({ center, force }) => { \
           const p = bekker.camera.position.clone().set(...force) \
             .multiplyScalar(0.87 / bekker.forces.unit); \
           p.add(p.clone().set(...center)).project(bekker.camera); \
           return [(p.x + 1) * canvas.width / 2, (p.y + 1) * canvas.height / 2]; })",
    ))
    .unwrap();
    let orange = |shot: &Shot| {
        let is_orange = |at: &&[f64; 2]| {
            let [r, g, b] = shot.pixel(**at, [0, 0]).map(u32::from);
            r > 150 && r > g + 60 && g > b
        };
        heads.iter().filter(is_orange).count()
    };
    assert_eq!(orange(&shown), 4);
    browser.evaluate("document.getElementById('forces').click()");
    let hidden = Shot::new(browser, &view(9.0, 0.4));
    assert_eq!(orange(&hidden), 0);
    browser.wait("document.getElementById('force_scale').hidden");
    browser.wait("!location.hash.includes('forces')");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// Dust is behind a vehicle on dry sand, changes the picture and can be hidden.
#[test]
fn dust_rises_behind_a_vehicle_on_dry_sand() {
    let fast = SCENARIO
        .replace("soil = {", "sky = { dust = 20 }\nsoil = {")
        .replace("chrono_soft", "dry_sand_lll")
        .replace("speed = 3", "speed = 9")
        .replace("speed = 4", "speed = 9");
    let runs = Runs::new(&fast);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}&keep#t=0&show=dust")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0 && bekker.run.dust");
    emulate(browser, SMALL, "light");
    seek(browser, 1.0);
    // puffs of 8 numbers; the vehicle drives along x
    let script = "[...Array(bekker.frame.dust.length / 8).keys()].map((k) => \
                    Array.from(bekker.frame.dust.subarray(8 * k, 8 * k + 5)))";
    let puffs: Vec<[f64; 5]> = serde_json::from_value(browser.evaluate(script)).unwrap();
    let front = browser.evaluate("bekker.frame.vehicles[0].place[0]").as_f64().unwrap();
    assert!(puffs.len() > 3, "{puffs:?}");
    assert!(puffs.iter().all(|[x, _, z, radius, _]| *x < front && *z > 0.0 && *radius > 0.5));
    // dust has the color of the ground: it is seen against the sky
    let shown = Shot::new(browser, &view(14.0, 0.04));
    browser.evaluate("document.getElementById('dust').click()");
    let hidden = Shot::new(browser, &view(14.0, 0.04));
    let share = shown.share_that_differs(&hidden);
    // pictures of the same scene are equal; a plume covers some percent of the sky
    assert!((0.005..0.9).contains(&share), "{share}");
    browser.wait("!bekker.dust.shown && !location.hash.includes('dust')");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// Scans are on the ground around the vehicle and follow the choice of the user.
#[test]
fn scans_of_a_lidar_are_on_the_ground() {
    let sensor = "[[vehicle.sensor]]\nname = \"roof\"\nposition = [0, 0, 1.8]\nrate = 5\n\
                  model = { kind = \"lidar\", preset = \"vlp16\" }\n";
    let runs = Runs::new(&SCENARIO.replace("[output]", &format!("{sensor}\n[output]")));
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}#show=lidar")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.lidar.shown");
    // slowly, since a page that is behind misses scans
    browser.evaluate(
        "for (const request of [{kind: 'rate', value: 0.2}, {kind: 'seek', time: 0}, {kind: 'play'}]) \
           bekker.source.ask(request)",
    );
    // 50 cm for noise, roughness of the drawn squares, and the motion and slope of the vehicle
    browser.wait(
        "bekker.settle() && [...bekker.lidar.scans.values()].some((scan) => { \
           const { array } = scan.geometry.attributes.position, near = []; \
           for (let k = 0; k < array.length; k += 3) { \
             const z = bekker.terrain.at(array[k], array[k + 1])?.height; \
             if (z !== undefined && Math.hypot(array[k], array[k + 1]) < 30) \
               near.push(Math.abs(array[k + 2] - z) < 0.5); } \
           return near.length > 50 && near.filter(Boolean).length > 0.9 * near.length; })",
    );
    // a pause sends the whole ground again and keeps the scan; a seek to another time removes it
    let time = browser.evaluate("bekker.frame.time").as_f64().unwrap();
    seek(browser, time);
    assert_eq!(browser.evaluate("bekker.lidar.scans.size"), 1);
    seek(browser, 0.1);
    browser.wait("bekker.lidar.scans.size === 0");
    browser.evaluate("document.getElementById('lidar').click()");
    browser.wait("!bekker.lidar.shown && !location.hash.includes('lidar')");
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// A second run of the folder is drawn where its table has the vehicle at the time of the first.
#[test]
fn another_run_is_drawn_at_the_same_time() {
    let runs = Runs::new(SCENARIO);
    let folder = runs.out("several");
    std::fs::create_dir(&folder).unwrap();
    runs.single(&folder.join("first"), &[]);
    runs.single(&folder.join("second"), &["--set", "vehicle[0].position=[-6, 2]"]);
    let (_view, url) = viewed(&folder);
    let Some(mut browser) = Browser::open(&url) else { return };
    let browser = &mut browser;
    browser.wait("document.querySelector('.cards') !== null");
    let base = url.split("/?").next().unwrap().to_string();
    browser.call("Page.navigate", json!({ "url": format!("{base}/compare?run=0&run=1") }));
    browser.wait("document.querySelector('a[href*=ghost]') !== null");
    browser.evaluate("document.querySelector('a[href*=ghost]').click()");
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    browser.wait("bekker.ghost?.vehicles.length === 1 && bekker.ghost.series.length === 1");
    let rows = table(&folder.join("second"));
    for time in [2.0, 0.5, 3.0] {
        seek(browser, time);
        browser.evaluate("bekker.pixels()");
        let script = "(() => { const own = bekker.ghost.vehicles[0].group, [x, y, z] = bekker.run.origin; \
             return [own.visible, own.position.x + x, own.position.y + y, own.children.length]; })()";
        let (visible, x, y, parts): (bool, f64, f64, usize) =
            serde_json::from_value(browser.evaluate(script)).unwrap();
        let row = rows.iter().find(|row| row["time_s"].parse() == Ok(time)).unwrap();
        let expected = ["x_m", "y_m"].map(|name| row[name].parse::<f64>().unwrap());
        // the frame of a paused run is at the heartbeat; rows are at the same times
        assert!(visible && parts > 4, "{time} s: {parts} parts");
        assert!((x - expected[0]).hypot(y - expected[1]) < 0.02, "{time} s: {x}, {y}");
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}

/// The view is recorded as a WebM, which the page offers under the name of the run.
#[test]
fn the_view_is_recorded_as_a_video() {
    let runs = Runs::new(SCENARIO);
    let run = driven(&runs);
    let (_view, url) = viewed(&run);
    let Some(mut browser) = Browser::open(&format!("{url}#show=")) else { return };
    let browser = &mut browser;
    browser.wait("globalThis.bekker?.frame != null && bekker.chunks > 0");
    emulate(browser, SMALL, "light");
    browser.evaluate(
        "HTMLAnchorElement.prototype.click = function () { globalThis.saved = this.download; }",
    );
    browser.evaluate("document.getElementById('film').click()");
    browser.wait("bekker.film.recording && document.getElementById('film').textContent === 'Stop'");
    browser.wait("bekker.film.bytes > 1000");
    browser.evaluate("document.getElementById('film').click()");
    browser.wait("globalThis.saved === 'watched.webm'");
    // the first four bytes of Matroska
    let script =
        "bekker.film.last.arrayBuffer().then((own) => Array.from(new Uint8Array(own, 0, 4)))";
    assert_eq!(browser.evaluate(script), json!([0x1a, 0x45, 0xdf, 0xa3]));
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
