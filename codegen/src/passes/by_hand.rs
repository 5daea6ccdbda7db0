//! Checks that hand-written files have other paths than generated ones, and are where the crate
//! declares modules.

use crate::diag::Diagnostics;
use crate::model::{Analysed, Crate};
use crate::name::{Function, HandWritten, Ident, RESERVED_FILES};

/// Reports files that nobody can write, as the configuration names them.
pub(super) fn check(krate: &Crate<'_, Analysed>, diagnostics: &mut Diagnostics) {
    let rules = krate
        .config
        .conversion
        .iter()
        .flat_map(|conversion| &conversion.rules);
    for path in rules.flat_map(|rule| rule.functions()) {
        if let Some(Function { module, file, .. }) = Function::parse(path) {
            let what = format!("`{path}` is in");
            check_file(krate, module.as_ref(), &file, &what, diagnostics);
        }
    }
    for name in &krate.config.by_hand {
        if let Some(HandWritten { module, file, .. }) = HandWritten::parse(name) {
            let what = format!("`{name}`, to be written by hand, is");
            check_file(krate, module.as_ref(), &file, &what, diagnostics);
        }
    }
    if let Some(HandWritten { module, file, .. }) = krate.config.own_rules() {
        let what = "`rules` of the crate names";
        check_file(krate, module.as_ref(), &file, what, diagnostics);
    }
}

fn check_file(
    krate: &Crate<'_, Analysed>,
    module: Option<&Ident>,
    file: &Ident,
    what: &str,
    diagnostics: &mut Diagnostics,
) {
    let inside = krate
        .versions
        .iter()
        .filter(|v| v.module.as_ref() == module);
    let mut files = inside.flat_map(|v| v.layout.modules.iter().map(|module| &module.name));
    let is_module = |name: &Ident| {
        let mut versions = krate.versions.iter();
        versions.any(|v| v.module.as_ref() == Some(name))
    };
    let generated = files.any(|generated| generated == file)
        || (module.is_none() && is_module(file))
        || RESERVED_FILES.contains(&file.as_str());
    let (message, help) = match module {
        _ if generated => (
            format!("{what} a file that is generated"),
            "give it a file of its own",
        ),
        Some(module) if !is_module(module) => (
            format!("{what} a file of the module `{module}`, which isn't there"),
            "name a module that a document of the crate has, or none for the root",
        ),
        _ => return,
    };
    diagnostics.in_file("codegen.toml", None, message, help);
}
