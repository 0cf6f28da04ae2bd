//! Checks of the terrain, the objects on it, and tows.

use crate::config::{
    Label, RandomBarriers, RandomHoles, RandomRocks, RandomSurface, RandomTrees, Scenario,
    SurfaceConfig, TowKind,
};
use crate::diagnostic::{DiagnosticKind, nearest_word};
use crate::diagnostic_sink::DiagnosticSink;
use bekker_agent::PropKind;

/// Checks the objects of a random surface.
///
/// Each kind has either a count or a density; kinds without either have no sizes; ranges start with
/// the smaller value.
fn check_random_surface(surface: &RandomSurface, refuse: &mut DiagnosticSink) {
    let RandomSurface { holes, trees, rocks, barriers, .. } = surface;
    // resolved scenarios contain the defaults of kinds that they do not use
    for (name, count, density, is_shaped) in [
        ("holes", holes.count, holes.density, *holes != RandomHoles::default()),
        ("trees", trees.count, trees.density, *trees != RandomTrees::default()),
        ("rocks", rocks.count, rocks.density, *rocks != RandomRocks::default()),
        ("barriers", barriers.count, barriers.density, *barriers != RandomBarriers::default()),
    ] {
        let key = |last: &str| format!("terrain.surface.{name}.{last}");
        match (count, density) {
            (Some(_), Some(_)) => {
                refuse(key("density"), DiagnosticKind::Excludes { other: "count" })
            }
            (None, None) if is_shaped => {
                refuse(
                    key("count"),
                    DiagnosticKind::Missing { expected: "count or density".into() },
                );
            }
            _ => {}
        }
    }
    for (name, [from, to]) in [("trees", trees.diameter), ("rocks", rocks.diameter)] {
        if from > to {
            refuse(format!("terrain.surface.{name}.diameter"), DiagnosticKind::EmptyRange);
        }
    }
}

pub(super) fn check_surface(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    if let SurfaceConfig::Random(surface) = &scenario.terrain.surface {
        check_random_surface(surface, refuse);
    }
    let SurfaceConfig::Dem { file, crop, height_range, cell_size, .. } = &scenario.terrain.surface
    else {
        return;
    };
    let key = |name: &str| format!("terrain.surface.{name}");
    let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("png") => {
            for (name, given, expected) in [
                (
                    "height_range",
                    height_range.is_some(),
                    "the range of heights from black to white (m)",
                ),
                ("cell_size", cell_size.is_some(), "the side length of a pixel (m)"),
            ] {
                if !given {
                    refuse(key(name), DiagnosticKind::Missing { expected: expected.into() });
                }
            }
        }
        Some("tif" | "tiff" | "asc") => {
            for (name, given) in
                [("height_range", height_range.is_some()), ("cell_size", cell_size.is_some())]
            {
                if given {
                    let other = "a georeferenced DEM, which contains this value";
                    refuse(key(name), DiagnosticKind::Excludes { other });
                }
            }
        }
        _ => {
            let allowed = [".tif", ".tiff", ".asc", ".png"].map(String::from).to_vec();
            refuse(key("file"), DiagnosticKind::NotOneOf { suggestion: None, allowed });
        }
    }
    if height_range.is_some_and(|[low, high]| low >= high) {
        refuse(key("height_range"), DiagnosticKind::EmptyRange);
    }
    if let Some([x_min, y_min, x_max, y_max]) = *crop
        && (x_min >= x_max || y_min >= y_max)
    {
        refuse(key("crop"), DiagnosticKind::NotABox { lower: [x_min, y_min] });
    }
}

/// Checks that scenery is either of a drawn kind or a mesh with the keys for it.
pub(super) fn check_scenery(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    for (index, scenery) in scenario.scenery.iter().enumerate() {
        let key = |name: &str| format!("scenery[{index}].{name}");
        let given = [("kind", scenery.kind.is_some()), ("mesh", scenery.mesh.is_some())];
        let given: Vec<String> =
            given.iter().filter(|(_, given)| *given).map(|(name, _)| name.to_string()).collect();
        if given.len() != 1 {
            let of = ["kind", "mesh"].map(String::from).to_vec();
            refuse(format!("scenery[{index}]"), DiagnosticKind::NotExactlyOne { of, given });
        } else if scenery.kind.is_some() && scenery.class.is_some() {
            refuse(
                key("class"),
                DiagnosticKind::Excludes { other: "kind, which determines the class" },
            );
        }
        match (scenery.kind, scenery.size) {
            (Some(PropKind::Block), None) => {
                let expected = "the length, width and height of a block (m)".into();
                refuse(key("size"), DiagnosticKind::Missing { expected });
            }
            (Some(kind), Some(_)) if kind != PropKind::Block => {
                refuse(key("size"), DiagnosticKind::Excludes { other: "a kind other than block" });
            }
            _ => {}
        }
        let has_stem = match (scenery.kind, scenery.class) {
            (Some(kind), _) => {
                !matches!(kind, PropKind::Rock | PropKind::Block | PropKind::Barrier)
            }
            (None, class) => class == Some(Label::Tree),
        };
        if scenery.diameter.is_some() && !has_stem {
            refuse(key("diameter"), DiagnosticKind::Excludes { other: "an object without a stem" });
        }
        if let Some([x_min, y_min, x_max, y_max]) = scenery.area
            && (x_min >= x_max || y_min >= y_max)
        {
            refuse(key("area"), DiagnosticKind::NotABox { lower: [x_min, y_min] });
        }
    }
}

/// Checks that tows connect existing vehicles, and that bars have no slack: a bar also pushes.
pub(super) fn check_tows(scenario: &Scenario, refuse: &mut DiagnosticSink) {
    let known = || scenario.vehicle.iter().map(|vehicle| vehicle.name.as_str());
    for (index, tow) in scenario.tow.iter().enumerate() {
        for (end, name) in [("from", &tow.from), ("to", &tow.to)] {
            if known().all(|own| own != name) {
                let allowed = known().map(|name| format!("{name:?}")).collect();
                let suggestion = nearest_word(name, known());
                let key = format!("tow[{index}].{end}");
                refuse(key, DiagnosticKind::NotOneOf { suggestion, allowed });
            }
        }
        if tow.from == tow.to {
            let cause = "must not be the vehicle in `from`".into();
            refuse(format!("tow[{index}].to"), DiagnosticKind::Refused { cause });
        }
        if tow.kind == TowKind::Bar && tow.slack > 0.0 {
            let bounds =
                "0 for kind = \"bar\": a bar with slack would push the vehicles apart".into();
            refuse(format!("tow[{index}].slack"), DiagnosticKind::OutOfRange { bounds });
        }
    }
}
