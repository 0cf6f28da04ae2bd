//! Reader of glTF 2.0 (Khronos; ISO/IEC 12113): `.glb`, and `.gltf` with its buffers in separate
//! files or data URIs.
//!
//! The reader is part of bekker, because it needs only shapes, nodes and material factors, and no
//! file may abort a run. Every index and length is checked. Sizes are bounded before anything is
//! built: JSON values by their separators, lists of records by their length, triangles by their sum
//! over all nodes.

use super::bounded::{BoundedVec, has_more_values};
use super::import::{Fetch, ImportedMesh, MeshError, TRIANGLES, material_from_rgb};
use super::{MeshBuilder, cross, dot};
use crate::material::Material;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{DecodeError, Engine, alphabet};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use std::borrow::Cow;

const MAGIC: &[u8; 4] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;
const FLOAT: u32 = 5126;

/// Maximum number of JSON values, counted by their separators.
const VALUES: usize = 4_000_000;
/// Maximum number of records of a kind: nodes, meshes, materials, accessors and so on.
const RECORDS: usize = 100_000;
/// Maximum number of materials; each is compared with all previous ones.
const MATERIALS: usize = 10_000;
/// Maximum total size of all buffers, bytes.
const BUFFERS: usize = 2 << 30;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
struct GltfDocument<'a> {
    asset: GltfAsset,
    #[serde(default)]
    extensions_required: BoundedVec<String, RECORDS>,
    scene: Option<usize>,
    #[serde(default)]
    scenes: BoundedVec<GltfScene, RECORDS>,
    #[serde(default)]
    nodes: BoundedVec<GltfNode, RECORDS>,
    #[serde(default)]
    meshes: BoundedVec<GltfMesh, RECORDS>,
    #[serde(default)]
    materials: BoundedVec<Paint, MATERIALS>,
    #[serde(default)]
    accessors: BoundedVec<Accessor<'a>, RECORDS>,
    #[serde(default)]
    buffer_views: BoundedVec<BufferView, RECORDS>,
    #[serde(default)]
    buffers: BoundedVec<Buffer<'a>, RECORDS>,
    #[serde(default)]
    animations: Vec<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct GltfAsset {
    version: String,
}

#[derive(Deserialize)]
struct GltfScene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
struct GltfNode {
    #[serde(default)]
    children: Vec<usize>,
    mesh: Option<usize>,
    skin: Option<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct GltfMesh {
    primitives: BoundedVec<Primitive, RECORDS>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: Attributes,
    indices: Option<usize>,
    material: Option<usize>,
    mode: Option<u32>,
    targets: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Attributes {
    position: Option<usize>,
    normal: Option<usize>,
    color_0: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Paint {
    pbr_metallic_roughness: Factors,
    normal_texture: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Factors {
    base_color_factor: [f32; 4],
    metallic_factor: f32,
    roughness_factor: f32,
    base_color_texture: Option<serde::de::IgnoredAny>,
    metallic_roughness_texture: Option<serde::de::IgnoredAny>,
}

impl Default for Factors {
    fn default() -> Factors {
        Factors {
            base_color_factor: [1.0; 4],
            metallic_factor: 1.0,
            roughness_factor: 1.0,
            base_color_texture: None,
            metallic_roughness_texture: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor<'a> {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type", borrow)]
    shape: Cow<'a, str>,
    sparse: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BufferView {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Buffer<'a> {
    /// Borrowed from the JSON where it has no escapes, because it may hold all data.
    #[serde(borrow)]
    uri: Option<Cow<'a, str>>,
}

/// Rows of an affine map.
type Affine = [[f64; 4]; 3];

pub(super) fn read(bytes: &[u8], fetch: &mut Fetch<'_>) -> Result<ImportedMesh, MeshError> {
    let (json, mut held) = if bytes.starts_with(MAGIC) { unpacked(bytes)? } else { (bytes, None) };
    if has_more_values(json, VALUES) {
        return Err(syntax(&format!("contains more than {VALUES} values; must be fewer")));
    }
    let document: GltfDocument<'_> =
        serde_json::from_slice(json).map_err(|error| syntax(&error.to_string()))?;
    if !document.asset.version.starts_with("2.") {
        return Err(value("asset.version", &document.asset.version, "2.0"));
    }
    // extensions that change only the appearance of materials may be left out
    let vital =
        |name: &&String| !name.starts_with("KHR_materials_") && *name != "KHR_texture_transform";
    if let Some(name) = document.extensions_required.iter().find(vital) {
        return Err(value("extensionsRequired", name, "none that changes shapes"));
    }
    let (mut buffers, mut length) = (Vec::new(), 0);
    for (index, buffer) in document.buffers.iter().enumerate() {
        let bytes = match &buffer.uri {
            Some(uri) => resource(uri, fetch)?,
            None => held.take().map(<[u8]>::to_vec).ok_or_else(|| {
                value(&format!("buffers[{index}].uri"), "absent", "given, except in a .glb file")
            })?,
        };
        length += bytes.len();
        if length > BUFFERS {
            let allowed = format!("at most {BUFFERS} bytes with the previous buffers");
            return Err(value(&format!("buffers[{index}]"), &format!("{length} bytes"), &allowed));
        }
        buffers.push(bytes);
    }
    let mut reading = GltfReader {
        document: &document,
        buffers,
        builder: MeshBuilder::new(),
        ignored: Vec::new(),
    };
    if !document.animations.is_empty() {
        reading.ignored.push("animations".into());
    }
    reading.nodes()?;
    Ok(ImportedMesh { builder: reading.builder, ignored: reading.ignored })
}

fn syntax(cause: &str) -> MeshError {
    MeshError::Syntax { cause: cause.into() }
}

fn value(key: &str, value: &str, allowed: &str) -> MeshError {
    MeshError::Value { key: key.into(), value: value.into(), allowed: allowed.into() }
}

/// Splits a `.glb` into its JSON and binary chunk.
fn unpacked(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), MeshError> {
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or_else(|| syntax(&format!("truncated at byte {at}")))
    };
    let version = word(4)?;
    if version != 2 {
        return Err(value("version", &version.to_string(), "2"));
    }
    let (mut at, mut json, mut binary) = (12, None, None);
    while at < bytes.len() {
        let (length, kind) = (word(at)? as usize, word(at + 4)?);
        let chunk = bytes.get(at + 8..(at + 8).saturating_add(length));
        let chunk =
            chunk.ok_or_else(|| syntax(&format!("a chunk of {length} bytes is truncated")))?;
        match kind {
            JSON if json.is_none() => json = Some(chunk),
            BIN if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + length;
    }
    Ok((json.ok_or_else(|| syntax("no JSON chunk"))?, binary))
}

/// Returns the content of a buffer by its URI.
fn resource(uri: &str, fetch: &mut Fetch<'_>) -> Result<Vec<u8>, MeshError> {
    let Some(data) = uri.strip_prefix("data:") else {
        let name = percent_decode_str(uri).decode_utf8_lossy().into_owned();
        return fetch(&name).map_err(|cause| MeshError::Part { name, cause });
    };
    let short: String = uri.chars().take(40).collect();
    let refused = |allowed: &str| value("buffers[].uri", &short, allowed);
    let (_, coded) =
        data.split_once(";base64,").ok_or_else(|| refused("a file name or base64 data"))?;
    BASE64.decode(coded).map_err(|error| {
        let what = match error {
            DecodeError::InvalidByte(at, symbol) => {
                format!("{:?} at {at} is not in its alphabet", char::from(symbol))
            }
            other => other.to_string(),
        };
        refused(&format!("valid base64: {what}"))
    })
}

/// Base64 of RFC 4648, padded or not, with any value of the unused trailing bits: files contain all
/// of these.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

struct GltfReader<'a> {
    document: &'a GltfDocument<'a>,
    buffers: Vec<Vec<u8>>,
    builder: MeshBuilder,
    ignored: Vec<String>,
}

impl GltfReader<'_> {
    /// Reads every mesh at the transform of its node.
    fn nodes(&mut self) -> Result<(), MeshError> {
        let GltfDocument { nodes, scenes, .. } = self.document;
        let roots: Vec<usize> = match self.document.scene.map(|scene| (scene, scenes.get(scene))) {
            Some((_, Some(scene))) => scene.nodes.clone(),
            Some((scene, None)) => return Err(self.beyond("scene", scene, scenes.len())),
            None => match scenes.first() {
                Some(scene) => scene.nodes.clone(),
                None => {
                    let mut is_child = vec![false; nodes.len()];
                    for child in nodes.iter().flat_map(|node| &node.children) {
                        is_child.get_mut(*child).into_iter().for_each(|own| *own = true);
                    }
                    (0..nodes.len()).filter(|node| !is_child[*node]).collect()
                }
            },
        };
        let mut open: Vec<(usize, Affine)> =
            roots.into_iter().map(|node| (node, IDENTITY)).collect();
        let mut seen = vec![false; nodes.len()];
        while let Some((index, above)) = open.pop() {
            let node = nodes.get(index).ok_or_else(|| self.beyond("node", index, nodes.len()))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(value(
                    "nodes",
                    &index.to_string(),
                    "a node with a single parent: this one has two",
                ));
            }
            let place = chained(&above, &node.place());
            if node.skin.is_some() {
                self.ignored.push("skins".into());
            }
            if let Some(mesh) = node.mesh {
                self.mesh(mesh, &place)?;
            }
            open.extend(node.children.iter().map(|child| (*child, place)));
        }
        Ok(())
    }

    fn beyond(&self, key: &str, index: usize, count: usize) -> MeshError {
        value(key, &index.to_string(), &format!("below {count}"))
    }

    fn mesh(&mut self, index: usize, place: &Affine) -> Result<(), MeshError> {
        let meshes = &self.document.meshes;
        let mesh = meshes.get(index).ok_or_else(|| self.beyond("mesh", index, meshes.len()))?;
        for (part, primitive) in mesh.primitives.iter().enumerate() {
            let key = format!("meshes[{index}].primitives[{part}]");
            self.primitive(primitive, &key, place)?;
        }
        Ok(())
    }

    fn primitive(
        &mut self,
        primitive: &Primitive,
        key: &str,
        place: &Affine,
    ) -> Result<(), MeshError> {
        let Some(position) = primitive.attributes.position else { return Ok(()) };
        if let Some(0..=3) = primitive.mode {
            self.ignored.push("points and lines".into());
            return Ok(());
        }
        let mut corners = self.vectors(position, &format!("{key}.attributes.POSITION"))?;
        let mut normals = match primitive.attributes.normal {
            Some(normal) => self.vectors(normal, &format!("{key}.attributes.NORMAL"))?,
            None => Vec::new(),
        };
        let order = match primitive.indices {
            Some(indices) => self.indices(indices, corners.len(), &format!("{key}.indices"))?,
            None => (0..corners.len() as u32).collect(),
        };
        let mut triangles: Vec<[u32; 3]> = match primitive.mode.unwrap_or(4) {
            4 => order.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
            5 => (0..order.len().saturating_sub(2))
                .map(|k| [order[k], order[k + 1 + k % 2], order[k + 2 - k % 2]])
                .collect(),
            6 => (2..order.len()).map(|k| [order[0], order[k - 1], order[k]]).collect(),
            other => return Err(value(&format!("{key}.mode"), &other.to_string(), "0 to 6")),
        };
        let all = self.builder.triangles.len() + triangles.len();
        if all.max((self.builder.corners.len() + corners.len()) / 3) > TRIANGLES {
            let what = format!("corners of more than {TRIANGLES} triangles with the previous ones");
            return Err(value(key, &what, "fewer"));
        }
        let rows = place.map(|[a, b, c, _]| [a, b, c].map(|x| x as f32));
        // normals transform by the cofactors, which is correct for unequal scales too
        let bent = [cross(rows[1], rows[2]), cross(rows[2], rows[0]), cross(rows[0], rows[1])];
        let mirrored = dot(rows[0], bent[0]) < 0.0;
        let side = if mirrored { -1.0 } else { 1.0 };
        for corner in &mut corners {
            let [x, y, z] = corner.map(f64::from);
            *corner = place.map(|[a, b, c, d]| (a * x + b * y + c * z + d) as f32);
            if !corner.iter().all(|x| x.is_finite()) {
                return Err(value(&format!("{key}.attributes.POSITION"), "not a number", "finite"));
            }
        }
        normals.iter_mut().for_each(|n| *n = bent.map(|row| side * dot(row, *n)));
        if mirrored {
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let material = self.material(primitive.material, key)?;
        if primitive.attributes.color_0.is_some() {
            self.ignored.push("vertex colors".into());
        }
        if primitive.targets.is_some() {
            self.ignored.push("morph targets".into());
        }
        self.builder.add(&corners, &normals, &triangles, material);
        Ok(())
    }

    /// Returns the factors of a material; by the format, a primitive without one is white.
    fn material(&mut self, index: Option<usize>, key: &str) -> Result<Material, MeshError> {
        let Some(index) = index else { return Ok(material_from_rgb([1.0; 3], 1.0, 0.0)) };
        let materials = &self.document.materials;
        let paint = materials
            .get(index)
            .ok_or_else(|| self.beyond(&format!("{key}.material"), index, materials.len()))?;
        let factors = &paint.pbr_metallic_roughness;
        if factors.base_color_texture.is_some()
            || factors.metallic_roughness_texture.is_some()
            || paint.normal_texture.is_some()
        {
            self.ignored.push("textures".into());
        }
        let [r, g, b, _] = factors.base_color_factor;
        Ok(material_from_rgb([r, g, b], factors.roughness_factor, factors.metallic_factor))
    }

    /// Returns the bytes of an accessor's elements of `size` bytes each.
    fn elements(&self, index: usize, size: usize, key: &str) -> Result<Vec<&[u8]>, MeshError> {
        let GltfDocument { accessors, buffer_views, .. } = self.document;
        let accessor =
            accessors.get(index).ok_or_else(|| self.beyond(key, index, accessors.len()))?;
        let of = |what: &str| format!("accessors[{index}].{what}");
        if accessor.sparse.is_some() {
            return Err(value(&of("sparse"), "given", "absent"));
        }
        let view =
            accessor.buffer_view.ok_or_else(|| value(&of("bufferView"), "absent", "given"))?;
        let view = buffer_views
            .get(view)
            .ok_or_else(|| self.beyond(&of("bufferView"), view, buffer_views.len()))?;
        let stride = view.byte_stride.unwrap_or(size).max(size);
        let end = view.byte_offset.saturating_add(view.byte_length);
        let bytes = self.buffers.get(view.buffer).and_then(|b| b.get(view.byte_offset..end));
        let bytes = bytes.and_then(|b| b.get(accessor.byte_offset..)).unwrap_or(&[]);
        let room = if bytes.len() < size { 0 } else { (bytes.len() - size) / stride + 1 };
        if accessor.count > room {
            let allowed = format!("at most {room}, the number of elements in its buffer");
            return Err(value(&of("count"), &accessor.count.to_string(), &allowed));
        }
        Ok((0..accessor.count).map(|k| &bytes[k * stride..k * stride + size]).collect())
    }

    fn vectors(&self, index: usize, key: &str) -> Result<Vec<[f32; 3]>, MeshError> {
        let accessor = self.document.accessors.get(index);
        if let Some(own) = accessor.filter(|a| a.component_type != FLOAT || a.shape != "VEC3") {
            let given = format!("{} of component type {}", own.shape, own.component_type);
            return Err(value(key, &given, "VEC3 of floats (5126)"));
        }
        let number = |b: &[u8], k: usize| f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]);
        let elements = self.elements(index, 12, key)?;
        Ok(elements.into_iter().map(|b| [0, 4, 8].map(|k| number(b, k))).collect())
    }

    fn indices(&self, index: usize, corners: usize, key: &str) -> Result<Vec<u32>, MeshError> {
        let kind = self.document.accessors.get(index).map_or(5125, |a| a.component_type);
        let size = match kind {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            other => {
                let allowed = "of component type 5121, 5123 or 5125";
                return Err(value(key, &other.to_string(), allowed));
            }
        };
        let number = |b: &[u8]| b.iter().rev().fold(0_u32, |n, byte| n << 8 | u32::from(*byte));
        let order: Vec<u32> = self.elements(index, size, key)?.into_iter().map(number).collect();
        match order.iter().find(|&&corner| corner as usize >= corners) {
            Some(wrong) => Err(self.beyond(key, *wrong as usize, corners)),
            None => Ok(order),
        }
    }
}

const IDENTITY: Affine = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn chained(outer: &Affine, inner: &Affine) -> Affine {
    outer.map(|row| {
        let along = |column: usize| (0..3).map(|k| row[k] * inner[k][column]).sum::<f64>();
        [along(0), along(1), along(2), along(3) + row[3]]
    })
}

impl GltfNode {
    /// Returns the map from the node's frame to its parent's.
    fn place(&self) -> Affine {
        if let Some(m) = self.matrix {
            // column-major
            return [0, 1, 2].map(|row| [0, 1, 2, 3].map(|column| m[4 * column + row]));
        }
        let [x, y, z, w] = self.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let turn = [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ];
        let scale = self.scale.unwrap_or([1.0; 3]);
        let shift = self.translation.unwrap_or([0.0; 3]);
        [0, 1, 2].map(|row| {
            let [a, b, c] = [0, 1, 2].map(|k| turn[row][k] * scale[k]);
            [a, b, c, shift[row]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::import::{Up, import};
    use super::*;

    /// Returns one triangle, corners and 16-bit indices, for a data URI or a separate file.
    fn triangle() -> Vec<u8> {
        let corners = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
        let mut bytes: Vec<u8> =
            corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        bytes.extend([0_u16, 1, 2].iter().flat_map(|k| k.to_le_bytes()));
        bytes
    }

    fn document(nodes: &str, buffer: &str) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"material":0}}]}}],
            "materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[0.2,0.4,0.6,1],"metallicFactor":0.25}}}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}},
              {{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":6}}],
            "buffers":[{buffer}]}}"#
        )
    }

    const BESIDE: &str = r#"{"uri":"my%20buffer.bin","byteLength":42}"#;

    fn companion_file(name: &str) -> Result<Vec<u8>, String> {
        if name == "my buffer.bin" { Ok(triangle()) } else { Err(format!("no {name}")) }
    }

    fn fault(text: &str) -> String {
        import("x.gltf", text.as_bytes(), Up::Y, &mut companion_file).unwrap_err().to_string()
    }

    #[test]
    fn nodes_carry_their_meshes_to_their_places() {
        // the child is scaled, turned by a quarter about y, and mirrored by its parent
        let nodes = r#"[{"children":[1],"matrix":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,10,1]},
            {"mesh":0,"translation":[0,3,0],"rotation":[0,0.70710678118654752,0,0.70710678118654752],"scale":[2,1,1]}]"#;
        let imported =
            import("x.gltf", document(nodes, BESIDE).as_bytes(), Up::Y, &mut companion_file)
                .unwrap();
        let mesh = imported.builder.finish();
        // (1, 0, 0) is scaled to (2, 0, 0), turned to (0, 0, -2), raised by 3, mirrored, moved 10
        // forward: (0, 3, 8); (0, 0, -1) maps to (1, 3, 10). Then x, y, z are taken from z, x, y.
        let bounds = mesh.bounds();
        for (found, expected) in bounds.low.iter().zip([8.0, 0.0, 3.0]) {
            assert!((found - expected).abs() < 1e-3, "{bounds:?}");
        }
        for (found, expected) in bounds.high.iter().zip([10.0, 1.0, 3.0]) {
            assert!((found - expected).abs() < 1e-3, "{bounds:?}");
        }
        let touch = mesh.cast([9.8, 0.05, 5.0], [0.0, 0.0, -1.0], 0.0, 9.0).unwrap();
        assert!((touch.range - 2.0).abs() < 1e-6);
        // counter-clockwise from above, also after the mirror
        assert!(mesh.normals(&touch)[0][2] > 0.999);
        let material = mesh.material(&touch);
        assert_eq!((material.albedo, material.metallic), ([0.2, 0.4, 0.6], 0.25));
    }

    #[test]
    fn a_glb_holds_its_buffer() {
        let mut json = document(r#"[{"mesh":0}]"#, r#"{"byteLength":42}"#).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut binary = triangle();
        binary.resize(44, 0);
        let mut bytes = b"glTF\x02\0\0\0".to_vec();
        bytes.extend((12 + 16 + json.len() as u32 + 44).to_le_bytes());
        for (kind, chunk) in [(JSON, &json), (BIN, &binary)] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend(chunk);
        }
        let imported = import("x.glb", &bytes, Up::Y, &mut companion_file).unwrap();
        assert_eq!(imported.builder.finish().triangles(), 1);
        let fault = |bytes: &[u8]| {
            import("x.glb", bytes, Up::Y, &mut companion_file).unwrap_err().to_string()
        };
        assert_eq!(
            fault(&bytes[..bytes.len() - 1]),
            "not a glTF file: a chunk of 44 bytes is truncated"
        );
        assert_eq!(fault(&bytes[..9]), "not a glTF file: no JSON chunk");
    }

    #[test]
    fn data_are_in_the_file_or_next_to_it() {
        let none = &mut |name: &str| -> Result<Vec<u8>, String> { Err(format!("no {name}")) };
        let mut held = |uri: &str| resource(uri, none).map_err(|error| error.to_string());
        // RFC 4648, section 10; padding is optional
        for (text, plain) in
            [("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm9vYmFy", "foobar")]
        {
            let data = format!("data:application/octet-stream;base64,{text}");
            assert_eq!(held(&data).unwrap(), plain.as_bytes());
        }
        assert_eq!(
            held("data:;base64,Zm9*").unwrap_err(),
            "buffers[].uri = data:;base64,Zm9*: must be valid base64: '*' at 3 is not in its alphabet"
        );
        assert_eq!(
            held("data:;base64,Zm9vY").unwrap_err(),
            "buffers[].uri = data:;base64,Zm9vY: must be valid base64: \
             Invalid input length: 5"
        );
        assert_eq!(
            held("data:text/plain,a").unwrap_err(),
            "buffers[].uri = data:text/plain,a: must be a file name or base64 data"
        );
        // RFC 3986: an invalid escape is kept literally
        for (uri, name) in
            [("my%20barn%2.bin", "my barn%2.bin"), ("%C3%A9", "é"), ("100%+1", "100%+1")]
        {
            assert_eq!(held(uri).unwrap_err(), format!("refers to {name}: no {name}"));
        }
    }

    #[test]
    fn inconsistent_buffers_are_named() {
        let good = document(r#"[{"mesh":0}]"#, BESIDE);
        let with = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            fault(&good.replace(from, to))
        };
        assert_eq!(
            with(r#""componentType":5126,"count":3"#, r#""componentType":5126,"count":4"#),
            "accessors[0].count = 4: must be at most 3, the number of elements in its buffer"
        );
        assert_eq!(with(r#""mesh":0"#, r#""mesh":7"#), "mesh = 7: must be below 1");
        assert_eq!(with("my%20buffer", "other"), "refers to other.bin: no other.bin");
        assert_eq!(
            with(r#""type":"VEC3""#, r#""type":"VEC4""#),
            "meshes[0].primitives[0].attributes.POSITION = VEC4 of component type 5126: \
             must be VEC3 of floats (5126)"
        );
        assert_eq!(
            with(r#""mesh":0}"#, r#""mesh":0,"children":[0]}"#),
            "nodes = 0: must be a node with a single parent: this one has two"
        );
        assert_eq!(
            with(
                r#""scene":0"#,
                r#""extensionsRequired":["KHR_draco_mesh_compression"],"scene":0"#
            ),
            "extensionsRequired = KHR_draco_mesh_compression: must be none that changes shapes"
        );
        assert_eq!(
            with(r#""byteOffset":36,"byteLength":6"#, r#""byteOffset":34,"byteLength":6"#),
            "meshes[0].primitives[0].indices = 49024: must be below 3"
        );
    }

    /// Small files whose content or expansion exceeds memory are refused early.
    #[test]
    fn oversized_meshes_are_refused_early() {
        let many = |key: &str, element: &str, count: usize| {
            let list = vec![element; count].join(",");
            fault(&format!(r#"{{"asset":{{"version":"2.0"}},"{key}":[{list}]}}"#))
        };
        for (key, element) in [
            ("nodes", "{}"),
            ("meshes", r#"{"primitives":[]}"#),
            ("accessors", r#"{"componentType":5126,"count":1,"type":"VEC3"}"#),
            ("buffers", "{}"),
            ("bufferViews", r#"{"buffer":0,"byteLength":1}"#),
            ("scenes", "{}"),
            ("materials", "{}"),
        ] {
            let error = many(key, element, 100_001);
            assert!(error.contains("elements; must be shorter"), "{key}: {error}");
        }
        let primitives = vec![r#"{"attributes":{}}"#; 100_001].join(",");
        let error = many("meshes", &format!(r#"{{"primitives":[{primitives}]}}"#), 1);
        assert!(error.contains("a list of more than 100000 elements"), "{error}");
        let error = many("nodes", "{}", 2_000_001);
        assert_eq!(error, "not a glTF file: contains more than 4000000 values; must be fewer");
        // the search for roots takes linear time
        let nodes = many("nodes", r#"{"children":[1]}"#, 99_999);
        assert!(nodes.contains("a single parent") || nodes.contains("no triangles"), "{nodes}");
    }

    /// One triangle with many corners, instanced by thousands of nodes.
    #[test]
    fn copies_that_would_fill_memory_are_refused() {
        let corners = 300_000;
        let bytes = [vec![0; 12 * corners], vec![0, 0, 1, 0, 2, 0]].concat();
        let mut fetch = |_: &str| Ok(bytes.clone());
        let nodes = format!("[{}]", vec![r#"{"mesh":0}"#; 2000].join(","));
        let all: Vec<String> = (0..2000).map(|node: usize| node.to_string()).collect();
        let text = document(&nodes, BESIDE)
            .replace(r#""nodes":[0]"#, &format!(r#""nodes":[{}]"#, all.join(",")))
            .replace(r#""count":3,"type":"VEC3""#, &format!(r#""count":{corners},"type":"VEC3""#))
            .replace(r#""byteLength":36"#, &format!(r#""byteLength":{}"#, 12 * corners))
            .replace(r#""byteOffset":36"#, &format!(r#""byteOffset":{}"#, 12 * corners));
        let error = import("x.gltf", text.as_bytes(), Up::Y, &mut fetch).unwrap_err().to_string();
        assert!(
            error.ends_with(
                "corners of more than 4000000 triangles with the previous ones: must be fewer"
            ),
            "{error}"
        );
    }
}
