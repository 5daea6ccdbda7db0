//! The types of a generated crate, as its files declare them and as its roots make them public.

use std::collections::BTreeSet;

use codegen::Generated;

/// The files of a crate that are the root of others, with what their types are called by.
pub(crate) fn roots(krate: &Generated) -> Vec<(String, &str)> {
    let roots = krate.files.iter().filter_map(|file| {
        let path = file.path.strip_prefix("src/")?;
        match path.strip_suffix("/mod.rs") {
            Some(module) => Some((format!("{module}::"), file.text.as_str())),
            None => (path == "lib.rs").then_some((String::new(), file.text.as_str())),
        }
    });
    roots.collect()
}

/// The names of the types that a crate declares, with their modules.
pub(crate) fn declared(krate: &Generated) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in krate.files.iter().filter(|file| file.path.ends_with(".rs")) {
        for item in syn::parse_file(&file.text).unwrap().items {
            let name = match item {
                syn::Item::Struct(item) => item.ident,
                syn::Item::Enum(item) => item.ident,
                _ => continue,
            };
            let folder = file.path.trim_start_matches("src/").rsplit_once('/');
            let module = folder.map(|(module, _)| format!("{module}::"));
            let name = module.unwrap_or_default() + &name.to_string();
            assert!(names.insert(name.clone()), "{name} is declared twice");
        }
    }
    names
}

/// The names of the types of its own that the roots of a crate make public, with their modules.
pub(crate) fn exported(krate: &Generated) -> BTreeSet<String> {
    fn leaves(tree: &syn::UseTree, module: &str, names: &mut BTreeSet<String>) {
        match tree {
            syn::UseTree::Path(path) => leaves(&path.tree, module, names),
            // The constant of custom resources, which is no type.
            syn::UseTree::Name(name) if name.ident == "UNCHECKED" => {}
            syn::UseTree::Name(name) => {
                assert!(names.insert(format!("{module}{}", name.ident)));
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|t| leaves(t, module, names)),
            _ => panic!("a use of another form"),
        }
    }
    let mut names = BTreeSet::new();
    for (module, text) in roots(krate) {
        let items = syn::parse_file(text).unwrap().items;
        let modules = items.iter().filter_map(|item| match item {
            syn::Item::Mod(module) => Some(module.ident.to_string()),
            _ => None,
        });
        let modules: BTreeSet<_> = modules.collect();
        for item in items {
            match item {
                // The types of other crates.
                syn::Item::Use(syn::ItemUse {
                    tree: syn::UseTree::Path(path),
                    ..
                }) if !modules.contains(&path.ident.to_string()) => {}
                // A crate that the bundle re-exports.
                syn::Item::Use(syn::ItemUse {
                    tree: syn::UseTree::Name(_),
                    ..
                }) => {}
                syn::Item::Use(item) => leaves(&item.tree, &module, &mut names),
                _ => {}
            }
        }
        // The function that registers the kinds isn't a type.
        for other in ["GROUP_VERSION", "add_to_scheme", "resource"] {
            names.remove(&format!("{module}{other}"));
        }
    }
    names
}
