//! Paths: which lists below a kind have keys, which values can have several owners, and which
//! objects have required fields, or fields that aren't in their schemas.

use serde_json::Value;

use crate::foundation;
use crate::model::{
    ApiVersion, External, Field, Lowered, Paths, SchemaName, Struct, Ty, walk_fields,
};

/// Returns the paths below a kind.
pub(super) fn of(version: &ApiVersion<Lowered>, kind: &SchemaName) -> Paths {
    let presence = match version.is_custom {
        true => presence(version, kind),
        false => Presence::default(),
    };
    let correlation = match version.is_custom {
        true => correlation(version, kind),
        false => Correlation::default(),
    };
    Paths {
        keyed_lists: keyed_lists(version, kind),
        correlated: correlation.lists,
        open: correlation.open,
        required: presence.required,
        nullable: presence.nullable,
        least: presence.least,
        not_null: presence.not_null,
        granular: granular(version, kind),
    }
}

fn keyed_lists(version: &ApiVersion<Lowered>, kind: &SchemaName) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    walk_fields(&version.types, kind, &mut |path, field| {
        let keys = &field.facts.list_keys;
        if matches!(field.ty, Ty::List(_)) && !keys.is_empty() {
            found.push((path.to_owned(), keys.clone()));
        }
        Some("")
    });
    found
}

fn granular(version: &ApiVersion<Lowered>, kind: &SchemaName) -> Vec<String> {
    let mut found = Vec::new();
    walk_fields(&version.types, kind, &mut |path, field| {
        let said = field.facts.atomic;
        match &field.ty {
            _ if field.metadata => None,
            Ty::Map(_) if said != Some(true) => {
                found.push(path.to_owned());
                None
            }
            Ty::List(item) if said == Some(false) => {
                found.push(path.to_owned());
                is_granular(version, item).then(|| {
                    found.push(format!("{path}[]"));
                    "[]"
                })
            }
            ty if said != Some(true) && is_granular(version, ty) => {
                found.push(path.to_owned());
                Some("")
            }
            ty if said != Some(true) && version.is_custom => {
                if let Some(external) = external(version, ty) {
                    found.push(path.to_owned());
                    let inside = external.inside.granular.iter();
                    found.extend(inside.map(|inner| join(path, inner)));
                }
                None
            }
            _ => None,
        }
    });
    found
}

/// The required fields of an object, and those that can be `null`.
#[derive(Default)]
struct Presence {
    /// The required fields without a default, by their objects.
    required: Vec<(String, Vec<String>)>,
    /// The fields among them that can be `null`.
    nullable: Vec<(String, Vec<String>)>,
    /// The objects that must have a number of fields, which those are among.
    least: Vec<(String, usize)>,
    /// The elements of lists that can't be `null`; `null` in a map isn't an entry.
    not_null: Vec<String>,
}

fn presence(version: &ApiVersion<Lowered>, kind: &SchemaName) -> Presence {
    let mut found = Presence::default();
    let Some(top) = version.types.get(kind).and_then(|ty| ty.object()) else {
        return found;
    };
    found.add_object("", top);
    let has_own_status = top.fields.iter().any(|field| top.has_own_status(field));
    walk_fields(&version.types, kind, &mut |path, field| {
        if field.metadata {
            return None;
        }
        found.add_elements(path, field);
        let (suffix, ty) = elements(&field.ty)?;
        let path = format!("{path}{suffix}");
        if let Some((_, object)) = version.own_struct(ty) {
            // A write of the status doesn't ask for the type of an object in it.
            let is_unasked = is_embedded(object) && has_own_status && is_in_status(&path);
            if !is_unasked {
                found.add_object(&path, object);
            }
        } else if let Some(external) = external(version, ty) {
            found.add_inside(&path, &external.inside);
        }
        Some(suffix)
    });
    found
}

impl Presence {
    fn add_object(&mut self, path: &str, object: &Struct<Lowered>) {
        let fields = object.fields.iter();
        // A field with a default is never absent.
        let required: Vec<&Field<Lowered>> = fields
            .filter(|f| f.required && !f.metadata && f.facts.default.is_none())
            .collect();
        let named = |keep: fn(&Field<Lowered>) -> bool| -> Vec<String> {
            let kept = required.iter().filter(|field| keep(field));
            kept.map(|field| field.json.clone()).collect()
        };
        let lists = [
            (&mut self.required, named(|_| true)),
            (&mut self.nullable, named(|field| field.facts.takes_null())),
        ];
        for (list, names) in lists {
            if !names.is_empty() {
                list.push((path.to_owned(), names));
            }
        }
        let least = object.rule_keywords.keywords.get("minProperties");
        let least = least
            .and_then(Value::as_u64)
            .filter(|_| !required.is_empty());
        let least = least.and_then(|least| usize::try_from(least).ok());
        self.least
            .extend(least.map(|least| (path.to_owned(), least)));
    }

    fn add_inside(&mut self, path: &str, inside: &Paths) {
        let required = inside.required.iter();
        let required = required.map(|(inner, names)| (join(path, inner), names.clone()));
        self.required.extend(required);
        let not_null = inside.not_null.iter();
        self.not_null
            .extend(not_null.map(|inner| join(path, inner)));
    }

    fn add_elements(&mut self, path: &str, field: &Field<Lowered>) {
        let (mut ty, mut path) = (&field.ty, path.to_owned());
        for depth in 1.. {
            let is_list = matches!(ty, Ty::List(_));
            let (Ty::List(inner) | Ty::Map(inner)) = ty else {
                break;
            };
            path += "[]";
            ty = inner;
            let takes_null = field.facts.takes_null.get(depth) == Some(&true);
            if is_list && !takes_null && !matches!(ty, Ty::Json) {
                self.not_null.push(path.clone());
            }
        }
    }
}

/// What a server heeds when it looks for the stored counterpart of a value.
#[derive(Default)]
struct Correlation {
    /// The lists whose elements have keys.
    lists: Vec<(String, Vec<String>)>,
    /// The objects that keep fields which their schemas don't have, and the fields of these.
    open: Vec<(String, Vec<String>)>,
}

fn correlation(version: &ApiVersion<Lowered>, kind: &SchemaName) -> Correlation {
    let mut found = Correlation::default();
    walk_fields(&version.types, kind, &mut |path, field| {
        if field.metadata {
            return None;
        }
        let keys = &field.facts.list_keys;
        if matches!(field.ty, Ty::List(_)) && !keys.is_empty() {
            found.lists.push((path.to_owned(), keys.clone()));
        }
        found.add_open(version, path, field);
        Some(elements(&field.ty)?.0)
    });
    found
}

impl Correlation {
    fn add_open(&mut self, version: &ApiVersion<Lowered>, path: &str, field: &Field<Lowered>) {
        let (mut ty, mut path) = (&field.ty, path.to_owned());
        let mut keywords = Some(&field.rule_keywords);
        while let Ty::List(inner) | Ty::Map(inner) = ty {
            keywords = keywords.and_then(|keywords| keywords.inside.as_deref());
            if matches!(ty, Ty::Map(_)) && keywords.is_none() {
                // The schema says nothing of the values, and knows no key.
                self.open.push((path, Vec::new()));
                return;
            }
            path += "[]";
            ty = inner;
        }
        if matches!(ty, Ty::Json) {
            self.open.push((path, Vec::new()));
        } else if let Some((_, object)) = version.own_struct(ty) {
            let is_embedded = is_embedded(object);
            if object.is_open || is_embedded {
                // To the schema, the type and metadata of an object in another aren't fields.
                let is_known = |name: &str| !is_embedded || !OF_OBJECTS.contains(&name);
                let names = object.fields.iter().map(|field| field.json.clone());
                let known = names.filter(|name| is_known(name)).collect();
                self.open.push((path, known));
            }
        }
    }
}

/// Returns true for the path of a kind's status, or of something in it.
fn is_in_status(path: &str) -> bool {
    path.split(['.', '[']).next() == Some("status")
}

/// Returns true for an object of any kind inside another.
fn is_embedded(object: &Struct<Lowered>) -> bool {
    object.rule_keywords.keywords.get(EMBEDDED) == Some(&Value::Bool(true))
}

const EMBEDDED: &str = "x-kubernetes-embedded-resource";

/// The fields that every object has.
const OF_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The path of something inside a value.
fn join(path: &str, inner: &str) -> String {
    match inner {
        "" => path.to_owned(),
        inner => format!("{path}.{inner}"),
    }
}

/// The type of another crate that a value has, if its schema is known.
fn external<'a>(version: &'a ApiVersion<Lowered>, ty: &Ty) -> Option<&'a External> {
    let Ty::Ref(schema) = ty else {
        return None;
    };
    let external = version.externs.get(schema)?;
    let is_known = external.merged.is_some() && !foundation::is_metadata(&external.path);
    is_known.then_some(external)
}

/// Returns the elements of a list or map, and their mark in paths; at most three levels.
fn elements(ty: &Ty) -> Option<(&'static str, &Ty)> {
    let mut inner = ty;
    for suffix in ["", "[]", "[][]", "[][][]"] {
        match inner {
            Ty::List(item) | Ty::Map(item) => inner = item,
            _ => return Some((suffix, inner)),
        }
    }
    None
}

/// Returns true if a value is a struct of the crate that can have several owners.
pub(super) fn is_granular(version: &ApiVersion<Lowered>, ty: &Ty) -> bool {
    let own = version.own_struct(ty);
    own.is_some_and(|(ty, _)| ty.facts.atomic != Some(true))
}
