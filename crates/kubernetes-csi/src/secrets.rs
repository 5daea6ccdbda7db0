//! Secrets, which are never printed.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The secrets of a request: names and values, as in `data` of the Secret that Kubernetes sends.
///
/// They are read as from a map. `Debug` prints how many there are, also as a part of a request.
///
/// ```
/// use kubernetes_csi::{Secrets, v1::DeleteVolumeRequest};
///
/// let request = DeleteVolumeRequest {
///     volume_id: "volume-1".to_owned(),
///     secrets: Secrets::from_iter([("password", "swordfish")]),
/// };
/// assert_eq!(request.secrets["password"], "swordfish");
/// assert_eq!(
///     format!("{request:?}"),
///     r#"DeleteVolumeRequest { volume_id: "volume-1", secrets: 1 secret }"#,
/// );
/// ```
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Secrets(BTreeMap<String, String>);

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            0 => f.write_str("none"),
            1 => f.write_str("1 secret"),
            many => write!(f, "{many} secrets"),
        }
    }
}

impl Deref for Secrets {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Secrets {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<BTreeMap<String, String>> for Secrets {
    fn from(secrets: BTreeMap<String, String>) -> Self {
        Self(secrets)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(secrets: I) -> Self {
        let secrets = secrets.into_iter();
        Self(
            secrets
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}
