//! Static objects on the ground, and light and weather.

use super::Location;
use bekker_agent::PropKind;
use bekker_sensor::class::SurfaceClass;
use bekker_sensor::mesh::Up;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Sun, clouds and particles in the air, as cameras and lidars see them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Sky")]
pub struct SkyConfig {
    /// Azimuth of the sun, degrees from the x axis (east) towards the y axis (north).
    #[schemars(range(min = -360.0, max = 360.0))]
    pub sun_azimuth_deg: f64,
    /// Elevation of the sun above the horizon, degrees.
    #[schemars(range(min = -90.0, max = 90.0))]
    pub sun_elevation_deg: f64,
    /// Share of the sky under cloud, from 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub cloud: f64,
    /// Meteorological visibility through haze or fog, m.
    #[schemars(range(min = 1.0, max = 1_000_000.0))]
    pub visibility: f64,
    /// Rain rate, mm/h.
    #[schemars(range(min = 0.0, max = 300.0))]
    pub rain: f64,
    /// Rate of falling snow, mm/h of water.
    #[schemars(range(min = 0.0, max = 50.0))]
    pub snow: f64,
    /// Factor of the dust and snow that wheels and tracks raise. 1 is the amount measured behind
    /// vehicles on a dry road, 0 is none. In rain there is none.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub dust: f64,
    /// Wind near the ground along x (east) and y (north), m/s. It carries dust.
    #[schemars(inner(range(min = -100.0, max = 100.0)))]
    pub wind: [f64; 2],
}

impl Default for SkyConfig {
    fn default() -> SkyConfig {
        SkyConfig {
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

impl SkyConfig {
    /// Returns whether all keys have their default values.
    pub fn is_default(&self) -> bool {
        *self == SkyConfig::default()
    }
}

/// Trees, rocks, posts, blocks or meshes, scattered over an area or at given positions. Sensors see
/// them, and vehicles collide with them. Set either `kind` or `mesh`. Vehicles collide with the
/// bounding box of a mesh, or with a block of `size`. A mesh labeled a tree collides as a stem of
/// `diameter`, or not at all without `diameter`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenery {
    /// Kind of object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<PropKind>,
    /// Mesh to show: .gltf, .glb or .obj, relative to the scenario. Its origin is on the ground.
    /// Textures are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<PathBuf>,
    /// Axis of the mesh that points up: y (front towards z) or z (front towards x).
    #[serde(default, skip_serializing_if = "is_y")]
    pub up: Up,
    /// Label of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Label>,
    /// Number of objects that are scattered over the area.
    #[serde(default)]
    #[schemars(range(max = 100_000))]
    pub count: u32,
    /// Area over which objects are scattered: x_min, y_min, x_max, y_max, m. Where absent, it
    /// extends 100 m to all sides of the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1_000_000.0, max = 1_000_000.0)))]
    pub area: Option<[f64; 4]>,
    /// Minimum distance of scattered objects to the starts of vehicles, to waypoints and to the
    /// straight lines between them, m.
    #[serde(default = "clear")]
    #[schemars(range(min = 0.0, max = 10_000.0))]
    pub clear: f64,
    /// Positions of objects that are not scattered, m.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<Location>", length(max = 100_000))]
    pub places: Vec<[f64; 2]>,
    /// Heading of the objects in `places`, degrees from east (x) towards north (y).
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -360.0, max = 360.0), extend("unit" = "deg"))]
    pub heading_deg: f64,
    /// Scale factor of the objects in `places`.
    #[serde(default = "one")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub scale: f64,
    /// Whether vehicles collide with the objects. Otherwise only sensors see them.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub solid: bool,
    /// Diameter of the stems of trees or posts near the ground, m. The resistance of a stem grows
    /// with the cube of its diameter. Where absent, it is the diameter as drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 5.0), extend("unit" = "m"))]
    pub diameter: Option<f64>,
    /// Length, width and height of blocks, m. For a mesh, it replaces the bounding box with which
    /// vehicles collide.
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

/// Label of a mesh.
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
    /// Returns the class of the label.
    pub fn class(self) -> SurfaceClass {
        match self {
            Label::Vehicle => SurfaceClass::Vehicle,
            Label::Tree => SurfaceClass::Tree,
            Label::Rock => SurfaceClass::Rock,
            Label::Post => SurfaceClass::Post,
            Label::Other => SurfaceClass::Other,
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
