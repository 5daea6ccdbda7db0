//! The files of an output folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::search::{folder_of, plain};

/// Gives each input its place in an output folder: the path that it has below the folder which all
/// named files and folders have in common.
pub(super) struct Destinations<'a> {
    folder: &'a Path,
    /// The named folders, each with its place.
    named: Vec<(&'a Path, PathBuf)>,
    common: PathBuf,
}

/// The reason why a file can't be written to its place.
pub(super) type Refusal = String;

impl<'a> Destinations<'a> {
    /// Finds the folder that all named files and folders have in common.
    ///
    /// # Errors
    ///
    /// When one of them can't be found.
    pub(super) fn new(named: &'a [PathBuf], folder: &'a Path) -> Result<Self, Refusal> {
        let mut common: Option<PathBuf> = None;
        let mut folders = Vec::new();
        for path in named {
            let place = place(path).map_err(|error| format!("{}: {error}", path.display()))?;
            let root = match path.is_dir() {
                true => place.as_path(),
                false => place.parent().unwrap_or(&place),
            };
            common = Some(match common {
                None => root.to_owned(),
                Some(common) => shared(&common, root),
            });
            folders.push((plain(path), place));
        }
        Ok(Self {
            folder,
            named: folders,
            common: common.unwrap_or_default(),
        })
    }

    /// Returns the place of each input in the output folder.
    ///
    /// # Errors
    ///
    /// The reasons why they can't be written there: two have the same place, or it is one of the
    /// inputs or a folder.
    pub(super) fn of<'p>(
        &self,
        paths: impl Iterator<Item = &'p Path>,
    ) -> Result<Vec<PathBuf>, Vec<Refusal>> {
        let paths: Vec<_> = paths.collect();
        let read: BTreeMap<_, _> = paths.iter().filter_map(|path| real(path)).collect();
        let (mut places, mut refusals) = (Vec::new(), Vec::new());
        let mut taken: BTreeMap<PathBuf, &Path> = BTreeMap::new();
        for path in paths {
            let target = self.target(path);
            let (from, to) = (path.display(), target.display());
            if let Some(other) = taken.insert(target.clone(), path) {
                let other = other.display();
                refusals.push(format!("{other} and {from} would both be written to {to}"));
            } else if let Some(source) = real(&target).and_then(|(file, _)| read.get(&file)) {
                let source = source.display();
                refusals.push(format!(
                    "{from} would be written to {to}, which would replace {source}; name another \
                     folder, or see --in-place"
                ));
            } else if target.is_dir() {
                refusals.push(format!(
                    "{from} would be written to {to}, which is a folder"
                ));
            } else if let Some(file) = target.ancestors().skip(1).find(|above| is_file(above)) {
                let file = file.display();
                refusals.push(format!(
                    "{from} would be written to {to}, but {file} is no folder"
                ));
            }
            places.push(target);
        }
        match refusals.is_empty() {
            true => Ok(places),
            false => Err(refusals),
        }
    }

    fn target(&self, path: &Path) -> PathBuf {
        let below = self.named.iter().filter_map(|(named, place)| {
            let rest = plain(path).strip_prefix(named).ok()?;
            Some((rest, place))
        });
        // Of folders in each other, the outer one has found the path, or both have.
        let nearest = below.min_by_key(|(rest, _)| rest.components().count());
        let place = match nearest {
            Some((rest, place)) if rest.as_os_str().is_empty() => place.clone(),
            Some((rest, place)) => place.join(rest),
            None => path.to_owned(),
        };
        let inside = place.strip_prefix(&self.common).unwrap_or(&place);
        self.folder.join(inside)
    }
}

/// Returns the absolute path of a file or folder. If it is a link, it is the path of the link.
fn place(path: &Path) -> io::Result<PathBuf> {
    match path.file_name() {
        Some(name) => Ok(folder_of(path)?.join(name)),
        None => fs::canonicalize(path),
    }
}

/// Returns the folders that two absolute paths begin with.
fn shared(one: &Path, other: &Path) -> PathBuf {
    let pairs = one.components().zip(other.components());
    let same = pairs.take_while(|(one, other)| one == other);
    same.map(|(one, _)| one).collect()
}

/// Returns the file that a path leads to, if there is one, with the path.
fn real(path: &Path) -> Option<(PathBuf, &Path)> {
    Some((fs::canonicalize(path).ok()?, path))
}

fn is_file(path: &Path) -> bool {
    !path.as_os_str().is_empty() && path.exists() && !path.is_dir()
}
