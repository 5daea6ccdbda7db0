//! Lists and maps.

use std::collections::BTreeMap;

use super::{DecodeError, Field, Input, Output, Wire};
use crate::wire::reserve_one;

impl<T: Field> Field for Vec<T> {
    #[inline]
    fn zero() -> Self {
        Self::new()
    }

    #[inline]
    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        if T::PACKABLE && wire == Wire::Length {
            let mut packed = Input::new(input.bytes(wire)?);
            while !packed.is_empty() {
                let mut element = T::zero();
                element.read(Wire::Varint, &mut packed)?;
                self.push(element);
            }
            return Ok(());
        }
        if wire == Wire::Length && self.is_empty() {
            self.reserve_exact(elements::<T>(*input));
        }
        loop {
            reserve_one(self);
            self.push(T::zero());
            if let Some(element) = self.last_mut() {
                element.read(wire, input)?;
            }
            if !input.again() {
                return Ok(());
            }
        }
    }

    #[inline]
    fn write(&self, number: u32, output: &mut Output) {
        for element in self.iter().rev() {
            element.write(number, output);
        }
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}

/// The most memory that is taken for a byte of elements that aren't read yet.
const BYTES: usize = 16;

/// The number of elements to make room for at the first one of a list. A list of empty objects,
/// which are two bytes in protobuf, grows as they are read.
#[inline]
fn elements<T>(input: Input<'_>) -> usize {
    let (times, bytes) = input.repetitions();
    let room = bytes.saturating_mul(BYTES) / size_of::<T>().max(1);
    times.min(room)
}

/// The numbers of the key and the value of an entry.
pub(super) const KEY: u32 = 1;
pub(super) const VALUE: u32 = 2;

impl<T: Field> Field for BTreeMap<String, T> {
    #[inline]
    fn zero() -> Self {
        Self::new()
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let (mut key, mut value) = (String::new(), T::zero());
        let mut entry = input.message(wire)?;
        while let Some((number, wire)) = entry.tag()? {
            match number {
                KEY => key.read(wire, &mut entry)?,
                VALUE => {
                    // Unlike parts of an object, a second value isn't merged into the first.
                    value = T::zero();
                    value.read(wire, &mut entry)?;
                }
                _ => entry.skip(wire)?,
            }
        }
        self.insert(key, value);
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        for (key, value) in self.iter().rev() {
            output.message(number, |output| {
                value.write(VALUE, output);
                key.write(KEY, output);
            });
        }
    }

    #[inline]
    fn is_omitted(&self) -> bool {
        self.is_empty()
    }
}
