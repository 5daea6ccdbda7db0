//! The tests of the workspace, by package and path.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item};

use crate::sources::{Package, Sources};

/// The paths of tests as `cargo test` prints them, by package.
pub(super) struct Tests<'a>(BTreeMap<&'a str, BTreeSet<String>>);

impl<'a> Tests<'a> {
    /// Finds the tests in libraries, programs and test binaries of some packages.
    pub(super) fn read(
        sources: &'a Sources,
        packages: &BTreeSet<&str>,
    ) -> Result<Self, Box<dyn Error>> {
        let mut tests = BTreeMap::new();
        let is_named = |package: &&'a Package| packages.contains(package.name.as_str());
        for package in sources.packages.iter().filter(is_named) {
            let found: &mut BTreeSet<_> = tests.entry(package.name.as_str()).or_default();
            let is_test = |kind: &String| kind == "test";
            let targets = package.targets.iter();
            for target in targets.filter(|t| t.is_code() || t.kind.iter().any(is_test)) {
                let folder = target.src_path.parent().unwrap_or(&target.src_path);
                file(sources, &target.src_path, folder, "", found)?;
            }
        }
        Ok(Self(tests))
    }

    /// Checks that a package has a test.
    pub(super) fn check(&self, package: &str, path: &str) -> Result<(), String> {
        let Some(tests) = self.0.get(package) else {
            return Err(format!(
                "there is no package `{package}`\n  help: write `PACKAGE PATH`, as in `pod-volumes \
                 program::name`"
            ));
        };
        if tests.contains(path) {
            return Ok(());
        }
        let mut text = format!("{package} has no test `{path}`");
        let name = |path: &str| path.rsplit("::").next().map(str::to_owned);
        for (package, tests) in &self.0 {
            for test in tests.iter().filter(|test| name(test) == name(path)) {
                text += &format!("\n  help: {package} has `{test}`");
            }
        }
        Err(text)
    }
}

/// Adds the tests of a file. `folder` holds the files of its modules.
fn file(
    sources: &Sources,
    path: &Path,
    folder: &Path,
    start: &str,
    found: &mut BTreeSet<String>,
) -> Result<(), Box<dyn Error>> {
    // A file may be made by a build script, or be missing on this system.
    let Some(file) = sources.file(path) else {
        return Ok(());
    };
    let parsed = syn::parse_file(&file.text).map_err(|e| format!("error: {}: {e}", file.path))?;
    items(sources, parsed.items, folder, start, found)
}

fn items(
    sources: &Sources,
    items_of_file: Vec<Item>,
    folder: &Path,
    start: &str,
    found: &mut BTreeSet<String>,
) -> Result<(), Box<dyn Error>> {
    for item in items_of_file {
        match item {
            Item::Fn(function) if function.attrs.iter().any(is_test) => {
                found.insert(format!("{start}{}", function.sig.ident));
            }
            Item::Mod(module) => {
                let start = format!("{start}{}::", module.ident);
                let inside = folder.join(module.ident.to_string());
                match module.content {
                    Some((_, content)) => items(sources, content, &inside, &start, found)?,
                    None => {
                        let paths: [PathBuf; 2] =
                            [inside.with_extension("rs"), inside.join("mod.rs")];
                        for path in paths {
                            file(sources, &path, &inside, &start, found)?;
                        }
                    }
                }
            }
            Item::Macro(item) => {
                let names = in_macro(item.mac.tokens);
                found.extend(names.iter().map(|name| format!("{start}{name}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the names of the functions with `#[test]` in the input of a macro, such as `proptest!`.
fn in_macro(tokens: TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => is_test |= group.stream().to_string() == "test",
            TokenTree::Ident(ident) if ident == "fn" && is_test => {
                names.extend(tokens.next().map(|name| name.to_string()));
                is_test = false;
            }
            _ => {}
        }
    }
    names
}

/// Returns true for `#[test]`, `#[tokio::test]` and the like.
fn is_test(attribute: &Attribute) -> bool {
    let name = attribute.path().segments.last();
    name.is_some_and(|name| name.ident == "test")
}
