//! Claims in other objects.

use crate::common::lint;

/// Claims in other objects are checked, each with its place.
#[test]
fn claims_in_other_objects_are_checked() {
    let text = "apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  template:
    spec:
      volumes:
      - name: a
        ephemeral:
          volumeClaimTemplate:
            metadata: {name: data}
            spec:
              accessModes: [ReadWriteOnce]
              storageClassname: fast
              resources: {requests: {storage: 1Gb}}
  volumeClaimTemplates:
  - metadata: {name: Data}
    spec:
      accessModes: [ReadWriteOnc]
      resources: {requests: {storage: 1Gi}}
  - metadata: {name: good, annotations: {volume.beta.kubernetes.io/storage-class: a}}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  - metadata: {name: typed}
    spec: {accessModes: ReadWriteOnce, volumeMode: '${MODE}'}
---
apiVersion: apps/v1
kind: StatefulSet
spec: {volumeClaimTemplates: [5, null], template: {spec: {volumes: a}}}
---
apiVersion: example.com/v1
kind: StatefulSet
spec: {volumeClaimTemplates: [{spec: {a: b}}]}
";
    let places = |arguments: &[&str]| {
        let ran = lint(arguments, text);
        let lines = ran.stdout.lines().map(|line| {
            let mut parts = line.split(": ");
            let line = parts.next().unwrap().trim_start_matches("<stdin>:");
            let path = parts.nth(1).unwrap().trim_start_matches("spec.");
            let path = path.replace(
                "template.spec.volumes[0].ephemeral.volumeClaimTemplate",
                "pod",
            );
            format!("{line} {}", path.replace("volumeClaimTemplates", "set"))
        });
        (lines.collect::<Vec<_>>(), ran.stderr)
    };
    let (found, summary) = places(&[]);
    let wanted = [
        "11 pod.metadata.name",
        "14 pod.spec.storageClassname",
        "15 pod.spec.resources.requests[storage]",
        "19 set[0].spec.accessModes[0]",
        "24 set[2].spec.accessModes",
        "28 set[0]",
        "28 set[1].spec.accessModes",
        "28 set[1].spec.resources",
    ];
    assert_eq!(found, wanted);
    let end = "1 file, 5 objects, 8 errors, 0 warnings, 1 document left alone\n";
    assert_eq!(summary, end);
    assert!(places(&["--kind=StorageClass"]).0.is_empty());
    assert_eq!(places(&["--kind=PersistentVolumeClaim"]).0, wanted);
}

/// A field that a claim has twice stands in the text of the other object only.
#[test]
fn claims_have_each_field_once() {
    let text = "apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, name: other}
spec:
  replicas: 1
  replicas: 2
  template:
    spec:
      volumes:
      - ephemeral:
          volumeClaimTemplate:
            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi, storage: 2Gi}}}
            spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  volumeClaimTemplates:
  - metadata: {name: data, labels: {a: b, a: c}}
    spec:
      accessModes: [ReadWriteOnce]
      accessModes: [ReadWriteMany]
      resources: {requests: {storage: 1Gi}}
";
    let ran = lint(&[], text);
    let lines = ran.stdout.lines().map(|line| {
        let mut parts = line.trim_start_matches("<stdin>:").split(": ");
        let (line, path) = (parts.next().unwrap(), parts.nth(1).unwrap());
        let path = path.replace(
            "template.spec.volumes[0].ephemeral.volumeClaimTemplate",
            "pod",
        );
        format!("{line} {path}")
    });
    let wanted = [
        "12 spec.pod.spec.resources.requests.storage",
        "13 spec.pod.spec",
        "15 spec.volumeClaimTemplates[0].metadata.labels.a",
        "18 spec.volumeClaimTemplates[0].spec.accessModes",
    ];
    assert_eq!(lines.collect::<Vec<_>>(), wanted, "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(" [duplicateField]\n").count(), 4);
}

/// What stands in the place of a claim, or of a list of claims, must be one.
#[test]
fn what_is_no_claim_is_an_error() {
    let pod = |kind: &str, volume: &str| {
        format!("{kind}\nspec: {{template: {{spec: {{volumes: [{{name: a, {volume}}}]}}}}}}\n")
    };
    let set = |templates: &str| {
        format!("apps/v1\nkind: StatefulSet\nspec: {{volumeClaimTemplates: {templates}}}\n")
    };
    let template = "spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate";
    let templates = "spec.volumeClaimTemplates";
    for (object, wanted) in [
        (
            pod("apps/v1\nkind: Deployment", "ephemeral: {}"),
            format!("{template}: Required value: an ephemeral volume is made of a claim"),
        ),
        (
            pod(
                "batch/v1\nkind: Job",
                "ephemeral: {volumeClaimTemplate: null}",
            ),
            format!("{template}: Required value: "),
        ),
        (
            pod(
                "apps/v1\nkind: DaemonSet",
                "ephemeral: {volumeClaimTemplate: [a]}",
            ),
            format!("{template}: Wrong type: [\"a\"]: expected an object [wrongType]"),
        ),
        (
            set("{metadata: {name: a}}"),
            format!(
                "{templates}: Wrong type: {{\"metadata\":{{\"name\":\"a\"}}}}: expected a list"
            ),
        ),
        (
            set("[foo]"),
            format!("{templates}[0]: Wrong type: \"foo\": expected an object"),
        ),
        (
            set("[null]"),
            format!("{templates}[0].spec.accessModes: Required value"),
        ),
    ] {
        let ran = lint(&[], &format!("apiVersion: {object}"));
        let line = ran.stdout.lines().next().unwrap_or_default();
        assert!(line.contains(&wanted), "{object}{}", ran.stdout);
    }
    for object in [
        pod("apps/v1\nkind: Deployment", "ephemeral: null"),
        pod("apps/v1\nkind: Deployment", "emptyDir: {}"),
        set("null"),
        set("[]"),
        pod("example.com/v1\nkind: Deployment", "ephemeral: {}"),
    ] {
        let ran = lint(&[], &format!("apiVersion: {object}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{object}");
    }
}
