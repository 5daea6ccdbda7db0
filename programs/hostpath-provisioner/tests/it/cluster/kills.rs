//! The program is killed at each point where something can be left behind, and at random moments.
//!
//! `KILL_ROUNDS` is how often, 21 without it; `KILL_SEED` chooses other claims, faults and moments.
//! If something is left at the end, all that there is is kept in a folder, which the failure names.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use core_v1::{PersistentVolume, PersistentVolumeClaim};
use fastrand::Rng;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};
use tokio::time::{Instant, sleep, timeout};

use super::control_plane::{CLASS, Cluster, number, path};
use super::proxy::{Point, Proxy};
use super::replica::Replica;

/// The percentage of requests that fail.
const FAULTS: u32 = 8;
/// The longest that a round may wait for its request before the program is killed anyway.
const PATIENCE: Duration = Duration::from_secs(4);
/// The longest time without progress at the end, until everything has settled: a busy machine needs
/// minutes for hundreds of volumes.
const SETTLES: Duration = Duration::from_secs(120);

/// The points at which the program is killed.
const POINTS: [Point; 7] = [
    point("GET", "/persistentvolumeclaims/", true),
    point("POST", "/persistentvolumes", false),
    point("POST", "/persistentvolumes", true),
    point("DELETE", "/persistentvolumes/", false),
    point("DELETE", "/persistentvolumes/", true),
    point("PATCH", "/persistentvolumes/", false),
    point("PATCH", "/persistentvolumes/", true),
];

const fn point(method: &'static str, path: &'static str, is_done: bool) -> Point {
    Point {
        method,
        path,
        is_done,
    }
}

/// The claims of a test, by name; those that are deleted are kept with their UIDs.
struct Claims<'a> {
    cluster: &'a Cluster,
    random: Rng,
    open: BTreeMap<String, String>,
    /// The UIDs of all, whether deleted or not.
    made: Vec<String>,
}

impl Claims<'_> {
    /// Makes some claims, and deletes some.
    async fn change(&mut self) {
        for _ in 0..self.random.usize(1..4) {
            let name = format!("claim-{}", self.made.len());
            let uid = self.cluster.add_claim(&name, CLASS).await.uid().unwrap();
            self.made.push(uid.clone());
            self.open.insert(name, uid);
        }
        for _ in 0..self.random.usize(0..4) {
            let Some(name) = self
                .random
                .choice(self.open.keys().cloned().collect::<Vec<_>>())
            else {
                return;
            };
            self.delete(&name).await;
        }
    }

    async fn delete(&mut self, name: &str) {
        let params = DeleteParams::default();
        self.cluster.claims.delete(name, &params).await.unwrap();
        self.open.remove(name);
    }
}

/// The names of all volumes and folders.
async fn remains(cluster: &Cluster) -> (BTreeSet<String>, BTreeSet<String>) {
    let volumes = cluster.volumes.list(&ListParams::default()).await.unwrap();
    let names = volumes.iter().map(ResourceExt::name_any).collect();
    (names, cluster.folders().into_iter().collect())
}

/// Waits until volumes and folders are exactly those of the claims. If nothing gets nearer to that
/// for a while, returns what there is.
async fn settled(cluster: &Cluster, claims: &Claims<'_>) -> Result<(), String> {
    let expected = claims.open.values().map(|uid| format!("pvc-{uid}"));
    let expected: BTreeSet<_> = expected.collect();
    let mut fewest = usize::MAX;
    let mut deadline = Instant::now() + SETTLES;
    loop {
        let (volumes, folders) = remains(cluster).await;
        let notes = cluster.notes();
        let wrong = |names: &BTreeSet<String>| names.symmetric_difference(&expected).count();
        let open = wrong(&volumes) + wrong(&folders) + notes.len();
        if open == 0 {
            return Ok(());
        }
        if open < fewest {
            fewest = open;
            deadline = Instant::now() + SETTLES;
        }
        if Instant::now() > deadline {
            let kinds = [
                ("volumes missing", expected.difference(&volumes)),
                ("volumes left", volumes.difference(&expected)),
                ("folders missing", expected.difference(&folders)),
                ("folders left", folders.difference(&expected)),
            ];
            let mut text = String::new();
            for (kind, names) in kinds {
                writeln!(text, "{kind}: {:#?}", names.collect::<Vec<_>>()).unwrap();
            }
            writeln!(text, "notes: {notes:#?}").unwrap();
            return Err(text);
        }
        sleep(Duration::from_millis(200)).await;
    }
}

/// Keeps the objects, folders and notes, the logs of programs and servers, and all requests.
async fn keep(cluster: &Cluster, proxy: &Proxy, log: &Path, seed: u64) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kills-{seed}"));
    fs::create_dir_all(&folder).unwrap();
    for (name, path) in [
        ("claims", "/api/v1/persistentvolumeclaims"),
        ("volumes", "/api/v1/persistentvolumes"),
        ("events", "/api/v1/events"),
        ("leases", "/apis/coordination.k8s.io/v1/leases"),
    ] {
        let request = http::Request::get(path).body(Vec::new()).unwrap();
        let objects = cluster.client.request_text(request).await.unwrap();
        fs::write(folder.join(format!("{name}.json")), objects).unwrap();
    }
    let mut folders = format!("{:#?}\n", cluster.folders());
    for note in cluster.notes() {
        let text = fs::read_to_string(cluster.root().join(".unstored").join(&note));
        writeln!(folders, "note {note}: {text:?}").unwrap();
    }
    fs::write(folder.join("folders"), folders).unwrap();
    fs::write(folder.join("requests"), proxy.journal()).unwrap();
    fs::copy(log, folder.join("log")).unwrap();
    fs::write(folder.join("servers"), cluster.server.logs()).unwrap();
    folder
}

/// Writes its name into each bound volume that has nothing yet, and checks the others.
async fn use_volumes(cluster: &Cluster) {
    for claim in &cluster.claims.list(&ListParams::default()).await.unwrap() {
        let Some(volume) = volume_of(cluster, claim).await else {
            continue;
        };
        let (file, name) = (format!("{}/name", path(&volume)), claim.name_any());
        if claim.annotations().contains_key("test/used") {
            assert_eq!(
                std::fs::read_to_string(&file).ok(),
                Some(name),
                "lost: {file}"
            );
        } else if std::fs::write(&file, &name).is_ok() {
            let mut used = claim.clone();
            used.annotations_mut()
                .insert("test/used".to_owned(), String::new());
            // It may be deleted meanwhile.
            let _ = cluster
                .claims
                .replace(&name, &Default::default(), &used)
                .await;
        }
    }
}

async fn volume_of(cluster: &Cluster, claim: &PersistentVolumeClaim) -> Option<PersistentVolume> {
    let spec = claim.spec.as_ref()?;
    let name = spec
        .volume_name
        .as_deref()
        .filter(|name| !name.is_empty())?;
    if claim.metadata.deletion_timestamp.is_some() {
        return None;
    }
    cluster.volumes.get_opt(name).await.unwrap()
}

#[tokio::test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
async fn nothing_is_lost_leaked_or_made_twice_whenever_it_is_killed() {
    let (rounds, seed) = (number("KILL_ROUNDS", 21), number("KILL_SEED", 1));
    let mut cluster = Cluster::start(&["rbac.yaml", "shared.yaml"]).await;
    let log = tempfile::NamedTempFile::new().unwrap();
    cluster.log_to(fs::File::options().append(true).open(&log).unwrap());
    let cluster = cluster;
    let (proxy, address) = Proxy::start(cluster.account().await, seed).await;
    cluster.use_server(&address);
    let mut claims = Claims {
        cluster: &cluster,
        random: Rng::with_seed(seed),
        open: BTreeMap::new(),
        made: Vec::new(),
    };
    let mut kills = BTreeMap::new();
    for round in 0..rounds {
        let point = POINTS.get(round as usize % (POINTS.len() + 1)).copied();
        proxy.plan(FAULTS, point);
        let mut program = cluster.run(&["--lease-duration=1"]);
        // The Lease of the one before has to expire.
        let moment = Duration::from_millis(claims.random.u64(1000..2500));
        claims.change().await;
        let limit = if point.is_some() { PATIENCE } else { moment };
        let deadline = Instant::now() + limit;
        let reached = proxy.reached.notified();
        tokio::pin!(reached);
        // Requests of the test are never cut off: it would not know what it had made.
        let reached = loop {
            let pause = Duration::from_millis(700).min(deadline - Instant::now());
            if timeout(pause, &mut reached).await.is_ok() {
                break true;
            }
            if Instant::now() >= deadline {
                break false;
            }
            claims.change().await;
        };
        program.kill().await.unwrap();
        let at = point.filter(|_| reached).map_or_else(
            || "a random moment".to_owned(),
            |point| {
                let when = if point.is_done { "after" } else { "before" };
                format!("{when} {} {}", point.method, point.path)
            },
        );
        *kills.entry(at).or_insert(0) += 1;
        use_volumes(&cluster).await;
    }
    proxy.plan(0, None);
    let mut program = Replica::start(&cluster, &["--lease-duration=6"]);
    let check = async |settled: Result<(), String>| {
        if let Err(left) = settled {
            let kept = keep(&cluster, &proxy, log.path(), seed).await;
            panic!(
                "nothing settled for {SETTLES:?}, see {}\n{left}",
                kept.display()
            );
        }
    };
    check(program.until(settled(&cluster, &claims)).await).await;
    use_volumes(&cluster).await;
    for uid in &claims.made {
        assert!(proxy.created(&format!("pvc-{uid}")) <= 1, "{uid}");
    }
    let (made, left) = (claims.made.len(), claims.open.len());
    println!("{rounds} kills, {made} claims, {left} of them left: {kills:#?}");
    for name in claims.open.keys().cloned().collect::<Vec<_>>() {
        claims.delete(&name).await;
    }
    check(program.until(settled(&cluster, &claims)).await).await;
    program.stop().await;
}
