//! Runs rustfmt over generated files.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::Generated;

use crate::definitions::EDITION;
use crate::files::{self, error};

/// Formats the Rust files of all crates by one run of rustfmt with its defaults.
pub fn format(crates: &mut [Generated]) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::Builder::new().prefix("codegen-").tempdir();
    let folder = folder.map_err(|e| error("can't make a folder in", &std::env::temp_dir(), &e))?;
    // Keeps rustfmt from looking for a configuration in the folders above.
    write(&folder.path().join("rustfmt.toml"), "")?;
    let mut roots = Vec::new();
    for krate in crates.iter() {
        let own = folder.path().join(&krate.name);
        for file in krate.files.iter().filter(|file| is_rust(&file.path)) {
            write(&own.join(&file.path), &file.text)?;
        }
        // rustfmt follows the modules of a crate, and wants a file for each.
        for path in &krate.hand_written {
            write(&own.join(path), "")?;
        }
        match krate.files.as_slice() {
            [single] => roots.push(own.join(&single.path)),
            _ => roots.push(own.join("src").join("lib.rs")),
        }
    }
    run(&roots)?;
    for krate in crates {
        let own = folder.path().join(&krate.name);
        for file in krate.files.iter_mut().filter(|file| is_rust(&file.path)) {
            file.text = files::read(&own.join(&file.path))?;
        }
    }
    Ok(())
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "rs")
}

fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| error("can't make the folder", folder, &e))?;
    }
    fs::write(path, text).map_err(|e| error("can't write", path, &e))
}

/// Runs rustfmt over crates, by their roots: `$RUSTFMT`, as cargo does, or that of the `PATH`.
fn run(roots: &[PathBuf]) -> Result<(), Box<dyn Error>> {
    if roots.is_empty() {
        return Ok(());
    }
    let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| OsString::from("rustfmt"));
    let name = program.display();
    let help = "install it with `rustup component add rustfmt`, or set RUSTFMT to its path";
    let output = Command::new(&program)
        .args(["--edition", EDITION])
        .args(roots)
        .output()
        .map_err(|error| format!("error: can't run {name}: {error}\n  help: {help}"))?;
    if output.status.success() {
        return Ok(());
    }
    let reason = String::from_utf8_lossy(&output.stderr);
    let reason = reason.trim_end();
    Err(format!(
        "error: {name} failed on generated files ({}):\n{reason}\n  help: {help}",
        output.status
    )
    .into())
}
