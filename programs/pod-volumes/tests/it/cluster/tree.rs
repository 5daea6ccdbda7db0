//! What is below a Pod's directory, in a form in which two sides can be compared.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Each path, with what is there in words.
pub(crate) type Tree = BTreeMap<String, String>;

/// The paths that differ between the sides, and what is written instead.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) root: PathBuf,
    pub(crate) files: PathBuf,
    /// The root directory and the folder of the node's files, as the side names them.
    pub(crate) replaced: Vec<(String, &'static str)>,
    /// What is before these paths to see them from here.
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
            replaced: vec![
                (root.display().to_string(), "ROOT"),
                (files.display().to_string(), "FILES"),
            ],
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
        let mut text = text.to_owned();
        for (from, to) in &self.replaced {
            text = text.replace(from, to);
        }
        text
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
        let text = fs::read_to_string(&self.mount_info).unwrap_or_default();
        for line in text.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let point = PathBuf::from(words[4].replace("\\040", " "));
            if !point.starts_with(dir) {
                continue;
            }
            let end = words.iter().position(|word| *word == "-").unwrap();
            let (root, options, propagation) = (words[3], words[5], &words[6..end]);
            let (kind, of_file_system) = (words[end + 1], words[end + 3]);
            // Names of groups are numbers.
            let propagation = propagation
                .iter()
                .map(|word| word.split(':').next().unwrap());
            let propagation: Vec<_> = propagation.collect();
            let root = payload(&self.neutral(root));
            let mount = format!(
                "{kind} of {root}, {options}, {of_file_system}, propagation {propagation:?}"
            );
            found.entry(point).or_default().push(mount);
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

/// The content of a file: a token becomes what it is, and the kubelet's own annotations are left
/// out.
fn content_of(path: &Path, content: Vec<u8>) -> String {
    let text = match String::from_utf8(content) {
        Ok(text) => text,
        Err(binary) => return format!("{:?}", binary.as_bytes()),
    };
    // A token of JSON: header, claims, signature.
    if text.starts_with("eyJ") && text.matches('.').count() == 2 {
        return "a token".to_owned();
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
