//! The command line of `kubernetes-storage` and of `kubectl storage`, which are the same program.

mod convert;
mod defaults;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

/// Works on manifests of the Kubernetes storage API as an API server would, without a server.
///
/// It knows storage.k8s.io/v1, v1beta1 and v1alpha1 and csi.storage.k8s.io/v1alpha1, and the rules
/// of each Kubernetes release.
///
/// Exits with 0 if nothing is wrong, 1 if something is, and 2 if something can't be read or the
/// command line is wrong.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Lint(Box<kubernetes_storage_lint::args::Args>),
    Convert(convert::Args),
    Defaults(defaults::Args),
    /// Prints a script with which a shell completes the commands and options
    ///
    /// For bash: `source <(kubernetes-storage completions bash)`
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints the manual page, as in `kubernetes-storage man | man -l -`
    Man {
        /// The command whose page it is; of all without one
        command: Option<String>,
    },
}

/// Runs the program, by the name of its file and by what people write to run it.
#[must_use]
pub fn main(name: &'static str, written: &'static str) -> ExitCode {
    let mut command = Cli::command().name(name).bin_name(written);
    let matches = command.get_matches_mut();
    let parsed = Cli::from_arg_matches(&matches);
    let cli = parsed.unwrap_or_else(|error| error.format(&mut command).exit());
    let result = match cli.command {
        Task::Lint(args) => return kubernetes_storage_lint::run(&args),
        Task::Convert(args) => return convert::run(&args),
        Task::Defaults(args) => return defaults::run(&args),
        Task::Completions { shell } => completions(&mut command, shell),
        Task::Man { command: task } => man(&command, task.as_deref()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Who has read enough doesn't need to be told.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(2),
        Err(error) => {
            // If that can't be written either, nothing can be done.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Prints what a shell reads.
fn completions(command: &mut Command, shell: Shell) -> io::Result<()> {
    let (mut script, name) = (Vec::new(), command.get_name().to_owned());
    clap_complete::generate(shell, command, name, &mut script);
    io::stdout().write_all(&script)
}

/// Prints a manual page, of a command or of all.
fn man(command: &Command, task: Option<&str>) -> io::Result<()> {
    let page = match task {
        None => Man::new(command.clone()),
        Some(task) => {
            let found = command.find_subcommand(task).ok_or_else(|| {
                io::Error::other(format!("there is no command {task}; see --help"))
            })?;
            Man::new(found.clone()).title(format!("{}-{task}", command.get_name()))
        }
    };
    page.render(&mut io::stdout())
}
