//! The commands of this workspace: `cargo xtask --help`.

mod budget;
mod custom;
mod diff;
mod e2e;
mod fetch;
mod generate;
mod inputs;
mod listed;
mod output;
mod readme;
mod rustfmt;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Generates, checks and tests the crates of this workspace.
#[derive(Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    version,
    arg_required_else_help = true
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Budget(budget::Arguments),
    Codegen(generate::Arguments),
    Diff(diff::Arguments),
    E2e(e2e::Arguments),
    Spec(verify::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Budget(arguments) => budget::run(&arguments),
        Command::Codegen(arguments) => generate::run(&arguments),
        // As `diff` does, it exits with 1 for what it found.
        Command::Diff(arguments) => return diff::run(&arguments),
        Command::E2e(arguments) => e2e::run(&arguments),
        Command::Spec(arguments) => verify::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
