//! `cargo xtask proof`: the runs that take too long for each commit.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Deserialize;

use crate::{cargo, upstream, workspace};

/// The list of runs, relative to the root of the workspace.
const FILE: &str = "xtask/proof.toml";

/// Run the long checks of xtask/proof.toml, and print a table.
///
/// Continues after a run that fails. The output of each run is in target/proof. All runs together
/// take hours.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The runs; all if none is named.
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// List the runs, and run none.
    #[arg(long)]
    list: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "run")]
    runs: Vec<Run>,
}

/// A long run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    about: String,
    /// The program, `cargo` or `xtask`, and its arguments.
    command: Vec<String>,
    /// Environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// True if it reads upstream files.
    #[serde(default)]
    upstream: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root()?;
    let text = workspace::read(&root.join(FILE))?;
    let list: List = toml::from_str(&text).map_err(|e| format!("error: {FILE}: {e}"))?;
    let runs = list.chosen(&arguments.names)?;
    if arguments.list {
        for run in runs {
            println!("{:18} {}", run.name, run.about);
        }
        return Ok(());
    }
    let logs = root.join("target").join("proof");
    fs::create_dir_all(&logs).map_err(|e| workspace::error("can't make", &logs, &e))?;
    let mut rows = Vec::new();
    for run in runs {
        eprintln!("{}: {}", run.name, run.about);
        let log = logs.join(format!("{}.log", run.name));
        let started = Instant::now();
        let result = run.execute(&root, &log);
        rows.push(row(&run.name, started.elapsed(), result.is_ok(), &log));
        if let Err(error) = result {
            eprintln!("{error}");
        }
    }
    print(&rows)
}

/// A line of the table, and true if the run succeeded.
type Row = (String, bool);

fn row(name: &str, time: Duration, passed: bool, log: &Path) -> Row {
    let seconds = time.as_secs();
    let word = if passed { "passed" } else { "FAILED" };
    let time = format!("{}:{:02}", seconds / 60, seconds % 60);
    let line = format!("{name:18} {time:>8}  {word}  {}", log.display());
    (line, passed)
}

fn print(rows: &[Row]) -> Result<(), Box<dyn Error>> {
    println!("{:18} {:>8}  result  output", "run", "minutes");
    for (line, _) in rows {
        println!("{line}");
    }
    match rows.iter().filter(|(_, passed)| !passed).count() {
        0 => Ok(()),
        failed => Err(format!("error: {failed} of {} runs failed", rows.len()).into()),
    }
}

impl List {
    /// Returns the named runs in the order of the list, or all.
    fn chosen(&self, names: &[String]) -> Result<Vec<&Run>, Box<dyn Error>> {
        let is_known = |name: &&String| self.runs.iter().any(|run| run.name == **name);
        if let Some(unknown) = names.iter().find(|name| !is_known(name)) {
            let known: Vec<_> = self.runs.iter().map(|run| run.name.as_str()).collect();
            return Err(format!(
                "error: no run `{unknown}`\n  help: {FILE} has {}",
                known.join(", ")
            )
            .into());
        }
        let is_chosen = |run: &&Run| names.is_empty() || names.contains(&run.name);
        Ok(self.runs.iter().filter(is_chosen).collect())
    }
}

impl Run {
    /// Runs the command with its output in a file.
    fn execute(&self, root: &Path, log: &Path) -> Result<(), Box<dyn Error>> {
        let mut command = self.command(root)?;
        command.envs(&self.env);
        if self.upstream {
            command.env(upstream::VARIABLE, upstream::folder(root)?);
        }
        let report = |e| workspace::error("can't write", log, &e);
        let output = File::create(log).map_err(report)?;
        let errors = output.try_clone().map_err(report)?;
        let status = command
            .stdout(output)
            .stderr(errors)
            .stdin(Stdio::null())
            .status();
        let status = status.map_err(|e| format!("error: can't run {}: {e}", self.name))?;
        if !status.success() {
            return Err(format!("error: {} failed ({status})", self.name).into());
        }
        Ok(())
    }

    fn command(&self, root: &Path) -> Result<Command, Box<dyn Error>> {
        let (program, arguments) = match self.command.split_first() {
            Some((program, arguments)) => (program.as_str(), arguments),
            None => ("", [].as_slice()),
        };
        let mut command = match program {
            "cargo" => cargo::command(root),
            "xtask" => {
                let own: PathBuf = env::current_exe()
                    .map_err(|e| format!("error: can't find this program: {e}"))?;
                let mut command = Command::new(own);
                command.current_dir(root);
                command
            }
            other => {
                return Err(format!(
                    "error: {FILE}: `{}` runs `{other}`\n  help: start with `cargo` or `xtask`",
                    self.name
                )
                .into());
            }
        };
        command.args(arguments);
        Ok(command)
    }
}
