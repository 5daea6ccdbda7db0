//! The program.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use codegen::Release;
use kubernetes_crdgen::cluster;
use kubernetes_crdgen::definitions::{Choices, Definitions};

/// Generates Rust types from CustomResourceDefinitions: a crate for each group and version, named
/// after it, as in `cert-manager-io-v1`.
///
/// Writes only files that change, removes generated files that have no source any more, and
/// touches no file that lacks the header of a generated one. If anything is wrong, nothing is
/// written.
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
struct Arguments {
    /// Files of manifests in YAML or JSON, folders with such, or `-` for the standard input, as in
    /// `kubectl get crd NAME -o yaml | kubernetes-crdgen - --out crates`. Other objects are
    /// ignored. With --cluster, the names of definitions, as in `certificates.cert-manager.io`.
    #[arg(id = "crd", value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,

    /// Read the definitions from a cluster: that of the kubeconfig's current context, or of the
    /// context that is given after `=`. The program needs its cargo feature `cluster` for it.
    #[arg(long, value_name = "CONTEXT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    cluster: Option<String>,

    /// The folder for the crates. Without a Cargo.toml of its own, it becomes a workspace.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// The folder `crates` of a checkout of kubernetes-storage, whose `kubernetes-kinds` and others
    /// the crates are to depend on, in place of those in the registry.
    #[arg(long, value_name = "DIR")]
    runtime: Option<PathBuf>,

    /// Write nothing; exit with 1 and name the stale files, if there are any.
    #[arg(long)]
    check: bool,

    /// The Kubernetes release for which the crates are made, such as `1.36`; the newest if not
    /// given.
    #[arg(long, value_name = "RELEASE")]
    release: Option<Release>,

    #[command(flatten)]
    choices: Choices,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = &arguments.runtime
        && !folder.join("kubernetes-kinds").join("Cargo.toml").is_file()
    {
        return Err(format!(
            "error: --runtime {}: it has no kubernetes-kinds\n  help: name the folder `crates` of a \
             checkout of kubernetes-storage",
            folder.display()
        )
        .into());
    }
    let (given, paths) = match &arguments.cluster {
        Some(context) => (
            cluster::read(context, &names(&arguments.paths)?)?,
            &[] as &[_],
        ),
        None => (Vec::new(), arguments.paths.as_slice()),
    };
    let definitions = Definitions {
        paths,
        given: &given,
        runtime: arguments.runtime.as_deref(),
        release: arguments.release,
        choices: &arguments.choices,
    };
    kubernetes_crdgen::generate(&definitions, &arguments.out, arguments.check)
}

/// The names of definitions in a cluster.
fn names(given: &[PathBuf]) -> Result<Vec<String>, Box<dyn Error>> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    let mut names = Vec::new();
    for name in given {
        let text = name.to_str().filter(|text| text.chars().all(plain));
        let Some(text) = text.filter(|text| text.contains('.') && *text != "-") else {
            return Err(format!(
                "error: {}: with --cluster, give names of definitions, as in \
                 `certificates.cert-manager.io`",
                name.display()
            )
            .into());
        };
        names.push(text.to_owned());
    }
    Ok(names)
}
