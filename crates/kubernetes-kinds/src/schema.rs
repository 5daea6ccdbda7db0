//! JSON Schemas of the generated types, with the feature `schemars`.
//!
//! The generated crates implement `schemars::JsonSchema`, of the version that k8s-openapi exports
//! as `k8s_openapi::schemars`, with [`kind!`], [`object!`] and [`enumeration!`]. Their tables have
//! the properties of a type, the Rust type of each, and additional keywords. A documentation
//! comment is a `description`. This module has the code that all types share.

use k8s_openapi::schemars::Schema;
use k8s_openapi::serde_json::{Map, Value};

#[doc(inline)]
pub use crate::{
    __schema_enumeration as enumeration, __schema_kind as kind, __schema_object as object,
};

// `\d` is a digit of ASCII, in ECMA 262 and in a server.
// The patterns leave the lengths of names to `maxLength`. They accept the same texts as
// `names::NameFormat`, except for two characters beyond ASCII that Go's conversion to lower case
// makes `i` and `k`.

/// The pattern of [`NameFormat::DnsSubdomain`](crate::names::NameFormat::DnsSubdomain).
pub const DNS_SUBDOMAIN: &str = r"^[\da-z]([-\da-z]*[\da-z])?(\.[\da-z]([-\da-z]*[\da-z])?)*$";

/// The pattern of [`NameFormat::DnsSubdomain`](crate::names::NameFormat::DnsSubdomain), before
/// conversion to lower case.
pub const DNS_SUBDOMAIN_ANY_CASE: &str =
    r"^[\dA-Za-z]([-\dA-Za-z]*[\dA-Za-z])?(\.[\dA-Za-z]([-\dA-Za-z]*[\dA-Za-z])?)*$";

/// The pattern of [`NameFormat::DnsLabel`](crate::names::NameFormat::DnsLabel).
pub const DNS_LABEL: &str = r"^[\da-z]([-\da-z]*[\da-z])?$";

/// The pattern of [`NameFormat::DnsLabel`](crate::names::NameFormat::DnsLabel), before conversion
/// to lower case.
pub const DNS_LABEL_ANY_CASE: &str = r"^[\dA-Za-z]([-\dA-Za-z]*[\dA-Za-z])?$";

/// The pattern of [`NameFormat::QualifiedName`](crate::names::NameFormat::QualifiedName).
pub const QUALIFIED_NAME: &str = r"^([\da-z]([-\da-z]*[\da-z])?(\.[\da-z]([-\da-z]*[\da-z])?)*/)?[\dA-Za-z]([-.\dA-Z_a-z]{0,61}[\dA-Za-z])?$";

/// The pattern of [`NameFormat::QualifiedName`](crate::names::NameFormat::QualifiedName), before
/// conversion to lower case.
pub const QUALIFIED_NAME_ANY_CASE: &str = r"^([\dA-Za-z]([-\dA-Za-z]*[\dA-Za-z])?(\.[\dA-Za-z]([-\dA-Za-z]*[\dA-Za-z])?)*/)?[\dA-Za-z]([-.\dA-Z_a-z]{0,61}[\dA-Za-z])?$";

/// The pattern of [`NameFormat::LabelValue`](crate::names::NameFormat::LabelValue).
pub const LABEL_VALUE: &str = r"^([\dA-Za-z]([-.\dA-Z_a-z]{0,61}[\dA-Za-z])?)?$";

/// Builds the schema of an object, property by property.
#[derive(Clone, Debug)]
pub struct Properties {
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl Properties {
    /// Starts without properties.
    #[must_use]
    pub fn new() -> Self {
        Self {
            properties: Map::new(),
            required: Vec::new(),
        }
    }

    /// Adds `apiVersion` and `kind`, which may be absent but not wrong.
    pub fn type_meta(&mut self, api_version: &str, kind: &str) {
        for (name, description, value) in [
            (
                "apiVersion",
                "The group and version of the object.",
                api_version,
            ),
            ("kind", "The kind of the object.", kind),
        ] {
            let mut schema = described(description);
            set(&mut schema, "type", "string");
            set(&mut schema, "enum", [value]);
            self.optional(name, "", schema);
        }
    }

    /// Adds a property that an object may lack.
    pub fn optional(&mut self, name: &str, description: &str, mut schema: Schema) {
        describe(&mut schema, description);
        self.properties.insert(name.to_owned(), schema.to_value());
    }

    /// Adds a property that an object must have.
    pub fn required(&mut self, name: &str, description: &str, schema: Schema) {
        self.required.push(name.into());
        self.optional(name, description, schema);
    }

    /// Adds the properties to the schema of the object.
    pub fn finish(self, schema: &mut Schema) {
        set(schema, "type", "object");
        set(schema, "properties", self.properties);
        if !self.required.is_empty() {
            set(schema, "required", self.required);
        }
    }
}

impl Default for Properties {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a schema with only a description.
#[must_use]
pub fn described(description: &str) -> Schema {
    let mut schema = Schema::default();
    describe(&mut schema, description);
    schema
}

fn describe(schema: &mut Schema, description: &str) {
    // A documentation comment starts with a blank.
    let description = description.trim_start();
    if !description.is_empty() {
        set(schema, "description", description);
    }
}

/// Sets a keyword of a schema.
pub fn set(schema: &mut Schema, keyword: &str, value: impl Into<Value>) {
    schema.insert(keyword.to_owned(), value.into());
}

/// Changes the schema of the elements of a list.
pub fn items(schema: &mut Schema, change: impl FnOnce(&mut Schema)) {
    inside(schema, "items", change);
}

/// Changes the schema of the values of a map.
pub fn values(schema: &mut Schema, change: impl FnOnce(&mut Schema)) {
    inside(schema, "additionalProperties", change);
}

fn inside(schema: &mut Schema, keyword: &str, change: impl FnOnce(&mut Schema)) {
    let inner = schema
        .get(keyword)
        .cloned()
        .and_then(|inner| inner.try_into().ok());
    let mut inner: Schema = inner.unwrap_or_default();
    change(&mut inner);
    set(schema, keyword, inner.to_value());
}

/// Implements `JsonSchema` of a part of a kind, from the name of its schema and the tables of its
/// keywords and properties.
///
/// A row of a property has `required` or `optional`, its name, its Rust type, and in braces the
/// keywords that the type's schema lacks; `items` and `values` in them are about the elements of a
/// list and the values of a map.
///
/// ```
/// use k8s_openapi::schemars::{SchemaGenerator, JsonSchema as _};
/// use kubernetes_kinds::schema;
///
/// struct TokenRequest {
///     audience: String,
///     expiration_seconds: Option<i64>,
/// }
///
/// schema::object! {
///     /// Asks for a token.
///     TokenRequest "com.example.v1.TokenRequest" {
///         /// Who accepts the token.
///         required "audience" => String,
///         optional "expirationSeconds" => i64 {
///             "minimum" => 600,
///         },
///     }
/// }
///
/// let schema = TokenRequest::json_schema(&mut SchemaGenerator::default());
/// assert_eq!(schema.as_value()["description"], "Asks for a token.");
/// let properties = &schema.as_value()["properties"];
/// assert_eq!(properties["audience"]["description"], "Who accepts the token.");
/// assert_eq!(properties["expirationSeconds"]["minimum"], 600);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_object {
    ($($tokens:tt)*) => {
        $crate::__schema_properties! { () $($tokens)* }
    };
}

/// Implements `JsonSchema` of a kind or of a list of a kind, which also have `apiVersion` and
/// `kind`.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_kind {
    ($($tokens:tt)*) => {
        $crate::__schema_properties! { (type_meta) $($tokens)* }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __schema_properties {
    (
        ($($type_meta:ident)?)
        $(#[doc = $docs:literal])*
        $name:ident $schema:literal {
            $($keyword:literal => $value:expr,)*
            $(
                $(#[doc = $about:literal])*
                $presence:ident $json:literal => $ty:ty $({ $($more:tt)* })?,
            )*
        }
    ) => {
        $crate::__schema_impl! { $name $schema |generator| {
            let mut schema = $crate::schema::described(::core::concat!($($docs),*));
            $($crate::schema::set(&mut schema, $keyword, $value);)*
            // An object may have no properties.
            let _ = &generator;
            #[allow(unused_mut)]
            let mut properties = $crate::schema::Properties::new();
            $(properties.$type_meta(
                <$name as $crate::generated::Resource>::API_VERSION,
                <$name as $crate::generated::Resource>::KIND,
            );)?
            $({
                #[allow(unused_mut)] // A property may have no keywords.
                let mut schema = generator.subschema_for::<$ty>();
                $($crate::__schema_keywords!(&mut schema; $($more)*);)?
                properties.$presence($json, ::core::concat!($($about),*), schema);
            })*
            properties.finish(&mut schema);
            schema
        } }
    };
}

/// Implements `JsonSchema` of an open enumeration: its schema has the known values.
#[doc(hidden)]
#[macro_export]
macro_rules! __schema_enumeration {
    ($(#[doc = $docs:literal])* $name:ident $schema:literal) => {
        $crate::__schema_impl! { $name $schema |_generator| {
            let mut schema = $crate::schema::described(::core::concat!($($docs),*));
            $crate::schema::set(&mut schema, "type", "string");
            $crate::schema::set(&mut schema, "enum", $name::known_values());
            schema
        } }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __schema_impl {
    ($name:ident $schema:literal |$generator:ident| $body:block) => {
        impl $crate::generated::schemars::JsonSchema for $name {
            fn schema_name() -> $crate::generated::Cow<'static, str> {
                $crate::generated::Cow::Borrowed($schema)
            }

            // k8s-openapi has another type of the same name.
            fn schema_id() -> $crate::generated::Cow<'static, str> {
                $crate::generated::Cow::Borrowed(::core::concat!(
                    ::core::module_path!(),
                    "::",
                    ::core::stringify!($name)
                ))
            }

            fn json_schema(
                $generator: &mut $crate::generated::schemars::SchemaGenerator,
            ) -> $crate::generated::schemars::Schema $body
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __schema_keywords {
    ($schema:expr; $($keyword:literal => $value:expr,)* $($inside:ident { $($more:tt)* },)?) => {
        $($crate::schema::set($schema, $keyword, $value);)*
        $($crate::schema::$inside($schema, |schema| {
            $crate::__schema_keywords!(schema; $($more)*);
        });)?
    };
}
