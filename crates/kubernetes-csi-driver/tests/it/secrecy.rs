//! Secrets are in no log and no answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use kubernetes_csi::Secrets;
use kubernetes_csi::v1::volume_capability::{AccessMode, AccessType, MountVolume};
use kubernetes_csi::v1::{NodePublishVolumeRequest, VolumeCapability};
use kubernetes_csi_driver::model::Mount;
use kubernetes_csi_driver::mounts;
use prost_reflect::MethodDescriptor;
use tonic::{Code, Status};

use crate::annotations::Annotations;
use crate::example::{Example, map};
use crate::said;
use crate::support::{Call, Fake, Logs, Script, Server, driver, every_call};

const PASSWORD: &str = "swordfish";

/// The key under which the kubelet sends tokens.
const TOKENS: &str = "csi.storage.k8s.io/serviceAccount.tokens";

const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOlsiYSJdfQ.c2lnbmF0dXJl-_";

/// The tokens as the kubelet writes them.
fn tokens() -> String {
    format!(
        r#"{{"":{{"token":"first.{TOKEN}","expirationTimestamp":"2026-01-01T00:00:00Z"}},"token":{{"token":"{TOKEN}","expirationTimestamp":"2026-01-01T00:00:00Z"}}}}"#
    )
}

async fn serve() -> (Arc<Fake>, Server) {
    let fake = Fake::with_more();
    let server = Server::of(driver(&fake).build().unwrap()).await;
    (fake, server)
}

/// Returns a valid request with secrets, if the call has them.
fn with_secrets(call: &MethodDescriptor, annotations: &Annotations) -> Option<Call> {
    let field = call.input().get_field_by_name("secrets")?;
    let example = Example {
        annotations,
        choice: 0,
        is_full: true,
    };
    let mut message = example.message(&call.input());
    let secrets = [("password".to_owned(), PASSWORD.to_owned())];
    message.set_field(&field, map(secrets));
    let name = format!("{}/{}", call.parent_service().name(), call.name());
    Some(Call::of(&name, &message))
}

/// Returns what the driver does wrong, by what it is called.
fn leaks(text: &str) -> [(&'static str, Script); 5] {
    let text = || text.to_owned();
    [
        ("fails", Script::Fail(text())),
        ("panics", Script::Panic(text())),
        ("refuses", Script::Refuse(text())),
        ("fails later", Script::FailLater(text())),
        ("panics later", Script::PanicLater(text())),
    ]
}

/// Returns what is sent to the caller: all messages, or the error with all that belongs to it.
fn sent(answer: &Result<Vec<Vec<u8>>, Status>) -> String {
    match answer {
        Ok(messages) => String::from_utf8_lossy(&messages.concat()).into_owned(),
        Err(status) => format!("{status:?}"),
    }
}

#[tokio::test]
async fn of_all_requests() {
    let annotations = Annotations::read();
    let (fake, server) = serve().await;
    let calls = every_call();
    let calls = calls
        .iter()
        .filter_map(|call| Some((call.name(), with_secrets(call, &annotations)?)));
    let calls: Vec<_> = calls.collect();
    assert_eq!(calls.len(), 22);
    for (name, call) in calls {
        fake.script(Script::Succeed);
        let logs = Logs::capture();
        let answer = call.send(&server.channel).await;
        assert!(!sent(&answer).contains(PASSWORD));
        if answer
            .as_ref()
            .is_err_and(|status| status.code() == Code::Unimplemented)
        {
            // Health.
            continue;
        }
        answer.unwrap();
        let log = logs.take();
        assert!(
            log.contains("the driver is called request="),
            "{name}: {log}"
        );
        assert!(
            log.contains(&format!("csi{{call=\"{name}\"")),
            "{name}: {log}"
        );
        assert!(!log.contains(PASSWORD), "{name}: {log}");
        for (how, script) in leaks(&format!("can't log in with {PASSWORD}")) {
            fake.script(script);
            let sent = sent(&call.send(&server.channel).await);
            let log = logs.take();
            assert!(!log.contains(PASSWORD), "{name} {how}: {log}");
            assert!(!sent.contains(PASSWORD), "{name} {how}: {sent}");
            let masked = "can't log in with <masked>";
            // The cause of an error is logged, and not sent.
            if how == "fails" {
                assert!(
                    log.contains(&format!("{masked}: {masked}")),
                    "{name}: {log}"
                );
                assert!(sent.contains(masked), "{name}: {sent}");
            }
            if how == "panics" {
                assert!(log.contains(masked), "{name}: {log}");
            }
        }
    }
}

/// The texts of the kit's own answers that have text of the driver.
#[tokio::test]
async fn what_is_left_of_the_text() {
    let annotations = Annotations::read();
    let (fake, server) = serve().await;
    let _logs = Logs::capture();
    let mut seen = BTreeSet::new();
    for call in every_call() {
        let Some(request) = with_secrets(&call, &annotations) else {
            continue;
        };
        for (how, script) in leaks(&format!("no {PASSWORD}")) {
            fake.script(script);
            let sent = sent(&request.send(&server.channel).await);
            if how.ends_with("later") || how == "refuses" {
                let what = match sent.contains("no <masked>") {
                    true => "masked",
                    false if sent.contains("the driver panicked in") => "panicked",
                    false => continue,
                };
                seen.insert(format!("{} {how}: {what}", call.name()));
            }
        }
    }
    let expected = [
        "GetMetadataAllocated fails later: masked",
        "GetMetadataAllocated panics later: panicked",
        "GetMetadataDelta fails later: masked",
        "GetMetadataDelta panics later: panicked",
        "ValidateVolumeCapabilities refuses: masked",
    ];
    assert_eq!(seen, expected.map(str::to_owned).into());
}

fn publish() -> NodePublishVolumeRequest {
    let mount = MountVolume {
        mount_flags: vec![format!("password={PASSWORD}")],
        ..Default::default()
    };
    NodePublishVolumeRequest {
        volume_id: "volume-1".to_owned(),
        target_path: "/target".to_owned(),
        staging_target_path: "/staged".to_owned(),
        volume_capability: Some(VolumeCapability {
            access_type: Some(AccessType::Mount(mount)),
            access_mode: Some(AccessMode { mode: 1 }),
        }),
        ..Default::default()
    }
}

#[tokio::test]
async fn of_tokens_and_mount_flags() {
    let (fake, server) = serve().await;
    let logs = Logs::capture();
    let in_context = NodePublishVolumeRequest {
        volume_context: said::map([(TOKENS, &*tokens()), ("other", "shown")]),
        ..publish()
    };
    let in_secrets = NodePublishVolumeRequest {
        secrets: Secrets::from_iter([(TOKENS, tokens())]),
        ..publish()
    };
    for request in [in_context, in_secrets] {
        let has_context = !request.volume_context.is_empty();
        let call = Call::of("Node/NodePublishVolume", &request);
        fake.script(Script::Succeed);
        call.send(&server.channel).await.unwrap();
        let log = logs.take();
        assert!(log.contains("1 options"), "{log}");
        assert!(!log.contains(PASSWORD), "{log}");
        assert!(!log.contains(TOKEN), "{log}");
        // The rest of the context is what one looks for in a log.
        assert_eq!(log.contains(r#""other": "shown""#), has_context, "{log}");
        for secret in [tokens(), TOKEN.to_owned(), format!("first.{TOKEN}")] {
            fake.script(Script::Fail(format!("refused: {secret}!")));
            let status = call.send(&server.channel).await.unwrap_err();
            assert_eq!(status.message(), "refused: <masked>!");
            let log = logs.take();
            assert!(
                log.contains("refused: <masked>!: refused: <masked>!"),
                "{log}"
            );
            assert!(!log.contains(TOKEN), "{log}");
        }
    }
}

/// A request that is refused before the driver sees it.
#[tokio::test]
async fn of_invalid_requests() {
    let (_, server) = serve().await;
    let logs = Logs::capture();
    let mut request = publish();
    request.secrets = Secrets::from_iter([("pass word", PASSWORD)]);
    request.volume_context = said::map([(TOKENS, &*tokens())]);
    for target in ["/target", "relative"] {
        request.target_path = target.to_owned();
        let call = Call::of("Node/NodePublishVolume", &request);
        let status = call.send(&server.channel).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        let all = format!("{status:?}{}", logs.take());
        for secret in [PASSWORD, "pass word", TOKEN] {
            assert!(!all.contains(secret), "{all}");
        }
    }
}

#[test]
fn of_mount_flags_when_a_directory_is_bound() {
    root_tests::as_root(|| {
        let logs = Logs::capture();
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (folder.path().join("source"), folder.path().join("target"));
        std::fs::create_dir(&source).unwrap();
        let mut mount = Mount::default();
        mount.flags.0 = vec!["noexec".to_owned(), format!("password={PASSWORD}")];
        let bound = mounts::bind_directory(&source, &target, &mount, false);
        let log = logs.take();
        assert!(log.contains("mount"), "{log}");
        let _ = mounts::unbind(&target);
        for text in [log, format!("{bound:?}")] {
            assert!(
                !text.contains("noexec") && !text.contains(PASSWORD),
                "{text}"
            );
        }
    });
}
