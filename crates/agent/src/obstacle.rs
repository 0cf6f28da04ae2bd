//! Static obstacles: stems, rocks, blocks.

use super::prop::{PropForm, PropKind, SceneryObject};
use bekker_ground::terrain::Terrain;
use bekker_math::numeric::hypot;
use bekker_math::spatial::{Pose, Quat, Vec3};
use bekker_sensor::bvh::BoundingBox;
use bekker_sensor::class::SurfaceClass;
use bekker_vehicle::collision::{Hull, Stem};
use rstar::{AABB, RTree, RTreeObject};

/// Smallest vertical component of a face normal at which the face supports a wheel or track instead
/// of blocking it.
pub(super) const MIN_SUPPORT_NORMAL: f64 = 0.7;
/// Rounding of the edges of blocks, m.
const ROUNDING: f64 = 0.05;
/// Depth to which a block extends into the ground, m, so that nothing gets under it on a slope.
const EMBEDDED_DEPTH: f64 = 0.5;
/// Length, width and height of a concrete barrier, m.
pub const BARRIER: [f64; 3] = [3.05, 0.61, 0.81];
/// Smallest side of the collision box of a mesh, m.
const MIN_SIDE: f64 = 0.05;
/// Height of the highest contact point of a stem, m; above all vehicles.
pub(super) const HIGHEST_STEM_CONTACT: f64 = 3.0;
/// Height of the stem of a tree given as a mesh, m.
const MESH_TREE: f64 = 6.0;

/// Static obstacle.
#[derive(Clone, Debug)]
pub enum StaticObstacle {
    /// Tree or post; deflects and breaks under a large force.
    Stem {
        /// Dimensions of the stem.
        stem: Stem,
        /// Position of its foot, m.
        foot: Vec3,
    },
    /// Rock, wall or house; never moves.
    Solid {
        /// Pose of its center.
        pose: Pose,
        /// Shape about the center.
        hull: [Hull; 1],
    },
}

/// Contact of a stem with a wheel.
#[derive(Clone, Copy, Debug)]
pub struct WheelStemContact {
    /// Index of the wheel.
    pub wheel: usize,
    /// Penetration, m.
    pub depth: f64,
    /// Position, m.
    pub point: Vec3,
    /// Normal from the stem toward the wheel.
    pub normal: Vec3,
}

/// Solid obstacle, as seen by contact.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// Pose of its center.
    pub pose: &'a Pose,
    /// Shapes about the center.
    pub hulls: &'a [Hull],
}

impl StaticObstacle {
    /// Returns the stem, if the obstacle is one.
    pub fn stem(&self) -> Option<(&Stem, &Vec3)> {
        match self {
            StaticObstacle::Stem { stem, foot } => Some((stem, foot)),
            StaticObstacle::Solid { .. } => None,
        }
    }

    /// Returns its horizontal position, m.
    pub fn place(&self) -> [f64; 2] {
        self.disc().0
    }

    /// Returns the obstacle of a prop on a terrain; `None` if the prop is not solid.
    fn from_prop(prop: &SceneryObject, terrain: &Terrain) -> Option<StaticObstacle> {
        if !prop.solid {
            return None;
        }
        let [x, y] = prop.place;
        let ground = Vec3::new(x, y, terrain.height(x, y));
        let stem = |diameter: f64, height: f64| {
            let diameter = prop.diameter.unwrap_or(diameter * prop.scale);
            let stem = Stem { diameter, height: height * prop.scale };
            Some(StaticObstacle::Stem { stem, foot: ground })
        };
        let block = |[length, width, height]: [f64; 3]| {
            let middle = Vec3::z() * 0.5 * (height - EMBEDDED_DEPTH);
            let size = [length, width, height + EMBEDDED_DEPTH];
            let orientation = Quat::from_axis_angle(&Vec3::z_axis(), prop.heading);
            let pose = Pose { position: ground + middle, orientation };
            Some(StaticObstacle::Solid { pose, hull: [Hull::new(Vec3::zeros(), size, ROUNDING)] })
        };
        // scaled as rendered; the `size` of a mesh is its collision box at any scale
        let scaled = |size: [f64; 3]| size.map(|side| side * prop.scale);
        match prop.form {
            // as thick as rendered at bumper height
            PropForm::Kind(PropKind::Spruce) => stem(0.28, 9.0),
            PropForm::Kind(PropKind::Oak) => stem(0.33, 7.0),
            PropForm::Kind(PropKind::Birch) => stem(0.47, 10.0),
            PropForm::Kind(
                PropKind::WhiteOak | PropKind::Pine | PropKind::Pecan | PropKind::Magnolia,
            ) => stem(0.3, 20.0),
            PropForm::Kind(PropKind::Post) => stem(0.12, 1.2),
            PropForm::Kind(PropKind::Rock) => {
                // ball with its center at ground level, about the size of the rendered boulder
                let radius = 0.46 * prop.scale;
                let hull = Hull::new(Vec3::zeros(), [2.0 * radius; 3], radius);
                let pose = Pose { position: ground, ..Pose::default() };
                Some(StaticObstacle::Solid { pose, hull: [hull] })
            }
            PropForm::Kind(PropKind::Block) => block(scaled(prop.size.unwrap_or([1.0; 3]))),
            PropForm::Kind(PropKind::Barrier) => block(scaled(prop.size.unwrap_or(BARRIER))),
            // the bounds of a tree are those of its crown
            PropForm::Mesh { class: SurfaceClass::Tree, .. } if prop.size.is_none() => {
                prop.diameter.and_then(|_| stem(0.0, MESH_TREE))
            }
            PropForm::Mesh { bounds, .. } => {
                prop.size.map_or_else(|| Some(mesh_box(&bounds, prop, &ground)), block)
            }
        }
    }

    /// Returns whether it covers a position, seen from above.
    fn covers(&self, [x, y]: [f64; 2]) -> bool {
        match self {
            StaticObstacle::Stem { stem, foot } => {
                hypot(x - foot.x, y - foot.y) < 0.5 * stem.diameter
            }
            StaticObstacle::Solid { pose, hull } => {
                let own = pose.local_point(&Vec3::new(x, y, pose.position.z)) - hull[0].center;
                let half = hull[0].shape.half();
                own.x.abs() < half.x && own.y.abs() < half.y
            }
        }
    }

    /// Returns center and radius of the circle around it, m.
    fn disc(&self) -> ([f64; 2], f64) {
        match self {
            StaticObstacle::Stem { stem, foot } => ([foot.x, foot.y], 0.5 * stem.diameter),
            StaticObstacle::Solid { pose: Pose { position, .. }, hull } => {
                let half = hull[0].shape.half();
                ([position.x, position.y], (half.x * half.x + half.y * half.y).sqrt())
            }
        }
    }
}

/// Returns the box around a mesh whose origin is at `ground`.
fn mesh_box(bounds: &BoundingBox, prop: &SceneryObject, ground: &Vec3) -> StaticObstacle {
    let corner = |of: [f32; 3]| Vec3::from(of.map(f64::from)) * prop.scale;
    let (low, mut high) = (corner(bounds.low), corner(bounds.high));
    high = high.sup(&low.add_scalar(MIN_SIDE));
    let orientation = Quat::from_axis_angle(&Vec3::z_axis(), prop.heading);
    let position = ground + orientation * ((low + high) * 0.5);
    let hull = [Hull::new(Vec3::zeros(), (high - low).into(), ROUNDING)];
    StaticObstacle::Solid { pose: Pose { position, orientation }, hull }
}

#[derive(Clone, Debug)]
struct IndexedObstacle {
    index: u32,
    envelope: AABB<[f64; 2]>,
}

impl RTreeObject for IndexedObstacle {
    type Envelope = AABB<[f64; 2]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

/// All static obstacles of a world; immutable.
#[derive(Clone, Debug)]
pub struct Obstacles {
    all: Vec<StaticObstacle>,
    /// Index of the prop of each obstacle.
    props: Vec<usize>,
    nouns: Vec<&'static str>,
    tree: RTree<IndexedObstacle>,
}

impl Default for Obstacles {
    fn default() -> Obstacles {
        Obstacles { all: Vec::new(), props: Vec::new(), nouns: Vec::new(), tree: RTree::new() }
    }
}

impl Obstacles {
    /// Builds the obstacles of a world from its solid props.
    pub fn from_props(props: &[SceneryObject], terrain: &Terrain) -> Obstacles {
        let (mut all, mut of, mut nouns) = (Vec::new(), Vec::new(), Vec::new());
        for (index, prop) in props.iter().enumerate() {
            if let Some(obstacle) = StaticObstacle::from_prop(prop, terrain) {
                all.push(obstacle);
                of.push(index);
                nouns.push(prop.noun());
            }
        }
        let placed = |(index, obstacle): (usize, &StaticObstacle)| {
            let ([x, y], r) = obstacle.disc();
            let envelope = AABB::from_corners([x - r, y - r], [x + r, y + r]);
            IndexedObstacle { index: index as u32, envelope }
        };
        let tree = RTree::bulk_load(all.iter().enumerate().map(placed).collect());
        Obstacles { all, props: of, nouns, tree }
    }

    /// Returns the number of obstacles.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no obstacles.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the noun for an obstacle.
    pub fn noun(&self, index: usize) -> &'static str {
        self.nouns.get(index).copied().unwrap_or("obstacle")
    }

    /// Returns an obstacle.
    pub fn get(&self, index: usize) -> Option<&StaticObstacle> {
        self.all.get(index)
    }

    /// Returns the index of an obstacle's prop.
    pub fn prop(&self, index: usize) -> Option<usize> {
        self.props.get(index).copied()
    }

    /// Returns the first obstacle that covers a position, seen from above.
    pub fn covering(&self, place: [f64; 2]) -> Option<usize> {
        let mut near = Vec::new();
        self.find_near(place, 0.0, &mut near);
        let covers = |index: &usize| self.all.get(*index).is_some_and(|own| own.covers(place));
        near.into_iter().map(|index| index as usize).find(covers)
    }

    /// Finds the obstacles within `reach` m of a position, in ascending order.
    pub(super) fn find_near(&self, [x, y]: [f64; 2], reach: f64, found: &mut Vec<u32>) {
        found.clear();
        if self.all.is_empty() || !(x + y).is_finite() {
            return;
        }
        let around = AABB::from_corners([x - reach, y - reach], [x + reach, y + reach]);
        found.extend(self.tree.locate_in_envelope_intersecting(around).map(|placed| placed.index));
        found.sort_unstable();
    }
}
