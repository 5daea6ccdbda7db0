//! The modules of a crate: their files, items and imports.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

use crate::sources::{File, Sources};

/// The number of imports that a name is followed through.
const MAX_IMPORTS: usize = 16;

/// A crate as a tree of modules; the first one is the root.
pub(super) struct Crate<'a> {
    files: Vec<&'a File>,
    /// The indices of the files with unit tests.
    tested: BTreeSet<usize>,
    pub(super) modules: Vec<Module>,
}

/// A module, without those of tests.
pub(super) struct Module {
    /// The index of its file.
    pub(super) file: usize,
    parent: usize,
    children: BTreeMap<String, usize>,
    /// The names of its items.
    items: BTreeSet<String>,
    /// The names that it imports, with their paths.
    imports: BTreeMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// The code that may use other files: items, and imports that aren't public.
    pub(super) code: Vec<Item>,
}

/// The meaning of a path.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// An item in a file.
    Item(usize),
    Module(usize),
}

impl<'a> Crate<'a> {
    /// Reads the modules from the file of the root on.
    pub(super) fn read(sources: &'a Sources, root: &Path) -> Result<Self, Box<dyn Error>> {
        let mut krate = Self {
            files: Vec::new(),
            tested: BTreeSet::new(),
            modules: Vec::new(),
        };
        let folder = root.parent().unwrap_or(root).to_owned();
        krate.add_file(sources, root, &folder, 0)?;
        Ok(krate)
    }

    /// Returns the path of a file.
    pub(super) fn path(&self, file: usize) -> &str {
        self.files.get(file).map_or("", |file| &file.path)
    }

    /// Returns the paths of the files with unit tests.
    pub(super) fn tested(&self) -> impl Iterator<Item = &str> {
        self.tested.iter().map(|file| self.path(*file))
    }

    /// Returns true if a file is hand-written.
    pub(super) fn is_by_hand(&self, file: usize) -> bool {
        let file = self.files.get(file);
        file.is_some_and(|file| !codegen::is_generated(&file.text))
    }

    /// Adds the module of a file. `folder` holds the files of its children.
    fn add_file(
        &mut self,
        sources: &'a Sources,
        path: &Path,
        folder: &Path,
        parent: usize,
    ) -> Result<Option<usize>, Box<dyn Error>> {
        // A file may be made by a build script, or be missing on this system.
        let Some(file) = sources.file(path) else {
            return Ok(None);
        };
        let parsed =
            syn::parse_file(&file.text).map_err(|e| format!("error: {}: {e}", file.path))?;
        self.files.push(file);
        let file = self.files.len() - 1;
        self.add(sources, (file, parent), folder, parsed.items)
            .map(Some)
    }

    fn add(
        &mut self,
        sources: &'a Sources,
        (file, parent): (usize, usize),
        folder: &Path,
        items: Vec<Item>,
    ) -> Result<usize, Box<dyn Error>> {
        let index = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: BTreeMap::new(),
            globs: Vec::new(),
            code: Vec::new(),
        });
        for item in items {
            if attributes(&item).iter().any(is_unit_test) {
                self.tested.insert(file);
            }
            if attributes(&item).iter().any(is_test) {
                continue;
            }
            if let Item::Mod(module) = item {
                self.add_child(sources, index, folder, module)?;
                continue;
            }
            let is_exported = attributes(&item)
                .iter()
                .any(|a| a.path().is_ident("macro_export"));
            // Exported macros are items of the root.
            let home = if is_exported { 0 } else { index };
            if let (Some(name), Some(home)) = (name(&item), self.modules.get_mut(home)) {
                home.items.insert(name);
            }
            if let Some(module) = self.modules.get_mut(index) {
                module.add(item);
            }
        }
        Ok(index)
    }

    fn add_child(
        &mut self,
        sources: &'a Sources,
        parent: usize,
        folder: &Path,
        module: ItemMod,
    ) -> Result<(), Box<dyn Error>> {
        let name = module.ident.to_string();
        let inside = folder.join(&name);
        let child = match module.content {
            Some((_, items)) => {
                let file = self.modules.get(parent).map_or(0, |parent| parent.file);
                Some(self.add(sources, (file, parent), &inside, items)?)
            }
            None => {
                let path = [inside.with_extension("rs"), inside.join("mod.rs")]
                    .into_iter()
                    .find(|path| sources.file(path).is_some())
                    .unwrap_or_else(PathBuf::new);
                self.add_file(sources, &path, &inside, parent)?
            }
        };
        if let (Some(child), Some(parent)) = (child, self.modules.get_mut(parent)) {
            parent.children.insert(name, child);
        }
        Ok(())
    }

    /// Finds what a path in a module means, unless it leads to another crate.
    pub(super) fn resolve(&self, module: usize, path: &[String]) -> Option<Meaning> {
        self.follow(module, path, MAX_IMPORTS)
    }

    fn follow(&self, module: usize, path: &[String], depth: usize) -> Option<Meaning> {
        let mut at = module;
        let mut rest = path;
        while let [first, others @ ..] = rest {
            match first.as_str() {
                "crate" => at = 0,
                "self" => {}
                "super" => at = self.modules.get(at)?.parent,
                _ => break,
            }
            rest = others;
        }
        let is_known = rest.len() < path.len();
        let found = self.find(at, rest, depth);
        // Macros define items too; the module is known at least.
        found.or_else(|| {
            let inside = self.modules.get(at)?;
            let is_defined = is_known && !inside.imports.contains_key(rest.first()?);
            is_defined.then_some(Meaning::Item(inside.file))
        })
    }

    /// Finds a path among the items, modules and imports of a module.
    fn find(&self, module: usize, path: &[String], depth: usize) -> Option<Meaning> {
        let depth = depth.checked_sub(1)?;
        let [name, rest @ ..] = path else {
            return Some(Meaning::Module(module));
        };
        let inside = self.modules.get(module)?;
        if let Some(child) = inside.children.get(name) {
            return self.find(*child, rest, depth);
        }
        if inside.items.contains(name) {
            return Some(Meaning::Item(inside.file));
        }
        if let Some(import) = inside.imports.get(name) {
            return match self.follow(module, import, depth)? {
                Meaning::Module(found) => self.find(found, rest, depth),
                item => Some(item),
            };
        }
        inside
            .globs
            .iter()
            .find_map(|glob| match self.follow(module, glob, depth)? {
                Meaning::Module(found) if found != module => self.find(found, path, depth),
                _ => None,
            })
    }
}

impl Module {
    /// Returns true if a name is that of a module that this one declares, or is imported from one.
    pub(super) fn is_of_child(&self, name: &str) -> bool {
        let import = self.imports.get(name).and_then(|path| path.first());
        self.children
            .contains_key(import.map_or(name, String::as_str))
    }

    fn add(&mut self, item: Item) {
        if let Item::Use(import) = &item {
            self.import(&import.tree, &mut Vec::new());
            if !matches!(import.vis, Visibility::Inherited) {
                return;
            }
        }
        self.code.push(item);
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>) {
        let named = |path: &[String], name: String| [path, &[name]].concat();
        match tree {
            UseTree::Path(part) => {
                path.push(part.ident.to_string());
                self.import(&part.tree, path);
                path.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = path.last() {
                    self.imports.insert(last.clone(), path.clone());
                }
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.imports.insert(name.clone(), named(path, name));
            }
            UseTree::Rename(name) => {
                let path = named(path, name.ident.to_string());
                self.imports.insert(name.rename.to_string(), path);
            }
            UseTree::Glob(_) => self.globs.push(path.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, path);
                }
            }
        }
    }
}

/// Returns true for `#[cfg(test)]` and `#[cfg(doctest)]`.
fn is_test(attribute: &Attribute) -> bool {
    ["test", "doctest"]
        .iter()
        .any(|name| is_cfg(attribute, name))
}

/// Returns true for `#[cfg(test)]`, `#[test]`, `#[tokio::test]` and the like.
fn is_unit_test(attribute: &Attribute) -> bool {
    let name = attribute.path().segments.last();
    name.is_some_and(|name| name.ident == "test") || is_cfg(attribute, "test")
}

/// Returns true for `cfg` with a name.
fn is_cfg(attribute: &Attribute, name: &str) -> bool {
    let list = attribute.meta.require_list().ok();
    list.is_some_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == name)
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
