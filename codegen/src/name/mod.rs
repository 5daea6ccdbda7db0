//! Every naming rule. Types keep Kubernetes' spelling; what Rust adds is in snake case.

mod values;

use std::fmt;

use heck::{ToShoutySnakeCase, ToSnakeCase};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};
use serde::{Serialize, Serializer};

pub(crate) use values::{VARIANT_RULE, spelled, variant_name};

/// Names whose words the general rule splits wrongly: the name on the wire, and in Rust.
const EXCEPTIONS: &[(&str, &str)] = &[("targetWWNs", "target_wwns")];

/// The file that registers the kinds.
pub(crate) const SCHEME_FILE: &str = "scheme";

/// The file of the macros that list kinds and conversions, of the crate that bundles others.
pub(crate) const KINDS_FILE: &str = "kinds";

/// The file of the group and version of the kinds.
pub(crate) const GROUP_FILE: &str = "group_version";

/// The module of the types for server-side apply.
pub(crate) const APPLY_MODULE: &str = "apply";

/// The file of conversion from and to types of k8s-openapi.
pub(crate) const COUNTERPARTS_FILE: &str = "counterparts";

/// The file of the definitions of custom resources.
pub(crate) const DEFINITION_FILE: &str = "definition";

/// The file of merging.
pub(crate) const MERGE_FILE: &str = "merge";

/// The module of what programs import.
pub(crate) const PRELUDE_MODULE: &str = "prelude";

/// The files of a crate that aren't made from a type, and that nothing else may need.
pub(crate) const RESERVED_FILES: [&str; 12] = [
    "lib",
    "main",
    "mod",
    APPLY_MODULE,
    COUNTERPARTS_FILE,
    DEFINITION_FILE,
    GROUP_FILE,
    MERGE_FILE,
    PRELUDE_MODULE,
    SCHEMA_FOLDER,
    SCHEME_FILE,
    VALIDATION_FOLDER,
];

/// The identifier of what always has the same name.
pub(crate) fn fixed(name: &'static str) -> Ident {
    Ident(name.to_owned())
}

/// The folder of JSON Schemas; no type may need it.
pub(crate) const SCHEMA_FOLDER: &str = "schema";

/// The folder of defaults and validation; no type may need it.
pub(crate) const VALIDATION_FOLDER: &str = "validation";

/// The name of a feature gate's constant.
pub(crate) fn feature_constant(gate: &str) -> Option<Ident> {
    Ident::new(gate.to_shouty_snake_case())
}

/// The name of the constant with the name under which a server reports a field.
pub(crate) fn reported_constant(reported: &str) -> Option<Ident> {
    Ident::new(format!("REPORTED_{}", reported.to_shouty_snake_case()))
}

/// The name of the field that holds what a struct doesn't know, or its fields that are `null`; with
/// underscores after it where a field of the struct has that name.
pub(crate) fn rest(taken: &[&Ident], only_nulls: bool) -> Ident {
    let name = if only_nulls {
        "null_fields"
    } else {
        "unknown_fields"
    };
    let mut name = Ident(name.to_owned());
    while taken.contains(&&name) {
        name.0.push('_');
    }
    name
}

/// A Rust identifier, known to be one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(crate) struct Ident(String);

impl Ident {
    fn new(text: String) -> Option<Self> {
        // A keyword of the edition that syn, which knows no edition, takes for a name.
        let keyword = text == "gen";
        syn::parse_str::<syn::Ident>(&text)
            .ok()
            .filter(|_| !keyword)
            .map(|_| Self(text))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of the method that sets a field of this name.
    pub(crate) fn setter(&self) -> Self {
        Self(format!("with_{}", self.0.trim_matches('_')))
    }
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ToTokens for Ident {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append(proc_macro2::Ident::new(&self.0, Span::call_site()));
    }
}

/// The crates of which a path needs no dependency of its own.
const KNOWN_CRATES: [&str; 6] = [
    "alloc",
    "core",
    "crate",
    "k8s_openapi",
    "kubernetes_kinds",
    "std",
];

/// The path of a hand-written function that checks, warns or sets defaults.
pub(crate) type RulePath = RustPath;

/// The path of a Rust type or function, known to be one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RustPath {
    modules: Vec<Ident>,
    name: Ident,
}

impl RustPath {
    /// The path of a function of the module for rules, or of another one that it names.
    pub(crate) fn parse(text: &str, rules: Option<&str>) -> Option<Self> {
        let (modules, name) = match text.rsplit_once("::") {
            Some((modules, name)) => (modules, name),
            None => (rules?, text),
        };
        let (mut parts, rest) = match modules.strip_prefix("crate::") {
            Some(rest) => (vec![fixed("crate")], rest),
            None => (Vec::new(), modules),
        };
        parts.extend(plain_parts(rest)?);
        Some(Self {
            modules: parts,
            name: plain_part(name)?,
        })
    }

    /// The module of the path.
    pub(crate) fn module(&self) -> TokenStream {
        let modules = &self.modules;
        quote::quote!(#(#modules)::*)
    }

    /// The path of a schema below the module of its prefix.
    pub(crate) fn below(module: &str, rest: &str) -> Option<Self> {
        let mut parts: Vec<_> = module.split("::").chain(rest.split('.')).collect();
        let name = type_name(parts.pop()?)?;
        let modules = parts.into_iter().map(|part| given_module(part.trim()));
        let modules = modules.collect::<Option<_>>()?;
        Some(Self { modules, name })
    }

    /// The path of a type or a macro as a user gives it.
    pub(crate) fn given(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut parts = Vec::new();
        for part in text.split("::") {
            parts.push(match part {
                "crate" if parts.is_empty() => fixed("crate"),
                part => Ident::new(part.to_owned()).filter(|_| part.chars().all(plain))?,
            });
        }
        let name = parts.pop()?;
        Some(Self {
            modules: parts,
            name,
        })
    }

    /// The crate that has it, unless that is Rust's own, the crate itself, or one on which every
    /// generated crate depends.
    pub(crate) fn package(&self) -> Option<&str> {
        let first = self.modules.first()?.as_str();
        (!KNOWN_CRATES.contains(&first)).then_some(first)
    }

    /// The path of a type of the crate itself.
    pub(crate) fn own(module: Option<&str>, name: &str) -> Option<Self> {
        let mut modules = vec![fixed("crate")];
        modules.extend(
            module
                .map(given_module)
                .map_or(Some(None), |m| m.map(Some))?,
        );
        let name = type_name(name)?;
        Some(Self { modules, name })
    }

    pub(crate) fn name(&self) -> &Ident {
        &self.name
    }

    /// The path of the module that holds the type.
    pub(crate) fn modules(&self) -> &[Ident] {
        &self.modules
    }
}

impl Serialize for RustPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl ToTokens for RustPath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { modules, name } = self;
        tokens.extend(quote::quote!(#(#modules::)* #name));
    }
}

impl fmt::Display for RustPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for module in &self.modules {
            write!(f, "{module}::")?;
        }
        write!(f, "{}", self.name)
    }
}

/// The path of a function that is written by hand in a file of the generated crate, known to
/// be one: `crate::FILE::NAME` or `crate::MODULE::FILE::NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The module of the crate that holds the file, if it isn't the root.
    pub(crate) module: Option<Ident>,
    /// The file, without its extension.
    pub(crate) file: Ident,
    name: Ident,
}

impl Function {
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut parts = plain_parts(path.strip_prefix("crate::")?)?;
        let (name, file) = (parts.pop()?, parts.pop()?);
        let module = parts.pop();
        parts.is_empty().then_some(Self { module, file, name })
    }
}

/// A module of the generated crate that is written by hand, known to be one: `FILE` or
/// `MODULE::FILE`, after `pub ` if others may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HandWritten {
    pub(crate) public: bool,
    /// The module of the crate that holds the file, if it isn't the root.
    pub(crate) module: Option<Ident>,
    /// The file, without its extension.
    pub(crate) file: Ident,
}

impl HandWritten {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let path = text.strip_prefix("pub ");
        let mut parts = plain_parts(path.unwrap_or(text))?;
        let file = parts.pop()?;
        let module = parts.pop();
        let public = path.is_some();
        parts.is_empty().then_some(Self {
            public,
            module,
            file,
        })
    }
}

/// The parts of a path that are lower-case words.
fn plain_parts(path: &str) -> Option<Vec<Ident>> {
    path.split("::").map(plain_part).collect()
}

fn plain_part(part: &str) -> Option<Ident> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    Ident::new(part.to_owned()).filter(|_| part.chars().all(plain))
}

impl Serialize for Function {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.to_token_stream())
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { module, file, name } = self;
        let module = module.iter();
        tokens.extend(quote::quote!(crate::#(#module::)* #file::#name));
    }
}

/// Names that Rust or the generated code uses bare, which no generated type may take.
const PRELUDE: &[&str] = &[
    "AsRef",
    "BTreeMap",
    "Box",
    "Clone",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "From",
    "FromIterator",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Self",
    "Some",
    "String",
    "T",
    "Vec",
];

/// Returns true if a type of this name would hide one that the generated code needs.
pub(crate) fn is_prelude(name: &Ident) -> bool {
    PRELUDE.contains(&name.as_str())
}

/// The Rust name of a type: Kubernetes' own, where it can be one.
pub(crate) fn type_name(kubernetes: &str) -> Option<Ident> {
    let fits = kubernetes.starts_with(|c: char| c.is_ascii_uppercase())
        && kubernetes.chars().all(|c| c.is_ascii_alphanumeric());
    fits.then(|| Ident::new(kubernetes.to_owned())).flatten()
}

/// The Rust name of a field: the words of its letters and digits in snake case, with an underscore
/// after a keyword and before a digit.
pub(crate) fn field_name(json: &str) -> Option<Ident> {
    let words = json.replace(|c: char| !c.is_ascii_alphanumeric(), " ");
    let words = words.trim();
    snake_case(words).or_else(|| Ident::new(format!("_{}", words.to_snake_case())))
}

/// The name of a property as a part of the name of a type.
pub(crate) fn title(property: &str) -> String {
    let words = property.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.map(|word| {
        let mut chars = word.chars();
        let first = chars.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(chars).collect::<String>()
    });
    words.collect()
}

/// The wanted name, with a number after it if it isn't free.
pub(crate) fn free(wanted: &str, mut is_free: impl FnMut(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{wanted}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_default()
}

/// The name of a module that the configuration gives.
pub(crate) fn given_module(name: &str) -> Option<Ident> {
    Ident::new(name.to_owned())
}

/// The name of the file, and so of the module, that holds a type.
pub(crate) fn module_name(type_name: &Ident) -> Option<Ident> {
    snake_case(type_name.as_str())
}

/// Returns true if a property is spelled as Kubernetes spells them: `proxyURL`.
pub(crate) fn is_usual_property(json: &str) -> bool {
    json.starts_with(|c: char| c.is_ascii_lowercase())
        && json.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The name of a type or variant with a number after it.
pub(crate) fn numbered_type(name: &Ident, number: usize) -> Ident {
    let after_digit = name.0.ends_with(|c: char| c.is_ascii_digit());
    let between = if after_digit { "_" } else { "" };
    Ident(format!("{name}{between}{number}"))
}

/// The name of a field or file with a number after it.
pub(crate) fn numbered_field(name: &Ident, number: usize) -> Ident {
    Ident(format!("{}_{number}", name.0.trim_end_matches('_')))
}

/// The Rust name of a kind, which need not be spelled like a type.
pub(crate) fn kind_name(kind: &str) -> Option<Ident> {
    type_name(kind).or_else(|| type_name(&title(kind)))
}

fn snake_case(name: &str) -> Option<Ident> {
    let exception = EXCEPTIONS.iter().find(|(from, _)| *from == name);
    let snake = exception.map_or_else(|| name.to_snake_case(), |(_, to)| (*to).to_owned());
    // A keyword isn't an identifier; with the underscore it is.
    Ident::new(snake.clone()).or_else(|| Ident::new(snake + "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(json: &str) -> String {
        field_name(json)
            .map(|name| name.to_string())
            .unwrap_or_default()
    }

    /// Every property of the storage documents, in Kubernetes and in Rust.
    const PROPERTIES: &str = include_str!("properties.txt");

    #[test]
    fn every_property_keeps_its_name() {
        for line in PROPERTIES.lines() {
            let (json, rust) = line.split_once(' ').unwrap_or_default();
            assert_eq!(field(json), rust, "{json}");
        }
    }

    #[test]
    fn properties_that_are_no_names_in_rust() {
        let table = [
            ("$ref", "ref_"),
            ("Port", "port"),
            ("a b", "a_b"),
            ("x-kubernetes-list-type", "x_kubernetes_list_type"),
            ("self\"", "self_"),
            ("5xx", "_5xx"),
        ];
        for (json, rust) in table {
            assert_eq!(field(json), rust, "{json}");
        }
    }

    #[test]
    fn what_is_no_name() {
        for json in ["", "ä", "$", "../"] {
            assert_eq!(field(json), "", "{json}");
        }
        for kubernetes in ["", "a b", "lower", "../../X", "A-B", "A.B", "1A"] {
            assert_eq!(type_name(kubernetes), None, "{kubernetes}");
        }
    }

    #[test]
    fn types_keep_their_spelling_and_files_are_snake_case() {
        let table = [
            ("CSIDriver", "csi_driver"),
            ("CSINode", "csi_node"),
            ("CSIStorageCapacity", "csi_storage_capacity"),
            ("VolumeAttributesClass", "volume_attributes_class"),
        ];
        for (kubernetes, file) in table {
            let name = type_name(kubernetes);
            assert_eq!(name.as_ref().map(Ident::as_str), Some(kubernetes));
            let module = name.as_ref().and_then(module_name);
            assert_eq!(module.as_ref().map(Ident::as_str), Some(file));
        }
    }
}
