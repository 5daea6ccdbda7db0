//! The threads of a walk, and the work that they share.

use std::ffi::CStr;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use rustix::fs::{AtFlags, FileType, RawDir, StatxFlags, statx};
use rustix::io::Errno;

use super::dir::{Budget, Dir, open_child};
use super::{Visit, WalkError, Walked, path_of};

/// The bytes for names that one call reads, some hundreds of entries.
const BUFFER: usize = 32 << 10;

/// How many entries are visited before a second thread starts: most volumes have few files.
const FEW: usize = 200;

/// How many tasks wait at most, unless directories are nested deeply.
const MOST_WAITING: usize = 1024;

/// How many directories one thread reads at once, each inside of the one before.
const MOST_NESTED: usize = 16;

/// How many entries are handed to another thread at a time.
const HANDED: usize = 256;

/// What a thread can take over.
enum Task<'a> {
    /// The directory of this name in another one.
    Directory(Arc<Dir<'a>>, Box<CStr>),
    /// Entries of a directory that are no directories, each name with its NUL.
    Entries(Arc<Dir<'a>>, Vec<u8>),
}

struct Shared<'a, V: Visit> {
    visit: &'a V,
    state: Mutex<State<'a, V::Found>>,
    /// Something is to be done, or all is done.
    news: Condvar,
    /// The number of threads that wait.
    idle: AtomicUsize,
    /// The number of tasks, as in `state`, to look at without the lock.
    waiting: AtomicUsize,
    /// The number of threads that may be started.
    may_start: AtomicUsize,
    stopped: AtomicBool,
}

struct State<'a, F> {
    tasks: Vec<Task<'a>>,
    /// The number of threads that work on a task, which may bring others.
    busy: usize,
    found: Vec<F>,
    error: Option<WalkError>,
}

pub(super) fn run<V: Visit>(root: BorrowedFd<'_>, visit: &V) -> Walked<V::Found> {
    let budget = Budget::new();
    // Where files are not in memory, threads wait for the disk most of the time.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let shared = Shared {
        visit,
        state: Mutex::new(State {
            tasks: vec![],
            busy: 0,
            found: vec![],
            error: None,
        }),
        news: Condvar::new(),
        idle: AtomicUsize::new(0),
        waiting: AtomicUsize::new(0),
        may_start: AtomicUsize::new((4 * cores).clamp(4, 16) - 1),
        stopped: AtomicBool::new(false),
    };
    let top = Dir::root(root, &budget);
    thread::scope(|scope| {
        let mut worker = Worker::new(&shared, scope);
        shared.lock().busy += 1;
        let done = worker.entries_of(&top, root, 0);
        shared.settle(done);
        worker.work();
    });
    drop(top);
    let state = shared.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    Walked {
        found: state.found,
        error: state.error,
    }
}

impl<'a, V: Visit> Shared<'a, V> {
    fn lock(&self) -> MutexGuard<'_, State<'a, V::Found>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a task, and the walk if the task has failed.
    fn settle(&self, done: Result<(), WalkError>) {
        let mut state = self.lock();
        state.busy -= 1;
        if let Err(error) = done {
            self.stopped.store(true, Ordering::Relaxed);
            state.error.get_or_insert(error);
        }
    }

    /// Returns the next task, when there is one, or nothing when all are done.
    fn next(&self) -> Option<Task<'a>> {
        let mut state = self.lock();
        loop {
            if self.stopped.load(Ordering::Relaxed) {
                state.tasks.clear();
            }
            if let Some(task) = state.tasks.pop() {
                self.waiting.store(state.tasks.len(), Ordering::Relaxed);
                state.busy += 1;
                return Some(task);
            }
            if state.busy == 0 {
                self.news.notify_all();
                return None;
            }
            self.idle.fetch_add(1, Ordering::Relaxed);
            state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
            self.idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether another thread would begin at once with what it were given.
    fn has_room(&self) -> bool {
        let others =
            self.idle.load(Ordering::Relaxed) + self.may_start.load(Ordering::Relaxed);
        self.waiting.load(Ordering::Relaxed) < others
    }
}

struct Worker<'scope, 'env, 'a, V: Visit> {
    shared: &'scope Shared<'a, V>,
    scope: &'scope Scope<'scope, 'env>,
    found: V::Found,
    /// The number of entries that this thread has seen.
    seen: usize,
}

impl<'scope, 'env, 'a, V: Visit> Worker<'scope, 'env, 'a, V> {
    fn new(shared: &'scope Shared<'a, V>, scope: &'scope Scope<'scope, 'env>) -> Self {
        Self {
            shared,
            scope,
            found: V::Found::default(),
            seen: 0,
        }
    }

    /// Works until nothing is left.
    fn work(mut self) {
        while let Some(task) = self.shared.next() {
            let done = match task {
                Task::Directory(dir, name) => self.directory_in(&dir, &name),
                Task::Entries(dir, names) => self.entries(&dir, &names),
            };
            self.shared.settle(done);
        }
        self.shared.lock().found.push(self.found);
    }

    /// Adds a task, and starts a thread for it if none is idle.
    fn give(&self, task: Task<'a>) {
        let mut state = self.shared.lock();
        state.tasks.push(task);
        self.shared.waiting.store(state.tasks.len(), Ordering::Relaxed);
        drop(state);
        if self.shared.idle.load(Ordering::Relaxed) > 0 {
            self.shared.news.notify_one();
        } else if self.seen > FEW {
            self.start_another();
        }
    }

    fn start_another(&self) {
        let may_start = &self.shared.may_start;
        let less = |left: usize| left.checked_sub(1);
        if may_start.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
            return;
        }
        let (shared, scope) = (self.shared, self.scope);
        let worker = move || Worker::new(shared, scope).work();
        if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
            // The threads that there are do it.
            may_start.store(0, Ordering::Relaxed);
        }
    }

    fn directory_in(
        &mut self,
        parent: &Arc<Dir<'a>>,
        name: &CStr,
    ) -> Result<(), WalkError> {
        match parent.open() {
            Ok(fd) => self.directory(parent, fd.as_fd(), name, 0),
            Err(error) => unless_vanished(error, || lossy(name)),
        }
    }

    /// Visits a directory and what is in it.
    fn directory(
        &mut self,
        parent: &Arc<Dir<'a>>,
        parent_fd: BorrowedFd<'_>,
        name: &CStr,
        nested: usize,
    ) -> Result<(), WalkError> {
        let path = || path_of(parent_fd, Some(name));
        let fd = match open_child(parent_fd, name) {
            Ok(fd) => fd,
            // Somebody has put something else into its place.
            Err(error) if is_no_directory(&error) => {
                let done = self.shared.visit.entry(parent_fd, name, &mut self.found);
                return done.or_else(|error| unless_vanished(error, path));
            }
            Err(error) => return unless_vanished(error, path),
        };
        match self.shared.visit.directory(fd.as_fd(), &mut self.found) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return unless_vanished(error, path),
        }
        let (dir, fd) = parent.child(fd, name);
        match &fd {
            Some(fd) => self.entries_of(&dir, fd.as_fd(), nested),
            None => match dir.open() {
                Ok(fd) => self.entries_of(&dir, fd.as_fd(), nested),
                Err(error) => unless_vanished(error, path),
            },
        }
    }

    /// Visits what is in a directory, or leaves it to other threads.
    fn entries_of(
        &mut self,
        dir: &Arc<Dir<'a>>,
        fd: BorrowedFd<'_>,
        nested: usize,
    ) -> Result<(), WalkError> {
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut entries = RawDir::new(fd, buffer.spare_capacity_mut());
        let mut handed = Vec::new();
        let mut handed_count = 0;
        while let Some(entry) = entries.next() {
            if self.shared.stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    return unless_vanished(error.into(), || path_of(fd, None));
                }
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            self.seen += 1;
            if self.is_directory(fd, name, entry.file_type()) {
                let much = self.shared.waiting.load(Ordering::Relaxed) >= MOST_WAITING;
                if much && nested < MOST_NESTED {
                    self.directory(dir, fd, name, nested + 1)?;
                } else {
                    self.give(Task::Directory(Arc::clone(dir), name.into()));
                }
            } else if !handed.is_empty() || (self.seen > FEW && self.shared.has_room()) {
                handed.extend_from_slice(name.to_bytes_with_nul());
                handed_count += 1;
                if handed_count == HANDED {
                    self.give(Task::Entries(Arc::clone(dir), mem::take(&mut handed)));
                    handed_count = 0;
                }
            } else {
                self.entry(fd, name)?;
            }
        }
        self.named(fd, &handed)
    }

    /// Visits entries that another thread has read.
    fn entries(&mut self, dir: &Arc<Dir<'a>>, names: &[u8]) -> Result<(), WalkError> {
        match dir.open() {
            Ok(fd) => self.named(fd.as_fd(), names),
            Err(error) => unless_vanished(error, PathBuf::new),
        }
    }

    fn named(&mut self, fd: BorrowedFd<'_>, names: &[u8]) -> Result<(), WalkError> {
        for name in names.split_inclusive(|byte| *byte == 0) {
            if self.shared.stopped.load(Ordering::Relaxed) {
                break;
            }
            if let Ok(name) = CStr::from_bytes_with_nul(name) {
                self.entry(fd, name)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, fd: BorrowedFd<'_>, name: &CStr) -> Result<(), WalkError> {
        let done = self.shared.visit.entry(fd, name, &mut self.found);
        done.or_else(|error| unless_vanished(error, || path_of(fd, Some(name))))
    }

    /// Some file systems don't say in the directory what an entry is.
    fn is_directory(
        &self,
        fd: BorrowedFd<'_>,
        name: &CStr,
        file_type: FileType,
    ) -> bool {
        if file_type != FileType::Unknown {
            return file_type == FileType::Directory;
        }
        let stat = statx(fd, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE);
        stat.is_ok_and(|stat| {
            FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory
        })
    }
}

/// What was removed while it was visited is no error.
fn unless_vanished(
    source: io::Error,
    path: impl FnOnce() -> PathBuf,
) -> Result<(), WalkError> {
    if source.kind() == io::ErrorKind::NotFound {
        return Ok(());
    }
    Err(WalkError {
        path: path(),
        source,
    })
}

fn is_no_directory(error: &io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(errno, Some(Errno::NOTDIR | Errno::LOOP))
}

fn lossy(name: &CStr) -> PathBuf {
    PathBuf::from(name.to_string_lossy().into_owned())
}
