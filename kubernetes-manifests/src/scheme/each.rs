//! Reading streams part by part.

use std::collections::{HashMap, VecDeque};

use k8s_openapi::serde_json::Value;
use kubernetes_kinds::{FieldPath, GroupVersionKind, Segment};

use super::object::{Object, describe};
use super::split::{Chunk, Chunks};
use super::type_meta::TypeMeta;
use super::{Entry, Scheme};
use crate::error::{Place, Reason, SchemeError, after, is_plain_list};
use crate::input::tree::{Field, Tree, each_document};
use crate::input::yaml::{HEADROOM, trees_within};
use crate::strict::{self, Fault, Language, Log};

/// A line and a column, counted from 1.
type Position = (usize, usize);

/// In which language a stream is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// JSON only.
    Json,
    /// JSON where a document begins with `{` and is read as JSON, YAML otherwise; as kubectl
    /// does, but document by document.
    #[default]
    JsonOrYaml,
}

/// An object of a stream, or what stands in the place of one.
pub struct Part<'t> {
    /// Where it stands; its path is empty but for the items of a list. A damaged document has the
    /// line at which reading stopped.
    pub place: Place,
    /// The `apiVersion` that it names; an item of a typed list has that of its kind.
    pub api_version: Option<String>,
    /// The kind that it names; an item of a typed list has that of the list.
    pub kind: Option<String>,
    /// Its `metadata.name`.
    pub name: Option<String>,
    /// Its `metadata.namespace`.
    pub namespace: Option<String>,
    /// The object; nothing for a list, whose items are the parts that follow; or why there is
    /// none.
    pub object: Result<Option<Object>, SchemeError>,
    /// Its unknown and duplicate fields, with paths that begin at the object.
    pub faults: Vec<Fault>,
    tree: Tree<'t>,
}

impl Part<'_> {
    /// Tells where the fields of the object stand.
    #[must_use]
    pub fn positions(&self) -> Positions<'_> {
        Positions {
            root: &self.tree,
            start: self.place.line.zip(self.place.column),
            fields: HashMap::new(),
        }
    }
}

/// Where the fields of an object stand. It remembers what it has looked through, so that many
/// fields cost little more than one.
pub struct Positions<'t> {
    root: &'t Tree<'t>,
    start: Option<Position>,
    fields: HashMap<*const Tree<'t>, HashMap<&'t str, &'t Field<'t>>>,
}

impl<'t> Positions<'t> {
    /// The line and column of the field at a path, or of what is nearest around it.
    pub fn find(&mut self, path: &FieldPath) -> Option<Position> {
        let mut found = self.start;
        let mut tree = self.root;
        for segment in path.segments() {
            let next = match segment {
                Segment::Field(name) => self.field(tree, name),
                Segment::Key(key) => self.field(tree, key),
                Segment::Index(index) => item(tree, *index),
            };
            let Some((position, inner)) = next else {
                break;
            };
            found = position.or(found);
            tree = inner;
        }
        found
    }

    fn field(
        &mut self,
        tree: &'t Tree<'t>,
        name: &str,
    ) -> Option<(Option<Position>, &'t Tree<'t>)> {
        let Tree::Fields(fields) = tree else {
            return None;
        };
        // Of equal ones the last counts.
        let by_name = || fields.iter().map(|field| (&*field.name, field)).collect();
        let known = self.fields.entry(std::ptr::from_ref(tree)).or_insert_with(by_name);
        known.get(name).map(|field| (field.position, &field.value))
    }
}

/// An item of a list, which stands where the first field in it does.
fn item<'t>(
    tree: &'t Tree<'t>,
    index: usize,
) -> Option<(Option<Position>, &'t Tree<'t>)> {
    match tree {
        Tree::Items(items) => items.get(index).map(|item| (first(item), item)),
        _ => None,
    }
}

/// Where the first field of a value stands.
fn first(tree: &Tree<'_>) -> Option<Position> {
    match tree {
        Tree::Items(items) => items.iter().find_map(first),
        Tree::Fields(fields) => fields
            .iter()
            .find_map(|field| field.position.or_else(|| first(&field.value))),
        _ => None,
    }
}

/// The field at a path as errors write it, or what is nearest around it.
fn find_text(tree: &Tree<'_>, path: &str) -> Option<Position> {
    match tree {
        Tree::Items(items) => items.iter().enumerate().find_map(|(index, item)| {
            let rest = path.strip_prefix(&format!("[{index}]"))?;
            find_text(item, rest).or_else(|| first(item))
        }),
        Tree::Fields(fields) => {
            let path = path.strip_prefix('.').unwrap_or(path);
            fields.iter().rev().find_map(|field| {
                let rest = after(&field.name, path)?;
                find_text(&field.value, rest).or(field.position)
            })
        }
        _ => None,
    }
}

/// The parts of a stream; see [`Scheme::decode_each`].
pub struct Parts<'s, 't> {
    scheme: &'s Scheme,
    syntax: Syntax,
    chunks: Chunks<'t>,
    ready: VecDeque<Part<'t>>,
    log: Log,
    /// What aliases may still add to the documents.
    headroom: usize,
    number: usize,
}

impl Scheme {
    /// Reads any number of documents, each for itself: what is wrong with one, or with one item
    /// of a list, hides none of the others.
    ///
    /// Lists are taken apart as [`decode_yaml_all`](Self::decode_yaml_all) does, but a list is
    /// a part itself too, ahead of its items. Of equal fields the last counts, and
    /// all unknown and duplicate ones are told ([`strict`]). After a damaged document of JSON,
    /// reading goes on at the next line that begins with `{`.
    ///
    /// ```
    /// use kubernetes_manifests::scheme::{Scheme, Syntax};
    ///
    /// let text = "kind: [\n---\napiVersion: v1\nkind: Secret\n";
    /// let scheme = Scheme::new();
    /// let parts: Vec<_> = scheme.decode_each(text, Syntax::JsonOrYaml).collect();
    /// assert!(parts[0].object.is_err());
    /// assert_eq!((parts[1].kind.as_deref(), parts[1].place.line), (Some("Secret"), Some(3)));
    /// ```
    pub fn decode_each<'s, 't>(
        &'s self,
        text: &'t str,
        syntax: Syntax,
    ) -> Parts<'s, 't> {
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
        let read = json.map(|json| (json, each_document(json.text).collect::<Vec<_>>()));
        if let Some((json, documents)) = &read
            && documents.iter().all(Result::is_ok)
        {
            let lines = json.lines;
            for tree in read.into_iter().flat_map(|(_, all)| all).flatten() {
                self.document(tree, Language::Json, lines, chunk);
            }
            return;
        }
        let yaml = match self.syntax {
            Syntax::Json => None,
            Syntax::JsonOrYaml => Some(trees_within(chunk.text, &mut self.headroom)),
        };
        match (yaml, read) {
            (Some(Ok(trees)), _) => {
                for tree in trees {
                    self.document(tree, Language::Yaml, chunk.lines, chunk);
                }
            }
            (_, Some((json, documents))) => self.damaged_json(json, documents),
            (Some(Err(error)), None) => self.damaged(error, chunk),
            (None, None) => (),
        }
    }

    /// What can be read of JSON that is damaged somewhere.
    fn damaged_json(
        &mut self,
        mut chunk: Chunk<'t>,
        mut documents: Vec<Result<Tree<'t>, k8s_openapi::serde_json::Error>>,
    ) {
        loop {
            let mut next = None;
            for document in documents {
                match document {
                    Ok(tree) => self.document(tree, Language::Json, chunk.lines, chunk),
                    Err(error) => {
                        // A `{` at which reading stopped may begin a document, but not
                        // the one that it stopped in.
                        let line = match error.column() {
                            0 | 1 => error.line().saturating_sub(1).max(1),
                            _ => error.line(),
                        };
                        next = chunk.next_json(line);
                        self.damaged(SchemeError::json(String::new(), &error), chunk);
                    }
                }
            }
            let Some(rest) = next else {
                return;
            };
            chunk = rest;
            documents = each_document(chunk.text).collect();
        }
    }

    /// A document that can't be read.
    fn damaged(&mut self, error: SchemeError, chunk: Chunk<'_>) {
        self.number += 1;
        let place = Place::document(self.number);
        let (line, column) = (error.place().line, error.place().column);
        // A line break in a string of JSON is told as column 0 of the next line.
        let column = column.map(|column| column.max(1));
        let line = line.map_or_else(|| chunk.first_line(), |line| line + chunk.lines);
        let error = error.on(Some((line, column.unwrap_or(1)))).at(&place);
        self.ready.push_back(Part {
            place: Place {
                line: Some(line),
                column,
                ..place
            },
            api_version: None,
            kind: None,
            name: None,
            namespace: None,
            object: Err(error),
            faults: Vec::new(),
            tree: Tree::Null,
        });
    }

    fn document(
        &mut self,
        mut tree: Tree<'t>,
        language: Language,
        lines: usize,
        chunk: Chunk<'_>,
    ) {
        self.number += 1;
        if lines > 0 {
            tree.move_down(lines);
        }
        let start = first(&tree).unwrap_or_else(|| (chunk.first_line(), 1));
        let (line, column) = (Some(start.0), Some(start.1));
        let place = Place {
            line,
            column,
            ..Place::document(self.number)
        };
        self.part(tree, language, place, None);
    }

    /// An object or a list, whose kind may follow from the list that it is in.
    fn part(
        &mut self,
        mut tree: Tree<'t>,
        language: Language,
        place: Place,
        implied: Option<&GroupVersionKind>,
    ) {
        let api_version = tree.text(&["apiVersion"]).map(str::to_owned);
        let api_version =
            api_version.or_else(|| implied.map(|kind| kind.group_version.to_string()));
        let kind = tree.text(&["kind"]).map(str::to_owned);
        let kind = kind.or_else(|| implied.map(|kind| kind.kind.to_string()));
        let named = api_version.as_deref().zip(kind.as_deref());
        let named =
            named.map(|(version, kind)| GroupVersionKind::from_type_meta(version, kind));
        let list = named.as_ref().and_then(|named| self.scheme.list_of(named));
        let items = if list.is_some() {
            take_items(&mut tree)
        } else {
            None
        };
        let names = ["name", "namespace"].map(|name| tree.text(&["metadata", name]));
        let place = Place {
            object: named.as_ref().map(|named| describe(named, names.into())),
            ..place
        };
        let [name, namespace] = names.map(|name| name.map(str::to_owned));
        let (object, faults) =
            self.read(&tree, language, &place, implied.or(named.as_ref()));
        let is_list = list.is_some();
        self.ready.push_back(Part {
            place: place.clone(),
            api_version,
            kind,
            name,
            namespace,
            object: object.map(|object| object.filter(|_| !is_list)),
            faults,
            tree,
        });
        for (index, item) in items.into_iter().flatten().enumerate() {
            let start = first(&item);
            let (line, column) = start.or(place.line.zip(place.column)).unzip();
            let inside = Place {
                line,
                column,
                object: None,
                ..place.item(index)
            };
            self.part(item, language, inside, list.as_ref().and_then(Option::as_ref));
        }
    }

    /// Reads an object, and notices its faults if it is one of its type.
    fn read(
        &mut self,
        tree: &Tree<'t>,
        language: Language,
        place: &Place,
        kind: Option<&GroupVersionKind>,
    ) -> (Result<Option<Object>, SchemeError>, Vec<Fault>) {
        let value = match language {
            Language::Json => tree.to_value(),
            Language::Yaml => tree.clone().collapse().to_value(),
        };
        let entry = kind.and_then(|kind| self.scheme.entries.get(kind));
        let read = object(value, entry, place);
        let object = read.map_err(|error| {
            let position = find_text(tree, &error.place().path);
            error.on(position.or(place.line.zip(place.column))).at(place)
        });
        // What isn't registered is left alone.
        let inside = Place {
            path: String::new(),
            ..place.clone()
        };
        if let Some(entry) = entry {
            let typed = Some(entry.faults);
            // It stops where reading did, which has told why.
            let _ = strict::faults(tree, typed, language, &inside, &mut self.log);
        }
        (object, self.log.take())
    }
}

/// The object that a value is.
fn object(
    value: Value,
    entry: Option<&Entry>,
    place: &Place,
) -> Result<Option<Object>, SchemeError> {
    if let Some(entry) = entry {
        let content = (entry.from_value)(&value)?;
        return Ok(Some(Object::typed(content, place.clone())));
    }
    let kind = TypeMeta::of_value(&value)?.kind()?;
    if is_plain_list(&kind) && value.get("items").is_some_and(|items| !items.is_null()) {
        let message = "not a list".to_owned();
        return Err(SchemeError::new("items", Reason::Shape { message }));
    }
    Ok(Some(Object::untyped(kind, value, place.clone())))
}

/// Takes the items out of a list, if they are any.
fn take_items<'t>(tree: &mut Tree<'t>) -> Option<Vec<Tree<'t>>> {
    let Tree::Fields(fields) = tree else {
        return None;
    };
    let mut fields = fields.iter_mut().rev();
    let field = fields.find(|field| field.name == "items")?;
    match std::mem::replace(&mut field.value, Tree::Null) {
        Tree::Items(items) => Some(items),
        other => {
            field.value = other;
            None
        }
    }
}

impl Scheme {
    /// Whether a kind is a list, and which kind the items of a typed one have.
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
