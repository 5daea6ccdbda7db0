//! Conversion between versions of a kind.
//!
//! Where two versions can say the same, the older crate has [`From`] in both directions, and
//! nothing here is needed. Where they can't, it has [`Convert`]:
//!
//! * [`convert`](Convert::convert) tells what the target can't say, field by field;
//! * [`convert_keeping`](Convert::convert_keeping) tells it too, and keeps it in the
//!   annotation [`ANNOTATION`], from which the way back restores it.
//!
//! Neither trusts the rules that it applies: each result is converted back and compared with
//! the source. What differs is the loss, so that a loss can't go unnoticed.
//!
//! # The annotation
//!
//! The annotation holds the source as JSON, with `apiVersion` and `kind` and without its
//! metadata, which the target has. On the way back it is taken off the object, and what the
//! other version could not say is put back in three steps: the kept source is sent through
//! the other version once more, which shows what that one makes of it; fields in which the
//! object is still as that shows take the kept value; fields that have been changed since
//! stay as they are. Elements of lists are matched by their keys
//! ([`Kind::LIST_MAP_KEYS`]).
//!
//! Kubernetes limits the annotations of an object to 256 KiB in all; a source that doesn't fit
//! is an error, and so is an annotation that can't be read. Other annotations stay as they are.
//! What was kept of a third version stays, too, until the object becomes that one again; but
//! two can't be kept at once.

mod annotation;
mod differ;
mod error;
mod keyed;
mod merge;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::serde::Serialize;
use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::Value;
use k8s_openapi::{Metadata, Resource};

use crate::Kind;

#[doc(inline)]
pub use crate::__convert_enumerations as enumerations;
pub use annotation::{ANNOTATION, MAX_ANNOTATIONS};
pub use error::ConversionError;

/// What a conversion gives, or why it can't be done.
pub type Result<T> = std::result::Result<T, ConversionError>;

/// Something that the target of a conversion can't say.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// Where it stood in the source, `spec.drivers[0].nodeID`; an element that only the
    /// target gives rise to has no place there, and is named, `status.drivers[name="a"]`.
    pub path: String,
    /// What stood there; `null` if nothing did, and that itself can't be said.
    pub value: Value,
}

impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.value {
            Value::Null => write!(f, "{} (unset)", self.path),
            value => write!(f, "{}: {value}", self.path),
        }
    }
}

/// An object in another version.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Converted<T> {
    /// The object.
    pub object: T,
    /// What of the source it can't say.
    pub losses: Vec<Loss>,
}

/// Conversion into a version that can't say all that this one can.
///
/// The generated crates implement this for kinds and lists.
pub trait Convert<T>: Sized {
    /// Converts, and tells what the target can't say.
    ///
    /// # Errors
    ///
    /// When the object contradicts itself, such as with two drivers of one name.
    fn convert(self) -> Result<Converted<T>>;

    /// Converts, keeps what the target can't say in the annotation [`ANNOTATION`], and
    /// restores what such an annotation on the source holds.
    ///
    /// Converting the result back with this gives the source again.
    ///
    /// # Errors
    ///
    /// As [`convert`](Self::convert), and when the annotation can't be read or would not fit.
    fn convert_keeping(self) -> Result<Converted<T>>;
}

/// The rules by which a kind becomes another, without account of what is lost.
///
/// They can't count on the metadata: [`Convert`] carries it past them.
///
/// The generated crates implement this; use [`Convert`].
pub trait Translate<T>: Sized {
    /// Translates what the target can say.
    ///
    /// # Errors
    ///
    /// When the object contradicts itself.
    fn translate(self) -> Result<T>;

    /// The same in the form of `like`, where the target has several.
    ///
    /// # Errors
    ///
    /// As [`translate`](Self::translate).
    fn translate_like(self, like: &T) -> Result<T> {
        let _ = like;
        self.translate()
    }
}

/// A kind whose objects can be compared and kept.
pub trait Convertible: Kind + Clone + PartialEq + Serialize + DeserializeOwned {}

impl<T: Kind + Clone + PartialEq + Serialize + DeserializeOwned> Convertible for T {}

/// Converts an object and tells what is lost: [`Convert::convert`] of a kind.
///
/// # Errors
///
/// When the object contradicts itself.
pub fn object<A, B>(mut source: A) -> Result<Converted<B>>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
    // All versions have the same metadata, which can be large: it is moved, and not compared.
    let metadata = std::mem::take(source.metadata_mut());
    let losses = differ::losses(&source, &there_and_back::<A, B>(&source)?)?;
    let mut object: B = source.translate()?;
    *object.metadata_mut() = metadata;
    Ok(Converted { object, losses })
}

/// What comes back of an object from another version. It is sent there once more than it needs
/// to be, because translating moves what cloning the result would copy.
fn there_and_back<A, B>(source: &A) -> Result<A>
where
    A: Convertible + Translate<B>,
    B: Translate<A>,
{
    source.clone().translate()?.translate()
}

/// Converts an object and keeps what is lost: [`Convert::convert_keeping`] of a kind.
///
/// # Errors
///
/// As [`object`], and when the annotation can't be read or would not fit.
pub fn object_keeping<A, B>(mut source: A) -> Result<Converted<B>>
where
    A: Convertible + Translate<B>,
    B: Convertible + Translate<A>,
{
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
    let losses = differ::losses(&source, &back)?;
    if !losses.is_empty() {
        annotation::put(&source, &mut metadata)?;
    }
    let mut object: B = match restored {
        None => source.translate()?,
        Some(restored) => restored,
    };
    *object.metadata_mut() = metadata;
    Ok(Converted { object, losses })
}

/// Converts a list item by item: [`Convert`] of a list.
///
/// # Errors
///
/// That of the first item that can't be converted, with its place in the list.
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

/// Converts a list item by item, and gives it what it has besides them.
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
    let mut losses = Vec::new();
    let convert = |(index, item)| {
        let converted = convert(item).map_err(|error| error.inside(index))?;
        losses.extend(converted.losses.into_iter().map(|loss| Loss {
            path: format!("items[{index}].{}", loss.path),
            ..loss
        }));
        Ok(converted.object)
    };
    let mut object: L =
        items.into_iter().enumerate().map(convert).collect::<Result<_>>()?;
    *object.metadata_mut() = metadata;
    finish(&mut object);
    Ok(Converted { object, losses })
}

/// Converts the elements of a list, in the place where they are if their sizes are the same.
pub fn elements<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(B::from).collect()
}

/// Converts the values of a map.
pub fn values<A, B: From<A>>(map: BTreeMap<String, A>) -> BTreeMap<String, B> {
    map.into_iter().map(|(key, value)| (key, B::from(value))).collect()
}

/// Converts what is in a box.
#[allow(clippy::boxed_local)] // It is what the field holds.
pub fn boxed<A, B: From<A>>(value: Box<A>) -> Box<B> {
    Box::new(B::from(*value))
}

/// Translates the elements of a list.
///
/// # Errors
///
/// That of the first element that contradicts itself.
pub fn translate_elements<A: Translate<B>, B>(list: Vec<A>) -> Result<Vec<B>> {
    list.into_iter().map(A::translate).collect()
}

/// Translates the values of a map.
///
/// # Errors
///
/// That of the first value that contradicts itself.
pub fn translate_values<A: Translate<B>, B>(
    map: BTreeMap<String, A>,
) -> Result<BTreeMap<String, B>> {
    map.into_iter().map(|(key, value)| Ok((key, value.translate()?))).collect()
}

/// Translates what is in a box.
///
/// # Errors
///
/// When it contradicts itself.
#[allow(clippy::boxed_local)] // It is what the field holds.
pub fn translate_boxed<A: Translate<B>, B>(value: Box<A>) -> Result<Box<B>> {
    value.translate().map(Box::new)
}

/// An object as JSON, without the metadata that all versions share.
fn without_metadata<K: Resource + Metadata<Ty = ObjectMeta> + Serialize>(
    object: &K,
) -> Result<Value> {
    let mut value = k8s_openapi::serde_json::to_value(object)
        .map_err(|error| ConversionError::invalid("", error.to_string()))?;
    if let Value::Object(fields) = &mut value {
        fields.remove("metadata");
    }
    Ok(value)
}
