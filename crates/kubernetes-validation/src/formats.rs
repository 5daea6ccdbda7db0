//! Formats of texts in the schemas of custom resources.

use kubernetes_schema_terms::TextFormat;

use crate::{Checker, ErrorType, Path, Problem};

impl Checker<'_> {
    /// Checks that a text has a format: `format` of a custom resource.
    #[inline]
    pub fn text_format(&mut self, at: Path<'_>, value: &str, format: TextFormat) {
        if !format.matches(value) {
            let problem = Problem::new(ErrorType::TypeInvalid, "format");
            let detail = format!("it must be of the format `{}`", format.name());
            self.error(at, problem, Some(value.into()), detail);
        }
    }
}
