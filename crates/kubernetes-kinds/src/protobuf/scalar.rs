//! Texts, numbers, and values in an `Option` or a `Box`.

use k8s_openapi::ByteString;

use super::{DecodeError, Field, Input, Output, Wire};

impl Field for String {
    #[inline]
    fn zero() -> Self {
        Self::new()
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        *self = text(input.bytes(wire)?);
        Ok(())
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        output.bytes(number, self.as_bytes());
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

/// Returns the text of bytes. Servers store bytes that aren't UTF-8, and send U+FFFD for them in
/// JSON.
#[inline]
fn text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Reads an open enumeration from a text.
///
/// # Errors
///
/// When the value is no text, or the input is invalid.
#[inline]
pub fn read_enum<T>(slot: &mut T, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError>
where
    T: for<'a> From<&'a str> + From<String>,
{
    let bytes = input.bytes(wire)?;
    *slot = match std::str::from_utf8(bytes) {
        Ok(text) => T::from(text),
        Err(_) => T::from(text(bytes)),
    };
    Ok(())
}

impl Field for bool {
    const PACKABLE: bool = true;

    #[inline]
    fn zero() -> Self {
        false
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        *self = input.varint(wire)? != 0;
        Ok(())
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        output.number(number, u64::from(*self));
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        !*self
    }
}

macro_rules! integer {
    ($($integer:ty),*) => {$(
        impl Field for $integer {
            const PACKABLE: bool = true;

            #[inline]
            fn zero() -> Self {
                0
            }

            // Go drops the bits that don't fit.
            #[allow(clippy::cast_possible_truncation)]
            #[inline]
            fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
                *self = input.varint(wire)? as Self;
                Ok(())
            }

            // A negative number has all bits of the sign.
            #[allow(clippy::cast_sign_loss)]
            #[inline]
            fn write(&self, number: u32, output: &mut Output) {
                output.number(number, i64::from(*self) as u64);
            }

            #[inline]
            fn is_omitted(&self) -> bool {
                *self == 0
            }
        }
    )*};
}

integer!(i32, i64);

impl Field for f64 {
    #[inline]
    fn zero() -> Self {
        0.0
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        *self = Self::from_le_bytes(input.eight(wire)?);
        Ok(())
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        output.put(&self.to_le_bytes());
        output.tag(number, Wire::Eight);
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        *self == 0.0
    }
}

impl Field for ByteString {
    #[inline]
    fn zero() -> Self {
        Self::default()
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        self.0 = input.bytes(wire)?.to_vec();
        Ok(())
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        output.bytes(number, &self.0);
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Field> Field for Option<T> {
    #[inline]
    fn zero() -> Self {
        None
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        self.get_or_insert_with(T::zero).read(wire, input)
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        if let Some(value) = self {
            value.write(number, output);
        }
    }
}

impl<T: Field> Field for Box<T> {
    #[inline]
    fn zero() -> Self {
        Self::new(T::zero())
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        T::read(self, wire, input)
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        T::write(self, number, output);
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        T::is_omitted(self)
    }
}
