//! Meshes, soils and instances as groups of four words, the layout that the programs read.

use super::device::{GpuDevice, GpuError};
use crate::bvh::Bvh;
use crate::material::{Material, SoilAppearance};
use crate::mesh::Mesh;
use crate::scene::{InstanceSet, Scene};
use bekker_ground::terrain::{SoilMap, SoilRegion};
use bekker_math::spatial::{Quat, Vec3};

/// Data that is constant in a run: meshes, soil appearance and soil map.
#[derive(Clone, Debug)]
pub struct SceneConstants {
    pub(super) buffer: wgpu::Buffer,
    pub(super) soils: usize,
}

impl SceneConstants {
    /// Uploads the meshes and soils of a scene.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if a buffer exceeds the limit of the device.
    pub fn new(gpu: &GpuDevice, scene: &Scene<'_>) -> Result<SceneConstants, GpuError> {
        let mut words = WordQuads::default();
        // soils, raster, regions; then a head for each mesh
        words.push([0; 4]);
        scene.meshes.iter().for_each(|_| words.push([0; 4]));
        let soils = words.len();
        let gray =
            [SoilAppearance { fresh: Material::dull([0.3; 3]), pressed: Material::dull([0.3; 3]) }];
        let visuals = if scene.soils.is_empty() { &gray } else { scene.soils };
        for look in visuals {
            words.material(&look.fresh);
            words.material(&look.pressed);
        }
        let map = scene.model.terrain().soil_map();
        let raster = words.raster(map);
        let regions = words.len();
        // the region painted last takes precedence
        map.regions().iter().rev().for_each(|(region, soil)| words.region(region, soil.0.into()));
        words.0[0] = [soils, raster, regions, map.regions().len() as u32];
        for (index, mesh) in scene.meshes.iter().enumerate() {
            words.0[1 + index] = words.mesh(mesh);
        }
        Ok(SceneConstants { buffer: gpu.storage("meshes", words.words())?, soils: visuals.len() })
    }
}

/// Appends both instance sets and the dust clouds, all relative to `anchor`.
pub(super) fn write_instances(scene: &Scene<'_>, anchor: &Vec3, words: &mut Vec<u32>) {
    let mut fours = WordQuads::default();
    (0..5).for_each(|_| fours.push([0; 4]));
    for (which, instance_set) in [scene.standing, scene.moving].into_iter().enumerate() {
        let (tree, origin) = instance_set.tree();
        let place = [fours.tree(tree), fours.len(), instance_set.len() as u32, 0];
        fours.0[2 * which] = place;
        fours.0[2 * which + 1] = reals(origin - anchor, 0.0);
        fours.instances(instance_set, anchor);
    }
    let puffs = &scene.air.puffs;
    fours.0[4] = [fours.len(), puffs.len() as u32, 0, 0];
    for puff in puffs {
        fours.push(reals(puff.center - anchor, puff.radius));
        let [r, g, b] = puff.albedo;
        fours.push([r, g, b, puff.extinction as f32].map(f32::to_bits));
    }
    words.clear();
    words.extend_from_slice(fours.words());
}

/// Groups of four words.
#[derive(Debug, Default)]
struct WordQuads(Vec<[u32; 4]>);

fn reals(v: Vec3, w: f64) -> [u32; 4] {
    [v.x, v.y, v.z, w].map(|x| (x as f32).to_bits())
}

fn pack_quad([x, y, z]: [f32; 3], word: u32) -> [u32; 4] {
    [x.to_bits(), y.to_bits(), z.to_bits(), word]
}

impl WordQuads {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn push(&mut self, four: [u32; 4]) {
        self.0.push(four);
    }

    fn words(&self) -> &[u32] {
        self.0.as_flattened()
    }

    fn material(&mut self, material: &Material) {
        let Material { albedo, roughness, metallic, reflectance } = *material;
        self.push(pack_quad(albedo, roughness.to_bits()));
        self.push([metallic, reflectance, 0.0, 0.0].map(f32::to_bits));
    }

    fn tree(&mut self, tree: &Bvh) -> u32 {
        let place = self.len();
        for (bounds, first, count) in tree.nodes() {
            self.push(pack_quad(bounds.low, first));
            self.push(pack_quad(bounds.high, count));
        }
        place
    }

    /// Appends a mesh and returns its head: where its tree, triangles, normals and palette begin.
    fn mesh(&mut self, mesh: &Mesh) -> [u32; 4] {
        let tree = self.tree(mesh.tree());
        let triangles = self.len();
        for ([origin, e, f], [a, b, c], material) in mesh.faces() {
            self.push(pack_quad(origin, 0));
            self.push(pack_quad(e, a));
            self.push(pack_quad(f, b));
            self.push([c, material, 0, 0]);
        }
        let normals = self.len();
        mesh.corner_normals().iter().for_each(|normal| self.push(pack_quad(*normal, 0)));
        let palette = self.len();
        mesh.palette().iter().for_each(|material| self.material(material));
        [tree, triangles, normals, palette]
    }

    fn instances(&mut self, instance_set: &InstanceSet, anchor: &Vec3) {
        let turn = |q: &Quat| {
            let [x, y, z, w]: [f64; 4] = q.coords.into();
            [x, y, z, w].map(|x| (x as f32).to_bits())
        };
        for instance in instance_set.instances() {
            let [before, now] = &instance.poses;
            let [x, y, z, _] = reals(before.position - anchor, 0.0);
            self.push(reals(now.position - anchor, instance.scale));
            self.push(turn(&now.orientation));
            self.push([x, y, z, 1 + instance.mesh as u32]);
            self.push(turn(&before.orientation));
            let still = u32::from(before == now);
            let label = u32::from(instance.agent.saturating_add(1));
            self.push([instance.class as u32, label, still, 0]);
        }
    }

    fn raster(&mut self, map: &SoilMap) -> u32 {
        let place = self.len();
        let Some(raster) = map.raster() else {
            self.push([0, map.ground().0.into(), 0, 0]);
            return place;
        };
        self.push([raster.columns as u32, raster.rows as u32, 0, 0]);
        let [x, y] = raster.south_west;
        let [dx, dy] = raster.cell;
        self.push([x, y, dx, dy].map(|v| (v as f32).to_bits()));
        for four in raster.soils.chunks(4) {
            self.push(std::array::from_fn(|k| four.get(k).map_or(0, |soil| soil.0.into())));
        }
        place
    }

    fn region(&mut self, region: &SoilRegion, soil: u32) {
        let plane = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a, b, c, d].map(|v| (v as f32).to_bits());
        match region {
            SoilRegion::HalfPlane { point, direction } => {
                self.push([0, soil, 0, 1]);
                self.push(plane(*point, *direction));
            }
            SoilRegion::Rectangle { min, max } => {
                self.push([1, soil, 0, 1]);
                self.push(plane(*min, *max));
            }
            SoilRegion::Band { from, to, width } => {
                self.push([2, soil, (*width as f32).to_bits(), 1]);
                self.push(plane(*from, *to));
            }
            SoilRegion::Polygon(corners) => {
                self.push([3, soil, 0, corners.len() as u32]);
                for (k, corner) in corners.iter().enumerate() {
                    let before = corners[(k + corners.len() - 1) % corners.len()];
                    self.push(plane(*corner, before));
                }
            }
        }
    }
}
