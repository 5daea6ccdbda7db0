//! Kinds and their parts in custom resources: the server takes the JSON Schemas of the types, and
//! refuses with them what breaks them.

use conformance::valid;
use fastrand::Rng;
use k8s_openapi::Resource;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::schemars::generate::SchemaSettings;
use kube::api::{Api, ApiResource, DynamicObject, PostParams};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage_v1::{CSIDriverSpec, CSINodeDriver, StorageClass, VolumeBindingMode};

use super::run;
use crate::cluster::definitions::define;

/// Storage that a team may order.
#[derive(Clone, Debug, CustomResource, Deserialize, JsonSchema, PartialEq, Serialize)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Offer",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
struct OfferSpec {
    binding: VolumeBindingMode,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<VolumeBindingMode>,
    class: StorageClass,
    driver: Option<CSIDriverSpec>,
    #[serde(default)]
    drivers: Vec<CSINodeDriver>,
}

/// The paths of the fields that the server refuses.
fn fields(error: kube::Error) -> Vec<String> {
    let kube::Error::Api(status) = error else {
        panic!("{error}");
    };
    let details = status.details.unwrap();
    let mut fields: Vec<_> = details
        .causes
        .into_iter()
        .map(|cause| cause.field)
        .collect();
    fields.sort();
    fields
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn a_custom_resource_with_our_types() {
    run(async |server| {
        define(&server.client, &[Offer::crd()]).await;
        let offers: Api<Offer> = Api::all(server.client.clone());
        let spec = OfferSpec {
            binding: VolumeBindingMode::Immediate,
            fallback: None,
            class: StorageClass::new("fast", "csi.example.com"),
            driver: Some(CSIDriverSpec::new()),
            drivers: vec![CSINodeDriver::new("csi.example.com", "i-1")],
        };
        let params = PostParams::default();
        let created = offers
            .create(&params, &Offer::new("good", spec.clone()))
            .await
            .unwrap();
        assert_eq!(created.spec.binding, spec.binding);
        assert_eq!(created.spec.drivers, spec.drivers);
        // The defaults of the types are those of the custom resource.
        let mode = created.spec.class.volume_binding_mode;
        assert_eq!(mode, Some(VolumeBindingMode::Immediate));
        assert_eq!(created.spec.driver.unwrap().attach_required, Some(true));

        let mut bad = Offer::new("bad", spec);
        bad.spec.binding = VolumeBindingMode::from("Never");
        bad.spec.class.provisioner = "a/b/c".to_owned();
        bad.spec.drivers[0].name = "d".repeat(64);
        let refused = offers.create(&params, &bad).await.unwrap_err();
        assert_eq!(
            fields(refused),
            [
                "spec.binding",
                "spec.class.provisioner",
                "spec.drivers[0].name"
            ]
        );
    });
}

/// The custom resource for a row of the list of kinds.
fn resource(row: &str) -> ApiResource {
    let plural = row.replace('_', "");
    ApiResource {
        group: "example.com".to_owned(),
        version: "v1".to_owned(),
        api_version: "example.com/v1".to_owned(),
        kind: format!("Of{plural}"),
        plural,
    }
}

/// Its definition: an object has one of ours in the field `object`.
fn holding(resource: &ApiResource, schema: &Value) -> CustomResourceDefinition {
    let ApiResource { plural, kind, .. } = resource;
    let version = json!({
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"object": schema}}},
    });
    let definition = json!({
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Cluster",
            "names": {"plural": plural, "kind": kind}, "versions": [version],
        },
    });
    serde_json::from_value(definition).unwrap()
}

/// The server takes the schema of each kind, with all that is in it, and accepts with it what it
/// accepts of the kind.
#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn the_schema_of_every_kind() {
    run(async |server| {
        let mut settings = SchemaSettings::openapi3();
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        let mut generator = settings.into_generator();
        macro_rules! schemas {
            ($($name:ident: $kind:ty $(, $part:ident = $type:ty)*;)*) => {
                [$((stringify!($name), <$kind>::API_VERSION, <$kind>::KIND,
                    <$kind>::json_schema(&mut generator).to_value())),*]
            };
        }
        let kinds = storage_all::for_each_kind!(schemas);
        let resources = kinds.each_ref().map(|(name, ..)| resource(name));
        let definitions = kinds.iter().zip(&resources);
        let definitions: Vec<_> = definitions
            .map(|((_, _, _, schema), resource)| holding(resource, schema))
            .collect();
        define(&server.client, &definitions).await;

        let mut rng = Rng::with_seed(5);
        for ((_, api_version, kind, _), resource) in kinds.iter().zip(&resources) {
            let served = valid::Kind::ALL
                .into_iter()
                .find(|known| known.name() == *kind);
            let Some(known) = served.filter(|_| !api_version.starts_with("csi")) else {
                continue;
            };
            let api: Api<DynamicObject> = Api::all_with(server.client.clone(), resource);
            for number in 0..10 {
                let name = format!("object-{number}");
                let mut object = known.object(&mut rng, &name);
                object["apiVersion"] = (*api_version).into();
                let sent = DynamicObject::new(&name, resource).data(json!({"object": object}));
                let created = api.create(&PostParams::default(), &sent).await;
                created.unwrap_or_else(|error| panic!("{object}: {error}"));
            }
        }
    });
}
