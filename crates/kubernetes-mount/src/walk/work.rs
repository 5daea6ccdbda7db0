//! The threads of a walk, and the work that they share.

use std::ffi::CStr;
use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, Scope};

use rustix::fs::{AtFlags, FileType, RawDir, StatxFlags, statx};
use rustix::io::Errno;

use super::dir::{Budget, Dir, open_child};
use super::shared::{Shared, Task};
use super::visit::{Visit, WalkError, Walked, path_of};

/// The bytes for names that one call reads, some hundreds of entries.
const BUFFER: usize = 32 << 10;

/// The entries that are visited before a second thread starts: most volumes have few files.
const FEW: usize = 256;

/// The most directories that wait in one thread. More are read at once.
const MOST_WAITING: usize = 256;

/// The most nested directories that one thread reads at once. Beyond these,
/// and where descriptors are scarce, directories do wait.
const MOST_NESTED: usize = 16;

/// The entries that another thread gets at a time.
const HANDED: usize = 256;

/// Visits everything below a directory, but not the directory itself.
///
/// A directory is entered before what is in it is visited, and left after; otherwise there is no
/// order. Other file systems that are mounted inside belong to it. Entries that vanish meanwhile,
/// or turn into something else, are skipped. The first error ends the walk.
///
/// However many files there are, only those that threads work on are kept in memory, and however
/// deep directories are nested, neither the stack nor the number of open ones grows with them.
pub(crate) fn walk<V: Visit>(root: impl AsFd, visit: &V) -> Walked<V::Found> {
    let root = root.as_fd();
    let budget = Budget::new();
    let shared = Shared::new(most_threads().min(budget.most_threads()));
    let top = Dir::root(root, &budget);
    thread::scope(|scope| {
        let mut worker = Worker::new(visit, &shared, scope);
        let ending = shared.ending();
        let done = worker.entries_of(&top, root, 0);
        drop(ending);
        worker.work(done);
    });
    drop(top);
    shared.into_walked()
}

/// Returns the maximum number of threads. It exceeds the number of cores, because threads mostly
/// wait for the disk if files are not in memory.
fn most_threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (4 * cores).clamp(4, 16)
}

struct Worker<'scope, 'env, 'a, V: Visit> {
    visit: &'scope V,
    shared: &'scope Shared<'a, V::Found>,
    scope: &'scope Scope<'scope, 'env>,
    found: V::Found,
    /// The next tasks of this thread, the last one first, unless another thread is idle.
    own: Vec<Task<'a>>,
    /// The number of entries that this thread has seen.
    seen: usize,
}

impl<'scope, 'env, 'a, V: Visit> Worker<'scope, 'env, 'a, V> {
    fn new(
        visit: &'scope V,
        shared: &'scope Shared<'a, V::Found>,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Self {
        Self {
            visit,
            shared,
            scope,
            found: V::Found::default(),
            own: Vec::new(),
            seen: 0,
        }
    }

    /// Works until nothing is left.
    fn work(mut self, mut done: Result<(), WalkError>) {
        let _ending = self.shared.ending();
        loop {
            if let Err(error) = done {
                self.shared.stop(error);
            }
            if self.shared.is_stopped() {
                self.own.clear();
            }
            if self.own.len() > 1 {
                self.share();
            }
            let Some(task) = self.own.pop().or_else(|| self.shared.next()) else {
                break;
            };
            done = self.run(task);
        }
        self.shared.add(self.found);
    }

    fn run(&mut self, task: Task<'a>) -> Result<(), WalkError> {
        let dir = match task {
            Task::Directory(parent, name) => {
                match parent.open() {
                    Ok(fd) => self.directory(&parent, fd.as_fd(), &name, 0)?,
                    Err(error) => unless_gone(error, || parent.path(None))?,
                }
                parent
            }
            Task::Entries(dir, names) => {
                match dir.open() {
                    Ok(fd) => self.named(fd.as_fd(), &names)?,
                    Err(error) => unless_gone(error, || dir.path(None))?,
                }
                dir
            }
        };
        self.leave(dir)
    }

    /// Ends directories of which nothing is left to be visited, from below.
    fn leave(&mut self, dir: Arc<Dir<'a>>) -> Result<(), WalkError> {
        let mut next = Some(dir);
        // Nobody else has it any more, so nothing in it is still to be visited.
        while let Some(dir) = next.and_then(Arc::into_inner) {
            if V::LEAVES && !dir.is_root() && !self.shared.is_stopped() {
                let left = match dir.open() {
                    Ok(fd) => self.visit.leave(fd.as_fd(), &mut self.found),
                    Err(error) => Err(error),
                };
                left.or_else(|error| unless_gone(error, || dir.path(None)))?;
            }
            next = dir.into_parent();
        }
        Ok(())
    }

    /// Hands the older half of this thread's tasks to threads that have nothing to do.
    fn share(&mut self) {
        if self.seen > FEW && self.shared.has_room() {
            let half = self.own.len().div_ceil(2);
            let older = self.own.drain(..half).collect();
            self.give(older);
        }
    }

    /// Gives tasks to other threads, and starts one if all have something to do.
    fn give(&self, tasks: Vec<Task<'a>>) {
        if !self.shared.give(tasks) && self.shared.may_start() {
            let (visit, shared, scope) = (self.visit, self.shared, self.scope);
            let worker = move || Worker::new(visit, shared, scope).work(Ok(()));
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                self.shared.could_not_start();
            }
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
                let done = self.visit.entry(parent_fd, name, &mut self.found);
                return done.or_else(|error| unless_gone(error, path));
            }
            Err(error) => return unless_gone(error, path),
        };
        match self.visit.enter(fd.as_fd(), &mut self.found) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(error) => return unless_gone(error, path),
        }
        let (dir, fd) = parent.child(fd, name);
        match &fd {
            Some(fd) => self.entries_of(&dir, fd.as_fd(), nested),
            None => match dir.open() {
                Ok(fd) => self.entries_of(&dir, fd.as_fd(), nested),
                Err(error) => unless_gone(error, path),
            },
        }?;
        drop(fd);
        self.leave(dir)
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
            if self.shared.is_stopped() {
                return Ok(());
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return unless_gone(error.into(), || path_of(fd, None)),
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            self.seen += 1;
            if is_directory(fd, name, entry.file_type()) {
                let much = self.own.len() >= MOST_WAITING;
                if much && nested < MOST_NESTED && dir.may_nest() {
                    self.directory(dir, fd, name, nested + 1)?;
                } else {
                    self.own.push(Task::Directory(Arc::clone(dir), name.into()));
                    self.share();
                }
            } else if !handed.is_empty() || (self.seen > FEW && self.shared.has_room()) {
                handed.extend_from_slice(name.to_bytes_with_nul());
                handed_count += 1;
                if handed_count == HANDED {
                    let names = mem::take(&mut handed);
                    self.give(vec![Task::Entries(Arc::clone(dir), names)]);
                    handed_count = 0;
                }
            } else {
                self.entry(fd, name)?;
            }
        }
        self.named(fd, &handed)
    }

    /// Visits entries that were read before, each name with its NUL.
    fn named(&mut self, fd: BorrowedFd<'_>, names: &[u8]) -> Result<(), WalkError> {
        for name in names.split_inclusive(|byte| *byte == 0) {
            if self.shared.is_stopped() {
                break;
            }
            if let Ok(name) = CStr::from_bytes_with_nul(name) {
                self.entry(fd, name)?;
            }
        }
        Ok(())
    }

    fn entry(&mut self, fd: BorrowedFd<'_>, name: &CStr) -> Result<(), WalkError> {
        let done = self.visit.entry(fd, name, &mut self.found);
        done.or_else(|error| unless_gone(error, || path_of(fd, Some(name))))
    }
}

/// Some file systems don't say in the directory what an entry is.
fn is_directory(fd: BorrowedFd<'_>, name: &CStr, file_type: FileType) -> bool {
    if file_type != FileType::Unknown {
        return file_type == FileType::Directory;
    }
    let stat = statx(fd, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::TYPE);
    stat.is_ok_and(|stat| FileType::from_raw_mode(stat.stx_mode.into()) == FileType::Directory)
}

/// Ignores the error if the file was removed or replaced during the visit.
fn unless_gone(source: io::Error, path: impl FnOnce() -> PathBuf) -> Result<(), WalkError> {
    if source.kind() == io::ErrorKind::NotFound || is_no_directory(&source) {
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
