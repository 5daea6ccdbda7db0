//! Downloads Go modules.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::VARIABLE;
use super::list::Pin;
use crate::go;

/// The answer of `go mod download -json` for a module.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    path: String,
    version: String,
    error: Option<String>,
    dir: Option<PathBuf>,
    sum: Option<String>,
}

/// Downloads modules into Go's module cache, and returns their folders in order.
pub(crate) fn download(modules: &[Pin<'_>], folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut command = go::command(folder);
    command.args(["mod", "download", "-json"]);
    command.args(modules.iter().map(ToString::to_string));
    let output = command.output().map_err(|e| cannot_run(&e))?;
    let answers: Result<Vec<Answer>, _> = serde_json::Deserializer::from_slice(&output.stdout)
        .into_iter()
        .collect();
    let answers = answers.map_err(|e| format!("error: can't read the output of go: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    modules
        .iter()
        .map(|module| {
            let answer = answers
                .iter()
                .find(|answer| answer.path == module.path && answer.version == module.version);
            checked(module, answer, errors.trim())
        })
        .collect()
}

/// Returns the folder of a module that has the recorded checksum.
fn checked(
    module: &Pin<'_>,
    answer: Option<&Answer>,
    errors: &str,
) -> Result<PathBuf, Box<dyn Error>> {
    let failed = answer.and_then(|answer| answer.error.as_deref());
    let (
        Some(Answer {
            dir: Some(folder),
            sum: Some(sum),
            ..
        }),
        None,
    ) = (answer, failed)
    else {
        return Err(format!(
            "error: go can't download {module}: {}\n  help: check the network and GOPROXY, or set \
             {VARIABLE} to a folder that has the files",
            failed.unwrap_or(errors)
        )
        .into());
    };
    let Pin {
        sum: wanted, file, ..
    } = module;
    if sum != wanted {
        return Err(format!(
            "error: {module} has the checksum {sum}, but {file} has {wanted}\n  help: if the version \
             in {file} is not new, somebody changed the module: don't use it"
        )
        .into());
    }
    Ok(folder.clone())
}

fn cannot_run(error: &io::Error) -> Box<dyn Error> {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "it is not installed".to_owned(),
        _ => error.to_string(),
    };
    format!(
        "error: can't run go: {reason}\n  help: install Go (https://go.dev/dl), or set {VARIABLE} \
         to a folder that has the files"
    )
    .into()
}
