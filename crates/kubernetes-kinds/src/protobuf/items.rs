//! Maps of lists: protobuf has no lists in maps, but messages whose only field is a list.

use std::collections::BTreeMap;

use super::{DecodeError, Field, Input, Output, Wire};

/// The number of that field.
const ITEMS: u32 = 1;

/// A field that holds a map of lists, or `None`.
pub trait Lists {
    /// The elements of the lists.
    type Element: Field;

    /// Returns the map, of which a `None` becomes an empty one.
    fn lists_mut(&mut self) -> &mut BTreeMap<String, Vec<Self::Element>>;

    /// Returns the map, if there is one.
    fn lists(&self) -> Option<&BTreeMap<String, Vec<Self::Element>>>;
}

impl<T: Field> Lists for BTreeMap<String, Vec<T>> {
    type Element = T;

    fn lists_mut(&mut self) -> &mut Self {
        self
    }

    fn lists(&self) -> Option<&Self> {
        Some(self)
    }
}

impl<T: Field> Lists for Option<BTreeMap<String, Vec<T>>> {
    type Element = T;

    fn lists_mut(&mut self) -> &mut BTreeMap<String, Vec<T>> {
        self.get_or_insert_default()
    }

    fn lists(&self) -> Option<&BTreeMap<String, Vec<T>>> {
        self.as_ref()
    }
}

/// Reads an entry of a map of lists.
///
/// # Errors
///
/// When the value has the wrong type, or the input is invalid.
pub fn read_items<S: Lists>(
    slot: &mut S,
    wire: Wire,
    input: &mut Input<'_>,
) -> Result<(), DecodeError> {
    let mut entries = BTreeMap::<String, Items<S::Element>>::new();
    entries.read(wire, input)?;
    let lists = entries.into_iter().map(|(key, Items(list))| (key, list));
    slot.lists_mut().extend(lists);
    Ok(())
}

/// Writes a map of lists.
pub fn write_items<S: Lists>(slot: &S, number: u32, output: &mut Output) {
    for (key, list) in slot.lists().into_iter().flatten().rev() {
        output.message(number, |output| {
            output.message(super::collection::VALUE, |output| list.write(ITEMS, output));
            key.write(super::collection::KEY, output);
        });
    }
}

/// A message whose only field is a list.
struct Items<T>(Vec<T>);

impl<T: Field> Field for Items<T> {
    fn zero() -> Self {
        Self(Vec::new())
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        let mut message = input.message(wire)?;
        while let Some((number, wire)) = message.tag()? {
            match number {
                ITEMS => self.0.read(wire, &mut message)?,
                _ => message.skip(wire)?,
            }
        }
        Ok(())
    }

    fn write(&self, number: u32, output: &mut Output) {
        output.message(number, |output| self.0.write(ITEMS, output));
    }
}
