//! Formats of texts in the schemas of custom resources.

use k8s_openapi::ByteString;
use kubernetes_kinds::Release;
use kubernetes_schema_terms::{TextFormat, is_date_time};

use crate::checker::to_value;
use crate::custom::NOWHERE;
use crate::{Checker, ErrorType, Path, Problem};

impl Checker<'_> {
    /// Checks that a text has a format: `format` of a custom resource.
    #[inline]
    pub fn text_format(&mut self, at: Path<'_>, value: &str, format: TextFormat) {
        if self.knows(format) && !format.matches(value) {
            self.not_of_format(at, value, format.name(), "");
        }
    }

    /// Returns true if the server knows a format. It ignores others.
    #[inline]
    pub(crate) fn knows(&self, format: TextFormat) -> bool {
        // They came with 1.34, but a server checks what the release before its own knows, to which
        // it may be rolled back.
        let is_new = matches!(format, TextFormat::LongName | TextFormat::ShortName);
        !is_new || !self.target().is_before(Release::new(1, 35))
    }

    /// Checks that a text is a time: `format: date-time`. Apart from the other formats, which a
    /// crate with times may not need.
    #[inline]
    pub fn date_time(&mut self, at: Path<'_>, value: &str) {
        if !is_date_time(value) {
            self.not_of_format(at, value, "date-time", "");
        }
    }

    /// Checks that a number isn't beyond 32-bit floats: `format: float`. Servers do since 1.36, and
    /// don't say where it is.
    #[inline]
    pub fn single(&mut self, at: Path<'_>, value: f64) {
        let is_checked = !self.target().is_before(Release::new(1, 36));
        if is_checked && (value as f32).is_infinite() {
            let problem = Problem::new(ErrorType::Invalid, "format");
            let detail = "it must be of the format `float`, of 32 bits".to_owned();
            self.error(at.reported_at(NOWHERE), problem, to_value(&value), detail);
        }
    }

    /// Checks that there are bytes: to a server, an empty text isn't of the format `byte`.
    #[inline]
    pub fn encoded(&mut self, at: Path<'_>, value: &ByteString) {
        if value.0.is_empty() {
            self.not_of_format(at, "", "byte", ", and not empty");
        }
    }

    #[cold]
    fn not_of_format(&mut self, at: Path<'_>, value: &str, format: &str, but: &str) {
        let problem = Problem::new(ErrorType::TypeInvalid, "format");
        let detail = format!("it must be of the format `{format}`{but}");
        self.error(at, problem, Some(value.into()), detail);
    }
}
