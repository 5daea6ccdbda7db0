//! Expectations of checks, and the texts of failures.

use std::fmt::Debug;

use tonic::Code;

/// The end of a check before it has passed.
#[derive(Debug)]
pub(crate) enum Stop {
    Failed(String),
    LeftOut(String),
}

/// The outcome of a check, or of a part of it.
pub(crate) type Checked<T = ()> = Result<T, Stop>;

/// Fails a check unless a condition is met.
pub(crate) fn expect(is_met: bool, otherwise: impl FnOnce() -> String) -> Checked {
    match is_met {
        true => Ok(()),
        false => Err(Stop::Failed(otherwise())),
    }
}

/// Returns a value that an answer has to have.
pub(crate) fn set<T>(value: Option<T>, what: &str) -> Checked<T> {
    value.ok_or_else(|| Stop::Failed(format!("the answer has no {what}")))
}

/// Returns true if a name begins with a pattern, in which `*` stands for any text.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => name.starts_with(pattern),
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            let mut ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.any(|at| matches(rest, &name[at..]))
        }),
    }
}

/// Returns the name of a code, as the specification writes it.
pub(crate) fn code_name(code: Code) -> String {
    match code {
        Code::Ok => "OK".to_owned(),
        other => shouted(&format!("{other:?}")),
    }
}

/// Returns the names of codes, with `or` between them.
pub(crate) fn code_names(codes: &[Code]) -> String {
    let names: Vec<_> = codes.iter().map(|code| code_name(*code)).collect();
    names.join(" or ")
}

/// Returns `LIST_VOLUMES` for `ListVolumes`.
pub(crate) fn shouted(name: &str) -> String {
    let mut shouted = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            shouted.push('_');
        }
        shouted.push(letter.to_ascii_uppercase());
    }
    shouted
}

/// The number of characters of a message that a report shows.
const SHOWN: usize = 600;

/// Returns the text of a message, whose middle is left out if it is long.
pub(crate) fn shown(message: &dyn Debug) -> String {
    let text = format!("{message:?}");
    let count = text.chars().count();
    if count <= SHOWN {
        return text;
    }
    let start: String = text.chars().take(SHOWN / 2).collect();
    let end: String = text.chars().skip(count - SHOWN / 2).collect();
    format!("{start} … {end}")
}
