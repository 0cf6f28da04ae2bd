//! Allowed paths of files that a mesh references.
//!
//! A path in a scenario is the user's choice and may lead anywhere. A path in a mesh comes from the
//! author of the mesh. It must stay below the folder of the mesh or of the scenario, and no
//! symbolic link may lead out of these.

use std::path::{Component, Path, PathBuf};

/// A path that leads out of the allowed folders.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is outside {} and the scenario's folder: copy the file into one of these folders",
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.display()
)]
pub(super) struct MeshPartError {
    /// The folder of the file with the reference.
    pub folder: PathBuf,
}

/// Path of a file that `by` references relative to its own folder.
///
/// `scenario` is the scenario's folder.
///
/// # Errors
/// [`MeshPartError`] for a path that is neither below the folder of `by` nor below `scenario`.
pub(super) fn mesh_part_path(
    by: &Path,
    scenario: &Path,
    name: &str,
) -> Result<PathBuf, MeshPartError> {
    let folder = by.parent().unwrap_or(Path::new(""));
    let path = folder.join(name);
    let refused = || MeshPartError { folder: folder.to_path_buf() };
    // lexical check first: the original file may be gone when a run is repeated from its copies
    let whole = normalize(&path);
    if ![folder, scenario].iter().any(|own| whole.starts_with(normalize(own))) {
        return Err(refused());
    }
    // then the path with links resolved; a missing file fails when it is read
    let Ok(found) = path.canonicalize() else { return Ok(path) };
    let linked = by.canonicalize().ok();
    let of_link = linked.as_deref().and_then(Path::parent).map(Path::to_path_buf);
    let folders = [folder, scenario].map(|own| canonicalize(own).ok()).into_iter().chain([of_link]);
    match folders.flatten().any(|own| found.starts_with(own)) {
        true => Ok(path),
        false => Err(refused()),
    }
}

fn canonicalize(folder: &Path) -> std::io::Result<PathBuf> {
    let here = Path::new(".");
    if folder.as_os_str().is_empty() { here.canonicalize() } else { folder.canonicalize() }
}

/// Absolute path without `.` and `..`, by text alone: links are not resolved.
fn normalize(path: &Path) -> PathBuf {
    let whole = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let whole = std::path::absolute(whole).unwrap_or_else(|_| whole.to_path_buf());
    let mut normalize = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => drop(normalize.pop()),
            Component::CurDir => {}
            part => normalize.push(part),
        }
    }
    normalize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in ["secret", "own/a.mtl", "own/meshes/a.obj", "own/meshes/paint/b.mtl"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        root
    }

    #[test]
    fn a_part_is_below_the_mesh_or_the_scenario() {
        let root = tree();
        let (own, by) = (root.path().join("own"), root.path().join("own/meshes/a.obj"));
        for name in ["paint/b.mtl", "./paint/b.mtl", "../a.mtl", "paint/../paint/b.mtl", "absent"] {
            let found = mesh_part_path(&by, &own, name).unwrap();
            assert_eq!(found, root.path().join("own/meshes").join(name));
        }
        let whole = own.join("a.mtl");
        assert_eq!(mesh_part_path(&by, &own, whole.to_str().unwrap()).as_ref(), Ok(&whole));
        let outside = root.path().join("secret");
        for name in ["../../secret", "/etc/passwd", "../../absent", outside.to_str().unwrap()] {
            assert!(mesh_part_path(&by, &own, name).is_err(), "{name}");
        }
    }

    /// A mesh outside the scenario's folder may reference files in its own folder.
    #[test]
    fn a_mesh_elsewhere_has_its_parts_in_its_folder() {
        let (root, other) = (tree(), tempfile::tempdir().unwrap());
        let by = root.path().join("own/meshes/a.obj");
        assert!(mesh_part_path(&by, other.path(), "paint/b.mtl").is_ok());
        assert!(mesh_part_path(&by, other.path(), "../a.mtl").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        use std::os::unix::fs::symlink;
        let root = tree();
        let (own, meshes) = (root.path().join("own"), root.path().join("own/meshes"));
        let by = meshes.join("a.obj");
        symlink(root.path().join("secret"), meshes.join("out.mtl")).unwrap();
        symlink(root.path(), meshes.join("up")).unwrap();
        symlink(own.join("a.mtl"), meshes.join("in.mtl")).unwrap();
        assert!(mesh_part_path(&by, &own, "in.mtl").is_ok());
        for name in ["out.mtl", "up/secret"] {
            let told = mesh_part_path(&by, &own, name).unwrap_err().to_string();
            assert!(told.starts_with("is outside ") && told.contains("meshes"), "{told}");
        }
        // the mesh itself may be a link: the folder of its target is also allowed
        let linked = tempfile::tempdir().unwrap();
        symlink(&by, linked.path().join("a.obj")).unwrap();
        symlink(meshes.join("paint"), linked.path().join("paint")).unwrap();
        assert!(mesh_part_path(&linked.path().join("a.obj"), linked.path(), "paint/b.mtl").is_ok());
    }
}
