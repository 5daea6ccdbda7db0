//! Validation of requests, before a driver acts on them.
//!
//! [`validate`] takes the request of any call. It checks what the specification demands of every
//! field: what has to be set, sizes, paths, topologies, capacities and names. The driver itself
//! checks what depends on it: its capabilities, its parameters, and the ids that it has chosen.
//!
//! ```
//! use kubernetes_csi::v1::NodeUnpublishVolumeRequest;
//! use kubernetes_csi_driver::request::validate;
//!
//! let request = NodeUnpublishVolumeRequest {
//!     volume_id: "volume-1".to_owned(),
//!     target_path: "/pods/../secret".to_owned(),
//! };
//! let error = validate(&request).unwrap_err();
//! assert_eq!(error.field(), "target_path");
//! assert_eq!(
//!     error.to_string(),
//!     r#"target_path "/pods/../secret" has the component ".."; send a path without it"#,
//! );
//! ```

mod check;
mod error;
mod functions;
mod rules;

pub use error::Error;

use check::{Checked, Field};

/// The request of a call. All requests of the specification implement it.
///
/// Other crates can't implement it.
pub trait Request: Checked {}

/// Checks a request by the rules of the specification.
///
/// # Errors
///
/// The first error, in the order of the fields in the specification. `?` turns it into a
/// [`tonic::Status`].
pub fn validate(request: &impl Request) -> Result<(), Error> {
    request.check(&Field::request())
}

/// The longest name of a file on Linux, in bytes.
const NAME_MAX: usize = 255;

/// Returns true if an id can be the name of a file: it isn't empty, `.` or `..`, has neither `/`
/// nor NUL, and has at most 255 bytes.
///
/// [`validate`] doesn't check that, since a driver is free to choose its ids. A driver whose ids
/// become names of files checks each id that it gets, so that no request leads out of its folder.
///
/// ```
/// use kubernetes_csi_driver::request::is_file_name;
///
/// assert!(is_file_name("pvc-5bb3e7a4"));
/// assert!(!is_file_name("../../etc"));
/// ```
pub fn is_file_name(id: &str) -> bool {
    !matches!(id, "" | "." | "..") && id.len() <= NAME_MAX && !id.contains(['/', '\0'])
}
