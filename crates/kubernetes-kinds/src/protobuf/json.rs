//! Values that are JSON inside protobuf.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSON;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::FieldsV1;
use k8s_openapi::apimachinery::pkg::runtime::RawExtension;
use k8s_openapi::serde_json::{self, Value};

use super::{DecodeError, DecodeErrorKind, Field, Input, Output, Wire};

/// The number of the field with the JSON.
const RAW: u32 = 1;

/// Reads a value from the JSON in a message; without any, it is `null`.
impl Field for Value {
    fn zero() -> Self {
        Self::Null
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let mut message = input.message(wire)?;
        while let Some((number, wire)) = message.tag()? {
            if number != RAW {
                message.skip(wire)?;
                continue;
            }
            let raw = message.bytes(wire)?;
            *self = match raw {
                [] => Self::Null,
                raw => serde_json::from_slice(raw)
                    .map_err(|error| DecodeErrorKind::Json(error.to_string()))?,
            };
        }
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        output.message(number, |output| {
            // A value of JSON can be written.
            if !self.is_null()
                && let Ok(json) = serde_json::to_vec(self)
            {
                output.bytes(RAW, &json);
            }
        });
    }

    fn is_omitted(&self) -> bool {
        self.is_null()
    }
}

macro_rules! json {
    ($($name:ident),*) => {$(
        impl Field for $name {
            #[inline]
            fn zero() -> Self {
                Self(Value::Null)
            }

            #[inline]
            fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
                self.0.read(wire, input)
            }

            #[inline]
            fn write(&self, number: u32, output: &mut Output) {
                self.0.write(number, output);
            }

            #[inline]
            fn is_omitted(&self) -> bool {
                self.0.is_omitted()
            }
        }
    )*};
}

json!(FieldsV1, JSON, RawExtension);
