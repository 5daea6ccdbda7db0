//! Paths: which lists below a kind have keys, which values can have several owners, and which objects
//! have required fields.

use crate::model::{ApiVersion, Field, Role, SchemaName, Struct, Ty, walk_fields};

/// Works out the paths of every kind.
pub(super) fn run(version: &mut ApiVersion) {
    let kinds: Vec<SchemaName> = version.kinds().map(|(kind, _)| kind.clone()).collect();
    for kind in kinds {
        let (keyed_lists, granular) =
            (keyed_lists(version, &kind), granular(version, &kind));
        let required = |keep: &dyn Fn(&Field) -> bool| match version.is_custom {
            true => required(version, &kind, keep),
            false => Vec::new(),
        };
        let nullable = required(&|field| field.facts.takes_null.first() == Some(&true));
        let required = required(&|_| true);
        let not_null = version.is_custom.then(|| not_null(version, &kind));
        if let Some(object) = version.object_mut(&kind)
            && let Role::Kind(resource) = &mut object.role
        {
            resource.keyed_lists = keyed_lists;
            resource.required = required;
            resource.nullable = nullable;
            resource.not_null = not_null.unwrap_or_default();
            resource.granular = granular;
        }
    }
}

fn keyed_lists(version: &ApiVersion, kind: &SchemaName) -> Vec<(String, Vec<String>)> {
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

fn granular(version: &ApiVersion, kind: &SchemaName) -> Vec<String> {
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
            _ => None,
        }
    });
    found
}

/// The required fields for which a function returns `true`. Of a status that is written by itself, an
/// object shows nothing to a server.
fn required(
    version: &ApiVersion,
    kind: &SchemaName,
    keep: &dyn Fn(&Field) -> bool,
) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    let Some(top) = version.types.get(kind).and_then(|ty| ty.object()) else {
        return found;
    };
    let mut add = |path: String, object: &Struct| {
        let fields = object.fields.iter();
        // What has a default is never absent.
        let required =
            fields.filter(|f| f.required && !f.metadata && f.facts.default.is_none());
        let required = required.filter(|field| keep(field));
        let names: Vec<_> = required.map(|field| field.json.clone()).collect();
        if !names.is_empty() {
            found.push((path, names));
        }
    };
    add(String::new(), top);
    walk_fields(&version.types, kind, &mut |path, field| {
        if field.metadata || path == "status" && top.has_own_status(field) {
            return None;
        }
        let (suffix, ty) = elements(&field.ty)?;
        if let Some((_, object)) = version.own_struct(ty) {
            add(format!("{path}{suffix}"), object);
        }
        Some(suffix)
    });
    found
}

/// The elements of lists that can't be `null`; `null` in a map is no entry.
fn not_null(version: &ApiVersion, kind: &SchemaName) -> Vec<String> {
    let mut found = Vec::new();
    let top = version.types.get(kind).and_then(|ty| ty.object());
    walk_fields(&version.types, kind, &mut |path, field| {
        let is_own_status =
            path == "status" && top.is_some_and(|top| top.has_own_status(field));
        if field.metadata || is_own_status {
            return None;
        }
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
                found.push(path.clone());
            }
        }
        elements(&field.ty).map(|(suffix, _)| suffix)
    });
    found
}

/// What is in lists and maps, and how paths show that; no more than three of them in each other.
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

/// Whether a value is a struct of the crate that can have several owners.
pub(super) fn is_granular(version: &ApiVersion, ty: &Ty) -> bool {
    let own = version.own_struct(ty);
    own.is_some_and(|(ty, _)| ty.facts.atomic != Some(true))
}
