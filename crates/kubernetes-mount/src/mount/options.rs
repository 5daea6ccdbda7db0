//! Mount options: which are flags of `mount(2)`, and which are for the file system.

use rustix::mount::{MountFlags, MountPropagationFlags};

use crate::masking::MASKED;
use crate::{Error, Result};

/// The options of the two steps of a bind mount: the kernel ignores most options of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BindOptions {
    /// The options of the first mount.
    pub bind: Vec<String>,
    /// The options of the second, a remount.
    pub remount: Vec<String>,
}

/// Returns how to mount with these options if they ask for a bind mount (`MakeBindOpts`).
///
/// ```
/// let options = kubernetes_mount::mount::bind_options(&["bind", "ro"]).expect("a bind mount");
/// assert_eq!(options.bind, ["bind"]);
/// assert_eq!(options.remount, ["bind", "remount", "ro"]);
/// assert_eq!(kubernetes_mount::mount::bind_options(&["ro"]), None);
/// ```
#[must_use]
pub fn bind_options(options: &[&str]) -> Option<BindOptions> {
    let own = |option: &str| matches!(option, "bind" | "rbind" | "remount");
    let first = *options
        .iter()
        .find(|option| matches!(**option, "bind" | "rbind"))?;
    // Programs read `_netdev` from the table of userspace, so that it belongs to both.
    let network = options.iter().find(|option| **option == "_netdev");
    let rest = options.iter().filter(|option| !own(option));
    Some(BindOptions {
        bind: std::iter::once(&first)
            .chain(network)
            .map(ToString::to_string)
            .collect(),
        remount: ["bind", "remount"]
            .iter()
            .chain(rest)
            .map(ToString::to_string)
            .collect(),
    })
}

/// Returns true if options make a mount read-only: of `ro` and `rw`, the last one wins.
///
/// ```
/// use kubernetes_mount::mount::are_read_only;
///
/// assert!(are_read_only(&["rw", "noatime,ro"]));
/// assert!(!are_read_only(&["ro", "rw"]));
/// ```
#[must_use]
pub fn are_read_only(options: &[&str]) -> bool {
    let mut all = options.iter().flat_map(|options| options.split(','));
    all.rfind(|option| matches!(*option, "ro" | "rw")) == Some("ro")
}

/// Returns the mount option that gives all files an SELinux label (`AddSELinuxMountOption`), quoted
/// because a label can have commas.
///
/// ```
/// let option = kubernetes_mount::mount::selinux_mount_option("u:r:t:s0:c1,c2");
/// assert_eq!(option, "context=\"u:r:t:s0:c1,c2\"");
/// ```
#[must_use]
pub fn selinux_mount_option(label: &str) -> String {
    format!("context={label:?}")
}

/// All times of access: of these the last one holds.
const ATIME: MountFlags = MountFlags::NOATIME
    .union(MountFlags::RELATIME)
    .union(MountFlags::STRICTATIME);

/// The options that are flags, and those that take a flag back.
const FLAGS: &[(&str, &str, MountFlags)] = &[
    ("ro", "rw", MountFlags::RDONLY),
    ("nosuid", "suid", MountFlags::NOSUID),
    ("nodev", "dev", MountFlags::NODEV),
    ("noexec", "exec", MountFlags::NOEXEC),
    ("sync", "async", MountFlags::SYNCHRONOUS),
    ("dirsync", "", MountFlags::DIRSYNC),
    ("noatime", "atime", MountFlags::NOATIME),
    ("relatime", "norelatime", MountFlags::RELATIME),
    ("strictatime", "nostrictatime", MountFlags::STRICTATIME),
    ("nodiratime", "diratime", MountFlags::NODIRATIME),
    ("lazytime", "nolazytime", MountFlags::LAZYTIME),
    ("mand", "nomand", MountFlags::PERMIT_MANDATORY_FILE_LOCKING),
    ("silent", "loud", MountFlags::SILENT),
    ("nosymfollow", "symfollow", MountFlags::NOSYMFOLLOW),
];

const PROPAGATION: &[(&str, MountPropagationFlags, bool)] = &[
    ("shared", MountPropagationFlags::SHARED, false),
    ("rshared", MountPropagationFlags::SHARED, true),
    ("private", MountPropagationFlags::PRIVATE, false),
    ("rprivate", MountPropagationFlags::PRIVATE, true),
    ("slave", MountPropagationFlags::DOWNSTREAM, false),
    ("rslave", MountPropagationFlags::DOWNSTREAM, true),
    ("unbindable", MountPropagationFlags::UNBINDABLE, false),
    ("runbindable", MountPropagationFlags::UNBINDABLE, true),
];

/// The options that only `fstab`, mount(8) and systemd read.
const USERSPACE: &[&str] = &[
    "defaults", "auto", "noauto", "nofail", "nouser", "nousers", "noowner", "nogroup", "_netdev",
];

/// Options, sorted by who they are for.
pub(super) struct Parsed {
    /// The flags to set.
    pub(super) set: MountFlags,
    /// The flags to take back from what is mounted, for remounts.
    pub(super) clear: MountFlags,
    pub(super) bind: bool,
    pub(super) recursive: bool,
    pub(super) remount: bool,
    /// The propagation to set after mounting, in this order.
    pub(super) propagation: Vec<MountPropagationFlags>,
    /// The options for the file system, sensitive ones among them.
    pub(super) data: Vec<String>,
    /// The options for a helper: all but [`USERSPACE`], sensitive ones among them.
    pub(super) helper: Vec<String>,
}

/// Returns the options, sorted by who they are for.
///
/// # Errors
///
/// When an option needs more than a system call. The text has no sensitive option.
pub(super) fn parse(options: &[&str], sensitive: &[&str]) -> Result<Parsed> {
    let mut parsed = Parsed {
        set: MountFlags::empty(),
        clear: MountFlags::empty(),
        bind: false,
        recursive: false,
        remount: false,
        propagation: Vec::new(),
        data: Vec::new(),
        helper: Vec::new(),
    };
    for option in options.iter().chain(sensitive) {
        if option.contains('\0') {
            return Err(Error::invalid("a mount option has a zero byte"));
        }
        for option in parts(option) {
            parsed.add(option)?;
        }
    }
    Ok(parsed)
}

impl Parsed {
    fn add(&mut self, option: &str) -> Result<()> {
        if USERSPACE.contains(&option) || option.starts_with("x-") || option.starts_with("comment=")
        {
            return Ok(());
        }
        if option == "loop" || option.starts_with("loop=") {
            let what = "the mount option loop (attach the file to a loop device first)";
            return Err(Error::NotSupported(what.to_owned()));
        }
        if option == "move" || option.starts_with("X-") {
            let what = "a mount option of mount(8) alone, such as move or X-mount.mkdir,";
            return Err(Error::NotSupported(what.to_owned()));
        }
        self.helper.push(option.to_owned());
        match option {
            "bind" => self.bind = true,
            "rbind" => (self.bind, self.recursive) = (true, true),
            "remount" => self.remount = true,
            "user" | "users" => {
                self.add_flags(MountFlags::NOEXEC | MountFlags::NOSUID | MountFlags::NODEV);
            }
            "owner" | "group" => self.add_flags(MountFlags::NOSUID | MountFlags::NODEV),
            _ => self.add_flag(option),
        }
        Ok(())
    }

    fn add_flag(&mut self, option: &str) {
        if let Some((_, flag, recursive)) = PROPAGATION.iter().find(|row| row.0 == option) {
            let all = if *recursive {
                MountPropagationFlags::REC
            } else {
                MountPropagationFlags::empty()
            };
            self.propagation.push(*flag | all);
        } else if let Some((_, _, flag)) = FLAGS.iter().find(|row| row.0 == option) {
            self.add_flags(*flag);
        } else if let Some((_, _, flag)) = FLAGS.iter().find(|row| row.1 == option) {
            self.set.remove(*flag);
            self.clear.insert(*flag);
        } else {
            self.data.push(option.to_owned());
        }
    }

    fn add_flags(&mut self, flags: MountFlags) {
        if flags.intersects(ATIME) {
            self.set.remove(ATIME);
            self.clear.insert(ATIME);
        }
        self.clear.remove(flags);
        self.set.insert(flags);
    }

    /// Returns true if the options only change the propagation of a mount.
    pub(super) fn only_propagation(&self) -> bool {
        !self.propagation.is_empty()
            && !self.bind
            && !self.remount
            && self.set.is_empty()
            && self.clear.is_empty()
            && self.data.is_empty()
    }

    /// Returns the flags that a remount has to set: those of the mount, changed by the options.
    pub(super) fn over(&self, existing: MountFlags) -> MountFlags {
        let flags = existing.difference(self.clear).union(self.set);
        if flags.intersects(ATIME) {
            return flags;
        }
        // The default of a new mount. The kernel would keep all of these flags that the mount has.
        flags.union(MountFlags::RELATIME)
    }
}

/// Returns the flags of a mount from its options in the table of mounts, which has no word for
/// strict access times.
pub(super) fn flags_of_mount(options: &[String]) -> MountFlags {
    let flags = flags_of(options);
    if flags.intersects(ATIME) {
        return flags;
    }
    flags.union(MountFlags::STRICTATIME)
}

/// Returns the flags among options of the table of mounts.
pub(super) fn flags_of(options: &[String]) -> MountFlags {
    let flags = options
        .iter()
        .filter_map(|option| FLAGS.iter().find(|row| row.0 == option));
    flags.fold(MountFlags::empty(), |all, (_, _, flag)| all.union(*flag))
}

/// Returns the options for messages, with a mask for the sensitive ones.
pub(super) fn displayed(options: &[&str], sensitive: &[&str]) -> String {
    let masked = sensitive.iter().map(|_| MASKED);
    options
        .iter()
        .copied()
        .chain(masked)
        .collect::<Vec<_>>()
        .join(",")
}

/// Splits at commas outside of double quotes, which SELinux contexts have.
fn parts(options: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    let split = options.split(move |char| {
        quoted ^= char == '"';
        char == ',' && !quoted
    });
    split.filter(|option| !option.is_empty())
}
