//! Definitions in a cluster, by their names.

use std::error::Error;
use std::path::PathBuf;

/// Reads definitions from the cluster of the kubeconfig's current context, or of another one.
/// Returns their texts, each with the name of a file that it could be in.
///
/// # Errors
///
/// There is no kubeconfig, no such context or definition, or no access; or the program was built
/// without the feature `cluster`.
#[cfg(feature = "cluster")]
pub fn read(context: &str, names: &[String]) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(with_client::read(context, names))
}

/// Reads definitions from a cluster, if the program could.
///
/// # Errors
///
/// The program was built without the feature `cluster`.
#[cfg(not(feature = "cluster"))]
pub fn read(_: &str, names: &[String]) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let names = names.join(" ");
    Err(format!(
        "error: --cluster: the program was built without its feature `cluster`\n  help: install it \
         with `cargo install kubernetes-crdgen --features cluster`, or run `kubectl get crd {names} \
         -o yaml | kubernetes-crdgen - …`"
    )
    .into())
}

#[cfg(feature = "cluster")]
mod with_client {
    use std::error::Error;
    use std::path::PathBuf;
    use std::time::Duration;

    use kube::api::{ApiResource, DynamicObject};
    use kube::config::KubeConfigOptions;
    use kube::core::GroupVersionKind;
    use kube::{Api, Client, Config};

    /// The time after which a server that doesn't answer has failed.
    const PATIENCE: Duration = Duration::from_secs(30);

    pub(super) async fn read(
        context: &str,
        names: &[String],
    ) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
        let options = KubeConfigOptions {
            context: (!context.is_empty()).then(|| context.to_owned()),
            ..KubeConfigOptions::default()
        };
        let config = Config::from_kubeconfig(&options).await;
        let mut config = config.map_err(|error| {
            format!(
                "error: --cluster: {}\n  help: the kubeconfig is the file that KUBECONFIG names, or \
                 ~/.kube/config; `kubectl config get-contexts` lists its contexts",
                chain(&error)
            )
        })?;
        (config.connect_timeout, config.read_timeout) = (Some(PATIENCE), Some(PATIENCE));
        let url = config.cluster_url.to_string();
        let client = Client::try_from(config)
            .map_err(|error| format!("error: --cluster: {}", chain(&error)))?;
        let kind = "CustomResourceDefinition";
        let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", kind);
        let kind = ApiResource::from_gvk(&kind);
        // Not as a type, which would lose what is newer than it.
        let api: Api<DynamicObject> = Api::all_with(client, &kind);
        let mut texts = Vec::new();
        for name in names {
            let found = api.get(name).await;
            let found = found.map_err(|error| failed(name, &url, &error))?;
            let text = k8s_openapi::serde_json::to_string(&found)?;
            texts.push((PathBuf::from(format!("{name}.json")), text));
        }
        Ok(texts)
    }

    /// The error about a definition that a server didn't give.
    fn failed(name: &str, url: &str, error: &kube::Error) -> String {
        let (said, help) = match error {
            kube::Error::Api(status) if status.code == 404 => (
                "there is none of this name".to_owned(),
                "`kubectl get crd` lists them; a name is as in `certificates.cert-manager.io`",
            ),
            kube::Error::Api(status) if [401, 403].contains(&status.code) => (
                status.message.clone(),
                "the user of the context needs the verb `get` of customresourcedefinitions",
            ),
            kube::Error::Api(status) => (status.message.clone(), "ask the server's administrator"),
            other => (chain(other), "is the server of the context there?"),
        };
        format!("error: the CustomResourceDefinition {name} of {url}: {said}\n  help: {help}")
    }

    /// An error with its causes, each said once.
    fn chain(error: &dyn Error) -> String {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        text
    }
}
