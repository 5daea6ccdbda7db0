//! `cargo xtask budget`: measures what crates of this workspace add to the builds of their users.

mod cargo;
mod limits;
mod program;
mod table;
mod work;

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;

use clap::Args;

use self::cargo::{Build, Cargo, Workspace};
use self::limits::Limits;
use self::program::{Folder, Program};
use self::table::{Cost, Row};
use self::work::Basis;
use crate::workspace;

/// The number of runs whose median shows that CPU time exceeds a budget. Instructions need one run.
const CERTAIN: u32 = 3;

/// Measure what crates of this workspace add to a user's build, and fail if it exceeds the budget.
///
/// Builds a program that depends on k8s-openapi alone, and programs that depend on a generated
/// crate too, with each set of features in xtask/budget.toml: debug profile, from nothing, without
/// incremental compilation, with the versions in Cargo.lock, offline. The table has the CPU time
/// of cargo and all that it starts, the share that a crate adds, and the size of the rlibs (1 MB is
/// 10^6 bytes), each as the median of the runs, and below it by how much the rlibs of each package
/// grow. The budgets are in the same file.
///
/// Shares are those of the instructions outside of the kernel, which hardly differ between runs.
/// Where the machine doesn't count them, they are those of CPU time. What exceeds a budget of it in
/// fewer than three runs is measured as many times: other programs disturb a single run. If these
/// differ by more than the budget, CPU time says nothing, and a warning says so.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How often everything is measured.
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Build each program from nothing, and compare the totals.
    ///
    /// Otherwise k8s-openapi is built once a run, and only what a program compiles beyond it is
    /// measured, which is faster and disturbed less. A program that needs a crate with other
    /// features than k8s-openapi alone does is always built from nothing.
    #[arg(long)]
    whole: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let limits = Limits::read(&root)?;
    let cargo = Cargo::new();
    let workspace = cargo.metadata(&root)?;
    let alone = Program::alone(&workspace)?;
    let mut rows = Vec::new();
    for limit in &limits.budgets {
        rows.push((Program::with(&workspace, limit)?, Row::new(limit)));
    }
    let builder = Builder {
        cargo: &cargo,
        root: &root,
        workspace: &workspace,
        whole: arguments.whole,
    };
    for run in 1..=arguments.runs {
        eprintln!("run {run} of {}", arguments.runs);
        builder.run(&alone, rows.iter_mut())?;
    }
    let is_slow = |(_, row): &(Program, Row)| row.basis() == Basis::Time && row.is_slow(&limits);
    let slow: Vec<bool> = rows.iter().map(is_slow).collect();
    if slow.contains(&true) {
        for run in arguments.runs + 1..=CERTAIN {
            eprintln!("run {run} of {CERTAIN}, of what exceeds a limit of CPU time");
            let rows = rows.iter_mut().zip(&slow).filter(|(_, slow)| **slow);
            builder.run(&alone, rows.map(|(row, _)| row))?;
        }
    }
    let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
    let mut runs = match arguments.runs {
        1 => "one run".to_owned(),
        runs => format!("medians of {runs} runs"),
    };
    if arguments.runs < CERTAIN && slow.contains(&true) {
        runs = format!("{runs}; of what exceeded a limit, medians of {CERTAIN} runs");
    }
    println!(
        "cargo {}, debug profile, {runs}\n",
        cargo.about(&root, "cargo ")?
    );
    print!("{}", table::print(&alone.label, &rows));
    for text in rows.iter().filter_map(|row| row.unclear(&limits)) {
        eprintln!("warning: {text}");
    }
    let exceeded: Vec<_> = rows.iter().flat_map(|row| row.exceeded(&limits)).collect();
    if exceeded.is_empty() {
        return Ok(());
    }
    Err(format!(
        "error: {}\n  help: the budgets are in {}",
        exceeded.join("\nerror: "),
        limits::FILE
    )
    .into())
}

/// Builds the programs of one run.
struct Builder<'a> {
    cargo: &'a Cargo,
    root: &'a Path,
    workspace: &'a Workspace,
    whole: bool,
}

impl Builder<'_> {
    /// Measures each program once.
    fn run<'r, 'l: 'r>(
        &self,
        alone: &Program,
        rows: impl Iterator<Item = &'r mut (Program, Row<'l>)>,
    ) -> Result<(), Box<dyn Error>> {
        let folder = self.folder()?;
        let reference = self.reference(alone, &folder)?;
        let built = &reference.build;
        eprintln!("  {}: {:.1} s of CPU time", alone.label, built.work.cpu);
        // The cost of cargo, the program itself and its linking; the rest is there already.
        let overhead = match self.whole {
            true => None,
            false => Some(self.build_on(alone, &folder)?.work),
        };
        for (program, row) in rows {
            let more = self.more(&reference, program, &folder)?;
            let (build, there) = match (more, overhead) {
                (Some(build), Some(overhead)) => (build, overhead),
                _ => (self.build(program, &self.folder()?)?, built.work),
            };
            let cost = Cost {
                reference: built.work,
                added: build.work.less(there),
                reference_sizes: built.sizes.clone(),
                sizes: build.sizes,
            };
            let basis = cost.added.basis(cost.reference);
            eprintln!(
                "  {}: {:+.2} s, {:+.1} % of the {}",
                program.label,
                cost.added.cpu,
                cost.added.share_of(cost.reference, basis) * 100.0,
                basis.label()
            );
            row.costs.push(cost);
        }
        Ok(())
    }

    /// Builds a program on top of k8s-openapi alone. `None` if it has to be built from nothing:
    /// with crates compiled again for other features, too much would be measured.
    fn more(
        &self,
        reference: &Reference,
        program: &Program,
        folder: &Folder,
    ) -> Result<Option<Build>, Box<dyn Error>> {
        if self.whole {
            return Ok(None);
        }
        let tell = |again: &[&str]| {
            eprintln!(
                "  {} changes features of what k8s-openapi uses, so these are compiled again: {}; \
                 building it from nothing",
                program.label,
                again.join(", ")
            );
        };
        // Cargo tells most of them without building.
        let features = self.cargo.features(&folder.write(program, self.root)?)?;
        let changed: BTreeSet<_> = reference
            .features
            .difference(&features)
            .map(|line| first_word(line))
            .collect();
        if !changed.is_empty() {
            tell(&Vec::from_iter(changed));
            return Ok(None);
        }
        let build = self.build_on(program, folder)?;
        let again = build.compiled_again(&reference.build);
        if again.is_empty() {
            return Ok(Some(build));
        }
        tell(&again);
        Ok(None)
    }

    /// Builds a program where another is built, and removes what that has added.
    fn build_on(&self, program: &Program, folder: &Folder) -> Result<Build, Box<dyn Error>> {
        let before = folder.built()?;
        let build = self.build(program, folder)?;
        folder.keep_only(&before)?;
        Ok(build)
    }

    /// Builds the program with which the others are compared.
    fn reference(&self, alone: &Program, folder: &Folder) -> Result<Reference, Box<dyn Error>> {
        let manifest = folder.write(alone, self.root)?;
        Ok(Reference {
            features: self.cargo.features(&manifest)?,
            build: self.cargo.build(&manifest, &folder.target())?,
        })
    }

    fn build(&self, program: &Program, folder: &Folder) -> Result<Build, Box<dyn Error>> {
        let manifest = folder.write(program, self.root)?;
        self.cargo.build(&manifest, &folder.target())
    }

    fn folder(&self) -> Result<Folder, Box<dyn Error>> {
        Folder::new(&self.workspace.target_directory)
    }
}

/// k8s-openapi alone.
struct Reference {
    build: Build,
    /// The packages and their features, as cargo writes them.
    features: BTreeSet<String>,
}

fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}
