//! YAML, with the places of its fields and with what its merge keys bring.

use std::borrow::Cow;

use k8s_openapi::serde::de::{Error, MapAccess};
use serde_saphyr::Spanned;

use super::tree::{Field, Format, Name, Tree};
use super::yaml::spend;

/// YAML whose reader hands over merge keys as they are.
pub(crate) struct Yaml;

impl<'de> Format<'de, 'static> for Yaml {
    fn spend<E: Error>(bytes: usize) -> Result<(), E> {
        spend(bytes)
    }

    fn next_name<M: MapAccess<'de>>(
        map: &mut M,
    ) -> Result<Option<Name<'static>>, M::Error> {
        let Some(key) = map.next_key::<Spanned<String>>()? else {
            return Ok(None);
        };
        let line = usize::try_from(key.referenced.line()).ok();
        let column = usize::try_from(key.referenced.column()).ok();
        let position = line.zip(column).filter(|(line, _)| *line > 0);
        Ok(Some((Cow::Owned(key.value), position)))
    }

    fn add(fields: &mut Vec<Field<'static>>, field: Field<'static>) {
        match field.value {
            Tree::Fields(inner) if field.name == "<<" => fields.extend(inner),
            Tree::Items(items)
                if field.name == "<<"
                    && items.iter().all(|item| matches!(item, Tree::Fields(_))) =>
            {
                // Of several, the first is to override the others.
                for item in items.into_iter().rev() {
                    if let Tree::Fields(inner) = item {
                        fields.extend(inner);
                    }
                }
            }
            value => fields.push(Field { value, ..field }),
        }
    }
}
