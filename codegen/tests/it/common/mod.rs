//! Shared parts of the generator's tests.

pub(crate) mod dependencies;
pub(crate) mod plausible;
pub(crate) mod rustfmt;
pub(crate) mod types;

use std::fs;
use std::path::{Path, PathBuf};

use codegen::{
    Config, Diagnostics, DocumentConfig, DocumentSource, Generated, Inputs, Source, generate,
};
use serde_json::Value;

/// One folder of `tests/golden`: a configuration with what it names, and what comes of it.
pub(crate) struct Golden {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) config: Config,
    pub(crate) inputs: Inputs,
}

/// All golden folders, by name.
pub(crate) fn goldens() -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join("golden");
    let entries = fs::read_dir(folder).expect("tests/golden can be read");
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let mut folders: Vec<_> = folders.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.iter().map(|folder| golden(folder)).collect()
}

fn golden(folder: &Path) -> Golden {
    let read = |name: &str| {
        let text = fs::read_to_string(folder.join(name));
        Source::new(name, text.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    let config = Config::parse(&read("codegen.toml")).expect("a good codegen.toml");
    let mut inputs = named(&config, |document| read(&document.file), read);
    inputs.protos = protos(&config, folder);
    let name = folder
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let folder = folder.to_owned();
    Golden {
        name,
        folder,
        config,
        inputs,
    }
}

/// Reads all inputs that a configuration names.
pub(crate) fn named(
    config: &Config,
    document: impl Fn(&DocumentConfig) -> Source,
    overlay: impl Fn(&str) -> Source,
) -> Inputs {
    let mut inputs = Inputs::default();
    let documents = config.crates.iter().flat_map(|krate| &krate.documents);
    for named in documents.flat_map(DocumentConfig::each_file) {
        let (source, release) = (document(&named), named.described());
        let input = DocumentSource { source, release };
        inputs.documents.insert(named.path(), input);
        for name in &named.overlays {
            inputs.overlays.insert(name.clone(), overlay(name));
        }
    }
    inputs
}

/// Reads the `.proto` files of a configuration, in its folder of documents and those in it.
pub(crate) fn protos(config: &Config, documents: &Path) -> Vec<Source> {
    let Some(protobuf) = &config.protobuf else {
        return Vec::new();
    };
    let mut open = vec![documents.join(&protobuf.folder)];
    let mut sources = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let name = path.strip_prefix(documents).expect("a path in the folder");
                    let text = fs::read_to_string(&path).expect("a file");
                    sources.push(Source::new(name.display().to_string(), text));
                }
            }
        }
    }
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    sources
}

/// Returns documents of 1.37 as inputs, by the names of their files.
pub(crate) fn inputs_of<N, T>(files: impl IntoIterator<Item = (N, T)>) -> Inputs
where
    N: std::fmt::Display,
    T: Into<String>,
{
    let one = |(name, text): (N, T)| {
        let path = format!("v1.37/{name}");
        let source = Source::new(path.as_str(), text);
        let release = "1.37".parse().expect("a release");
        (path, DocumentSource { source, release })
    };
    Inputs {
        documents: files.into_iter().map(one).collect(),
        ..Inputs::default()
    }
}

impl Golden {
    /// Generates its crates.
    pub(crate) fn generated(&self) -> Vec<Generated> {
        generate(&self.config, &self.inputs)
            .unwrap_or_else(|errors| panic!("{}: {errors}", self.name))
    }

    /// The folder of a crate's files: each crate has its own if there are several.
    pub(crate) fn folder_of(&self, krate: &Generated) -> PathBuf {
        if self.config.crates.len() == 1 {
            self.folder.clone()
        } else {
            self.folder.join(&krate.name)
        }
    }
}

/// The prefix of the schemas that become types in the tests.
pub(crate) const PREFIX: &str = "com.example.v1.";

/// The configuration of a crate `example-v1` that is made of one document.
pub(crate) const CONFIG: &str = r#"
[[crate]]
name = "example-v1"
description = "An example"

[[crate.document]]
file = "document.json"
release = "1.37"
prefix = "com.example.v1."
overlays = ["overlay.yaml"]

[[extern]]
prefix = "io.k8s.apimachinery."
path = "k8s_openapi::apimachinery"
"#;

/// Generates from one document, without overlays.
pub(crate) fn from_document(document: &str) -> Result<Vec<Generated>, Diagnostics> {
    let config = CONFIG.replace("overlays = [\"overlay.yaml\"]\n", "");
    from(&config, document, "", "1.37")
}

/// Generates from one document and the actions of an overlay.
pub(crate) fn with_overlay(document: &str, overlay: &str) -> Result<Vec<Generated>, Diagnostics> {
    from(CONFIG, document, overlay, "1.37")
}

/// Generates from a configuration that names `document.json` and perhaps `overlay.yaml`.
pub(crate) fn from(
    config: &str,
    document: &str,
    overlay: &str,
    release: &str,
) -> Result<Vec<Generated>, Diagnostics> {
    let config = Config::parse(&Source::new("codegen.toml", config))?;
    let mut inputs = inputs_of([("document.json", document)]);
    for document in inputs.documents.values_mut() {
        document.release = release.parse().expect("a release");
    }
    if config
        .crates
        .iter()
        .any(|k| k.documents.iter().any(|d| !d.overlays.is_empty()))
    {
        let overlay = Source::new("overlays/overlay.yaml", overlay);
        inputs.overlays.insert("overlay.yaml".to_owned(), overlay);
    }
    generate(&config, &inputs)
}

/// A CustomResourceDefinition of a kind whose objects have `spec` with a schema.
pub(crate) fn definition(kind: &str, spec: &str) -> String {
    let plural = kind.to_lowercase() + "s";
    format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
         metadata: {{name: {plural}.example.com}}\nspec:\n  group: example.com\n  \
         scope: Cluster\n  names: {{plural: {plural}, kind: {kind}}}\n  versions:\n  \
         - name: v1\n    served: true\n    storage: true\n    schema:\n      \
         openAPIV3Schema:\n        type: object\n        properties: {{spec: {spec}}}\n"
    )
}

/// A document with these schemas, given as the members of a JSON object.
pub(crate) fn document(schemas: &str) -> String {
    format!("{{\"openapi\": \"3.0.0\", \"components\": {{\"schemas\": {{\n{schemas}\n}}}}}}")
}

/// A document of one struct, `Thing`, with these properties.
pub(crate) fn thing(properties: &str) -> String {
    let schema = format!("{{\"type\": \"object\", \"properties\": {{\n{properties}\n}}}}");
    document(&format!("\"{PREFIX}Thing\": {schema}"))
}

/// A diagnostic that is expected: part of its message, its pointer and its line.
pub(crate) struct Expected<'a> {
    pub(crate) message: &'a str,
    pub(crate) pointer: Option<&'a str>,
    pub(crate) line: Option<usize>,
}

/// Checks that generating fails with this one error, in this file, with help.
pub(crate) fn assert_error(
    result: Result<Vec<Generated>, Diagnostics>,
    file: &str,
    expected: &Expected<'_>,
) {
    let message = expected.message;
    let errors = match result {
        Ok(_) => panic!("generated, though it should fail with: {message}"),
        Err(errors) => errors,
    };
    let text = errors.to_string();
    let error = errors.iter().find(|error| error.message.contains(message));
    let error = error.unwrap_or_else(|| panic!("no `{message}` in:\n{text}"));
    assert_eq!(error.file, file, "{text}");
    let pointer = error.pointer.as_ref().map(ToString::to_string);
    assert_eq!(pointer.as_deref(), expected.pointer, "{text}");
    assert_eq!(error.line, expected.line, "{text}");
    assert!(
        error.help.as_ref().is_some_and(|help| !help.is_empty()),
        "{text}"
    );
    assert_eq!(errors.len(), 1, "one error has one diagnostic:\n{text}");
}

/// The places of a document, as JSON pointers.
pub(crate) fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(array) => {
            for (index, value) in array.iter().enumerate() {
                places(value, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}
