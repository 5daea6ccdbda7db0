//! Errors of servers and of answers that can't be read.

use kube::Error;
use kube::api::ListParams;
use kubernetes_kinds::protobuf::to_vec;
use kubernetes_protobuf::Api;
use storage_v1::{CSINode, StorageClass};

use crate::support::{JSON, PROTOBUF, answer, class, envelope, server, status};

async fn error_of(code: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Error {
    let (client, _) = server([answer(code, content_type, body)]);
    let classes: Api<StorageClass> = Api::all(client);
    classes.get("fast").await.unwrap_err()
}

#[tokio::test]
async fn statuses_are_read_in_any_format() {
    let in_json = r#"{"kind": "Status", "code": 409, "reason": "Conflict", "message": "old"}"#;
    for content_type in [PROTOBUF, JSON, "text/plain"] {
        for body in [status(409, "Conflict", "old"), in_json.into()] {
            let Error::Api(status) = error_of(409, content_type, body).await else {
                panic!("not an error of the server");
            };
            assert!(status.is_conflict());
            assert_eq!((status.code, status.message.as_str()), (409, "old"));
        }
    }
}

#[tokio::test]
async fn other_bodies_become_the_message() {
    for (body, message) in [
        (&b"no backend\n"[..], "no backend"),
        (b"\xff\xfe", "\u{fffd}\u{fffd}"),
        (b"", ""),
        (b"k8s\0\x0a\xff", "k8s\0\n\u{fffd}"),
        (b"[1]", "[1]"),
        (b"{\"error\": 1}", "{\"error\": 1}"),
    ] {
        let Error::Api(status) = error_of(503, "text/html", body).await else {
            panic!("not an error of the server");
        };
        assert_eq!((status.code, status.message.as_str()), (503, message));
    }
}

#[tokio::test]
async fn a_status_without_a_code_has_that_of_the_answer() {
    let Error::Api(status) = error_of(404, PROTOBUF, status(0, "", "gone")).await else {
        panic!("not an error of the server");
    };
    assert_eq!((status.code, status.message.as_str()), (404, "gone"));
}

#[tokio::test]
async fn absence_is_none() {
    let (client, _) = server([
        answer(404, PROTOBUF, status(404, "NotFound", "none")),
        answer(403, PROTOBUF, status(403, "Forbidden", "no")),
        answer(200, PROTOBUF, to_vec(&class("fast", "1"))),
    ]);
    let classes: Api<StorageClass> = Api::all(client);
    assert!(classes.get_opt("fast").await.unwrap().is_none());
    assert!(classes.get_opt("fast").await.is_err());
    assert!(classes.get_opt("fast").await.unwrap().is_some());
}

#[tokio::test]
async fn unreadable_answers_say_where() {
    for (content_type, body, message) in [
        (
            PROTOBUF,
            to_vec(&CSINode::default()),
            "the object is \"storage.k8s.io/v1 CSINode\", \
             expected \"storage.k8s.io/v1 StorageClass\"",
        ),
        (
            PROTOBUF,
            b"{}".to_vec(),
            "the input isn't an object in Kubernetes' protobuf",
        ),
        (
            PROTOBUF,
            envelope("storage.k8s.io/v1", "StorageClass", &[10, 9, 1]),
            "StorageClass, field 1: a length of 9 bytes exceeds the input",
        ),
        (JSON, b"{".to_vec(), "EOF while parsing"),
    ] {
        let error = error_of(200, content_type, body).await;
        assert!(matches!(error, Error::SerdeError(_)), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[tokio::test]
async fn a_list_of_another_kind_is_an_error() {
    let body = envelope("storage.k8s.io/v1", "CSINodeList", &[]);
    let (client, _) = server([answer(200, PROTOBUF, body)]);
    let classes: Api<StorageClass> = Api::all(client);
    let error = classes.list(&ListParams::default()).await.unwrap_err();
    let message = "expected \"storage.k8s.io/v1 StorageClassList\"";
    assert!(error.to_string().contains(message), "{error}");
}
