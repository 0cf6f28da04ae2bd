//! Meshes that a scenario references, for scenery and vehicles.

use crate::diagnostic::{Diagnostic, DiagnosticKind};
use crate::input::LARGEST_BINARY;
use crate::mesh_part_path::mesh_part_path;
use crate::{Diagnostics, ScenarioFile};
use bekker_sensor::mesh::{Up, import};
use bekker_world::{ImportedMeshes, VisualMeshes};
use std::path::{Path, PathBuf};

/// Meshes from files.
#[derive(Clone, Debug, Default)]
pub struct BuiltMeshes {
    /// The meshes, and the vehicles that are displayed with them.
    pub imported: ImportedMeshes,
    /// Index of the mesh of each scenery entry.
    pub scenery: Vec<Option<usize>>,
    /// Warnings about the meshes.
    pub warnings: Vec<Diagnostic>,
}

/// Reads all meshes of a scenario, each file once.
///
/// # Errors
/// Files that cannot be read or contain no mesh, each at the key that names it.
pub fn meshes(file: &ScenarioFile) -> Result<BuiltMeshes, Diagnostics> {
    let mut reader = MeshReader {
        file,
        built: BuiltMeshes::default(),
        known: Vec::new(),
        diagnostics: Vec::new(),
    };
    for (index, scenery) in file.scenario.scenery.iter().enumerate() {
        let mesh =
            reader.mesh(&format!("scenery[{index}].mesh"), scenery.mesh.as_deref(), scenery.up);
        reader.built.scenery.push(mesh);
    }
    for (index, vehicle) in file.scenario.vehicle.iter().enumerate() {
        let visual = &vehicle.visual;
        let mut part = |name: &str, path: &Option<PathBuf>| {
            reader.mesh(&format!("vehicle[{index}].visual.{name}"), path.as_deref(), visual.up)
        };
        let own =
            VisualMeshes { hull: part("hull", &visual.hull), wheel: part("wheel", &visual.wheel) };
        reader.built.imported.visuals.push(own);
    }
    Diagnostics::into_result(reader.diagnostics)?;
    Ok(reader.built)
}

struct MeshReader<'a> {
    file: &'a ScenarioFile,
    built: BuiltMeshes,
    known: Vec<(PathBuf, Up, usize)>,
    diagnostics: Vec<Diagnostic>,
}

impl MeshReader<'_> {
    /// Index of the mesh that a key names; `None` without a mesh or if it cannot be read.
    fn mesh(&mut self, key: &str, path: Option<&Path>, up: Up) -> Option<usize> {
        let path = self.file.folder.join(path?);
        let same = self.known.iter().find(|(own, own_up, _)| *own == path && *own_up == up);
        if let Some((.., index)) = same {
            return Some(*index);
        }
        match self.read(&path, up) {
            Ok((mesh, warnings)) => {
                let index = self.built.imported.meshes.len();
                self.built.imported.meshes.push(mesh);
                let warning = |what: String| {
                    let cause = format!("{}: {what} are not shown", path.display());
                    self.file.document.diagnostic(key, DiagnosticKind::Refused { cause })
                };
                self.built.warnings.extend(warnings.into_iter().map(warning));
                self.known.push((path, up, index));
                Some(index)
            }
            Err(problem) => {
                self.diagnostics.push(self.file.document.diagnostic(key, problem));
                None
            }
        }
    }

    fn read(
        &mut self,
        path: &Path,
        up: Up,
    ) -> Result<(bekker_sensor::mesh::Mesh, Vec<String>), DiagnosticKind> {
        let bytes = self.file.inputs.read(path, LARGEST_BINARY).map_err(|error| {
            DiagnosticKind::Unreadable { cause: format!("{}: {error}", path.display()) }
        })?;
        let mut fetch = |name: &str| {
            let path = mesh_part_path(path, &self.file.folder, name).map_err(|e| e.to_string())?;
            let read = self.file.inputs.read(&path, LARGEST_BINARY);
            read.map_err(|error| format!("{}: {error}", path.display()))
        };
        let imported =
            import(&path.to_string_lossy(), &bytes, up, &mut fetch).map_err(|error| {
                DiagnosticKind::Refused { cause: format!("{}: {error}", path.display()) }
            })?;
        Ok((imported.builder.finish(), imported.ignored))
    }
}
