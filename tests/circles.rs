//! Checks that no more than a few files import each other. Files that import each other, directly
//! or through others, must be read together.
//!
//! A file imports another when it names an item that the other defines, through re-exports as
//! well. A module and the modules inside it are one unit: imports between them do not count.

use pathfinding::prelude::strongly_connected_components;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::visit::{self, Visit};

/// Maximum number of files that may import each other.
const LARGEST_CIRCLE: usize = 3;

/// A file's place: the crate, then the modules from its root.
type ModulePath = Vec<String>;

/// An import, or a re-export where it is public.
struct Import {
    is_public: bool,
    path: Vec<String>,
    name: String,
}

/// Definitions, imports and names of one file.
#[derive(Default)]
struct Contents {
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    named: Vec<Vec<String>>,
}

impl Contents {
    /// Adds the paths of a use tree below a prefix.
    fn add_imports(&mut self, is_public: bool, prefix: &[String], tree: &syn::UseTree) {
        let join = |last: &syn::Ident| {
            let mut path = prefix.to_vec();
            path.push(last.to_string());
            path
        };
        match tree {
            syn::UseTree::Path(path) => {
                self.add_imports(is_public, &join(&path.ident), &path.tree);
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_imports(is_public, prefix, tree));
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                let name = prefix.last().cloned().unwrap_or_default();
                self.imports.push(Import { is_public, path: prefix.to_vec(), name });
            }
            syn::UseTree::Name(name) => {
                let (path, name) = (join(&name.ident), name.ident.to_string());
                self.imports.push(Import { is_public, path, name });
            }
            syn::UseTree::Rename(name) => {
                let (path, name) = (join(&name.ident), name.rename.to_string());
                self.imports.push(Import { is_public, path, name });
            }
            syn::UseTree::Glob(_) => {
                let path = prefix.to_vec();
                self.imports.push(Import { is_public, path, name: "*".into() });
            }
        }
    }
}

/// Whether an item is compiled for tests alone.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Name that an item of a file defines, if it defines one.
fn defined(item: &syn::Item) -> Option<&syn::Ident> {
    match item {
        syn::Item::Const(item) => Some(&item.ident),
        syn::Item::Enum(item) => Some(&item.ident),
        syn::Item::Fn(item) => Some(&item.sig.ident),
        syn::Item::Macro(item) => item.ident.as_ref(),
        syn::Item::Static(item) => Some(&item.ident),
        syn::Item::Struct(item) => Some(&item.ident),
        syn::Item::Trait(item) => Some(&item.ident),
        syn::Item::Type(item) => Some(&item.ident),
        syn::Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

impl<'ast> Visit<'ast> for Contents {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            let is_public = !matches!(item.vis, syn::Visibility::Inherited);
            self.add_imports(is_public, &[], &item.tree);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.named.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

/// All files of the workspace's crates.
struct Files {
    contents: BTreeMap<ModulePath, Contents>,
}

impl Files {
    fn read() -> Files {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Files { contents: BTreeMap::new() };
        let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
        for folder in crates.chain([root.to_owned()]) {
            let is_root = folder == root;
            // as code names the crate
            let name = if is_root { "bekker".into() } else { file_name(&folder).replace('-', "_") };
            files.read_folder(&folder.join("src"), &[name]);
        }
        files
    }

    fn read_folder(&mut self, folder: &Path, module: &[String]) {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let mut place = module.to_vec();
            if path.is_dir() {
                place.push(stem);
                self.read_folder(&path, &place);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") || stem == "tests" {
                continue;
            }
            if !["mod", "lib", "main"].contains(&stem.as_str()) {
                place.push(stem);
            }
            let text = fs::read_to_string(&path).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let mut contents = self.contents.remove(&place).unwrap_or_default();
            contents.visit_file(&file);
            contents
                .defined
                .extend(file.items.iter().filter_map(defined).map(|name| name.to_string()));
            self.contents.insert(place, contents);
        }
    }

    /// Returns the module that a path begins at, seen from a file, and the rest of the path.
    fn begin<'p>(
        &self,
        from: &ModulePath,
        path: &'p [String],
    ) -> Option<(ModulePath, &'p [String])> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some((vec![from[0].clone()], rest)),
            "self" => Some((from.clone(), rest)),
            "super" => {
                let climbed = path.iter().take_while(|part| *part == "super").count();
                let left = from.len().checked_sub(climbed).filter(|left| *left > 0)?;
                Some((from[..left].to_vec(), &path[climbed..]))
            }
            name if name == "bekker" => Some((vec![name.into()], rest)),
            name => match name.strip_prefix("bekker_") {
                Some(name) => Some((vec![name.into()], rest)),
                None => {
                    let is_child = self.contents.contains_key(&child(from, first));
                    is_child.then(|| (from.clone(), path))
                }
            },
        }
    }

    /// Returns the file that defines the item of a path relative to a module.
    fn resolve(&self, module: &ModulePath, path: &[String], depth: usize) -> Option<ModulePath> {
        let (first, rest) = path.split_first()?;
        if depth > 20 {
            return None;
        }
        let inner = child(module, first);
        if self.contents.contains_key(&inner) && !rest.is_empty() {
            return self.resolve(&inner, rest, depth + 1);
        }
        let contents = self.contents.get(module)?;
        if contents.defined.contains(first) {
            return Some(module.clone());
        }
        for import in contents.imports.iter().filter(|import| import.name == *first) {
            let (base, left) = self.begin(module, &import.path)?;
            let path: Vec<String> = left.iter().chain(rest).cloned().collect();
            if let Some(found) = self.resolve(&base, &path, depth + 1) {
                return Some(found);
            }
        }
        for import in contents.imports.iter().filter(|import| import.name == "*") {
            let Some((base, left)) = self.begin(module, &import.path) else { continue };
            let path: Vec<String> = left.iter().chain(path).cloned().collect();
            if let Some(found) = self.resolve(&base, &path, depth + 1) {
                return Some(found);
            }
        }
        None
    }

    /// The files that each file imports, with the names.
    fn imports(&self) -> BTreeMap<&ModulePath, BTreeMap<ModulePath, BTreeSet<String>>> {
        let mut all = BTreeMap::new();
        for (place, contents) in &self.contents {
            // modules inside it follow it in the order of names
            let mut after = self.contents.range(place.clone()..).skip(1);
            let is_face = after.next().is_some_and(|(other, _)| other.starts_with(place));
            let mut found: BTreeMap<ModulePath, BTreeSet<String>> = BTreeMap::new();
            // a module's re-exports are not its imports
            let own = contents.imports.iter().filter(|import| !(import.is_public && is_face));
            let mut paths: Vec<Vec<String>> = own.map(|import| import.path.clone()).collect();
            for path in &contents.named {
                let module = contents.imports.iter().find(|import| import.name == path[0]);
                paths.push(match module {
                    Some(import) => import.path.iter().chain(&path[1..]).cloned().collect(),
                    None => path.clone(),
                });
            }
            for path in paths {
                let Some((base, left)) = self.begin(place, &path) else { continue };
                let Some(other) = self.resolve(&base, left, 0) else { continue };
                if !(other.starts_with(place) || place.starts_with(&other)) {
                    found
                        .entry(other)
                        .or_default()
                        .insert(path.last().cloned().unwrap_or_default());
                }
            }
            all.insert(place, found);
        }
        all
    }
}

fn child(module: &ModulePath, name: &str) -> ModulePath {
    let mut place = module.clone();
    place.push(name.into());
    place
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn no_more_than_three_files_import_each_other() {
    let files = Files::read();
    let imports = files.imports();
    let edges: usize = imports.values().map(BTreeMap::len).sum();
    assert!(edges > 2_000, "only {edges} imports between files were found");
    let places: Vec<&ModulePath> = imports.keys().copied().collect();
    let next = |place: &&ModulePath| {
        let found = imports.get(place).into_iter().flat_map(BTreeMap::keys);
        found
            .filter_map(|other| imports.get_key_value(other).map(|(place, _)| *place))
            .collect::<Vec<_>>()
    };
    let circles = strongly_connected_components(&places, next).into_iter();
    let large: Vec<String> = circles
        .filter(|circle| circle.len() > LARGEST_CIRCLE)
        .map(|circle| described(&circle, &imports))
        .collect();
    assert!(large.is_empty(), "{} circles:\n{}", large.len(), large.join("\n"));
}

/// A circle with the names that tie it.
fn described(
    circle: &[&ModulePath],
    imports: &BTreeMap<&ModulePath, BTreeMap<ModulePath, BTreeSet<String>>>,
) -> String {
    let mut text = format!("{} files import each other:\n", circle.len());
    for place in circle {
        for (other, names) in imports[place].iter().filter(|(other, _)| circle.contains(other)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            text +=
                &format!("  {} -> {}: {}\n", place.join("/"), other.join("/"), names.join(", "));
        }
    }
    text
}
