//! Conversion between versions of a kind.
//!
//! Where two versions represent the same fields, the older crate has [`From`] in both directions,
//! and nothing here is needed. Otherwise it has [`Convert`]:
//!
//! * [`convert`](Convert::convert) reports the fields that the target version can't represent;
//! * [`convert_preserving`](Convert::convert_preserving) reports them too, and preserves the
//!   source in the annotation [`CONVERSION_DATA_ANNOTATION`].
//!
//! Converting back with either of them restores what an annotation preserves.
//!
//! Neither relies on its rules to know these fields: each result is converted back and compared
//! with the source, and every difference is reported.
//!
//! # The annotation
//!
//! The annotation holds the source as JSON, with `apiVersion` and `kind` and without its
//! metadata, which the target has. Converting back removes the annotation and restores the fields
//! that the other version can't represent, in three steps. The preserved source is converted to
//! the other version and back, which shows what that version represents of it. A field of the
//! object that is equal to the one in that result takes the preserved value. A field that has
//! changed since is not restored. Elements of lists are matched by their keys
//! ([`Kind::LIST_MAP_KEYS`](crate::Kind::LIST_MAP_KEYS)).
//!
//! Kubernetes limits the annotations of an object to 256 KiB in all. A source that doesn't fit is
//! an error, and so is an annotation that can't be read. Other annotations stay as they are. The
//! source of a third version stays until the object is converted to that version; two sources
//! can't be preserved at once.

mod annotation;
mod differ;
mod error;
mod keyed;
mod merge;
mod translate;

use std::collections::BTreeMap;

use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};

use crate::FieldPath;

#[doc(inline)]
pub use crate::__convert_enumerations as enumerations;
pub use annotation::CONVERSION_DATA_ANNOTATION;
pub use error::{ConversionError, MAX_ANNOTATIONS};
pub use translate::{Converted, Convertible, Result, Translate, UnrepresentableField};

/// Conversion to a version that can't represent all fields of this one.
///
/// The generated crates implement this for kinds and lists.
pub trait Convert<T>: Sized {
    /// Converts, reports the fields that the target version can't represent, and restores those
    /// that the annotation [`CONVERSION_DATA_ANNOTATION`] of the source holds.
    ///
    /// # Errors
    ///
    /// When the object is inconsistent, such as with two drivers of one name, and when the
    /// annotation can't be read.
    fn convert(self) -> Result<Converted<T>>;

    /// Converts as [`convert`](Self::convert), and preserves the source in the annotation
    /// [`CONVERSION_DATA_ANNOTATION`] if the target version can't represent all of its fields.
    ///
    /// Converting the result back with this gives the source again.
    ///
    /// # Errors
    ///
    /// As [`convert`](Self::convert), and when the annotation would not fit.
    fn convert_preserving(self) -> Result<Converted<T>>;
}

/// Converts an object and reports unrepresentable fields: [`Convert::convert`] of a kind.
///
/// # Errors
///
/// When the object is inconsistent, and when the annotation can't be read.
pub fn object<A, B>(source: A) -> Result<Converted<B>>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
    restoring(source, |_, _| Ok(()))
}

/// Returns the object converted to another version and back. It is translated once more than
/// needed, because translating moves fields and cloning the result would copy them.
fn there_and_back<A, B>(source: &A) -> Result<A>
where
    A: Convertible + Translate<B>,
    B: Translate<A>,
{
    source.clone().translate()?.translate()
}

/// Converts an object and preserves the source: [`Convert::convert_preserving`] of a kind.
///
/// # Errors
///
/// As [`object`], and when the annotation would not fit.
pub fn object_preserving<A, B>(source: A) -> Result<Converted<B>>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
    restoring(source, annotation::put)
}

/// Converts an object, restores what an annotation holds, and calls `preserve` with the source and
/// its metadata if the target version can't represent all fields.
fn restoring<A, B>(
    mut source: A,
    preserve: impl FnOnce(&A, &mut ObjectMeta) -> Result<()>,
) -> Result<Converted<B>>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
    // All versions have the same metadata, which can be large: it is moved, and not compared.
    let mut metadata = std::mem::take(source.metadata_mut());
    let kept = annotation::take::<B>(&mut metadata)?;
    let restored: Option<B> = match kept {
        None => None,
        Some(kept) => {
            let live = source.clone().translate_like(&kept)?;
            Some(merge::restore::<A, B>(kept, live).map_err(annotation::inside)?)
        }
    };
    let back = match &restored {
        None => there_and_back::<A, B>(&source)?,
        Some(restored) => restored.clone().translate()?,
    };
    let unrepresentable = differ::unrepresentable(&source, &back)?;
    if !unrepresentable.is_empty() {
        preserve(&source, &mut metadata)?;
    }
    let mut object: B = match restored {
        None => source.translate()?,
        Some(restored) => restored,
    };
    *object.metadata_mut() = metadata;
    Ok(Converted {
        object,
        unrepresentable,
    })
}

/// Converts a list item by item: [`Convert`] of a list.
///
/// # Errors
///
/// The error of the first item that can't be converted, with the item's index in the path.
pub fn list<A, B, L>(
    metadata: ListMeta,
    items: Vec<A>,
    convert: impl Fn(A) -> Result<Converted<B>>,
) -> Result<Converted<L>>
where
    L: FromIterator<B> + Metadata<Ty = ListMeta>,
{
    list_with(metadata, items, convert, |_| ())
}

/// Converts a list item by item, and calls `finish` for its other fields.
///
/// # Errors
///
/// As [`list`].
pub fn list_with<A, B, L>(
    metadata: ListMeta,
    items: Vec<A>,
    convert: impl Fn(A) -> Result<Converted<B>>,
    finish: impl FnOnce(&mut L),
) -> Result<Converted<L>>
where
    L: FromIterator<B> + Metadata<Ty = ListMeta>,
{
    let mut unrepresentable = Vec::new();
    let convert = |(index, item)| {
        let converted = convert(item).map_err(|error| error.inside(index))?;
        unrepresentable.extend(converted.unrepresentable.into_iter().map(|field| {
            UnrepresentableField {
                path: FieldPath::new("items").index(index).join(field.path),
                ..field
            }
        }));
        Ok(converted.object)
    };
    let mut object: L = items
        .into_iter()
        .enumerate()
        .map(convert)
        .collect::<Result<_>>()?;
    *object.metadata_mut() = metadata;
    finish(&mut object);
    Ok(Converted {
        object,
        unrepresentable,
    })
}

/// Converts the elements of a list, in place if their sizes are the same.
pub fn elements<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

/// Converts the values of a map.
pub fn values<A, B: From<A>>(map: BTreeMap<String, A>) -> BTreeMap<String, B> {
    map.into_iter()
        .map(|(key, value)| (key, B::from(value)))
        .collect()
}

/// Converts the value in a box.
#[allow(clippy::boxed_local)] // It is what the field holds.
pub fn boxed<A, B: From<A>>(value: Box<A>) -> Box<B> {
    Box::new(B::from(*value))
}

/// Translates the elements of a list.
///
/// # Errors
///
/// The error of the first element that is inconsistent.
pub fn translate_elements<A: Translate<B>, B>(list: Vec<A>) -> Result<Vec<B>> {
    list.into_iter().map(A::translate).collect()
}

/// Translates the values of a map.
///
/// # Errors
///
/// The error of the first value that is inconsistent.
pub fn translate_values<A: Translate<B>, B>(
    map: BTreeMap<String, A>,
) -> Result<BTreeMap<String, B>> {
    map.into_iter()
        .map(|(key, value)| Ok((key, value.translate()?)))
        .collect()
}

/// Translates the value in a box.
///
/// # Errors
///
/// When it is inconsistent.
#[allow(clippy::boxed_local)] // It is what the field holds.
pub fn translate_boxed<A: Translate<B>, B>(value: Box<A>) -> Result<Box<B>> {
    value.translate().map(Box::new)
}
