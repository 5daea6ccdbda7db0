//! Reads streams part by part.

use std::collections::{HashMap, VecDeque};

use k8s_openapi::serde::de::DeserializeOwned;
use k8s_openapi::serde_json::Value;
use kubernetes_kinds::{FieldPath, GroupVersionKind, Segment};

use super::object::{AnyObject, describe};
use super::registry::Scheme;
use super::split::{Chunk, Chunks};
use super::type_meta::TypeMeta;
use crate::error::{Location, Reason, SchemeError, is_plain_list};
use crate::input::json::{Document, documents};
use crate::input::reader;
use crate::input::tree::{Field, Node, Position, Tree};
use crate::input::walk::{Log, Walk};
use crate::input::yaml::{HEADROOM, Yaml};
use crate::strict::{FieldError, Language, ObjectInput, ReadAs, Strict};

/// The language of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// JSON only.
    Json,
    /// JSON where a document begins with `{` and is read as JSON, YAML otherwise; as kubectl
    /// does, but document by document.
    #[default]
    JsonOrYaml,
}

/// An object or a list of a stream, or a document that can't be read.
pub struct Part<'t> {
    /// The location; only items of a list have a path. That of a damaged document has the
    /// line at which reading stopped.
    pub location: Location,
    /// The `apiVersion`; an item of a typed list without one has that of the list.
    pub api_version: Option<String>,
    /// The `kind`; an item of a typed list without one has the kind of the list's items.
    pub kind: Option<String>,
    /// The `metadata.name`.
    pub name: Option<String>,
    /// The `metadata.namespace`.
    pub namespace: Option<String>,
    /// The object; `None` for a list, whose items are the parts that follow.
    pub object: Result<Option<AnyObject>, SchemeError>,
    /// The unknown and duplicate fields, with paths that begin at the object.
    pub field_errors: Vec<FieldError>,
    node: Node<'t>,
    language: Language,
}

impl Part<'_> {
    /// Returns the positions of the fields of the object.
    #[must_use]
    pub fn positions(&self) -> Positions<'_> {
        Positions {
            root: &self.node,
            start: self.location.line.zip(self.location.column),
            fields: HashMap::new(),
        }
    }

    /// Returns the object as it is written, including unknown fields; of duplicate fields the last.
    /// Returns nothing if a string in it isn't UTF-8.
    #[must_use]
    pub fn document(&self) -> Option<Value> {
        reader::read(&self.node, Walk::new(&[]), None).ok()
    }

    /// Reads the object as a type that the scheme doesn't know, such as one of `k8s-openapi`, and
    /// reports its unknown and duplicate fields.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::Secret;
    /// use kubernetes_manifests::scheme::{Scheme, Syntax};
    ///
    /// let text = "apiVersion: v1\nkind: Secret\ntyp: Opaque\n";
    /// let scheme = Scheme::new();
    /// let part = scheme.decode_each(text, Syntax::JsonOrYaml).next().unwrap();
    /// let secret = part.read::<Secret>()?;
    /// assert_eq!(secret.object.type_, None);
    /// let error = &secret.errors[0];
    /// assert_eq!((error.path.as_str(), error.location.line), ("typ", Some(3)));
    /// # Ok::<(), kubernetes_manifests::scheme::SchemeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The error of [`object`](Self::object), if it is one; otherwise when a field has the wrong
    /// type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Strict<T>, SchemeError> {
        if let Err(error) = &self.object {
            return Err(error.clone());
        }
        let mut log = Log::new("");
        let object = strictly(
            &self.node,
            self.language,
            &self.location,
            &mut log,
            reader::read::<T>,
        )?;
        Ok(Strict::new(object, log))
    }
}

/// Reads an object of a part and logs its strict errors.
fn strictly<T>(
    node: &Node<'_>,
    language: Language,
    location: &Location,
    log: &mut Log,
    read: ReadAs<T>,
) -> Result<T, SchemeError> {
    let inside = Location {
        path: FieldPath::default(),
        ..location.clone()
    };
    let input = ObjectInput {
        node,
        steps: &[],
        language,
        source: None,
    };
    input
        .read(Some((&inside, log)), read)
        .map_err(|error| located(error, node, location))
}

/// Adds the location of the object in the stream to an error.
fn located(error: SchemeError, node: &Node<'_>, location: &Location) -> SchemeError {
    let mut positions = Positions {
        root: node,
        start: location.line.zip(location.column),
        fields: HashMap::new(),
    };
    error.or_on(|path| positions.find(path)).at(location)
}

/// The positions of the fields of an object. Objects that have been searched are remembered, so
/// that many fields cost little more than one.
pub struct Positions<'t> {
    root: &'t Node<'t>,
    start: Option<Position>,
    fields: HashMap<*const Node<'t>, HashMap<&'t str, &'t Field<'t>>>,
}

impl<'t> Positions<'t> {
    /// Returns the line and column of the field at a path, or of the nearest around it.
    pub fn find(&mut self, path: &FieldPath) -> Option<(usize, usize)> {
        let mut found = self.start;
        let mut node = self.root;
        for segment in path.segments() {
            let next = match segment {
                Segment::Field(name) => self.field(node, name),
                Segment::Key(key) => self.field(node, key),
                // An item has the position of the first field in it, if it has one.
                Segment::Index(index) => node
                    .tree
                    .item(*index)
                    .map(|item| (item.tree.first().or(item.position), item)),
            };
            let Some((position, inner)) = next else {
                break;
            };
            found = position.or(found);
            node = inner;
        }
        found
    }

    fn field(
        &mut self,
        node: &'t Node<'t>,
        name: &str,
    ) -> Option<(Option<Position>, &'t Node<'t>)> {
        let Tree::Fields(fields) = &node.tree else {
            return None;
        };
        // Of duplicate fields the last counts.
        let by_name = || fields.iter().map(|field| (&*field.name, field)).collect();
        let known = self
            .fields
            .entry(std::ptr::from_ref(node))
            .or_insert_with(by_name);
        known.get(name).map(|field| (field.position, &field.value))
    }
}

/// The parts of a stream, returned by [`Scheme::decode_each`].
pub struct Parts<'s, 't> {
    scheme: &'s Scheme,
    syntax: Syntax,
    chunks: Chunks<'t>,
    ready: VecDeque<Part<'t>>,
    log: Log,
    /// The weight that aliases may still add to the documents.
    headroom: usize,
    number: usize,
}

impl Scheme {
    /// Reads any number of documents part by part: an error in one document or in one item
    /// of a list hides no other.
    ///
    /// Lists are split as by [`decode_yaml_all`](Self::decode_yaml_all), but the list itself is a
    /// part too, ahead of its items. Of duplicate fields the last counts, and
    /// all unknown and duplicate fields are reported ([`strict`](crate::strict)). After a damaged
    /// document of JSON, reading continues at the next line that begins with `{`.
    ///
    /// ```
    /// use kubernetes_manifests::scheme::{Scheme, Syntax};
    ///
    /// let text = "kind: [\n---\napiVersion: v1\nkind: Secret\n";
    /// let scheme = Scheme::new();
    /// let parts: Vec<_> = scheme.decode_each(text, Syntax::JsonOrYaml).collect();
    /// assert!(parts[0].object.is_err());
    /// assert_eq!((parts[1].kind.as_deref(), parts[1].location.line), (Some("Secret"), Some(3)));
    /// ```
    pub fn decode_each<'s, 't>(&'s self, text: &'t str, syntax: Syntax) -> Parts<'s, 't> {
        Parts {
            scheme: self,
            syntax,
            chunks: Chunks::new(text),
            ready: VecDeque::new(),
            log: Log::new(text),
            headroom: HEADROOM,
            number: 0,
        }
    }
}

impl<'t> Iterator for Parts<'_, 't> {
    type Item = Part<'t>;

    fn next(&mut self) -> Option<Part<'t>> {
        while self.ready.is_empty() {
            let chunk = self.chunks.next()?;
            self.chunk(chunk);
        }
        self.ready.pop_front()
    }
}

impl<'t> Parts<'_, 't> {
    fn chunk(&mut self, chunk: Chunk<'t>) {
        let json = match self.syntax {
            Syntax::Json => Some(chunk.json().unwrap_or(chunk)),
            Syntax::JsonOrYaml => chunk.json(),
        };
        let read = json.map(|json| (json, documents(json.text)));
        if let Some((json, documents)) = &read
            && documents.iter().all(|document| document.node.is_ok())
        {
            let lines = json.lines;
            for document in read.into_iter().flat_map(|(_, all)| all) {
                if let Ok(node) = document.node {
                    self.document(node, Language::Json, lines, chunk);
                }
            }
            return;
        }
        let yaml = match self.syntax {
            Syntax::Json => None,
            Syntax::JsonOrYaml => {
                let mut yaml = Yaml::file(chunk.text).keeping_duplicates();
                yaml.is_after_end = chunk.is_after_end;
                yaml.headroom = self.headroom;
                let documents = yaml.documents();
                self.headroom = yaml.headroom;
                Some(documents)
            }
        };
        match (yaml, read) {
            (Some(Ok(nodes)), _) => {
                for node in nodes {
                    self.document(node, Language::Yaml, chunk.lines, chunk);
                }
            }
            (_, Some((json, documents))) => self.damaged_json(json, documents),
            (Some(Err(error)), None) => self.damaged(error, chunk),
            (None, None) => (),
        }
    }

    /// Reads the intact documents of damaged JSON.
    fn damaged_json(&mut self, mut chunk: Chunk<'t>, mut found: Vec<Document<'t>>) {
        loop {
            let mut next = None;
            for document in found {
                match document.node {
                    Ok(node) => self.document(node, Language::Json, chunk.lines, chunk),
                    Err(error) => {
                        // A `{` at which reading stopped may begin a document, but not
                        // the one that it stopped in.
                        let line = match error.column() {
                            0 | 1 => error.line().saturating_sub(1).max(1),
                            _ => error.line(),
                        };
                        next = chunk.next_json(line);
                        self.damaged(SchemeError::syntax(&error), chunk);
                    }
                }
            }
            let Some(rest) = next else {
                return;
            };
            chunk = rest;
            found = documents(chunk.text);
        }
    }

    /// Adds a document that can't be read.
    fn damaged(&mut self, error: SchemeError, chunk: Chunk<'_>) {
        self.number += 1;
        let location = Location::document(self.number);
        let (line, column) = (error.location().line, error.location().column);
        // A line break in a string of JSON has column 0 of the next line.
        let column = column.map(|column| column.max(1));
        let line = line.map_or_else(|| chunk.first_line(), |line| line + chunk.lines);
        let error = error.on(Some((line, column.unwrap_or(1)))).at(&location);
        self.ready.push_back(Part {
            location: Location {
                line: Some(line),
                column,
                ..location
            },
            api_version: None,
            kind: None,
            name: None,
            namespace: None,
            object: Err(error),
            field_errors: Vec::new(),
            node: Tree::Null.into(),
            language: Language::Json,
        });
    }

    fn document(&mut self, mut node: Node<'t>, language: Language, lines: usize, chunk: Chunk<'_>) {
        self.number += 1;
        if lines > 0 {
            node.move_down(lines);
        }
        let start = node.tree.first().unwrap_or_else(|| (chunk.first_line(), 1));
        let (line, column) = (Some(start.0), Some(start.1));
        let location = Location {
            line,
            column,
            ..Location::document(self.number)
        };
        self.part(node, language, location, None);
    }

    /// Adds an object or a list; an item of a typed list may omit its kind.
    fn part(
        &mut self,
        mut node: Node<'t>,
        language: Language,
        location: Location,
        implied: Option<&GroupVersionKind>,
    ) {
        let api_version = node.tree.text(&["apiVersion"]).map(str::to_owned);
        let api_version =
            api_version.or_else(|| implied.map(|kind| kind.group_version.to_string()));
        let kind = node.tree.text(&["kind"]).map(str::to_owned);
        let kind = kind.or_else(|| implied.map(|kind| kind.kind.to_string()));
        let named = api_version.as_deref().zip(kind.as_deref());
        let named = named.map(|(version, kind)| GroupVersionKind::from_type_meta(version, kind));
        let list = named.as_ref().and_then(|named| self.scheme.list_of(named));
        let items = if list.is_some() {
            take_items(&mut node)
        } else {
            None
        };
        let names = ["name", "namespace"].map(|name| node.tree.text(&["metadata", name]));
        let location = Location {
            object: named.as_ref().map(|named| describe(named, names.into())),
            ..location
        };
        let [name, namespace] = names.map(|name| name.map(str::to_owned));
        let object = self.read(&node, language, &location, implied.or(named.as_ref()));
        let is_list = list.is_some();
        self.ready.push_back(Part {
            location: location.clone(),
            api_version,
            kind,
            name,
            namespace,
            object: object.map(|object| object.filter(|_| !is_list)),
            field_errors: self.log.take(),
            node,
            language,
        });
        for (index, item) in items.into_iter().flatten().enumerate() {
            let start = item.tree.first();
            let (line, column) = start.or(location.line.zip(location.column)).unzip();
            let inside = Location {
                line,
                column,
                object: None,
                ..location.item(index)
            };
            self.part(
                item,
                language,
                inside,
                list.as_ref().and_then(Option::as_ref),
            );
        }
    }

    /// Reads an object, and logs its strict errors if it is of a registered type.
    fn read(
        &mut self,
        node: &Node<'t>,
        language: Language,
        location: &Location,
        kind: Option<&GroupVersionKind>,
    ) -> Result<Option<AnyObject>, SchemeError> {
        let object = match kind.and_then(|kind| self.scheme.entries.get(kind)) {
            Some(entry) => strictly(node, language, location, &mut self.log, entry.read)
                .map(|content| AnyObject::typed(content, location.clone())),
            None => untyped(node, location).map_err(|error| located(error, node, location)),
        };
        object.map(Some)
    }
}

/// Returns an object of a kind that isn't registered.
fn untyped(node: &Node<'_>, location: &Location) -> Result<AnyObject, SchemeError> {
    let kind = TypeMeta::of_tree(&node.tree)?.kind()?;
    if is_plain_list(&kind)
        && let Some((_, items)) = node.tree.field("items")
        && !matches!(items.value.tree, Tree::Null)
    {
        let message = "not a list".to_owned();
        return Err(SchemeError::field("items", Reason::Shape { message }));
    }
    let value = reader::read::<Value>(node, Walk::new(&[]), None)?;
    Ok(AnyObject::untyped(kind, value, location.clone()))
}

/// Removes and returns the items of a list.
fn take_items<'t>(node: &mut Node<'t>) -> Option<Vec<Node<'t>>> {
    let Tree::Fields(fields) = &mut node.tree else {
        return None;
    };
    let mut fields = fields.iter_mut().rev();
    let field = fields.find(|field| field.name == "items")?;
    match std::mem::replace(&mut field.value.tree, Tree::Null) {
        Tree::Items(items) => Some(items),
        other => {
            field.value.tree = other;
            None
        }
    }
}

impl Scheme {
    /// Returns the kind of the items of a list: `Some(None)` for the list of kubectl, `None` for
    /// kinds that aren't lists.
    fn list_of(&self, kind: &GroupVersionKind) -> Option<Option<GroupVersionKind>> {
        if is_plain_list(kind) {
            return Some(None);
        }
        self.entries.get(kind)?.split?;
        let mut kinds = self.registered();
        let item = kinds.find(|item| item.list_kind.as_ref() == Some(kind))?;
        Some(Some(item.kind.clone()))
    }
}
