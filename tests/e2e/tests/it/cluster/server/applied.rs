//! Server-side apply with the generated types: what a manager owns is what it has set, and no
//! more, and what is extracted of the live object is what was applied.

use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use kube::api::{Api, Patch, PatchParams};
use kubernetes_kinds::apply::ExtractError;
use kubernetes_kinds::{Release, WithMetadata};
use serde_json::{Value, json};
use storage_v1::{
    CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass,
    apply,
};

use super::owned::{fields, owned};
use super::served::{Served, api, delete, kind_of};
use super::{run, run_for};

/// A kind with examples of what is applied.
pub(crate) trait Applied: Served + kubernetes_kinds::Kind {
    /// Returns an object to apply, with many fields set.
    fn full() -> Self::Apply;

    /// The same without something that it doesn't need, at this place, a JSON pointer.
    fn less() -> (Self::Apply, &'static str);

    /// A field that is set in what makes an object, with another value that the release allows.
    fn changed(release: Release) -> Self::Apply;

    /// Extracts the fields that the manager has applied, by the function of the type.
    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError>;
}

impl Applied for CSIDriver {
    fn full() -> Self::Apply {
        let spec = apply::CSIDriverSpec::new()
            .with_attach_required(false)
            .with_requires_republish(false)
            .with_token_requests([apply::TokenRequest::new().with_audience("vault")])
            .with_volume_lifecycle_modes(["Persistent", "Ephemeral"]);
        Self::Apply::new("").with_spec(spec)
    }

    fn less() -> (Self::Apply, &'static str) {
        let spec = apply::CSIDriverSpec::new()
            .with_attach_required(false)
            .with_volume_lifecycle_modes(["Persistent", "Ephemeral"]);
        (Self::Apply::new("").with_spec(spec), "/spec/tokenRequests")
    }

    fn changed(_: Release) -> Self::Apply {
        let spec = apply::CSIDriverSpec::new().with_requires_republish(true);
        Self::Apply::new("").with_spec(spec)
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::CSIDriver::extract(live, manager)
    }
}

fn node_driver(name: &str, count: i32) -> apply::CSINodeDriver {
    apply::CSINodeDriver::new()
        .with_name(name)
        .with_allocatable(apply::VolumeNodeResources::new().with_count(count))
}

impl Applied for CSINode {
    fn full() -> Self::Apply {
        let [a, b] = [("a.example.com", 1), ("b.example.com", 2)].map(|(name, count)| {
            node_driver(name, count)
                .with_node_id("i-1")
                .with_topology_keys(["zone"])
        });
        let spec = apply::CSINodeSpec::new().with_drivers([a, b]);
        Self::Apply::new("")
            .with_spec(spec)
            .with_annotation("note", "full")
    }

    fn less() -> (Self::Apply, &'static str) {
        let mut less = Self::full();
        let spec = less.spec.as_mut();
        let drivers = spec.and_then(|spec| spec.drivers.as_mut());
        drivers.unwrap().pop();
        (less, "/spec/drivers/1")
    }

    fn changed(release: Release) -> Self::Apply {
        // Before, nothing of a driver can be changed.
        if release < Release::new(1, 33) {
            return Self::Apply::new("").with_annotation("note", "changed");
        }
        let drivers = [node_driver("a.example.com", 3)];
        let spec = apply::CSINodeSpec::new().with_drivers(drivers);
        Self::Apply::new("").with_spec(spec)
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::CSINode::extract(live, manager)
    }
}

fn size(text: &str) -> Quantity {
    Quantity(text.to_owned())
}

impl Applied for CSIStorageCapacity {
    fn full() -> Self::Apply {
        let (less, _) = Self::less();
        less.with_capacity(size("1Gi"))
            .with_maximum_volume_size(size("1Mi"))
    }

    fn less() -> (Self::Apply, &'static str) {
        (
            Self::Apply::default().with_storage_class_name("fast"),
            "/maximumVolumeSize",
        )
    }

    fn changed(_: Release) -> Self::Apply {
        Self::Apply::default().with_capacity(size("2Gi"))
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::CSIStorageCapacity::extract(live, manager)
    }
}

impl Applied for StorageClass {
    fn full() -> Self::Apply {
        let (less, _) = Self::less();
        less.with_mount_options(["noatime"])
            .with_allow_volume_expansion(false)
    }

    fn less() -> (Self::Apply, &'static str) {
        let class = Self::Apply::new("")
            .with_provisioner("a")
            .with_parameters([("type", "ssd"), ("empty", "")]);
        (class, "/mountOptions")
    }

    fn changed(_: Release) -> Self::Apply {
        Self::Apply::new("").with_allow_volume_expansion(true)
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::StorageClass::extract(live, manager)
    }
}

impl Applied for VolumeAttachment {
    fn full() -> Self::Apply {
        Self::less()
            .0
            .with_annotation("note", "full")
            .with_annotation("more", "")
    }

    fn less() -> (Self::Apply, &'static str) {
        let source = apply::VolumeAttachmentSource::new();
        let spec = apply::VolumeAttachmentSpec::new()
            .with_attacher("a")
            .with_node_name("node-1")
            .with_source(source.with_persistent_volume_name("pv-1"));
        (
            Self::Apply::new("").with_spec(spec),
            "/metadata/annotations/more",
        )
    }

    fn changed(_: Release) -> Self::Apply {
        Self::Apply::new("").with_annotation("note", "changed")
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::VolumeAttachment::extract(live, manager)
    }
}

impl Applied for VolumeAttributesClass {
    fn full() -> Self::Apply {
        Self::less()
            .0
            .with_annotation("note", "full")
            .with_annotation("more", "")
    }

    fn less() -> (Self::Apply, &'static str) {
        let class = Self::Apply::new("")
            .with_driver_name("a.example.com")
            .with_parameters([("iops", "1")]);
        (class, "/metadata/annotations/more")
    }

    fn changed(_: Release) -> Self::Apply {
        Self::Apply::new("").with_annotation("note", "changed")
    }

    fn extract(live: &Self, manager: &str) -> Result<Self::Apply, ExtractError> {
        apply::VolumeAttributesClass::extract(live, manager)
    }
}

/// One object, to which managers apply.
pub(crate) struct Applying<K: Applied> {
    api: Api<K>,
    name: String,
}

impl<K: Applied> Applying<K> {
    pub(crate) fn new(api: &Api<K>, name: &str) -> Self {
        Self {
            api: api.clone(),
            name: name.to_owned(),
        }
    }

    /// Applies under a manager's name.
    async fn try_apply(&self, manager: &str, object: &K::Apply, force: bool) -> kube::Result<K> {
        let mut params = PatchParams::apply(manager);
        params.force = force;
        let object = object.clone().with_name(&self.name);
        self.api
            .patch(&self.name, &params, &Patch::Apply(object))
            .await
    }

    /// Applies, and checks that the manager owns all that it has set and nothing else.
    pub(crate) async fn apply(&self, manager: &str, object: &K::Apply) -> K {
        let live = self.try_apply(manager, object, false).await.unwrap();
        self.check(&live, manager, object);
        live
    }

    /// The manager owns what it has set, and that is what is extracted.
    pub(crate) fn check(&self, live: &K, manager: &str, object: &K::Apply) {
        let mut object = object.clone().with_name(&self.name);
        object.metadata_mut().namespace = live.metadata().namespace.clone();
        assert_eq!(
            owned(live, manager, None),
            fields::<K>(&object),
            "{object:#?}"
        );
        assert_eq!(K::extract(live, manager).as_ref(), Ok(&object));
    }

    /// To apply what was extracted changes nothing.
    pub(crate) async fn apply_again(&self, live: &K, manager: &str) {
        let again = K::extract(live, manager).unwrap();
        assert_eq!(self.apply(manager, &again).await, *live);
    }
}

const FIRST: &str = "e2e-first";
const SECOND: &str = "e2e-second";

/// Each manager owns what it has set, and keeps it until it sets less.
fn managed_fields<K: Applied>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        let applying = Applying::new(&api, "applied");
        let first = K::full().with_label("first", "a");
        let live = applying.apply(FIRST, &first).await;
        applying.apply_again(&live, FIRST).await;

        let second = K::Apply::default().with_label("second", "b");
        let live = applying.apply(SECOND, &second).await;
        applying.check(&live, FIRST, &first);
        applying.apply_again(&live, FIRST).await;
        applying.apply_again(&live, SECOND).await;

        // A field that both set alike isn't a conflict, and stays until both give it up.
        let shared = second.clone().with_label("first", "a");
        let live = applying.apply(SECOND, &shared).await;
        applying.check(&live, FIRST, &first);
        let live = applying.apply(SECOND, &second).await;
        assert_eq!(live.metadata().labels.as_ref().unwrap()["first"], "a");

        let (less, gone) = K::less();
        let before = serde_json::to_value(&live).unwrap();
        assert!(before.pointer(gone).is_some(), "{before:#}");
        let live = applying.apply(FIRST, &less).await;
        applying.check(&live, SECOND, &second);
        let after = serde_json::to_value(&live).unwrap();
        assert_eq!(after.pointer(gone), None);
        let labels = live.metadata().labels.as_ref().unwrap();
        assert_eq!(Vec::from_iter(labels.keys()), ["second"]);
        delete(&api, "applied").await;
    });
}

/// A manager that changes a field of another gets a conflict, and takes it over by force.
fn conflicts<K: Applied>() {
    run_for(&[kind_of::<K>()], async |server| {
        let api = api::<K>(&server.client).await;
        let applying = Applying::new(&api, "conflicts");
        let (first, second) = (K::full(), K::changed(server.release));
        let live = applying.apply(FIRST, &first).await;

        let refused = applying.try_apply(SECOND, &second, false).await;
        let Err(kube::Error::Api(status)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!((status.code, status.reason.as_str()), (409, "Conflict"));
        let causes = status.details.as_ref().unwrap().causes.as_slice();
        let [cause] = causes else {
            panic!("{causes:?}");
        };
        assert_eq!(cause.reason, "FieldManagerConflict");
        assert!(cause.message.contains(FIRST), "{cause:?}");
        assert_eq!(api.get("conflicts").await.unwrap(), live);

        let live = applying.try_apply(SECOND, &second, true).await.unwrap();
        applying.check(&live, SECOND, &second);
        let changed = serde_json::to_value(&live).unwrap();
        let taken = serde_json::to_value(K::extract(&live, FIRST).unwrap()).unwrap();
        let whole = serde_json::to_value(first.with_name("conflicts")).unwrap();
        assert_eq!(
            leaves(&whole) - leaves(&taken) + namespaces(&taken),
            1,
            "{taken:#}"
        );
        // Now the first doesn't own it, so that applying what it does own isn't a conflict.
        let own = K::extract(&live, FIRST).unwrap();
        let live = applying.apply(FIRST, &own).await;
        assert_eq!(serde_json::to_value(&live).unwrap(), changed);
        delete(&api, "conflicts").await;
    });
}

/// The number of texts, numbers and the like in a value.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(leaves).sum(),
        Value::Array(items) => items.iter().map(leaves).sum(),
        _ => 1,
    }
}

/// Extracted objects have a namespace if their kind has one.
fn namespaces(value: &Value) -> usize {
    usize::from(value["metadata"]["namespace"].is_string())
}

each_kind! { managed_fields conflicts }

/// Fields that Go leaves out of the live object can't be extracted, owned or not, and an empty list
/// whose elements have owners of their own isn't owned.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn what_is_empty() {
    run(async |server| {
        let classes = api::<StorageClass>(&server.client).await;
        let class = apply::StorageClass::new("empty").with_provisioner("a");
        let empty = class
            .clone()
            .with_parameters([("", ""); 0])
            .with_mount_options([""; 0])
            .with_allow_volume_expansion(false);
        let params = PatchParams::apply(FIRST);
        let live = classes
            .patch("empty", &params, &Patch::Apply(&empty))
            .await
            .unwrap();
        let owns = json!({"f:provisioner": {}, "f:parameters": {}, "f:mountOptions": {},
            "f:allowVolumeExpansion": {}});
        assert_eq!(owned(&live, FIRST, None), owns);
        let extracted = apply::StorageClass::extract(&live, FIRST);
        assert_eq!(extracted, Ok(class.with_allow_volume_expansion(false)));
        delete(&classes, "empty").await;

        let drivers = api::<CSIDriver>(&server.client).await;
        let spec = apply::CSIDriverSpec::new()
            .with_attach_required(false)
            .with_volume_lifecycle_modes([""; 0]);
        let driver = apply::CSIDriver::new("empty").with_spec(spec);
        let live = drivers
            .patch("empty", &params, &Patch::Apply(&driver))
            .await
            .unwrap();
        let owns = json!({"f:spec": {"f:attachRequired": {}}});
        assert_eq!(owned(&live, FIRST, None), owns);
        let spec = apply::CSIDriverSpec::new().with_attach_required(false);
        let extracted = apply::CSIDriver::extract(&live, FIRST);
        assert_eq!(
            extracted,
            Ok(apply::CSIDriver::new("empty").with_spec(spec))
        );
        delete(&drivers, "empty").await;
    });
}
