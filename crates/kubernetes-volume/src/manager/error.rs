//! Errors of initializing and finding plugins.

use crate::Error;

/// An error of initializing a plugin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The name is not a qualified name.
    #[error("volume plugin has invalid name: {plugin:?}: {reason}")]
    Name {
        /// The name.
        plugin: String,
        /// The reason.
        reason: String,
    },
    /// Another plugin has its name.
    #[error("volume plugin {plugin:?} was registered more than once")]
    Twice {
        /// The name.
        plugin: String,
    },
    /// The initialization failed.
    #[error("failed to load volume plugin {plugin:?}, error: {source}")]
    Failed {
        /// Its name.
        plugin: String,
        /// The cause.
        source: Error,
    },
}

/// The plugins that can't be used: at least one.
///
/// One is displayed plainly, several as `[first, second]`, without repetitions.
#[derive(Debug, thiserror::Error)]
#[error("{}", shown(.0))]
pub struct InitErrors(Vec<InitError>);

impl InitErrors {
    /// Returns the errors, in the order of the plugins.
    #[must_use]
    pub fn errors(&self) -> &[InitError] {
        &self.0
    }

    pub(super) fn of(errors: Vec<InitError>) -> Result<(), Self> {
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Self(errors))
        }
    }
}

fn shown(errors: &[InitError]) -> String {
    let mut shown: Vec<String> = Vec::new();
    for error in errors {
        let text = error.to_string();
        if !shown.contains(&text) {
            shown.push(text);
        }
    }
    match &shown[..] {
        [only] => only.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

/// An error of finding a plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// There is no volume.
    #[error("Could not find plugin because volume spec is nil")]
    NoSpec,
    /// No plugin supports the volume.
    #[error("no volume plugin matched")]
    NotFound,
    /// Several plugins support the volume, or have the name.
    #[error("multiple volume plugins matched: {}", .0.join(","))]
    Multiple(Vec<String>),
    /// No plugin has the name.
    #[error("no volume plugin matched name: {0}")]
    NoSuchName(String),
    /// No plugin of the requested kind supports the volume of that name.
    #[error("could not find a {kind} volume plugin for {spec:?}: {source}")]
    For {
        /// The requested kind, such as `persistent`.
        kind: &'static str,
        /// The name of the volume.
        spec: String,
        /// The cause.
        source: Box<FindError>,
    },
    /// The plugin can't do what was asked for.
    #[error("no {0} volume plugin matched")]
    NotOfKind(&'static str),
    /// The plugin can't say whether it attaches or mounts the volume.
    #[error("{plugin}: {reason}")]
    Asked {
        /// The name of the plugin.
        plugin: String,
        /// The cause.
        reason: String,
    },
}

impl From<FindError> for Error {
    fn from(error: FindError) -> Self {
        Self::other(error)
    }
}

impl From<InitErrors> for Error {
    fn from(errors: InitErrors) -> Self {
        Self::other(errors)
    }
}
