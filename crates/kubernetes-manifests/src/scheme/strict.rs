//! Reads one object with strict errors.

use kubernetes_kinds::GroupVersionKind;

use super::content::Versioned;
use super::decode::Decoded;
use super::object::describe;
use super::registry::Scheme;
use super::type_meta::TypeMeta;
use crate::error::{Location, SchemeError};
use crate::input::reader;
use crate::input::walk::Log;
use crate::strict::{self, ObjectInput, Strict};

impl Scheme {
    /// Reads one object as [`decode_json`](Self::decode_json) does, and reports duplicate fields
    /// and those that are unknown in the version of the text: [`strict`].
    ///
    /// # Errors
    ///
    /// As [`decode_json`](Self::decode_json).
    pub fn decode_json_strict<T: Versioned>(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Strict<Decoded<T>>, SchemeError> {
        // Without `apiVersion` and `kind`, the errors are those of plain reading.
        TypeMeta::of_json(text.as_ref())?;
        strict::with_json(text.as_ref(), |input, log| {
            self.decode_input(input, Some(log))
        })
    }

    /// Reads an object as `T`.
    pub(super) fn decode_input<T: Versioned>(
        &self,
        input: ObjectInput<'_, '_>,
        log: Option<&mut Log>,
    ) -> Result<Decoded<T>, SchemeError> {
        let meta = TypeMeta::of_tree(&input.node.tree)?;
        if meta.names::<T>() {
            let location = Location::default();
            let notices = log.map(|log| (&location, log));
            return Ok(Decoded {
                object: input.read(notices, reader::read::<T>)?,
                read: GroupVersionKind::of::<T>(),
                unrepresentable: Vec::new(),
            });
        }
        self.decode(&meta, |entry| {
            let kind = meta.kind()?;
            let location = Location {
                object: Some(describe(&kind, input.node.tree.names())),
                ..Location::default()
            };
            input.read(log.map(|log| (&location, log)), entry.read)
        })
    }
}

#[cfg(feature = "yaml")]
mod yaml {
    use super::*;
    use crate::input::yaml::Yaml;
    use crate::scheme::AnyObject;
    use crate::scheme::stream::Document;
    use crate::strict::Language;

    impl Scheme {
        /// Reads one object or typed list of any registered version from YAML, as `T`.
        ///
        /// # Errors
        ///
        /// As [`decode_json`](Self::decode_json), and when there isn't exactly one document.
        pub fn decode_yaml<T: Versioned>(&self, text: &str) -> Result<Decoded<T>, SchemeError> {
            let node = Yaml::body(text).document()?;
            let decoded = self.decode_input(ObjectInput::new(&node, Language::Yaml), None);
            decoded.map_err(|error| error.or_on(|path| node.find(path)))
        }

        /// Reads one object as [`decode_yaml`](Self::decode_yaml) does, taking the last of
        /// duplicate fields, and reports unknown and duplicate fields: [`strict`].
        ///
        /// # Errors
        ///
        /// As [`decode_yaml`](Self::decode_yaml), but not for duplicate keys.
        pub fn decode_yaml_strict<T: Versioned>(
            &self,
            text: &str,
        ) -> Result<Strict<Decoded<T>>, SchemeError> {
            strict::with_yaml(text, |input, log| self.decode_input(input, Some(log)))
        }

        /// Reads any number of YAML documents into objects, as
        /// [`decode_json_all`](Self::decode_json_all) does.
        ///
        /// # Errors
        ///
        /// As [`decode_json_all`](Self::decode_json_all), for YAML.
        pub fn decode_yaml_all(&self, text: &str) -> Result<Vec<AnyObject>, SchemeError> {
            let mut objects = Vec::new();
            let documents = Yaml::file(text).documents()?;
            for (index, node) in documents.into_iter().enumerate() {
                let document = Document {
                    scheme: self,
                    number: index + 1,
                    language: Language::Yaml,
                    source: None,
                    log: None,
                    objects: &mut objects,
                };
                document.yaml(&node)?;
            }
            Ok(objects)
        }

        /// Reads a stream as [`decode_yaml_all`](Self::decode_yaml_all) does, taking the last of
        /// duplicate fields, and reports the unknown and duplicate fields of all its objects:
        /// [`strict`].
        ///
        /// # Errors
        ///
        /// As [`decode_yaml_all`](Self::decode_yaml_all), but not for duplicate keys.
        pub fn decode_yaml_all_strict(
            &self,
            text: &str,
        ) -> Result<Strict<Vec<AnyObject>>, SchemeError> {
            let mut objects = Vec::new();
            let mut log = Log::new(text);
            let documents = Yaml::file(text).keeping_duplicates().documents()?;
            for (index, node) in documents.into_iter().enumerate() {
                let document = Document {
                    scheme: self,
                    number: index + 1,
                    language: Language::Yaml,
                    source: None,
                    log: Some(&mut log),
                    objects: &mut objects,
                };
                document.yaml(&node)?;
            }
            Ok(Strict::new(objects, log))
        }
    }

    impl<'t> Document<'_, 't> {
        fn yaml(mut self, node: &'t crate::input::tree::Node<'t>) -> Result<(), SchemeError> {
            let read = self.object(node, &mut Vec::new());
            read.map_err(|error| error.or_on(|path| node.find(path)))
        }
    }
}
