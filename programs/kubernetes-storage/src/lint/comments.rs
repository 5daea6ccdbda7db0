//! Comments in manifests that hide findings: `# kubernetes-storage: ignore enum, unknownField`.
//!
//! Before the first field of a document, a comment is about the whole document. Further down, it is
//! about its own line; if nothing else is on its own, it is about the next and about what belongs
//! to that, such as the rest of a list's element. What follows `--` says why.

use std::ops::RangeInclusive;

use crate::text::{BlockScalar, after_marker, is_in_quotes};

/// The beginning of these comments, after `#`.
const MARK: &str = "kubernetes-storage:";

/// The comments of a text.
#[derive(Debug, Default)]
pub(super) struct Comments(Vec<Comment>);

/// A comment.
#[derive(Debug)]
pub(super) struct Comment {
    /// The line of the comment, counted from 1.
    pub(super) line: usize,
    /// The number of its document; empty documents don't count.
    pub(super) document: usize,
    /// The lines that the comment is about.
    about: RangeInclusive<usize>,
    /// The instruction.
    pub(super) request: Request,
}

/// The instruction of a comment.
#[derive(Debug, PartialEq)]
pub(super) enum Request {
    /// To hide the findings of rules. Each is true if it has hidden one.
    Ignore(Vec<(String, bool)>),
    /// Something that doesn't exist.
    Unknown(String),
}

impl Comments {
    /// Finds the comments of a text.
    pub(super) fn of(text: &str) -> Self {
        let mut comments = Self::default();
        if text.contains(MARK) {
            comments.read(text);
        }
        comments
    }

    fn read(&mut self, text: &str) {
        // The comments of the document, and those of the next line, begin here.
        let (mut of_document, mut of_line) = (0, 0);
        let (mut documents, mut has_content) = (0, false);
        let lines: Vec<_> = text.lines().collect();
        let mut block = BlockScalar::default();
        for (line, text) in (1..).zip(&lines) {
            let text = text.trim_start_matches('\u{feff}');
            let rest = after_marker(text);
            if rest.is_some() && has_content {
                self.end_document(of_document, line - 1);
                (of_document, has_content) = (self.0.len(), false);
            }
            let content = rest.unwrap_or(text);
            let is_content = !content.trim().is_empty() && !content.trim_start().starts_with('#');
            let waiting = self.0.iter_mut().skip(of_line);
            if is_content && has_content && waiting.len() > 0 {
                let end = line + belonging(lines.get(line - 1..).unwrap_or_default());
                waiting.for_each(|comment| comment.about = line..=end);
            }
            if is_content && !has_content {
                documents += 1;
            }
            let is_text = block.has(text);
            if let Some(request) = request(text).filter(|_| !is_text) {
                // The end of the document isn't known yet.
                let is_of_document = !has_content && !is_content;
                let about = line..=if is_of_document { usize::MAX } else { line };
                self.0.push(Comment {
                    line,
                    document: documents + usize::from(is_of_document),
                    about,
                    request,
                });
            }
            if is_content {
                (has_content, of_line) = (true, self.0.len());
            }
        }
        self.end_document(of_document, lines.len());
    }

    /// Sets the end of the comments on a whole document.
    fn end_document(&mut self, first: usize, last: usize) {
        for comment in self.0.iter_mut().skip(first) {
            if *comment.about.end() == usize::MAX {
                comment.about = *comment.about.start()..=last;
            }
        }
    }

    /// Returns true if a comment hides the findings of a rule in a line.
    pub(super) fn hide(&mut self, rule: &str, line: usize) -> bool {
        let mut is_hidden = false;
        let about = self.0.iter_mut().filter(|of| of.about.contains(&line));
        for comment in about {
            if let Request::Ignore(rules) = &mut comment.request {
                for (_, is_used) in rules.iter_mut().filter(|(name, _)| name == rule) {
                    (*is_used, is_hidden) = (true, true);
                }
            }
        }
        is_hidden
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Comment> {
        self.0.iter()
    }
}

/// Returns the number of lines that belong to the first: those that are further in, and a list
/// below its name.
fn belonging(lines: &[&str]) -> usize {
    let is_element = |text: &str| text == "-" || text.starts_with("- ");
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let Some((first, rest)) = lines.split_first() else {
        return 0;
    };
    let (outer, has_list) = (indent(first), !is_element(first.trim()));
    let mut count = 0;
    for (number, line) in (1..).zip(rest) {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_in_list = has_list && indent(line) == outer && is_element(text);
        if indent(line) <= outer && !is_in_list {
            break;
        }
        count = number;
    }
    count
}

/// Returns what a line asks for, if it has a comment that does.
fn request(line: &str) -> Option<Request> {
    let (_, after) = line.match_indices(MARK).find_map(|(at, _)| {
        let (before, after) = line.split_at(at);
        let before = before.trim_end_matches([' ', '\t']).strip_suffix('#')?;
        let is_inside = before.ends_with(|c: char| !c.is_whitespace()) || is_in_quotes(before);
        (!is_inside).then_some(after.split_at(MARK.len()))
    })?;
    let asked = after.split(" --").next().unwrap_or_default();
    let mut words = asked
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty())
        .map(str::to_owned);
    Some(match words.next() {
        Some(word) if word == "ignore" => {
            let rules: Vec<_> = words.map(|rule| (rule, false)).collect();
            match rules.is_empty() {
                true => Request::Unknown("`ignore` names no rule; name those to hide".to_owned()),
                false => Request::Ignore(rules),
            }
        }
        word => {
            let found = word.unwrap_or_default();
            Request::Unknown(format!(
                "no instruction `{found}`; the only one is `ignore RULE`"
            ))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, below and including the comment's, of which the comment hides the rule.
    fn hidden(text: &str) -> Vec<usize> {
        let mut comments = Comments::of(text);
        let lines = 1..=text.lines().count();
        lines.filter(|line| comments.hide("enum", *line)).collect()
    }

    #[test]
    fn what_comments_are_about() {
        const IGNORE: &str = "# kubernetes-storage: ignore enum";
        for (text, lines) in [
            ("a: 1 IGNORE\nb: 1\n", vec![1]),
            ("IGNORE\na: 1\nb: 1\n", vec![1, 2, 3]),
            ("# other\nIGNORE\n---\na: 1\n---\nb: 1\n", vec![2, 3, 4]),
            ("a: 1\n---\nIGNORE\nb: 1\n---\nc: 1\n", vec![3, 4]),
            ("a: 1\n--- IGNORE\nb: 1\n", vec![2, 3]),
            ("a: 1\nIGNORE\n# why\n\nb: 1\nc: 1\n", vec![5]),
            ("a: 1\nb:\n  - c # x IGNORE\n", vec![3]),
            ("--- {a: 1}\nIGNORE\nb: 1\n", vec![3]),
            ("a: 1\nIGNORE\n---\nb: 1\n", vec![2]),
            ("a: 'x#IGNORE'\n", vec![]),
            ("a: 'x IGNORE'\n", vec![]),
            ("a: \"IGNORE\"\n", vec![]),
            ("a: 'kubernetes-storage: x' IGNORE\n", vec![1]),
            ("a: it's IGNORE\n", vec![1]),
            ("a: |\n  IGNORE\n  b\n\n  c IGNORE\nd: 1 IGNORE\n", vec![6]),
            ("- >-\n  IGNORE\n- b\n", vec![]),
            ("a: 1 #kubernetes-storage: ignore enum\n", vec![1]),
            ("#\tkubernetes-storage: ignore enum\na: 1\n", vec![1, 2]),
            ("\u{feff}IGNORE\r\na: 1\r\n", vec![1, 2]),
        ] {
            assert_eq!(hidden(&text.replace("IGNORE", IGNORE)), lines, "{text}");
        }
    }

    #[test]
    fn what_comments_ask_for() {
        let asked = |text: &str| match request(&format!("a: b # kubernetes-storage:{text}")) {
            Some(Request::Ignore(rules)) => {
                let rules = rules.into_iter().map(|(rule, _)| rule);
                rules.collect::<Vec<_>>().join("+")
            }
            Some(Request::Unknown(text)) => text,
            None => String::new(),
        };
        assert_eq!(asked(" ignore enum"), "enum");
        assert_eq!(
            asked("  ignore enum,format  label.key -- it is old"),
            "enum+format+label.key"
        );
        assert!(asked(" ignore").contains("names no rule"));
        assert!(asked(" ignore -- all").contains("names no rule"));
        assert!(asked(" ignored enum").contains("no instruction `ignored`"));
        assert!(asked("").contains("no instruction ``"));
    }
}
