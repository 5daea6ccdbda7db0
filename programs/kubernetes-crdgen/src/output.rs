//! Writes generated files: only what changed, only what is ours, and all or nothing.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::io;
use std::mem;
use std::path::{Component, Path, PathBuf};

use codegen::{Generated, GeneratedFile};

use crate::files::{self, error};

/// The changes of one crate.
#[derive(Default)]
pub struct Plan {
    /// The changes.
    pub changes: Vec<Change>,
    /// The number of files that stay as they are.
    pub unchanged: usize,
}

/// A change of one file.
pub enum Change {
    /// A file that isn't there yet.
    Create {
        /// The path.
        path: PathBuf,
        /// The contents.
        text: String,
    },
    /// A generated file of another text.
    Replace {
        /// The path.
        path: PathBuf,
        /// The new contents.
        text: String,
    },
    /// A generated file that has no source any more.
    Remove {
        /// The path.
        path: PathBuf,
    },
}

impl Change {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Create { path, .. } | Self::Replace { path, .. } | Self::Remove { path } => path,
        }
    }

    /// The new text, unless the file goes.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Create { text, .. } | Self::Replace { text, .. } => Some(text),
            Self::Remove { .. } => None,
        }
    }
}

impl Plan {
    /// Takes the files of a crate and compares them with its folder; generated files without a
    /// source are removed. Hand-written files are copied, but don't replace others.
    pub fn of_crate(
        out: &Path,
        krate: &mut Generated,
        by_hand: Vec<GeneratedFile>,
    ) -> Result<Self, Box<dyn Error>> {
        let folder = out.join(&krate.name);
        let mut files = mem::take(&mut krate.files);
        for file in by_hand {
            let path = folder.join(&file.path);
            if is_other(&path, &file.text)? {
                eprintln!(
                    "note: {} differs from that of this workspace, and is left as it is",
                    path.display()
                );
            } else {
                files.push(file);
            }
        }
        let wanted: BTreeSet<_> = files.iter().map(|f| folder.join(&f.path)).collect();
        let mut plan = Self::of_files(&folder, files)?;
        let mut others = rust_files(&folder.join("src"))?;
        others.retain(|path| !wanted.contains(path));
        for path in others {
            let text = files::read_if_there(&path)?;
            if text.is_some_and(|text| is_ours(&text)) {
                plan.changes.push(Change::Remove { path });
            }
        }
        Ok(plan)
    }

    /// Compares files with those in a folder.
    pub fn of_files(folder: &Path, files: Vec<GeneratedFile>) -> Result<Self, Box<dyn Error>> {
        let mut plan = Self::default();
        let refused = |path: &Path| {
            format!(
                "error: {} is not a generated file\n  help: it lacks the header; move it away if a \
                 generated file is to take its place",
                path.display()
            )
        };
        for GeneratedFile { path, text, .. } in files {
            let relative = Path::new(&path);
            if !relative
                .components()
                .all(|part| matches!(part, Component::Normal(_)))
            {
                return Err(format!("error: {path} leads out of the crate").into());
            }
            plan.put(folder.join(relative), text, is_ours, refused)?;
        }
        Ok(plan)
    }

    /// Adds the change that gives a file a text, if it has another one.
    ///
    /// # Errors
    ///
    /// The file can't be read, or is there and isn't ours: then with the message that `refused`
    /// makes.
    pub fn put(
        &mut self,
        path: PathBuf,
        text: String,
        is_ours: impl FnOnce(&[u8]) -> bool,
        refused: impl FnOnce(&Path) -> String,
    ) -> Result<(), Box<dyn Error>> {
        match files::read_if_there(&path)? {
            Some(old) if old == text.as_bytes() => self.unchanged += 1,
            Some(old) if is_ours(&old) => self.changes.push(Change::Replace { path, text }),
            None => self.changes.push(Change::Create { path, text }),
            Some(_) => return Err(refused(&path).into()),
        }
        Ok(())
    }
}

/// Makes all changes, or, if one fails, none: everything is written beside its place first,
/// then moved there, and moved back if a move fails.
pub fn carry_out(out: &Path, plans: &[Plan]) -> Result<(), Box<dyn Error>> {
    let changes: Vec<_> = plans.iter().flat_map(|plan| &plan.changes).collect();
    if changes.is_empty() {
        return Ok(());
    }
    let mut undo = Undo::default();
    let folders: BTreeSet<_> = changes
        .iter()
        .filter_map(|change| change.path().parent())
        .collect();
    let result = undo
        .create_folder(out)
        .and_then(|()| stay_inside(out, &folders))
        .and_then(|()| {
            folders
                .into_iter()
                .try_for_each(|folder| undo.create_folder(folder))
        })
        .and_then(|()| replace(out, &changes, &mut undo));
    match result {
        Ok(()) => Ok(()),
        Err(error) => {
            undo.run()?;
            Err(error)
        }
    }
}

/// No link may lead a file out of the folder.
fn stay_inside(out: &Path, folders: &BTreeSet<&Path>) -> Result<(), Box<dyn Error>> {
    let inside = out
        .canonicalize()
        .map_err(|e| error("can't find", out, &e))?;
    for folder in folders {
        // Missing folders will be plain ones inside of existing ones.
        let Some(folder) = folder.ancestors().find(|folder| folder.exists()) else {
            continue;
        };
        let real = folder
            .canonicalize()
            .map_err(|e| error("can't find", folder, &e))?;
        if !real.starts_with(&inside) {
            return Err(format!(
                "error: {} leads out of {}\n  help: replace the link by a folder",
                folder.display(),
                out.display()
            )
            .into());
        }
    }
    Ok(())
}

fn replace(out: &Path, changes: &[&Change], undo: &mut Undo) -> Result<(), Box<dyn Error>> {
    let stage = tempfile::Builder::new()
        .prefix(".codegen-")
        .tempdir_in(out)
        .map_err(|e| error("can't write in", out, &e))?;
    let staged = |index: usize| stage.path().join(format!("{index}.new"));
    for (index, change) in changes.iter().enumerate() {
        if let Some(text) = change.text() {
            let path = staged(index);
            fs::write(&path, text).map_err(|e| error("can't write", &path, &e))?;
        }
    }
    let moved = (0..).zip(changes).try_for_each(|(index, change)| {
        let path = change.path();
        if !matches!(change, Change::Create { .. }) {
            let backup = stage.path().join(format!("{index}.old"));
            fs::rename(path, &backup).map_err(|e| error("can't replace", path, &e))?;
            undo.moved.push((backup, path.to_owned()));
        }
        if change.text().is_some() {
            fs::rename(staged(index), path).map_err(|e| error("can't write", path, &e))?;
            undo.written.push(path.to_owned());
        }
        Ok(())
    });
    if moved.is_err() {
        // The old files are in the stage: put them back before it goes.
        undo.restore_files()?;
    }
    moved
}

/// The steps done so far, to be taken back if the rest fails.
#[derive(Default)]
struct Undo {
    folders: Vec<PathBuf>,
    written: Vec<PathBuf>,
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Undo {
    fn create_folder(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let missing: Vec<_> = folder.ancestors().take_while(|f| !f.exists()).collect();
        for folder in missing
            .into_iter()
            .rev()
            .filter(|f| !f.as_os_str().is_empty())
        {
            fs::create_dir(folder).map_err(|e| error("can't make the folder", folder, &e))?;
            self.folders.push(folder.to_owned());
        }
        Ok(())
    }

    fn restore_files(&mut self) -> Result<(), Box<dyn Error>> {
        for path in self.written.drain(..) {
            fs::remove_file(&path).map_err(|e| error("can't take back", &path, &e))?;
        }
        for (backup, path) in self.moved.drain(..) {
            fs::rename(&backup, &path).map_err(|e| error("can't put back", &path, &e))?;
        }
        Ok(())
    }

    fn run(mut self) -> Result<(), Box<dyn Error>> {
        self.restore_files()?;
        for folder in self.folders.into_iter().rev() {
            fs::remove_dir(&folder).map_err(|e| error("can't take back", &folder, &e))?;
        }
        Ok(())
    }
}

/// Returns true if there is a file of another text that isn't ours to replace.
fn is_other(path: &Path, text: &str) -> Result<bool, Box<dyn Error>> {
    let old = files::read_if_there(path)?;
    Ok(old.is_some_and(|old| old != text.as_bytes() && !is_ours(&old)))
}

fn is_ours(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(codegen::is_generated)
}

/// The files of a hand-written module of a crate: `src/NAME.rs` or `src/NAME/mod.rs`, and all
/// Rust files below `src/NAME/`. Their paths are relative to the crate; there are none if the
/// module is missing.
pub fn module_files(krate: &Path, path: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let folder = path.trim_end_matches(".rs");
    let mut files = Vec::new();
    if krate.join(path).is_file() {
        files.push(path.to_owned());
    } else if !krate.join(folder).join("mod.rs").is_file() {
        return Ok(files);
    }
    for file in rust_files(&krate.join(folder))? {
        let inside = file.strip_prefix(krate).unwrap_or(&file).components();
        let parts = inside.map(|part| part.as_os_str().to_string_lossy());
        files.push(parts.collect::<Vec<_>>().join("/"));
    }
    Ok(files)
}

/// The Rust files below a folder, which need not exist.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(error("can't read", folder, &e)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| error("can't read", folder, &e))?;
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|e| error("can't read", &path, &e))?;
        if kind.is_dir() {
            files.extend(rust_files(&path)?);
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
