//! The files from which a rendered text comes, as `helm template` names them:
//! `# Source: chart/a.yaml`.

use std::sync::Arc;

use crate::text::after_marker;

/// The beginning of these comments.
const MARK: &str = "# Source: ";

/// The files from which the documents of a text come.
pub(super) struct Sources(Vec<(usize, Option<Arc<str>>)>);

impl Sources {
    /// Finds the comments of a text. Each is about its document.
    pub(super) fn of(text: &str) -> Self {
        let mut sources = vec![(1, None)];
        for (line, text) in (1..).zip(text.lines()) {
            if after_marker(text).is_some() {
                sources.push((line, None));
            } else if let Some(path) = text.strip_prefix(MARK)
                && let Some((_, source)) = sources.last_mut()
            {
                *source = Some(path.trim_end().into());
            }
        }
        Self(sources)
    }

    /// Returns the file from which a line comes.
    pub(super) fn at(&self, line: usize) -> Option<Arc<str>> {
        let after = self.0.partition_point(|(first, _)| *first <= line);
        let (_, source) = self.0.get(after.checked_sub(1)?)?;
        source.clone()
    }
}
