//! Kills a program at its N-th system call that changes files or mounts.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::thread;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The outcome of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was killed before that call.
    Killed,
    /// It made fewer calls, and exited with that code.
    Exited(i32),
}

/// Runs a program and kills it before its call number `at`, counted from 0, that changes files or
/// mounts. Calls of all its threads count, those of its children don't.
///
/// Its output is dropped, and printing isn't a change.
///
/// # Panics
///
/// When it can't be started, or dies of something else.
pub fn killed_at(program: &OsStr, args: &[&OsStr], at: u64) -> Ended {
    run(program, args, at, true, |_| {})
}

/// Does the same with a server, whose calls count from its first `listen` on, and something beside
/// it that gets its process id. That ends when the server is dead, and ends a server that isn't.
///
/// # Panics
///
/// As [`killed_at`].
pub fn killed_while(
    program: &OsStr,
    args: &[&OsStr],
    at: u64,
    beside: impl FnOnce(u32) + Send,
) -> Ended {
    run(program, args, at, false, beside)
}

fn run(
    program: &OsStr,
    args: &[&OsStr],
    at: u64,
    from_start: bool,
    beside: impl FnOnce(u32) + Send,
) -> Ended {
    // The shell stops itself, to be traced from its `exec` on.
    let mut child = Command::new("/bin/sh")
        .args(["-c", "kill -STOP $$; exec \"$@\"", "sh"])
        .arg(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let main = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let stopped = waitpid(main, Some(WaitPidFlag::WUNTRACED)).unwrap();
    assert_eq!(stopped, WaitStatus::Stopped(main, Signal::SIGSTOP));
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    ptrace::seize(main, options).unwrap();
    kill(main, Signal::SIGCONT).unwrap();
    let pid = child.id();
    let ended = thread::scope(|scope| {
        scope.spawn(move || beside(pid));
        trace(main, at, from_start)
    });
    // Already waited for.
    let _ = child.wait();
    ended
}

fn trace(main: Pid, at: u64, from_start: bool) -> Ended {
    let (mut begun, mut calls, mut killed) = (false, 0, false);
    loop {
        // Only what this thread traces: other tests wait for children of theirs.
        let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        let (pid, signal) = match waitpid(None, Some(flags)) {
            Ok(WaitStatus::Exited(pid, code)) if pid == main => {
                return Ended::Exited(code);
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == main => {
                assert!(killed, "the program died of {signal}");
                return Ended::Killed;
            }
            Ok(WaitStatus::PtraceSyscall(pid)) => {
                begun = begun || !from_start && is_listen(pid);
                if begun && !killed && is_change(pid) {
                    if calls == at {
                        killed = true;
                        kill(main, Signal::SIGKILL).unwrap();
                    }
                    calls += 1;
                }
                (pid, None)
            }
            Ok(WaitStatus::PtraceEvent(pid, _, event)) => {
                begun |= from_start && event == libc::PTRACE_EVENT_EXEC;
                (pid, None)
            }
            Ok(WaitStatus::Stopped(pid, signal)) => (pid, Some(signal)),
            Ok(_) => continue,
            Err(Errno::EINTR) => continue,
            Err(error) => panic!("waitpid: {error}"),
        };
        // It may be gone by now.
        let _ = ptrace::syscall(pid, signal);
    }
}

/// Returns true at the beginning of a call that changes something.
#[cfg(target_arch = "x86_64")]
fn is_change(pid: Pid) -> bool {
    let Ok(registers) = ptrace::getregs(pid) else {
        return false;
    };
    // So it is at the beginning of each call, and at the end of none that exists.
    let begins = registers.rax.cast_signed() == -i64::from(libc::ENOSYS);
    let call = registers.orig_rax.cast_signed();
    let creates = |flags: u64| flags.cast_signed() & i64::from(libc::O_CREAT) != 0;
    begins
        && match call {
            libc::SYS_write | libc::SYS_writev | libc::SYS_pwrite64 => {
                registers.rdi > 2 && is_file(pid, registers.rdi)
            }
            libc::SYS_open => creates(registers.rsi),
            libc::SYS_openat => creates(registers.rdx),
            call => CHANGES.contains(&call),
        }
}

/// Returns true if a descriptor is one of a file: what a runtime writes to wake its threads, and to
/// sockets, changes nothing.
#[cfg(target_arch = "x86_64")]
fn is_file(pid: Pid, descriptor: u64) -> bool {
    let target = std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}"));
    target.is_ok_and(|target| target.is_absolute())
}

#[cfg(target_arch = "x86_64")]
fn is_listen(pid: Pid) -> bool {
    let called = ptrace::getregs(pid).map(|registers| registers.orig_rax.cast_signed());
    called == Ok(libc::SYS_listen)
}

#[cfg(target_arch = "x86_64")]
const CHANGES: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_copy_file_range,
    libc::SYS_creat,
    libc::SYS_fallocate,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_lchown,
    libc::SYS_link,
    libc::SYS_linkat,
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_openat2,
    libc::SYS_open_tree,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_rmdir,
    libc::SYS_symlink,
    libc::SYS_symlinkat,
    libc::SYS_umount2,
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
];

#[cfg(not(target_arch = "x86_64"))]
fn is_change(_pid: Pid) -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn is_listen(_pid: Pid) -> bool {
    false
}
