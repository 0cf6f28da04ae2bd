//! Events of vehicles as plain data, for programs that control a world.
//!
//! Collisions and trailer events have the columns of `hits.csv` and `trailers.csv`.

use super::hashes::whole_microseconds;
use super::{hits, trailer_events};
use bekker_agent::{Event, TrailerEvent};
use bekker_ground::soil::SoilId;
use bekker_vehicle::driver::Intent;
use bekker_world::World;
use serde_json::{Map, Value, json};

/// Returns the fields of an agent's event in the heartbeat that ended at `time`, s.
///
/// These are `event`, `time_s`, `vehicle` and the fields specific to the event.
pub fn event_row(world: &World, agent: usize, time: f64, event: &Event) -> Map<String, Value> {
    let model = world.model();
    let soil = |SoilId(soil): SoilId| &model.ground.soils()[usize::from(soil)].name;
    let (word, about) = match event {
        Event::GearShifted { from, to } => ("gear_shifted", json!({ "from": from, "to": to })),
        Event::SoilEntered { from, to } => {
            ("soil_entered", json!({ "from": soil(*from), "to": soil(*to) }))
        }
        Event::IntentChanged { from, to } => {
            ("intent_changed", json!({ "from": intent(*from), "to": intent(*to) }))
        }
        Event::Collided(hit) => {
            let mut about = json!({ "with": hits::counterpart(world, hit), "broke": hit.broke });
            hits::numbers(hit).into_iter().for_each(|(name, number)| about[name] = number.into());
            ("collided", about)
        }
        Event::Uncoupled { broken: false } => {
            (trailer_events::word(TrailerEvent::Released), json!({}))
        }
        Event::Uncoupled { broken: true } => {
            (trailer_events::word(TrailerEvent::TornOff), json!({}))
        }
        Event::PulledUp => (trailer_events::word(TrailerEvent::PulledUp), json!({})),
        Event::Ended { outcome } => ("ended", json!({ "outcome": outcome })),
        // an event of a kind that this table does not know
        _ => ("other", json!({})),
    };
    let (time, vehicle) = (whole_microseconds(time), &model.agents[agent].name);
    let row = json!({ "event": word, "time_s": time, "vehicle": vehicle });
    [row, about].into_iter().filter_map(fields).flatten().collect()
}

fn fields(value: Value) -> Option<Map<String, Value>> {
    if let Value::Object(fields) = value { Some(fields) } else { None }
}

/// Name of a driver's intent.
fn intent(intent: Intent) -> &'static str {
    match intent {
        Intent::Drive => "drive",
        Intent::WaitBehindLeader => "wait_behind_leader",
        Intent::Hold => "hold",
        Intent::Arrived => "arrived",
        Intent::FindWay => "find_way",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_agent::{Collision, CollisionTarget, OutcomeCode};
    use bekker_math::spatial::Vec3;
    use bekker_scenario::ScenarioFile;
    use bekker_scenario::build::world;
    use std::path::Path;

    const SCENARIO: &str = "format = 1\nname = \"s\"\ntime = { duration = 1 }\nsoil = { default = \"mud\" }\n\
        [[vehicle]]\nname = \"lead\"\nmodel = \"hmmwv\"\ntire = \"rigid\"\nposition = [0, 0]\n";

    #[test]
    fn events_have_the_columns_of_the_folder() {
        let file = ScenarioFile::parse("s", SCENARIO, Path::new(""), &[]).unwrap();
        let world = World::new(world(&file).unwrap().world);
        let row = |event: Event| Value::Object(event_row(&world, 0, 0.300_000_000_1, &event));
        let shifted = row(Event::GearShifted { from: 1, to: 2 });
        let expected = json!({ "event": "gear_shifted", "time_s": 0.3, "vehicle": "lead", "from": 1, "to": 2 });
        assert_eq!(shifted, expected);
        let hit = Collision {
            with: CollisionTarget::Vehicle(0),
            time: 0.1,
            until: 0.2,
            place: Vec3::new(1.0, 2.0, 3.0),
            impulse: 4.0,
            energy: 5.0,
            peak: 6.0,
            broke: false,
        };
        let found = row(Event::Collided(hit));
        for (name, _) in hits::described() {
            assert!(found.get(name).is_some(), "{name}: {found}");
        }
        assert_eq!((&found["with"], &found["y_m"]), (&json!("lead"), &json!(2.0)));
        let torn = row(Event::Uncoupled { broken: true });
        for (name, _) in trailer_events::described() {
            assert!(torn.get(name).is_some(), "{name}: {torn}");
        }
        assert_eq!(torn["event"], "torn_off");
        assert_eq!(
            row(Event::Ended { outcome: OutcomeCode::LeftTerrain })["outcome"],
            "left_terrain"
        );
        let soil = SoilId(0);
        let name = &world.model().ground.soils()[0].name;
        assert_eq!(row(Event::SoilEntered { from: soil, to: soil })["to"], json!(name));
    }
}
