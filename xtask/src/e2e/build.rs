//! Builds the programs of the control plane where they are not there yet.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::recipe::{self, Recipe};
use super::{REQUIRED, go};
use crate::cache::{Locked, Place};
use crate::workspace;

/// The time between reports of a build.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);

/// A file that Go needs: its path in the folder, and its text.
type Source = (String, String);

/// The folder of the programs that a go.mod and go.sum describe, and what they say.
pub(super) fn assets(source: &Path) -> Result<(PathBuf, Recipe), Box<dyn Error>> {
    let modules = workspace::read(&source.join("go.mod"))?;
    let recipe = Recipe::parse(&source.join("go.mod").display().to_string(), &modules)?;
    let sources = sources(source, modules, &recipe)?;
    let linker_flags = recipe.linker_flags()?;
    let go = go::version(source, &recipe)?;
    let flags = go::FLAGS.join(" ");
    let mut inputs: Vec<&str> = sources.iter().map(|(_, text)| text.as_str()).collect();
    inputs.extend([go.as_str(), &flags, &linker_flags]);
    let locked = Place::of("control-plane", &recipe.version, &inputs)?.lock()?;
    let programs = recipe.programs();
    if let Some(missing) = REQUIRED.iter().find(|name| !programs.contains(name)) {
        return Err(format!("error: {} has no tool for {missing}", recipe.file).into());
    }
    if locked.has(&programs) {
        return Ok((locked.place, recipe));
    }
    build(&recipe, &sources, &go, &locked)?;
    Ok((locked.complete()?, recipe))
}

/// All files that Go needs: go.mod, go.sum, and the code of the programs beside them, each of which
/// is one file.
fn sources(folder: &Path, modules: String, recipe: &Recipe) -> Result<Vec<Source>, Box<dyn Error>> {
    let sums = workspace::read(&folder.join("go.sum"))?;
    let mut found = vec![("go.mod".to_owned(), modules), ("go.sum".to_owned(), sums)];
    for program in &recipe.own {
        let file = format!("{program}/main.go");
        let text = workspace::read(&folder.join(&file))?;
        found.push((file, text));
    }
    Ok(found)
}

/// Builds all programs. Go sees nothing but copies of the files.
fn build(
    recipe: &Recipe,
    sources: &[Source],
    go: &str,
    locked: &Locked,
) -> Result<(), Box<dyn Error>> {
    eprintln!(
        "building the control plane of Kubernetes {} with {go}; the first time takes minutes",
        recipe.version
    );
    let folder = locked.begin()?;
    let write = |path: &Path, text: &str| {
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    };
    for (file, text) in sources {
        let path = folder.join(file);
        write(&path, text).map_err(|e| workspace::error("can't write", &path, &e))?;
    }
    let started = Instant::now();
    let linker_flags = recipe.linker_flags()?;
    for (number, package) in recipe.tools.iter().enumerate() {
        let name = recipe::program(package);
        let what = format!("{name} ({} of {})", number + 1, recipe.tools.len());
        eprintln!("  {what}");
        let program = folder.join(name);
        let child = go::build(folder, package, &program, &linker_flags);
        let child = child.map_err(|e| format!("error: can't run go: {e}"))?;
        let took = Instant::now();
        let status = wait(child, &what).map_err(|e| format!("error: can't run go: {e}"))?;
        if !status.success() {
            return Err(format!(
                "error: can't build {name}: go ended with {status}\n  \
                 help: see go's errors above; to use programs built elsewhere, set {}",
                super::ASSETS
            )
            .into());
        }
        eprintln!("  {what}: {} s", took.elapsed().as_secs());
    }
    eprintln!(
        "built in {} s: {}",
        started.elapsed().as_secs(),
        locked.place.display()
    );
    Ok(())
}

/// Waits for a build, and reports now and then that it continues.
fn wait(mut child: Child, what: &str) -> std::io::Result<ExitStatus> {
    let started = Instant::now();
    let mut reported = started;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if reported.elapsed() >= SIGN_OF_LIFE {
            reported = Instant::now();
            eprintln!("  {what} … {} s", started.elapsed().as_secs());
        }
        sleep(Duration::from_millis(100));
    }
}
