//! Trust bundles and certificates of Pods in projected volumes.

use std::fs;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::certificates::v1beta1::ClusterTrustBundle;
use kubernetes_volume::Error;
use kubernetes_volume::host::TrustBundle;
use kubernetes_volume::interfaces::CredentialBundle;
use kubernetes_volume::plugins::PROJECTED;
use root_tests::as_root;
use serde_json::{Value, json};

use super::{Node, failed, group, names, no_args, of, pod, volume};

/// Long enough for two lines.
const LONG: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM=";

/// A certificate, which nobody looks into.
fn certificate(data: &str) -> String {
    let lines: Vec<_> = data
        .as_bytes()
        .chunks(64)
        .map(String::from_utf8_lossy)
        .collect();
    let lines = lines.join("\n");
    format!("-----BEGIN CERTIFICATE-----\n{lines}\n-----END CERTIFICATE-----\n")
}

fn bundle(name: &str, signer: Option<&str>, tier: &str, text: &str) -> Arc<TrustBundle> {
    let bundle = json!({
        "apiVersion": "certificates.k8s.io/v1beta1", "kind": "ClusterTrustBundle",
        "metadata": {"name": name, "labels": {"tier": tier}},
        "spec": {"signerName": signer, "trustBundle": text},
    });
    let bundle: ClusterTrustBundle = serde_json::from_value(bundle).unwrap();
    Arc::new(bundle.into())
}

type Bundles = Arc<Mutex<Vec<Arc<TrustBundle>>>>;

fn node_named(name: &str) -> (Node, Bundles) {
    let [a, b, c] = ["QQ==", "Qg==", LONG].map(certificate);
    let bundles = Bundles::default();
    *bundles.lock().unwrap() = vec![
        bundle(
            "all",
            None,
            "none",
            &format!("a comment\n{a}\n# {{b}}\n{b}{a}{c}the end"),
        ),
        bundle("example.com:one:x", Some("example.com/one"), "gold", &a),
        bundle(
            "example.com:one:y",
            Some("example.com/one"),
            "gold",
            &format!("{b}{a}"),
        ),
        bundle("example.com:one:z", Some("example.com/one"), "iron", &c),
        bundle(
            "example.com:two:x",
            Some("example.com/two"),
            "gold",
            "none here",
        ),
    ];
    let given = bundles.clone();
    let node = Node::with(|host| {
        host.node_name(name)
            .trust_bundles(move || Ok(given.lock().unwrap().clone()))
    });
    (node, bundles)
}

fn source(mut bundle: Value) -> kubernetes_volume::Spec {
    bundle["path"] = "ca.pem".into();
    volume(json!({"name": "all", "projected": {"sources": [{"clusterTrustBundle": bundle}]}}))
}

/// What is written, in the order of the text.
fn written(node: &Node, bundle: Value) -> kubernetes_volume::Result<Vec<String>> {
    let path = node.set_up(&source(bundle), &pod(json!({})), &no_args())?;
    let text = fs::read_to_string(path.join("ca.pem")).unwrap();
    let blocks = text.split_inclusive("-----END CERTIFICATE-----\n");
    let mut blocks: Vec<_> = blocks.map(str::to_owned).collect();
    blocks.sort();
    Ok(blocks)
}

#[test]
fn bundles_by_name_and_by_signer() {
    as_root(|| {
        let [a, b, c] = ["QQ==", "Qg==", LONG].map(certificate);
        let one =
            |selector: Value| json!({"signerName": "example.com/one", "labelSelector": selector});
        let rows = [
            (json!({"name": "all"}), vec![&a, &b, &c]),
            (json!({"name": "example.com:one:x"}), vec![&a]),
            (one(json!({"matchLabels": {"tier": "gold"}})), vec![&a, &b]),
            (
                one(
                    json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]}),
                ),
                vec![&c],
            ),
            // Empty, it matches all bundles of the signer; absent, none.
            (one(json!({})), vec![&a, &b, &c]),
            (
                json!({"signerName": "example.com/one", "optional": true}),
                vec![],
            ),
            (
                json!({"signerName": "example.com/two", "labelSelector": {}}),
                vec![],
            ),
            (json!({"name": "absent", "optional": true}), vec![]),
            (
                json!({"signerName": "example.com/three", "labelSelector": {}, "optional": true}),
                vec![],
            ),
            // As a kubelet: the name comes first.
            (
                json!({"name": "example.com:one:x", "signerName": "example.com/two"}),
                vec![&a],
            ),
        ];
        let (node, _) = node_named("n");
        for (bundle, expected) in rows {
            let mut expected: Vec<_> = expected.into_iter().cloned().collect();
            expected.sort();
            assert_eq!(
                written(&node, bundle.clone()).unwrap(),
                expected,
                "{bundle}"
            );
        }
        node.tear_down(PROJECTED, "all").unwrap();
        node.assert_clean();
    });
}

#[test]
fn bundles_that_are_missing() {
    as_root(|| {
        let (node, bundles) = node_named("n");
        let rows = [
            (
                json!({"name": "absent"}),
                "clustertrustbundle \"absent\" not found",
            ),
            (
                json!({"signerName": "example.com/one"}),
                "of the signer \"example.com/one\" has",
            ),
            (
                json!({"signerName": "example.com/three", "labelSelector": {}}),
                "of the signer \"example.com/three\" has",
            ),
            (
                json!({"signerName": "example.com/one", "optional": true,
                    "labelSelector": {"matchExpressions": [{"key": "tier", "operator": "Like"}]}}),
                "must be In, NotIn",
            ),
            (json!({}), "needs a `name` or a `signerName`"),
        ];
        for (bundle, expected) in rows {
            let error = failed(written(&node, bundle.clone()));
            assert!(error.contains(expected), "{bundle}: {error}");
            node.assert_clean();
        }
        // What comes later is written later, and what goes stays as it was.
        let optional = json!({"name": "late", "optional": true});
        assert_eq!(
            written(&node, optional.clone()).unwrap(),
            Vec::<String>::new()
        );
        let text = certificate("QQ==");
        bundles
            .lock()
            .unwrap()
            .push(bundle("late", None, "none", &text));
        assert_eq!(written(&node, optional).unwrap().concat(), text);
        bundles.lock().unwrap().clear();
        failed(written(&node, json!({"name": "late"})));
        let file = node.unmounter(PROJECTED, "all").path().join("ca.pem");
        assert_eq!(fs::read_to_string(file).unwrap(), text);
        node.tear_down(PROJECTED, "all").unwrap();
        node.assert_clean();
        // A host without them.
        let error =
            Node::new().set_up(&source(json!({"name": "all"})), &pod(json!({})), &no_args());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
    });
}

/// Nobody can rely on the order of certificates, and no file changes for it.
#[test]
fn the_order_of_certificates_is_the_nodes_own() {
    as_root(|| {
        let order = |node: &str| {
            let (node, bundles) = node_named(node);
            let spec = source(json!({"name": "many"}));
            let mut all: Vec<_> = (0..20)
                .map(|i| certificate(&format!("QU{}=", char::from(b'A' + i))))
                .collect();
            let mut read = || {
                *bundles.lock().unwrap() = vec![bundle("many", None, "none", &all.concat())];
                all.reverse();
                let path = node.set_up(&spec, &pod(json!({})), &no_args()).unwrap();
                let file = path.join("..data/ca.pem").canonicalize().unwrap();
                (fs::read_to_string(&file).unwrap(), file)
            };
            let first = read();
            assert_eq!(read(), first);
            node.tear_down(PROJECTED, "all").unwrap();
            first.0
        };
        assert_ne!(order("n1"), order("n2"));
    });
}

#[test]
fn blocks_that_are_none_are_left_out() {
    as_root(|| {
        let good = certificate("QQ==");
        let text = "-----BEGIN CERTIFICATE-----\nQg==\n-----END OTHER-----\n\
             -----BEGIN CERTIFICATE-----\nnot*base64\n-----END CERTIFICATE-----\n\
             -----BEGIN CERTIFICATE-----\nQg==\n\
             -----BEGIN CERTIFICATE-----\nComment: with a header\n\nQQ==\r\n-----END CERTIFICATE-----  \n\
             -----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nQg==";
        let (node, bundles) = node_named("n");
        *bundles.lock().unwrap() = vec![bundle("odd", None, "none", text)];
        assert_eq!(written(&node, json!({"name": "odd"})).unwrap(), [good]);
        node.tear_down(PROJECTED, "all").unwrap();
    });
}

/// Trust bundles and certificates are as private as tokens once they have an owner.
#[test]
fn owners() {
    as_root(|| {
        let rows = [
            (json!({}), None, no_args(), (0, 0, 0o644)),
            (json!({}), None, group(3000), (0, 3000, 0o640)),
            (json!({"user": 11}), None, no_args(), (11, 0, 0o600)),
            (
                json!({"user": 11}),
                Some(12),
                group(3000),
                (11, 3000, 0o640),
            ),
            (json!({}), Some(12), no_args(), (12, 0, 0o600)),
        ];
        for (source, default_user, args, expected) in rows {
            let (node, _) = node_named("n");
            let mut bundle = json!({"name": "all", "path": "ca.pem"});
            super::merge(&mut bundle, source);
            let spec = volume(json!({"name": "all", "projected": {
                "defaultUser": default_user, "sources": [{"clusterTrustBundle": bundle}],
            }}));
            let path = node.set_up(&spec, &pod(json!({})), &args).unwrap();
            assert_eq!(of(&path.join("ca.pem")), expected, "{spec:?}");
            node.tear_down(PROJECTED, "all").unwrap();
        }
    });
}

#[test]
fn certificates_of_pods() {
    as_root(|| {
        let (key, chain) = (
            "a key\n",
            format!("{}{}", certificate("Qg=="), certificate("QQ==")),
        );
        let issued = format!("the leaf\n{chain}");
        let node = Node::with(|host| {
            host.pod_certificates(move |pod, volume, index| {
                assert_eq!(pod.metadata.name.as_deref(), Some("web"));
                if index != 2 {
                    return Err(Error::invalid(format!("{volume} {index}: not issued yet")));
                }
                Ok(CredentialBundle {
                    private_key: key.into(),
                    certificate_chain: issued.clone().into(),
                })
            })
        });
        let source = json!({
            "signerName": "example.com/pods", "keyType": "ED25519",
            "credentialBundlePath": "both.pem", "keyPath": "tls/key.pem",
            "certificateChainPath": "tls/chain.pem",
        });
        let spec = |before: usize, certificate: &Value| {
            let none = json!({"configMap": {"name": "absent", "optional": true}});
            let mut sources = vec![none; before];
            sources.push(json!({"podCertificate": certificate}));
            volume(json!({"name": "all", "projected": {"sources": sources}}))
        };
        for args in [no_args(), group(3000)] {
            let path = node
                .set_up(&spec(2, &source), &pod(json!({})), &args)
                .unwrap();
            let read = |name: &str| {
                let path = path.join(name);
                let mode = if args.fs_group.is_some() {
                    0o640
                } else {
                    0o644
                };
                assert_eq!(of(&path).2, mode, "{name}");
                fs::read_to_string(path).unwrap()
            };
            assert_eq!(names(&path), ["both.pem", "tls"]);
            assert_eq!(read("tls/key.pem"), key);
            assert_eq!(read("tls/chain.pem"), chain);
            assert_eq!(read("both.pem"), format!("{key}{chain}"));
            node.tear_down(PROJECTED, "all").unwrap();
        }
        let mut one = source.clone();
        one.as_object_mut()
            .unwrap()
            .retain(|name, _| name == "keyPath");
        one["user"] = 11.into();
        let path = node
            .set_up(&spec(2, &one), &pod(json!({})), &no_args())
            .unwrap();
        assert_eq!(names(&path), ["tls"]);
        assert_eq!(of(&path.join("tls/key.pem")), (11, 0, 0o600));
        node.tear_down(PROJECTED, "all").unwrap();

        let error = failed(node.set_up(&spec(1, &source), &pod(json!({})), &no_args()));
        assert!(error.contains("all 1: not issued yet"), "{error}");
        node.assert_clean();
        let error = Node::new().set_up(&spec(2, &source), &pod(json!({})), &no_args());
        let error = error.unwrap_err();
        assert!(matches!(error, Error::NotSupported(_)), "{error:?}");
    });
}
