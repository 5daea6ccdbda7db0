//! Reads streams of objects and lists of any kinds, with or without strict errors.

use k8s_openapi::serde_json::Value;

use super::content::Boxed;
use super::object::{AnyObject, describe};
use super::registry::{Entry, Scheme};
use super::type_meta::TypeMeta;
use crate::error::{Location, Reason, SchemeError, is_plain_list};
use crate::input::json::Text;
use crate::input::position::Source;
use crate::input::reader;
use crate::input::step::{Step, path};
use crate::input::tree::{Field, Node, Tree};
use crate::input::walk::{Log, Walk};
use crate::strict::{Language, ObjectInput, Strict};

impl Scheme {
    /// Reads any number of JSON documents, one after the other, into objects.
    ///
    /// Lists are split into their items: those of a `v1` `List` name their own kinds, those of a
    /// registered typed list have the kind of the list. An object of a kind that isn't registered
    /// is kept as JSON.
    ///
    /// # Errors
    ///
    /// For the first document or item that is not JSON, doesn't name its kind, contradicts the
    /// list that contains it, or has a field of the wrong type.
    pub fn decode_json_all(&self, text: impl AsRef<[u8]>) -> Result<Vec<AnyObject>, SchemeError> {
        self.json_stream(&Text::new(text.as_ref()), None)
    }

    /// Reads a stream as [`decode_json_all`](Self::decode_json_all) does, and reports the unknown
    /// and duplicate fields of all its objects: [`strict`](crate::strict).
    ///
    /// # Errors
    ///
    /// As [`decode_json_all`](Self::decode_json_all).
    pub fn decode_json_all_strict(
        &self,
        text: impl AsRef<[u8]>,
    ) -> Result<Strict<Vec<AnyObject>>, SchemeError> {
        let text = Text::new(text.as_ref());
        let mut log = Log::new(text.text());
        let objects = self.json_stream(&text, Some(&mut log))?;
        Ok(Strict::new(objects, log))
    }

    fn json_stream(
        &self,
        text: &Text<'_>,
        mut log: Option<&mut Log>,
    ) -> Result<Vec<AnyObject>, SchemeError> {
        let mut objects = Vec::new();
        for (index, document) in text.documents().enumerate() {
            let node = document
                .node
                .map_err(|error| SchemeError::syntax(&error).of(&Location::document(index + 1)))?;
            let source = Source {
                text: document.text,
                before: document.before,
            };
            let mut document = Document {
                scheme: self,
                number: index + 1,
                language: Language::Json,
                source: Some(source),
                log: log.as_deref_mut(),
                objects: &mut objects,
            };
            document.object(&node, &mut Vec::new())?;
        }
        Ok(objects)
    }
}

/// A document of a stream, and the receivers of its objects and strict errors.
pub(super) struct Document<'s, 't> {
    pub(super) scheme: &'s Scheme,
    pub(super) number: usize,
    pub(super) language: Language,
    pub(super) source: Option<Source<'t>>,
    pub(super) log: Option<&'s mut Log>,
    pub(super) objects: &'s mut Vec<AnyObject>,
}

impl<'t> Document<'_, 't> {
    /// Reads an object, or the items of a list.
    pub(super) fn object(
        &mut self,
        node: &'t Node<'t>,
        steps: &mut Vec<Step<'t>>,
    ) -> Result<(), SchemeError> {
        let mut location = Location {
            path: path(steps),
            ..Location::document(self.number)
        };
        let kind = TypeMeta::of_tree(&node.tree)
            .and_then(|meta| meta.kind())
            .map_err(|error| error.at(&location))?;
        let entry = self.scheme.entries.get(&kind);
        if entry.is_none() && is_plain_list(&kind) {
            return self.plain_list(node, &location, steps);
        }
        let outer = location.clone();
        location.object = Some(describe(&kind, node.tree.names()));
        let input = ObjectInput {
            node,
            steps,
            language: self.language,
            source: self.source,
        };
        if let Some(entry) = entry {
            let log = self.log.as_deref_mut();
            let content = input
                .read(log.map(|log| (&location, log)), entry.read)
                .map_err(|error| error.of(&location))?;
            take(entry, content, outer, self.objects);
            return Ok(());
        }
        let value = reader::read::<Value>(node, Walk::new(steps), self.source)
            .map_err(|error| error.of(&outer))?;
        self.objects.push(AnyObject::untyped(kind, value, outer));
        if let Some(log) = self.log.as_deref_mut() {
            input.duplicates(&location, log);
        }
        Ok(())
    }

    /// Reads the items of a `v1` `List`, each of which names its kind.
    fn plain_list(
        &mut self,
        node: &'t Node<'t>,
        location: &Location,
        steps: &mut Vec<Step<'t>>,
    ) -> Result<(), SchemeError> {
        self.plain_list_duplicates(node, location, steps);
        let Some((index, field)) = node.tree.field("items") else {
            return Ok(());
        };
        let items = match &field.value.tree {
            Tree::Null => return Ok(()),
            Tree::Items(items) => items,
            _ => {
                let message = "not a list".to_owned();
                let error = SchemeError::field("items", Reason::Shape { message });
                return Err(error.at(location));
            }
        };
        let depth = steps.len();
        for (number, item) in items.iter().enumerate() {
            steps.extend([Step::Field(index, field), Step::Item(number)]);
            self.object(item, steps)?;
            steps.truncate(depth);
        }
        Ok(())
    }

    /// Reports the duplicate fields of a `v1` `List` itself; its items are objects of their own.
    fn plain_list_duplicates(&mut self, node: &Node<'_>, location: &Location, steps: &[Step<'_>]) {
        let (Some(log), Tree::Fields(fields)) = (self.log.as_deref_mut(), &node.tree) else {
            return;
        };
        let mut list = Vec::new();
        for field in fields {
            list.push(without_items(field));
        }
        let list = Node::from(Tree::Fields(list));
        let input = ObjectInput {
            node: &list,
            steps,
            language: self.language,
            source: None,
        };
        input.duplicates(location, log);
    }
}

/// Returns a field of a list, without the items.
fn without_items<'t>(field: &Field<'t>) -> Field<'t> {
    match &*field.name {
        "items" => Field {
            name: field.name.clone(),
            position: field.position,
            value: Tree::Null.into(),
        },
        _ => field.clone(),
    }
}

/// Adds an object, or the items of a list.
fn take(entry: &Entry, content: Boxed, location: Location, objects: &mut Vec<AnyObject>) {
    match entry.split {
        None => objects.push(AnyObject::typed(content, location)),
        Some(split) => {
            let items = split(content).into_iter().enumerate();
            objects.extend(items.map(|(index, item)| AnyObject::typed(item, location.item(index))));
        }
    }
}
