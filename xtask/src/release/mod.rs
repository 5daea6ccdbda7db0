//! `cargo xtask release`: checks that the packages can be published, and packs the programs.

mod archives;
mod binaries;
mod examples;
mod packages;
mod registry;
mod requirements;

use std::error::Error;

use clap::Args;

use crate::workspace;

use packages::{Package, Workspace};
use registry::Name;

/// Check that the packages can be published, or pack the programs for people without a compiler.
///
/// With --check, for each package that is published: its name in the registry is free or belongs to
/// this repository, its metadata is complete, its version and those of its dependencies here agree,
/// and its archive compiles and has documentation without warnings and with no features but its
/// own, and the Rust examples of its README compile with what the README adds by `cargo add`.
///
/// With --binaries, target/programs gets an archive of the programs of each package that has
/// metadata of `cargo binstall`, their checksums, and a manifest for krew. The sizes of the
/// programs and the times that they take to start are printed.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("task").required(true))]
pub(crate) struct Arguments {
    /// Check, and publish nothing. `cargo publish --workspace` publishes.
    #[arg(long, group = "task")]
    check: bool,

    /// Build and pack the programs, and publish nothing.
    #[arg(long, group = "task")]
    binaries: bool,

    /// A target of --binaries; can be repeated. With musl, programs need nothing of the system.
    #[arg(long = "target", value_name = "TRIPLE", conflicts_with = "check")]
    #[arg(default_value = "x86_64-unknown-linux-musl")]
    targets: Vec<String>,

    /// Compile with this toolchain of rustup, such as the oldest that the packages support.
    #[arg(long, value_name = "TOOLCHAIN", conflicts_with = "binaries")]
    toolchain: Option<String>,
}

/// The problems of all packages.
struct Problems(Vec<String>);

impl Problems {
    /// Adds a problem of a file or package, with what to do about it.
    fn add(&mut self, place: &str, problem: &str, help: &str) {
        self.0
            .push(format!("error: {place}: {problem}\n  help: {help}"));
    }
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let workspace = Workspace::read(&root)?;
    if arguments.binaries {
        return binaries::make(&root, &workspace, &arguments.targets);
    }
    let mut problems = Problems(Vec::new());
    workspace.check(&mut problems);
    let names: Result<Vec<_>, _> = workspace
        .published()
        .map(|package| registry::ask(package, &workspace))
        .collect();
    let names = names?;
    for (package, name) in workspace.published().zip(&names) {
        if let Name::Taken { repository } = name {
            let problem = format!("the name `{}` belongs to {repository}", package.name);
            let help = "rename the package, or set `publish = false`";
            problems.add(&package.manifest(&workspace), &problem, help);
        }
    }
    // A package that can't be published anyway isn't worth a build.
    let examples = match problems.0.is_empty() {
        true => archives::check(
            &root,
            &workspace,
            arguments.toolchain.as_deref(),
            &mut problems,
        )?,
        false => Vec::new(),
    };
    if !problems.0.is_empty() {
        return Err(problems.0.join("\n").into());
    }
    print(&workspace, &names, &examples);
    Ok(())
}

/// Prints a line for each package.
fn print(workspace: &Workspace, names: &[Name], examples: &[usize]) {
    let width = |package: &Package| package.name.len();
    let width = workspace.published().map(width).max().unwrap_or_default();
    println!(
        "{:width$}  {:8}  name  README examples",
        "package", "version"
    );
    for ((package, name), count) in workspace.published().zip(names).zip(examples) {
        let name = match name {
            Name::Ours => "ours",
            _ => "free",
        };
        println!(
            "{:width$}  {:8}  {name}  {count}",
            package.name, package.version
        );
    }
}
