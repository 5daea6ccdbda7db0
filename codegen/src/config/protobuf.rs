//! The numbers of fields in Kubernetes' protobuf.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Config, Report};
use crate::release::Release;

/// Where the numbers of fields in Kubernetes' protobuf are. OpenAPI documents have none.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protobuf {
    /// The folder of the `.proto` files, in that of the documents of the newest release:
    /// `protobuf`, which becomes `v1.37/protobuf`.
    pub folder: String,
    /// The types of k8s-openapi that have numbers.
    #[serde(rename = "k8s-openapi")]
    pub k8s_openapi: Option<NumberedTypes>,
}

/// Types of k8s-openapi that are read and written as protobuf.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberedTypes {
    /// The file of the newest release with their schemas, a document of the configuration:
    /// `apis__storage.k8s.io__v1_openapi.json`, which becomes a path as that of the folder.
    pub document: String,
    /// The file with their tables, in the repository.
    pub file: String,
    /// Their schemas. The types that these refer to are added.
    pub types: Vec<String>,
    /// The releases of Kubernetes that brought fields which k8s-openapi lacks for earlier ones, by
    /// the schema and the field.
    #[serde(default)]
    pub since: BTreeMap<String, Release>,
}

impl Config {
    /// Puts the folder and the document into the folder of the newest release.
    pub(super) fn fill_in_protobuf(&mut self) {
        if let (Some(protobuf), Some(newest)) = (&mut self.protobuf, self.newest) {
            protobuf.folder = format!("v{newest}/{}", protobuf.folder);
            if let Some(types) = &mut protobuf.k8s_openapi {
                types.document = format!("v{newest}/{}", types.document);
            }
        }
    }

    pub(super) fn check_protobuf(&self, report: Report<'_>) {
        let types = self.protobuf.as_ref();
        let types = types.and_then(|protobuf| protobuf.k8s_openapi.as_ref());
        let document = types.map(|types| &types.document);
        let mut documents = self.crates.iter().flat_map(|krate| &krate.documents);
        if let Some(path) = document
            && !documents.any(|document| document.path() == *path)
        {
            report(
                format!("`{}` is no document of a crate", path.escape_debug()),
                "name one of them with the schemas of [protobuf.k8s-openapi], as in \
                 `apis__storage.k8s.io__v1_openapi.json`",
            );
        }
    }
}
