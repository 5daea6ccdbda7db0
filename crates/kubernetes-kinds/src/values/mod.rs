//! Values of custom resources, which a server keeps as they were sent.
//!
//! It doesn't know what Go's types would make of such a value. So these types write what they have
//! read: an object that is read and replaced stays the same, and its `generation` too.

mod date_time;
mod number;
mod text;

pub use date_time::DateTime;
pub use number::Number;
pub use text::{IntOrQuantity, IntOrString};

/// Implements what values share with the types of k8s-openapi.
macro_rules! value {
    ($($name:ident $schema:expr;)*) => {$(
        #[cfg(feature = "merge")]
        impl crate::merge::DeepMerge for $name {
            fn merge_from(&mut self, other: Self) {
                *self = other;
            }
        }

        #[cfg(feature = "schemars")]
        impl k8s_openapi::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                concat!("kubernetes_kinds.", stringify!($name)).into()
            }

            fn json_schema(
                _: &mut k8s_openapi::schemars::SchemaGenerator,
            ) -> k8s_openapi::schemars::Schema {
                $schema
            }
        }
    )*};
}

value! {
    DateTime k8s_openapi::schemars::json_schema!({"type": "string", "format": "date-time"});
    IntOrQuantity either();
    IntOrString either();
    Number k8s_openapi::schemars::json_schema!({"type": "number"});
}

#[cfg(feature = "schemars")]
fn either() -> k8s_openapi::schemars::Schema {
    k8s_openapi::schemars::json_schema!({"x-kubernetes-int-or-string": true})
}
