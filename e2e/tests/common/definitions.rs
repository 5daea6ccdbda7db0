//! Definitions of custom resources.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Client, ResourceExt as _};

/// Creates definitions and waits until the server serves them.
pub(crate) async fn define(client: &Client, all: &[CustomResourceDefinition]) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    for definition in all {
        let created = definitions.create(&PostParams::default(), definition).await;
        created.unwrap_or_else(|error| panic!("{}: {error}", definition.name_any()));
    }
    for definition in all {
        let is_established = conditions::is_crd_established();
        let name = definition.name_any();
        await_condition(definitions.clone(), &name, is_established).await.unwrap();
    }
}
