//! Objects without `managedFields`.

use futures::TryStreamExt;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::api::{ListParams, PostParams, WatchEvent, WatchParams};
use kubernetes_kinds::Lean;
use kubernetes_kinds::protobuf::to_vec;
use kubernetes_protobuf::Api;
use storage_v1::StorageClass;

use crate::support::{PROTOBUF, STREAM, answer, class, event, list, server};

#[tokio::test]
async fn lean_objects_are_read_and_written() {
    let mut managed = class("fast", "7");
    managed.metadata.managed_fields = Some(vec![ManagedFieldsEntry::default()]);
    let (client, _) = server([
        answer(200, PROTOBUF, to_vec(&managed)),
        answer(200, PROTOBUF, list(&[managed.clone()], "9", "")),
        answer(200, STREAM, event("ADDED", &to_vec(&managed))),
        answer(201, PROTOBUF, to_vec(&managed)),
    ]);
    let classes: Api<Lean<StorageClass>> = Api::all(client);
    let expected = Lean::from(managed);
    assert_eq!(classes.get("fast").await.unwrap(), expected);
    let list = classes.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items, std::slice::from_ref(&expected));
    let events = classes.watch(&WatchParams::default(), "9").await.unwrap();
    let events: Vec<_> = events.try_collect().await.unwrap();
    assert!(matches!(events.as_slice(), [WatchEvent::Added(class)] if *class == expected));
    let params = PostParams::default();
    let created = classes.create(&params, &expected);
    assert_eq!(created.await.unwrap(), expected);
}
