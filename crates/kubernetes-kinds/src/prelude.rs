//! The items that most programs import: `use kubernetes_kinds::prelude::*`.
//!
//! The `prelude` of a generated crate has this and the kinds of the crate.

pub use crate::apply::Apply;
pub use crate::build::{SelectorBuilder, controller_reference, label_selector, owner_reference};
pub use crate::convert::Convert;
pub use crate::{Kind, Lean, StatusSubresource, WithMetadata};
