//! The kinds of the tests: `Pot` of example.com in v1 and v1beta1, whose fields differ only in
//! their names, and `PotInfo` of v1alpha1, which has no note.

#![allow(unreachable_pub)]
// Only the tests of YAML use some of them.
#![cfg_attr(not(feature = "yaml"), allow(dead_code))]

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use k8s_openapi::serde;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kubernetes_kinds::convert::{self, ConversionError, Convert, Converted, Translate};
use kubernetes_kinds::{FieldPath, Kind, Lifecycle, ListMapKeys, Release, wire};
use kubernetes_manifests::scheme::Scheme;
use proptest::prelude::*;

macro_rules! object {
    ($name:ident { $($field:ident: $type:ty = $wire:literal,)* }) => {
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name { $(pub $field: $type,)* }

        impl wire::Object for $name {
            const NAME: &'static str = stringify!($name);

            const FIELDS: &'static [&'static str] = &[$($wire),*];

            fn read_field<'de, M: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                map: &mut M,
            ) -> Result<(), M::Error> {
                match name {
                    $($wire => wire::read(map, &mut self.$field),)*
                    _ => wire::skip(map),
                }
            }

            fn write_fields<F: wire::Fields>(&self, fields: &mut F) -> Result<(), F::Error> {
                $(wire::required(fields, $wire, &self.$field)?;)*
                Ok(())
            }
        }
    };
}

macro_rules! serde {
    ($name:ident, $read:ident, $write:ident) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                wire::$read(d)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                wire::$write(self, s)
            }
        }
    };
}

macro_rules! resource {
    ($name:ident, $api:literal, $version:literal, $kind:literal, $plural:literal,
     $scope:ty, $meta:ty) => {
        serde!($name, read_kind, write_kind);

        impl k8s_openapi::Resource for $name {
            const API_VERSION: &'static str = $api;
            const GROUP: &'static str = "example.com";
            const KIND: &'static str = $kind;
            const VERSION: &'static str = $version;
            const URL_PATH_SEGMENT: &'static str = $plural;
            type Scope = $scope;
        }

        impl k8s_openapi::Metadata for $name {
            type Ty = $meta;

            fn metadata(&self) -> &$meta {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut $meta {
                &mut self.metadata
            }
        }
    };
}

macro_rules! kind {
    ($name:ident, $list:ident, $api:literal, $version:literal, $kind:literal,
     $list_kind:literal, $plural:literal, $scope:ty,
     { $($field:ident: $type:ty = $wire:literal,)* }) => {
        object!($name { metadata: ObjectMeta = "metadata", $($field: $type = $wire,)* });
        resource!($name, $api, $version, $kind, $plural, $scope, ObjectMeta);
        object!($list { metadata: ListMeta = "metadata", items: Vec<$name> = "items", });
        resource!($list, $api, $version, $list_kind, "", $scope, ListMeta);

        impl k8s_openapi::ListableResource for $name {
            const LIST_KIND: &'static str = $list_kind;
        }

        impl Kind for $name {
            const LIFECYCLE: Option<Lifecycle> = Some(Lifecycle {
                introduced: Release::new(1, 30),
                deprecated: None,
                removed: None,
                replacement: None,
            });

            const LIST_MAP_KEYS: ListMapKeys = &[("lids", &["name"])];

            const GRANULAR: &'static [&'static str] = &["lids", "lids[]"];
        }

        impl IntoIterator for $list {
            type Item = $name;
            type IntoIter = std::vec::IntoIter<$name>;

            fn into_iter(self) -> Self::IntoIter {
                self.items.into_iter()
            }
        }

        impl FromIterator<$name> for $list {
            fn from_iter<T: IntoIterator<Item = $name>>(items: T) -> Self {
                Self { items: items.into_iter().collect(), ..Self::default() }
            }
        }
    };
}

object!(Lid { name: String = "name", knob: Option<String> = "knob", });
serde!(Lid, read_object, write_object);

kind!(PotV1, PotV1List, "example.com/v1", "v1", "Pot", "PotList", "pots",
ClusterResourceScope, {
    lids: Vec<Lid> = "lids",
    note: Option<String> = "note",
    parameters: BTreeMap<String, String> = "parameters",
    size: Option<i64> = "size",
});

kind!(PotV1beta1, PotV1beta1List, "example.com/v1beta1", "v1beta1", "Pot", "PotList", "pots",
ClusterResourceScope, {
    lids: Vec<Lid> = "lids",
    note: Option<String> = "note",
    parameters: BTreeMap<String, String> = "parameters",
    size: Option<i64> = "sizeBytes",
});

kind!(PotInfo, PotInfoList, "example.com/v1alpha1", "v1alpha1", "PotInfo", "PotInfoList",
"potinfos", NamespaceResourceScope, {
    lids: Vec<Lid> = "lids",
    parameters: BTreeMap<String, String> = "parameters",
    size: Option<i64> = "size",
});

macro_rules! lossless {
    ($a:ident, $b:ident, $a_list:ident, $b_list:ident) => {
        impl From<$a> for $b {
            fn from(a: $a) -> Self {
                let $a {
                    metadata,
                    lids,
                    note,
                    parameters,
                    size,
                } = a;
                Self {
                    metadata,
                    lids,
                    note,
                    parameters,
                    size,
                }
            }
        }

        impl From<$a_list> for $b_list {
            fn from(a: $a_list) -> Self {
                let items = a.items.into_iter().map(Into::into).collect();
                Self {
                    metadata: a.metadata,
                    items,
                }
            }
        }
    };
}

lossless!(PotV1, PotV1beta1, PotV1List, PotV1beta1List);
lossless!(PotV1beta1, PotV1, PotV1beta1List, PotV1List);

macro_rules! lossy {
    ($a:ident, $b:ident, $a_list:ident, $b_list:ident) => {
        impl Convert<$b> for $a {
            fn convert(self) -> convert::Result<Converted<$b>> {
                convert::object(self)
            }

            fn convert_preserving(self) -> convert::Result<Converted<$b>> {
                convert::object_preserving(self)
            }
        }

        impl Convert<$b_list> for $a_list {
            fn convert(self) -> convert::Result<Converted<$b_list>> {
                convert::list(self.metadata, self.items, <$a as Convert<$b>>::convert)
            }

            fn convert_preserving(self) -> convert::Result<Converted<$b_list>> {
                convert::list(
                    self.metadata,
                    self.items,
                    <$a as Convert<$b>>::convert_preserving,
                )
            }
        }
    };
}

lossy!(PotV1, PotInfo, PotV1List, PotInfoList);
lossy!(PotInfo, PotV1, PotInfoList, PotV1List);

/// The error of a pot whose first lid is broken.
pub fn broken_lid() -> ConversionError {
    let path = FieldPath::new("lids").index(0).child("name");
    ConversionError::invalid(path, "may not be broken")
}

impl Translate<PotInfo> for PotV1 {
    fn translate(self) -> Result<PotInfo, ConversionError> {
        if self.lids.iter().any(|lid| lid.name == "broken") {
            return Err(broken_lid());
        }
        let Self {
            metadata,
            lids,
            parameters,
            size,
            ..
        } = self;
        Ok(PotInfo {
            metadata,
            lids,
            parameters,
            size,
        })
    }
}

impl Translate<PotV1> for PotInfo {
    fn translate(self) -> Result<PotV1, ConversionError> {
        let Self {
            metadata,
            lids,
            parameters,
            size,
        } = self;
        Ok(PotV1 {
            metadata,
            lids,
            parameters,
            size,
            note: None,
        })
    }
}

/// All of the above, and nothing between v1beta1 and v1alpha1.
pub fn scheme() -> Scheme {
    let mut scheme = Scheme::new();
    scheme.add_list::<PotV1List>();
    scheme.add_list::<PotV1beta1List>();
    scheme.add_list::<PotInfoList>();
    scheme.add_conversion::<PotV1, PotV1beta1>();
    scheme.add_conversion::<PotV1beta1, PotV1>();
    scheme.add_conversion::<PotV1List, PotV1beta1List>();
    scheme.add_conversion::<PotV1beta1List, PotV1List>();
    scheme.add_lossy_conversion::<PotV1, PotInfo>();
    scheme.add_lossy_conversion::<PotInfo, PotV1>();
    scheme.add_lossy_conversion::<PotV1List, PotInfoList>();
    scheme.add_lossy_conversion::<PotInfoList, PotV1List>();
    scheme
}

/// A pot in which every field is set.
pub fn pot(name: &str) -> PotV1 {
    PotV1 {
        metadata: kubernetes_kinds::named(name),
        lids: vec![Lid {
            name: "a".into(),
            knob: Some("brass".into()),
        }],
        note: Some("keep dry".into()),
        parameters: BTreeMap::from([("one".into(), "1".into())]),
        size: Some(5),
    }
}

/// Strings that YAML or JSON could take for something else, and any other.
pub fn text() -> BoxedStrategy<String> {
    let odd = [
        "",
        " ",
        "yes",
        "no",
        "on",
        "y",
        "N",
        "~",
        "null",
        "true",
        "1",
        "0644",
        "0x1f",
        "1e3",
        "1_000",
        ".inf",
        ".nan",
        "12:30:45",
        "2001-12-14",
        "<<",
        "=",
        "-",
        "- a",
        "a: b",
        "#a",
        "a #b",
        "&a",
        "*a",
        "!a",
        "!!str a",
        "%a",
        "@a",
        "`a",
        "'",
        "\"",
        "\\",
        "a\n",
        "\na",
        "a\n\n",
        " a\n  b\n",
        "a\tb",
        "\r\n",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{0}",
        "---",
        "...",
        "--- a",
        "a\n---\nb",
        "{",
        "[",
        "?",
        "? a",
        "|",
        ">",
        "a,b",
        "\u{1f600}",
    ];
    prop_oneof![
        2 => proptest::sample::select(odd.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z \n]{0,100}",
    ]
    .boxed()
}

pub fn pots() -> BoxedStrategy<PotV1> {
    let lid = (any::<String>(), proptest::option::of(text()));
    let lid = lid.prop_map(|(name, knob)| Lid { name, knob });
    let lids = proptest::collection::vec(lid, 0..3);
    let parameters = proptest::collection::btree_map(text(), text(), 0..4);
    let rest = (
        proptest::option::of(text()),
        parameters,
        any::<Option<i64>>(),
    );
    (text(), lids, rest)
        .prop_map(|(name, lids, (note, parameters, size))| PotV1 {
            metadata: kubernetes_kinds::named(name),
            lids,
            note,
            parameters,
            size,
        })
        .boxed()
}
