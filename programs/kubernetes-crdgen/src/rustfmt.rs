//! Runs rustfmt over generated files.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codegen::{Generated, GeneratedFile};

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
            write(&own.join(&file.path), &without_formatted(file))?;
        }
        // rustfmt follows the modules of a crate, and wants a file for each.
        for path in &krate.hand_written {
            write(&own.join(path), "")?;
        }
        roots.extend(root(krate).map(|root| own.join(root)));
    }
    run(&roots)?;
    for krate in crates {
        let own = folder.path().join(&krate.name);
        for file in krate.files.iter_mut().filter(|file| is_rust(&file.path)) {
            let rest = files::read(&own.join(&file.path))?;
            file.text = with_formatted(file, &rest)
                .ok_or_else(|| format!("error: rustfmt has lost a part of {}", file.path))?;
            file.formatted.clear();
        }
    }
    Ok(())
}

/// The file from which rustfmt gets to all others: that of the crate, or of the module whose files
/// they are.
fn root(krate: &Generated) -> Option<&str> {
    let paths = || krate.files.iter().map(|file| file.path.as_str());
    let of_crate = paths().find(|path| *path == "src/lib.rs");
    of_crate.or_else(|| {
        let depth = |path: &str| (path.matches('/').count(), !path.ends_with("/mod.rs"));
        paths().min_by_key(|path| depth(path))
    })
}

/// The comment that stands for a part of a file that is formatted already, which is most of it:
/// rustfmt takes its time for each line.
fn placeholder(number: usize) -> String {
    format!("// Formatted part {number}\n")
}

/// A file with comments in place of the parts that are formatted already.
fn without_formatted(file: &GeneratedFile) -> String {
    let mut text = String::new();
    let mut end = 0;
    for (number, part) in file.formatted.iter().enumerate() {
        text.push_str(file.text.get(end..part.start).unwrap_or_default());
        text.push_str(&placeholder(number));
        end = part.end;
    }
    text + file.text.get(end..).unwrap_or_default()
}

/// The text of a file, of which the rest is formatted now; `None` if it lacks one of the comments.
fn with_formatted(file: &GeneratedFile, mut rest: &str) -> Option<String> {
    let mut text = String::new();
    for (number, part) in file.formatted.iter().enumerate() {
        let (before, after) = rest.split_once(&placeholder(number))?;
        text.push_str(before);
        text.push_str(file.text.get(part.clone())?);
        rest = after;
    }
    Some(text + rest)
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
