//! A document as it was written: with every field, however often it stands there.

use std::borrow::Cow;
#[cfg(feature = "yaml")]
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use k8s_openapi::serde::de::{
    self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor,
};
use k8s_openapi::serde_json::{self, Error, Number, Value};
use kubernetes_kinds::wire::Key;

/// A value in which no field has been dropped yet.
#[derive(Clone)]
pub(crate) enum Tree<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Items(Vec<Tree<'a>>),
    Fields(Vec<Field<'a>>),
}

/// A field of an object.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    /// Its name, borrowed from the text where that is possible.
    pub(crate) name: Cow<'a, str>,
    /// Its line and column, where the reader tells them.
    pub(crate) position: Option<(usize, usize)>,
    pub(crate) value: Tree<'a>,
}

impl<'a> Field<'a> {
    /// The field with another value.
    pub(crate) fn with(&self, value: Tree<'a>) -> Self {
        Self {
            name: self.name.clone(),
            position: self.position,
            value,
        }
    }
}

impl<'a> Tree<'a> {
    /// The field at a path of names, if it is a text; of fields with the same name it takes
    /// the last.
    pub(crate) fn text(&self, path: &[&str]) -> Option<&str> {
        match (self, path) {
            (Self::Text(text), []) => Some(text),
            (Self::Fields(fields), [name, inner @ ..]) => {
                let field = fields.iter().rfind(|field| field.name == *name)?;
                field.value.text(inner)
            }
            _ => None,
        }
    }

    /// Drops all but the last of the fields with the same name, and puts them into
    /// the order of their names.
    #[cfg(feature = "yaml")]
    pub(crate) fn collapse(self) -> Self {
        match self {
            Self::Items(items) => {
                Self::Items(items.into_iter().map(Self::collapse).collect())
            }
            Self::Fields(fields) => {
                let mut kept = BTreeMap::new();
                for field in fields {
                    kept.insert(field.name.clone(), field);
                }
                let kept = kept.into_values().map(|field| Field {
                    value: field.value.collapse(),
                    ..field
                });
                Self::Fields(kept.collect())
            }
            simple => simple,
        }
    }

    /// Tells the fields where they stand in the text from which their names are borrowed.
    fn locate(&mut self, cursor: &mut Cursor<'a>) {
        match self {
            Self::Items(items) => items.iter_mut().for_each(|item| item.locate(cursor)),
            Self::Fields(fields) => {
                for field in fields {
                    if let Cow::Borrowed(name) = field.name {
                        field.position = cursor.position(name);
                    }
                    field.value.locate(cursor);
                }
            }
            _ => (),
        }
    }

    /// Moves all that it tells of lines down by so many.
    #[cfg(feature = "yaml")]
    pub(crate) fn move_down(&mut self, lines: usize) {
        match self {
            Self::Items(items) => {
                items.iter_mut().for_each(|item| item.move_down(lines));
            }
            Self::Fields(fields) => {
                for field in fields {
                    if let Some((line, _)) = &mut field.position {
                        *line += lines;
                    }
                    field.value.move_down(lines);
                }
            }
            _ => (),
        }
    }

    /// The value, for readers of JSON.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
            Self::Items(items) => items.iter().map(Self::to_value).collect(),
            Self::Fields(fields) => {
                let fields = fields.iter();
                fields
                    .map(|field| (field.name.to_string(), field.value.to_value()))
                    .collect()
            }
        }
    }
}

/// Goes through a text once, from one field to the next.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// The line and column of the quote before a name that is borrowed from the text.
    fn position(&mut self, name: &'a str) -> Option<(usize, usize)> {
        let offset = name.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        let quote = offset.checked_sub(1)?;
        for character in self.text.get(self.offset..quote)?.chars() {
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.offset = quote;
        Some((self.line, self.column))
    }
}

/// The documents of a text of JSON, one after the other, but for those that are `null`.
///
/// # Errors
///
/// When the text is damaged.
pub(crate) fn documents(text: &str) -> Result<Vec<Tree<'_>>, Error> {
    each_document(text).collect()
}

/// The same one by one, up to and with the first that is damaged.
pub(crate) fn each_document(
    text: &str,
) -> impl Iterator<Item = Result<Tree<'_>, Error>> {
    let mut cursor = Cursor::new(text);
    let documents =
        serde_json::Deserializer::from_str(text).into_iter::<Read<'_, Json>>();
    let trees = documents.map(move |document| {
        let mut tree = document?.0;
        tree.locate(&mut cursor);
        Ok(tree)
    });
    trees.filter(|tree| !matches!(tree, Ok(Tree::Null)))
}

/// A name, with its line and column if the reader tells them.
pub(crate) type Name<'a> = (Cow<'a, str>, Option<(usize, usize)>);

/// How a format is read into a [`Tree`], with names that live that long.
pub(crate) trait Format<'de, 'a> {
    /// Takes note of a value that needs so many bytes.
    ///
    /// # Errors
    ///
    /// When that is too much.
    fn spend<E: de::Error>(_bytes: usize) -> Result<(), E> {
        Ok(())
    }

    /// The next name of an object.
    ///
    /// # Errors
    ///
    /// When it is no text, or the input is damaged.
    fn next_name<M: MapAccess<'de>>(map: &mut M) -> Result<Option<Name<'a>>, M::Error>;

    /// Adds a field, or those that it stands for.
    fn add(fields: &mut Vec<Field<'a>>, field: Field<'a>) {
        fields.push(field);
    }
}

/// JSON in memory, which lends its names.
struct Json;

impl<'de> Format<'de, 'de> for Json {
    fn next_name<M: MapAccess<'de>>(map: &mut M) -> Result<Option<Name<'de>>, M::Error> {
        Ok(map.next_key::<Key<'de>>()?.map(|key| (key.0, None)))
    }
}

/// A [`Tree`] read from a format.
pub(crate) struct Read<'a, F>(pub(crate) Tree<'a>, PhantomData<F>);

impl<'de, 'a, F: Format<'de, 'a>> Deserialize<'de> for Read<'a, F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = deserializer.deserialize_any(TreeVisitor::<'a, F>(PhantomData))?;
        Ok(Self(tree, PhantomData))
    }
}

struct TreeVisitor<'a, F>(PhantomData<(&'a (), F)>);

impl<'de, 'a, F: Format<'de, 'a>> Visitor<'de> for TreeVisitor<'a, F> {
    type Value = Tree<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON has")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Null)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        Ok(Tree::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Tree<'a>, E> {
        F::spend(0)?;
        let number = Number::from_f64(value);
        number.map(Tree::Number).ok_or_else(|| E::custom("JSON has no such number"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Tree<'a>, E> {
        self.visit_string(value.to_owned())
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Tree<'a>, E> {
        F::spend(value.len())?;
        Ok(Tree::Text(value))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Tree<'a>, S::Error> {
        F::spend(0)?;
        let mut items = Vec::new();
        while let Some(Read::<'a, F>(item, _)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Tree::Items(items))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Tree<'a>, M::Error> {
        F::spend(0)?;
        let mut fields = Vec::new();
        while let Some((name, position)) = F::next_name(&mut map)? {
            F::spend(name.len())?;
            let Read::<'a, F>(value, _) = map.next_value()?;
            let field = Field {
                name,
                position,
                value,
            };
            F::add(&mut fields, field);
        }
        Ok(Tree::Fields(fields))
    }
}
