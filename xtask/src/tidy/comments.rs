//! Counts in comments.

use super::{Count, as_number};
use crate::sources::{File, Sources};

/// Words that no documentation opens with: it names the thing, or opens with a verb.
const OPENINGS: [&str; 9] = [
    "How", "What", "Where", "Whether", "Which", "Who", "Whom", "Whose", "Why",
];

/// The share of documentation comments that may open with them, in percent.
const SHARE: f64 = 0.5;

/// The most columns of a line that is a comment.
const COLUMNS: usize = 100;

/// Counts the documentation comments that open with a word of [`OPENINGS`].
pub(super) fn openings(sources: &Sources) -> Count {
    let mut all = 0;
    let mut places = Vec::new();
    for file in &sources.files {
        for (number, text) in documentation(file) {
            all += 1;
            let opening = text.split_whitespace().next();
            if opening.is_some_and(|word| OPENINGS.contains(&word)) {
                places.push(format!("{}:{number}: {text}", file.path));
            }
        }
    }
    Count {
        name: "doc comments that open with a question word",
        value: 100.0 * as_number(places.len()) / as_number(all.max(1)),
        limit: SHARE,
        unit: " %",
        places,
    }
}

/// Returns the first line of each documentation comment, with its number. Templates of generated
/// files have them at the start of string literals.
fn documentation(file: &File) -> impl Iterator<Item = (usize, &str)> {
    let mut before = None;
    let lines = file.text.lines().enumerate();
    lines.filter_map(move |(index, line)| {
        let line = line.trim_start();
        let line = line.trim_start_matches(['"', '(']);
        let marks = ["/// ", "//! "];
        let mark = marks.into_iter().find(|mark| line.starts_with(mark));
        let is_mark = line.starts_with("///") || line.starts_with("//!");
        let is_first = is_mark && before != line.get(..3);
        before = line.get(..3).filter(|_| is_mark);
        let text = line.strip_prefix(mark?)?;
        is_first.then_some((index + 1, text))
    })
}

/// Counts the comment lines that are too long.
pub(super) fn long_lines(sources: &Sources) -> Count {
    let mut places = Vec::new();
    for file in &sources.files {
        for (index, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            let comment = line.trim_start();
            // A row of a Markdown table is one line, and so is a single word, such as a link.
            let rows = ["/// |", "//! |"];
            let is_row = rows.iter().any(|start| comment.starts_with(start));
            let is_breakable = !is_row && comment.split_whitespace().count() > 2;
            if comment.starts_with("//") && is_breakable && columns > COLUMNS {
                places.push(format!("{}:{}: {columns} columns", file.path, index + 1));
            }
        }
    }
    Count::of("comment lines over 100 columns", 0, places)
}
