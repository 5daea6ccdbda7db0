//! The commands of this workspace: `cargo xtask --help`.

mod bench;
mod budget;
mod cache;
mod cargo;
mod checksum;
mod diagram;
mod diff;
mod differences;
mod drawing;
mod e2e;
mod fetch;
mod generate;
mod go;
mod go_tests;
mod inputs;
mod proof;
mod protobuf;
mod readme;
mod release;
mod sources;
mod spec;
mod tidy;
mod upstream;
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
    Bench(bench::Arguments),
    Budget(budget::Arguments),
    Codegen(generate::Arguments),
    Diff(diff::Arguments),
    E2e(e2e::Arguments),
    GoTests(go_tests::Arguments),
    Proof(proof::Arguments),
    Release(release::Arguments),
    Spec(spec::Arguments),
    Tidy(tidy::Arguments),
    Upstream(upstream::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Budget(arguments) => budget::run(&arguments),
        Command::Codegen(arguments) => generate::run(&arguments),
        // As `diff` does, it exits with 1 for what it found.
        Command::Diff(arguments) => return diff::run(&arguments),
        Command::E2e(arguments) => e2e::run(&arguments),
        Command::GoTests(arguments) => go_tests::run(&arguments),
        Command::Proof(arguments) => proof::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Spec(arguments) => spec::run(&arguments),
        Command::Tidy(arguments) => tidy::run(&arguments),
        Command::Upstream(arguments) => upstream::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
