//! `kubernetes-storage lint`: reports the errors and warnings of an API server for manifests.
//!
//! ```
//! use kubernetes_manifests::scheme::Syntax;
//! use kubernetes_storage::lint::Linter;
//! use kubernetes_validation::Target;
//!
//! let text = "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nprovisioner: csi.example.com\n";
//! let linter = Linter::new(Target::new(storage_all::KUBERNETES));
//! let report = linter.check("a.yaml", text, Syntax::JsonOrYaml);
//! assert_eq!(report.findings[0].message.path, "metadata.name");
//! assert_eq!(report.findings[0].line, 1);
//! ```

mod apply_set;
mod arguments;
mod changed;
mod claim_places;
mod claims;
mod collector;
mod comments;
mod duplicates;
mod finding;
mod format;
mod levels;
mod linter;
mod messages;
mod note;
mod progress;
mod report;
mod run;
mod sources;
mod summary;

pub(crate) use apply_set::ApplySet;
pub(crate) use arguments::Args;
pub use claim_places::{ClaimPath, ClaimPlace, Holds};
pub use finding::{Finding, Message, Severity, Subject};
pub use format::Line;
pub(crate) use format::schema;
pub use levels::{Level, Levels};
pub use linter::{LintOptions, Linter};
pub use note::Note;
pub use report::FileReport;
pub(crate) use run::run;
