//! Composes trees of the events of a parser.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{
    ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle, YamlVersion,
};

use super::scalar::Scalar;
use super::tabs::Tabs;
use super::text::{Yaml, foreign_directive, foreign_escape, position, syntax};
use crate::error::SchemeError;
use crate::input::tree::{Field, MAX_DEPTH, Node, TOO_DEEP, Tree};

/// The deepest nesting that Kubernetes' reader takes.
pub(super) const MOST: usize = 10_000;

/// The merge key, whose value adds fields.
const MERGE: &str = "<<";

/// The version of YAML that Kubernetes reads.
const VERSION: YamlVersion = YamlVersion::new(1, 1);

type Result<T, E = SchemeError> = std::result::Result<T, E>;

/// Reads the documents of a text.
pub(super) struct Composer<'t> {
    yaml: Yaml<'t>,
    parser: Parser<'t, StrInput<'t>>,
    /// The weight that aliases may still add.
    pub(super) left: usize,
    /// True if a quoted scalar goes on in a line that isn't indented enough for the parser.
    /// Kubernetes accepts it.
    pub(super) is_unindented: bool,
    /// The values with anchors, from when they are complete.
    anchors: HashMap<usize, Node<'t>>,
    depth: usize,
    /// The number of surrounding lists and objects in brackets.
    brackets: usize,
    /// The column from which a plain scalar goes on in another line, counted from 0.
    column: usize,
    /// The places where tabs are allowed, if the text has some.
    tabs: Option<Tabs>,
}

impl<'t> Composer<'t> {
    pub(super) fn new(yaml: Yaml<'t>, left: usize) -> Self {
        let options = granit_parser::options! {
            emit_anchor_events: true,
            emit_comments: false,
            flow_nesting_limit: MOST,
            block_nesting_limit: MOST,
        };
        Self {
            yaml,
            parser: Parser::new_from_str_with_options(yaml.text, options),
            left,
            is_unindented: false,
            anchors: HashMap::new(),
            depth: 0,
            brackets: 0,
            column: 0,
            tabs: yaml.text.contains('\t').then(Tabs::default),
        }
    }

    /// Reads all documents, except empty ones.
    ///
    /// # Errors
    ///
    /// When the text is not YAML, or Kubernetes doesn't read it.
    pub(super) fn documents(&mut self) -> Result<Vec<Node<'t>>> {
        let mut documents = Vec::new();
        let mut has_begun = self.yaml.is_after_end;
        let mut ended = 0;
        while let Some((event, span)) = self.event()? {
            let Event::DocumentStart(is_explicit, version) = event else {
                ended = span.end.byte_offset().unwrap_or(ended);
                continue;
            };
            if version.is_some_and(|version| version != VERSION) {
                return Err(at(&span, "Kubernetes reads no YAML but 1.1"));
            }
            if !is_explicit && has_begun {
                let message = "Kubernetes ignores what follows `...`; begin a document with `---`";
                return Err(at(&span, message));
            }
            let is_first = !has_begun;
            has_begun = true;
            let start = span.start.byte_offset();
            let before = start.and_then(|start| self.yaml.text.get(ended..start));
            let foreign = |text| foreign_directive(text, &self.yaml, is_first);
            if let Some(message) = before.and_then(foreign) {
                return Err(at(&span, message));
            }
            self.anchors.clear();
            let (event, span) = self.inside(&span)?;
            if let Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..) = event {
                // The parser doesn't require its lines to be indented.
                return Err(at(&span, "a block scalar isn't a document"));
            }
            let document = self.value(event, &span)?;
            if !matches!(document.tree, Tree::Null) {
                documents.push(document);
            }
        }
        match &self.tabs {
            Some(tabs) => tabs.check(self.yaml.text).map(|()| documents),
            None => Ok(documents),
        }
    }

    /// Notes where tabs are allowed.
    fn note_tabs(&mut self, span: &Span, style: ScalarStyle) {
        let part = span.start.byte_offset().zip(span.end.byte_offset());
        if let Some(tabs) = &mut self.tabs
            && let Some((start, end)) = part
            && self.brackets == 0
        {
            match style {
                ScalarStyle::Plain => tabs.add_plain(start..end, self.column),
                ScalarStyle::Literal | ScalarStyle::Folded => {
                    tabs.add_block(start..end, self.yaml.text);
                }
                _ => tabs.add_free(start..end),
            }
        }
    }

    fn event(&mut self) -> Result<Option<(Event<'t>, Span)>> {
        let Some(read) = self.parser.next_event() else {
            return Ok(None);
        };
        let (event, span) = read.map_err(|error| self.damaged(&error))?;
        if let Event::Anchor(_, name) = &event {
            if !name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            {
                let message = "YAML 1.1 has only letters, digits, `-` and `_` in names of anchors";
                return Err(at(&span, message));
            }
            return self.event();
        }
        if let Some(start) = span.tag_start() {
            self.check_tag(start.byte_offset(), &span)?;
        }
        Ok(Some((event, span)))
    }

    /// Rejects characters that are a part of a tag in YAML 1.1, but not for the parser.
    fn check_tag(&self, start: Option<usize>, span: &Span) -> Result<()> {
        let text = start.and_then(|start| self.yaml.text.get(start..));
        let tag = text.and_then(|text| text.split_whitespace().next());
        let is_tag =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-_;/?:@&=+$.!~*'()%<>".contains(&byte);
        if tag.is_some_and(|tag| !tag.bytes().all(is_tag)) {
            return Err(at(span, "a space has to follow a tag"));
        }
        Ok(())
    }

    fn damaged(&mut self, error: &ScanError) -> SchemeError {
        let place = position(error.marker());
        self.is_unindented = *error.kind() == ErrorKind::InvalidQuotedScalarIndent;
        syntax(error.kind().to_string(), Some(place))
    }

    /// Returns the next event of a document.
    fn inside(&mut self, start: &Span) -> Result<(Event<'t>, Span)> {
        self.event()?
            .ok_or_else(|| at(start, "the document has no end"))
    }

    /// Reads a value whose first event is given.
    fn value(&mut self, event: Event<'t>, span: &Span) -> Result<Node<'t>> {
        let (tree, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let text = self.adjusted(text, style, span)?;
                let is_plain = style == ScalarStyle::Plain;
                self.note_tabs(span, style);
                let scalar = Scalar::resolve(text, is_plain, tag.as_deref());
                let tree = scalar.and_then(Scalar::tree);
                (tree.map_err(|message| at(span, &message))?, anchor)
            }
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _)
                if self.depth == MAX_DEPTH =>
            {
                (self.too_deep(span)?, anchor)
            }
            Event::SequenceStart(style, anchor, _) => (
                self.deeper((style, self.list_column(span)), span, Self::items)?,
                anchor,
            ),
            Event::MappingStart(style, anchor, _) => (
                self.deeper((style, span.start.col()), span, Self::fields)?,
                anchor,
            ),
            Event::Alias(anchor) => (self.alias(anchor, span)?, 0),
            _ => return Err(at(span, "there is no value")),
        };
        let node = Node {
            position: Some(position(&span.start)),
            tree,
        };
        if anchor != 0 {
            let (weight, _) = node.tree.measure();
            self.spend(weight, span)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// Reads the items of a list or the fields of an object; `read` returns the place of its end.
    fn deeper(
        &mut self,
        (style, column): (StructureStyle, usize),
        span: &Span,
        read: impl FnOnce(&mut Self, &Span) -> Result<(Tree<'t>, Span)>,
    ) -> Result<Tree<'t>> {
        let brackets = usize::from(style == StructureStyle::Flow);
        let column = match style {
            StructureStyle::Flow => self.column,
            _ => column + 1,
        };
        let column = std::mem::replace(&mut self.column, column);
        self.depth += 1;
        self.brackets += brackets;
        let (tree, end) = read(self, span)?;
        self.brackets -= brackets;
        self.depth -= 1;
        self.column = column;
        if brackets > 0 {
            // As in quotes.
            self.note_tabs(&Span::new(span.start, end.end), ScalarStyle::DoubleQuoted);
        }
        Ok(tree)
    }

    /// Returns the column of a list. The place of one without brackets can be after its first `-`.
    fn list_column(&self, span: &Span) -> usize {
        let column = span.start.col();
        let place = span.start.byte_offset();
        let parts = place.and_then(|place| self.yaml.text.split_at_checked(place));
        let Some((before, _)) = parts.filter(|(_, after)| !after.starts_with('-')) else {
            return column;
        };
        let rest = before.trim_end_matches(' ').strip_suffix('-');
        column.saturating_sub(rest.map_or(0, |rest| before.len() - rest.len()))
    }

    /// Skips the rest of a list or an object.
    fn too_deep(&mut self, start: &Span) -> Result<Tree<'t>> {
        let mut open = 1;
        while open > 0 {
            if self.depth + open > MOST {
                return Err(at(start, &format!("nested more than {MOST} deep")));
            }
            match self.inside(start)?.0 {
                Event::SequenceStart(..) | Event::MappingStart(..) => open += 1,
                Event::SequenceEnd | Event::MappingEnd => open -= 1,
                _ => (),
            }
        }
        Ok(Tree::Unreadable(TOO_DEEP))
    }

    fn items(&mut self, start: &Span) -> Result<(Tree<'t>, Span)> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.inside(start)?;
            if event == Event::SequenceEnd {
                return Ok((Tree::Items(items), span));
            }
            items.push(self.value(event, &span)?);
        }
    }

    fn fields(&mut self, start: &Span) -> Result<(Tree<'t>, Span)> {
        let mut fields = Fields::default();
        loop {
            let (event, span) = self.inside(start)?;
            if event == Event::MappingEnd {
                return Ok((Tree::Fields(fields.all), span));
            }
            if is_merge(&event, &span)? {
                let (event, span) = self.inside(start)?;
                for field in self.merged(event, &span)? {
                    self.add(&mut fields, field, true, &span)?;
                }
                continue;
            }
            let name = self.name(event, &span)?;
            let (event, of_value) = self.inside(start)?;
            let field = Field {
                name,
                position: Some(position(&span.start)),
                value: self.value(event, &of_value)?,
            };
            self.add(&mut fields, field, false, &span)?;
        }
    }

    /// Reads a key: a scalar, or an alias of one.
    fn name(&mut self, event: Event<'t>, span: &Span) -> Result<Cow<'t, str>> {
        let name = match event {
            Event::Scalar(text, style, 0, tag) => {
                let text = self.adjusted(text, style, span)?;
                let is_plain = style == ScalarStyle::Plain;
                self.note_tabs(span, style);
                Scalar::resolve(text, is_plain, tag.as_deref()).and_then(Scalar::name)
            }
            // An alias may repeat it as a value.
            event => match self.value(event, span)?.tree {
                Tree::Text(text) => Ok(text),
                _ => Err("JSON has no such key; write it in quotes".to_owned()),
            },
        };
        name.map_err(|message| at(span, &message))
    }

    /// Returns a scalar as Go reads it where the parser differs.
    fn adjusted(
        &self,
        mut text: Cow<'t, str>,
        style: ScalarStyle,
        span: &Span,
    ) -> Result<Cow<'t, str>> {
        let written = || {
            let (start, end) = (span.start.byte_offset()?, span.end.byte_offset()?);
            self.yaml.text.get(start..end)
        };
        match style {
            // The last line of a body may have no end, which the parser adds.
            ScalarStyle::Literal | ScalarStyle::Folded
                if !self.yaml.is_file && text.ends_with('\n') =>
            {
                let last = written().and_then(|text| text.rsplit(['\n', '\r']).next());
                if last.is_some_and(|line| !line.trim().is_empty()) {
                    text.to_mut().pop();
                }
            }
            ScalarStyle::Plain if self.brackets > 0 => {
                if text.starts_with(['?', ':']) {
                    let message =
                        "`?` and `:` are signs of their own here in YAML 1.1; quote the text";
                    return Err(at(span, message));
                }
                // An absent value begins where its `:` does.
                let end = span.end.byte_offset().filter(|_| written() != Some(""));
                let after = end.and_then(|end| self.yaml.text.get(end..));
                let colon = after.and_then(|after| after.strip_prefix(':'));
                if colon.is_some_and(|after| after.starts_with([',', ']', '}', '[', '{'])) {
                    return Err(at(span, "a space has to follow `:`"));
                }
            }
            ScalarStyle::DoubleQuoted => {
                if let Some(message) = written().and_then(foreign_escape) {
                    return Err(at(span, message));
                }
            }
            _ => {}
        }
        Ok(text)
    }

    /// Returns the fields that the value of a merge key adds; of several objects, the first
    /// overrides the others.
    fn merged(&mut self, event: Event<'t>, span: &Span) -> Result<Vec<Field<'t>>> {
        let is_alias = matches!(event, Event::Alias(_));
        let parts = match self.value(event, span)?.tree {
            Tree::Items(items) if !is_alias => items,
            tree => vec![tree.into()],
        };
        let mut fields = Vec::new();
        for part in parts.into_iter().rev() {
            let Tree::Fields(inner) = part.tree else {
                let message = "`<<` takes an object, or a list of objects";
                return Err(at(span, message));
            };
            fields.extend(inner);
        }
        Ok(fields)
    }

    /// Adds a field. A field of a merge key overrides earlier fields, and a later field overrides
    /// it.
    fn add(
        &self,
        fields: &mut Fields<'t>,
        field: Field<'t>,
        is_merged: bool,
        span: &Span,
    ) -> Result<()> {
        if self.yaml.keeps_duplicates {
            fields.all.push(field);
            return Ok(());
        }
        match fields.known.get_mut(&field.name) {
            Some((_, was_merged)) if !*was_merged && !is_merged => {
                let name = field.name;
                return Err(at(span, &format!("duplicate key `{name}`")));
            }
            Some((index, was_merged)) => {
                *was_merged = is_merged;
                if let Some(known) = fields.all.get_mut(*index) {
                    *known = field;
                }
            }
            None => {
                let known = (fields.all.len(), is_merged);
                fields.known.insert(field.name.clone(), known);
                fields.all.push(field);
            }
        }
        Ok(())
    }

    /// Counts the weight of a copy for an anchor or an alias.
    fn spend(&mut self, weight: usize, span: &Span) -> Result<()> {
        let left = self.left.checked_sub(weight).ok_or_else(|| {
            let message = "its anchors and aliases make it many times larger than the text; write \
                           out what they repeat";
            at(span, message)
        })?;
        self.left = left;
        Ok(())
    }

    /// Repeats the value of an anchor.
    fn alias(&mut self, anchor: usize, span: &Span) -> Result<Tree<'t>> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(at(span, "the value of an anchor contains itself"));
        };
        let (weight, depth) = node.tree.measure();
        if self.depth + depth > MAX_DEPTH {
            return Ok(Tree::Unreadable(TOO_DEEP));
        }
        let mut tree = node.tree.clone();
        self.spend(weight, span)?;
        // A repeated value has the position of the alias.
        tree.move_to(position(&span.start));
        Ok(tree)
    }
}

/// The fields of an object.
#[derive(Default)]
struct Fields<'t> {
    all: Vec<Field<'t>>,
    /// The index of each field, and true if a merge key has added it; only if duplicates are
    /// errors.
    known: HashMap<Cow<'t, str>, (usize, bool)>,
}

/// Returns true if a key is the merge key.
fn is_merge(event: &Event<'_>, span: &Span) -> Result<bool> {
    match event {
        Event::Scalar(text, style, _, tag) if text == MERGE => match tag {
            None => Ok(*style == ScalarStyle::Plain),
            Some(tag) if tag.suffix() == "merge" && tag.original_handle() == "!!" => Ok(true),
            Some(_) => Err(at(span, "`<<` takes no tag")),
        },
        _ => Ok(false),
    }
}

fn at(span: &Span, message: &str) -> SchemeError {
    syntax(message.to_owned(), Some(position(&span.start)))
}
