//! JSON values with duplicate fields, which a parsed value can't have.

use serde_json::Value;

/// Fields that hold maps of strings, in which every name is known.
pub const MAPS: [&str; 12] = [
    "allocatedResourceStatuses",
    "allocatedResources",
    "annotations",
    "attachmentMetadata",
    "capacity",
    "labels",
    "limits",
    "matchLabels",
    "options",
    "parameters",
    "requests",
    "volumeAttributes",
];

/// A value whose objects may have a field more than once.
#[derive(Clone, Debug)]
pub enum Doc {
    /// Neither a list nor an object.
    Simple(Value),
    /// A list.
    Items(Vec<Doc>),
    /// An object, its fields in their order.
    Fields(Vec<(String, Doc)>),
}

impl Doc {
    /// The same as a value.
    pub fn of(value: Value) -> Self {
        match value {
            Value::Array(items) => Self::Items(items.into_iter().map(Self::of).collect()),
            Value::Object(fields) => {
                let fields = fields.into_iter();
                Self::Fields(
                    fields
                        .map(|(name, value)| (name, Self::of(value)))
                        .collect(),
                )
            }
            value => Self::Simple(value),
        }
    }

    /// Returns the document as JSON, with each field on its own line.
    pub fn text(&self) -> String {
        match self {
            Self::Simple(value) => value.to_string(),
            Self::Items(items) => {
                let items: Vec<_> = items.iter().map(Self::text).collect();
                format!("[{}]", items.join(","))
            }
            Self::Fields(fields) => {
                let field = |(name, value): &(String, Self)| {
                    format!("{}:{}", Value::from(name.as_str()), value.text())
                };
                let fields: Vec<_> = fields.iter().map(field).collect();
                format!("{{{}}}", fields.join(",\n"))
            }
        }
    }

    /// The number of objects in it, itself included, but for those in fields that don't count.
    pub fn objects(&self, counts: fn(&str) -> bool) -> usize {
        match self {
            Self::Simple(_) => 0,
            Self::Items(items) => items.iter().map(|item| item.objects(counts)).sum(),
            Self::Fields(fields) => {
                let inner = fields.iter().filter(|(name, _)| counts(name));
                1 + inner.map(|(_, value)| value.objects(counts)).sum::<usize>()
            }
        }
    }

    /// The fields of one of its [`objects`](Self::objects), counted from 0, and whether that is
    /// one of [`MAPS`].
    pub fn object(
        &mut self,
        mut nth: usize,
        counts: fn(&str) -> bool,
    ) -> Option<(bool, &mut Vec<(String, Self)>)> {
        self.find(false, &mut nth, counts)
    }

    fn find(
        &mut self,
        map: bool,
        left: &mut usize,
        counts: fn(&str) -> bool,
    ) -> Option<(bool, &mut Vec<(String, Self)>)> {
        match self {
            Self::Simple(_) => None,
            Self::Items(items) => items
                .iter_mut()
                .find_map(|item| item.find(false, left, counts)),
            Self::Fields(fields) => {
                if *left == 0 {
                    return Some((map, fields));
                }
                *left -= 1;
                let inner = fields.iter_mut().filter(|(name, _)| counts(name));
                let mut inner = inner.map(|(name, value)| (MAPS.contains(&name.as_str()), value));
                inner.find_map(|(map, value)| value.find(map, left, counts))
            }
        }
    }
}
