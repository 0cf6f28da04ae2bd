//! Followers that adapt to soft ground: twins on the same hidden soil, bits, and refused keys.

use crate::scene::{drive, same_bits_on_threads_and_resumed};

use bekker::scenario::{ScenarioFile, build};
use bekker::simulation::{OutcomeCode, World};
use std::path::Path;

/// Two HMMWVs in 25 m of wet clay, which the second one cannot pass in the ruts of the first.
fn scenario(adapt: &str) -> String {
    format!(
        r#"
format = 1
name = "adaptive"
time = {{ duration = 30 }}
ground = {{ spacing = 0.1 }}
soil.default = "firm"
soil.zone = [{{ soil = "clay", area = {{ kind = "band", from = [12, 0], to = [37, 0], width = 20 }} }}]
soil.custom = [{{ name = "clay", based_on = "heavy_clay_40_wes", strength = 0.7 }}]
[[radio]]
name = "convoy"
[[vehicle]]
name = "lead"
model = "hmmwv"
position = [0, 0]
driver = {{ kind = "path", speed = 4, waypoints = [[0, 0], [80, 0]] }}
[[vehicle]]
name = "second"
model = "hmmwv"
position = [-12, 0]
driver = {{ kind = "follow", leader = "lead", gap = 8{adapt} }}
"#
    )
}

fn world(text: &str) -> World {
    let file = ScenarioFile::parse("adaptive", text, Path::new(""), &[]).unwrap();
    World::new(build::world(&file).unwrap().world)
}

/// Where the follower is after 27 s, and how its drive has ended.
fn follower(adapt: &str) -> ([f64; 2], Option<OutcomeCode>) {
    let mut world = world(&scenario(adapt));
    drive(&mut world, 27.0);
    let place = world.samples().nth(1).unwrap().pose.position;
    let outcome = world.state().agents[1].outcome.as_ref();
    ([place.x, place.y], outcome.map(|outcome| outcome.code()))
}

#[test]
fn a_follower_that_leaves_the_ruts_passes_where_its_twin_is_stuck() {
    let (fixed, code) = follower("");
    assert_eq!(code, Some(OutcomeCode::Immobilized), "at {fixed:?}");
    assert!(fixed[0] < 37.0 && fixed[1].abs() < 0.2, "at {fixed:?}");
    let (adapted, code) = follower(", adapt = { slip = 0.1 }");
    assert_eq!(code, None, "at {adapted:?}");
    // behind the clay it has returned to the path
    assert!(adapted[0] > 50.0 && adapted[1].abs() < 0.1, "at {adapted:?}");
    // a slip that is never reported changes nothing
    assert_eq!(follower(", adapt = { slip = 1 }").0, fixed);
}

#[test]
fn a_follower_changes_lane_gap_and_inflation_before_the_soft_ground() {
    let before = |adapt: &str| {
        let mut world = world(&scenario(adapt));
        drive(&mut world, 6.5);
        let [lead, own] = [0, 1].map(|agent| world.samples().nth(agent).unwrap());
        let gap = lead.pose.position.x - own.pose.position.x;
        let x = own.pose.position.x;
        assert!(x < 8.0, "{adapt}: at {x} m");
        // until its front wheels are in the clay
        while world.samples().nth(1).unwrap().pose.position.x < 11.0 && world.time() < 12.0 {
            world.advance();
        }
        let own = world.samples().nth(1).unwrap();
        (gap, own.pose.position.y, own.wheels[0].inflation)
    };
    let fixed = before("");
    let adapted = before(", adapt = { slip = 0.1, lane = 0.6, gap = 10, inflation_kpa = 60 }");
    assert!(adapted.0 > fixed.0 + 2.0, "{adapted:?}, {fixed:?}");
    assert!((adapted.1 - 0.6).abs() < 0.1 && fixed.1.abs() < 0.05, "{adapted:?}, {fixed:?}");
    // the compressor of an HMMWV changes 1 kPa a second
    let change = fixed.2 - adapted.2;
    assert!((2000.0..9000.0).contains(&change), "{adapted:?}, {fixed:?}");
}

#[test]
fn adapting_convoys_give_the_same_bits_on_threads_and_resumed() {
    let adapt = ", adapt = { slip = 0.1, gap = 5, inflation_kpa = 60 }";
    same_bits_on_threads_and_resumed(|| world(&scenario(adapt)), 5.5, 7.0);
}

#[test]
fn unfit_adaptations_are_refused_by_key() {
    let refused = |text: &str| match ScenarioFile::parse("adaptive", text, Path::new(""), &[]) {
        Ok(file) => build::world(&file).unwrap_err().to_string(),
        Err(diagnostics) => diagnostics.to_string(),
    };
    let key = "vehicle[1].driver.adapt";
    for (text, key, message) in [
        (
            scenario(", adapt = {}").replace("[[radio]]\nname = \"convoy\"\n", ""),
            key.to_owned(),
            "requires a [[radio]] shared by second and lead",
        ),
        (scenario(", adapt = { slip = 0 }"), format!("{key}.slip"), "must be > 0 and <= 1"),
        (scenario(", adapt = { lane = 3 }"), format!("{key}.lane"), "must be from 0 to 2.5 m"),
        (
            scenario(", adapt = { inflation_kpa = 40 }"),
            format!("{key}.inflation_kpa"),
            "from 55 to 345 kPa",
        ),
        (
            scenario(", adapt = { inflation_kpa = 100 }").replacen(
                "\"second\"\nmodel = \"hmmwv\"",
                "\"second\"\nmodel = \"mrzr4\"",
                1,
            ),
            format!("{key}.inflation_kpa"),
            "has no central tire inflation",
        ),
    ] {
        let told = refused(&text);
        assert!(told.contains(&key) && told.contains(message), "{key}: {told}");
    }
}
