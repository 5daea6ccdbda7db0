//! The command line: parses it and runs the command.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::arguments::Server;
use crate::output::report_error;
use crate::rules::{self, Rule};
use crate::{convert, defaults, exit, explain, lint, schema};

/// Checks, converts and defaults manifests of the Kubernetes storage API without an API server.
///
/// Supports storage.k8s.io/v1, v1beta1 and v1alpha1, csi.storage.k8s.io/v1alpha1,
/// snapshot.storage.k8s.io/v1, groupsnapshot.storage.k8s.io/v1, and PersistentVolume and
/// PersistentVolumeClaim of v1, with the rules of each Kubernetes release.
///
/// Exits with 0 if there is no problem, 1 if there is one, and 2 if a file can't be read or the
/// command line is invalid.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    Lint(Box<lint::Args>),
    Convert(convert::Args),
    Defaults(defaults::Args),
    /// Explains a rule that findings name, or lists all rules
    ///
    /// Each finding of `lint` ends with the name of its rule. A comment
    /// `# kubernetes-storage: ignore RULE` hides the findings of a rule.
    Explain {
        /// The rule, such as `unknownField`; without it, all are listed
        #[arg(value_parser = rules::named)]
        rule: Option<&'static Rule>,
    },
    Schema(schema::Args),
    /// Prints a completion script for a shell
    ///
    /// For bash: `source <(kubernetes-storage completions bash)`
    #[command(verbatim_doc_comment)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints a manual page, as in `kubernetes-storage man | man -l -`
    Man {
        /// The command to describe; without it, the whole program
        command: Option<String>,
    },
}

impl Task {
    /// Adds what the configuration file says.
    fn complete(&mut self) -> Result<(), String> {
        let files = match self {
            Self::Lint(args) => &args.files,
            Self::Convert(args) => &args.files,
            Self::Defaults(args) => &args.files,
            _ => return Ok(()),
        };
        let config = files.config.load()?;
        match self {
            Self::Lint(args) => args.complete(config),
            Self::Convert(args) => {
                args.complete(&config);
                Ok(())
            }
            Self::Defaults(args) => args.complete(&config),
            _ => Ok(()),
        }
    }
}

/// Runs the program, named `name` in help and scripts and started as `invocation`.
#[must_use]
pub fn main(name: &'static str, invocation: &'static str) -> ExitCode {
    let mut command = Cli::command().name(name).bin_name(invocation);
    let matches = command.get_matches_mut();
    let parsed = Cli::from_arg_matches(&matches);
    let mut cli = parsed.unwrap_or_else(|error| error.format(&mut command).exit());
    if let Err(message) = cli.task.complete() {
        report_error(&message);
        return ExitCode::from(exit::FAILURE);
    }
    let server = match &cli.task {
        Task::Lint(args) => Some(&args.server),
        Task::Defaults(args) => Some(&args.server),
        _ => None,
    };
    if let Some(Err(message)) = server.map(Server::check) {
        command.error(ErrorKind::ValueValidation, message).exit();
    }
    let result = match cli.task {
        Task::Lint(args) => return lint::run(&args),
        Task::Convert(args) => return convert::run(&args),
        Task::Defaults(args) => return defaults::run(&args),
        Task::Explain { rule } => explain::run(rule),
        Task::Schema(args) => schema::run(&args),
        Task::Completions { shell } => completions(&mut command, shell),
        Task::Man { command: task } => man(&command, task.as_deref()),
    };
    match result {
        Ok(()) => ExitCode::from(exit::SUCCESS),
        Err(error) => {
            // A reader that closes a pipe early expects no error.
            if error.kind() != io::ErrorKind::BrokenPipe {
                report_error(&error.to_string());
            }
            ExitCode::from(exit::FAILURE)
        }
    }
}

/// Prints a completion script.
fn completions(command: &mut Command, shell: Shell) -> io::Result<()> {
    let (mut script, name) = (Vec::new(), command.get_name().to_owned());
    clap_complete::generate(shell, command, name, &mut script);
    io::stdout().write_all(&script)
}

/// Prints the manual page of the program or of one of its commands.
fn man(command: &Command, task: Option<&str>) -> io::Result<()> {
    let page = match task {
        None => Man::new(command.clone()),
        Some(task) => {
            let found = command.find_subcommand(task).ok_or_else(|| {
                io::Error::other(format!("unrecognized command '{task}'; see --help"))
            })?;
            Man::new(found.clone()).title(format!("{}-{task}", command.get_name()))
        }
    };
    page.render(&mut io::stdout())
}
