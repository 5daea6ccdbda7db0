//! The space and the inodes of a volume.

use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubernetes_mount::metrics::{
    CachedMetrics, Metrics, MetricsBlock, MetricsDu, MetricsError, MetricsErrorCode, MetricsNil,
    MetricsProvider, MetricsStatFs,
};
use nix::mount::{MsFlags, mount};
use root_tests::{as_root, unmount};

use super::as_nobody;

fn du(path: &Path) -> (u64, u64) {
    let metrics = MetricsDu::new(path).metrics().unwrap();
    (metrics.used.unwrap(), metrics.inodes_used.unwrap())
}

#[test]
fn a_file_adds_its_blocks_and_a_link_to_it_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (empty, inodes) = du(dir.path());
    assert_eq!(inodes, 1, "the directory itself");
    let file = dir.path().join("file");
    fs::write(&file, "eleven byte").unwrap();
    File::open(&file).unwrap().sync_all().unwrap();
    let blocks = fs::metadata(&file).unwrap().blocks();
    assert!(blocks > 0);
    assert_eq!(du(dir.path()), (empty + blocks * 512, 2));
    fs::hard_link(&file, dir.path().join("again")).unwrap();
    assert_eq!(du(dir.path()), (empty + blocks * 512, 2));
    // A link is an inode, and what it leads to is elsewhere.
    symlink("/", dir.path().join("link")).unwrap();
    assert_eq!(du(dir.path()).1, 3);
}

#[test]
fn what_is_mounted_inside_is_not_counted() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let none = None::<&str>;
        mount(none, outside.path(), Some("tmpfs"), MsFlags::empty(), none).unwrap();
        fs::write(outside.path().join("file"), [0; 100_000]).unwrap();
        for name in ["a", "mounted", "z"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        fs::create_dir(dir.path().join("directory")).unwrap();
        let before = du(dir.path());
        let file = dir.path().join("mounted");
        mount(
            Some(&outside.path().join("file")),
            &file,
            none,
            MsFlags::MS_BIND,
            none,
        )
        .unwrap();
        let directory = dir.path().join("directory");
        mount(
            Some(outside.path()),
            &directory,
            none,
            MsFlags::MS_BIND,
            none,
        )
        .unwrap();
        let (used, inodes) = du(dir.path());
        // The others are still counted.
        assert_eq!(inodes, before.1 - 2);
        assert!(used <= before.0);
        unmount(&file);
        unmount(&directory);
        unmount(outside.path());
    });
}

#[test]
fn the_rest_is_that_of_the_file_system() {
    as_root(|| {
        let dir = tempfile::tempdir().unwrap();
        let none = None::<&str>;
        let limits = Some("size=1m,nr_inodes=100");
        mount(none, dir.path(), Some("tmpfs"), MsFlags::empty(), limits).unwrap();
        fs::write(dir.path().join("file"), [0; 4096]).unwrap();
        let metrics = MetricsDu::new(dir.path()).metrics().unwrap();
        assert_eq!(metrics.capacity, Some(1 << 20));
        assert_eq!(metrics.available, Some((1 << 20) - 4096));
        assert_eq!((metrics.inodes, metrics.inodes_free), (Some(100), Some(98)));
        let whole = MetricsStatFs::new(dir.path()).metrics().unwrap();
        assert_eq!((whole.used, whole.inodes_used), (Some(4096), Some(2)));
        assert_eq!(
            (whole.capacity, whole.available),
            (metrics.capacity, metrics.available)
        );
        assert!(whole.time.is_some());
        unmount(dir.path());
    });
}

#[test]
fn a_path_that_is_empty_or_missing_is_an_error() {
    fn du(path: &str) -> Result<Metrics, MetricsError> {
        MetricsDu::new(path).metrics()
    }
    fn statfs(path: &str) -> Result<Metrics, MetricsError> {
        MetricsStatFs::new(path).metrics()
    }
    fn block(path: &str) -> Result<Metrics, MetricsError> {
        MetricsBlock::new(path).metrics()
    }
    for metrics in [du, statfs, block] {
        let error = metrics("").unwrap_err();
        assert_eq!(error.code, MetricsErrorCode::NoPathDefined);
        assert_eq!(error.code as i32, 2);
        assert_eq!(error.to_string(), "no path defined for disk usage metrics.");
        let error = metrics("/no/such/path").unwrap_err();
        assert_eq!(error.code, MetricsErrorCode::FsInfoFailed);
        assert!(error.to_string().contains("/no/such/path"), "{error}");
        // Nothing is measured but the time.
        let mut partial = *error.partial;
        partial.time = None;
        assert_eq!(partial, Metrics::default());
    }
}

#[test]
fn what_cannot_be_read_leaves_the_rest() {
    as_nobody(|| {
        let dir = tempfile::tempdir().unwrap();
        let sub = dir.path().join("sub");
        fs::create_dir(&sub).unwrap();
        let mode = |mode| fs::set_permissions(&sub, fs::Permissions::from_mode(mode));
        mode(0).unwrap();
        let error = MetricsDu::new(dir.path()).metrics().unwrap_err();
        mode(0o700).unwrap();
        assert_eq!(error.code, MetricsErrorCode::FsInfoFailed);
        assert!(error.to_string().contains(sub.to_str().unwrap()), "{error}");
        assert!(error.partial.inodes_used.unwrap() >= 1);
        assert!(error.partial.used.is_some() && error.partial.capacity.is_some());
    });
}

#[test]
fn what_is_no_device_has_no_capacity() {
    let dir = tempfile::tempdir().unwrap();
    let fifo = dir.path().join("fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRUSR).unwrap();
    for path in [dir.path(), &fifo] {
        let error = MetricsBlock::new(path).metrics().unwrap_err();
        assert_eq!(error.code, MetricsErrorCode::FsInfoFailed);
    }
}

#[test]
fn a_device_has_a_capacity() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(3 << 20).unwrap();
    let metrics = MetricsBlock::new(file.path()).metrics().unwrap();
    assert_eq!(metrics.capacity, Some(3 << 20));
    assert_eq!((metrics.used, metrics.inodes), (None, None));
}

#[test]
fn a_volume_without_metrics_says_so() {
    let error = MetricsNil.metrics().unwrap_err();
    assert!(error.is_not_supported());
    assert_eq!(error.code as i32, 1);
    assert_eq!(*error.partial, Metrics::default());
    let error = MetricsError::not_supported_by("csi.example.com");
    assert!(error.is_not_supported() && error.to_string().contains("csi.example.com"));
    assert!(!MetricsError::fs_info_failed("x").is_not_supported());
}

/// Fails at first, and counts how often it is asked.
struct Slow(AtomicUsize);

impl MetricsProvider for &Slow {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => Err(MetricsError::fs_info_failed("not yet")),
            _ => {
                std::thread::sleep(std::time::Duration::from_millis(5));
                Ok(Metrics::default())
            }
        }
    }
}

#[test]
fn the_first_success_is_kept_and_no_error() {
    let slow = Slow(AtomicUsize::new(0));
    let cached = CachedMetrics::new(&slow);
    assert!(cached.metrics().is_err());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| cached.metrics().unwrap());
        }
    });
    assert_eq!(slow.0.load(Ordering::Relaxed), 2);
}
