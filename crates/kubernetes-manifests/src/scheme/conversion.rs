//! Registered conversions.

use std::any::TypeId;

use k8s_openapi::serde_json;
use kubernetes_kinds::convert::{ConversionError, Convert, Converted, UnrepresentableField};
use kubernetes_kinds::{FieldPath, GroupVersionKind};

use super::content::{Boxed, Versioned, downcast};

/// The handling of fields that a conversion can't represent in the target version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unrepresentable {
    /// An annotation preserves them, and converting back restores them:
    /// [`Convert::convert_preserving`].
    #[default]
    Preserve,
    /// They are discarded: [`Convert::convert`]. What an annotation preserves is restored, too.
    Discard,
}

/// The result of a conversion.
pub(super) type ConversionOutcome = Result<(Boxed, Vec<UnrepresentableField>), ConversionError>;

/// A registered conversion, with functions for its two types.
#[derive(Clone)]
pub(super) struct Conversion {
    pub(super) to: TypeId,
    pub(super) target: GroupVersionKind,
    pub(super) lossy: bool,
    pub(super) run: fn(Boxed, Unrepresentable) -> ConversionOutcome,
    /// Reads the source from JSON directly, which is faster than by way of a tree.
    pub(super) read: fn(&str) -> serde_json::Result<Boxed>,
}

impl Conversion {
    pub(super) fn lossless<A: Versioned, B: Versioned + From<A>>() -> Self {
        Self {
            to: TypeId::of::<B>(),
            target: GroupVersionKind::of::<B>(),
            lossy: false,
            run: |content, _| Ok((Box::new(B::from(source::<A>(content)?)), Vec::new())),
            read: read::<A>,
        }
    }

    pub(super) fn lossy<A: Versioned + Convert<B>, B: Versioned>() -> Self {
        Self {
            to: TypeId::of::<B>(),
            target: GroupVersionKind::of::<B>(),
            lossy: true,
            read: read::<A>,
            run: |content, unrepresentable| {
                let source = source::<A>(content)?;
                let Converted {
                    object,
                    unrepresentable,
                } = match unrepresentable {
                    Unrepresentable::Preserve => source.convert_preserving()?,
                    Unrepresentable::Discard => source.convert()?,
                };
                Ok((Box::new(object), unrepresentable))
            },
        }
    }
}

fn read<A: Versioned>(text: &str) -> serde_json::Result<Boxed> {
    Ok(Box::new(serde_json::from_str::<A>(text)?))
}

/// Returns the source of a conversion. Routes lead only through the types of their conversions, so
/// this doesn't fail.
fn source<A: Versioned>(content: Boxed) -> Result<A, ConversionError> {
    downcast(content).ok_or_else(|| {
        let kind = GroupVersionKind::of::<A>();
        ConversionError::invalid(
            FieldPath::default(),
            format!("is not the type registered for {kind}"),
        )
    })
}
