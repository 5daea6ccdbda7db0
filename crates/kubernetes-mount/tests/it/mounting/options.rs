//! Options, names of paths, and sensitive options in texts.

use std::error::Error as _;
use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kubernetes_mount::Error;
use kubernetes_mount::exec::{Exec, ExecError, Output, shown};
use kubernetes_mount::mount::{LinuxMounter, Mount, bind_options, path_within_base};
use proptest::prelude::*;
use tracing::field::{Field, Visit};
use tracing::span;

use super::tools::{Dir, mounter};

#[test]
fn bind_mounts_are_done_twice() {
    type Row = (
        &'static [&'static str],
        Option<(&'static [&'static str], &'static [&'static str])>,
    );
    let rows: &[Row] = &[
        (&[], None),
        (&["vers=2", "ro", "_netdev"], None),
        (&["remount", "ro"], None),
        (&["bind"], Some((&["bind"], &["bind", "remount"]))),
        (
            &["ro", "bind"],
            Some((&["bind"], &["bind", "remount", "ro"])),
        ),
        (
            &["rbind", "ro"],
            Some((&["rbind"], &["bind", "remount", "ro"])),
        ),
        (
            &["bind", "vers=2", "ro", "_netdev"],
            Some((
                &["bind", "_netdev"],
                &["bind", "remount", "vers=2", "ro", "_netdev"],
            )),
        ),
        (
            &["bind", "remount", "ro"],
            Some((&["bind"], &["bind", "remount", "ro"])),
        ),
    ];
    for (options, expected) in rows {
        let found = bind_options(options);
        let expected = expected.map(|(bind, remount)| (bind.to_vec(), remount.to_vec()));
        let found = found.as_ref().map(|found| {
            let plain = |options: &[String]| -> Vec<String> { options.to_vec() };
            (plain(&found.bind), plain(&found.remount))
        });
        let expected = expected.map(|(bind, remount)| {
            let owned = |options: Vec<&str>| options.iter().map(ToString::to_string).collect();
            (owned(bind), owned(remount))
        });
        assert_eq!(found, expected, "{options:?}");
    }
}

#[test]
fn a_path_is_within_its_base_by_name() {
    let rows = [
        ("/var/lib/pods", "/var/lib", true),
        ("/var/lib", "/var/lib", true),
        ("/var/lib/", "/var/lib", true),
        ("/var/lib", "/var/lib/", true),
        ("/", "/", true),
        ("/a", "/", true),
        ("/var/library", "/var/lib", false),
        ("/var", "/var/lib", false),
        ("/var/lib/../log", "/var/lib", false),
        ("/var/lib/../lib/x", "/var/lib", true),
        ("/var/lib/./x//y", "/var/lib", true),
        ("/var/lib/..x", "/var/lib", true),
        ("/var/lib/x..", "/var/lib", true),
        ("/../var/lib", "/var/lib", true),
        ("/var/lib/a", "/var/lib/b/..", true),
        ("var/lib", "/var", false),
        ("/var/lib", "var", false),
        ("var/lib", "var", true),
        ("../var", "var", false),
        ("a/../../var", "var", false),
    ];
    for (path, base, expected) in rows {
        let found = path_within_base(Path::new(path), Path::new(base));
        assert_eq!(found, expected, "{path} in {base}");
    }
}

#[test]
fn options_that_are_wrong_are_errors() {
    let dir = Dir::new();
    let (source, target) = (Path::new("tmpfs"), dir.path());
    let too_long = "x".repeat(1 << 16);
    let rows: &[(&str, &[&str], &str)] = &[
        ("tmpfs", &["a\0b"], "zero byte"),
        ("tmpfs", &["loop"], "loop device"),
        ("tmpfs", &["ro,loop=/dev/loop0"], "loop device"),
        ("tmpfs", &["move"], "mount(8)"),
        ("tmpfs", &["X-mount.mkdir"], "mount(8)"),
        ("tmpfs", &[&too_long], "the kernel reads less than"),
        ("", &["ro"], "needs the type"),
        ("../../bin/sh", &[], "letters, digits"),
        ("-t", &[], "letters, digits"),
    ];
    for (fs_type, options, text) in rows {
        let error = mounter()
            .mount(source, target, fs_type, options)
            .unwrap_err();
        assert!(error.to_string().contains(text), "{options:?}: {error}");
        assert!(error.is_final());
    }
}

/// Fails in one of the ways that there are, with all arguments in its texts.
struct Telltale(u8);

impl Exec for Telltale {
    fn run(&self, program: &Path, args: &[&OsStr], limit: Duration) -> Result<Output, ExecError> {
        let command = shown(program, args);
        // So that the shortened text ends inside of the options.
        let long = format!("{} {command}", "-".repeat(960));
        let status = ExitStatus::from_raw(32 << 8);
        match self.0 {
            0 => Err(ExecError::Start {
                command,
                source: std::io::ErrorKind::NotFound.into(),
            }),
            1 => Err(ExecError::TimedOut { command, limit }),
            2 => Err(ExecError::Failed {
                command: command.clone(),
                status,
                output: command,
            }),
            3 => Err(ExecError::BadOutput {
                reason: command.clone(),
                output: command.clone(),
                command,
            }),
            4 => Ok(Output {
                status,
                stdout: command.into(),
                stderr: Vec::new(),
            }),
            _ => Ok(Output {
                status,
                stdout: Vec::new(),
                stderr: long.into(),
            }),
        }
    }
}

/// Keeps all that is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Visit for Log {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        attributes.record(&mut self.clone());
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        values.record(&mut self.clone());
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// All texts of an error, and of those behind it.
fn texts(error: &Error) -> String {
    let mut texts = format!("{error} {error:?}");
    let mut next = error.source();
    while let Some(error) = next {
        write!(texts, " {error} {error:?}").unwrap();
        next = error.source();
    }
    texts
}

/// The number of cases; each makes files.
fn cases() -> ProptestConfig {
    let cases = root_tests::setting("VOLUME_SECRET_CASES", 64);
    ProptestConfig::with_cases(u32::try_from(cases).unwrap())
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn sensitive_options_are_in_no_text(
        way in 0..6_u8,
        names in prop::collection::vec("[a-z]{0,9}", 1..4),
        value in "[a-zA-Z0-9 =,\"#.ä-]{0,24}",
        overlap in "[0-9]{0,3}",
    ) {
        let dir = Dir::new();
        dir.file("mount.secretfs", "");
        let value = format!("s3cr3t{overlap}{value}{overlap}s3cr3t{overlap}");
        let options: Vec<String> =
            names.iter().map(|name| format!("{name}={value}")).chain([value.clone()]).collect();
        let sensitive: Vec<&str> = options.iter().map(String::as_str).collect();
        let log = Log::default();
        let mount = |mounter: &LinuxMounter, target: &Path, options: &[&str]| {
            mounter.mount_sensitive(Path::new("host:/a"), target, "secretfs", options, &sensitive)
        };
        let fails = tracing::subscriber::with_default(log.clone(), || {
            let helped = LinuxMounter::new()
                .with_helper_dirs(vec![dir.path().to_owned()])
                .with_exec(Arc::new(Telltale(way)), Duration::from_secs(1));
            let long = "x".repeat(1 << 16);
            [
                mount(&helped, dir.path(), &["ro"]),
                mount(&mounter(), dir.path(), &["ro"]),
                mount(&mounter(), dir.path(), &["remount"]),
                mount(&mounter(), &dir.path().join("none"), &["bind"]),
                mount(&mounter(), dir.path(), &["loop"]),
                mount(&mounter(), dir.path(), &[&long]),
            ]
        });
        for fail in fails {
            let text = texts(&fail.unwrap_err());
            // Nor any part of the value that could be told apart.
            prop_assert!(!text.contains("s3cr3t"), "{}", text);
        }
        let log = log.0.lock().unwrap();
        prop_assert!(!log.contains("s3cr3t"), "{}", *log);
        prop_assert!(log.contains("<masked>"), "{}", *log);
    }
}

#[test]
fn the_mask_is_seen_in_the_text() {
    let dir = Dir::new();
    let rows: &[(&[&str], &[&str], &str)] = &[
        (&["ro"], &["password=hunter2"], r#"options "ro,<masked>""#),
        (
            &["ro", "a"],
            &["b", "c"],
            r#"options "ro,a,<masked>,<masked>""#,
        ),
        (&[], &["b", "c"], r#"options "<masked>,<masked>""#),
        (&["ro", "a"], &[], r#"options "ro,a""#),
        (&[], &[], r#"options """#),
    ];
    for (options, sensitive, shown) in rows {
        let error = mounter()
            .mount_sensitive(Path::new("a"), dir.path(), "secretfs", options, sensitive)
            .unwrap_err();
        assert!(error.to_string().contains(shown), "{shown}: {error}");
    }
}
