//! Each field of each request is checked as its type and its annotations say.

use std::collections::BTreeSet;

use prost::Message;
use prost_reflect::{
    DescriptorPool, DynamicMessage, FieldDescriptor, Kind, ReflectMessage as _, Value,
};

use crate::annotations::Annotations;
use crate::example::{Example, map};
use crate::random::specification;
use crate::requests::REQUESTS;

/// A change of a valid request.
struct Case {
    what: String,
    message: DynamicMessage,
    /// The path of the field with the error, if there is to be one.
    error: Option<String>,
    /// The required field or `oneof` that is absent.
    required: Option<String>,
}

/// Returns the changes of a valid message, and of the messages in it.
fn cases(message: &DynamicMessage, path: &str, annotations: &Annotations) -> Vec<Case> {
    let mut cases = Vec::new();
    let fields = message.descriptor().fields().collect::<Vec<_>>();
    for field in fields.iter().filter(|field| message.has_field(field)) {
        cases.push(absent(message, field, path, annotations));
        let at = join(path, field.name());
        for (what, value, error) in values(field, &at, annotations) {
            cases.push(Case {
                what: format!("{} with {what}", field.full_name()),
                message: with(message, field, value),
                error,
                required: None,
            });
        }
        let value = message.get_field(field);
        if let Some(inner) = value.as_message() {
            let inner = self::cases(inner, &at, annotations);
            cases.extend(inner.into_iter().map(|case| Case {
                message: with(message, field, Value::Message(case.message)),
                ..case
            }));
        }
        // The second element of a list is changed.
        let list = value.as_list().unwrap_or_default();
        if let Some(first) = list.first().and_then(Value::as_message) {
            let mut inner = self::cases(first, &format!("{at}[1]"), annotations);
            // Other topologies aren't among the requisite ones.
            inner.retain(|case| case.error.is_some() || field.name() != "preferred");
            cases.extend(inner.into_iter().map(|case| {
                let list = [first.clone(), case.message].map(Value::Message);
                Case {
                    message: with(message, field, Value::List(list.into())),
                    ..case
                }
            }));
        }
    }
    cases
}

/// Returns the message without a field.
fn absent(
    message: &DynamicMessage,
    field: &FieldDescriptor,
    path: &str,
    annotations: &Annotations,
) -> Case {
    let oneof = field.containing_oneof();
    let (name, full, place) = match &oneof {
        Some(oneof) => (oneof.name(), oneof.full_name(), oneof.path()),
        None => (field.name(), field.full_name(), field.path()),
    };
    let is_required = annotations.has(place, "required");
    let mut message = message.clone();
    message.clear_field(field);
    Case {
        what: format!("without {}", field.full_name()),
        message,
        error: is_required.then(|| join(path, name)),
        required: is_required.then(|| full.to_owned()),
    }
}

/// Returns the message with another value of a field.
fn with(message: &DynamicMessage, field: &FieldDescriptor, value: Value) -> DynamicMessage {
    let mut message = message.clone();
    message.set_field(field, value);
    message
}

/// Returns other values of a field, each with its description and the path of the error.
fn values(
    field: &FieldDescriptor,
    at: &str,
    annotations: &Annotations,
) -> Vec<(String, Value, Option<String>)> {
    let size = annotations.size(field.path());
    let bad = |what: &str, value: Value| (what.to_owned(), value, Some(at.to_owned()));
    let good = |what: &str, value: Value| (what.to_owned(), value, None);
    if field.is_map() {
        let limit = size.unwrap_or(4096);
        return vec![
            good("all bytes", sized(limit)),
            bad("a byte too many", sized(limit + 1)),
        ];
    }
    match (field.kind(), field.is_list()) {
        (Kind::String, false) if annotations.has(field.path(), "path") => paths(at),
        (Kind::String, false) => {
            let limit = size.unwrap_or(128);
            let wide = Value::String("é".repeat(limit / 2 + 1));
            vec![
                good("all bytes", text(limit)),
                bad("a byte too many", text(limit + 1)),
                bad("too many bytes in few characters", wide),
            ]
        }
        (Kind::String, true) => {
            let (good_list, bad_list, place) = match size {
                Some(limit) => ([limit - 1, 1], [limit, 1], at.to_owned()),
                None => ([128, 128], [128, 129], format!("{at}[1]")),
            };
            let bad_list = Value::List(bad_list.map(text).into());
            vec![
                good("all bytes", Value::List(good_list.map(text).into())),
                ("a byte too many".to_owned(), bad_list, Some(place)),
            ]
        }
        (Kind::Enum(_), false) => vec![
            bad("an unknown number", Value::EnumNumber(99)),
            bad("a negative number", Value::EnumNumber(-1)),
        ],
        _ => Vec::new(),
    }
}

fn paths(at: &str) -> Vec<(String, Value, Option<String>)> {
    let longest = format!("/{}", "a".repeat(4094));
    let longer = format!("{longest}a");
    let bad = [
        "a/b", ".", "/..", "/a/../b", "/./a", "/a/.", "/a\0b", &longer,
    ];
    let good = ["/", "/a//b/", "/a..b/.c/...", "/ä b", &longest];
    let bad = bad.map(|path| (path, Some(at.to_owned())));
    let all = bad.into_iter().chain(good.map(|path| (path, None)));
    all.map(|(path, error)| (format!("{path:?}"), Value::String(path.to_owned()), error))
        .collect()
}

/// Returns a map of so many bytes, at least 4096, whose entries can be those of a topology.
fn sized(bytes: usize) -> Value {
    let entry = |index: usize, bytes: usize| (format!("key{index:03}"), "v".repeat(bytes - 6));
    let mut entries: Vec<_> = (0..100).map(|index| entry(index, 40)).collect();
    let rest = bytes - 100 * 40;
    entries.extend([entry(100, 48), entry(101, rest - 48)]);
    map(entries)
}

fn text(bytes: usize) -> Value {
    Value::String("a".repeat(bytes))
}

fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

#[test]
fn valid_requests_are_accepted() {
    let (specification, annotations) = (specification(), Annotations::read());
    for (name, check) in REQUESTS {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        for (choice, is_full) in [(0, false), (1, false), (0, true), (1, true)] {
            let example = Example {
                annotations: &annotations,
                choice,
                is_full,
            };
            let message = example.message(&descriptor);
            assert_eq!(check(&message.encode_to_vec()), Ok(()), "{name}: {message}");
        }
    }
}

/// Returns the names of all required fields and `oneof`s of the specification.
fn required(specification: &DescriptorPool, annotations: &Annotations) -> BTreeSet<String> {
    let messages: Vec<_> = specification.all_messages().collect();
    let fields = messages.iter().flat_map(|message| {
        let fields = message.fields();
        fields.map(|field| (field.full_name().to_owned(), field.path().to_owned()))
    });
    let oneofs = messages.iter().flat_map(|message| {
        let oneofs = message.oneofs();
        oneofs.map(|oneof| (oneof.full_name().to_owned(), oneof.path().to_owned()))
    });
    let own = fields
        .chain(oneofs)
        .filter(|(name, _)| name.starts_with("csi.v1."));
    let required = own.filter(|(_, path)| annotations.has(path, "required"));
    required.map(|(name, _)| name).collect()
}

#[test]
fn every_field_is_checked() {
    let (specification, annotations) = (specification(), Annotations::read());
    let (mut accepted, mut refused, mut tried) = (0, 0, BTreeSet::new());
    for (name, check) in REQUESTS {
        let full = format!("csi.v1.{name}");
        let descriptor = specification.get_message_by_name(&full).unwrap();
        for choice in [0, 1] {
            let example = Example {
                annotations: &annotations,
                choice,
                is_full: true,
            };
            for case in cases(&example.message(&descriptor), "", &annotations) {
                let error = check(&case.message.encode_to_vec()).err();
                let found = error.as_ref().map(|error| error.field().to_owned());
                assert_eq!(found, case.error, "{name}, {}: {error:?}", case.what);
                match found {
                    Some(_) => refused += 1,
                    None => accepted += 1,
                }
                tried.extend(case.required);
            }
        }
    }
    println!(
        "{accepted} accepted, {refused} refused, {} required",
        tried.len()
    );
    assert_eq!(tried, required(&specification, &annotations));
    assert!(accepted > 400 && refused > 500);
}
