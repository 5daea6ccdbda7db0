//! What is reported while ownership changes, and how plugins call it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::ObjectReference;
use kubernetes_volume::interfaces::{Event, EventRecorder, EventType, Mounter, Volume};
use kubernetes_volume::metrics::{Metrics, MetricsError, MetricsNil, MetricsProvider};
use kubernetes_volume::ownership::{Applied, FsGroupChangePolicy, Ownership, set_volume_ownership};
use kubernetes_volume::{Attributes, MounterArgs, Result};

use super::{of, set};
use crate::support::as_root;

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

#[derive(Default)]
struct Recorder(Mutex<Vec<Event>>);

impl EventRecorder for Recorder {
    fn record(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

#[test]
fn the_pod_gets_an_event() {
    as_root(|| {
        let dir = many();
        let recorder = Arc::new(Recorder::default());
        let pod = ObjectReference {
            kind: Some("Pod".to_owned()),
            name: Some("web-0".to_owned()),
            ..ObjectReference::default()
        };
        for group in GROUP.. {
            let events = Arc::clone(&recorder);
            let ownership = Ownership::new(group).intervals(SHORT, SHORT);
            ownership
                .events(pod.clone(), "data", events)
                .apply(dir.path())
                .unwrap();
            if !recorder.0.lock().unwrap().is_empty() {
                break;
            }
        }
        let events = recorder.0.lock().unwrap();
        let event = &events[0];
        assert_eq!(event.object, pod);
        assert_eq!(event.event_type, EventType::Warning);
        assert_eq!(event.reason, "VolumePermissionChangeInProgress");
        assert!(event.message.contains("\"data\""), "{}", event.message);
    });
}

/// A volume that is mounted already.
struct Mounted {
    read_only: bool,
}

impl MetricsProvider for Mounted {
    fn metrics(&self) -> Result<Metrics, MetricsError> {
        MetricsNil.metrics()
    }
}

impl Volume for Mounted {
    fn path(&self) -> PathBuf {
        PathBuf::new()
    }
}

impl Mounter for Mounted {
    fn set_up_at(&self, _: &Path, _: &MounterArgs) -> Result<()> {
        Ok(())
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            read_only: self.read_only,
            ..Attributes::default()
        }
    }
}

#[test]
fn without_a_group_nothing_is_done() {
    let mounted = Mounted { read_only: false };
    let always = Some(FsGroupChangePolicy::Always);
    // Not even looked at.
    let done = set_volume_ownership(&mounted, Path::new("/no/such/path"), None, always).unwrap();
    assert_eq!(done, Applied::default());
}

#[test]
fn a_plugin_says_whether_the_volume_is_read_only() {
    as_root(|| {
        for (read_only, wanted) in [(false, 0o660), (true, 0o640)] {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("file");
            fs::write(&file, "").unwrap();
            set(&file, 0, 0o600);
            let mounted = Mounted { read_only };
            // No policy is Always.
            set_volume_ownership(&mounted, dir.path(), Some(GROUP), None).unwrap();
            assert_eq!(of(&file), (GROUP, wanted));
        }
    });
}
