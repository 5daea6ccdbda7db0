//! The configuration file, which fills in what a command line leaves open.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use globset::GlobSet;
use kubernetes_kinds::Release;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::json;
use serde_saphyr::Spanned;

use crate::input::unreadable;
use crate::kinds;
use crate::lint::{ApplySet, ClaimPlace, Levels};
use crate::release::release;
use crate::rules;
use crate::search::pattern;

/// The name of the file.
const NAME: &str = ".kubernetes-storage.yaml";

/// The arguments that choose the file.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Choice {
    /// Configuration file; without it, the .kubernetes-storage.yaml of this folder or the nearest
    /// above, up to the root of the repository
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Read no configuration file
    #[arg(long, conflicts_with = "config")]
    no_config: bool,
}

/// The content of a configuration file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[schemars(title = "Configuration of kubernetes-storage")]
pub(crate) struct Config {
    /// The file.
    #[serde(skip)]
    path: PathBuf,
    /// Kubernetes release of the API server, such as "1.36".
    #[serde(deserialize_with = "one_release")]
    #[schemars(with = "String")]
    pub(crate) target_release: Option<Release>,
    /// Feature gates of the API server that differ from the release's defaults.
    #[schemars(with = "BTreeMap<String, bool>")]
    pub(crate) feature_gates: BTreeMap<String, Spanned<bool>>,
    /// Patterns of files and folders that are skipped, such as `templates` or `charts/*/crds`.
    #[serde(deserialize_with = "patterns")]
    #[schemars(with = "Vec<String>")]
    pub(crate) ignore: Vec<GlobSet>,
    /// Also read hidden and vendored files, and those that a .gitignore names.
    pub(crate) no_ignore: bool,
    /// The kinds to lint; all if there is none.
    #[serde(deserialize_with = "kinds")]
    pub(crate) kinds: Vec<String>,
    /// Fields that only other releases have are errors.
    pub(crate) strict_unknown: bool,
    /// The files that are applied together.
    pub(crate) apply_set: Option<ApplySet>,
    /// Levels of rules that differ from their own.
    #[serde(deserialize_with = "levels")]
    #[schemars(transform = name_rules)]
    pub(crate) rules: Levels,
    /// The claims in custom resources.
    pub(crate) claim_templates: Vec<ClaimPlace>,
}

impl Choice {
    /// Reads the file that the arguments choose; without one, the configuration is empty.
    ///
    /// # Errors
    ///
    /// A message about a file that can't be read.
    pub(crate) fn load(&self) -> Result<Config, String> {
        let path = match (&self.config, self.no_config) {
            (_, true) => None,
            (Some(path), _) => Some(path.clone()),
            (None, _) => nearest(),
        };
        let Some(path) = path else {
            return Ok(Config::default());
        };
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let read = serde_saphyr::from_str::<Option<Config>>(&text);
        let config = read.map_err(|error| located(&path, &error))?;
        Ok(Config {
            path,
            ..config.unwrap_or_default()
        })
    }
}

impl Config {
    /// Returns a message about a value of the file.
    pub(crate) fn wrong(&self, value: &Spanned<bool>, message: &str) -> String {
        let (path, place) = (self.path.display(), value.referenced);
        format!("{path}:{}:{}: {message}", place.line(), place.column())
    }
}

/// Returns the JSON Schema of the file.
pub(crate) fn schema() -> Schema {
    let generator = SchemaSettings::draft07().into_generator();
    generator.into_root_schema_for::<Config>()
}

/// Returns the file in this folder or the nearest above, up to the root of the repository.
fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    for folder in here.ancestors() {
        let path = folder.join(NAME);
        if path.is_file() {
            // Messages name it as a user would.
            return Some(match folder == here {
                true => PathBuf::from(NAME),
                false => path,
            });
        }
        if folder.join(".git").exists() {
            break;
        }
    }
    None
}

/// Returns the message about a file whose text is wrong.
fn located(path: &Path, error: &serde_saphyr::Error) -> String {
    let text = error.without_snippet().to_string();
    let text = text.lines().next().unwrap_or_default();
    // What follows is advice for programs.
    let text = text
        .split(", set DuplicateKeyPolicy")
        .next()
        .unwrap_or(text);
    let text = match text {
        text if text.starts_with("cannot deserialize null") => {
            "no value; add one, or remove the field"
        }
        text if text.starts_with("multiple YAML documents") => {
            "more than one document; a configuration is one"
        }
        text if text.starts_with("externally tagged enum expected") => "expected a text",
        text => text,
    };
    let Some(place) = error.location() else {
        return format!("{}: {text}", path.display());
    };
    let (line, column) = (place.line(), place.column());
    // It is said before, as in other messages.
    let text = text.trim_end_matches(&format!(" at line {line}, column {column}"));
    format!("{}:{line}:{column}: {text}", path.display())
}

fn one_release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Release>, D::Error> {
    let text = String::deserialize(deserializer)?;
    release(&text).map(Some).map_err(de::Error::custom)
}

fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<GlobSet>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let patterns = texts.iter().map(|text| pattern(text));
    patterns
        .collect::<Result<_, _>>()
        .map_err(de::Error::custom)
}

fn kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let kinds = texts.iter().map(|text| {
        let kind = kinds::parse(text);
        kind.map_err(|help| format!("no kind `{text}`; {help}"))
    });
    kinds.collect::<Result<_, _>>().map_err(de::Error::custom)
}

fn levels<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Levels, D::Error> {
    let levels = Levels::deserialize(deserializer)?;
    let mut ids = levels.keys();
    ids.try_for_each(|id| rules::named(id).map(|_| ()))
        .map_err(de::Error::custom)?;
    Ok(levels)
}

/// Lets editors know the names of rules.
fn name_rules(schema: &mut Schema) {
    let ids: Vec<_> = rules::all().iter().map(|rule| rule.id.as_str()).collect();
    schema.insert("propertyNames".to_owned(), json!({"enum": ids}));
}
