//! What sensors look at: the deformed ground, and meshes at their poses on it.

use super::air::Air;
use super::bvh::{Bounds, Bvh, Slabs};
use super::class::Class;
use super::material::{Material, SoilLook};
use super::mesh::{Mesh, Touch};
use super::ray::Ray;
use super::relief::{Footing, Mark, Relief};
use super::sky::Sky;
use crate::ground::GroundModel;
use crate::spatial::{Pose, Quat, Vec3};

/// A mesh at its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index of its mesh.
    pub mesh: usize,
    /// Its frame at the scene's two keyframes.
    pub poses: [Pose; 2],
    /// By how much the mesh is enlarged.
    pub scale: f64,
    /// Whose it is: the label is one more.
    pub owner: u16,
    /// What it is.
    pub class: Class,
}

/// Between two poses: positions along the chord, orientations along the arc.
#[inline]
pub fn between(poses: &[Pose; 2], share: f64) -> Pose {
    let [a, b] = poses;
    let (p, q) = (a.orientation.coords, b.orientation.coords);
    let near = if p.dot(&q) < 0.0 { -q } else { q };
    let mixed = p * (1.0 - share) + near * share;
    Pose {
        position: a.position + (b.position - a.position) * share,
        orientation: Quat::new_unchecked(nalgebra::Quaternion::from_vector(mixed / mixed.norm())),
    }
}

/// Instances under a tree.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// In the order of the tree's leaves.
    instances: Vec<Placed>,
    tree: Bvh,
    /// Place that the tree's boxes are measured from, m.
    origin: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    instance: Instance,
    /// World to mesh, where it stands still.
    turn: Option<[[f64; 3]; 3]>,
}

impl Crowd {
    /// A tree over instances of these meshes; instances of meshes that there are not
    /// are left out.
    pub fn new(meshes: &[Mesh], instances: &[Instance]) -> Crowd {
        let known: Vec<&Instance> = instances.iter().filter(|i| i.mesh < meshes.len()).collect();
        let origin = known.first().map_or_else(Vec3::zeros, |first| first.poses[1].position);
        let bounds: Vec<Bounds> =
            known.iter().map(|i| i.bounds(&meshes[i.mesh], &origin)).collect();
        let tree = Bvh::new(&bounds);
        let placed = tree.order().iter().map(|&index| {
            let instance = *known[index as usize];
            let still = instance.poses[0] == instance.poses[1];
            let turn = still.then(|| rows(&instance.poses[1].orientation, instance.scale));
            Placed { instance, turn }
        });
        Crowd { instances: placed.collect(), tree, origin }
    }

    /// The instances, in the order of the tree's leaves.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = &Instance> {
        self.instances.iter().map(|placed| &placed.instance)
    }

    /// The tree over them, and the place that its boxes are measured from, m.
    pub fn tree(&self) -> (&Bvh, &Vec3) {
        (&self.tree, &self.origin)
    }

    /// How many instances there are.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// The nearest touch before `far`, and which instance was touched.
    #[inline]
    fn cast(&self, meshes: &[Mesh], ray: &Ray, near: f64, far: f64) -> Option<(usize, Touch)> {
        let slabs = self.slabs(ray);
        let mut found = None;
        self.tree.walk(&slabs, near as f32, far as f32, |index, far| {
            let placed = &self.instances[index];
            let (origin, direction) = placed.local(ray);
            match meshes[placed.instance.mesh].cast(origin, direction, near as f32, far) {
                Some(touch) => {
                    found = Some((index, touch));
                    touch.range
                }
                None => far,
            }
        });
        found
    }

    #[inline]
    fn blocks(&self, meshes: &[Mesh], ray: &Ray, near: f64, far: f64) -> bool {
        let slabs = self.slabs(ray);
        let mut blocked = false;
        self.tree.walk(&slabs, near as f32, far as f32, |index, far| {
            let placed = &self.instances[index];
            let (origin, direction) = placed.local(ray);
            blocked |= meshes[placed.instance.mesh].blocks(origin, direction, near as f32, far);
            if blocked { f32::NEG_INFINITY } else { far }
        });
        blocked
    }

    #[inline]
    fn slabs(&self, ray: &Ray) -> Slabs {
        let from = ray.origin - self.origin;
        Slabs::new(single(&from), single(&ray.direction))
    }
}

#[inline]
fn single(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Rows of the matrix from the world's axes to those of a frame, `scale` times smaller.
#[inline]
fn rows(orientation: &Quat, scale: f64) -> [[f64; 3]; 3] {
    let m = orientation.to_rotation_matrix();
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| m[(column, row)] / scale))
}

impl Instance {
    /// An instance that stands still.
    pub fn still(mesh: usize, pose: Pose, owner: u16, class: Class) -> Instance {
        Instance { mesh, poses: [pose; 2], scale: 1.0, owner, class }
    }

    /// The box around it on its way from one pose to the other.
    fn bounds(&self, mesh: &Mesh, origin: &Vec3) -> Bounds {
        let around = mesh.bounds();
        let corners = (0..8).map(|k| {
            let pick = |axis: usize| {
                let ends = [around.low[axis], around.high[axis]];
                f64::from(ends[k >> axis & 1]) * self.scale
            };
            Vec3::new(pick(0), pick(1), pick(2))
        });
        let placed = corners
            .flat_map(|corner| self.poses.map(|pose| single(&(pose.point(&corner) - origin))));
        // between the poses a point leaves its chord by its radius times 1 - cos(θ/2)
        let turn = self.poses[0].orientation.coords.dot(&self.poses[1].orientation.coords).abs();
        let sagitta = f64::from(mesh.radius()) * self.scale * (1.0 - turn).max(0.0);
        Bounds::of(placed).padded(1e-3 + sagitta as f32)
    }
}

impl Placed {
    /// A ray in the mesh's frame; ranges stay those of the world.
    #[inline]
    fn local(&self, ray: &Ray) -> ([f32; 3], [f32; 3]) {
        let Instance { poses, scale, .. } = &self.instance;
        let (turn, position) = match &self.turn {
            Some(turn) => (*turn, poses[1].position),
            None => {
                let pose = between(poses, ray.moment);
                (rows(&pose.orientation, *scale), pose.position)
            }
        };
        let row = |v: &Vec3, [a, b, c]: [f64; 3]| (a * v.x + b * v.y + c * v.z) as f32;
        let apply = |v: &Vec3| [row(v, turn[0]), row(v, turn[1]), row(v, turn[2])];
        (apply(&(ray.origin - position)), apply(&ray.direction))
    }
}

/// Everything that a sensor may see at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// The ground before anything drove on it.
    pub model: &'a GroundModel,
    /// The ground around the sensor as it is.
    pub relief: &'a Relief,
    /// Looks of the soils, by their index.
    pub soils: &'a [SoilLook],
    /// Meshes.
    pub meshes: &'a [Mesh],
    /// What stands still.
    pub standing: &'a Crowd,
    /// What moves.
    pub moving: &'a Crowd,
    /// Sun and sky.
    pub sky: Sky,
    /// What is in the air.
    pub air: &'a Air,
}

/// What a ray has met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Met {
    /// The ground.
    Ground(Footing),
    /// An instance.
    Thing {
        /// Whether it is one of those that move.
        moving: bool,
        /// Its place in the crowd.
        index: usize,
        /// Where.
        touch: Touch,
    },
}

impl Met {
    /// Distance along the ray, m.
    #[inline]
    pub fn range(&self) -> f64 {
        match self {
            Met::Ground(footing) => footing.range,
            Met::Thing { touch, .. } => f64::from(touch.range),
        }
    }
}

/// A surface where a ray has met it.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// Where, world, m.
    pub point: Vec3,
    /// Unit normal for shading, on the ray's side.
    pub normal: Vec3,
    /// How it answers light.
    pub material: Material,
    /// What it is.
    pub class: Class,
    /// 0 ground, else 1 + owner.
    pub instance: u16,
    /// Index of the soil, 255 where it is no ground.
    pub soil: u8,
    /// What vehicles have left there.
    pub mark: Mark,
}

impl<'a> Scene<'a> {
    /// What a ray meets first between two ranges, m.
    #[inline]
    pub fn cast(&self, ray: &Ray, near: f64, far: f64) -> Option<Met> {
        let ground = self.relief.cast(ray, near, far);
        let mut far = ground.map_or(far, |footing| footing.range);
        let mut met = ground.map(Met::Ground);
        for (crowd, moving) in [(self.standing, false), (self.moving, true)] {
            if let Some((index, touch)) = crowd.cast(self.meshes, ray, near, far) {
                far = f64::from(touch.range);
                met = Some(Met::Thing { moving, index, touch });
            }
        }
        met
    }

    /// Whether anything is in the way between two ranges, m.
    #[inline]
    pub fn blocks(&self, ray: &Ray, near: f64, far: f64) -> bool {
        self.moving.blocks(self.meshes, ray, near, far)
            || self.standing.blocks(self.meshes, ray, near, far)
            || self.relief.cast(ray, near, far).is_some()
    }

    /// The surface that a ray has met.
    pub fn surface(&self, ray: &Ray, met: &Met) -> Surface {
        let point = ray.at(met.range());
        match met {
            Met::Ground(footing) => {
                let soil = self.model.terrain().soil(point.x, point.y);
                let soil = usize::from(soil.0).min(self.soils.len().saturating_sub(1));
                let mark = self.relief.mark(point.x, point.y);
                let grey = Material::dull([0.3; 3]);
                Surface {
                    point,
                    normal: footing.normal,
                    material: self.soils.get(soil).map_or(grey, |look| look.sunk(mark.sinkage)),
                    class: Class::Ground,
                    instance: 0,
                    soil: soil.min(254) as u8,
                    mark,
                }
            }
            Met::Thing { moving, index, touch } => {
                let crowd: &Crowd = if *moving { self.moving } else { self.standing };
                let instance = &crowd.instances[*index].instance;
                let mesh = &self.meshes[instance.mesh];
                let turn = between(&instance.poses, ray.moment).orientation;
                let world = |n: [f32; 3]| turn * Vec3::from(n.map(f64::from));
                let [flat, smooth] = mesh.normals(touch).map(world);
                let side = if flat.dot(&ray.direction) > 0.0 { -1.0 } else { 1.0 };
                let normal = smooth * if smooth.dot(&flat) < 0.0 { -side } else { side };
                Surface {
                    point,
                    normal,
                    material: *mesh.material(touch),
                    class: instance.class,
                    instance: instance.owner.saturating_add(1),
                    soil: u8::MAX,
                    mark: Mark::default(),
                }
            }
        }
    }
}
