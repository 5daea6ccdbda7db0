//! Plugins that are programs in a folder.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use notify::{RecommendedWatcher, RecursiveMode, Watcher, recommended_watcher};
use tracing::{error, warn};

use super::{DynamicPluginProber, ProbeEvent};
use crate::interfaces::VolumePlugin;
use crate::{Error, Result};

/// A program in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// The name of its plugin, `VENDOR/DRIVER`, or `DRIVER` without a vendor.
    pub plugin_name: String,
    /// The program.
    pub executable: PathBuf,
}

/// Makes the plugin of a program.
type Make = Box<dyn Fn(&Driver) -> Result<Box<dyn VolumePlugin>> + Send>;

/// Finds plugins that are programs in a folder, as the kubelet does with FlexVolumes.
///
/// The program of the plugin `example.com/nas` is `example.com~nas/nas` in the folder, and may be
/// executed. Names that begin with a dot are skipped, so that a driver can be installed under such
/// a name and be renamed. A folder that is missing or removed is made again.
///
/// The folder is watched. After a change, all of it is compared with what it was, so that no change
/// is missed that the system didn't report, and each plugin has one event for all its changes.
pub struct DirectoryProber {
    folder: PathBuf,
    make: Make,
    /// The programs, each with a number that is another one after a change, or with nothing if its
    /// plugin is to be made again.
    known: BTreeMap<String, Option<u64>>,
    watcher: Option<RecommendedWatcher>,
    /// The inode of the folder that is watched: another one may take its place.
    watched: Option<u64>,
    changed: Arc<AtomicBool>,
}

impl std::fmt::Debug for DirectoryProber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("DirectoryProber");
        debug
            .field("folder", &self.folder)
            .field("known", &self.known.keys());
        debug.finish_non_exhaustive()
    }
}

impl DirectoryProber {
    /// Returns a prober of the folder. The function makes the plugin of a program that is new or
    /// has changed; what it refuses is logged, and tried again at the next call of
    /// [`probe`](DynamicPluginProber::probe), as are plugins that can't be initialized.
    pub fn new(
        folder: impl Into<PathBuf>,
        make: impl Fn(&Driver) -> Result<Box<dyn VolumePlugin>> + Send + 'static,
    ) -> Self {
        Self {
            folder: folder.into(),
            make: Box::new(make),
            known: BTreeMap::new(),
            watcher: None,
            watched: None,
            changed: Arc::new(AtomicBool::new(true)),
        }
    }

    /// Makes the folder if it is missing, and watches it.
    fn watch(&mut self) -> Result<()> {
        fs::create_dir_all(&self.folder).map_err(Error::io("make the folder", &self.folder))?;
        let changed = Arc::clone(&self.changed);
        let failed =
            |error: notify::Error| Error::io("watch", &self.folder)(io::Error::other(error));
        // Also an error is a reason to look: some events may be lost.
        let note = move |_: notify::Result<notify::Event>| changed.store(true, Ordering::Release);
        let mut watcher = recommended_watcher(note).map_err(failed)?;
        watcher
            .watch(&self.folder, RecursiveMode::Recursive)
            .map_err(failed)?;
        self.watcher = Some(watcher);
        self.watched = inode(&self.folder);
        // Drivers from before.
        self.changed.store(true, Ordering::Release);
        Ok(())
    }

    /// Returns the programs in the folder, each with a number that is another one after a change.
    fn scan(&self) -> io::Result<BTreeMap<String, (Driver, u64)>> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(&self.folder)? {
            let dir = entry?.path();
            match driver(&dir) {
                Ok(Some((driver, print))) => {
                    found.insert(driver.plugin_name.clone(), (driver, print));
                }
                Ok(None) => {}
                // One that is gone already, or can't be read, hides no other.
                Err(error) => {
                    warn!(path = %dir.display(), %error, "can't look at a plugin")
                }
            }
        }
        Ok(found)
    }
}

impl DynamicPluginProber for DirectoryProber {
    fn init(&mut self) -> Result<()> {
        self.watch()
    }

    fn probe(&mut self) -> Result<Vec<ProbeEvent>> {
        // Before the scan, so that a change during it leads to another one.
        if !self.changed.swap(false, Ordering::AcqRel) {
            return Ok(Vec::new());
        }
        let scanned = self.rescan();
        if scanned.is_err() {
            self.changed.store(true, Ordering::Release);
        }
        scanned
    }

    fn failed(&mut self, plugin_name: &str) {
        if let Some(known) = self.known.get_mut(plugin_name) {
            *known = None;
        }
        self.changed.store(true, Ordering::Release);
    }
}

impl DirectoryProber {
    fn rescan(&mut self) -> Result<Vec<ProbeEvent>> {
        let now = inode(&self.folder);
        if now.is_none() || now != self.watched {
            // A watch of what was removed reports nothing of its successor.
            self.watch()?;
        }
        let found = self.scan().map_err(Error::io("read", &self.folder))?;
        let mut events = Vec::new();
        for name in self.known.keys().filter(|name| !found.contains_key(*name)) {
            events.push(ProbeEvent::Remove { name: name.clone() });
        }
        let mut failed = Vec::new();
        for (name, (driver, print)) in &found {
            if self.known.get(name) == Some(&Some(*print)) {
                continue;
            }
            match (self.make)(driver) {
                Ok(plugin) => events.push(ProbeEvent::AddOrUpdate { plugin }),
                Err(error) => {
                    error!(plugin = name, %error, "a plugin is left out");
                    failed.push(name.clone());
                }
            }
        }
        self.known = found
            .into_iter()
            .map(|(name, (_, print))| (name, Some(print)))
            .collect();
        for name in failed {
            self.failed(&name);
        }
        Ok(events)
    }
}

fn inode(folder: &Path) -> Option<u64> {
    let metadata = fs::metadata(folder).ok()?;
    metadata.is_dir().then(|| metadata.ino())
}

/// Returns the program of a directory, if it has one.
fn driver(dir: &Path) -> io::Result<Option<(Driver, u64)>> {
    let Some(name) = dir.file_name().and_then(OsStr::to_str) else {
        return Ok(None);
    };
    if name.starts_with('.') || !dir.is_dir() {
        return Ok(None);
    }
    let (vendor, driver) = name.split_once('~').unwrap_or(("", name));
    let executable = dir.join(driver);
    let Ok(program) = fs::metadata(&executable) else {
        return Ok(None);
    };
    if !program.is_file() || program.permissions().mode() & 0o111 == 0 {
        return Ok(None);
    }
    let plugin_name = if vendor.is_empty() {
        driver.to_owned()
    } else {
        format!("{vendor}/{driver}")
    };
    let print = print_of(dir)?;
    Ok(Some((
        Driver {
            plugin_name,
            executable,
        },
        print,
    )))
}

/// Returns a number that is another one after any change of a file below a directory.
fn print_of(dir: &Path) -> io::Result<u64> {
    let mut files = vec![];
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            // Not through links: they may lead anywhere.
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                open.push(entry.path());
            }
            files.push((entry.path(), state(&metadata)));
        }
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    Ok(hasher.finish())
}

fn state(metadata: &Metadata) -> [i64; 4] {
    let number = |number: u64| number.cast_signed();
    [
        number(metadata.ino()),
        number(metadata.size()),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ]
}
