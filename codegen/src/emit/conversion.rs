//! Conversion to the types of another crate: `From` where it is lossless, otherwise `Convert`.

use proc_macro2::TokenStream;
use quote::quote;

use super::comment::comment;
use super::runtime::KINDS;
use crate::doc::{self, NoLinks};
use crate::model::{
    ApiVersion, Conversion, ConversionMethod, Dropped, FieldConversion, Functions, Role,
    SchemaName, Type, ValueConversion,
};
use crate::name::Ident;

/// The conversions of a type in both directions.
pub(super) fn items(version: &ApiVersion, schema: &SchemaName) -> Vec<TokenStream> {
    let conversions = version.conversions_of(schema);
    let Some(ty) = version.types.get(schema) else {
        return Vec::new();
    };
    conversions
        .flat_map(|conversion| both_ways(ty, conversion))
        .collect()
}

/// Returns true if a file with these types needs what `convert` of the run-time has.
pub(super) fn uses_support(version: &ApiVersion, schemas: &[SchemaName]) -> bool {
    let mut conversions = schemas.iter().flat_map(|name| version.conversions_of(name));
    conversions.any(|conversion| match &conversion.how {
        _ if !conversion.total => true,
        ConversionMethod::Items(_) => true,
        ConversionMethod::Fields(fields) => fields.iter().any(|field| match field {
            FieldConversion::Carried {
                ours,
                theirs,
                carry,
                ..
            } => carry.uses_support(ours.boxed && theirs.boxed),
            _ => false,
        }),
        _ => false,
    })
}

fn both_ways(ty: &Type, conversion: &Conversion) -> Vec<TokenStream> {
    let (ours, theirs) = (&ty.name, &conversion.to);
    let (ours, theirs) = (quote!(#ours), quote!(#theirs));
    let ways = [
        Way::new(&ours, &theirs, false),
        Way::new(&theirs, &ours, true),
    ];
    let one = |way: &Way<'_>| match &conversion.how {
        // The macro goes both ways.
        ConversionMethod::Values if way.is_back => TokenStream::new(),
        ConversionMethod::Values => quote!(#KINDS::convert::enumerations! { #ours, #theirs }),
        ConversionMethod::Items(unknown) => way.list(unknown.as_ref(), conversion.total),
        ConversionMethod::Fields(fields) if conversion.total => {
            way.total(&way.assignments(&quote!(value), fields, false))
        }
        ConversionMethod::Fields(fields) => way.partial(fields, conversion.like),
        ConversionMethod::ByHand(functions) => way.by_hand(functions),
    };
    let mut items: Vec<_> = ways.iter().map(one).collect();
    let is_translated = match conversion.how {
        ConversionMethod::Fields(_) => !conversion.total,
        ConversionMethod::ByHand(_) => true,
        ConversionMethod::Values | ConversionMethod::Items(_) => false,
    };
    // Users call it of kinds; parts of kinds are only translated.
    let object = ty.object();
    let is_kind = object.is_some_and(|object| matches!(object.role, Role::Kind(_)));
    if is_translated && is_kind {
        let plain = quote!(convert::object(self));
        let keeping = quote!(convert::object_preserving(self));
        items.extend(ways.iter().map(|way| way.convert(&plain, &keeping)));
    }
    items
}

/// A direction of a conversion.
struct Way<'a> {
    from: &'a TokenStream,
    to: &'a TokenStream,
    /// True if our type is the target.
    is_back: bool,
}

impl<'a> Way<'a> {
    fn new(from: &'a TokenStream, to: &'a TokenStream, is_back: bool) -> Self {
        Self { from, to, is_back }
    }

    /// Orders a pair as source and target.
    fn order<T>(&self, ours: T, theirs: T) -> (T, T) {
        if self.is_back {
            (theirs, ours)
        } else {
            (ours, theirs)
        }
    }

    /// The conversion of a list.
    fn list(&self, unknown: Option<&FieldConversion>, is_total: bool) -> TokenStream {
        if is_total {
            let mut fields = vec![
                quote!(metadata: value.metadata),
                quote!(items: convert::elements(value.items)),
            ];
            fields.extend(self.assignments(&quote!(value), unknown, false));
            return self.total(&fields);
        }
        let to = self.to;
        let list = |method: TokenStream| {
            let Some(FieldConversion::Carried { ours, theirs, .. }) = unknown else {
                return quote!(convert::list(self.metadata, self.items, #method));
            };
            let (here, there) = self.order(&ours.name, &theirs.name);
            quote! {
                let each = #method;
                let finish = |list: &mut #to| {
                    list.#there = self.#here;
                };
                convert::list_with(self.metadata, self.items, each, finish)
            }
        };
        self.convert(
            &list(quote!(convert::Convert::convert)),
            &list(quote!(convert::Convert::convert_preserving)),
        )
    }

    fn total(&self, fields: &[TokenStream]) -> TokenStream {
        let Self { from, to, .. } = self;
        quote! {
            impl From<#from> for #to {
                fn from(value: #from) -> Self {
                    Self { #(#fields),* }
                }
            }
        }
    }

    fn partial(&self, fields: &[FieldConversion], like: bool) -> TokenStream {
        let to = self.to;
        let body = |like| {
            let fields = self.assignments(&quote!(self), fields, like);
            quote!(Ok(#to { #(#fields),* }))
        };
        let like = (self.is_back && like).then(|| body(true));
        self.translate(&self.lost(fields), &body(false), like)
    }

    fn by_hand(&self, functions: &Functions) -> TokenStream {
        let (function, _) = self.order(&functions.forth, &functions.back);
        let like = functions.back_like.as_ref().filter(|_| self.is_back);
        let like = like.map(|like| quote!(#like(self, like)));
        self.translate(&[], &quote!(#function(self)), like)
    }

    fn convert(&self, plain: &TokenStream, keeping: &TokenStream) -> TokenStream {
        let Self { from, to, .. } = self;
        let result = quote!(convert::Result<convert::Converted<#to>>);
        quote! {
            impl convert::Convert<#to> for #from {
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
        &self,
        lines: &[String],
        body: &TokenStream,
        like: Option<TokenStream>,
    ) -> TokenStream {
        let Self { from, to, .. } = self;
        let docs = comment(lines);
        let like = like.map(|body| {
            quote! {
                fn translate_like(self, like: &#to) -> convert::Result<#to> {
                    #body
                }
            }
        });
        quote! {
            #docs
            impl convert::Translate<#to> for #from {
                fn translate(self) -> convert::Result<#to> {
                    #body
                }

                #like
            }
        }
    }

    /// Returns the comment above the rules: the fields that are lost, and why.
    fn lost(&self, fields: &[FieldConversion]) -> Vec<String> {
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for field in fields {
            let dropped = match field {
                FieldConversion::Ours(dropped) if !self.is_back => dropped,
                FieldConversion::Theirs(dropped) if self.is_back => dropped,
                _ => continue,
            };
            let name = format!("`{}`", doc::as_code(&dropped.json));
            match reasons
                .iter_mut()
                .find(|(reason, _)| *reason == dropped.reason)
            {
                Some((_, names)) => names.push(name),
                None => reasons.push((&dropped.reason, vec![name])),
            }
        }
        let sentences = reasons.into_iter().map(|(reason, names)| {
            format!(
                "Lost: {}, because {}.",
                names.join(", "),
                reason.trim_end_matches('.')
            )
        });
        let text: Vec<_> = sentences.collect();
        doc::lines(&text.join("\n\n"), &NoLinks)
    }

    /// Returns the values of the target's fields that this direction sets, in the form of `like`
    /// where that matters.
    fn assignments<'f>(
        &self,
        value: &TokenStream,
        fields: impl IntoIterator<Item = &'f FieldConversion>,
        like: bool,
    ) -> Vec<TokenStream> {
        let fields = fields.into_iter();
        fields
            .filter_map(|field| self.assignment(value, field, like))
            .collect()
    }

    fn assignment(
        &self,
        value: &TokenStream,
        field: &FieldConversion,
        like: bool,
    ) -> Option<TokenStream> {
        let (to, assigned) = match field {
            FieldConversion::Carried {
                ours,
                theirs,
                optional,
                carry,
            } => {
                let (from, to) = self.order(ours, theirs);
                let (name, target) = (&from.name, &to.name);
                let assigned = match carry {
                    ValueConversion::Type { like: true, .. } if like => {
                        let function = quote!(convert::Translate::translate_like);
                        quote!(#function(#value.#name, &like.#target)?)
                    }
                    _ => {
                        let boxed = (from.boxed, to.boxed);
                        carried(&quote!(#value.#name), carry, *optional, boxed)
                    }
                };
                (target, assigned)
            }
            FieldConversion::Function {
                ours,
                theirs,
                functions,
            } => {
                let (from, to) = self.order(&ours.name, &theirs.name);
                let (function, _) = self.order(&functions.forth, &functions.back);
                let assigned = match &functions.back_like {
                    Some(function) if like => quote!(#function(#value.#from, &like.#to)),
                    _ => quote!(#function(#value.#from)),
                };
                (to, assigned)
            }
            FieldConversion::Ours(dropped) if self.is_back => absent(dropped),
            FieldConversion::Theirs(dropped) if !self.is_back => absent(dropped),
            FieldConversion::Ours(_) | FieldConversion::Theirs(_) => return None,
        };
        Some(quote!(#to: #assigned))
    }
}

fn absent(Dropped { name, optional, .. }: &Dropped) -> (&Ident, TokenStream) {
    let value = if *optional {
        quote!(None)
    } else {
        quote!(#KINDS::wire::Zero::zero())
    };
    (name, value)
}

/// The expression that brings a value to the other side.
pub(super) fn carried(
    from: &TokenStream,
    carry: &ValueConversion,
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
    let is_plain = matches!(carry, ValueConversion::Type { .. }) && boxed == (false, false);
    if let (false, Some(nested)) = (optional, nested(carry, from, total)) {
        let again = (!total).then(|| quote!(?));
        return quote!(#nested #again);
    }
    let function = function(carry, boxed, total);
    match (optional, total) {
        (false, true) if is_plain => quote!(#from.into()),
        (false, true) => quote!(#function(#from)),
        (false, false) => quote!(#function(#from)?),
        (true, true) => quote!(#from.map(#function)),
        (true, false) => quote!(#from.map(#function).transpose()?),
    }
}

/// The expression for a list or map of lists or maps, which no function has.
fn nested(carry: &ValueConversion, values: &TokenStream, total: bool) -> Option<TokenStream> {
    let (ValueConversion::List(inner) | ValueConversion::Map(inner)) = carry else {
        return None;
    };
    if !matches!(**inner, ValueConversion::List(_) | ValueConversion::Map(_)) {
        return None;
    }
    let function = function(inner, (false, false), total);
    let value = match self::nested(inner, &quote!(value), total) {
        Some(value) => value,
        None => quote!(#function(value)),
    };
    let each = match (carry, total) {
        (ValueConversion::List(_), _) => function,
        (_, true) => quote!(|(key, value)| (key, #value)),
        (_, false) => quote!(|(key, value)| Ok((key, #value?))),
    };
    let result = (!total).then(|| quote!(::<convert::Result<_>>));
    Some(quote!(#values.into_iter().map(#each).collect #result ()))
}

/// The function that brings a value to the other side.
fn function(carry: &ValueConversion, boxed: (bool, bool), total: bool) -> TokenStream {
    let (collection, inner) = match carry {
        // Values that are the same on both sides have been moved before.
        ValueConversion::Same => return quote!(std::convert::identity),
        ValueConversion::Type { .. } => return of_type(boxed, total),
        ValueConversion::List(inner) => (quote!(Vec<_>), inner),
        ValueConversion::Map(inner) => (quote!(BTreeMap<_, _>), inner),
    };
    if let Some(nested) = nested(carry, &quote!(values), total) {
        return quote!(|values: #collection| #nested);
    }
    match (carry, &**inner, total) {
        (ValueConversion::List(_), ValueConversion::Type { .. }, true) => quote!(convert::elements),
        (ValueConversion::List(_), ValueConversion::Type { .. }, false) => {
            quote!(convert::translate_elements)
        }
        (_, ValueConversion::Type { .. }, true) => quote!(convert::values),
        (_, ValueConversion::Type { .. }, false) => quote!(convert::translate_values),
        _ => quote!(std::convert::identity),
    }
}

/// The function of a value that isn't in a list or map.
fn of_type(boxed: (bool, bool), total: bool) -> TokenStream {
    match (boxed, total) {
        ((true, true), true) => quote!(convert::boxed),
        ((true, true), false) => quote!(convert::translate_boxed),
        ((false, false), true) => quote!(Into::into),
        ((false, false), false) => quote!(convert::Translate::translate),
        ((true, false), true) => quote!(|value| (*value).into()),
        ((false, true), true) => quote!(|value| Box::new(value.into())),
        ((true, false), false) => quote!(|value| convert::Translate::translate(*value)),
        ((false, true), false) => {
            quote!(|value| convert::Translate::translate(value).map(Box::new))
        }
    }
}

/// The files written by hand that the conversions of a module's types call.
pub(super) fn hand_written<'a>(
    versions: impl Iterator<Item = &'a ApiVersion>,
) -> impl Iterator<Item = (Option<&'a Ident>, &'a Ident)> {
    let conversions = versions.flat_map(|v| v.derived.conversions.values().flatten());
    let functions = conversions.flat_map(|conversion| match &conversion.how {
        ConversionMethod::ByHand(functions) => vec![functions],
        ConversionMethod::Fields(fields) => {
            let functions = fields.iter().filter_map(|field| match field {
                FieldConversion::Function { functions, .. } => Some(&**functions),
                _ => None,
            });
            functions.collect()
        }
        ConversionMethod::Values | ConversionMethod::Items(_) => Vec::new(),
    });
    functions
        .flat_map(Functions::iter)
        .map(|f| (f.module.as_ref(), &f.file))
}
