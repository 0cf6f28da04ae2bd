//! Scenery: trees, rocks, posts, blocks and meshes.

use bekker_sensor::bvh::Bounds;
use bekker_sensor::class::Class;

/// Something that stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prop {
    /// What it looks like.
    pub form: Form,
    /// Where, m.
    pub place: [f64; 2],
    /// Heading, rad.
    pub heading: f64,
    /// By how much it is larger than its form.
    pub scale: f64,
    /// Whether vehicles run into it.
    pub solid: bool,
    /// Diameter of its stem, m; as it is drawn where it isn't said.
    pub diameter: Option<f64>,
    /// Length, width and height of a block, m, or of the block that a mesh is to vehicles in the
    /// place of the box around it.
    pub size: Option<[f64; 3]>,
}

impl Prop {
    /// What it is, in a word.
    pub fn noun(&self) -> &'static str {
        match self.form {
            Form::Kind(PropKind::Spruce) => "spruce",
            Form::Kind(PropKind::Oak) => "oak",
            Form::Kind(PropKind::Birch) => "birch",
            Form::Kind(PropKind::WhiteOak) => "white oak",
            Form::Kind(PropKind::Pine) => "pine",
            Form::Kind(PropKind::Pecan) => "pecan",
            Form::Kind(PropKind::Magnolia) => "magnolia",
            Form::Kind(PropKind::Rock) | Form::Mesh { class: Class::Rock, .. } => "rock",
            Form::Kind(PropKind::Post) | Form::Mesh { class: Class::Post, .. } => "post",
            Form::Kind(PropKind::Block) => "block",
            Form::Kind(PropKind::Barrier) => "barrier",
            Form::Mesh { class: Class::Tree, .. } => "tree",
            Form::Mesh { .. } => "mesh",
        }
    }
}

/// What scenery looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// One of the kinds that are drawn here.
    Kind(PropKind),
    /// A mesh of others.
    Mesh {
        /// Index into `ImportedMeshes::meshes`.
        index: usize,
        /// What it is labelled as.
        class: Class,
        /// The box around it.
        bounds: Bounds,
    },
}

impl From<PropKind> for Form {
    fn from(kind: PropKind) -> Form {
        Form::Kind(kind)
    }
}

/// Kinds of scenery.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PropKind {
    /// A spruce of 9 m.
    Spruce,
    /// A broad-leaved tree of 7 m.
    Oak,
    /// A birch of 10 m.
    Birch,
    /// A white oak of 20 m with a stem of 30 cm.
    WhiteOak,
    /// A loblolly pine of 20 m with a stem of 30 cm, bare up to its crown.
    Pine,
    /// A pecan of 20 m with a stem of 30 cm.
    Pecan,
    /// A southern magnolia of 20 m with a stem of 30 cm, in leaf almost to the ground.
    Magnolia,
    /// A boulder of about 1 m.
    Rock,
    /// A round post of 1.2 m.
    Post,
    /// A block of masonry of a size that is given: a wall, a house, a curb.
    Block,
    /// A stretch of concrete barrier (New Jersey shape): 3.05 m long, 0.61 m wide, 0.81 m high.
    Barrier,
}
