//! Passes arbitrary requests of a page to the viewer of a run, with bounded and unbounded ground.
#![no_main]

use bekker::scenario::{ScenarioFile, build};
use bekker::spatial::Vec3;
use bekker::view::{Clients, Control, DisplayedRun, MessageSource};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const SCENARIO: &str = "format = 1\nname = \"watched\"\ntime = { duration = 1 }\n\
    soil = { default = \"mud\" }\n[[vehicle]]\nname = \"a\"\nmodel = \"hmmwv\"\nposition = [0, 0]\n";
const BOUNDED: &str = "[terrain.surface]\nkind = \"random\"\nsize = [60, 60]\n";

fn clients(text: &str) -> Arc<Clients> {
    let file = ScenarioFile::parse("watched", text, Path::new(""), &[]).expect("a scenario");
    let built = build::world(&file).expect("a world");
    let scene = build::scene_model(&file, &built.world, &built.meshes, built.random.as_ref());
    let view =
        DisplayedRun::new("watched", 1.0, Arc::new(built.world), Arc::new(scene), Vec3::zeros());
    Clients::new(view, MessageSource::Recorded, Arc::new(Control::new(true, Some(1.0))))
}

fn watched() -> &'static [Arc<Clients>] {
    static ALL: OnceLock<Vec<Arc<Clients>>> = OnceLock::new();
    ALL.get_or_init(|| vec![clients(SCENARIO), clients(&[SCENARIO, BOUNDED].concat())])
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(request) = std::str::from_utf8(bytes) {
        for clients in watched() {
            let _ = clients.ask(request);
        }
    }
});
