//! Pictures as SVG, for README.md and for figures, each in light and in dark colours.

use svg::node::element::{Path, Rectangle, Text, Title};
use svg::{Document, Node};

/// The colours of a picture. `fills` and `edges` belong together; bars have the edges' colours.
pub(crate) struct Scheme {
    /// The end of the name of the file.
    pub(crate) name: &'static str,
    canvas: &'static str,
    ink: &'static str,
    faint: &'static str,
    line: &'static str,
    fills: [&'static str; 4],
    edges: [&'static str; 4],
}

/// Those of GitHub's pages, so that a picture has no frame there.
pub(crate) const SCHEMES: [Scheme; 2] = [
    Scheme {
        name: "light",
        canvas: "#ffffff",
        ink: "#1f2328",
        faint: "#59636e",
        line: "#818b98",
        fills: ["#ddf4ff", "#fff1e5", "#dafbe1", "#fbefff"],
        edges: ["#0969da", "#bc4c00", "#1a7f37", "#8250df"],
    },
    Scheme {
        name: "dark",
        canvas: "#0d1117",
        ink: "#f0f6fc",
        faint: "#b1bac4",
        line: "#656c76",
        fills: ["#0c2d6b", "#3d1d06", "#033a16", "#3c1e70"],
        edges: ["#4493f8", "#db6d28", "#3fb950", "#ab7df8"],
    },
];

/// The size of most text, and that of what explains it.
pub(crate) const NORMAL: f64 = 14.0;
pub(crate) const SMALL: f64 = 12.0;

/// The space around text in a box.
pub(crate) const MARGIN: f64 = 12.0;

/// The height of a line of text.
pub(crate) const LINE: f64 = 17.0;

/// The end of a text that is placed: where it starts, its middle, or its last letter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A rectangle, from its upper left corner.
#[derive(Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    /// The middle of the right side.
    pub(crate) fn right(&self) -> (f64, f64) {
        (self.x + self.width, self.y + self.height / 2.0)
    }

    /// The middle of the left side.
    pub(crate) fn left(&self) -> (f64, f64) {
        (self.x, self.y + self.height / 2.0)
    }
}

/// The width that a text has at most. Browsers take what sans-serif font there is: of the common
/// ones, DejaVu Sans is the widest, and its letters are this wide on average.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | '/' | ' ' | '-' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '—' | '→' => 1.0,
        c if c.is_ascii_uppercase() => 0.76,
        _ => 0.65,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// Breaks a text at spaces, so that no line is wider than that, unless a word is.
pub(crate) fn wrapped(text: &str, size: f64, limit: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= limit => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The height of a box with a name and lines below it.
pub(crate) fn height(lines: &[String]) -> f64 {
    lines.len() as f64 * LINE + LINE + MARGIN
}

/// A picture that is being drawn.
pub(crate) struct Picture<'a> {
    scheme: &'a Scheme,
    document: Document,
}

impl<'a> Picture<'a> {
    /// Starts a picture of that size. Programs read its title aloud.
    pub(crate) fn new(scheme: &'a Scheme, width: f64, height: f64, title: &str) -> Self {
        let document = Document::new()
            .set("viewBox", (0.0, 0.0, width.ceil(), height.ceil()))
            .set("width", width.ceil())
            .set("height", height.ceil())
            .set("role", "img")
            .set(
                "font-family",
                "-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif",
            )
            .add(Title::new(title));
        let mut new = Self { scheme, document };
        let canvas = Rectangle::new()
            .set("width", "100%")
            .set("height", "100%")
            .set("fill", scheme.canvas);
        new.document.append(canvas);
        new
    }

    /// The text of the file, after a line that says who has written it.
    pub(crate) fn finish(self, origin: &str) -> String {
        format!("<!-- {origin} -->\n{}\n", self.document)
    }

    /// Writes a text on a line, whose baseline is at `y`.
    pub(crate) fn text(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        self.write(x, y, anchor, NORMAL, (self.scheme.ink, "600"), text);
    }

    /// The same, for what explains something.
    pub(crate) fn note(&mut self, x: f64, y: f64, anchor: Anchor, text: &str) {
        self.write(x, y, anchor, SMALL, (self.scheme.faint, "400"), text);
    }

    /// The same, on a ground that hides what it crosses.
    pub(crate) fn note_above(&mut self, x: f64, y: f64, text: &str) {
        let ground = Area {
            x: x - 1.0,
            y: y - SMALL,
            width: width(text, SMALL),
            height: SMALL + 3.0,
        };
        self.document.append(rectangle(ground, self.scheme.canvas));
        self.note(x, y, Anchor::Start, text);
    }

    fn write(
        &mut self,
        x: f64,
        y: f64,
        anchor: Anchor,
        size: f64,
        (colour, weight): (&str, &str),
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = Text::new(text)
            .set("x", x)
            .set("y", y)
            .set("text-anchor", anchor)
            .set("font-size", size)
            .set("font-weight", weight)
            .set("fill", colour);
        self.document.append(text);
    }

    /// Draws a box in one of the colours, with a name and what explains it in its middle.
    pub(crate) fn boxed(&mut self, area: Area, colour: usize, name: &str, lines: &[String]) {
        let colour = colour % self.scheme.fills.len();
        let ground = rectangle(area, self.scheme.fills[colour])
            .set("rx", 6)
            .set("stroke", self.scheme.edges[colour]);
        self.document.append(ground);
        let middle = area.x + area.width / 2.0;
        let mut y = area.y + (area.height - height(lines)) / 2.0 + MARGIN / 2.0 + LINE * 0.75;
        self.text(middle, y, Anchor::Middle, name);
        for line in lines {
            y += LINE;
            self.note(middle, y, Anchor::Middle, line);
        }
    }

    /// Draws a bar in one of the colours.
    pub(crate) fn bar(&mut self, area: Area, colour: usize) {
        let edge = self.scheme.edges[colour % self.scheme.edges.len()];
        self.document.append(rectangle(area, edge));
    }

    /// Draws a straight line; a dashed one if it only helps to read the others.
    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), is_dashed: bool) {
        let ((x, y), (to_x, to_y)) = (from, to);
        let path = self.stroke(format!("M{x} {y} L{to_x} {to_y}"));
        let path = match is_dashed {
            true => path.set("stroke-dasharray", "4 3"),
            false => path,
        };
        self.document.append(path);
    }

    /// Draws an arrow that leaves and arrives horizontally.
    pub(crate) fn arrow(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x, y), (to_x, to_y)) = (from, to);
        // The line ends inside of the head.
        let (end, bend) = (to_x - 6.0, (x + to_x) / 2.0);
        let curve = format!("M{x} {y} C{bend} {y} {bend} {to_y} {end} {to_y}");
        let curve = self.stroke(curve);
        self.document.append(curve);
        self.head([
            (to_x, to_y),
            (to_x - 8.0, to_y - 4.0),
            (to_x - 8.0, to_y + 4.0),
        ]);
    }

    /// Draws an arrow straight up or down.
    pub(crate) fn vertical(&mut self, x: f64, from: f64, to: f64) {
        let back = (from - to).signum();
        let line = self.stroke(format!("M{x} {from} L{x} {}", to + back * 6.0));
        self.document.append(line);
        let end = to + back * 8.0;
        self.head([(x, to), (x - 4.0, end), (x + 4.0, end)]);
    }

    fn stroke(&self, path: String) -> Path {
        let path = Path::new().set("d", path).set("fill", "none");
        path.set("stroke", self.scheme.line)
            .set("stroke-width", 1.5)
    }

    fn head(&mut self, [(x, y), (ax, ay), (bx, by)]: [(f64, f64); 3]) {
        let head = Path::new()
            .set("d", format!("M{x} {y} L{ax} {ay} L{bx} {by} Z"))
            .set("fill", self.scheme.line);
        self.document.append(head);
    }
}

fn rectangle(area: Area, fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", area.x)
        .set("y", area.y)
        .set("width", area.width)
        .set("height", area.height)
        .set("fill", fill)
}
