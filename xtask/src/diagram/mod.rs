//! The picture in README.md of what is made of which documents, and of what uses it.

mod members;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use codegen::{Config, DocumentConfig, Generated, GeneratedFile, MARK};
use kubernetes_crdgen::output::Plan;

use self::members::Member;
pub(crate) use self::members::Members;
use crate::drawing::{
    Anchor, Area, LINE, MARGIN, NORMAL, Picture, SCHEMES, SMALL, height, width, wrapped,
};
use crate::workspace;

/// The start of the names of the two pictures.
const NAME: &str = "docs/crates-";

/// The folder of the generator.
const GENERATOR: &str = "codegen";

/// The colours of the columns.
const DOCUMENTS: usize = 0;
const MAKERS: usize = 1;
const CRATES: usize = 2;
const USERS: usize = 3;

/// The least widths of the columns, and the space beside each.
const WIDTHS: [f64; 4] = [200.0, 150.0, 190.0, 210.0];
const BESIDE: f64 = 42.0;
const EDGE: f64 = 16.0;

/// The baseline of the headings, and the upper end of the first boxes.
const HEADING: f64 = 30.0;
const TOP: f64 = 64.0;
const GAP: f64 = 14.0;

/// Returns the members of the workspace with the crates that are generated, if its README shows the
/// pictures.
pub(crate) fn members(
    root: &Path,
    generated: &[Generated],
) -> Result<Option<Members>, Box<dyn Error>> {
    let readme = workspace::read_if_there(&root.join("README.md"))?.unwrap_or_default();
    match String::from_utf8_lossy(&readme).contains(NAME) {
        true => Members::read(root, generated).map(Some),
        false => Ok(None),
    }
}

/// Returns the changes of the pictures.
pub(crate) fn plan(
    root: &Path,
    config: &Config,
    members: &Members,
) -> Result<Plan, Box<dyn Error>> {
    Plan::of_files(root, Diagram::of(config, members).files().collect())
}

/// A box, with what explains its name.
struct Node {
    name: String,
    text: String,
}

impl Node {
    fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let (name, text) = (name.into(), text.into());
        Self { name, text }
    }

    /// The width that its words need.
    fn least(&self) -> f64 {
        let words = self.text.split_whitespace().map(|word| width(word, SMALL));
        words.fold(width(&self.name, NORMAL), f64::max) + 2.0 * MARGIN
    }

    fn lines(&self, width: f64) -> Vec<String> {
        wrapped(&self.text, SMALL, width - 2.0 * MARGIN)
    }
}

/// A library or program that uses generated crates.
struct User {
    node: Node,
    /// The generated crates that it uses.
    of: Vec<String>,
    /// True if it uses the library above it.
    is_below: bool,
}

struct Diagram {
    /// The crates, each with the boxes of its documents.
    crates: Vec<(Node, Vec<Node>)>,
    overlays: Option<Node>,
    bundle: Option<Node>,
    generator: Node,
    runtime: Node,
    users: Vec<User>,
    /// The left ends and the widths of the columns.
    columns: [(f64, f64); 4],
}

impl Diagram {
    fn of(config: &Config, members: &Members) -> Self {
        let crates = config.crates.iter().map(|krate| {
            let to = krate.conversion.as_ref().map(|conversion| &conversion.to);
            let text = to.map(|to| format!("converts to {to} and back"));
            let node = Node::new(&krate.name, text.unwrap_or_default());
            (node, documents(&krate.documents))
        });
        let mut documents = config.crates.iter().flat_map(|krate| &krate.documents);
        let overlays = documents.any(|document| !document.overlays.is_empty());
        let names = config.crates.iter().map(|krate| krate.name.as_str());
        let generated: Vec<_> = names.collect();
        let bundle = config.bundle.as_ref().map(|bundle| bundle.name.as_str());
        let mut new = Self {
            crates: crates.collect(),
            overlays: overlays
                .then(|| Node::new("overlays", "rules and facts that documents omit")),
            bundle: bundle.map(|name| Node::new(name, "re-exports all of them")),
            generator: generator(members),
            runtime: Node::new("Run-time crates", members.runtime(&generated).join(", ")),
            users: users(members, &generated, bundle),
            columns: [(0.0, 0.0); 4],
        };
        new.set_columns();
        new
    }

    /// Makes each column as wide as its widest word.
    fn set_columns(&mut self) {
        let crates = self.crates.iter();
        let documents = crates.clone().flat_map(|(_, documents)| documents);
        let documents: Vec<_> = documents.chain(&self.overlays).collect();
        let crates: Vec<_> = crates.map(|(krate, _)| krate).chain(&self.bundle).collect();
        let users: Vec<_> = self.users.iter().map(|user| &user.node).collect();
        let columns = [documents, vec![&self.generator], crates, users];
        let mut x = EDGE;
        for (column, nodes) in columns.into_iter().enumerate() {
            let widths = nodes.into_iter().map(Node::least);
            let width = widths.fold(WIDTHS[column], f64::max).ceil();
            self.columns[column] = (x, width);
            x += width + BESIDE;
        }
    }

    fn area(&self, column: usize, y: f64, height: f64) -> Area {
        let (x, width) = self.columns[column];
        Area {
            x,
            y,
            width,
            height,
        }
    }

    fn height_of(&self, node: &Node, column: usize) -> f64 {
        height(&node.lines(self.columns[column].1))
    }

    fn files(&self) -> impl Iterator<Item = GeneratedFile> {
        SCHEMES.iter().map(|scheme| {
            let (x, width) = self.columns[USERS];
            let title = "OpenAPI documents become crates, which libraries and programs use";
            let mut picture = Picture::new(scheme, x + width + EDGE, self.height(), title);
            self.draw(&mut picture);
            GeneratedFile {
                path: format!("{NAME}{}.svg", scheme.name),
                text: picture.finish(&format!("{MARK}codegen.toml and Cargo.toml.")),
                ..GeneratedFile::default()
            }
        })
    }

    /// The heights of the rows of crates, with the space after each.
    fn rows(&self) -> impl Iterator<Item = f64> {
        self.crates.iter().map(|(krate, documents)| {
            let stacked = self.stacked(documents);
            stacked.max(self.height_of(krate, CRATES) + GAP)
        })
    }

    /// The height of the documents of a crate, with the space after each.
    fn stacked(&self, documents: &[Node]) -> f64 {
        let heights = documents.iter();
        heights
            .map(|node| self.height_of(node, DOCUMENTS) + GAP)
            .sum()
    }

    /// The height of the row of overlays and of the crate that bundles the others, with the space
    /// after it.
    fn last_row(&self) -> f64 {
        let overlays = self
            .overlays
            .iter()
            .map(|node| self.height_of(node, DOCUMENTS));
        let bundle = self.bundle.iter().map(|node| self.height_of(node, CRATES));
        overlays
            .chain(bundle)
            .map(|height| height + GAP)
            .fold(0.0, f64::max)
    }

    /// The lower end of the generator and of what it reads and writes.
    fn bottom(&self) -> f64 {
        TOP + self.rows().sum::<f64>() + self.last_row() - GAP
    }

    /// The place of the run-time crates, below the generator and the generated crates.
    fn runtime(&self) -> Area {
        let (x, _) = self.columns[MAKERS];
        let (to, width) = self.columns[CRATES];
        let width = to + width - x;
        Area {
            x,
            y: self.bottom() + 2.0 * GAP,
            width,
            height: height(&self.runtime.lines(width)),
        }
    }

    /// The height of the picture.
    fn height(&self) -> f64 {
        let runtime = self.runtime();
        let users = self.users.iter();
        let users = users.map(|user| self.height_of(&user.node, USERS) + 2.0 * GAP);
        (runtime.y + runtime.height).max(TOP + users.sum::<f64>()) + EDGE
    }

    fn draw(&self, picture: &mut Picture<'_>) {
        let headings = [
            ("Documents", "spec/"),
            ("Generator", "codegen/"),
            ("Generated crates", "at the root"),
            ("Libraries and programs", "crates/ and programs/"),
        ];
        for ((x, width), (name, place)) in self.columns.into_iter().zip(headings) {
            let middle = x + width / 2.0;
            picture.text(middle, HEADING, Anchor::Middle, name);
            picture.note(middle, HEADING + LINE, Anchor::Middle, place);
        }
        let generator = self.area(MAKERS, TOP, self.bottom() - TOP);
        boxed(picture, generator, MAKERS, &self.generator);
        let places = self.draw_made(picture, generator);
        let (runtime, (x, width)) = (self.runtime(), self.columns[CRATES]);
        boxed(picture, runtime, USERS, &self.runtime);
        picture.vertical(x + width / 2.0, runtime.y, self.bottom());
        self.draw_users(picture, &places);
    }

    /// Draws what the generator reads and writes, and returns the places of the crates.
    fn draw_made(&self, picture: &mut Picture<'_>, generator: Area) -> BTreeMap<&str, Area> {
        let mut places = BTreeMap::new();
        let mut y = TOP;
        for ((krate, documents), row) in self.crates.iter().zip(self.rows()) {
            let mut at = y + (row - self.stacked(documents)) / 2.0;
            for document in documents {
                let height = self.height_of(document, DOCUMENTS);
                self.draw_read(picture, document, (at, height), generator);
                at += height + GAP;
            }
            let height = self.height_of(krate, CRATES);
            let at = y + (row - GAP - height) / 2.0;
            let place = self.draw_written(picture, krate, (at, height), generator);
            places.insert(krate.name.as_str(), place);
            y += row;
        }
        let last = (y, self.last_row() - GAP);
        if let Some(overlays) = &self.overlays {
            self.draw_read(picture, overlays, last, generator);
        }
        if let Some(bundle) = &self.bundle {
            let place = self.draw_written(picture, bundle, last, generator);
            places.insert(bundle.name.as_str(), place);
        }
        places
    }

    fn draw_read(
        &self,
        picture: &mut Picture<'_>,
        node: &Node,
        (y, height): (f64, f64),
        generator: Area,
    ) {
        let place = self.area(DOCUMENTS, y, height);
        boxed(picture, place, DOCUMENTS, node);
        let from = place.right();
        picture.arrow(from, (generator.x, from.1));
    }

    fn draw_written(
        &self,
        picture: &mut Picture<'_>,
        node: &Node,
        (y, height): (f64, f64),
        generator: Area,
    ) -> Area {
        let place = self.area(CRATES, y, height);
        boxed(picture, place, CRATES, node);
        let to = place.left();
        picture.arrow((generator.right().0, to.1), to);
        place
    }

    fn draw_users(&self, picture: &mut Picture<'_>, places: &BTreeMap<&str, Area>) {
        let mut above: Option<Area> = None;
        let mut y = TOP;
        for user in &self.users {
            let place = self.area(USERS, y, self.height_of(&user.node, USERS));
            boxed(picture, place, USERS, &user.node);
            for name in &user.of {
                if let Some(from) = places.get(name.as_str()) {
                    picture.arrow(from.right(), place.left());
                }
            }
            if let Some(above) = above.filter(|_| user.is_below) {
                let x = place.x + place.width / 2.0;
                picture.vertical(x, above.y + above.height, place.y);
            }
            y += place.height + 2.0 * GAP;
            above = Some(place);
        }
    }
}

/// Draws a node in its place.
fn boxed(picture: &mut Picture<'_>, place: Area, colour: usize, node: &Node) {
    picture.boxed(place, colour, &node.name, &node.lines(place.width));
}

/// The box of the generator, with the programs that run it.
fn generator(members: &Members) -> Node {
    let generator = members
        .in_folder(GENERATOR)
        .map(|member| member.name.as_str());
    let generator = generator.unwrap_or(GENERATOR);
    let makers = members.0.iter();
    let makers = makers
        .filter(|member| member.uses.contains(generator) && !member.folder.starts_with("tests/"));
    let makers: Vec<_> = makers.map(|member| member.name.as_str()).collect();
    Node::new(generator, format!("run by {}", makers.join(", ")))
}

/// A box for the documents of each name, with their releases.
fn documents(all: &[DocumentConfig]) -> Vec<Node> {
    let mut releases: Vec<(String, Vec<String>)> = Vec::new();
    for document in all {
        let (name, release) = (shown(&document.file), document.release.to_string());
        match releases.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.push(release),
            None => releases.push((name, vec![release])),
        }
    }
    let node = |(name, releases): (String, Vec<String>)| {
        let is_custom = all
            .iter()
            .any(|document| document.file == format!("{name}.yaml"));
        let text = match is_custom {
            true => "CustomResourceDefinitions".to_owned(),
            false => format!("Kubernetes {}", releases.join(", ")),
        };
        Node::new(name, text)
    };
    releases.into_iter().map(node).collect()
}

/// The name of a document for people: of `apis__storage.k8s.io__v1_openapi.json`,
/// `storage.k8s.io/v1`.
fn shown(file: &str) -> String {
    let name = file.rsplit_once('.').map_or(file, |(name, _)| name);
    let name = name.trim_end_matches("_openapi");
    let name = ["apis__", "api__"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name);
    name.replace("__", "/")
}

/// The libraries that use generated crates, each followed by the programs that use it, and the
/// other programs that do.
fn users(members: &Members, generated: &[&str], bundle: Option<&str>) -> Vec<User> {
    let made: Vec<_> = generated.iter().copied().chain(bundle).collect();
    let of = |member: &Member| -> Vec<String> {
        let used = made.iter().filter(|name| member.uses.contains(**name));
        used.map(|name| (*name).to_owned()).collect()
    };
    let user = |member: &Member, library: Option<&str>| {
        let of = of(member);
        let used = of.iter().map(String::as_str).chain(library);
        let text = format!("uses {}", used.collect::<Vec<_>>().join(", "));
        User {
            node: Node::new(&member.name, text),
            of,
            is_below: library.is_some(),
        }
    };
    let mut users = Vec::new();
    let mut seen = BTreeSet::new();
    for library in members
        .under("crates")
        .filter(|member| !of(member).is_empty())
    {
        users.push(user(library, None));
        for program in members.under("programs") {
            if program.uses.contains(&library.name) && seen.insert(&program.name) {
                users.push(user(program, Some(&library.name)));
            }
        }
    }
    let others = members
        .under("programs")
        .filter(|member| !of(member).is_empty());
    let others = others.filter(|member| !seen.contains(&member.name));
    users.extend(others.map(|member| user(member, None)));
    users
}
