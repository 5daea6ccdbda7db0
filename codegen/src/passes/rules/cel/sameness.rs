//! Equality of values as a server sees it: the order of sets and of lists with keys doesn't count,
//! and times are equal however they are written.

use crate::foundation;
use crate::model::{
    ApiVersion, CelForm, CelText, Exact, Field, ListForm, Resolved, Sameness, SchemaName, Struct,
    Ty,
};
use crate::syntax::names::is_escaped;

/// The way in which rules of a custom resource compare a field, if not as Rust does.
pub(in crate::passes::rules) fn of_field(
    version: &ApiVersion<Resolved>,
    field: &Field<Resolved>,
) -> Option<Sameness> {
    let form = CelForm::of(&field.rule_keywords);
    let found = version.is_custom.then(|| of(version, &field.ty, &form));
    // A struct with a field that can't be compared isn't compared either.
    found?.ok().filter(|same| *same != Sameness::Exact)
}

/// The way in which values of a type are compared, or what of them can't be.
pub(super) fn of(
    version: &ApiVersion<Resolved>,
    ty: &Ty,
    form: &CelForm,
) -> Result<Sameness, String> {
    match ty {
        Ty::String => Ok(match form.text {
            CelText::Plain => Sameness::Exact,
            CelText::Date => Sameness::Written("written_date"),
            CelText::Duration => Sameness::Written("written_duration"),
        }),
        Ty::Exact(Exact::DateTime) => Ok(Sameness::Written("written_time")),
        Ty::Exact(Exact::Number) => Ok(Sameness::Number),
        Ty::List(item) => of_list(version, item, form),
        Ty::Map(value) if **value == Ty::Json && form.inside.is_none() => Ok(Sameness::Open),
        Ty::Json if form.element.is_some() => {
            Err("elements that can be `null` and are compared".to_owned())
        }
        Ty::Map(value) => Ok(match of(version, value, &form.inside())? {
            Sameness::Exact => Sameness::Exact,
            inside => Sameness::Entries(Box::new(inside)),
        }),
        Ty::Ref(name) => match (version.own_struct(ty), version.aliases.get(name)) {
            (Some((_, object)), _) => of_struct(version, object).map(|is_exact| match is_exact {
                true => Sameness::Exact,
                false => Sameness::Struct(name.clone()),
            }),
            (None, Some(alias)) => of(version, alias, form),
            (None, None) if version.own_enum(ty).is_some() => Ok(Sameness::Exact),
            (None, None) if is_compared_exactly(version, name) => Ok(Sameness::Exact),
            (None, None) => Err("an object of another crate that is compared".to_owned()),
        },
        _ => Ok(Sameness::Exact),
    }
}

fn is_compared_exactly(version: &ApiVersion<Resolved>, name: &SchemaName) -> bool {
    let external = version.externs.get(name);
    external.is_some_and(|external| foundation::is_compared_exactly(&external.path))
}

/// Returns true if no field needs a comparison of its own, and none is `null` or unknown.
fn of_struct(version: &ApiVersion<Resolved>, object: &Struct<Resolved>) -> Result<bool, String> {
    let mut fields = object.fields.iter();
    let mut is_exact = !object.is_open && !fields.any(|field| field.form.keeps_null);
    for field in &object.fields {
        let form = CelForm::of(&field.rule_keywords);
        is_exact &= of(version, &field.ty, &form)? == Sameness::Exact;
    }
    Ok(is_exact)
}

fn of_list(version: &ApiVersion<Resolved>, item: &Ty, form: &CelForm) -> Result<Sameness, String> {
    let inside = of(version, item, &form.inside())?;
    match &form.list {
        ListForm::Atomic if inside == Sameness::Exact => Ok(Sameness::Exact),
        ListForm::Atomic => Ok(Sameness::Each(Box::new(inside))),
        ListForm::Set => {
            let is_plain = !matches!(item, Ty::List(_) | Ty::Map(_) | Ty::Json | Ty::Bytes);
            let is_struct = version.own_struct(item).is_some();
            match is_plain && !is_struct && inside == Sameness::Exact {
                true => Ok(Sameness::Set),
                false => Err("a set of other than texts, flags and whole numbers".to_owned()),
            }
        }
        ListForm::Keyed(keys) => {
            let (_, object) = version
                .own_struct(item)
                .ok_or("a list with keys of other than objects")?;
            // A server looks for the escaped name in the object.
            let idents = keys.iter().map(|key| match is_escaped(key) {
                true => None,
                false => object.field(key).map(|field| field.name.clone()),
            });
            let idents: Option<Vec<_>> = idents.collect();
            let idents = idents.ok_or("a list with keys that rules name in another way")?;
            Ok(Sameness::Keyed(idents, Box::new(inside)))
        }
    }
}
