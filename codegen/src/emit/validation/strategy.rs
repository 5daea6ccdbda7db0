//! The strategy of a kind: how a server creates and updates its objects.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::context::Context;
use super::defaults;
use super::methods::{check_method, parameter};
use crate::emit::kind::{lifecycle_of, optional, release};
use crate::emit::runtime::VALIDATION;
use crate::model::{Field, Resource, Rest, Role, Scale, Struct, Ty, Type};

/// The implementation of `Strategy`.
pub(super) fn item(cx: &mut Context<'_>, ty: &Type, object: &Struct) -> Option<TokenStream> {
    let Role::Kind(resource) = &object.role else {
        return None;
    };
    let name = &ty.name;
    let rules = &object.rules;
    // The constants that aren't as the trait has them.
    let differs = |name: &str, differs: bool, value: bool| {
        let name = format_ident!("{name}");
        differs.then(|| quote!(const #name: bool = #value;))
    };
    let unconditional = differs(
        "ALLOW_UNCONDITIONAL_UPDATE",
        rules.unconditional_update,
        true,
    );
    let names = differs("CHECKS_NAMES_ON_UPDATE", rules.names_on_create_only, false);
    let alone = differs("STATUS_ALONE", rules.status_alone, true);
    let with_metadata = differs("STATUS_WITH_METADATA", rules.status_with_metadata, true);
    let custom = differs("IS_CUSTOM", cx.version.is_custom, true);
    let rules = differs("HAS_CEL_RULES", object.behaviour.has_cel_rules, true);
    let combinations = differs("HAS_COMBINATIONS", object.behaviour.has_combinations, true);
    let fields = |name: &str, fields: &[(String, Vec<String>)]| {
        let name = format_ident!("{name}");
        let rows = fields
            .iter()
            .map(|(path, names)| quote!((#path, &[#(#names),*])));
        (!fields.is_empty()).then(|| {
            quote!(
                const #name: #VALIDATION::FieldsByPath = &[#(#rows),*];
            )
        })
    };
    let required = fields("REQUIRED", &resource.paths.required);
    let nullable = fields("NULLABLE", &resource.paths.nullable);
    let correlated = fields("CORRELATED_LISTS", &resource.paths.correlated);
    let open = fields("OPEN", &resource.paths.open);
    let least = &resource.paths.least;
    let rows = least.iter().map(|(path, least)| {
        let least = Literal::usize_unsuffixed(*least);
        quote!((#path, #least))
    });
    let least = (!least.is_empty()).then(|| {
        quote!(
            const LEAST: &'static [(&'static str, usize)] = &[#(#rows),*];
        )
    });
    let not_null = &resource.paths.not_null;
    let not_null = (!not_null.is_empty()).then(|| {
        quote!(
            const NOT_NULL: &'static [&'static str] = &[#(#not_null),*];
        )
    });
    let has_status = object
        .fields
        .iter()
        .any(|field| object.has_own_status(field));
    let has_status = differs("HAS_STATUS", has_status, true);
    let scale = resource.scale.as_ref().map(|scale| {
        let Scale {
            spec_replicas_path,
            status_replicas_path,
            label_selector_path,
        } = scale;
        let selector = optional(label_selector_path.as_ref().map(|path| quote!(#path)));
        quote! {
            const SCALE: Option<#VALIDATION::Scale> = Some(#VALIDATION::Scale {
                spec_replicas: #spec_replicas_path,
                status_replicas: #status_replicas_path,
                label_selector: #selector,
            });
        }
    });
    let others = others(cx, resource);
    let status = status(cx, object, resource);
    let strategy = cx.name("Strategy");
    Some(quote! {
        impl #strategy for #name {
            #unconditional
            #names
            #alone
            #with_metadata
            #custom
            #required
            #nullable
            #least
            #not_null
            #correlated
            #open
            #has_status
            #rules
            #combinations
            #scale
            #others
            #status
        }
    })
}

/// The other versions of a kind; the trait has none.
fn others(cx: &mut Context<'_>, resource: &Resource) -> Option<TokenStream> {
    if resource.others.is_empty() {
        return None;
    }
    let ty = cx.name("Versions");
    let rows = resource.others.iter().map(|(name, lifecycle)| {
        let lifecycle = lifecycle_of(lifecycle);
        quote!((#name, #lifecycle))
    });
    Some(quote!(const OTHER_VERSIONS: #ty = &[#(#rows),*];))
}

/// Takes the `null` of a status that keeps it out of the object; puts that into the object, or what
/// the stored object has.
fn nulls(
    object: &Struct,
    field: &Field,
) -> (
    Option<TokenStream>,
    Option<TokenStream>,
    Option<TokenStream>,
) {
    let rest = object.unknown.as_ref().filter(|_| field.form.keeps_null);
    let Some(Rest { name, .. }) = rest else {
        return (None, None, None);
    };
    let put = quote! {
        match null {
            Some(null) => self.#name.insert("status".to_owned(), null),
            None => self.#name.remove("status"),
        };
    };
    let take = quote!(let null = self.#name.remove("status"););
    let stored = quote! {
        let null = stored.and_then(|stored| stored.#name.get("status")).cloned();
        #put
    };
    (Some(take), Some(put), Some(stored))
}

fn status(cx: &mut Context<'_>, object: &Struct, resource: &Resource) -> Option<TokenStream> {
    let field = object.field("status").filter(|field| field.is_optional())?;
    if !resource.status {
        return None;
    }
    let new = match &field.server.feature {
        Some(feature) => {
            let has = cx.has(&quote!(target), feature);
            quote!(#has.then(Default::default))
        }
        // Nothing fills in what isn't there.
        None if cx.version.is_custom => quote!(None),
        None => match field.server.since.map(release) {
            Some(since) => quote!((!target.is_before(#since)).then(Default::default)),
            None => quote!(Some(Default::default())),
        },
    };
    let inside = cx.version.own_struct(&field.ty);
    let check = inside
        .filter(|(_, inside)| inside.behaviour.checks)
        .and_then(|_| {
            cx.uses.check = true;
            let lines = quote! {
                if let Some(status) = &self.status {
                    status.check(&at.field("status"), to);
                }
            };
            check_method(cx, &quote!(check_status), None, &lines)
        });
    let compare = inside.filter(|(_, inside)| inside.behaviour.checks_updates);
    let compare = compare.and_then(|_| {
        cx.uses.check = true;
        let lines = quote! {
            if let (Some(status), Some(stored)) = (&self.status, &stored.status) {
                status.check_update(stored, &at.field("status"), to);
            }
        };
        let stored = quote!(stored: &Self,);
        check_method(cx, &quote!(check_status_update), Some(&stored), &lines)
    });
    let target_type = cx.name("Target");
    let readings = &field.checks.readings;
    let read = (!readings.is_empty()).then(|| {
        let calls = readings
            .iter()
            .map(|function| quote!(#function(&self.status, at.field("status"), to);));
        quote!(#(#calls)*)
    });
    let read = read.and_then(|lines| check_method(cx, &quote!(check_reading), None, &lines));
    let drops = inside
        .filter(|(_, inside)| inside.behaviour.drops_fields)
        .map(|_| {
            cx.name("SetDefaults");
            quote! {
                if let Some(status) = &mut status {
                    status.drop_disabled(stored.status.as_ref(), target);
                }
            }
        });
    let defaults = defaults::set(cx, object, field);
    let defaults_of_new = defaults.as_ref().map(|defaults| {
        let is_inside = field.server.default_function.is_none()
            && field.form.literal.is_none()
            && matches!(field.ty, Ty::Ref(_))
            && field.is_optional();
        match is_inside && cx.held(field).is_some() {
            true => quote! {
                if stored.is_none() && let Some(status) = &mut self.status {
                    status.set_defaults(target);
                }
            },
            false => quote! {
                if stored.is_none() {
                    #defaults
                }
            },
        }
    });
    let last = object.rules.status_preparation.as_ref();
    let last = last.map(|function| quote!(#function(self, stored, target);));
    let target = parameter("target", &quote!(#new #defaults_of_new));
    // A value in Go, which servers that have it store even if it is `null`; defaults make it
    // themselves.
    let always = field.server.feature.is_none() && field.server.since.is_none();
    let taken = match (defaults.is_none() && !cx.version.is_custom, always) {
        (true, true) => quote!(Some(self.status.take().unwrap_or_default())),
        (true, false) => quote!(self.status.take().or_else(|| #new)),
        (false, _) => quote!(self.status.take()),
    };
    let mutable = drops.as_ref().map(|_| quote!(mut));
    let (take_null, of_new, of_stored) = nulls(object, field);
    let unused = parameter("target", &quote!(#taken #drops #defaults #last));
    let prepare = quote! {
        fn prepare_status(&mut self, stored: &Self, #unused: &#target_type) {
            #defaults
            let #mutable status = #taken;
            #drops
            let metadata = std::mem::take(&mut self.metadata);
            #take_null
            *self = Self {
                metadata,
                status,
                ..stored.clone()
            };
            #of_new
            #last
        }
    };
    Some(quote! {
        #read

        fn reset_status(&mut self, stored: Option<&Self>, #target: &#target_type) {
            self.status = match stored {
                Some(stored) => stored.status.clone(),
                None => #new,
            };
            #of_stored
            #defaults_of_new
        }

        #prepare

        #check

        #compare
    })
}
