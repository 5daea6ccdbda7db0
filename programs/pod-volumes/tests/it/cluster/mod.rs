//! The program beside a kubelet: random Pods are given to both, and what they mount is compared.

mod bundles;
mod compare;
mod kubelet;
mod ours;
mod random;
mod sources;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use compare::{Listed, differences, of_trees};
use fastrand::Rng;
use kubelet::{Cluster, Pod};
use ours::Program;
use random::Case;
use root_tests::{as_root, setting};
use tree::Tree;

/// The number of Pods that both have at the same time.
const BATCH: usize = 60;

/// The time that a kubelet may take to write what has changed: it tries a volume that it couldn't
/// mount less and less often.
const PATIENCE: Duration = Duration::from_secs(240);

/// The longest that an attempt of the kubelet takes. It tries what fails again and again, and its
/// folders are there in the middle of that.
const ATTEMPT: Duration = Duration::from_secs(10);

/// The outcome of a Pod on one side.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// The files below the Pod's directory.
    pub(crate) tree: Tree,
    /// The mounts of each container.
    pub(crate) containers: BTreeMap<String, Vec<String>>,
    /// Why a volume isn't mounted, or a container isn't created.
    pub(crate) errors: BTreeMap<String, String>,
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn pods_have_what_a_kubelet_gives_them() {
    as_root(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(compare_with_kubelet());
    });
}

async fn compare_with_kubelet() {
    let pods = usize::try_from(setting("KUBELET_PODS", 120)).unwrap();
    let seed = setting("E2E_SEED", 1);
    let mut rng = Rng::with_seed(seed);
    let folder = tempfile::tempdir().unwrap();
    let files = ["k", "o"].map(|side| folder.path().join(side));
    let cluster = Cluster::start(&files[0]).await;
    let allocatable = cluster.allocatable().await;
    let mut sides = Sides {
        program: Program::new(&folder.path().join("root"), &files[1], allocatable),
        cluster,
        listed: Listed::read(),
        phases: BTreeMap::new(),
        found: Vec::new(),
    };
    let mut compared = 0;
    while compared < pods {
        let mut cases = Vec::new();
        while cases.len() < BATCH.min(pods - compared) {
            let name = format!("p{}", compared + cases.len());
            let case = random::case(&mut rng, &name);
            // Random fields may exclude each other.
            if sides.cluster.accepts(&case).await {
                let seed = rng.u64(..);
                for side in &files {
                    random::make_files(&mut Rng::with_seed(seed), &side.join(&name));
                }
                cases.push(case);
            }
        }
        sides.compare(&cases).await;
        compared += cases.len();
        eprintln!("{compared} Pods, differences in {}", sides.found.len());
    }
    eprintln!(
        "seed {seed}: {compared} Pods, first {:?}; listed differences: {}",
        sides.phases,
        sides.listed.counts()
    );
    assert!(sides.found.is_empty(), "{}", sides.found.join("\n"));
}

/// The kubelet and the program.
struct Sides {
    cluster: Cluster,
    program: Program,
    listed: Listed,
    /// The number of Pods in each phase when everything was tried once.
    phases: BTreeMap<String, usize>,
    /// The Pods with differences that aren't listed, and these.
    found: Vec<String>,
}

impl Sides {
    /// Gives some Pods to both, changes what they name, and takes them away.
    async fn compare(&mut self, cases: &[Case]) {
        let pods = self.mounted(cases).await;
        self.updated(cases, &pods).await;
        self.removed(cases, &pods).await;
    }

    fn report(&mut self, step: &str, case: &Case, mut differences: Vec<String>) {
        differences.retain(|difference| !self.listed.has(difference));
        if !differences.is_empty() {
            let (name, pod) = (&case.name, &case.pod);
            let differences = differences.join("\n  ");
            self.found
                .push(format!("{name} {step}: {differences}\n  {pod}"));
        }
    }

    /// Compares everything when all has been tried once.
    async fn mounted(&mut self, cases: &[Case]) -> BTreeMap<String, Pod> {
        for case in cases {
            self.cluster.create(case).await;
        }
        let pods = self.cluster.settled(cases).await;
        for pod in pods.values() {
            *self.phases.entry(pod.phase().to_owned()).or_default() += 1;
        }
        let ours = self
            .program
            .mount(&self.cluster.manifests(cases).await, true);
        let none = Outcome::default();
        let deadline = Instant::now() + ATTEMPT;
        loop {
            let theirs = self.cluster.outcomes(&pods).await;
            let of = |case: &Case| {
                let uid = &pods[&case.name].uid;
                let sides = [&theirs, &ours].map(|side| side.get(uid).unwrap_or(&none));
                differences(sides[0], sides[1])
            };
            let found: Vec<_> = cases.iter().map(|case| (case, of(case))).collect();
            let mut all = found.iter().flat_map(|(_, found)| found);
            if all.all(|found| self.listed.matches(found)) || Instant::now() > deadline {
                for (case, found) in found {
                    self.report("mounted", case, found);
                }
                return pods;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Changes what the Pods name, and compares until the kubelet has written it.
    async fn updated(&mut self, cases: &[Case], before: &BTreeMap<String, Pod>) {
        for case in cases {
            self.cluster.update(case).await;
        }
        let compared = cases.iter().filter(|case| !starts(case, before));
        let compared: Vec<_> = compared.collect();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let now = self.cluster.pods(cases).await;
            let manifests = self.cluster.manifests(cases).await;
            let ours = self.program.mount_again(&manifests, before);
            let ended = now.values().filter(|pod| pod.has_ended());
            self.program.unmount(ended.map(|pod| pod.uid.as_str()));
            let mut differing = Vec::new();
            for case in &compared {
                let pod = &now[&case.name];
                let found = pod.differences_now(&self.cluster, &self.program, &ours[&pod.uid]);
                if found.iter().any(|found| !self.listed.matches(found)) {
                    differing.push((case, found));
                }
            }
            if differing.is_empty() {
                return;
            }
            if Instant::now() > deadline {
                for (case, found) in differing {
                    self.report("updated", case, found);
                }
                return;
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// Takes the Pods away, and compares what is left of the files of the node.
    async fn removed(&mut self, cases: &[Case], pods: &BTreeMap<String, Pod>) {
        let last = self.cluster.pods(cases).await;
        self.cluster.delete(cases).await;
        self.program
            .unmount(pods.values().map(|pod| pod.uid.as_str()));
        for pod in pods.values() {
            let left = self.program.places.pod_tree(&pod.uid);
            assert_eq!(left, Tree::new(), "{}", pod.object);
        }
        for case in cases {
            let [theirs, ours] = [&self.cluster.places, &self.program.places].map(|side| {
                let folder = side.files.join(&case.name);
                let tree = side.tree(&folder);
                fs::remove_dir_all(folder).unwrap();
                tree
            });
            // The volumes of a Pod that has ended were mounted by the kubelet alone.
            if !last[&case.name].has_ended() && !starts(case, pods) {
                self.report("files of the node", case, of_trees(&theirs, &ours));
            }
        }
    }
}

/// Returns true if containers start either before or after the files change: parts of volumes are
/// made then.
fn starts(case: &Case, before: &BTreeMap<String, Pod>) -> bool {
    let is_later = before[&case.name].phase() == "Pending";
    (is_later || case.restarts()) && case.has_sub_path()
}
