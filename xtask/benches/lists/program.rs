//! Lists of 10,000 pods and deployments, read and written with generated types and with those of
//! k8s-openapi.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use k8s_openapi::serde::{Serialize, de::DeserializeOwned};

const LENGTH: usize = 10_000;
const PAIRS: usize = 9;

/// Counts the bytes that are allocated and not yet freed.
#[global_allocator]
static HEAP: cap::Cap<std::alloc::System> = cap::Cap::new(std::alloc::System, usize::MAX);

fn metadata(name: &str, at: usize) -> String {
    format!(
        r#""metadata":{{"name":"{name}-{at}","namespace":"team-{}","uid":"6d6f7573-6500-4000-8000-{at:012}",
        "resourceVersion":"{at}","generation":3,"creationTimestamp":"2026-01-02T03:04:05Z",
        "labels":{{"app":"{name}","pod-template-hash":"6b7d9","tier":"web"}},
        "annotations":{{"example.com/checksum":"9f86d081884c7d659a2feaa0c55ad015"}},
        "ownerReferences":[{{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"{name}","uid":"u-{at}","controller":true,"blockOwnerDeletion":true}}],
        "managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1",
        "fieldsV1":{{"f:metadata":{{"f:labels":{{".":{{}},"f:app":{{}},"f:tier":{{}}}}}},"f:spec":{{"f:containers":{{"k:{{\"name\":\"web\"}}":{{".":{{}},"f:image":{{}},"f:name":{{}}}}}}}}}}}}]}}"#,
        at % 50
    )
}

const SPEC: &str = r#""containers":[{"name":"web","image":"registry.example.com/web:1.2.3","imagePullPolicy":"IfNotPresent",
    "command":["/bin/web"],"args":["--port=8080","--verbose"],"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],
    "env":[{"name":"A","value":"b"},{"name":"POD","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},
    {"name":"SECRET","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
    "resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
    "volumeMounts":[{"name":"data","mountPath":"/data"},{"name":"token","mountPath":"/var/run/secrets","readOnly":true}],
    "livenessProbe":{"httpGet":{"path":"/healthz","port":"http","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
    "readinessProbe":{"httpGet":{"path":"/ready","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
    "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}],
    "volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}},
    {"name":"token","projected":{"defaultMode":420,"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
    {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}]}}],
    "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"web","serviceAccount":"web",
    "securityContext":{"runAsNonRoot":true,"fsGroup":1000},"schedulerName":"default-scheduler","enableServiceLinks":true,
    "tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},
    {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]"#;

fn conditions(types: &[&str], times: &[&str]) -> String {
    let times: String = times
        .iter()
        .map(|time| format!(",\"{time}\":\"2026-01-02T03:04:05Z\""))
        .collect();
    let each = types.iter().map(|ty| format!("{{\"type\":\"{ty}\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"All is well.\"{times}}}"));
    each.collect::<Vec<_>>().join(",")
}

fn pod(at: usize) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod",{},"spec":{{"nodeName":"node-{}",{SPEC}}},"status":{{"phase":"Running","hostIP":"10.0.0.1","podIP":"10.1.0.{}",
        "podIPs":[{{"ip":"10.1.0.1"}}],"qosClass":"Burstable","startTime":"2026-01-02T03:04:05Z","conditions":[{}],
        "containerStatuses":[{{"name":"web","image":"registry.example.com/web:1.2.3","imageID":"sha256:9f86d081","containerID":"containerd://{at}","ready":true,"started":true,
        "restartCount":1,"state":{{"running":{{"startedAt":"2026-01-02T03:04:05Z"}}}},"lastState":{{"terminated":{{"exitCode":1,"reason":"Error","startedAt":"2026-01-02T03:04:05Z","finishedAt":"2026-01-02T03:04:05Z"}}}}}}]}}}}"#,
        metadata("web", at),
        at % 100,
        at % 250,
        conditions(
            &["Initialized", "Ready", "ContainersReady", "PodScheduled"],
            &["lastTransitionTime"]
        )
    )
}

fn deployment(at: usize) -> String {
    format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment",{},"spec":{{"replicas":3,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
        "selector":{{"matchLabels":{{"app":"web"}}}},"strategy":{{"type":"RollingUpdate","rollingUpdate":{{"maxSurge":"25%","maxUnavailable":1}}}},
        "template":{{"metadata":{{"labels":{{"app":"web"}}}},"spec":{{{SPEC}}}}}}},
        "status":{{"observedGeneration":3,"replicas":3,"updatedReplicas":3,"readyReplicas":3,"availableReplicas":3,"conditions":[{}]}}}}"#,
        metadata("web", at),
        conditions(
            &["Available", "Progressing"],
            &["lastTransitionTime", "lastUpdateTime"]
        )
    )
}

fn list(api_version: &str, kind: &str, item: fn(usize) -> String) -> String {
    let mut text = format!(
        r#"{{"apiVersion":"{api_version}","kind":"{kind}List","metadata":{{"resourceVersion":"1"}},"items":["#
    );
    for at in 0..LENGTH {
        // As a server writes it, without blanks.
        let value: serde_json::Value = serde_json::from_str(&item(at)).unwrap();
        write!(text, "{}{value}", if at > 0 { "," } else { "" }).unwrap();
    }
    text + "]}"
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let made = black_box(run());
    let took = start.elapsed();
    drop(made);
    took
}

fn memory<T: DeserializeOwned>(json: &str) -> usize {
    let before = HEAP.allocated();
    let list: T = serde_json::from_str(json).unwrap();
    let bytes = HEAP.allocated() - before;
    drop(list);
    bytes / LENGTH
}

/// Returns how many times as fast ours is: the median of pairs that begin with each in turn.
fn ratio(ours: impl Fn() -> Duration, theirs: impl Fn() -> Duration) -> (f64, Duration) {
    (ours(), theirs());
    let mut ratios = Vec::new();
    let mut times = Vec::new();
    for at in 0..PAIRS {
        let (one, other) = if at % 2 == 0 {
            let one = ours();
            (one, theirs())
        } else {
            let other = theirs();
            (ours(), other)
        };
        ratios.push(other.as_secs_f64() / one.as_secs_f64());
        times.push(one);
    }
    ratios.sort_by(f64::total_cmp);
    times.sort();
    (ratios[PAIRS / 2], times[PAIRS / 2])
}

fn compare<Ours, Theirs>(kind: &str, json: &str)
where
    Ours: DeserializeOwned + Serialize,
    Theirs: DeserializeOwned + Serialize,
{
    let read = |json: &str| -> (Ours, Theirs) {
        (
            serde_json::from_str(json).unwrap(),
            serde_json::from_str(json).unwrap(),
        )
    };
    let (ours, theirs) = read(json);
    assert_eq!(
        serde_json::to_value(&ours).unwrap(),
        serde_json::to_value(&theirs).unwrap(),
        "both must write the same"
    );
    let (decode, took) = ratio(
        || time(|| serde_json::from_str::<Ours>(json).unwrap()),
        || time(|| serde_json::from_str::<Theirs>(json).unwrap()),
    );
    let (encode, _) = ratio(
        || time(|| serde_json::to_vec(&ours).unwrap()),
        || time(|| serde_json::to_vec(&theirs).unwrap()),
    );
    drop((ours, theirs));
    let (one, other) = (memory::<Ours>(json), memory::<Theirs>(json));
    println!(
        "| {kind} | {decode:.2} | {:.0} MB/s | {encode:.2} | {one} | {other} | {:.2} |",
        json.len() as f64 / 1e6 / took.as_secs_f64(),
        one as f64 / other as f64
    );
}

fn main() {
    println!(
        "| kind | decode | ours | encode | bytes | k8s-openapi's bytes | memory |\n|---|---|---|---|---|---|---|"
    );
    compare::<core_v1::PodList, k8s_openapi::List<k8s_openapi::api::core::v1::Pod>>(
        "Pod",
        &list("v1", "Pod", pod),
    );
    compare::<apps_v1::DeploymentList, k8s_openapi::List<k8s_openapi::api::apps::v1::Deployment>>(
        "Deployment",
        &list("apps/v1", "Deployment", deployment),
    );
}
