//! Decoding strictly: the same as without, and all unknown and duplicate fields.

use kubernetes_kinds::GroupVersionKind;

use super::content::Versioned;
use super::object::{Object, describe};
use super::{Decoded, Scheme};
use crate::error::{Place, SchemeError, is_plain_list};
use crate::input::tree::{Field, Tree};
use crate::strict::{self, Language, Log, Strict, Typed};

impl Scheme {
    /// Reads one object as [`decode_json`](Self::decode_json) does, and tells of fields that the
    /// version in which it is written doesn't know, and of duplicate ones: [`strict`].
    ///
    /// # Errors
    ///
    /// As [`decode_json`](Self::decode_json).
    pub fn decode_json_strict<T: Versioned>(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Strict<Decoded<T>>, SchemeError> {
        let text = text.as_ref();
        let object = self.decode_json(text)?;
        let text = String::from_utf8_lossy(text);
        let mut log = Log::new(&text);
        for tree in strict::json_documents(&text)? {
            self.faults_as::<T>(&tree, Language::Json, &mut log)?;
        }
        Ok(log.tell(object))
    }

    /// Reads a stream as [`decode_json_all`](Self::decode_json_all) does, and tells of the unknown
    /// and duplicate fields of all its objects: [`strict`].
    ///
    /// # Errors
    ///
    /// As [`decode_json_all`](Self::decode_json_all).
    pub fn decode_json_all_strict(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Strict<Vec<Object>>, SchemeError> {
        let text = text.as_ref();
        let objects = self.decode_json_all(text)?;
        let text = String::from_utf8_lossy(text);
        let mut log = Log::new(&text);
        for (index, tree) in strict::json_documents(&text)?.iter().enumerate() {
            self.faults(tree, Place::document(index + 1), Language::Json, &mut log)?;
        }
        Ok(log.tell(objects))
    }

    /// The faults of a document that has become a `T`.
    pub(super) fn faults_as<T: Versioned>(
        &self,
        tree: &Tree<'_>,
        language: Language,
        log: &mut Log,
    ) -> Result<(), SchemeError> {
        // What is a `T` already need not be registered.
        let own = kind_of(tree) == Some(GroupVersionKind::of::<T>());
        let typed = own.then_some(strict::typed::<T> as Typed);
        match typed {
            Some(typed) => {
                strict::faults(tree, Some(typed), language, &Place::default(), log)
            }
            None => self.faults(tree, Place::default(), language, log),
        }
    }

    /// The faults of what stands there, and of what a list of kubectl holds.
    pub(super) fn faults(
        &self,
        tree: &Tree<'_>,
        place: Place,
        language: Language,
        log: &mut Log,
    ) -> Result<(), SchemeError> {
        let Some(kind) = kind_of(tree) else {
            return Ok(());
        };
        let entry = self.entries.get(&kind);
        if entry.is_none()
            && is_plain_list(&kind)
            && let Tree::Fields(fields) = tree
        {
            return self.list_faults(fields, &place, language, log);
        }
        let names = ["name", "namespace"].map(|name| tree.text(&["metadata", name]));
        let place = Place {
            object: place.object.or_else(|| Some(describe(&kind, names.into()))),
            ..place
        };
        strict::faults(tree, entry.map(|entry| entry.faults), language, &place, log)
    }

    /// The faults of a `v1` `List` itself, and of its items as objects of their own.
    fn list_faults(
        &self,
        fields: &[Field<'_>],
        place: &Place,
        language: Language,
        log: &mut Log,
    ) -> Result<(), SchemeError> {
        let list = fields.iter().map(|field| match &*field.name {
            "items" => field.with(Tree::Null),
            _ => field.clone(),
        });
        let list = Tree::Fields(list.collect());
        strict::faults(&list, None, language, place, log)?;
        let items = fields.iter().rfind(|field| field.name == "items");
        if let Some(Tree::Items(items)) = items.map(|items| &items.value) {
            for (index, item) in items.iter().enumerate() {
                self.faults(item, place.item(index), language, log)?;
            }
        }
        Ok(())
    }
}

/// The kind that an object says it is of.
fn kind_of(tree: &Tree<'_>) -> Option<GroupVersionKind> {
    let (version, kind) = (tree.text(&["apiVersion"])?, tree.text(&["kind"])?);
    Some(GroupVersionKind::from_type_meta(version, kind))
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;
    use crate::input::yaml::{locate, trees, yaml_document};

    impl Scheme {
        /// Reads one object as [`decode_yaml`](Self::decode_yaml) does, taking the last of equal
        /// fields, and tells of unknown and duplicate fields: [`strict`].
        ///
        /// # Errors
        ///
        /// As [`decode_yaml`](Self::decode_yaml), but for keys that stand twice.
        pub fn decode_yaml_strict<T: Versioned>(
            &self,
            text: &str,
        ) -> Result<Strict<Decoded<T>>, SchemeError> {
            let tree = yaml_document(text)?;
            let value = tree.clone().collapse().to_value();
            let object =
                self.decode_value(&value).map_err(|error| locate(text, 1, error))?;
            let mut log = Log::new(text);
            self.faults_as::<T>(&tree, Language::Yaml, &mut log)?;
            Ok(log.tell(object))
        }

        /// Reads a stream as [`decode_yaml_all`](Self::decode_yaml_all) does, taking the last of
        /// equal fields, and tells of the unknown and duplicate fields of all its objects:
        /// [`strict`].
        ///
        /// # Errors
        ///
        /// As [`decode_yaml_all`](Self::decode_yaml_all), but for keys that stand twice.
        pub fn decode_yaml_all_strict(
            &self,
            text: &str,
        ) -> Result<Strict<Vec<Object>>, SchemeError> {
            let mut objects = Vec::new();
            let mut log = Log::new(text);
            for (index, tree) in trees(text)?.into_iter().enumerate() {
                let number = index + 1;
                let place = Place::document(number);
                let value = tree.clone().collapse().to_value();
                self.value(value, place.clone(), &mut objects)
                    .map_err(|error| locate(text, number, error))?;
                self.faults(&tree, place, Language::Yaml, &mut log)?;
            }
            Ok(log.tell(objects))
        }
    }
}
