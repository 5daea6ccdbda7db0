//! Keeps secrets out of messages.
//!
//! A command that fails may print its arguments, and so the password that was among them.
//!
//! ```
//! use kubernetes_mount::masking::Secrets;
//!
//! let secrets = Secrets::in_options(&["password=hunter2"]);
//! let message = secrets.mask("mount.cifs: can't log in with hunter2");
//! assert_eq!(message, "mount.cifs: can't log in with <masked>");
//! ```

/// The text that replaces a secret.
pub const MASKED: &str = "<masked>";

/// Texts that no message may contain.
#[derive(Clone, Default)]
pub struct Secrets {
    /// The longest first, so that no rest of one stays after a shorter one was replaced.
    texts: Vec<String>,
}

impl std::fmt::Debug for Secrets {
    /// Prints the number of texts only.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} secrets", self.texts.len())
    }
}

impl Secrets {
    /// Returns the secrets of mount options such as `password=x`: each option, its parts and its
    /// values are secret.
    #[must_use]
    pub fn in_options(sensitive: &[&str]) -> Self {
        let mut texts = Vec::new();
        for option in sensitive {
            let parts = std::iter::once(*option).chain(option.split(','));
            for part in parts {
                let value = part.split_once('=').map(|(_, value)| value);
                for text in [Some(part), value].into_iter().flatten() {
                    // A program prints what it has trimmed or unquoted.
                    texts.push(text.to_owned());
                    texts.push(text.trim().to_owned());
                    texts.push(text.trim_matches('"').to_owned());
                }
            }
        }
        Self::of(texts)
    }

    /// Returns these texts as secrets. Empty ones are ignored.
    pub fn of(texts: impl IntoIterator<Item = String>) -> Self {
        let mut texts: Vec<String> = texts.into_iter().collect();
        texts.retain(|text| !text.is_empty());
        texts.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        texts.dedup();
        Self { texts }
    }

    /// Returns the text with `<masked>` for each secret.
    ///
    /// All occurrences are found in the text as it was, those that overlap too: what was put in
    /// is not searched again, and no part of a secret stays beside it.
    #[must_use]
    pub fn mask(&self, text: &str) -> String {
        let mut secret = vec![false; text.len()];
        for needle in &self.texts {
            for (start, _) in text.char_indices() {
                if text
                    .get(start..)
                    .is_some_and(|rest| rest.starts_with(needle.as_str()))
                {
                    for byte in secret.iter_mut().skip(start).take(needle.len()) {
                        *byte = true;
                    }
                }
            }
        }
        let mut masked = String::with_capacity(text.len());
        let mut inside = false;
        for (at, char) in text.char_indices() {
            let is_secret = secret.get(at).copied().unwrap_or(false);
            if !is_secret {
                masked.push(char);
            } else if !inside {
                masked.push_str(MASKED);
            }
            inside = is_secret;
        }
        masked
    }
}
