//! The context of checks: calls, expectations, and the removal of what they made.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kubernetes_csi::v1::*;
use tokio::sync::OnceCell;
use tokio::time::{sleep, timeout};
use tonic::{Code, Status};

use crate::call::{Call, Clients, Made};
use crate::expect::{Checked, Stop, code_name, code_names, expect, set, shown};
use crate::facts::Facts;
use crate::settings::Settings;

/// The key of the secret that each request has.
const SECRET: &str = "csi-test";

/// Secrets of the author that are shorter can be in a message by chance.
const RECOGNIZABLE: usize = 8;

/// The pause before a call is repeated.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);

/// The times after which callers go away.
pub(crate) const CANCELLED: [Duration; 3] = [
    Duration::ZERO,
    Duration::from_millis(1),
    Duration::from_millis(5),
];

/// The number of attempts to remove something that the driver refuses to remove.
const REMOVALS: usize = 50;

/// The context of checks.
pub(crate) struct Context {
    pub(crate) settings: Settings,
    pub(crate) facts: Facts,
    clients: Clients,
    /// A text that no other run has.
    run: String,
    /// The value of the secret that no answer may have.
    marker: String,
    names: AtomicUsize,
    made: Mutex<Vec<Made>>,
    folders: Mutex<Vec<PathBuf>>,
    /// Calls whose answers had a secret.
    leaks: Mutex<Vec<String>>,
    /// Things that couldn't be removed.
    left: Mutex<Vec<String>>,
    shared: OnceCell<Volume>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    pub(crate) fn new(settings: Settings, clients: Clients) -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self {
            settings,
            facts: Facts::default(),
            clients,
            run: format!("csi-test-{:08x}", random() & 0xffff_ffff),
            marker: format!("secret-{:016x}", random()),
            names: AtomicUsize::new(0),
            made: Mutex::default(),
            folders: Mutex::default(),
            leaks: Mutex::default(),
            left: Mutex::default(),
            shared: OnceCell::new(),
        }
    }

    /// Returns a name that nothing has.
    pub(crate) fn name(&self) -> String {
        format!("{}-{}", self.run, self.names.fetch_add(1, Ordering::SeqCst))
    }

    /// Returns the id of something that doesn't exist.
    pub(crate) fn unknown(&self) -> String {
        format!("{}-unknown", self.run)
    }

    /// Returns the secrets as they are in each request.
    fn add_secrets<R: Call>(&self, request: &mut R) {
        if let Some(secrets) = request.secrets() {
            for (key, value) in &self.settings.secrets {
                secrets.entry(key.clone()).or_insert_with(|| value.clone());
            }
            secrets.insert(SECRET.to_owned(), self.marker.clone());
        }
    }

    /// Sends a request, with secrets, and returns the answer.
    pub(crate) async fn send<R: Call>(&self, mut request: R) -> Result<R::Answer, Status> {
        self.add_secrets(&mut request);
        let limit = self.settings.timeout;
        let answer = timeout(limit, request.clone().call(self.clients.clone()));
        let answer = answer
            .await
            .unwrap_or_else(|_| Err(Status::deadline_exceeded(format!("none in {limit:?}"))));
        match &answer {
            Ok(answer) => {
                self.look_for_secrets(&request, &format!("{answer:?}"));
                let made = request.made(answer);
                let removed = request.removed();
                let mut all = locked(&self.made);
                if let Some(removed) = removed {
                    all.retain(|one| !one.is(&removed));
                }
                if let Some(made) = made
                    && !all.iter().any(|one| one.is(&made))
                {
                    all.push(made);
                }
            }
            Err(status) => {
                let details = String::from_utf8_lossy(status.details());
                self.look_for_secrets(&request, &format!("{} {details}", status.message()));
            }
        }
        answer
    }

    fn look_for_secrets<R: Call>(&self, request: &R, text: &str) {
        let own = self.settings.secrets.values();
        let own = own.filter(|value| value.len() >= RECOGNIZABLE);
        if own
            .chain([&self.marker])
            .any(|secret| text.contains(&**secret))
        {
            locked(&self.leaks).push(format!("{} of {}", R::NAME, shown(request)));
        }
    }

    /// Returns the calls whose answers had a secret.
    pub(crate) fn leaks(&self) -> Vec<String> {
        locked(&self.leaks).clone()
    }

    /// Returns what couldn't be removed.
    pub(crate) fn left(&self) -> Vec<String> {
        locked(&self.left).clone()
    }

    /// Sends a request that has to succeed.
    pub(crate) async fn ok<R: Call>(&self, request: R) -> Checked<R::Answer> {
        let answer = self.send(request.clone()).await;
        answer.map_err(|status| unexpected(&request, &status, "OK"))
    }

    /// Sends a request that has to be refused with one of some codes.
    pub(crate) async fn refused<R: Call>(&self, request: R, codes: &[Code]) -> Checked {
        match self.ok_or(request.clone(), codes).await? {
            None => Ok(()),
            Some(answer) => Err(Stop::Failed(format!(
                "{} is answered by OK, {}; expected is {}",
                shown(&request),
                shown(&answer),
                code_names(codes),
            ))),
        }
    }

    /// Sends a request that has to succeed, or to be refused with one of some codes.
    pub(crate) async fn ok_or<R: Call>(
        &self,
        request: R,
        codes: &[Code],
    ) -> Checked<Option<R::Answer>> {
        match self.send(request.clone()).await {
            Ok(answer) => Ok(Some(answer)),
            Err(status) if codes.contains(&status.code()) => Ok(None),
            Err(status) => Err(unexpected(&request, &status, &code_names(codes))),
        }
    }

    /// Sends a request again while another call is under way.
    pub(crate) async fn settled<R: Call>(&self, request: R) -> Checked<R::Answer> {
        let end = Instant::now() + self.settings.timeout;
        loop {
            match self.ok_or(request.clone(), &[Code::Aborted]).await? {
                Some(answer) => return Ok(answer),
                None if Instant::now() < end => sleep(PAUSE).await,
                None => {
                    let limit = self.settings.timeout;
                    let request = shown(&request);
                    return Err(Stop::Failed(format!("{request} is ABORTED for {limit:?}")));
                }
            }
        }
    }

    /// Sends a request eight times at once, and each until it isn't ABORTED.
    pub(crate) async fn eight_at_once<R: Call>(&self, request: R) -> Checked<[R::Answer; 8]> {
        let call = || self.settled(request.clone());
        let (a, b, c, d, e, f, g, h) = tokio::join!(
            call(),
            call(),
            call(),
            call(),
            call(),
            call(),
            call(),
            call()
        );
        Ok([a?, b?, c?, d?, e?, f?, g?, h?])
    }

    /// Sends a request whose caller goes away after a time.
    pub(crate) async fn cancelled<R: Call>(&self, mut request: R, after: Duration) {
        self.add_secrets(&mut request);
        let _ = timeout(after, request.call(self.clients.clone())).await;
    }

    /// Returns the request for a new volume.
    pub(crate) fn create(&self) -> CreateVolumeRequest {
        CreateVolumeRequest {
            name: self.name(),
            capacity_range: Some(at_least(self.settings.volume_size)),
            volume_capabilities: vec![self.settings.capability.clone()],
            parameters: self.settings.parameters.clone(),
            ..CreateVolumeRequest::default()
        }
    }

    /// Creates the volume of a request.
    pub(crate) async fn create_volume(&self, request: CreateVolumeRequest) -> Checked<Volume> {
        set(self.ok(request).await?.volume, "volume")
    }

    /// Creates a volume, which is deleted after the check.
    pub(crate) async fn volume(&self) -> Checked<Volume> {
        self.create_volume(self.create()).await
    }

    /// Returns a volume that checks have together, for calls that don't change it.
    pub(crate) async fn shared(&self) -> Checked<&Volume> {
        let make = || async {
            let volume = self.volume().await?;
            let own = Made::Volume(volume.volume_id.clone());
            locked(&self.made).retain(|made| !made.is(&own));
            Ok(volume)
        };
        self.shared.get_or_try_init(make).await
    }

    /// Returns the request for a new snapshot of a volume.
    pub(crate) fn take(&self, volume_id: &str) -> CreateSnapshotRequest {
        CreateSnapshotRequest {
            source_volume_id: volume_id.to_owned(),
            name: self.name(),
            parameters: self.settings.snapshot_parameters.clone(),
            ..CreateSnapshotRequest::default()
        }
    }

    /// Takes a snapshot, and waits until it can be restored.
    pub(crate) async fn snapshot(&self, volume_id: &str) -> Checked<Snapshot> {
        let request = self.take(volume_id);
        let end = Instant::now() + self.settings.timeout;
        loop {
            let snapshot = self.settled(request.clone()).await?.snapshot;
            let snapshot = set(snapshot, "snapshot")?;
            if snapshot.ready_to_use {
                return Ok(snapshot);
            }
            let limit = self.settings.timeout;
            expect(Instant::now() < end, || {
                format!("{snapshot:?} isn't ready after {limit:?}")
            })?;
            sleep(PAUSE).await;
        }
    }

    /// Returns a new folder for a volume, which is removed after the check if it is empty.
    pub(crate) fn folder(&self) -> Checked<PathBuf> {
        let Some(folder) = &self.settings.folder else {
            return Err(Stop::LeftOut("`folder` isn't set".to_owned()));
        };
        let path = folder.join(self.name());
        let made = fs::create_dir_all(&path);
        made.map_err(|error| Stop::Failed(format!("{} can't be made: {error}", path.display())))?;
        locked(&self.folders).push(path.clone());
        Ok(path)
    }

    /// Removes what the check has made, the newest first.
    pub(crate) async fn clean_up(&self) {
        loop {
            let Some(made) = locked(&self.made).pop() else {
                break;
            };
            self.remove(made).await;
        }
        for folder in std::mem::take(&mut *locked(&self.folders)) {
            // Never with content: it can be that of a volume which is still there.
            if let Err(error) = fs::remove_dir(&folder) {
                let left = format!("the folder {}: {error}", folder.display());
                locked(&self.left).push(left);
            }
        }
    }

    /// Removes what checks have together.
    pub(crate) async fn clean_up_shared(&self) {
        if let Some(volume) = self.shared.get() {
            self.remove(Made::Volume(volume.volume_id.clone())).await;
        }
    }

    async fn remove(&self, made: Made) {
        let mut removals = 0;
        loop {
            let removed = self.removal(&made).await;
            let Err(status) = removed else {
                return;
            };
            let passes = [Code::Aborted, Code::FailedPrecondition, Code::Unavailable];
            removals += 1;
            if status.code() == Code::NotFound {
                return;
            }
            if !passes.contains(&status.code()) || removals == REMOVALS {
                let (code, message) = (code_name(status.code()), status.message());
                locked(&self.left).push(format!("{made:?}: {code}, {message:?}"));
                return;
            }
            sleep(PAUSE).await;
        }
    }

    async fn removal(&self, made: &Made) -> Result<(), Status> {
        match made.clone() {
            Made::Volume(volume_id) => self.send(delete(&volume_id)).await.map(drop),
            Made::Snapshot(snapshot_id) => {
                let request = DeleteSnapshotRequest {
                    snapshot_id,
                    ..DeleteSnapshotRequest::default()
                };
                self.send(request).await.map(drop)
            }
            Made::Group(group_snapshot_id, snapshot_ids) => {
                let request = DeleteVolumeGroupSnapshotRequest {
                    group_snapshot_id,
                    snapshot_ids,
                    ..DeleteVolumeGroupSnapshotRequest::default()
                };
                self.send(request).await.map(drop)
            }
            Made::Attached(volume_id, node_id) => {
                let request = ControllerUnpublishVolumeRequest {
                    volume_id,
                    node_id,
                    ..ControllerUnpublishVolumeRequest::default()
                };
                self.send(request).await.map(drop)
            }
            Made::Staged(volume_id, staging_target_path) => {
                let request = NodeUnstageVolumeRequest {
                    volume_id,
                    staging_target_path,
                };
                self.send(request).await.map(drop)
            }
            Made::Published(volume_id, target_path) => {
                let request = NodeUnpublishVolumeRequest {
                    volume_id,
                    target_path,
                };
                self.send(request).await.map(drop)
            }
        }
    }
}

/// Returns the failure of a check whose request got another answer.
pub(crate) fn unexpected<R: Call>(request: &R, status: &Status, expected: &str) -> Stop {
    Stop::Failed(format!(
        "{} is answered by {}, {:?}; expected is {expected}",
        shown(request),
        code_name(status.code()),
        status.message(),
    ))
}

pub(crate) fn at_least(required_bytes: i64) -> CapacityRange {
    CapacityRange {
        required_bytes,
        ..CapacityRange::default()
    }
}

pub(crate) fn delete(volume_id: &str) -> DeleteVolumeRequest {
    DeleteVolumeRequest {
        volume_id: volume_id.to_owned(),
        ..DeleteVolumeRequest::default()
    }
}

/// Returns the text of a path.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
