//! Hand-written rules beside the generated files.

use golden_conversion_v1::Jar;
use kubernetes_kinds::convert;

use super::Jug;

pub(super) fn colors(color: Option<String>) -> Option<Vec<String>> {
    color.map(|color| vec![color])
}

pub(super) fn color(colors: Option<Vec<String>>) -> Option<String> {
    colors.and_then(|colors| colors.into_iter().next())
}

/// Of several colors, the one that was there before.
pub(super) fn color_like(colors: Option<Vec<String>>, like: &Option<String>) -> Option<String> {
    let before = colors
        .iter()
        .flatten()
        .find(|color| Some(*color) == like.as_ref());
    before.cloned().or_else(|| color(colors))
}

pub(super) fn jar(jug: Jug) -> convert::Result<Jar> {
    Ok(Jar {
        metadata: jug.metadata,
        level: jug.full.map(|full| if full { 100 } else { 0 }),
    })
}

pub(super) fn jug(jar: Jar) -> convert::Result<Jug> {
    if jar.level.is_some_and(|level| level < 0) {
        let path = kubernetes_kinds::FieldPath::new("level");
        return Err(convert::ConversionError::invalid(path, "less than nothing"));
    }
    Ok(Jug {
        metadata: jar.metadata,
        full: jar.level.map(|level| level == 100),
    })
}
