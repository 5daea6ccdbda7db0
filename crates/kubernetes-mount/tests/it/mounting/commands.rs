//! Running commands.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use kubernetes_mount::exec::{Exec, ExecError, Local, Output, shortened};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::tools::Dir;

/// Longer than any test takes: what waits for it fails.
const LONG: Duration = Duration::from_secs(60);

fn shell(script: &str, limit: Duration) -> Result<Output, ExecError> {
    Local.run(Path::new("sh"), &["-c".as_ref(), script.as_ref()], limit)
}

fn pid(text: &str) -> Pid {
    Pid::from_raw(text.trim().parse().unwrap()).unwrap()
}

/// Returns true if a process still runs. A zombie has ended.
fn runs(pid: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
    let ended = stat.is_ok_and(|stat| stat.contains(") Z "));
    test_kill_process(pid).is_ok() && !ended
}

#[test]
fn output_and_end_are_returned() {
    let output = shell("printf 'a\\377b'; printf c >&2; exit 3", LONG).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        (&output.stdout[..], &output.stderr[..]),
        (&b"a\xffb"[..], &b"c"[..])
    );

    let output = shell("kill -9 $$", LONG).unwrap();
    assert_eq!(output.status.code(), None);

    let output = shell("exit 0", Duration::MAX).unwrap();
    assert!(output.status.success());
    let output = shell("echo $LC_ALL; cat", LONG).unwrap();
    assert_eq!(
        output.stdout, b"C\n",
        "the language is C, and there is no input"
    );
}

#[test]
fn a_program_that_is_missing_is_an_error() {
    let program = Path::new("/no/such/program");
    match Local.run(program, &["-x".as_ref()], LONG) {
        Err(ExecError::Start { command, source }) => {
            assert_eq!(command, "/no/such/program -x");
            assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn much_output_is_cut_off_and_does_not_block() {
    let script = "head -c 5000000 /dev/zero; head -c 3000000 /dev/zero >&2; exit 4";
    let output = shell(script, LONG).unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        (output.stdout.len(), output.stderr.len()),
        (1 << 20, 1 << 20)
    );
}

#[test]
fn a_command_that_hangs_is_killed_with_what_it_started() {
    let dir = Dir::new();
    let file = dir.path().join("pid");
    let script = format!(
        "sleep 1000 & echo $! > {0}.new; mv {0}.new {0}; wait",
        file.display()
    );
    let mut limit = Duration::from_millis(100);
    // A slow machine needs longer to start it.
    let grandchild = loop {
        match shell(&script, limit) {
            Err(ExecError::TimedOut { limit: said, .. }) => assert_eq!(said, limit),
            other => panic!("{other:?}"),
        }
        match fs::read_to_string(&file) {
            Ok(text) => break pid(&text),
            Err(_) => limit *= 2,
        }
    };
    while runs(grandchild) {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_daemon_keeps_nobody_waiting_and_runs_on() {
    let dir = Dir::new();
    let (go, done) = (dir.path().join("go"), dir.path().join("done"));
    // The daemon has the pipes, and prints more than they take after its parent has ended.
    let script = format!(
        "(while ! [ -e {} ]; do sleep 0.01; done; head -c 300000 /dev/zero; echo x >&2; \
         echo > {}; exec sleep 1000) & echo $!; head -c 60000 /dev/zero >&2",
        go.display(),
        done.display(),
    );
    let output = shell(&script, LONG).unwrap();
    assert!(output.status.success());
    assert_eq!(
        output.stderr.len(),
        60000,
        "all that the parent has printed"
    );
    let daemon = pid(std::str::from_utf8(&output.stdout).unwrap());
    fs::write(&go, "").unwrap();
    while !done.exists() {
        assert!(runs(daemon), "the daemon was killed by what it printed");
        thread::sleep(Duration::from_millis(5));
    }
    kill_process(daemon, Signal::KILL).unwrap();
}

#[test]
fn a_failure_has_what_was_printed() {
    let (program, args) = (Path::new("sh"), ["-c", "echo out; echo bad >&2; exit 7"]);
    let args: Vec<&OsStr> = args.iter().map(OsStr::new).collect();
    let error = Local
        .run(program, &args, LONG)
        .unwrap()
        .success(program, &args)
        .unwrap_err();
    assert!(
        error.to_string().ends_with("(exit status: 7): bad"),
        "{error}"
    );
    assert_eq!(shortened("ä".repeat(2000).as_bytes()).chars().count(), 1001);
}
