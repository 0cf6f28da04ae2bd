//! Compares the public interface of `bekker::prelude` with the recorded one.
//!
//! `tests/data/public_api.txt` has one line for each type, function, field, variant, method and
//! implemented trait, as written in the source. After an intended change
//! `BEKKER_WRITE_DOCS=1 cargo test --test all public_api` writes it again.

use crate::layering::files_under;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Names of the prelude by crate.
fn prelude_names(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root.join("src/prelude.rs")).unwrap();
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for path in text.lines().filter_map(|line| line.strip_prefix("pub use bekker_")) {
        let parts: Vec<&str> = path.trim_end_matches(';').split("::").collect();
        let [name, rest @ ..] = parts.as_slice() else { continue };
        let last = rest.last().unwrap_or_else(|| panic!("src/prelude.rs: no name in {path}"));
        found.entry((*name).to_owned()).or_default().insert((*last).to_owned());
    }
    found
}

/// Returns source text of an item on one line, with the spaces of `rustfmt` where they matter.
fn one_line(item: &impl ToTokens) -> String {
    let mut text = item.to_token_stream().to_string();
    for (tokens, written) in [
        (" :: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        (" , ", ", "),
        (" ,", ","),
        (" : ", ": "),
        ("& ", "&"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        ("[ ", "["),
        (" ]", "]"),
        (" ;", ";"),
        (",)", ")"),
        (",>", ">"),
        ("' ", "'"),
    ] {
        text = text.replace(tokens, written);
    }
    text
}

/// Adds the names that a `pub use` declares.
fn declared(tree: &syn::UseTree, found: &mut BTreeSet<String>) {
    match tree {
        syn::UseTree::Path(path) => declared(&path.tree, found),
        syn::UseTree::Group(group) => group.items.iter().for_each(|tree| declared(tree, found)),
        syn::UseTree::Name(name) => drop(found.insert(name.ident.to_string())),
        syn::UseTree::Rename(name) => drop(found.insert(name.rename.to_string())),
        syn::UseTree::Glob(_) => panic!("a module of the prelude declares each name"),
    }
}

/// Returns the public names of a module.
fn module_names(file: &syn::File) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for item in &file.items {
        match item {
            syn::Item::Use(item) if matches!(item.vis, syn::Visibility::Public(_)) => {
                declared(&item.tree, &mut found);
            }
            syn::Item::Fn(item) => drop(found.insert(item.sig.ident.to_string())),
            syn::Item::Struct(item) => drop(found.insert(item.ident.to_string())),
            syn::Item::Enum(item) => drop(found.insert(item.ident.to_string())),
            _ => {}
        }
    }
    found
}

fn parsed(path: &Path) -> syn::File {
    let text = fs::read_to_string(path).unwrap();
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines of the names of one crate. A name that is a module stands for its own names.
fn lines(
    folder: &Path,
    package: &str,
    names: &BTreeSet<String>,
    module: Option<&str>,
) -> BTreeSet<String> {
    let mut paths = Vec::new();
    files_under(folder, &mut paths);
    let module = module.map(str::to_owned);
    let mut listing = Listing { package, names, module, lines: BTreeSet::new() };
    for path in paths {
        listing.add_items(&parsed(&path).items);
    }
    let mut found = listing.lines;
    for name in names.iter().filter(|name| folder.join(name).join("mod.rs").is_file()) {
        let inner = folder.join(name);
        let names = module_names(&parsed(&inner.join("mod.rs")));
        found.extend(lines(&inner, package, &names, Some(name)));
    }
    found
}

/// Lines of one crate.
struct Listing<'a> {
    package: &'a str,
    names: &'a BTreeSet<String>,
    /// Module of the prelude whose names these are.
    module: Option<String>,
    lines: BTreeSet<String>,
}

impl Listing<'_> {
    fn is_listed(&self, name: &syn::Ident, visibility: &syn::Visibility) -> bool {
        matches!(visibility, syn::Visibility::Public(_)) && self.names.contains(&name.to_string())
    }

    fn add(&mut self, owner: &impl ToTokens, text: &str) {
        let module = self.module.as_ref().map_or(String::new(), |module| format!("{module}::"));
        self.lines.insert(format!("{}::{module}{}: {text}", self.package, one_line(owner)));
    }

    fn add_fields(&mut self, owner: &impl ToTokens, fields: &syn::Fields) {
        for (k, field) in fields.iter().enumerate() {
            if matches!(field.vis, syn::Visibility::Public(_)) {
                let name = field.ident.as_ref().map_or(k.to_string(), ToString::to_string);
                self.add(owner, &format!("field {name}: {}", one_line(&field.ty)));
            }
        }
    }

    fn add_derived(&mut self, owner: &impl ToTokens, attributes: &[syn::Attribute]) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
            let _ = attribute.parse_nested_meta(|derived| {
                self.add(owner, &format!("derives {}", one_line(&derived.path)));
                Ok(())
            });
        }
    }

    fn add_items(&mut self, items: &[syn::Item]) {
        for item in items {
            match item {
                syn::Item::Mod(inner) => {
                    let is_test = inner.attrs.iter().any(|attribute| {
                        attribute.path().is_ident("cfg")
                            && attribute
                                .parse_args::<syn::Path>()
                                .is_ok_and(|path| path.is_ident("test"))
                    });
                    if let (Some((_, items)), false) = (&inner.content, is_test) {
                        self.add_items(items);
                    }
                }
                syn::Item::Struct(item) if self.is_listed(&item.ident, &item.vis) => {
                    self.add(&item.ident, &format!("struct{}", one_line(&item.generics)));
                    self.add_derived(&item.ident, &item.attrs);
                    self.add_fields(&item.ident, &item.fields);
                }
                syn::Item::Enum(item) if self.is_listed(&item.ident, &item.vis) => {
                    self.add(&item.ident, &format!("enum{}", one_line(&item.generics)));
                    self.add_derived(&item.ident, &item.attrs);
                    for variant in &item.variants {
                        let fields = without_attributes(&variant.fields);
                        self.add(&item.ident, &format!("variant {}{fields}", variant.ident));
                    }
                }
                syn::Item::Type(item) if self.is_listed(&item.ident, &item.vis) => {
                    self.add(&item.ident, &format!("type = {}", one_line(&item.ty)));
                }
                syn::Item::Fn(item) if self.is_listed(&item.sig.ident, &item.vis) => {
                    self.add(&item.sig.ident, &one_line(&item.sig));
                }
                syn::Item::Trait(item) if self.is_listed(&item.ident, &item.vis) => {
                    self.add_trait(item);
                }
                syn::Item::Impl(item) => self.add_implementation(item),
                _ => {}
            }
        }
    }

    fn add_trait(&mut self, item: &syn::ItemTrait) {
        self.add(&item.ident, &format!("trait: {}", one_line(&item.supertraits)));
        for inner in &item.items {
            match inner {
                syn::TraitItem::Fn(method) => {
                    let provided = if method.default.is_some() { "provided " } else { "" };
                    self.add(&item.ident, &format!("{provided}{}", one_line(&method.sig)));
                }
                syn::TraitItem::Const(constant) => {
                    let kind = one_line(&constant.ty);
                    self.add(&item.ident, &format!("const {}: {kind}", constant.ident));
                }
                syn::TraitItem::Type(inner) => {
                    self.add(&item.ident, &format!("type {}", inner.ident));
                }
                _ => {}
            }
        }
    }

    fn add_implementation(&mut self, item: &syn::ItemImpl) {
        let syn::Type::Path(owner) = &*item.self_ty else { return };
        let Some(last) = owner.path.segments.last() else { return };
        if !self.names.contains(&last.ident.to_string()) {
            return;
        }
        if let Some((path, _)) = &item.trait_ {
            self.add(&owner, &format!("implements {}", one_line(path)));
            return;
        }
        for inner in &item.items {
            match inner {
                syn::ImplItem::Fn(method) if matches!(method.vis, syn::Visibility::Public(_)) => {
                    self.add(&owner, &one_line(&method.sig));
                }
                syn::ImplItem::Const(constant)
                    if matches!(constant.vis, syn::Visibility::Public(_)) =>
                {
                    let kind = one_line(&constant.ty);
                    self.add(&owner, &format!("const {}: {kind}", constant.ident));
                }
                _ => {}
            }
        }
    }
}

/// Returns the fields of a variant without comments and attributes.
fn without_attributes(fields: &syn::Fields) -> String {
    let mut fields = fields.clone();
    for field in &mut fields {
        field.attrs.clear();
    }
    one_line(&fields)
}

#[test]
fn the_public_interface_is_the_recorded_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = String::new();
    for (package, names) in &prelude_names(root) {
        let folder = root.join("crates").join(package.replace('_', "-")).join("src");
        let listed = lines(&folder, package, names, None);
        for name in names {
            let begins = [format!("{package}::{name}: "), format!("{package}::{name}::")];
            assert!(
                listed.iter().any(|line| begins.iter().any(|own| line.starts_with(own))),
                "crates/{package} defines no public {name}"
            );
        }
        found.extend(listed.iter().map(|line| format!("{line}\n")));
    }
    let recorded = root.join("tests/data/public_api.txt");
    if std::env::var_os("BEKKER_WRITE_DOCS").is_some() {
        fs::write(&recorded, &found).unwrap();
    }
    let before = fs::read_to_string(&recorded).unwrap_or_default();
    let [old, new] = [&before, &found].map(|text| text.lines().collect::<BTreeSet<_>>());
    let changes: Vec<String> = old
        .difference(&new)
        .map(|line| format!("- {line}"))
        .chain(new.difference(&old).map(|line| format!("+ {line}")))
        .collect();
    assert!(
        changes.is_empty(),
        "the public interface changed; run with BEKKER_WRITE_DOCS=1 to record it:\n{}",
        changes.join("\n")
    );
}
