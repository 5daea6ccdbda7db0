//! Modules of gRPC that are made from `.proto` files.

use serde::Deserialize;

/// A module of messages, clients and servers, made from a `.proto` file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grpc {
    /// The file, below `spec/`.
    pub file: String,
    /// The package that has the module, a folder of the repository.
    pub package: String,
    /// The folder of the module in the package: `src/v1`.
    pub module: String,
    /// The type of maps whose fields have the option `csi_secret`, which derefs to a `BTreeMap` of
    /// strings, and never prints them.
    pub secrets: Option<String>,
    /// The messages for which the package has a `Debug` of its own.
    #[serde(default, rename = "own-debug")]
    pub own_debug: Vec<String>,
    /// The rules by which the requests of its services are checked, if any are.
    pub rules: Option<GrpcRules>,
}

/// The file with the rules of requests, made from the annotations and types of their fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcRules {
    /// The package that has the file, a folder of the repository.
    pub package: String,
    /// The file in the package. The modules beside it have what the rules call.
    pub file: String,
    /// The path of the module with the messages: `kubernetes_csi::v1`.
    pub messages: String,
}
