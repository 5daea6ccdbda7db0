//! Keeps volumes mounted and their files up to date with the manifests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tracing::{error, info};

use crate::errors::{Errors, one};
use crate::manifests::Objects;
use crate::node::Node;
use crate::{pods, table};

/// The time without changes before files are read: editors write them in steps.
const QUIET: Duration = Duration::from_millis(100);

/// An event that ends the wait.
enum Event {
    Stop(Signal),
    Changed,
}

/// Blocks SIGINT and SIGTERM in this thread and those that it starts, and returns them.
pub(crate) fn block_signals() -> Result<SigSet, Errors> {
    let signals: SigSet = [Signal::SIGINT, Signal::SIGTERM].into_iter().collect();
    signals.thread_block().map_err(one)?;
    Ok(signals)
}

/// Mounts, follows the manifests, and unmounts at the end.
pub(crate) fn run(
    node: &Node,
    paths: &[PathBuf],
    interval: u64,
    signals: &SigSet,
) -> Result<(), Errors> {
    let (sender, events) = mpsc::channel();
    wait_for(signals, sender.clone());
    // Before the volumes are mounted: what changes meanwhile is seen.
    let _watcher = watch(paths, sender)?;
    reread(node, paths);
    let mounted = pods::mount_all(node, false);
    table::print(&mounted.volumes);
    log(&mounted.errors);
    let signal = follow(node, paths, Duration::from_secs(interval), &events);
    info!("{signal}: unmounting");
    node.unmount(&[])
}

/// Reports the first signal.
fn wait_for(signals: &SigSet, sender: Sender<Event>) {
    let signals = *signals;
    thread::spawn(move || {
        if let Ok(signal) = signals.wait() {
            // The receiver lives as long as the program.
            let _ = sender.send(Event::Stop(signal));
        }
    });
}

/// Watches the folders of the paths: a file may be replaced by another one.
fn watch(paths: &[PathBuf], sender: Sender<Event>) -> Result<RecommendedWatcher, Errors> {
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading the files isn't a change.
        if event.is_ok_and(|event| !event.kind.is_access()) {
            let _ = sender.send(Event::Changed);
        }
    })
    .map_err(one)?;
    let folders: BTreeSet<&Path> = paths.iter().map(|path| folder(path)).collect();
    for folder in folders {
        watcher
            .watch(folder, RecursiveMode::NonRecursive)
            .map_err(one)?;
    }
    Ok(watcher)
}

fn folder(path: &Path) -> &Path {
    if path.is_dir() {
        return path;
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Sets volumes up again when the manifests change and when the interval is over, until a signal.
fn follow(node: &Node, paths: &[PathBuf], interval: Duration, events: &Receiver<Event>) -> Signal {
    let mut due = Instant::now() + interval;
    loop {
        match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(Event::Stop(signal)) => return signal,
            Ok(Event::Changed) => {
                if let Some(signal) = until_quiet(events) {
                    return signal;
                }
                reread(node, paths);
            }
            Err(RecvTimeoutError::Timeout) => due = Instant::now() + interval,
            // The thread of the signals is gone.
            Err(RecvTimeoutError::Disconnected) => return Signal::SIGTERM,
        }
        unmount_gone(node);
        log(&pods::mount_all(node, false).errors);
    }
}

/// Waits until nothing has changed for a while. Returns a signal that comes meanwhile.
fn until_quiet(events: &Receiver<Event>) -> Option<Signal> {
    loop {
        match events.recv_timeout(QUIET) {
            Ok(Event::Stop(signal)) => return Some(signal),
            Ok(Event::Changed) => {}
            Err(_) => return None,
        }
    }
}

/// Reads the manifests. Those that were read before stay if one is wrong.
fn reread(node: &Node, paths: &[PathBuf]) {
    match Objects::read(paths) {
        Ok(objects) => node.set_objects(objects),
        Err(errors) => log(&errors),
    }
}

/// Unmounts the Pods that are no longer in the manifests, or have ended.
fn unmount_gone(node: &Node) {
    let objects = node.objects();
    let kept = objects
        .pods
        .values()
        .filter(|from| !pods::has_ended(&from.pod));
    let uids = kept.filter_map(|from| from.pod.metadata.uid.clone());
    let uids: BTreeSet<String> = uids.collect();
    match node.host.pods_on_disk() {
        Ok(on_disk) => {
            for uid in on_disk.iter().filter(|uid| !uids.contains(*uid)) {
                if let Err(errors) = node.unmount_pod(uid) {
                    log(&errors);
                }
            }
        }
        Err(failed) => error!("{failed}"),
    }
    if let Err(failed) = node.unmount_devices() {
        error!("{failed}");
    }
}

fn log(errors: &[String]) {
    for failed in errors {
        error!("{failed}");
    }
}
