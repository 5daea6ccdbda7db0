//! Parts of times, in UTC or in another zone.

use super::translate::Translated;
use crate::model::{CelType, Node};

/// Methods of times: in CEL and in Rust.
const PARTS: [(&str, &str); 10] = [
    ("getFullYear", "year"),
    ("getMonth", "month"),
    ("getDate", "day"),
    ("getDayOfMonth", "day_of_month"),
    ("getDayOfWeek", "day_of_week"),
    ("getDayOfYear", "day_of_year"),
    ("getHours", "hours"),
    ("getMinutes", "minutes"),
    ("getSeconds", "seconds"),
    ("getMilliseconds", "milliseconds"),
];

/// A part of a time.
pub(super) fn part(on: Node, name: &str, zone: Option<Node>) -> Translated {
    let found = PARTS.iter().find(|(cel, _)| *cel == name);
    let (_, rust) = found.ok_or_else(|| format!("`{}` of a time", name.escape_debug()))?;
    let on = match zone {
        None => on,
        Some(Node::Text(zone)) => match offset(&zone) {
            Some(0) => on,
            Some(minutes) => Node::Method(Box::new(on), "in_zone", vec![Node::Int(minutes)]),
            None => return Err("a zone that is no offset from UTC".to_owned()),
        },
        Some(_) => return Err("a computed zone".to_owned()),
    };
    Ok((Node::Method(Box::new(on), rust, Vec::new()), CelType::Int))
}

/// The minutes of a zone, `-05:30`.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "UTC") {
        return Some(0);
    }
    let (hours, minutes) = zone.split_once(':')?;
    let hours = i64::from(hours.parse::<i32>().ok()?);
    let minutes = minutes
        .parse::<i64>()
        .ok()
        .filter(|n| (0..60).contains(n))?;
    Some(match zone.starts_with('-') {
        true => hours * 60 - minutes,
        false => hours * 60 + minutes,
    })
}
