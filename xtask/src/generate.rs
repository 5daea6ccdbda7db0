//! `cargo xtask codegen`: generates the crates.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgGroup, Args};
use codegen::{Config, Generated, GeneratedFile, Release, Source};

use kubernetes_crdgen::definitions::{self, Choices, Definitions};
use kubernetes_crdgen::output::{self, Plan};
use kubernetes_crdgen::{check, rustfmt};

use crate::inputs::{self, Folder, Found};
use crate::{diagram, readme, workspace};

/// Generate the crates from the documents in spec/ and their overlays.
///
/// Writes only files that change, removes generated files that have no source any more, and
/// touches no file that lacks the header of a generated one. If anything is wrong, nothing
/// is written.
#[derive(Args)]
#[command(group(ArgGroup::new("source").args(["spec", "crd"])))]
#[command(group(ArgGroup::new("target").args(["out", "dump"])))]
pub(crate) struct Arguments {
    /// The crates to generate; all of codegen.toml if none is named. Those into which they
    /// are converted are read too, but not written.
    #[arg(value_name = "CRATE")]
    crates: Vec<String>,

    /// Write nothing; print the analysed model as JSON, to see why something is generated as it
    /// is.
    #[arg(long, conflicts_with_all = ["check", "out"])]
    dump: bool,

    /// Write nothing; exit with 1 and name the stale files, if there are any.
    #[arg(long)]
    check: bool,

    /// The folder of the documents: laid out like spec/, or with the documents of a single release,
    /// such as a copy of Kubernetes' api/openapi-spec/v3 named v1.34.
    #[arg(long, value_name = "DIR")]
    spec: Option<PathBuf>,

    /// The folder for the crates, as a workspace of their own; this workspace if not given.
    /// Hand-written files that they call come along, unless there are others in their place.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Instead of the crates of codegen.toml, one for each group and version of the
    /// CustomResourceDefinitions in this file of manifests, YAML or JSON, in those of this folder,
    /// or in the standard input, `-`; may be repeated. The crates are named after their group, as
    /// in `topolvm-io-v1`.
    #[arg(
        long, value_name = "PATH", requires = "target", conflicts_with_all = ["crates", "spec"]
    )]
    crd: Vec<PathBuf>,

    #[command(flatten)]
    choices: Choices,

    /// The Kubernetes release of the documents in --spec, if it isn't named after it, or for which
    /// the crates of --crd are made; else that of codegen.toml.
    #[arg(long, value_name = "RELEASE", requires = "source")]
    release: Option<Release>,
}

impl Arguments {
    fn definitions<'a>(&'a self, runtime: &'a Path) -> Definitions<'a> {
        Definitions {
            paths: &self.crd,
            given: &[],
            runtime: Some(runtime),
            release: self.release,
            choices: &self.choices,
        }
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let out = arguments.out.as_deref().unwrap_or(&root);
    let started = Instant::now();
    if !arguments.crd.is_empty() && !arguments.dump {
        let runtime = root.join("crates");
        let definitions = arguments.definitions(&runtime);
        return kubernetes_crdgen::generate(&definitions, out, arguments.check);
    }
    let found = found(&root, arguments)?;
    if arguments.dump {
        let model = codegen::dump(&found.config, &found.inputs);
        print!("{}", model.map_err(|errors| found.locate(errors))?);
        return Ok(());
    }
    let mut generated =
        codegen::generate(&found.config, &found.inputs).map_err(|errors| found.locate(errors))?;
    let is_named =
        |krate: &Generated| arguments.crates.is_empty() || arguments.crates.contains(&krate.name);
    generated.retain(is_named);
    rustfmt::format(&mut generated)?;
    let elsewhere = arguments.out.is_some() && !is_same(out, &root);
    let is_all = !elsewhere && arguments.crates.is_empty() && arguments.spec.is_none();
    let frame = match elsewhere {
        true => frame(&root, out, &found.config, &generated)?,
        false => Vec::new(),
    };
    // The plans take the files.
    let members = match is_all {
        true => diagram::members(&root, &generated)?,
        false => None,
    };
    let mut plans = Vec::new();
    for krate in &mut generated {
        // In place they only have to be there.
        let mut by_hand = by_hand(&root, &found.config, krate)?;
        if !elsewhere {
            by_hand.clear();
        }
        plans.push(Plan::of_crate(out, krate, by_hand)?);
    }
    if is_all {
        plans.push(protobuf(&root, &found)?);
        plans.extend(grpc(&root, &found)?);
        plans.push(readme::plan(&root, &generated)?);
    }
    if let Some(members) = members {
        plans.push(diagram::plan(&root, &found.config, &members)?);
    }
    if elsewhere {
        plans.push(Plan::of_files(out, frame)?);
    }
    if arguments.check {
        let help = "run `cargo xtask codegen` and commit what it changes";
        return check(out, &plans, help);
    }
    output::carry_out(out, &plans)?;
    kubernetes_crdgen::print(&generated, &plans, &found, started);
    Ok(())
}

/// The plan for the tables of types of k8s-openapi, which `kubernetes-kinds` has.
fn protobuf(root: &Path, found: &Found) -> Result<Plan, Box<dyn Error>> {
    let file = codegen::protobuf_tables(&found.config, &found.inputs);
    let file = file.map_err(|errors| found.locate(errors))?;
    let mut tables = [Generated {
        files: file.into_iter().collect(),
        ..Generated::default()
    }];
    if !tables[0].files.is_empty() {
        rustfmt::format(&mut tables)?;
    }
    let [tables] = tables;
    Plan::of_files(root, tables.files)
}

/// The plans for the modules that are made from `.proto` files.
fn grpc(root: &Path, found: &Found) -> Result<Vec<Plan>, Box<dyn Error>> {
    let mut modules = Vec::new();
    for module in &found.config.grpc {
        let path = root.join("spec").join(&module.file);
        let source = Source::new(&module.file, workspace::read(&path)?);
        let named = |file: &str| (file == module.file).then(|| path.display().to_string());
        let made = codegen::grpc(module, &source).map_err(|errors| errors.renamed(named))?;
        modules.extend(made);
    }
    rustfmt::format(&mut modules)?;
    // A plan removes what its package doesn't have any more, so that there is one for each.
    let mut packages = BTreeMap::<_, Vec<GeneratedFile>>::new();
    for module in modules {
        packages
            .entry(module.name)
            .or_default()
            .extend(module.files);
    }
    let plans = packages.into_iter().map(|(name, files)| {
        let mut package = Generated {
            name,
            files,
            ..Generated::default()
        };
        Plan::of_crate(root, &mut package, Vec::new())
    });
    plans.collect()
}

/// Reads the input of the generator.
fn found(root: &Path, arguments: &Arguments) -> Result<Found, Box<dyn Error>> {
    if !arguments.crd.is_empty() {
        return definitions::read(&arguments.definitions(root));
    }
    let config = inputs::config(root, &arguments.crates)?;
    let own = root.join("spec");
    let folder = Folder {
        path: arguments.spec.as_deref().unwrap_or(&own),
        release: arguments.release,
    };
    inputs::read(root, &folder, config, &arguments.crates)
}

/// The hand-written files of the workspace's crate that the configuration names.
fn by_hand(
    root: &Path,
    config: &Config,
    krate: &Generated,
) -> Result<Vec<GeneratedFile>, Box<dyn Error>> {
    let folder = root.join(&krate.name);
    let mut files = Vec::new();
    for path in &krate.hand_written {
        let found = output::module_files(&folder, path)?;
        if found.is_empty() {
            return Err(not_by_hand(config, krate, path).into());
        }
        for path in found {
            let text = workspace::read(&folder.join(&path))?;
            files.push(GeneratedFile {
                path,
                text,
                ..GeneratedFile::default()
            });
        }
    }
    Ok(files)
}

/// The message for a hand-written file that is missing.
fn not_by_hand(config: &Config, krate: &Generated, path: &str) -> String {
    let module = path.trim_start_matches("src/").trim_end_matches(".rs");
    let module = format!("crate::{}::", module.replace('/', "::"));
    let own = config.crates.iter().find(|own| own.name == krate.name);
    let missing = format!(
        "error: {}/{path} is not there\n  --> {}",
        krate.name,
        workspace::CONFIG
    );
    let rules = own.and_then(|own| own.conversion.as_ref());
    let mut schemas = BTreeSet::new();
    let mut functions = BTreeSet::new();
    for rule in rules.into_iter().flat_map(|conversion| &conversion.rules) {
        for function in rule.functions() {
            if let Some(name) = function.strip_prefix(&module) {
                schemas.insert(format!("`{}`", rule.schema));
                functions.insert(format!("`{name}`"));
            }
        }
    }
    let list = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(", ");
    if !functions.is_empty() {
        return format!(
            "{missing}, the conversion rules for {}\n  help: write a file of that name with the \
             functions {}, or name others in the rules",
            list(schemas),
            list(functions)
        );
    }
    let rules = own.and_then(|own| own.rules.as_deref());
    if rules.is_some_and(|rules| format!("{rules}::") == module) {
        let folder = path.trim_end_matches(".rs");
        return format!(
            "{missing}, `rules` of the crate\n  help: write a file of that name, or a folder \
             {folder} with a mod.rs, with the functions that the overlays of the crate name, or \
             name the module of another crate"
        );
    }
    format!(
        "{missing}, `by-hand` of the crate\n  help: write a file of that name, or take it out \
         of the list"
    )
}

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Returns the files that make a workspace of crates outside this one: the parts of our own
/// manifest that theirs inherit, and the release of k8s-openapi's types.
fn frame(
    root: &Path,
    out: &Path,
    config: &Config,
    generated: &[Generated],
) -> Result<Vec<GeneratedFile>, Box<dyn Error>> {
    let header = format!("# {}codegen.toml.\n\n", codegen::MARK);
    let manifest: toml::Table = workspace::read(&root.join("Cargo.toml"))?.parse()?;
    let mut workspace = match manifest.get("workspace") {
        Some(toml::Value::Table(workspace)) => workspace.clone(),
        _ => return Err("error: Cargo.toml has no [workspace]".into()),
    };
    let members = generated
        .iter()
        .map(|krate| toml::Value::from(krate.name.as_str()));
    workspace.insert("members".to_owned(), toml::Value::Array(members.collect()));
    if let Some(toml::Value::Table(dependencies)) = workspace.get_mut("dependencies") {
        let used = used(generated)?;
        dependencies.retain(|name, _| used.contains(name));
        for (name, dependency) in dependencies.iter_mut() {
            let Some(path) = dependency.get_mut("path") else {
                continue;
            };
            if is_sibling(name, out, config, generated) {
                *path = name.as_str().into();
            } else if let Some(relative) = path.as_str() {
                *path = root.join(relative).display().to_string().into();
            }
        }
        // A new crate, which our manifest doesn't name yet.
        for name in used
            .iter()
            .filter(|name| generated.iter().any(|k| k.name == **name))
        {
            let path = toml::Table::from_iter([("path".to_owned(), name.as_str().into())]);
            dependencies.entry(name.as_str()).or_insert(path.into());
        }
    }
    let manifest = toml::Table::from_iter([("workspace".to_owned(), workspace.into())]);
    let cargo = workspace::read(&root.join(".cargo").join("config.toml"))?;
    let cargo: toml::Table = cargo.parse()?;
    let env = cargo
        .get("env")
        .cloned()
        .unwrap_or(toml::Table::new().into());
    let cargo = toml::Table::from_iter([("env".to_owned(), env)]);
    Ok(vec![
        GeneratedFile {
            path: "Cargo.toml".to_owned(),
            text: header.clone() + &toml::to_string(&manifest)?,
            ..GeneratedFile::default()
        },
        GeneratedFile {
            path: ".cargo/config.toml".to_owned(),
            text: header + &toml::to_string(&cargo)?,
            ..GeneratedFile::default()
        },
    ])
}

/// Returns true if a dependency is beside the crates; everything else stays where it is.
fn is_sibling(name: &str, out: &Path, config: &Config, generated: &[Generated]) -> bool {
    let is_generated = generated.iter().any(|krate| krate.name == name);
    let is_there = out.join(name).join("Cargo.toml").is_file();
    let is_ours = config.crates.iter().any(|krate| krate.name == name);
    if is_ours && !is_generated && !is_there {
        eprintln!(
            "note: {} has no {name}, so that of this workspace is used; name it too to have it \
             there",
            out.display()
        );
    }
    is_generated || is_ours && is_there
}

/// The dependencies that the manifests of the crates name.
fn used(generated: &[Generated]) -> Result<BTreeSet<String>, Box<dyn Error>> {
    let mut used = BTreeSet::new();
    let files = generated.iter().flat_map(|krate| &krate.files);
    for file in files.filter(|file| file.path == "Cargo.toml") {
        let manifest: toml::Table = file.text.parse()?;
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        used.extend(
            dependencies
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone()),
        );
    }
    Ok(used)
}
