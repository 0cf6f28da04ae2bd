//! Import of meshes from bytes: glTF 2.0 and Wavefront OBJ.
//!
//! Both are y up, front toward z, left toward x, as glTF prescribes and as exporters write OBJ.
//! They are rotated to x forward, y left, z up. Shape, base color, roughness and metallic share are
//! imported. The formats do not contain the reflectance at a lidar's wavelength, so it is the mean
//! of the color.

use super::MeshBuilder;
use super::{gltf, obj};
use crate::material::Material;

/// Material of surfaces without one in the file.
pub(super) const UNPAINTED: Material = Material::dull([0.5; 3]);

/// Reasons why a mesh cannot be read from a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// The file is of an unsupported kind.
    #[error("must be a mesh file that ends in .gltf, .glb or .obj")]
    Kind,
    /// Another file that the mesh refers to cannot be read.
    #[error("refers to {name}: {cause}")]
    Part {
        /// Name as written in the file.
        name: String,
        /// Reason of the failure.
        cause: String,
    },
    /// The container or the JSON of a glTF file is broken.
    #[error("not a glTF file: {cause}")]
    Syntax {
        /// Description of the fault.
        cause: String,
    },
    /// Parts of a glTF file are inconsistent.
    #[error("{key} = {value}: must be {allowed}")]
    Value {
        /// Path of the key in the JSON.
        key: String,
        /// Value found.
        value: String,
        /// Allowed values.
        allowed: String,
    },
    /// A line of an OBJ or MTL file is invalid.
    #[error("line {number}: `{text}`: must be {allowed}")]
    Line {
        /// Line number, counted from 1.
        number: usize,
        /// The line.
        text: String,
        /// Allowed contents.
        allowed: &'static str,
    },
    /// The file has nothing visible.
    #[error("has no triangles")]
    Empty,
}

/// Axis of the file that points up.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Up {
    /// y up, front toward z, as glTF prescribes and most programs export.
    #[default]
    Y,
    /// z up, front toward x, as in the axes of vehicles here.
    Z,
}

/// An imported mesh.
#[derive(Clone, Debug)]
pub struct ImportedMesh {
    /// Triangles of the mesh: x forward, y left, z up.
    pub builder: MeshBuilder,
    /// Contents of the file that are not shown, in words.
    pub ignored: Vec<String>,
}

/// Maximum number of triangles of a mesh. For a glTF file, all nodes count together.
pub(super) const TRIANGLES: usize = 4_000_000;

/// Reads another file that a mesh names, or returns the reason why it cannot.
pub type Fetch<'a> = dyn FnMut(&str) -> Result<Vec<u8>, String> + 'a;

/// Reads a mesh in the format given by the extension of its `name`; files that it names come from
/// `fetch`.
///
/// # Errors
/// Another extension, broken contents, files that cannot be read, no triangles.
pub fn import(
    name: &str,
    bytes: &[u8],
    up: Up,
    fetch: &mut Fetch<'_>,
) -> Result<ImportedMesh, MeshError> {
    let ending = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let mut imported = match ending.as_str() {
        "gltf" | "glb" => gltf::read(bytes, fetch),
        "obj" => obj::read(bytes, fetch),
        _ => Err(MeshError::Kind),
    }?;
    if imported.builder.triangles.is_empty() {
        return Err(MeshError::Empty);
    }
    if up == Up::Y {
        let MeshBuilder { corners, normals, .. } = &mut imported.builder;
        // front z to x, left x to y, up y to z: keeps the handedness
        let turn = |v: &mut [f32; 3]| *v = [v[2], v[0], v[1]];
        corners.iter_mut().for_each(turn);
        normals.iter_mut().for_each(turn);
    }
    imported.ignored.sort();
    imported.ignored.dedup();
    Ok(imported)
}

/// Material of a surface with a linear base color.
pub(super) fn material_from_rgb(color: [f32; 3], roughness: f32, metallic: f32) -> Material {
    let color = color.map(|c| c.clamp(0.0, 1.0));
    let (roughness, metallic) = (roughness.clamp(0.0, 1.0), metallic.clamp(0.0, 1.0));
    Material { roughness, metallic, ..Material::dull(color) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn no_files(name: &str) -> Result<Vec<u8>, String> {
        Err(format!("{name} is not there"))
    }

    fn read(name: &str, text: &str) -> Result<ImportedMesh, MeshError> {
        import(name, text.as_bytes(), Up::Y, &mut no_files)
    }

    const SQUARE: &str = "\
mtllib paint.mtl
v 0 0 0
v 2 0 0
v 2 0 -1 # a comment
v 0 0 -1
usemtl red
f 1 2 3 4
";

    #[test]
    fn an_obj_is_turned_to_stand_and_painted() {
        let mut fetch = |name: &str| match name {
            "paint.mtl" => Ok(b"newmtl red\nKd 0.5 0.1 0.2\nPr 0.3\nmap_Kd x.png\n".to_vec()),
            other => Err(other.to_owned()),
        };
        let imported = import("a.OBJ", SQUARE.as_bytes(), Up::Y, &mut fetch).unwrap();
        assert_eq!(imported.ignored, ["textures"]);
        let mesh = imported.builder.finish();
        assert_eq!(mesh.triangles(), 2);
        // left is the file's x, forward its z; up from counter-clockwise about y
        let touch = mesh.cast([-0.5, 1.0, 3.0], [0.0, 0.0, -1.0], 0.0, 9.0).unwrap();
        assert_eq!(touch.range, 3.0);
        assert_eq!(mesh.normals(&touch)[0], [0.0, 0.0, 1.0]);
        let material = mesh.material(&touch);
        assert_eq!((material.albedo, material.roughness), ([0.5, 0.1, 0.2], 0.3));
        assert!(mesh.cast([0.5, 1.0, 3.0], [0.0, 0.0, -1.0], 0.0, 9.0).is_none());
        let same = import("a.obj", SQUARE.as_bytes(), Up::Z, &mut fetch).unwrap();
        assert!(same.builder.corners.contains(&[2.0, 0.0, -1.0]));
    }

    #[test]
    fn faults_are_named() {
        let fault = |name: &str, text: &str| read(name, text).unwrap_err().to_string();
        assert_eq!(fault("x.stl", ""), "must be a mesh file that ends in .gltf, .glb or .obj");
        assert_eq!(fault("x.obj", "v 0 0 0\n"), "has no triangles");
        assert_eq!(
            fault("x.obj", "v 0 0 0\nf 1 2 3\n"),
            "line 2: `f 1 2 3`: must be three or more corners that are defined above"
        );
        assert_eq!(fault("x.obj", "v 0 a 0\n"), "line 1: `v 0 a 0`: must be three finite numbers");
        assert!(fault("x.gltf", "{").starts_with("not a glTF file: EOF"));
        assert!(
            fault("x.gltf", "{\"asset\":{\"version\":\"1.0\"}}").contains("asset.version = 1.0")
        );
        assert_eq!(fault("x.gltf", "{\"asset\":{\"version\":\"2.0\"}}"), "has no triangles");
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(
            lines in proptest::collection::vec("(v|vn|f|usemtl|mtllib|o) ?[-0-9/ .e]{0,12}", 0..12)
        ) {
            let _ = read("x.obj", &lines.join("\n"));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in any::<Vec<u8>>()) {
            for name in ["x.gltf", "x.glb", "x.obj"] {
                let _ = import(name, &bytes, Up::Y, &mut no_files);
            }
        }
    }
}
