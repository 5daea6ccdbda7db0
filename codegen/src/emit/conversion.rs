//! Conversion to the types of another crate: `From` where it is lossless, otherwise `Convert`.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment;
use super::imports::{BTREE_MAP, CONVERT};
use super::runtime::KINDS;
use crate::doc::{self, NoLinks};
use crate::model::{
    ApiVersion, Carry, Conversion, Dropped, FieldConversion, Functions, How, Role,
    SchemaName, Shape, Type,
};
use crate::name::Ident;

/// The conversions of a type in both directions.
pub(super) fn items(version: &ApiVersion, schema: &SchemaName) -> Vec<TokenStream> {
    let conversions = version.conversions.get(schema).into_iter().flatten();
    let Some(ty) = version.types.get(schema) else {
        return Vec::new();
    };
    conversions.flat_map(|conversion| both_ways(ty, conversion)).collect()
}

fn both_ways(ty: &Type, conversion: &Conversion) -> Vec<TokenStream> {
    let (ours, to) = (&ty.name, &conversion.to);
    let ours = quote!(#ours);
    let theirs = quote!(#to);
    match &conversion.how {
        How::Values => vec![quote!(#KINDS::convert::enumerations! { #ours, #theirs })],
        How::Items(unknown) => {
            let list = if conversion.total { list } else { partial_list };
            let unknown = unknown.as_ref();
            vec![
                list(&ours, &theirs, unknown, Way::Forth),
                list(&theirs, &ours, unknown, Way::Back),
            ]
        }
        How::Fields(fields) if conversion.total => {
            vec![
                total(&ours, &theirs, fields, Way::Forth),
                total(&theirs, &ours, fields, Way::Back),
            ]
        }
        How::Fields(fields) => {
            let mut items = vec![
                partial(&ours, &theirs, fields, Way::Forth, false),
                partial(&theirs, &ours, fields, Way::Back, conversion.like),
            ];
            items.extend(of_kind(ty, &ours, &theirs));
            items
        }
        How::ByHand(Functions {
            forth,
            back,
            back_like,
        }) => {
            let like = back_like
                .as_ref()
                .map(|like| translate_like(&ours, &quote!(#like(self, like))));
            let mut items = vec![
                translate(&ours, &theirs, &[], &quote!(#forth(self)), None),
                translate(&theirs, &ours, &[], &quote!(#back(self)), like),
            ];
            items.extend(of_kind(ty, &ours, &theirs));
            items
        }
    }
}

/// The direction of a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forth,
    Back,
}

fn list(
    from: &TokenStream,
    to: &TokenStream,
    unknown: Option<&FieldConversion>,
    way: Way,
) -> TokenStream {
    let unknown = unknown.and_then(|field| assignment(&quote!(value), field, way));
    let unknown = unknown.into_iter();
    quote! {
        impl From<#from> for #to {
            fn from(value: #from) -> Self {
                Self {
                    metadata: value.metadata,
                    items: #CONVERT::elements(value.items),
                    #(#unknown,)*
                }
            }
        }
    }
}

fn partial_list(
    from: &TokenStream,
    to: &TokenStream,
    unknown: Option<&FieldConversion>,
    way: Way,
) -> TokenStream {
    let list = |method: TokenStream| {
        let Some(FieldConversion::Carried { ours, theirs, .. }) = unknown else {
            return quote!(#CONVERT::list(self.metadata, self.items, #method));
        };
        let (here, there) = match way {
            Way::Forth => (&ours.name, &theirs.name),
            Way::Back => (&theirs.name, &ours.name),
        };
        quote! {
            let each = #method;
            let finish = |list: &mut #to| {
                list.#there = self.#here;
            };
            #CONVERT::list_with(self.metadata, self.items, each, finish)
        }
    };
    convert(
        from,
        to,
        &list(quote!(#CONVERT::Convert::convert)),
        &list(quote!(#CONVERT::Convert::convert_preserving)),
    )
}

/// What users call, if the type is a kind; parts of kinds are only translated.
fn of_kind(ty: &Type, ours: &TokenStream, theirs: &TokenStream) -> Vec<TokenStream> {
    let is_kind = match &ty.shape {
        Shape::Struct(object) => matches!(object.role, Role::Kind(_)),
        Shape::Enum(_) => false,
    };
    if !is_kind {
        return Vec::new();
    }
    let (plain, keeping) =
        (quote!(#CONVERT::object(self)), quote!(#CONVERT::object_preserving(self)));
    vec![
        convert(ours, theirs, &plain, &keeping),
        convert(theirs, ours, &plain, &keeping),
    ]
}

fn convert(
    from: &TokenStream,
    to: &TokenStream,
    plain: &TokenStream,
    keeping: &TokenStream,
) -> TokenStream {
    let result = quote!(#CONVERT::Result<#CONVERT::Converted<#to>>);
    quote! {
        impl #CONVERT::Convert<#to> for #from {
            fn convert(self) -> #result {
                #plain
            }

            fn convert_preserving(self) -> #result {
                #keeping
            }
        }
    }
}

fn translate(
    from: &TokenStream,
    to: &TokenStream,
    lines: &[String],
    body: &TokenStream,
    like: Option<TokenStream>,
) -> TokenStream {
    let docs = comment(lines);
    quote! {
        #docs
        impl #CONVERT::Translate<#to> for #from {
            fn translate(self) -> #CONVERT::Result<#to> {
                #body
            }

            #like
        }
    }
}

fn translate_like(to: &TokenStream, body: &TokenStream) -> TokenStream {
    quote! {
        fn translate_like(self, like: &#to) -> #CONVERT::Result<#to> {
            #body
        }
    }
}

fn total(
    from: &TokenStream,
    to: &TokenStream,
    fields: &[FieldConversion],
    way: Way,
) -> TokenStream {
    let fields =
        fields.iter().filter_map(|field| assignment(&quote!(value), field, way));
    quote! {
        impl From<#from> for #to {
            fn from(value: #from) -> Self {
                Self { #(#fields),* }
            }
        }
    }
}

fn partial(
    from: &TokenStream,
    to: &TokenStream,
    fields: &[FieldConversion],
    way: Way,
    with_like: bool,
) -> TokenStream {
    let lines = lost(fields, way);
    let plain = fields.iter().filter_map(|field| assignment(&quote!(self), field, way));
    let plain = quote!(Ok(#to { #(#plain),* }));
    let like = with_like.then(|| {
        let fields = fields.iter().filter_map(like_assignment);
        translate_like(to, &quote!(Ok(#to { #(#fields),* })))
    });
    translate(from, to, &lines, &plain, like)
}

/// The same on the way back, in the form of `like` where that matters.
fn like_assignment(field: &FieldConversion) -> Option<TokenStream> {
    match field {
        FieldConversion::Carried {
            ours,
            theirs,
            carry: Carry::Type { like: true, .. },
            ..
        } => {
            let (ours, theirs) = (&ours.name, &theirs.name);
            let function = quote!(#CONVERT::Translate::translate_like);
            Some(quote!(#ours: #function(self.#theirs, &like.#ours)?))
        }
        FieldConversion::Function {
            ours,
            theirs,
            functions,
        } if functions.back_like.is_some() => {
            let (ours, theirs) = (&ours.name, &theirs.name);
            let function = &functions.back_like;
            Some(quote!(#ours: #function(self.#theirs, &like.#ours)))
        }
        field => assignment(&quote!(self), field, Way::Back),
    }
}

/// What is said above the rules: which fields are lost, and why.
fn lost(fields: &[FieldConversion], way: Way) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for field in fields {
        let dropped = match (field, way) {
            (FieldConversion::Ours(dropped), Way::Forth)
            | (FieldConversion::Theirs(dropped), Way::Back) => dropped,
            _ => continue,
        };
        let name = format!("`{}`", doc::as_code(&dropped.json));
        match reasons.iter_mut().find(|(reason, _)| *reason == dropped.reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((&dropped.reason, vec![name])),
        }
    }
    let sentences = reasons.into_iter().map(|(reason, names)| {
        format!("Lost: {}, because {}.", names.join(", "), reason.trim_end_matches('.'))
    });
    let text: Vec<_> = sentences.collect();
    doc::lines(&text.join("\n\n"), &NoLinks)
}

/// What a field of the target becomes, if this direction gives it anything.
fn assignment(
    value: &TokenStream,
    field: &FieldConversion,
    way: Way,
) -> Option<TokenStream> {
    match field {
        FieldConversion::Carried {
            ours,
            theirs,
            optional,
            carry,
        } => {
            let (from, to) = if way == Way::Forth {
                (ours, theirs)
            } else {
                (theirs, ours)
            };
            let name = &from.name;
            let carried =
                carried(&quote!(#value.#name), carry, *optional, (from.boxed, to.boxed));
            let name = &to.name;
            Some(quote!(#name: #carried))
        }
        FieldConversion::Function {
            ours,
            theirs,
            functions,
        } => {
            let (from, to, function) = if way == Way::Forth {
                (&ours.name, &theirs.name, &functions.forth)
            } else {
                (&theirs.name, &ours.name, &functions.back)
            };
            Some(quote!(#to: #function(#value.#from)))
        }
        FieldConversion::Ours(dropped) if way == Way::Back => Some(absent(dropped)),
        FieldConversion::Theirs(dropped) if way == Way::Forth => Some(absent(dropped)),
        FieldConversion::Ours(_) | FieldConversion::Theirs(_) => None,
    }
}

fn absent(Dropped { name, optional, .. }: &Dropped) -> TokenStream {
    if *optional {
        quote!(#name: None)
    } else {
        quote!(#name: Default::default())
    }
}

/// The expression that brings a value to the other side.
pub(super) fn carried(
    from: &TokenStream,
    carry: &Carry,
    optional: bool,
    boxed: (bool, bool),
) -> TokenStream {
    let Some((_, _, total)) = carry.pair() else {
        return match boxed {
            (false, true) if optional => quote!(#from.map(Box::new)),
            (false, true) => quote!(Box::new(#from)),
            (true, false) if optional => quote!(#from.map(|value| *value)),
            (true, false) => quote!(*#from),
            _ => quote!(#from),
        };
    };
    let function = function(carry, boxed, total);
    match (optional, total) {
        (false, true)
            if matches!(carry, Carry::Type { .. }) && boxed == (false, false) =>
        {
            quote!(#from.into())
        }
        (false, true) => quote!(#function(#from)),
        (false, false) => quote!(#function(#from)?),
        (true, true) => quote!(#from.map(#function)),
        (true, false) => quote!(#from.map(#function).transpose()?),
    }
}

/// The function that brings a value to the other side.
fn function(carry: &Carry, boxed: (bool, bool), total: bool) -> TokenStream {
    match (carry, boxed, total) {
        (Carry::Type { .. }, (true, true), true) => quote!(#CONVERT::boxed),
        (Carry::Type { .. }, (true, true), false) => quote!(#CONVERT::translate_boxed),
        (Carry::Type { .. }, (false, false), true) => quote!(Into::into),
        (Carry::Type { .. }, (false, false), false) => {
            quote!(#CONVERT::Translate::translate)
        }
        (Carry::Type { .. }, (true, false), true) => quote!(|value| (*value).into()),
        (Carry::Type { .. }, (false, true), true) => {
            quote!(|value| Box::new(value.into()))
        }
        (Carry::Type { .. }, (true, false), false) => {
            quote!(|value| #CONVERT::Translate::translate(*value))
        }
        (Carry::Type { .. }, (false, true), false) => {
            quote!(|value| #CONVERT::Translate::translate(value).map(Box::new))
        }
        (Carry::List(inner), _, total) => match (&**inner, total) {
            (Carry::Type { .. }, true) => quote!(#CONVERT::elements),
            (Carry::Type { .. }, false) => quote!(#CONVERT::translate_elements),
            (inner, _) => each(inner, &quote!(|values: Vec<_>|), total),
        },
        (Carry::Map(inner), _, total) => match (&**inner, total) {
            (Carry::Type { .. }, true) => quote!(#CONVERT::values),
            (Carry::Type { .. }, false) => quote!(#CONVERT::translate_values),
            (inner, true) => {
                let function = function(inner, (false, false), true);
                let each = quote!(|(key, value)| (key, #function(value)));
                quote!(|values: #BTREE_MAP<_, _>| values.into_iter().map(#each).collect())
            }
            (inner, false) => {
                let function = function(inner, (false, false), false);
                let each = quote!(|(key, value)| Ok((key, #function(value)?)));
                quote! {
                    |values: #BTREE_MAP<_, _>| {
                        values.into_iter().map(#each).collect::<#CONVERT::Result<_>>()
                    }
                }
            }
        },
        // What is the same on both sides is moved before it comes here.
        (Carry::Same, ..) => quote!(std::convert::identity),
    }
}

/// A closure for lists of lists and lists of maps.
fn each(inner: &Carry, parameter: &TokenStream, total: bool) -> TokenStream {
    let function = function(inner, (false, false), total);
    if total {
        quote!(#parameter values.into_iter().map(#function).collect())
    } else {
        quote! {
            #parameter values.into_iter().map(#function).collect::<#CONVERT::Result<_>>()
        }
    }
}

/// The files written by hand that the conversions of a module's types call.
pub(super) fn hand_written<'a>(
    versions: impl Iterator<Item = &'a ApiVersion>,
) -> Vec<(Option<&'a Ident>, &'a Ident)> {
    let conversions = versions.flat_map(|v| v.conversions.values().flatten());
    let functions = conversions.flat_map(|conversion| match &conversion.how {
        How::ByHand(functions) => vec![functions],
        How::Fields(fields) => {
            let functions = fields.iter().filter_map(|field| match field {
                FieldConversion::Function { functions, .. } => Some(&**functions),
                _ => None,
            });
            functions.collect()
        }
        How::Values | How::Items(_) => Vec::new(),
    });
    let files = functions.flat_map(Functions::iter);
    let mut files: Vec<_> = files.map(|f| (f.module.as_ref(), &f.file)).collect();
    files.sort();
    files.dedup();
    files
}
