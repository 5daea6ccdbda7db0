//! The program beside a kubelet: random Pods are given to both, and what they mount is compared.

mod compare;
mod kubelet;
mod ours;
mod random;
mod tree;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use compare::{Listed, differences};
use fastrand::Rng;
use kubelet::Cluster;
use ours::Program;
use random::Case;
use root_tests::{as_root, setting};
use tree::Tree;

/// The number of Pods that both have at the same time.
const BATCH: usize = 60;

/// The time that a kubelet may take to write what has changed.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a side has made of a Pod.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    /// What is below the Pod's directory.
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
    let program = Program::new(
        &folder.path().join("root"),
        &files[1],
        cluster.allocatable().await,
    );
    let mut listed = Listed::read();
    let mut found = Vec::new();
    let mut compared = 0;
    while compared < pods {
        let mut cases = Vec::new();
        while cases.len() < BATCH.min(pods - compared) {
            let name = format!("p{}", compared + cases.len());
            let case = random::case(&mut rng, &name);
            if !cluster.accepts(&case).await {
                continue;
            }
            let seed = rng.u64(..);
            for side in &files {
                random::make_files(&mut Rng::with_seed(seed), &side.join(&name));
            }
            cases.push(case);
        }
        let differing = batch(&cluster, &program, &cases, &mut listed).await;
        found.extend(differing);
        let left = [&cluster.places, &program.places].map(|side| side.tree(&side.files));
        for difference in compare::of_trees(&left[0], &left[1]) {
            found.push(format!("files of the node: {difference}"));
        }
        compared += cases.len();
        eprintln!("{compared} Pods, differences: {}", found.len());
    }
    eprintln!(
        "seed {seed}: {compared} Pods, listed differences: {}",
        listed.counts()
    );
    assert!(
        found.is_empty(),
        "{} differences:\n{}",
        found.len(),
        found.join("\n")
    );
}

/// Gives some Pods to both, changes what they name, and takes them away.
async fn batch(
    cluster: &Cluster,
    program: &Program,
    cases: &[Case],
    listed: &mut Listed,
) -> Vec<String> {
    let mut found = Vec::new();
    let mut report =
        |listed: &mut Listed, step: &str, case: &Case, mut differences: Vec<String>| {
            differences.retain(|difference| !listed.has(difference));
            if !differences.is_empty() {
                let (name, pod) = (&case.name, &case.pod);
                found.push(format!(
                    "{name} {step}: {}\n  {pod}",
                    differences.join("\n  ")
                ));
            }
        };
    for case in cases {
        cluster.create(case).await;
    }
    let pods = cluster.settled(cases).await;
    let mut phases = BTreeMap::<_, usize>::new();
    for pod in pods.values() {
        *phases.entry(pod.phase()).or_default() += 1;
    }
    eprintln!("phases: {phases:?}");
    let ours = program.mount(&cluster.manifests(cases).await, true);
    let theirs = cluster.outcomes(&pods).await;
    let none = Outcome::default();
    for case in cases {
        let uid = &pods[&case.name].uid;
        let sides = [&theirs, &ours].map(|side| side.get(uid).unwrap_or(&none));
        report(listed, "mounted", case, differences(sides[0], sides[1]));
    }

    for case in cases {
        cluster.update(case).await;
    }
    let deadline = Instant::now() + PATIENCE;
    loop {
        let now = cluster.pods(cases).await;
        // Containers that run already keep the parts of volumes that they have.
        let manifests = cluster.manifests(cases).await;
        let ours = program.mount_again(&manifests, &pods);
        let differing: Vec<_> = cases
            .iter()
            .filter_map(|case| {
                let pod = &now[&case.name];
                let differences = pod.differences_now(cluster, program, &ours[&pod.uid]);
                let differences = differences.into_iter().filter(|d| !listed.matches(d));
                let differences: Vec<_> = differences.collect();
                (!differences.is_empty()).then_some((case, differences))
            })
            .collect();
        if differing.is_empty() {
            break;
        }
        if Instant::now() > deadline {
            for (case, differences) in differing {
                report(listed, "updated", case, differences);
            }
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }

    cluster.delete(cases).await;
    let uids: Vec<_> = pods.values().map(|pod| pod.uid.clone()).collect();
    program.unmount(&uids);
    for uid in &uids {
        assert_eq!(program.places.pod_tree(uid), Tree::new(), "{uid}");
    }
    found
}
