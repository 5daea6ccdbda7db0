//! Facts about the Pod and tokens, for drivers that want them.

use std::sync::Mutex;

use k8s_openapi::api::authentication::v1::TokenRequest;

use super::*;

const TOKENS: &str = "csi.storage.k8s.io/serviceAccount.tokens";

/// The answer to a request for a token.
pub(super) fn answered(request: &TokenRequest, token: &str) -> TokenRequest {
    let mut answer = serde_json::to_value(request).unwrap();
    answer["status"] = json!({"token": token, "expirationTimestamp": "2030-01-01T00:00:00Z"});
    serde_json::from_value(answer).unwrap()
}

fn context(csi: &Csi) -> Vec<(String, String)> {
    csi.published().volume_context.into_iter().collect()
}

fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn facts_about_the_pod_are_added_where_the_driver_wants_them() {
    let facts = |ephemeral| {
        pairs(&[
            ("csi.storage.k8s.io/ephemeral", ephemeral),
            ("csi.storage.k8s.io/pod.name", "web"),
            ("csi.storage.k8s.io/pod.namespace", "shop"),
            ("csi.storage.k8s.io/pod.uid", UID),
            ("csi.storage.k8s.io/serviceAccount.name", "app"),
            ("pool", "fast"),
        ])
    };
    let own = json!({"volumeAttributes": {
        "pool": "fast", "csi.storage.k8s.io/pod.name": "an attribute does not replace a fact",
    }});
    let mut inline = json!({"driver": DRIVER});
    merge(&mut inline, own.clone());
    let inline = volume(json!({"name": "data", "csi": inline}));
    for (spec, ephemeral) in [(disk(json!({"csi": own})), "false"), (inline, "true")] {
        let csi = Csi::new([], json!({"podInfoOnMount": true}));
        csi.set_up(&spec, &no_args()).unwrap();
        assert_eq!(context(&csi), facts(ephemeral));
        for driver in [json!({"podInfoOnMount": false}), json!({})] {
            let csi = Csi::new([], driver);
            csi.set_up(&spec, &no_args()).unwrap();
            assert_eq!(context(&csi).len(), 2);
        }
    }
    // Without a CSIDriver too.
    let csi = Csi::with([], None, |host| host);
    csi.attach(json!({}));
    csi.set_up(&disk(json!({})), &no_args()).unwrap();
    assert_eq!(context(&csi), []);
}

#[test]
fn tokens_are_added_where_the_driver_wants_them() {
    let requests = json!([
        {"audience": "vault", "expirationSeconds": 600},
        {"audience": ""},
    ]);
    let expected = "{\"\":{\"token\":\"for \",\"expirationTimestamp\":\"2030-01-01T00:00:00Z\"},\
                    \"vault\":{\"token\":\"for vault\",\
                    \"expirationTimestamp\":\"2030-01-01T00:00:00Z\"}}";
    for in_secrets in [None, Some(false), Some(true)] {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        let csi = Csi::with(
            [],
            Some(json!({
                "attachRequired": false, "tokenRequests": requests,
                "serviceAccountTokenInSecrets": in_secrets,
            })),
            move |host| {
                host.tokens(move |namespace, name, request| {
                    let spec = serde_json::to_value(&request.spec).unwrap();
                    let audience = spec["audiences"].as_array().into_iter().flatten().next();
                    let audience = audience.and_then(Value::as_str).unwrap_or_default();
                    let answer = answered(request, &format!("for {audience}"));
                    seen.lock()
                        .unwrap()
                        .push((format!("{namespace}/{name}"), spec));
                    Ok(answer)
                })
            },
        );
        let secret =
            json!({"csi": {"nodePublishSecretRef": {"name": "publish", "namespace": "shop"}}});
        csi.set_up(&disk(secret), &no_args()).unwrap();
        let request = csi.published();
        let secrets = request.secrets.0;
        assert_eq!(secrets["key"], "of publish");
        let (with, without) = match in_secrets {
            Some(true) => (secrets, request.volume_context),
            _ => (request.volume_context, secrets),
        };
        assert_eq!(with[TOKENS], expected);
        assert!(!without.contains_key(TOKENS));

        let asked = asked.lock().unwrap();
        assert!(
            asked.iter().all(|(account, _)| account == "shop/app"),
            "{asked:?}"
        );
        let bound = json!({"apiVersion": "v1", "kind": "Pod", "name": "web", "uid": UID});
        assert_eq!(
            asked[0].1,
            json!({"audiences": ["vault"], "expirationSeconds": 600, "boundObjectRef": bound})
        );
        assert_eq!(asked[1].1["expirationSeconds"], Value::Null);
        assert_eq!(asked[1].1["audiences"].as_array().map_or(0, Vec::len), 0);
    }
}

#[test]
fn a_token_that_is_refused_may_come() {
    let driver = json!({"attachRequired": false, "tokenRequests": [{"audience": "vault"}]});
    // The second host has no tokens at all.
    for refuses in [true, false] {
        let csi = Csi::with([], Some(driver.clone()), |host| match refuses {
            true => host.tokens(|_, _, _| Err(kubernetes_volume::Error::other("refused"))),
            false => host,
        });
        let error = csi.set_up(&disk(json!({})), &no_args()).unwrap_err();
        assert!(error.is_transient(), "{error}");
        assert!(csi.on_disk().is_empty() && csi.calls().is_empty());
    }
    // Nobody asks for tokens that no driver wants.
    let csi = Csi::new([], json!({"tokenRequests": []}));
    csi.set_up(&disk(json!({})), &no_args()).unwrap();
}

#[test]
fn a_volume_is_published_again_where_the_driver_wants_it() {
    let inline = volume(json!({"name": "data", "csi": {"driver": DRIVER}}));
    for (driver, expected) in [
        (json!({"requiresRepublish": true}), true),
        (json!({"requiresRepublish": false}), false),
        (json!({}), false),
    ] {
        let csi = Csi::new([], driver);
        for spec in [disk(json!({})), inline.clone()] {
            assert_eq!(csi.plugin().requires_remount(&spec), expected);
        }
    }
    let csi = Csi::with([], None, |host| host);
    assert!(!csi.plugin().requires_remount(&inline));
    assert!(!csi.plugin().requires_remount(&Spec::default()));
}
