//! The lists of a crate that bundles others.

use std::collections::BTreeSet;

use golden_conversion_all as all;
use k8s_openapi::Resource;
use kubernetes_kinds::apply::Apply;
use kubernetes_manifests::scheme::Scheme;

/// Takes tokens of the caller before the rows.
macro_rules! kinds {
    ($first:literal: $($name:ident: $kind:ty, list = $list:ty, apply = $apply:ty;)*) => {
        [$((
            concat!($first, stringify!($name)),
            <$kind as Resource>::API_VERSION,
            <$kind as Resource>::KIND,
            <$list as Resource>::KIND,
            <<$apply as Apply>::Kind as Resource>::KIND,
        )),*]
    };
}

mod inner {
    macro_rules! conversions {
        ($($name:ident: $how:ident $older:ty => $newer:ty;)*) => {
            [$((
                stringify!($name),
                stringify!($how),
                <$older as Resource>::API_VERSION,
                <$newer as Resource>::KIND,
            )),*]
        };
    }
    pub(crate) use conversions;
}

#[test]
fn every_kind_and_its_types() {
    let kinds = all::for_each_kind!(kinds, "a_":);
    let row = |row: (_, _, _, _, _)| assert!(kinds.contains(&row), "{row:?}");
    row(("a_v1_jar", "example.com/v1", "Jar", "JarList", "Jar"));
    row((
        "a_beta_v1beta1_jug",
        "example.com/v1beta1",
        "Jug",
        "JugList",
        "Jug",
    ));
    let mut scheme = Scheme::new();
    all::add_to_scheme(&mut scheme);
    let versions = scheme.group_versions();
    let registered: BTreeSet<_> = versions
        .flat_map(|version| scheme.kinds(version))
        .map(|known| known.kind.to_string())
        .collect();
    let listed = kinds.map(|(_, version, kind, ..)| format!("{version} {kind}"));
    assert_eq!(BTreeSet::from(listed), registered);
}

#[test]
fn every_conversion_of_a_kind() {
    let conversions = all::for_each_conversion!(inner::conversions);
    let beta = "example.com/v1beta1";
    assert_eq!(
        conversions,
        [
            ("beta_v1beta1_jug", "lossy", beta, "Jar"),
            ("beta_v1beta1_mug", "lossless", beta, "Mug"),
            ("beta_v1beta1_tray", "lossy", beta, "Tray"),
        ]
    );
}
