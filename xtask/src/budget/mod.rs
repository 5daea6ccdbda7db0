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
use self::work::{Basis, Work};
use crate::workspace;

/// The number of runs that show that CPU time exceeds a budget. Instructions need one run.
const CERTAIN: u32 = 5;

/// Measure what crates of this workspace add to a user's build, and fail if it exceeds the budget.
///
/// Builds a program that depends on what programs have anyway, such as k8s-openapi alone, and
/// programs that depend on a crate of this workspace too, with each set of features in
/// xtask/budget.toml: debug profile, from nothing, without incremental compilation, with the
/// versions in Cargo.lock, offline. The table has the CPU time of cargo and all that it starts, the
/// share that a crate adds, and the size of the rlibs (1 MB is 10^6 bytes), each as the median of
/// the runs, and below it by how much the rlibs of each package grow. The budgets are in the same
/// file.
///
/// Shares are those of the instructions outside of the kernel, which hardly differ between runs.
/// Where the machine doesn't count them, they are those of CPU time. Other programs only add to it,
/// so that the least of the runs is compared, and what exceeds a budget is measured again, up to
/// five times. If these differ by more than the budget, CPU time says nothing, and a warning says
/// so.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The number of times that everything is measured.
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Build each program from nothing, and compare the totals.
    ///
    /// Otherwise a base, such as k8s-openapi, is built once a run, and only what a program compiles
    /// beyond it is measured, which is faster and disturbed less. What programs need with other
    /// features than the base alone does is built once for all that need the same.
    #[arg(long)]
    whole: bool,

    /// The base of the budgets to measure, such as k8s-openapi; all if none is named.
    #[arg(long, value_name = "PACKAGE")]
    base: Option<String>,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let limits = Limits::read(&root)?;
    let cargo = Cargo::new();
    let workspace = cargo.metadata(&root)?;
    let builder = Builder {
        cargo: &cargo,
        root: &root,
        workspace: &workspace,
        whole: arguments.whole,
    };
    let bases = chosen(&limits, arguments.base.as_deref())?;
    // What is wrong in the file is found before anything is built.
    let programs: Result<Vec<_>, _> = bases
        .into_iter()
        .map(|base| builder.programs(base, &limits))
        .collect();
    let mut exceeded = Vec::new();
    for (number, (alone, rows)) in programs?.into_iter().enumerate() {
        if number > 0 {
            println!();
        }
        exceeded.extend(builder.compare(&alone, rows, &limits, arguments.runs)?);
    }
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

/// Returns the bases to measure.
fn chosen<'l>(limits: &'l Limits, name: Option<&str>) -> Result<Vec<&'l str>, Box<dyn Error>> {
    let bases = limits.bases();
    let Some(name) = name else {
        return Ok(bases);
    };
    match bases.iter().find(|base| **base == name) {
        Some(base) => Ok(vec![base]),
        None => Err(format!(
            "error: no budget has the base `{name}`\n  help: {} has {}",
            limits::FILE,
            bases.join(", ")
        )
        .into()),
    }
}

/// A program, and what it took.
type Measured<'l> = (Program, Row<'l>);

/// Builds the programs of one run.
struct Builder<'a> {
    cargo: &'a Cargo,
    root: &'a Path,
    workspace: &'a Workspace,
    whole: bool,
}

impl Builder<'_> {
    /// Returns the program with a base alone, and those that have it, each with an empty row.
    fn programs<'l>(
        &self,
        base: &str,
        limits: &'l Limits,
    ) -> Result<(Program, Vec<Measured<'l>>), Box<dyn Error>> {
        let alone = Program::alone(self.workspace, base, &limits.dependencies(base))?;
        let mut rows = Vec::new();
        for limit in limits.budgets.iter().filter(|limit| limit.base == base) {
            rows.push((alone.with(self.workspace, limit)?, Row::new(limit)));
        }
        Ok((alone, rows))
    }

    /// Measures the programs of a base, prints a table, and returns the budgets that are exceeded,
    /// each as a sentence.
    fn compare(
        &self,
        alone: &Program,
        mut rows: Vec<Measured<'_>>,
        limits: &Limits,
        runs: u32,
    ) -> Result<Vec<String>, Box<dyn Error>> {
        for run in 1..=runs {
            eprintln!("run {run} of {runs}");
            self.run(alone, rows.iter_mut())?;
        }
        let is_slow = |(_, row): &(Program, Row)| row.basis() == Basis::Time && row.is_slow(limits);
        let mut most = runs;
        while most < CERTAIN && rows.iter().any(is_slow) {
            most += 1;
            eprintln!("run {most} of up to {CERTAIN}, of what exceeds a limit of CPU time");
            let slow: Vec<bool> = rows.iter().map(is_slow).collect();
            let rows = rows.iter_mut().zip(slow).filter(|(_, slow)| *slow);
            self.run(alone, rows.map(|(row, _)| row))?;
        }
        let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        let mut made = match runs {
            1 => "one run".to_owned(),
            runs => format!("medians of {runs} runs"),
        };
        if most > runs {
            made = format!("{made}; up to {most} runs of what exceeded a limit");
        }
        let about = self.cargo.about(self.root, "cargo ")?;
        println!("cargo {about}, debug profile, {made}\n");
        print!("{}", table::print(&alone.label, &rows));
        for text in rows.iter().filter_map(|row| row.unclear(limits)) {
            eprintln!("warning: {text}");
        }
        Ok(rows.iter().flat_map(|row| row.exceeded(limits)).collect())
    }

    /// Measures each program once.
    fn run<'r, 'l: 'r>(
        &self,
        alone: &Program,
        rows: impl Iterator<Item = &'r mut Measured<'l>>,
    ) -> Result<(), Box<dyn Error>> {
        let folder = self.folder()?;
        let manifest = folder.write(alone, self.root)?;
        let (reference, needs) = match self.whole {
            true => (self.cargo.build(&manifest, &folder.target())?, Work::none()),
            false => self.in_two_steps(alone, &manifest, &folder)?,
        };
        eprintln!("  {}: {:.1} s of CPU time", alone.label, reference.work.cpu);
        let (work, sizes) = (reference.work, reference.sizes.clone());
        let mut bases = Vec::new();
        if !self.whole {
            let features = self.cargo.features(&manifest)?;
            let built = (reference, needs, Work::none());
            bases.push(self.base(alone, features, built, folder)?);
        }
        for (program, row) in rows {
            let (added, sizes_with) = match self.more(alone, &mut bases, program)? {
                Some((build, base)) => {
                    let added = build.work.less(base.overhead).plus(base.added);
                    (added, build.sizes)
                }
                None => {
                    let build = self.build(program, &self.folder()?)?;
                    (build.work.less(work), build.sizes)
                }
            };
            let cost = Cost {
                reference: work,
                added,
                reference_sizes: sizes.clone(),
                sizes: sizes_with,
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

    /// Builds a program on top of what is built of its base with the features that it needs.
    /// `None` if it has to be built from nothing: with crates compiled again, too much would be
    /// measured.
    fn more<'b>(
        &self,
        alone: &Program,
        bases: &'b mut Vec<Base>,
        program: &Program,
    ) -> Result<Option<(Build, &'b Base)>, Box<dyn Error>> {
        let Some(first) = bases.first() else {
            return Ok(None);
        };
        // Cargo tells them without building.
        let features = self
            .cargo
            .features(&first.folder.write(program, self.root)?)?;
        let has_same = |base: &Base| base.features.is_subset(&features);
        let index = match bases.iter().position(has_same) {
            Some(index) => index,
            None => {
                let changed = first.features.difference(&features);
                let changed: BTreeSet<_> = changed.map(|line| first_word(line)).collect();
                let names = Vec::from_iter(changed.iter().copied()).join(", ");
                let wanted = features.iter().map(String::as_str);
                let wanted = wanted.filter(|line| changed.contains(first_word(line)));
                let raised = alone.raised(wanted);
                let folder = self.folder()?;
                let manifest = folder.write(&raised, self.root)?;
                let resolved = self.cargo.features(&manifest)?;
                // Features of procedural macros can't be asked for.
                let is_enough = resolved.is_subset(&features);
                let built = match is_enough {
                    true => format!("{} with them", alone.base),
                    false => "it from nothing".to_owned(),
                };
                eprintln!(
                    "  {} needs other features of {names}; building {built}",
                    program.label
                );
                if !is_enough {
                    return Ok(None);
                }
                let is_changed = changed.contains(&*alone.base);
                let (build, needs) = self.in_two_steps(alone, &manifest, &folder)?;
                let added = match is_changed {
                    true => build.work.less(first.build.work),
                    false => needs.less(first.needs),
                };
                bases.push(self.base(&raised, resolved, (build, needs, added), folder)?);
                bases.len() - 1
            }
        };
        let base = &bases[index];
        let build = self.build_on(program, &base.folder)?;
        let again = build.compiled_again(&base.build);
        if again.is_empty() {
            return Ok(Some((build, base)));
        }
        eprintln!(
            "  {} compiles again {}; building it from nothing",
            program.label,
            again.join(", ")
        );
        Ok(None)
    }

    /// Builds what the base needs, and then the program, and returns the work of the first, too.
    fn in_two_steps(
        &self,
        alone: &Program,
        manifest: &Path,
        folder: &Folder,
    ) -> Result<(Build, Work), Box<dyn Error>> {
        let target = folder.target();
        let linked = self.cargo.linked(manifest)?;
        let needs = linked.iter().filter_map(|line| package(line));
        let needs = Vec::from_iter(needs.filter(|(name, _)| *name != alone.base));
        let needs = match needs.is_empty() {
            true => Work::none(),
            false => self.cargo.build_packages(manifest, &target, &needs)?,
        };
        let mut build = self.cargo.build(manifest, &target)?;
        build.work = build.work.plus(needs);
        Ok((build, needs))
    }

    /// Returns what other programs are built on: what is built of it, the work before its base, and
    /// that which its features add.
    fn base(
        &self,
        program: &Program,
        features: BTreeSet<String>,
        (build, needs, added): (Build, Work, Work),
        folder: Folder,
    ) -> Result<Base, Box<dyn Error>> {
        Ok(Base {
            features,
            overhead: self.build_on(program, &folder)?.work,
            build,
            needs,
            added,
            folder,
        })
    }

    /// Builds a program where another is built, and removes what that has added.
    fn build_on(&self, program: &Program, folder: &Folder) -> Result<Build, Box<dyn Error>> {
        let before = folder.built()?;
        let build = self.build(program, folder)?;
        folder.keep_only(&before)?;
        Ok(build)
    }

    fn build(&self, program: &Program, folder: &Folder) -> Result<Build, Box<dyn Error>> {
        let manifest = folder.write(program, self.root)?;
        self.cargo.build(&manifest, &folder.target())
    }

    fn folder(&self) -> Result<Folder, Box<dyn Error>> {
        Folder::new(&self.workspace.target_directory)
    }
}

/// A base alone, with the features of it and of its dependencies that some programs need.
struct Base {
    build: Build,
    /// The part of its work before the package that it has its name from.
    needs: Work,
    /// The work that the features add. That package takes most of the time of a build: if its own
    /// features are the same, two builds of it would differ by more than what is measured.
    added: Work,
    /// The packages and their features, as cargo writes them.
    features: BTreeSet<String>,
    /// The cost of cargo, the program itself and its linking, when the rest is there already.
    overhead: Work,
    folder: Folder,
}

/// The name and version in a line of `cargo tree`.
fn package(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

fn first_word(line: &str) -> &str {
    line.split(' ').next().unwrap_or(line)
}
