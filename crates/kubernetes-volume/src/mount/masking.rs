//! Keeps sensitive options out of texts.

/// What stands for a sensitive option.
pub(crate) const MASKED: &str = "<masked>";

/// Texts that no message may have.
pub(crate) struct Secrets {
    /// The longest first, so that no rest of one stays after a shorter one was replaced.
    texts: Vec<String>,
}

impl Secrets {
    /// Takes options such as `password=x`: the option, its parts and its values are secret.
    pub(crate) fn new(sensitive: &[&str]) -> Self {
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

    /// Takes texts that are secret.
    pub(crate) fn of(texts: impl IntoIterator<Item = String>) -> Self {
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
    pub(crate) fn mask(&self, text: &str) -> String {
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
