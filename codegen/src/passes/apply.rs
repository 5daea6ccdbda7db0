//! Apply types: structs for server-side apply, in which every field is optional.

use std::collections::{BTreeMap, BTreeSet};

use crate::doc;
use crate::model::{
    Analysed, ApiVersion, Applies, Behaviour, Docs, Facts, Field, FieldChecks, FieldForm,
    FieldRules, Module, Role, SchemaName, Shape, Struct, Ty, Type, ValueConversion,
};

/// Makes the apply types of the kinds and of the structs that they are made of. `full` has the
/// finished types of the document.
pub(super) fn run(version: &ApiVersion<Analysed>, full: &BTreeMap<SchemaName, Type>) -> Applies {
    let kinds = version.kinds().map(|(kind, _)| kind);
    let names: BTreeSet<&SchemaName> = kinds
        .flat_map(|kind| [vec![kind], version.layout.graph.below(kind)].concat())
        .collect();
    let mut types = BTreeMap::new();
    for name in names {
        if let Some(ty) = full.get(name)
            && let Some(object) = ty.object()
        {
            types.insert(name.clone(), of_type(version, ty, object));
        }
    }
    // The same files as those of the full types, with what of them is applied.
    let modules = version.layout.modules.iter().filter_map(|module| {
        let applied = module.types.iter().filter(|name| types.contains_key(*name));
        let applied: Vec<SchemaName> = applied.cloned().collect();
        let name = module.name.clone();
        (!applied.is_empty()).then_some(Module {
            name,
            types: applied,
        })
    });
    let modules = modules.collect();
    let carries = types.keys().filter_map(|name| {
        let fields = version.object(name)?.fields.iter();
        let carries = fields.map(|field| carry(&types, &field.ty)).collect();
        Some((name.clone(), carries))
    });
    let carries = carries.collect();
    Applies {
        types,
        carries,
        modules,
    }
}

/// The conversion of a value of the full type into one that is applied.
fn carry(types: &BTreeMap<SchemaName, Type>, ty: &Ty) -> ValueConversion {
    let inner = |inner: &Ty| match carry(types, inner) {
        ValueConversion::Same => None,
        carry => Some(Box::new(carry)),
    };
    match ty {
        Ty::Ref(name) if types.contains_key(name) => ValueConversion::Type {
            ours: name.clone(),
            theirs: name.clone(),
            total: true,
            like: false,
        },
        Ty::List(item) => inner(item).map_or(ValueConversion::Same, ValueConversion::List),
        Ty::Map(value) => inner(value).map_or(ValueConversion::Same, ValueConversion::Map),
        _ => ValueConversion::Same,
    }
}

fn of_type(version: &ApiVersion<Analysed>, ty: &Type, object: &Struct) -> Type {
    let full = format!("{}::{}", version.path(), ty.name);
    let (role, what) = match &object.role {
        Role::Kind(resource) => (
            Role::Apply(resource.clone()),
            format!(
                "Apply configuration of a [`{}`]({full}): what is set is sent, and owned by \
                 the field manager.",
                ty.name
            ),
        ),
        _ => (
            Role::Part,
            format!("Part of an apply configuration: a [`{}`]({full}).", ty.name),
        ),
    };
    let fields = object
        .fields
        .iter()
        .map(|field| of_field(version, &full, field));
    Type {
        name: ty.name.clone(),
        pointer: ty.pointer.clone(),
        docs: lines(doc::wrapped(&what)),
        facts: Facts::default(),
        shape: Shape::Struct(Struct {
            fields: fields.collect(),
            is_open: object.is_open,
            role,
            rules: Box::default(),
            rule_keywords: (),
            behaviour: Behaviour::default(),
            // Unknown fields of a type that isn't open aren't applied.
            unknown: object.unknown.clone().filter(|_| object.is_open),
        }),
    }
}

fn of_field(version: &ApiVersion<Analysed>, full: &str, field: &Field) -> Field {
    let external = field
        .ty
        .reference()
        .and_then(|name| version.externs.get(name));
    let summary = doc::without_links(&field.docs.summary);
    let mut docs = doc::wrapped(&summary);
    docs.push(String::new());
    docs.extend(doc::wrapped(&format!(
        "See [`{0}`]({full}::{0}).",
        field.name
    )));
    // Required fields of metadata are those of list elements, which have one owner anyway.
    if !field.metadata && external.is_some_and(|external| external.required) {
        let note = "Required fields of its type, at any depth, are always sent, set or not.";
        docs.push(String::new());
        docs.extend(doc::wrapped(note));
    }
    Field {
        required: false,
        docs: Docs {
            summary,
            ..lines(docs)
        },
        facts: Facts::default(),
        form: FieldForm {
            nullable: false,
            keeps_null: false,
            literal: None,
            reading: None,
            number: None,
            ..field.form.clone()
        },
        server: FieldRules::default(),
        checks: FieldChecks::none(),
        ..field.clone()
    }
}

fn lines(lines: Vec<String>) -> Docs {
    Docs {
        description: String::new(),
        lines,
        summary: String::new(),
    }
}
