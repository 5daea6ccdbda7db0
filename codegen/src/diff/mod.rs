//! Compares two releases of the API: what has changed, and what that means.
//!
//! ```
//! use codegen::Source;
//! use codegen::diff::{ChangeKind, Scope, Severity, Snapshot, diff};
//!
//! let document = |property: &str| Source::new("thing.json", format!(r#"{{
//!     "openapi": "3.0.0",
//!     "components": {{"schemas": {{"com.example.v1.Thing": {{
//!         "type": "object", "properties": {{{property}}}
//!     }}}}}}
//! }}"#));
//! let mut from = Snapshot::new("1.36", Some("1.36".parse()?));
//! from.add("thing.json", &document(""))?;
//! let mut to = Snapshot::new("1.37", Some("1.37".parse()?));
//! to.add("thing.json", &document(r#""text": {"type": "string"}"#))?;
//!
//! let report = diff(&from, &to, None, &Scope::default());
//! assert_eq!(report.changes[0].what, ChangeKind::FieldAdded);
//! assert_eq!(report.severity(), Severity::Info);
//! assert_eq!(report.semver().name(), "major");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod api;
mod change;
mod comparer;
mod conversion;
mod documents;
mod fields;
mod kinds;
mod knowledge;
mod lifecycle;
mod node;
mod numbers;
mod owner;
mod past;
mod places;
mod restrictions;
mod rules;
mod run;
mod selection;
mod snapshot;
mod types;
mod values;
mod verdict;
mod versions;
mod words;

pub use change::{Change, ChangeKind, Place, Report, Rust, Semver, Severity, TextChange};
pub use knowledge::Knowledge;
pub use past::{Earlier, Part};
pub use selection::{Kinds, Scope};
pub use snapshot::{Complete, Snapshot};

use crate::structure::{Pair, pairs};
use documents::Documents;
use run::Run;

/// Compares two releases, as far as they are in a scope.
///
/// `knowledge` adds what our own configuration says of documents. Where both releases are known,
/// that is overlays too: rules, defaults, enumerations and lifecycles.
///
/// Custom resources are of no release: that only one side has a document of their group is no
/// change. Where both have one, a version that one of them lacks is.
pub fn diff(
    from: &Snapshot,
    to: &Snapshot,
    knowledge: Option<&Knowledge<'_>>,
    scope: &Scope,
) -> Report {
    let documents = Documents::of((from, to), knowledge, scope);
    let mut run = Run::new((from, to), &documents);
    let [named_from, named_to] =
        [&documents.from, &documents.to].map(|all| all.iter().map(|api| (&api.group_version, api)));
    for (_, pair) in pairs(named_from, named_to) {
        match pair {
            Pair::Both(from, to) => run.compare(from, to),
            Pair::First(api) => run.removed(api),
            Pair::Second(api) => run.added(api),
        }
    }
    run.report(&documents.left_out, &documents.notes)
}
