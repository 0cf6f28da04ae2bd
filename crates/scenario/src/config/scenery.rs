//! What stands on the ground, and the light and weather that it stands in.

use super::Place;
use bekker_agent::PropKind;
use bekker_sensor::class::Class;
use bekker_sensor::mesh::Up;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Sun, clouds and what is in the air: what cameras and lidars see by and through.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sky {
    /// Azimuth of the sun from the x axis (east) towards the y axis (north).
    #[schemars(range(min = -360.0, max = 360.0))]
    pub sun_azimuth_deg: f64,
    /// Elevation of the sun.
    #[schemars(range(min = -90.0, max = 90.0))]
    pub sun_elevation_deg: f64,
    /// Share of the sky under cloud.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cloud: f64,
    /// Meteorological visibility through haze or fog, m.
    #[schemars(range(min = 1.0, max = 1_000_000.0))]
    pub visibility: f64,
    /// Rain, mm/h.
    #[schemars(range(min = 0.0, max = 300.0))]
    pub rain: f64,
    /// Falling snow, mm/h of water.
    #[schemars(range(min = 0.0, max = 50.0))]
    pub snow: f64,
    /// Dust and snow that wheels and tracks raise, times what was measured behind
    /// vehicles on a dry road; 0 for none. There is none in rain.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub dust: f64,
    /// Wind near the ground along x (east) and y (north), m/s: it carries dust.
    #[schemars(inner(range(min = -100.0, max = 100.0)))]
    pub wind: [f64; 2],
}

impl Default for Sky {
    fn default() -> Sky {
        Sky {
            sun_azimuth_deg: 130.0,
            sun_elevation_deg: 32.0,
            cloud: 0.0,
            visibility: 20_000.0,
            rain: 0.0,
            snow: 0.0,
            dust: 1.0,
            wind: [0.0; 2],
        }
    }
}

impl Sky {
    /// Whether nothing is said about it.
    pub fn is_default(&self) -> bool {
        *self == Sky::default()
    }
}

/// Trees, rocks, posts, blocks or meshes: some strewn over an area, or at given places.
/// Sensors see them and vehicles run into them; a mesh is to vehicles the box around it, or a
/// block of `size`, and one labelled a tree a stem of `diameter`, or nothing without. Give either
/// `kind` or `mesh`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenery {
    /// What they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PropKind>,
    /// A mesh to show: .gltf, .glb or .obj, relative to the scenario. Its origin stands
    /// on the ground; textures are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
    /// Which axis of the mesh points up: y (its front towards z) or z (towards x).
    #[serde(default, skip_serializing_if = "is_y")]
    pub up: Up,
    /// What the mesh is labelled as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Label>,
    /// How many are strewn over the area.
    #[serde(default)]
    #[schemars(range(max = 100_000))]
    pub count: u32,
    /// Area to strew them over: x_min, y_min, x_max, y_max, m; 100 m to all sides of the origin
    /// where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)))]
    pub area: Option<[f64; 4]>,
    /// Distance that they keep from where vehicles start and from waypoints, and from
    /// the straight lines between those, m.
    #[serde(default = "clear")]
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub clear: f64,
    /// Places of those that stand where the scenario says, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Place>", length(max = 100_000))]
    pub places: Vec<[f64; 2]>,
    /// Heading of those at given places, degrees from east (x) towards north (y).
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Size of those at given places, against their own.
    #[serde(default = "one")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub scale: f64,
    /// Whether vehicles run into them; else only sensors see them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub solid: bool,
    /// Diameter of the stems of trees or posts near the ground, m; as they are drawn where
    /// absent. Stems give way by its cube.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 5.0), extend("unit" = "m"))]
    pub diameter: Option<f64>,
    /// Length, width and height of blocks, or of what a mesh is to vehicles in the place of the box
    /// around it, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 0.05, max = 1000.0)))]
    pub size: Option<[f64; 3]>,
}

impl Default for Scenery {
    fn default() -> Scenery {
        Scenery {
            kind: None,
            mesh: None,
            up: Up::default(),
            class: None,
            count: 0,
            area: None,
            clear: clear(),
            places: Vec::new(),
            heading_deg: 0.0,
            scale: one(),
            solid: yes(),
            diameter: None,
            size: None,
        }
    }
}

/// Labels for meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// A vehicle.
    Vehicle,
    /// A tree.
    Tree,
    /// A rock.
    Rock,
    /// A post.
    Post,
    /// Anything else.
    Other,
}

impl Label {
    /// The class of that name.
    pub fn class(self) -> Class {
        match self {
            Label::Vehicle => Class::Vehicle,
            Label::Tree => Class::Tree,
            Label::Rock => Class::Rock,
            Label::Post => Class::Post,
            Label::Other => Class::Other,
        }
    }
}

fn is_y(up: &Up) -> bool {
    *up == Up::Y
}

fn is_zero(angle: &f64) -> bool {
    *angle == 0.0
}

fn yes() -> bool {
    true
}

fn is_yes(solid: &bool) -> bool {
    *solid
}

fn clear() -> f64 {
    4.0
}

fn one() -> f64 {
    1.0
}
