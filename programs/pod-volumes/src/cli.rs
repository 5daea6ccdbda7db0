//! The commands.

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::args::{Command, Given, Input, Options};
use crate::errors::{Errors, one};
use crate::manifests::Objects;
use crate::node::Node;
use crate::{pods, run, table};

pub(crate) fn main() -> ExitCode {
    let options = Options::parse();
    match logging(&options.log).and_then(|()| execute(options.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(errors) => {
            for error in errors {
                eprintln!("error: {error}");
            }
            ExitCode::FAILURE
        }
    }
}

fn logging(filter: &str) -> Result<(), Errors> {
    let parsed = EnvFilter::try_new(filter)
        .map_err(|error| one(format!("invalid value {filter:?} for --log: {error}")))?;
    tracing_subscriber::fmt()
        .with_env_filter(parsed)
        .with_writer(std::io::stderr)
        .init();
    Ok(())
}

fn execute(command: Command) -> Result<(), Errors> {
    match command {
        Command::Run { input, interval } => {
            // Before any other thread begins: they inherit what is blocked.
            let signals = run::block_signals()?;
            let node = open(&input)?;
            run::run(&node, &input.files, interval, &signals)
        }
        Command::Mount { input, containers } => {
            let node = open(&input)?;
            let mounted = pods::mount_all(&node, containers);
            if containers {
                mounted
                    .containers
                    .iter()
                    .for_each(|line| println!("{line}"));
            } else {
                table::print(&mounted.volumes);
            }
            if mounted.errors.is_empty() {
                Ok(())
            } else {
                Err(mounted.errors)
            }
        }
        Command::Unmount { folders, pods } => {
            let node = Node::open(&folders, Objects::default(), Given::default())?;
            node.unmount(&pods)
        }
        Command::Metrics { folders } => {
            let node = Node::open(&folders, Objects::default(), Given::default())?;
            table::print(&node.on_disk()?);
            Ok(())
        }
    }
}

fn open(input: &Input) -> Result<Node, Errors> {
    let objects = Objects::read(&input.files)?;
    Node::open(&input.folders, objects, input.given.clone())
}
