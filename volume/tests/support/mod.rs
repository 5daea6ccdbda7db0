//! What tests of several files need.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    dead_code,
    missing_docs
)]

use std::io::Write;
use std::thread;

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

/// Runs a test that mounts, as root, in a mount namespace of its own.
///
/// Without root it says so on standard error, past the test harness, and does nothing. With
/// `VOLUME_TESTS_NEED_ROOT=1`, which CI sets, that is a failure.
///
/// The namespace is that of one new thread and of the threads and processes that it starts:
/// `/proc/self` is another one, `/proc/thread-self` is right.
pub(crate) fn as_root(test: impl FnOnce() + Send) {
    if !nix::unistd::geteuid().is_root() {
        let name = thread::current().name().unwrap_or("a test").to_owned();
        let needed = std::env::var_os("VOLUME_TESTS_NEED_ROOT").is_some();
        assert!(!needed, "{name} needs root");
        // The harness keeps what `eprintln!` prints of a test that passes.
        let _ = writeln!(std::io::stderr(), "left out, needs root: {name}");
        return;
    }
    thread::scope(|scope| {
        let test = scope.spawn(|| {
            unshare(CloneFlags::CLONE_NEWNS).unwrap();
            // What is mounted here shall not appear outside.
            let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
            mount(None::<&str>, "/", None::<&str>, private, None::<&str>).unwrap();
            test();
        });
        if let Err(panic) = test.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Returns a number from the environment: how much a test does, in full or in short.
pub(crate) fn setting(name: &str, short: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => {
            text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text:?}"))
        }
        Err(_) => short,
    }
}
