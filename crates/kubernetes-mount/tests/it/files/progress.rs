//! Reports of a change of ownership that takes long.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use kubernetes_mount::ownership::Ownership;
use root_tests::as_root;

const GROUP: u32 = 3000;
const SHORT: Duration = Duration::from_millis(1);

fn many() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..3000 {
        fs::write(dir.path().join(at.to_string()), "").unwrap();
    }
    dir
}

#[test]
fn progress_is_reported_while_it_lasts() {
    as_root(|| {
        let dir = many();
        let most = Arc::new(AtomicU64::new(0));
        // A fast machine may be done before.
        for group in GROUP.. {
            let seen = Arc::clone(&most);
            let ownership = Ownership::new(group).intervals(SHORT, SHORT);
            let ownership = ownership.report(move |files| {
                seen.fetch_max(files, Ordering::Relaxed);
            });
            let done = ownership.apply(dir.path()).unwrap();
            assert_eq!((done.files, done.changed), (3001, 3001));
            if most.load(Ordering::Relaxed) > 0 {
                break;
            }
        }
        assert!(most.load(Ordering::Relaxed) <= 3001);
        // By default nothing is reported of a volume that is done in time.
        let small = tempfile::tempdir().unwrap();
        let ownership = Ownership::new(GROUP).report(|_| panic!("30 s have not passed"));
        ownership.apply(small.path()).unwrap();
    });
}
