//! The files below a Pod's directory, in a form in which two sides can be compared.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use kubernetes_volume::mount::parse_mount_info;
use serde_json::Value;

use super::bundles;
use super::random::FILES;

/// Each path, with what is there in words.
pub(crate) type Tree = BTreeMap<String, String>;

/// The paths that differ between the sides, and what is written instead.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The root directory, as the side names it.
    pub(crate) root: PathBuf,
    /// The folder of the node's files, as the side names it.
    pub(crate) files: PathBuf,
    /// The prefix under which these paths are seen from here.
    pub(crate) prefix: PathBuf,
    /// The mount points of the side.
    pub(crate) mount_info: PathBuf,
}

impl Places {
    /// A side's root directory and the folder of its node's files, with how to see them.
    pub(crate) fn new(root: &Path, files: &Path, prefix: PathBuf, mount_info: PathBuf) -> Self {
        Self {
            root: root.to_owned(),
            files: files.to_owned(),
            prefix,
            mount_info,
        }
    }

    /// The directory of a Pod, as the side names it.
    pub(crate) fn pod(&self, uid: &str) -> PathBuf {
        self.root.join("pods").join(uid)
    }

    /// All that is in the directory of a Pod, but for what only a kubelet keeps there: the hosts
    /// file and the logs of containers.
    pub(crate) fn pod_tree(&self, uid: &str) -> Tree {
        let mut tree = self.tree(&self.pod(uid));
        tree.retain(|path, _| path != "etc-hosts" && path.split('/').next() != Some("containers"));
        tree
    }

    /// The volumes in the directory of a Pod that has ended: directories above them may stay until
    /// it is deleted.
    pub(crate) fn ended_tree(&self, uid: &str) -> Tree {
        let mut tree = self.pod_tree(uid);
        tree.retain(|path, _| path.starts_with("volume") && path.split('/').count() > 2);
        tree
    }

    /// A text without the side's own paths.
    pub(crate) fn neutral(&self, text: &str) -> String {
        let text = text.replace(&*self.root.to_string_lossy(), "ROOT");
        text.replace(&*self.files.to_string_lossy(), "FILES")
    }

    /// A manifest with the side's own paths of the node's files.
    pub(crate) fn own(&self, manifest: &Value) -> String {
        let files = self.files.to_string_lossy();
        manifest.to_string().replace(FILES, &files)
    }

    /// A path as seen from here.
    pub(crate) fn seen(&self, path: &Path) -> PathBuf {
        self.prefix.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// All that is below a directory, with its mounts. Nothing if there is none.
    pub(crate) fn tree(&self, dir: &Path) -> Tree {
        let mounts = self.mounts(dir);
        let mut tree = Tree::new();
        let mut open = vec![dir.to_owned()];
        while let Some(path) = open.pop() {
            let Ok(metadata) = fs::symlink_metadata(self.seen(&path)) else {
                continue;
            };
            if metadata.is_dir() {
                let entries = fs::read_dir(self.seen(&path)).into_iter().flatten();
                let names = entries.flatten().map(|entry| entry.file_name());
                open.extend(names.map(|name| path.join(name)));
            }
            let mut text = self.describe(&path, &metadata);
            for mount in mounts.get(&path).into_iter().flatten() {
                text = format!("{text}, mounted: {mount}");
            }
            let below = path.strip_prefix(dir).unwrap();
            let below = below.iter().map(|part| payload(&part.to_string_lossy()));
            tree.insert(below.collect::<Vec<_>>().join("/"), text);
        }
        tree
    }

    /// Type, mode, owners and content.
    fn describe(&self, path: &Path, metadata: &fs::Metadata) -> String {
        let kind = metadata.file_type();
        let (mode, uid, gid) = (metadata.mode() & 0o7777, metadata.uid(), metadata.gid());
        let owned = format!("{mode:04o} {uid}:{gid}");
        if kind.is_dir() {
            format!("directory {owned}")
        } else if kind.is_symlink() {
            let to = fs::read_link(self.seen(path)).unwrap_or_default();
            let to = payload(&self.neutral(&to.to_string_lossy()));
            format!("link {uid}:{gid} to {to}")
        } else if kind.is_file() {
            let content = fs::read(self.seen(path)).unwrap_or_default();
            let content = content_of(path, content);
            format!("file {owned} {} bytes {content:?}", content.len())
        } else if kind.is_fifo() {
            format!("fifo {owned}")
        } else {
            format!("special file {owned}")
        }
    }

    /// The mounts at and below a directory, by their mount points.
    fn mounts(&self, dir: &Path) -> BTreeMap<PathBuf, Vec<String>> {
        let mut found = BTreeMap::<_, Vec<_>>::new();
        let table = fs::read(&self.mount_info).unwrap_or_default();
        for mount in parse_mount_info(&table).unwrap() {
            if !mount.mount_point.starts_with(dir) {
                continue;
            }
            // Names of groups are numbers.
            let propagation = mount.optional_fields.iter();
            let propagation = propagation.map(|field| field.split(':').next().unwrap());
            let propagation: Vec<_> = propagation.collect();
            let root = payload(&self.neutral(&mount.root.to_string_lossy()));
            let options = [&mount.mount_options, &mount.super_options].map(|all| all.join(","));
            let text = format!(
                "{} of {root}, {}, {}, propagation {propagation:?}",
                mount.fs_type, options[0], options[1]
            );
            found.entry(mount.mount_point).or_default().push(text);
        }
        found
    }
}

/// A path with the name of the folder of a payload, which is a time, as `..payload`.
fn payload(path: &str) -> String {
    let parts = path.split('/').map(|part| {
        let is_time = part.starts_with("..2") || part.starts_with("..1");
        if is_time { "..payload" } else { part }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// The content of a file: a token becomes what it is, certificates are sorted, and the kubelet's
/// own annotations are left out.
fn content_of(path: &Path, content: Vec<u8>) -> String {
    let text = match String::from_utf8(content) {
        Ok(text) => text,
        Err(binary) => return format!("{:?}", binary.as_bytes()),
    };
    // A token of JSON: header, claims, signature.
    if text.starts_with("eyJ") && text.matches('.').count() == 2 {
        return "a token".to_owned();
    }
    if text.starts_with("-----BEGIN ") {
        return bundles::sorted(&text);
    }
    if path.file_name().is_some_and(is_annotations) {
        let own = |line: &&str| !line.starts_with("kubernetes.io/config.s");
        return text.lines().filter(own).collect::<Vec<_>>().join("\n");
    }
    text
}

/// The files of annotations have this name in all random Pods.
fn is_annotations(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("annotations")
}
