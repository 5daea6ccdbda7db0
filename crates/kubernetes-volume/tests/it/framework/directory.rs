//! Plugins that are programs in a folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kubernetes_volume::Error;
use kubernetes_volume::probe::{DirectoryProber, DynamicPluginProber};

use super::fake::Plugin;

/// The time that the system may take to report a change, before a test fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn prober(folder: &Path) -> DirectoryProber {
    let mut prober = DirectoryProber::new(folder, |driver| {
        assert!(driver.executable.is_file());
        if driver.plugin_name.ends_with("broken") {
            return Err(Error::invalid("it prints nothing"));
        }
        Ok(Plugin::new(&driver.plugin_name, "").boxed())
    });
    prober.init().unwrap();
    prober
}

fn install(folder: &Path, dir: &str, program: &str) {
    fs::create_dir_all(folder.join(dir)).unwrap();
    let path = folder.join(dir).join(program);
    fs::write(&path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Returns what is reported of a change, as soon as something is, and that nothing follows.
fn events(prober: &mut DirectoryProber) -> Vec<String> {
    let start = Instant::now();
    let mut events = Vec::new();
    while events.is_empty() {
        assert!(start.elapsed() < PATIENCE, "nothing was reported");
        thread::sleep(Duration::from_millis(50));
        events = prober.probe().unwrap();
    }
    thread::sleep(Duration::from_millis(50));
    assert!(prober.probe().unwrap().is_empty());
    events.iter().map(|event| format!("{event:?}")).collect()
}

#[test]
fn a_driver_that_is_there_is_one_event() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "example.com~nas", "nas");
    install(folder.path(), "local", "local");
    let mut prober = prober(folder.path());
    assert_eq!(
        events(&mut prober),
        [
            r#"AddOrUpdate("example.com/nas")"#,
            r#"AddOrUpdate("local")"#
        ]
    );
}

#[test]
fn changes_before_a_probe_are_one_event() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "example.com~nas", "nas");
    let mut prober = prober(folder.path());
    for _ in 0..5 {
        install(folder.path(), "example.com~san", "san");
    }
    let both = [
        r#"AddOrUpdate("example.com/nas")"#,
        r#"AddOrUpdate("example.com/san")"#,
    ];
    assert_eq!(events(&mut prober), both);
}

#[test]
fn what_is_no_driver_is_none() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), ".example.com~hidden", "hidden");
    install(folder.path(), "example.com~other", "another-name");
    install(folder.path(), "example.com~plain", "plain");
    let plain = folder.path().join("example.com~plain/plain");
    fs::set_permissions(plain, fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir_all(folder.path().join("example.com~dir/dir")).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    install(folder.path(), "example.com~broken", "broken");
    assert!(prober(folder.path()).probe().unwrap().is_empty());
}

/// Without a change of its files, also when an older one of the same name is there.
#[test]
fn a_plugin_that_failed_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "example.com~nas", "nas");
    let works = Arc::new(AtomicBool::new(false));
    let now = works.clone();
    let mut prober = DirectoryProber::new(folder.path(), move |driver| {
        match now.load(Ordering::Relaxed) {
            true => Ok(Plugin::new(&driver.plugin_name, "").boxed()),
            false => Err(Error::invalid("it prints nothing")),
        }
    });
    prober.init().unwrap();
    assert!(prober.probe().unwrap().is_empty());
    works.store(true, Ordering::Relaxed);
    let added = [r#"AddOrUpdate("example.com/nas")"#];
    assert_eq!(events(&mut prober), added);
    prober.failed("example.com/nas");
    prober.failed("example.com/unknown");
    assert_eq!(events(&mut prober), added);
    prober.failed("example.com/nas");
    fs::remove_dir_all(folder.path().join("example.com~nas")).unwrap();
    assert_eq!(events(&mut prober), [r#"Remove("example.com/nas")"#]);
}

#[test]
fn each_change_of_a_driver_is_one_event() {
    let folder = tempfile::tempdir().unwrap();
    let mut prober = prober(folder.path());
    assert!(prober.probe().unwrap().is_empty());
    let added = [r#"AddOrUpdate("example.com/nas")"#];
    // Installed as one should.
    install(folder.path(), ".example.com~nas", "nas");
    let dir = folder.path().join("example.com~nas");
    fs::rename(folder.path().join(".example.com~nas"), &dir).unwrap();
    assert_eq!(events(&mut prober), added);
    fs::write(dir.join("nas"), "#!/bin/sh\nexit 1\n").unwrap();
    assert_eq!(events(&mut prober), added);
    fs::create_dir(dir.join("lib")).unwrap();
    assert_eq!(events(&mut prober), added);
    fs::write(dir.join("lib/file"), "").unwrap();
    assert_eq!(events(&mut prober), added);
    fs::remove_dir_all(dir.join("lib")).unwrap();
    assert_eq!(events(&mut prober), added);
    let mut deep = dir.clone();
    for level in 0..10 {
        deep.push(level.to_string());
        fs::create_dir(&deep).unwrap();
        assert_eq!(events(&mut prober), added, "level {level}");
    }
    fs::write(deep.join("file"), "").unwrap();
    assert_eq!(events(&mut prober), added);
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(events(&mut prober), [r#"Remove("example.com/nas")"#]);
}

#[test]
fn a_folder_that_is_removed_is_made_and_watched_again() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("volume-plugins");
    let mut prober = prober(&folder);
    assert!(folder.is_dir());
    install(&folder, "example.com~nas", "nas");
    assert_eq!(events(&mut prober), [r#"AddOrUpdate("example.com/nas")"#]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(events(&mut prober), [r#"Remove("example.com/nas")"#]);
    assert!(folder.is_dir());
    install(&folder, "example.com~san", "san");
    assert_eq!(events(&mut prober), [r#"AddOrUpdate("example.com/san")"#]);
}

#[test]
fn another_folder_in_its_place_is_watched() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("volume-plugins");
    let mut prober = prober(&folder);
    assert!(prober.probe().unwrap().is_empty());
    let other = parent.path().join("other");
    install(&other, "example.com~nas", "nas");
    fs::rename(&folder, parent.path().join("old")).unwrap();
    fs::rename(&other, &folder).unwrap();
    assert_eq!(events(&mut prober), [r#"AddOrUpdate("example.com/nas")"#]);
    install(&folder, "example.com~san", "san");
    assert_eq!(events(&mut prober), [r#"AddOrUpdate("example.com/san")"#]);
}
