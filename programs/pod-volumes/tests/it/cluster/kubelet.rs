//! The side of the kubelet.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e::{ContainerMount, ControlPlane};
use http::Method;
use kube::Client;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::Outcome;
use super::bundles;
use super::compare;
use super::ours::Program;
use super::random::{Case, FILES};
use super::tree::{Places, Tree};

/// The time that all Pods of a batch may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// The least time without another error of a volume: those of a Pod are mounted side by side.
const QUIET: Duration = Duration::from_secs(2);

/// The program's text for a file that is where the directory of another has to be.
const IN_THE_WAY: &str = "is above or below that of";

/// A Pod on the server.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) uid: String,
    pub(crate) object: Value,
}

impl Pod {
    fn new(object: &Value) -> Self {
        let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
        Self {
            uid: uid.to_owned(),
            object: object.clone(),
        }
    }

    pub(crate) fn phase(&self) -> &str {
        self.object["status"]["phase"].as_str().unwrap_or_default()
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.phase(), "Succeeded" | "Failed")
    }

    /// The files that a side has in the directory of the Pod.
    pub(crate) fn tree(&self, places: &Places) -> Tree {
        if self.has_ended() {
            places.ended_tree(&self.uid)
        } else {
            places.pod_tree(&self.uid)
        }
    }

    /// The differences between the sides after an update, when the kubelet has seen it.
    ///
    /// While a volume of a Pod is refused, a kubelet writes nothing to the others, for up to two
    /// minutes.
    pub(crate) fn differences_now(
        &self,
        cluster: &Cluster,
        program: &Program,
        ours: &Outcome,
    ) -> Vec<String> {
        let is_container = |name: &str| name == "init" || name.starts_with('c');
        if self.phase() == "Pending" && ours.errors.keys().any(|name| !is_container(name)) {
            return Vec::new();
        }
        let [theirs, mut tree] = [&cluster.places, &program.places].map(|side| self.tree(side));
        for (name, _) in ours
            .errors
            .iter()
            .filter(|(_, error)| error.contains(IN_THE_WAY))
        {
            // A kubelet takes the volume away from the running Pod when it can't write new files;
            // ours leaves the files that are there.
            let is_theirs =
                |path: &str| path.starts_with("volumes/") && path.split('/').nth(2) == Some(name);
            if !theirs.keys().any(|path| is_theirs(path)) {
                tree.retain(|path, _| {
                    !is_theirs(path) && !path.contains(&format!("wrapped_{name}"))
                });
            }
        }
        compare::of_trees(&theirs, &tree)
    }

    fn statuses(&self) -> impl Iterator<Item = &Value> {
        let fields = ["initContainerStatuses", "containerStatuses"];
        fields.into_iter().flat_map(|field| {
            self.object["status"][field]
                .as_array()
                .into_iter()
                .flatten()
        })
    }

    /// Why containers aren't created.
    fn refused_containers(&self) -> BTreeMap<String, String> {
        self.statuses()
            .filter_map(|status| {
                let waiting = &status["state"]["waiting"];
                let reason = waiting["reason"].as_str()?;
                let is_refusal = matches!(
                    reason,
                    "CreateContainerConfigError" | "CreateContainerError"
                );
                let message = waiting["message"].as_str().unwrap_or_default();
                is_refusal.then(|| (text(&status["name"]), message.to_owned()))
            })
            .collect()
    }

    /// Returns true once every container has been tried.
    fn is_settled(&self) -> bool {
        let mut statuses: Vec<_> = self.statuses().collect();
        // What comes after an init container that isn't created waits for it.
        if let Some(init) = statuses.iter().position(|status| status["name"] == "init") {
            let waiting = &statuses[init]["state"]["waiting"]["reason"];
            if waiting
                .as_str()
                .is_some_and(|reason| reason.starts_with("Create"))
            {
                statuses.truncate(init + 1);
            }
        }
        !statuses.is_empty()
            && statuses.iter().all(|status| {
                let reason = &status["state"]["waiting"]["reason"];
                status["state"]["running"].is_object()
                    || status["state"]["terminated"].is_object()
                    || status["lastState"]["terminated"].is_object()
                    || reason
                        .as_str()
                        .is_some_and(|reason| reason.starts_with("Create"))
            })
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) struct Cluster {
    server: ControlPlane,
    client: Client,
    pub(crate) places: Places,
}

impl Cluster {
    /// Starts a control plane with a kubelet, whose node has its files in a folder.
    pub(crate) async fn start(files: &Path) -> Self {
        let server = ControlPlane::builder().kubelet().start().await.unwrap();
        let client = server.client().unwrap();
        let kubelet = server.kubelet().unwrap();
        let places = Places::new(
            kubelet.root(),
            files,
            kubelet.path(Path::new("/")),
            kubelet.mount_info(),
        );
        let cluster = Self {
            client,
            places,
            server,
        };
        let account = json!({"metadata": {"name": "default"}});
        cluster
            .post("/api/v1/namespaces/default/serviceaccounts", &account)
            .await;
        cluster
    }

    async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> e2e::Answer {
        let body = body.map(|body| self.places.own(body).into_bytes());
        e2e::send(&self.client, method, path, body).await.unwrap()
    }

    async fn must(&self, method: Method, path: &str, body: Option<&Value>) -> Value {
        let answer = self.send(method.clone(), path, body).await;
        assert!(answer.is_success(), "{method} {path}: {}", answer.body);
        answer.body
    }

    async fn post(&self, path: &str, body: &Value) -> Value {
        self.must(Method::POST, path, Some(body)).await
    }

    /// The allocatable resources of the Node, as `RESOURCE=AMOUNT`.
    pub(crate) async fn allocatable(&self) -> Vec<String> {
        let node = self.must(Method::GET, "/api/v1/nodes/kubelet", None).await;
        let resources = node["status"]["allocatable"].as_object().unwrap().iter();
        resources
            .map(|(name, amount)| format!("{name}={}", amount.as_str().unwrap()))
            .collect()
    }

    /// Returns true if the server accepts the Pod: random ones may have fields that exclude each
    /// other.
    pub(crate) async fn accepts(&self, case: &Case) -> bool {
        let path = "/api/v1/namespaces/default/pods?dryRun=All";
        self.send(Method::POST, path, Some(&case.pod))
            .await
            .is_success()
    }

    pub(crate) async fn create(&self, case: &Case) {
        for object in &case.objects {
            self.post(collection(object), object).await;
        }
        for (volume, claim) in &case.claimed {
            let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
            let mut claim = claim.clone();
            claim["metadata"]["annotations"] = json!({"pv.kubernetes.io/bind-completed": "yes"});
            let made = self.post(claims, &claim).await;
            let mut volume = volume.clone();
            volume["spec"]["claimRef"]["uid"] = made["metadata"]["uid"].clone();
            self.post("/api/v1/persistentvolumes", &volume).await;
            let path = format!(
                "{claims}/{}/status",
                made["metadata"]["name"].as_str().unwrap()
            );
            // Without a capacity, the kubelet 1.37.2 panics when it has mounted the volume.
            let bound = json!({"status": {
                "phase": "Bound",
                "accessModes": claim["spec"]["accessModes"],
                "capacity": claim["spec"]["resources"]["requests"],
            }});
            self.must(Method::PATCH, &path, Some(&bound)).await;
        }
        self.post("/api/v1/namespaces/default/pods", &case.pod)
            .await;
    }

    /// The Pods as they are.
    pub(crate) async fn pods(&self, cases: &[Case]) -> BTreeMap<String, Pod> {
        let list = self
            .must(Method::GET, "/api/v1/namespaces/default/pods", None)
            .await;
        let items = list["items"].as_array().unwrap();
        let named = items
            .iter()
            .map(|pod| (text(&pod["metadata"]["name"]), Pod::new(pod)));
        named
            .filter(|(name, _)| cases.iter().any(|case| &case.name == name))
            .collect()
    }

    /// The volumes that aren't mounted, by the UID of their Pod, from events.
    async fn failed_mounts(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let path = "/api/v1/namespaces/default/events?fieldSelector=reason%3DFailedMount";
        let list = self.must(Method::GET, path, None).await;
        let mut found = BTreeMap::<_, BTreeMap<_, _>>::new();
        for event in list["items"].as_array().unwrap() {
            let uid = text(&event["involvedObject"]["uid"]);
            let message = event["message"].as_str().unwrap_or_default();
            let rest = message
                .split_once(" failed for volume \"")
                .map(|(_, rest)| rest);
            let (volume, why) = rest
                .and_then(|rest| rest.split_once("\" : "))
                .unwrap_or(("", message));
            found
                .entry(uid)
                .or_default()
                .insert(volume.to_owned(), why.to_owned());
        }
        found
    }

    /// Waits until the kubelet has tried to mount and to start everything.
    pub(crate) async fn settled(&self, cases: &[Case]) -> BTreeMap<String, Pod> {
        let started = Instant::now();
        let mut last = (Instant::now(), BTreeMap::new());
        loop {
            let pods = self.pods(cases).await;
            let failed = self.failed_mounts().await;
            let is_open = |pod: &&Pod| match pod.has_ended() {
                true => !pod.tree(&self.places).is_empty(),
                false => !pod.is_settled() && !failed.contains_key(&pod.uid),
            };
            let open = pods.values().find(is_open);
            if failed != last.1 {
                last = (Instant::now(), failed.clone());
            }
            // The longer it has taken so far, the busier the machine is.
            let quiet = QUIET.max(started.elapsed() / 4);
            if open.is_none() && last.0.elapsed() > quiet {
                return pods;
            }
            assert!(
                started.elapsed() < LIMIT,
                "Pods don't settle, such as {open:?}\n{}",
                self.server.logs()
            );
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// The kubelet's outcomes of Pods, by their UIDs.
    pub(crate) async fn outcomes(&self, pods: &BTreeMap<String, Pod>) -> BTreeMap<String, Outcome> {
        let mut failed = self.failed_mounts().await;
        let created = self.server.kubelet().unwrap().containers().unwrap();
        let mut outcomes = BTreeMap::new();
        for pod in pods.values() {
            if pod.has_ended() {
                // Events of what was tried while it ended mean nothing.
                outcomes.insert(pod.uid.clone(), Outcome::default());
                continue;
            }
            let mut errors = failed.remove(&pod.uid).unwrap_or_default();
            errors.extend(pod.refused_containers());
            let own = created.iter().filter(|container| container.pod == pod.uid);
            let containers = own.map(|container| {
                let mounts = container
                    .mounts
                    .iter()
                    .filter_map(|mount| self.shown(mount));
                (container.name.clone(), mounts.collect())
            });
            let outcome = Outcome {
                tree: self.places.pod_tree(&pod.uid),
                containers: containers.collect(),
                errors: errors
                    .into_iter()
                    .map(|(name, text)| (name, self.places.neutral(&text)))
                    .collect(),
            };
            outcomes.insert(pod.uid.clone(), outcome);
        }
        outcomes
    }

    /// A mount of a container in words; nothing for those that no volume has.
    fn shown(&self, mount: &ContainerMount) -> Option<String> {
        let path = mount.container_path.to_str()?;
        if matches!(path, "/etc/hosts" | "/dev/termination-log") {
            return None;
        }
        let propagation = match mount.propagation.as_str() {
            "PROPAGATION_PRIVATE" => "None",
            "PROPAGATION_HOST_TO_CONTAINER" => "HostToContainer",
            other => other,
        };
        Some(shown(
            path,
            &self.places.neutral(&mount.host_path.to_string_lossy()),
            mount.readonly,
            mount.recursive_read_only,
            propagation,
        ))
    }

    /// Everything that the program needs, as the server has it.
    pub(crate) async fn manifests(&self, cases: &[Case]) -> Value {
        let mut items = Vec::new();
        let namespace = "/api/v1/namespaces/default";
        for (path, kind) in [
            (&*format!("{namespace}/pods"), "Pod"),
            (&format!("{namespace}/configmaps"), "ConfigMap"),
            (&format!("{namespace}/secrets"), "Secret"),
            (
                &format!("{namespace}/persistentvolumeclaims"),
                "PersistentVolumeClaim",
            ),
            ("/api/v1/persistentvolumes", "PersistentVolume"),
            (bundles::COLLECTION, "ClusterTrustBundle"),
        ] {
            let list = self.must(Method::GET, path, None).await;
            for item in list["items"].as_array().unwrap() {
                let name = text(&item["metadata"]["name"]);
                let name = name.strip_prefix(bundles::SIGNED).unwrap_or(&name);
                let own =
                    |case: &Case| name == case.name || name.starts_with(&format!("{}-", case.name));
                if cases.iter().any(own) {
                    let mut item = item.clone();
                    item["apiVersion"] = list["apiVersion"].clone();
                    item["kind"] = kind.into();
                    item["metadata"]
                        .as_object_mut()
                        .unwrap()
                        .remove("managedFields");
                    items.push(item);
                }
            }
        }
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
        serde_json::from_str(
            &list
                .to_string()
                .replace(&*self.places.files.to_string_lossy(), FILES),
        )
        .unwrap()
    }

    pub(crate) async fn update(&self, case: &Case) {
        for object in &case.updated {
            let path = format!(
                "{}/{}",
                collection(object),
                text(&object["metadata"]["name"])
            );
            // A bundle isn't replaced without its version.
            let method = match collection(object) {
                bundles::COLLECTION => Method::PATCH,
                _ => Method::PUT,
            };
            let changed = self.send(method, &path, Some(object)).await;
            if !changed.is_success() {
                self.post(collection(object), object).await;
            }
        }
        let mut metadata = case.updated_metadata.clone();
        for field in ["labels", "annotations"] {
            for key in case.pod["metadata"][field].as_object().unwrap().keys() {
                if metadata[field].get(key).is_none() {
                    metadata[field][key] = Value::Null;
                }
            }
        }
        let path = format!("/api/v1/namespaces/default/pods/{}", case.name);
        self.must(Method::PATCH, &path, Some(&json!({"metadata": metadata})))
            .await;
    }

    /// Deletes Pods and all that they name, and waits until the kubelet has unmounted them.
    pub(crate) async fn delete(&self, cases: &[Case]) {
        let pods = self.pods(cases).await;
        for kind in [
            "pods",
            "configmaps",
            "secrets",
            "persistentvolumeclaims",
            "events",
        ] {
            let path = format!("/api/v1/namespaces/default/{kind}");
            self.must(Method::DELETE, &path, None).await;
        }
        for path in ["/api/v1/persistentvolumes", bundles::COLLECTION] {
            self.must(Method::DELETE, path, None).await;
        }
        let started = Instant::now();
        for pod in pods.values() {
            while fs::exists(self.places.seen(&self.places.pod(&pod.uid))).unwrap() {
                assert!(
                    started.elapsed() < LIMIT,
                    "the kubelet keeps {}: {:#?}\n{}",
                    pod.object,
                    self.places.pod_tree(&pod.uid),
                    self.server.logs()
                );
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// A mount of a container in words.
pub(crate) fn shown(
    path: &str,
    host: &str,
    read_only: bool,
    recursive: bool,
    propagation: &str,
) -> String {
    let read_only = match (read_only, recursive) {
        (false, _) => "read-write",
        (true, false) => "read-only",
        (true, true) => "recursively read-only",
    };
    format!("{path}: {host}, {read_only}, {propagation}")
}

fn collection(object: &Value) -> &'static str {
    match object["kind"].as_str() {
        Some("ClusterTrustBundle") => bundles::COLLECTION,
        Some("Secret") => "/api/v1/namespaces/default/secrets",
        _ => "/api/v1/namespaces/default/configmaps",
    }
}
