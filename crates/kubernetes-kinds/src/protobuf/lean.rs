//! Objects without `metadata.managedFields`, which are skipped by their length.

use k8s_openapi::Metadata;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use super::{DecodeError, Field, Input, Message, Output, Wire, key, read_part, write_part};
use crate::Lean;

/// The number of the metadata of every kind.
const METADATA: u32 = key(&[1]);

/// The number of `managedFields` in metadata.
const MANAGED_FIELDS: u32 = key(&[17]);

impl<K: Message + Metadata<Ty = ObjectMeta>> Message for Lean<K> {
    const NAME: &'static str = K::NAME;
    const KEYS: &'static [u32] = K::KEYS;

    fn read_field(
        &mut self,
        key: u32,
        wire: Wire,
        input: &mut Input<'_>,
    ) -> Result<bool, DecodeError> {
        if key != METADATA {
            return (**self).read_field(key, wire, input);
        }
        read_part(&mut WithoutManagedFields(self.metadata_mut()), wire, input)?;
        Ok(true)
    }

    fn write_field(&self, key: u32, output: &mut Output) {
        (**self).write_field(key, output);
    }
}

impl<K: Field + Message + Metadata<Ty = ObjectMeta>> Field for Lean<K> {
    fn zero() -> Self {
        Self::of(K::zero())
    }

    fn read(&mut self, wire: Wire, input: &mut Input<'_>) -> Result<(), DecodeError> {
        read_part(self, wire, input)
    }

    fn write(&self, number: u32, output: &mut Output) {
        write_part(self, number, output);
    }
}

/// Metadata whose `managedFields` are no field, so that they are skipped.
struct WithoutManagedFields<'a>(&'a mut ObjectMeta);

impl Message for WithoutManagedFields<'_> {
    const NAME: &'static str = ObjectMeta::NAME;
    const KEYS: &'static [u32] = ObjectMeta::KEYS;

    fn read_field(
        &mut self,
        key: u32,
        wire: Wire,
        input: &mut Input<'_>,
    ) -> Result<bool, DecodeError> {
        match key {
            MANAGED_FIELDS => Ok(false),
            key => self.0.read_field(key, wire, input),
        }
    }

    fn write_field(&self, key: u32, output: &mut Output) {
        self.0.write_field(key, output);
    }
}
