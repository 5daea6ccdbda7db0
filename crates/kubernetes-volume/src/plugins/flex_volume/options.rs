//! The options that a driver gets.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Pod;

use crate::interfaces::VolumeHost;
use crate::plugins::shared::names;
use crate::{Error, MounterArgs, Result, Spec};

/// The prefix of the options that are not the user's.
const OURS: &str = "kubernetes.io/";

/// Prefixes that users' options can't have.
const RESERVED: [&str; 2] = ["kubernetes.io", "k8s.io"];

/// Returns the driver of the volume, if it has one.
pub(super) fn driver(spec: &Spec) -> Option<&str> {
    spec.is_kubelet_expandable()
        .then(|| spec.kubelet_expandable_plugin_name())
}

/// The FlexVolume of a Pod or of a PersistentVolume.
pub(super) struct Source<'a> {
    name: &'a str,
    pub(super) fs_type: &'a str,
    pub(super) read_only: bool,
    options: Option<&'a BTreeMap<String, String>>,
    /// The Secret's namespace, which is empty for that of the Pod, and its name.
    secret: Option<(&'a str, &'a str)>,
}

impl<'a> Source<'a> {
    /// Returns the volume, which must be one of this driver.
    pub(super) fn of(spec: &'a Spec, wanted: &str) -> Result<Self> {
        let name = spec.name();
        if driver(spec) != Some(wanted) {
            return Err(Error::invalid(format!(
                "the volume {name:?} has no {wanted} as its driver"
            )));
        }
        names::one_source(spec)?;
        names::check("name of a volume", name)?;
        let source = Self::of_volume(spec).or_else(|| Self::of_persistent(spec));
        // `driver` has found one.
        let source =
            source.ok_or_else(|| Error::invalid(format!("the volume {name:?} is empty")))?;
        for key in source.options.into_iter().flatten().map(|(key, _)| key) {
            let Some((prefix, _)) = key.split_once('/') else {
                continue;
            };
            let is_reserved = RESERVED.iter().any(|reserved| {
                let rest = prefix.strip_suffix(reserved);
                rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            });
            if is_reserved {
                return Err(Error::invalid(format!(
                    "the option {key:?} of the volume {name:?} has a prefix that is reserved; \
                     use another one than {prefix:?}"
                )));
            }
        }
        Ok(source)
    }

    fn of_volume(spec: &'a Spec) -> Option<Self> {
        let source = spec.volume.as_ref()?.flex_volume.as_ref()?;
        let secret = source
            .secret_ref
            .as_ref()
            .map(|secret| ("", secret.name.as_str()));
        Some(Self {
            name: spec.name(),
            fs_type: source.fs_type.as_deref().unwrap_or_default(),
            read_only: source.read_only == Some(true),
            options: source.options.as_ref(),
            secret: secret.filter(|(_, name)| !name.is_empty()),
        })
    }

    fn of_persistent(spec: &'a Spec) -> Option<Self> {
        let volume = spec.persistent_volume.as_ref()?.spec.as_ref()?;
        let source = volume.flex_volume.as_ref()?;
        let secret = source.secret_ref.as_ref().and_then(|secret| {
            Some((
                secret.namespace.as_deref().unwrap_or_default(),
                secret.name.as_deref()?,
            ))
        });
        Some(Self {
            name: spec.name(),
            fs_type: source.fs_type.as_deref().unwrap_or_default(),
            read_only: spec.read_only || source.read_only == Some(true),
            options: source.options.as_ref(),
            secret: secret.filter(|(_, name)| !name.is_empty()),
        })
    }

    /// Returns whether the volume is written to, as a mount option.
    pub(super) fn access(&self) -> &'static str {
        if self.read_only { "ro" } else { "rw" }
    }

    /// Returns the options of all commands.
    pub(super) fn options(&self) -> Options {
        let mut options = Options::default();
        options.set("fsType", self.fs_type);
        options.set("readwrite", self.access());
        options.set("pvOrVolumeName", self.name);
        let own = self.options.into_iter().flatten();
        options
            .texts
            .extend(own.map(|(key, value)| (key.clone(), value.clone())));
        options
    }

    /// Returns the options of `mount`.
    pub(super) fn of_mount(
        &self,
        host: &dyn VolumeHost,
        driver: &str,
        pod: &Pod,
        args: &MounterArgs,
    ) -> Result<Options> {
        let mut options = self.options();
        let namespace = names::pod_namespace(pod);
        options.set("pod.name", pod.metadata.name.as_deref().unwrap_or_default());
        options.set("pod.namespace", namespace);
        options.set("pod.uid", names::pod_uid(pod)?);
        let account = pod
            .spec
            .as_ref()
            .and_then(|spec| spec.service_account_name.as_deref());
        options.set("serviceAccount.name", account.unwrap_or_default());
        if let Some(group) = args.fs_group {
            options.set("mounterArgs.FsGroup", &group.to_string());
        }
        if let Some((of, name)) = self.secret {
            let of = if of.is_empty() { namespace } else { of };
            options.add_secret(host, driver, of, name)?;
        }
        Ok(options)
    }
}

/// Options as a driver gets them.
#[derive(Default)]
pub(super) struct Options {
    texts: BTreeMap<String, String>,
    /// The secrets, which no message may contain.
    pub(super) secrets: Vec<String>,
}

impl Options {
    fn set(&mut self, key: &str, value: &str) {
        self.texts.insert(format!("{OURS}{key}"), value.to_owned());
    }

    fn add_secret(
        &mut self,
        host: &dyn VolumeHost,
        driver: &str,
        namespace: &str,
        name: &str,
    ) -> Result<()> {
        let secret = host.secret(namespace, name)?;
        let found = secret.type_.as_deref().unwrap_or_default();
        if found != driver {
            return Err(Error::invalid(format!(
                "the Secret {namespace}/{name} has the type {found:?}; for this driver it must be {driver:?}"
            )));
        }
        for (key, value) in secret.data.iter().flatten() {
            let encoded = encoded(value)?;
            self.set(&format!("secret/{key}"), &encoded);
            self.secrets.push(encoded);
            // The driver decodes it, and may print it.
            self.secrets.extend(String::from_utf8(value.0.clone()));
        }
        Ok(())
    }

    /// Returns the options as an argument.
    pub(super) fn to_json(&self) -> Result<String> {
        serde_json::to_string(&self.texts).map_err(Error::other)
    }
}

/// Returns bytes in base64, as they are in JSON.
fn encoded(bytes: &ByteString) -> Result<String> {
    match serde_json::to_value(bytes) {
        Ok(serde_json::Value::String(text)) => Ok(text),
        Ok(_) => Err(Error::invalid("bytes have become no text")),
        Err(error) => Err(Error::other(error)),
    }
}
