//! Scene of imaging sensors: the deformed ground, and meshes at their poses on it.

use super::air::Air;
use super::bvh::{Beams, BoundingBox, Bvh, Primitives};
use super::class::SurfaceClass;
use super::material::{Material, SoilAppearance};
use super::mesh::{Mesh, MeshHit};
use super::moving_frames::{MovingFrame, MovingFrames};
use super::packet::{
    F32Lanes, Level, NO_HIT, Packet, PacketTraversal, RAYS, Simd, dispatch, level, to_lanes,
};
use super::ray::Ray;
use super::relief::{GroundHit, GroundMark, HeightPyramid};
use super::sky::Sky;
use bekker_ground::GroundModel;
use bekker_math::spatial::{Pose, Quat, Vec3};
use fearless_simd::prelude::*;

/// Mesh placed in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instance {
    /// Index of its mesh.
    pub mesh: usize,
    /// Mesh frame at the scene's two keyframes.
    pub poses: [Pose; 2],
    /// Scale factor of the mesh.
    pub scale: f64,
    /// Agent that it belongs to; its instance label is this number plus one.
    pub agent: u16,
    /// Semantic class.
    pub class: SurfaceClass,
}

/// Interpolates between two poses: positions along the chord, orientations along the arc.
#[inline]
pub fn interpolate_pose(poses: &[Pose; 2], share: f64) -> Pose {
    let [a, b] = poses;
    let (p, q) = (a.orientation.coords, b.orientation.coords);
    let near = if p.dot(&q) < 0.0 { -q } else { q };
    let mixed = p * (1.0 - share) + near * share;
    Pose {
        position: a.position + (b.position - a.position) * share,
        orientation: Quat::new_unchecked(nalgebra::Quaternion::from_vector(mixed / mixed.norm())),
    }
}

/// Instances under a bounding volume hierarchy.
#[derive(Clone, Debug)]
pub struct InstanceSet {
    /// In the order of the tree's leaves.
    instances: Vec<PlacedInstance>,
    tree: Bvh,
    /// Origin of the tree's boxes in the world, m.
    origin: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct PlacedInstance {
    instance: Instance,
    /// Rotation from world to mesh; `None` for a moving instance.
    turn: Option<[[f64; 3]; 3]>,
}

impl InstanceSet {
    /// Builds a tree over instances of these meshes.
    ///
    /// Instances whose mesh index is out of range are left out.
    pub fn new(meshes: &[Mesh], instances: &[Instance]) -> InstanceSet {
        let known: Vec<&Instance> = instances.iter().filter(|i| i.mesh < meshes.len()).collect();
        let origin = known.first().map_or_else(Vec3::zeros, |first| first.poses[1].position);
        let bounds: Vec<BoundingBox> =
            known.iter().map(|i| i.bounds(&meshes[i.mesh], &origin)).collect();
        let tree = Bvh::new(&bounds, 1);
        let placed = tree.order().iter().map(|&index| {
            let instance = *known[index as usize];
            let still = instance.poses[0] == instance.poses[1];
            let turn = still.then(|| rows(&instance.poses[1].orientation, instance.scale));
            PlacedInstance { instance, turn }
        });
        InstanceSet { instances: placed.collect(), tree, origin }
    }

    /// Returns the instances, in the order of the tree's leaves.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = &Instance> {
        self.instances.iter().map(|placed| &placed.instance)
    }

    /// Returns the tree and the origin of its boxes in the world, m.
    pub fn tree(&self) -> (&Bvh, &Vec3) {
        (&self.tree, &self.origin)
    }

    /// Returns the number of instances.
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Returns whether there are no instances.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// Continues a search among these instances, which are numbered from `number`.
    ///
    /// Where `frames` is given, the frames of moving instances are cached there.
    #[inline(always)]
    fn intersect<'s, S: Simd>(
        &'s self,
        meshes: &[Mesh],
        view: &PacketView<'_, S>,
        number: u32,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
        mut frames: Option<&mut MovingFrames<'s>>,
    ) {
        if let Some(frames) = &mut frames {
            frames.follow(view.packet, self);
        }
        let mut origin = view.packet.origin;
        for (k, origin) in origin.iter_mut().enumerate() {
            origin.iter_mut().for_each(|origin| *origin -= self.origin[k]);
        }
        let [x, y, z] = &origin;
        let simd = near.simd;
        let origin = [to_lanes(simd, x), to_lanes(simd, y), to_lanes(simd, z)];
        let beams = Beams { origin, direction: view.direction };
        let mut instances = Instances { instances: &self.instances, meshes, view, number, frames };
        self.tree.walk(&beams, near, search, &mut instances);
    }
}

/// Packet in the form that instances use.
#[derive(Clone, Copy)]
struct PacketView<'a, S: Simd> {
    packet: &'a Packet,
    direction: [F32Lanes<S>; 3],
    /// Whether all rays share their start point, and whether they share their time.
    together: [bool; 2],
}

impl<'a, S: Simd> PacketView<'a, S> {
    #[inline(always)]
    fn new(simd: S, packet: &'a Packet) -> PacketView<'a, S> {
        let [x, y, z] = &packet.direction;
        let same = |numbers: &[f64; RAYS]| numbers.iter().all(|number| *number == numbers[0]);
        PacketView {
            packet,
            direction: [to_lanes(simd, x), to_lanes(simd, y), to_lanes(simd, z)],
            together: [packet.origin.iter().all(same), same(&packet.moment)],
        }
    }
}

/// Instances that rays are intersected with.
struct Instances<'a, 'b, S: Simd> {
    instances: &'a [PlacedInstance],
    meshes: &'a [Mesh],
    view: &'a PacketView<'a, S>,
    /// Number of the first instance in the search.
    number: u32,
    /// Cached frames of moving instances.
    frames: Option<&'a mut MovingFrames<'b>>,
}

impl<S: Simd> Primitives<S> for Instances<'_, '_, S> {
    #[inline(always)]
    fn intersect(&mut self, place: usize, near: F32Lanes<S>, search: &mut PacketTraversal<S>) {
        let placed = &self.instances[place];
        let PacketView { packet, direction, .. } = self.view;
        let beams = match (placed.local(self.view), &mut self.frames) {
            (Some(beams), _) => beams,
            (None, Some(frames)) => {
                frames.frame_of(place, &placed.instance, packet).beams(direction)
            }
            (None, None) => MovingFrame::new(&placed.instance, packet).beams(direction),
        };
        let number = self.number + place as u32;
        self.meshes[placed.instance.mesh].intersect(&beams, number, near, search);
    }
}

#[inline]
fn to_f32(v: &Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Returns the dot product of a matrix row and a vector.
#[inline(always)]
pub(super) fn row_dot(row: &[f64; 3], v: &[f64; 3]) -> f64 {
    row[0] * v[0] + row[1] * v[1] + row[2] * v[2]
}

/// Returns the rows of the matrix from world axes to those of a frame, divided by `scale`.
#[inline]
pub(super) fn rows(orientation: &Quat, scale: f64) -> [[f64; 3]; 3] {
    let m = orientation.to_rotation_matrix();
    [0, 1, 2].map(|row| [0, 1, 2].map(|column| m[(column, row)] / scale))
}

impl Instance {
    /// Creates a stationary instance.
    pub fn still(mesh: usize, pose: Pose, agent: u16, class: SurfaceClass) -> Instance {
        Instance { mesh, poses: [pose; 2], scale: 1.0, agent, class }
    }

    /// Returns the box around the instance between its two poses.
    fn bounds(&self, mesh: &Mesh, origin: &Vec3) -> BoundingBox {
        let around = mesh.bounds();
        let corners = (0..8).map(|k| {
            let pick = |axis: usize| {
                let ends = [around.low[axis], around.high[axis]];
                f64::from(ends[k >> axis & 1]) * self.scale
            };
            Vec3::new(pick(0), pick(1), pick(2))
        });
        let placed = corners
            .flat_map(|corner| self.poses.map(|pose| to_f32(&(pose.point(&corner) - origin))));
        // between the poses a point leaves its chord by its radius times 1 - cos(θ/2)
        let turn = self.poses[0].orientation.coords.dot(&self.poses[1].orientation.coords).abs();
        let sagitta = f64::from(mesh.radius()) * self.scale * (1.0 - turn).max(0.0);
        BoundingBox::around(placed).padded(1e-3 + sagitta as f32)
    }
}

impl PlacedInstance {
    /// Transforms rays to the mesh frame; ranges stay in world units.
    ///
    /// It is `None` for a moving instance and rays of different times.
    #[inline(always)]
    fn local<S: Simd>(&self, view: &PacketView<'_, S>) -> Option<Beams<S>> {
        let simd = view.direction[0].simd;
        let Instance { poses, scale, .. } = &self.instance;
        let (turn, position) = match &self.turn {
            Some(turn) => (*turn, poses[1].position),
            None if view.together[1] => {
                let pose = interpolate_pose(poses, view.packet.moment[0]);
                (rows(&pose.orientation, *scale), pose.position)
            }
            None => return None,
        };
        // one start point at a time in double precision, as for a single ray
        let places = if view.together[0] { 1 } else { RAYS };
        let mut own = [[0.0; RAYS]; 3];
        let [x, y, z] = &view.packet.origin;
        for lane in 0..places {
            let from = [x[lane] - position.x, y[lane] - position.y, z[lane] - position.z];
            for k in 0..3 {
                own[k][lane] = row_dot(&turn[k], &from);
            }
        }
        let (mut origin, mut direction) = (view.direction, view.direction);
        let [dx, dy, dz] = view.direction;
        for k in 0..3 {
            origin[k] = match view.together[0] {
                true => F32Lanes::splat(simd, own[k][0] as f32),
                false => to_lanes(simd, &own[k]),
            };
            let [x, y, z] = turn[k];
            direction[k] = dx * x as f32 + dy * y as f32 + dz * z as f32;
        }
        Some(Beams { origin, direction })
    }
}

/// All that a sensor may see at a time.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Undisturbed ground.
    pub model: &'a GroundModel,
    /// Current ground around the sensor.
    pub relief: &'a HeightPyramid,
    /// Appearance of the soils, by soil index.
    pub soils: &'a [SoilAppearance],
    /// Meshes, by index.
    pub meshes: &'a [Mesh],
    /// Stationary instances.
    pub standing: &'a InstanceSet,
    /// Moving instances.
    pub moving: &'a InstanceSet,
    /// Sun and sky.
    pub sky: Sky,
    /// Atmosphere.
    pub air: &'a Air,
}

/// First hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RayHit {
    /// Hit on the ground.
    Ground(GroundHit),
    /// Hit on an instance.
    Object {
        /// Whether the instance belongs to the moving set.
        moving: bool,
        /// Index of the instance in its set.
        index: usize,
        /// Hit on the mesh.
        touch: MeshHit,
    },
}

impl RayHit {
    /// Returns the distance along the ray, m.
    #[inline]
    pub fn range(&self) -> f64 {
        match self {
            RayHit::Ground(ground_hit) => ground_hit.range,
            RayHit::Object { touch, .. } => f64::from(touch.range),
        }
    }
}

/// Surface at the hit of a ray.
#[derive(Clone, Copy, Debug)]
pub struct HitSurface {
    /// Position, world, m.
    pub point: Vec3,
    /// Unit normal for shading, on the ray's side.
    pub normal: Vec3,
    /// Optical properties.
    pub material: Material,
    /// Semantic class.
    pub class: SurfaceClass,
    /// Instance label: 0 for the ground, else 1 + agent.
    pub instance: u16,
    /// Index of the soil; 255 where the surface is not ground.
    pub soil: u8,
    /// Traces of vehicles on the ground.
    pub mark: GroundMark,
}

impl HitSurface {
    /// Placeholder for no surface.
    pub(super) const NONE: HitSurface = HitSurface {
        point: Ray::NONE.origin,
        normal: Ray::NONE.direction,
        material: Material::dull([0.0; 3]),
        class: SurfaceClass::Sky,
        instance: 0,
        soil: u8::MAX,
        mark: GroundMark { sinkage: 0.0, slip: 0.0, passes: 0, agent: 0 },
    };
}

impl<'a> Scene<'a> {
    /// Returns the first hit of a ray between two ranges, m.
    pub fn cast(&self, ray: &Ray, near: f64, far: f64) -> Option<RayHit> {
        self.cast_all(std::slice::from_ref(ray), near, far)[0]
    }

    /// Returns the first hit of each of up to [`RAYS`] rays between two ranges, m.
    ///
    /// Each result equals that of [`Scene::cast`]. The cast is faster where the rays have similar
    /// directions.
    pub fn cast_all(&self, rays: &[Ray], near: f64, far: f64) -> [Option<RayHit>; RAYS] {
        self.cast_with(level(), rays, [near, far], None)
    }

    /// Casts rays as [`Scene::cast_all`] does, with cached frames of moving instances.
    ///
    /// The frames in `frames` are reused for rays with the same start points and times as the
    /// previous rays.
    pub fn cast_with_frames(
        &self,
        rays: &[Ray],
        [near, far]: [f64; 2],
        frames: &mut MovingFrames<'a>,
    ) -> [Option<RayHit>; RAYS] {
        self.cast_with(level(), rays, [near, far], Some(frames))
    }

    /// [`Scene::cast_with_frames`] with the instruction set `level`.
    fn cast_with(
        &self,
        level: Level,
        rays: &[Ray],
        [near, far]: [f64; 2],
        frames: Option<&mut MovingFrames<'a>>,
    ) -> [Option<RayHit>; RAYS] {
        let packet = Packet::from_rays(rays);
        let mut met = [None; RAYS];
        dispatch!(level, simd => {
            let near = F32Lanes::splat(simd, near as f32);
            let mut search = PacketTraversal::new(simd, false, packet.count, far);
            let mut ground_hits = [None; RAYS];
            self.relief.intersect(&packet, near, &mut search, &mut ground_hits);
            search.clear_hits();
            self.intersect_objects(&packet, near, &mut search, frames);
            let still = self.standing.len();
            for lane in 0..packet.count {
                let thing = search.thing.as_array()[lane];
                met[lane] = if thing == NO_HIT {
                    ground_hits[lane].map(RayHit::Ground)
                } else {
                    let (moving, index) = match (thing as usize).checked_sub(still) {
                        Some(index) => (true, index),
                        None => (false, thing as usize),
                    };
                    let touch = MeshHit::from_search(&search, lane);
                    Some(RayHit::Object { moving, index, touch })
                };
            }
        });
        met
    }

    /// Returns which of up to [`RAYS`] rays are blocked between two ranges, m: bit k for ray k.
    pub fn blocked(&self, rays: &[Ray], near: f64, far: f64) -> u32 {
        let packet = Packet::from_rays(rays);
        dispatch!(level(), simd => {
            let near = F32Lanes::splat(simd, near as f32);
            let mut search = PacketTraversal::new(simd, true, packet.count, far);
            self.intersect_objects(&packet, near, &mut search, None);
            if search.far.simd_ge(near).any_true() {
                self.relief.intersect(&packet, near, &mut search, &mut [None; RAYS]);
            }
            search.thing.simd_lt(NO_HIT).to_bitmask() as u32
        })
    }

    /// Continues a search; stationary instances are numbered from 0, moving ones follow.
    #[inline(always)]
    fn intersect_objects<S: Simd>(
        &self,
        packet: &Packet,
        near: F32Lanes<S>,
        search: &mut PacketTraversal<S>,
        frames: Option<&mut MovingFrames<'a>>,
    ) {
        let view = PacketView::new(near.simd, packet);
        let behind = self.standing.len() as u32;
        self.moving.intersect(self.meshes, &view, behind, near, search, frames);
        self.standing.intersect(self.meshes, &view, 0, near, search, None);
    }

    /// Returns the surface at the hit of a ray.
    pub fn surface(&self, ray: &Ray, met: &RayHit) -> HitSurface {
        let point = ray.point_at(met.range());
        match met {
            RayHit::Ground(ground_hit) => {
                let soil = self.model.terrain().soil(point.x, point.y);
                let soil = usize::from(soil.0).min(self.soils.len().saturating_sub(1));
                let mark = self.relief.mark(point.x, point.y);
                let gray = Material::dull([0.3; 3]);
                HitSurface {
                    point,
                    normal: ground_hit.normal(),
                    material: self
                        .soils
                        .get(soil)
                        .map_or(gray, |look| look.at_sinkage(mark.sinkage)),
                    class: SurfaceClass::Ground,
                    instance: 0,
                    soil: soil.min(254) as u8,
                    mark,
                }
            }
            RayHit::Object { moving, index, touch } => {
                let instance_set: &InstanceSet = if *moving { self.moving } else { self.standing };
                let instance = &instance_set.instances[*index].instance;
                let mesh = &self.meshes[instance.mesh];
                let turn = match instance.poses[0] == instance.poses[1] {
                    true => instance.poses[1].orientation,
                    false => interpolate_pose(&instance.poses, ray.moment).orientation,
                };
                let world = |n: [f32; 3]| turn * Vec3::from(n.map(f64::from));
                let [flat, smooth] = mesh.normals(touch).map(world);
                let side = if flat.dot(&ray.direction) > 0.0 { -1.0 } else { 1.0 };
                let normal = smooth * if smooth.dot(&flat) < 0.0 { -side } else { side };
                HitSurface {
                    point,
                    normal,
                    material: *mesh.material(touch),
                    class: instance.class,
                    instance: instance.agent.saturating_add(1),
                    soil: u8::MAX,
                    mark: GroundMark::default(),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshBuilder;
    use bekker_ground::soil::{Laws, Soil, SoilId, SoilKind};
    use bekker_ground::terrain::{Procedural, SoilMap, Surface as Shape, Terrain};
    use bekker_ground::{NodeState, Patches, SharedGround};
    use bekker_math::grid::{Lattice, TileKey};
    use bekker_math::numeric::sin_cos;
    use bekker_math::random::RandomStream;

    /// Instruction sets that this machine supports, in ascending order of width.
    fn levels() -> Vec<Level> {
        let mut levels = vec![Level::baseline(), Level::new()];
        #[cfg(target_arch = "x86_64")]
        levels.extend(Level::new().as_sse4_2().map(Simd::level));
        #[cfg(target_arch = "x86_64")]
        levels.extend(Level::new().as_avx2().map(Simd::level));
        levels
    }

    /// A ray has the same hit alone, in a packet, and with any instruction set.
    ///
    /// The scene has hills with a rut, and pillars. Every third pillar moves.
    #[test]
    fn a_ray_hits_the_same_alone_and_in_a_packet() {
        let soil = Soil {
            name: "firm".into(),
            source: String::new(),
            kind: SoilKind::Firm { friction: 0.8 },
        };
        let hills = Shape::Procedural(Procedural::new(0.0, 1.5, 60.0, 4, 7).unwrap());
        let terrain = Terrain::builder(hills, SoilMap::uniform(SoilId(0))).build().unwrap();
        let lattice = Lattice { spacing: 0.25 };
        let model = GroundModel::new(lattice, terrain, vec![soil], Laws::reference()).unwrap();
        let mut patches = Patches::default();
        for a in 0..6 {
            patches.begin(TileKey { a, b: 0 });
            (32..64).for_each(|node| {
                patches.push(node, NodeState::quantized(0.1, 0.0, [0.0; 2], 0, 1));
            });
        }
        let mut published = SharedGround::default();
        published.apply(&patches);
        let relief = HeightPyramid::new(&model, &published, [0.0, 0.0]);
        let mut builder = MeshBuilder::new();
        builder.column(
            [0.0; 3],
            &[[-0.5, 0.5], [2.0, 0.5], [2.0, 0.0]],
            24,
            Material::dull([0.5; 3]),
        );
        let meshes = [builder.finish()];
        let instance = |k: i32| {
            let (x, y) = (f64::from(k) * 1.3 - 20.0, f64::from(k * 7 % 23) - 11.0);
            let at = |x: f64| Pose {
                position: Vec3::new(x, y, model.terrain().height(x, y)),
                ..Pose::default()
            };
            let still = Instance::still(0, at(x), 0, SurfaceClass::Post);
            if k % 3 == 0 { Instance { poses: [at(x), at(x + 0.7)], ..still } } else { still }
        };
        let (still, moves): (Vec<_>, Vec<_>) =
            (0..32).map(instance).partition(|i| i.poses[0] == i.poses[1]);
        let (standing, moving) =
            (InstanceSet::new(&meshes, &still), InstanceSet::new(&meshes, &moves));
        let (sky, air) = (Sky::default(), Air::default());
        let scene = Scene {
            model: &model,
            relief: &relief,
            soils: &[],
            meshes: &meshes,
            standing: &standing,
            moving: &moving,
            sky,
            air: &air,
        };
        let others: Vec<_> = moves.iter().map(|i| Instance { scale: 1.5, ..*i }).collect();
        let others = InstanceSet::new(&meshes, &others);
        let elsewhere = Scene { moving: &others, ..scene };
        let stream = RandomStream::new(3, "rays");
        let draw = |at: u64| stream.uniform(at);
        let mut seen = [0; 3];
        let mut frames = MovingFrames::default();
        for packet in 0..400 {
            let base = [0, 1, 2].map(|k| draw(packet * 100 + k));
            let origin = Vec3::new(20.0 * base[0] - 10.0, 20.0 * base[1] - 10.0, 0.0);
            let height = model.terrain().height(origin.x, origin.y) + 3.0 * base[2];
            let count = if packet % 5 == 0 { 1 + packet as usize % RAYS } else { RAYS };
            let rays: Vec<Ray> = (0..count as u64)
                .map(|lane| {
                    let aside = |k: u64| draw(packet * 100 + 10 + 4 * lane + k);
                    let to_lanes = if packet % 2 == 0 { 0.1 } else { 6.0 };
                    let (s, c) = sin_cos(6.2 * base[0] + to_lanes * aside(0));
                    let direction = Vec3::new(c, s, 0.3 * aside(1) - 0.2).normalize();
                    let origin = Vec3::new(origin.x, origin.y + 0.1 * aside(2), height);
                    Ray { origin, direction, moment: if packet % 3 == 0 { 0.5 } else { aside(3) } }
                })
                .collect();
            let met = scene.cast_all(&rays, 0.1, 300.0);
            for level in levels() {
                assert_eq!(scene.cast_with(level, &rays, [0.1, 300.0], None), met, "{level:?}");
            }
            // equal start points and times, other directions first
            let mut turned = rays.clone();
            turned.iter_mut().for_each(|ray| ray.direction.y = -ray.direction.y);
            for rays in [&turned, &rays, &turned] {
                let again = scene.cast_with_frames(rays, [0.1, 300.0], &mut frames);
                assert_eq!(again, scene.cast_all(rays, 0.1, 300.0));
            }
            // other instances with the same cache
            let again = elsewhere.cast_with_frames(&turned, [0.1, 300.0], &mut frames);
            assert_eq!(again, elsewhere.cast_all(&turned, 0.1, 300.0));
            let blocked = scene.blocked(&rays, 0.1, 300.0);
            for (lane, ray) in rays.iter().enumerate() {
                assert_eq!(scene.cast(ray, 0.1, 300.0), met[lane]);
                assert_eq!(blocked >> lane & 1 == 1, met[lane].is_some());
                seen[match met[lane] {
                    None => 0,
                    Some(RayHit::Ground(_)) => 1,
                    Some(RayHit::Object { .. }) => 2,
                }] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
    }
}
