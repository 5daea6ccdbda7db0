//! `cargo xtask bench`: compares the generated types with k8s-openapi's, and draws the figures.

mod figures;
mod plot;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

use clap::Args;
use kubernetes_crdgen::output::{self, Change, Plan};

use self::figures::Figures;
use crate::{cargo, workspace};

/// The variable that names the file to which the benchmark writes its figures.
const VARIABLE: &str = "BENCH_FIGURES";

/// The name of that file in the folder of the pictures.
const FILE: &str = "figures.json";

/// Measure reading, writing and memory of the generated types, compared with k8s-openapi's.
///
/// Runs the benchmark `wire` of the package conformance, which prints its table. A ratio is the
/// median of pairs of measurements, in which each side follows the other.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Draw the ratios as SVG, each picture in light and in dark colours.
    #[arg(long)]
    plot: bool,

    /// The folder of the pictures and of the figures that they are drawn from.
    #[arg(long, value_name = "DIR", default_value = "target/bench")]
    out: PathBuf,

    /// Measure nothing; draw the figures that an earlier run has written.
    #[arg(long, value_name = "FILE", requires = "plot", conflicts_with = "quick")]
    from: Option<PathBuf>,

    /// Measure for a short time, for development.
    #[arg(long)]
    quick: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let out = root.join(&arguments.out);
    let file = match &arguments.from {
        Some(file) => env::current_dir()?.join(file),
        None => measure(&root, &out, arguments.quick)?,
    };
    if !arguments.plot {
        return Ok(());
    }
    let figures = Figures::read(&file)?;
    let files = figures.charts.iter().flat_map(plot::files);
    let changes = files.map(|(name, text)| {
        let path = out.join(name);
        match path.exists() {
            true => Change::Replace { path, text },
            false => Change::Create { path, text },
        }
    });
    let plan = Plan {
        changes: changes.collect(),
        unchanged: 0,
    };
    output::carry_out(&out, std::slice::from_ref(&plan))?;
    for change in &plan.changes {
        println!("{}", change.path().display());
    }
    Ok(())
}

/// Runs the benchmark, and returns the file with its figures.
fn measure(root: &Path, out: &Path, quick: bool) -> Result<PathBuf, Box<dyn Error>> {
    let file = out.join(FILE);
    std::fs::create_dir_all(out).map_err(|e| workspace::error("can't make", out, &e))?;
    if file.exists() {
        // Figures of an earlier run must not be taken for those of this one.
        std::fs::remove_file(&file).map_err(|e| workspace::error("can't remove", &file, &e))?;
    }
    let mut command = cargo::command(root);
    command.args(["bench", "--package", "conformance", "--bench", "wire"]);
    if quick {
        command.args(["--", "--quick"]);
    }
    let status = command.env(VARIABLE, &file).status();
    let status = status.map_err(|e| format!("error: can't run cargo: {e}"))?;
    match status.success() {
        true => Ok(file),
        false => Err(format!("error: the benchmark failed ({status})").into()),
    }
}
