//! Scenery: trees, rocks, posts, blocks and meshes.

use bekker_sensor::bvh::BoundingBox;
use bekker_sensor::class::SurfaceClass;

/// An object that stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneryObject {
    /// Appearance of the object.
    pub form: PropForm,
    /// Position, m.
    pub place: [f64; 2],
    /// Heading, rad.
    pub heading: f64,
    /// Scale relative to its form.
    pub scale: f64,
    /// Whether vehicles collide with it.
    pub solid: bool,
    /// Diameter of its stem, m. Where absent, it is the diameter as drawn.
    pub diameter: Option<f64>,
    /// Length, width and height of a block, m. For a mesh, they are those of the block with which
    /// vehicles collide, instead of the box around the mesh.
    pub size: Option<[f64; 3]>,
}

impl SceneryObject {
    /// Name of the kind of object, in one word.
    pub fn noun(&self) -> &'static str {
        match self.form {
            PropForm::Kind(PropKind::Spruce) => "spruce",
            PropForm::Kind(PropKind::Oak) => "oak",
            PropForm::Kind(PropKind::Birch) => "birch",
            PropForm::Kind(PropKind::WhiteOak) => "white oak",
            PropForm::Kind(PropKind::Pine) => "pine",
            PropForm::Kind(PropKind::Pecan) => "pecan",
            PropForm::Kind(PropKind::Magnolia) => "magnolia",
            PropForm::Kind(PropKind::Rock) | PropForm::Mesh { class: SurfaceClass::Rock, .. } => {
                "rock"
            }
            PropForm::Kind(PropKind::Post) | PropForm::Mesh { class: SurfaceClass::Post, .. } => {
                "post"
            }
            PropForm::Kind(PropKind::Block) => "block",
            PropForm::Kind(PropKind::Barrier) => "barrier",
            PropForm::Mesh { class: SurfaceClass::Tree, .. } => "tree",
            PropForm::Mesh { .. } => "mesh",
        }
    }
}

/// Appearance of scenery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropForm {
    /// One of the built-in kinds.
    Kind(PropKind),
    /// An imported mesh.
    Mesh {
        /// Index into `ImportedMeshes::meshes`.
        index: usize,
        /// Semantic class of the mesh.
        class: SurfaceClass,
        /// Bounding box of the mesh.
        bounds: BoundingBox,
    },
}

impl From<PropKind> for PropForm {
    fn from(kind: PropKind) -> PropForm {
        PropForm::Kind(kind)
    }
}

/// Kinds of scenery.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PropKind {
    /// A spruce, 9 m high.
    Spruce,
    /// A broad-leaved tree, 7 m high.
    Oak,
    /// A birch, 10 m high.
    Birch,
    /// A white oak, 20 m high with a stem of 30 cm.
    WhiteOak,
    /// A loblolly pine, 20 m high with a stem of 30 cm, bare up to its crown.
    Pine,
    /// A pecan, 20 m high with a stem of 30 cm.
    Pecan,
    /// A southern magnolia, 20 m high with a stem of 30 cm, with leaves almost down to the ground.
    Magnolia,
    /// A boulder of about 1 m.
    Rock,
    /// A round post, 1.2 m high.
    Post,
    /// A block of masonry of a given size: a wall, a house, a curb.
    Block,
    /// A segment of a concrete barrier (New Jersey shape): 3.05 m long, 0.61 m wide, 0.81 m high.
    Barrier,
}
