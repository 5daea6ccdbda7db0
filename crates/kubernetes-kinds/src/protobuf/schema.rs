//! The schemas of CustomResourceDefinitions.
//!
//! Where JSON has a schema or something else, protobuf has an object with a field for each. Of an
//! object with both, JSON has what Go's JSON has. An object with neither is an empty list.
//!
//! Few crates have definitions, and all is `#[inline]`, so that others don't compile it.

use std::mem;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
    JSONSchemaPropsOrStringArray, ValidationRule,
};

use super::{DecodeError, Field, Input, Output, Wire, message};

message! {
    #[inline]
    ExternalDocumentation {
        1 always => description,
        2 always => url,
    }
}

message! {
    #[inline]
    JSONSchemaProps {
        1 always => id,
        2 always => schema,
        3 => ref_path,
        4 always => description,
        5 always => type_,
        6 always => format,
        7 always => title,
        8 => default,
        9 => maximum,
        10 always => exclusive_maximum,
        11 => minimum,
        12 always => exclusive_minimum,
        13 => max_length,
        14 => min_length,
        15 always => pattern,
        16 => max_items,
        17 => min_items,
        18 always => unique_items,
        19 => multiple_of,
        20 => enum_,
        21 => max_properties,
        22 => min_properties,
        23 => required,
        24 => items,
        25 => all_of,
        26 => one_of,
        27 => any_of,
        28 => not,
        29 => properties,
        30 => additional_properties,
        31 => pattern_properties,
        32 => dependencies,
        33 => additional_items,
        34 => definitions,
        35 => external_docs,
        36 => example,
        37 always => nullable,
        38 => x_kubernetes_preserve_unknown_fields,
        39 always => x_kubernetes_embedded_resource,
        40 always => x_kubernetes_int_or_string,
        41 => x_kubernetes_list_map_keys,
        42 => x_kubernetes_list_type,
        43 => x_kubernetes_map_type,
        44 => x_kubernetes_validations,
    }
}

message! {
    #[inline]
    ValidationRule {
        1 => rule,
        2 always => message,
        3 always => message_expression,
        4 => reason,
        5 always => field_path,
        6 => optional_old_self,
    }
}

/// As Go reads a schema from JSON, it comes with `true`.
impl Field for JSONSchemaPropsOrBool {
    #[inline]
    fn zero() -> Self {
        Self::Bool(false)
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let (mut allows, mut schema) = match mem::replace(self, Self::zero()) {
            Self::Bool(allows) => (allows, None),
            Self::Schema(schema) => (true, Some(schema)),
        };
        read_both(input.message(wire)?, &mut allows, &mut schema)?;
        *self = match schema {
            Some(schema) => Self::Schema(schema),
            None => Self::Bool(allows),
        };
        Ok(())
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        output.message(number, |output| match self {
            Self::Bool(allows) => allows.write(1, output),
            Self::Schema(schema) => {
                schema.write(2, output);
                true.write(1, output);
            }
        });
    }
}

macro_rules! schema_or_list {
    ($($name:ident::$list:ident),*) => {$(
        impl Field for $name {
            #[inline]
            fn zero() -> Self {
                Self::$list(Vec::new())
            }

            #[inline]
            fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
                let (mut schema, mut list) = match mem::replace(self, Self::zero()) {
                    Self::Schema(schema) => (Some(schema), Vec::new()),
                    Self::$list(list) => (None, list),
                };
                read_both(input.message(wire)?, &mut schema, &mut list)?;
                *self = match schema {
                    Some(schema) if list.is_empty() => Self::Schema(schema),
                    _ => Self::$list(list),
                };
                Ok(())
            }

            #[inline]
            fn write(&self, number: u32, output: &mut Output) {
                output.message(number, |output| match self {
                    Self::Schema(schema) => schema.write(1, output),
                    Self::$list(list) => list.write(2, output),
                });
            }
        }
    )*};
}

schema_or_list!(
    JSONSchemaPropsOrArray::Schemas,
    JSONSchemaPropsOrStringArray::Strings
);

/// Reads the fields 1 and 2 of an object.
#[inline]
fn read_both(
    mut message: Input<'_>,
    first: &mut impl Field,
    second: &mut impl Field,
) -> Result<(), DecodeError> {
    while let Some((number, wire)) = message.tag()? {
        match number {
            1 => first.read(wire, &mut message)?,
            2 => second.read(wire, &mut message)?,
            _ => message.skip(wire)?,
        }
    }
    Ok(())
}
