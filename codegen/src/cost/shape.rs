//! Types and sizes of values, as far as a server knows them by the schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The most bytes of a request.
pub(super) const REQUEST: u64 = 3 << 20;

/// The least bytes of values in JSON.
mod least {
    pub(super) const BRACKETS: u64 = 2;
    pub(super) const QUOTES: u64 = 2;
    pub(super) const NUMBER: u64 = 1;
    pub(super) const BOOL: u64 = 4;
    pub(super) const DURATION: u64 = 3;
    pub(super) const DATE: u64 = 12;
    pub(super) const TIME: u64 = 21;
    /// Quotes, a colon and a comma around the name of a property.
    pub(super) const PROPERTY: u64 = 4;
    /// An empty key with a colon and a comma, and two more.
    pub(super) const ENTRY: u64 = 6;
}

/// The most characters of a duration or a time.
const DURATION_OR_TIME: u64 = 32;

/// The most bytes of a character.
const CHARACTER: u64 = 4;

/// The most characters of the name of an object, and of the beginning of a generated one.
const NAME: [(&str, u64); 2] = [("name", 253), ("generateName", 252)];

/// The type of a value in rules, and its sizes.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) sort: Sort,
    /// The most elements, entries, characters or bytes; 0 of values that have none.
    pub(super) max: u64,
    /// The keyword that would bound that number, if the schema doesn't.
    pub(super) lacks: Option<&'static str>,
    /// The least bytes of the value in JSON.
    least: u64,
}

#[derive(Debug)]
pub(super) enum Sort {
    Bool,
    Int,
    Double,
    Text,
    Bytes,
    Duration,
    Time,
    /// A number or a text.
    Dynamic,
    List(Box<Shape>),
    Map(Box<Shape>),
    /// The properties, by their names in the schema.
    Object(BTreeMap<String, Shape>),
}

/// The keys of maps, which a server counts as if they were empty.
pub(super) const KEY: &Shape = &Shape {
    sort: Sort::Text,
    max: 0,
    lacks: None,
    least: least::QUOTES,
};

impl Shape {
    /// The shape of values with a schema, if rules can be about them. `is_root` is true of whole
    /// objects, which have a name and a kind.
    pub(super) fn of(schema: &Map<String, Value>, is_root: bool) -> Option<Self> {
        if is(schema, "x-kubernetes-int-or-string") {
            let max = count(schema, "maxLength").map(|max| max.saturating_mul(CHARACTER));
            return Some(Self::sized(Sort::Dynamic, max, "maxLength", least::NUMBER));
        }
        let shape = match schema.get("type")?.as_str()? {
            "array" => Self::list(schema)?,
            "object" => match inside(schema, "additionalProperties") {
                Some(values) => Self::map(schema, values)?,
                _ => Self::object(schema, is_root),
            },
            "string" => Self::text(schema),
            "boolean" => Self::plain(Sort::Bool, least::BOOL),
            "number" => Self::plain(Sort::Double, least::NUMBER),
            "integer" => Self::plain(Sort::Int, least::NUMBER),
            _ => return None,
        };
        Some(shape)
    }

    /// The most values of this shape in an object of which it isn't known how many it has.
    pub(super) fn most(&self) -> u64 {
        // Each has a comma.
        REQUEST / (self.least + 1)
    }

    /// The shape of the elements of a list or the values of a map.
    pub(super) fn inside(&self) -> Option<&Self> {
        match &self.sort {
            Sort::List(inside) | Sort::Map(inside) => Some(inside),
            _ => None,
        }
    }

    /// The shape of a property, by the name that the schema has.
    pub(super) fn property(&self, name: &str) -> Option<&Self> {
        match &self.sort {
            Sort::Object(properties) => properties.get(name),
            _ => None,
        }
    }

    const fn plain(sort: Sort, least: u64) -> Self {
        Self {
            sort,
            max: 0,
            lacks: None,
            least,
        }
    }

    /// Text that is as long as a request can be if no limit is known.
    fn sized(sort: Sort, max: Option<u64>, keyword: &'static str, least: u64) -> Self {
        Self {
            sort,
            max: max.unwrap_or(REQUEST - least::QUOTES),
            lacks: max.is_none().then_some(keyword),
            least,
        }
    }

    fn list(schema: &Map<String, Value>) -> Option<Self> {
        let items = schema.get("items")?.as_object()?;
        let items = Self::of(items, is(items, "x-kubernetes-embedded-resource"))?;
        let max = count(schema, "maxItems");
        Some(Self {
            max: max.unwrap_or((REQUEST - least::BRACKETS) / (items.least + 1)),
            lacks: max.is_none().then_some("maxItems"),
            least: least::BRACKETS,
            sort: Sort::List(Box::new(items)),
        })
    }

    fn map(schema: &Map<String, Value>, values: &Map<String, Value>) -> Option<Self> {
        let values = Self::of(values, is(values, "x-kubernetes-embedded-resource"))?;
        let max = count(schema, "maxProperties");
        Some(Self {
            max: max.unwrap_or((REQUEST - least::BRACKETS) / (values.least + least::ENTRY)),
            lacks: max.is_none().then_some("maxProperties"),
            least: least::BRACKETS,
            sort: Sort::Map(Box::new(values)),
        })
    }

    fn object(schema: &Map<String, Value>, is_root: bool) -> Self {
        let required = schema.get("required").and_then(Value::as_array);
        let required: Vec<_> = required.into_iter().flatten().collect();
        let mut shapes = BTreeMap::new();
        let mut least = least::BRACKETS;
        let mut add = |name: &str, shape: Self, has_default: bool| {
            if !has_default && required.iter().any(|required| *required == name) {
                least += shape.least + least::PROPERTY + name.len() as u64;
            }
            shapes.insert(name.to_owned(), shape);
        };
        let of_root = is_root.then(|| meta(schema)).into_iter().flatten();
        let mut given = Vec::new();
        for (name, shape) in of_root {
            given.push(name);
            add(name, shape, false);
        }
        let properties = inside(schema, "properties").into_iter().flatten();
        for (name, property) in properties.filter(|(name, _)| !given.contains(&name.as_str())) {
            let Some(property) = property.as_object() else {
                continue;
            };
            let is_root = is(property, "x-kubernetes-embedded-resource");
            if let Some(shape) = Self::of(property, is_root) {
                let has_default = property
                    .get("default")
                    .is_some_and(|value| !value.is_null());
                add(name, shape, has_default);
            }
        }
        Self::plain(Sort::Object(shapes), least)
    }

    fn text(schema: &Map<String, Value>) -> Self {
        let format = schema.get("format").and_then(Value::as_str);
        let limited = |sort, max, least| Self {
            max,
            ..Self::plain(sort, least)
        };
        match format {
            Some("byte") => {
                let max = count(schema, "maxLength");
                Self::sized(Sort::Bytes, max, "maxLength", least::QUOTES)
            }
            Some("duration") => limited(Sort::Duration, DURATION_OR_TIME, least::DURATION),
            Some("date") => limited(Sort::Time, least::DATE, least::DATE),
            Some("date-time") => limited(Sort::Time, DURATION_OR_TIME, least::TIME),
            _ => {
                let max = count(schema, "maxLength").map(|max| max.saturating_mul(CHARACTER));
                let max = max.or_else(|| longest(schema));
                Self::sized(Sort::Text, max, "maxLength", least::QUOTES)
            }
        }
    }
}

/// The properties of whole objects that rules know, unless the schema has them all.
fn meta(schema: &Map<String, Value>) -> Vec<(&'static str, Shape)> {
    let properties = inside(schema, "properties");
    let property = |name: &str| properties?.get(name)?.as_object();
    let is_of = |schema: Option<&Map<String, Value>>, ty: &str| {
        schema
            .and_then(|schema| schema.get("type"))
            .is_some_and(|found| found == ty)
    };
    let metadata = property("metadata");
    let of_metadata = |name: &str| inside(metadata?, "properties")?.get(name)?.as_object();
    if is_of(property("kind"), "string")
        && is_of(property("apiVersion"), "string")
        && is_of(metadata, "object")
        && NAME
            .iter()
            .all(|(name, _)| is_of(of_metadata(name), "string"))
    {
        return Vec::new();
    }
    let text = || Shape::sized(Sort::Text, None, "maxLength", least::QUOTES);
    let names = NAME.iter().map(|(name, longest)| {
        let given = of_metadata(name).and_then(|schema| count(schema, "maxLength"));
        let max = given.unwrap_or(*longest).min(*longest) * CHARACTER;
        let shape = Shape::sized(Sort::Text, Some(max), "maxLength", least::QUOTES);
        ((*name).to_owned(), shape)
    });
    let metadata = Shape::plain(Sort::Object(names.collect()), least::BRACKETS);
    vec![
        ("kind", text()),
        ("apiVersion", text()),
        ("metadata", metadata),
    ]
}

/// The bytes of the longest text of an enumeration.
fn longest(schema: &Map<String, Value>) -> Option<u64> {
    let values = schema.get("enum")?.as_array()?;
    let lengths = values.iter().filter_map(Value::as_str).map(str::len);
    (!values.is_empty()).then(|| lengths.max().unwrap_or(0) as u64)
}

/// Returns true if a keyword is set.
pub(super) fn is(schema: &Map<String, Value>, keyword: &str) -> bool {
    schema.get(keyword).and_then(Value::as_bool) == Some(true)
}

/// A number of elements or characters; one below 0 counts as 0.
pub(super) fn count(schema: &Map<String, Value>, keyword: &str) -> Option<u64> {
    let number = schema.get(keyword)?.as_i64()?;
    Some(u64::try_from(number).unwrap_or(0))
}

/// The object that a keyword has.
pub(super) fn inside<'a>(
    schema: &'a Map<String, Value>,
    keyword: &str,
) -> Option<&'a Map<String, Value>> {
    schema.get(keyword)?.as_object()
}
