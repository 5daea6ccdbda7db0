//! The program `pod-volumes`; see README.md.

#[cfg(target_os = "linux")]
mod args;
#[cfg(target_os = "linux")]
mod claims;
#[cfg(target_os = "linux")]
mod cli;
#[cfg(target_os = "linux")]
mod errors;
#[cfg(target_os = "linux")]
mod manifests;
#[cfg(target_os = "linux")]
mod node;
#[cfg(target_os = "linux")]
mod pods;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod table;
#[cfg(target_os = "linux")]
mod tokens;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    cli::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("error: pod-volumes runs on Linux only");
    std::process::ExitCode::FAILURE
}
