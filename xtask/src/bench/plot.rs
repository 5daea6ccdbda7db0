//! Bars of ratios.

use super::figures::{Chart, Row};
use crate::drawing::{Anchor, Area, MARGIN, NORMAL, Picture, SCHEMES, SMALL, width};

/// The width of the longest bar, and the space for its figure.
const LONGEST: f64 = 420.0;
const FIGURE: f64 = 60.0;

/// The height of a bar with the space below it, and the space between kinds.
const BAR: f64 = 15.0;
const SPACE: f64 = 4.0;
const GAP: f64 = 14.0;

/// The end of the title and of the legend.
const TOP: f64 = 76.0;

/// Returns the names and the texts of the pictures of a chart.
pub(super) fn files(chart: &Chart) -> impl Iterator<Item = (String, String)> {
    SCHEMES.iter().map(|scheme| {
        let size = Size::of(chart);
        let mut picture = Picture::new(scheme, size.width, size.height, &chart.title);
        draw(chart, &size, &mut picture);
        let name = format!("{}-{}.svg", chart.name, scheme.name);
        let text = picture.finish("Drawn by `cargo xtask bench`.");
        (name, text)
    })
}

struct Size {
    /// The left end of the bars.
    left: f64,
    /// The length of a bar of the ratio 1.
    one: f64,
    width: f64,
    height: f64,
}

impl Size {
    fn of(chart: &Chart) -> Self {
        let names = chart.rows.iter().map(|row| width(&row.name, NORMAL));
        let left = names.fold(0.0, f64::max) + 2.0 * MARGIN;
        let ratios = chart
            .rows
            .iter()
            .flat_map(|row| row.ratios.iter().flatten());
        let one = LONGEST / ratios.copied().fold(1.0, f64::max);
        let legend: f64 = chart.series.iter().map(|name| legend(name)).sum();
        let head = width(&chart.title, NORMAL).max(legend) + 2.0 * MARGIN;
        let foot = left + one + width(&chart.peer, SMALL) / 2.0 + MARGIN;
        let rows = chart.rows.len() as f64;
        Self {
            left,
            one,
            width: head.max(foot).max(left + LONGEST + FIGURE),
            height: TOP + rows * group(chart) + 2.0 * GAP,
        }
    }
}

/// The width of a name in the legend, with its square.
fn legend(name: &str) -> f64 {
    width(name, SMALL) + BAR + SPACE + 2.0 * MARGIN
}

/// The height of the bars of a kind, with the space below them.
fn group(chart: &Chart) -> f64 {
    chart.series.len() as f64 * BAR + GAP
}

fn draw(chart: &Chart, size: &Size, picture: &mut Picture<'_>) {
    picture.text(MARGIN, 26.0, Anchor::Start, &chart.title);
    let mut x = MARGIN;
    for (index, name) in chart.series.iter().enumerate() {
        let side = BAR - SPACE;
        let square = Area {
            x,
            y: 42.0,
            width: side,
            height: side,
        };
        picture.bar(square, index);
        picture.note(x + BAR + SPACE, 52.0, Anchor::Start, name);
        x += legend(name);
    }
    let x = size.left + size.one;
    let bottom = TOP + chart.rows.len() as f64 * group(chart);
    picture.line((x, TOP - GAP / 2.0), (x, bottom), true);
    picture.note(x, bottom + GAP, Anchor::Middle, &chart.peer);
    let mut y = TOP;
    for row in &chart.rows {
        bars(row, size, y, picture);
        let middle = y + (group(chart) - GAP) / 2.0 + NORMAL / 3.0;
        picture.text(size.left - MARGIN, middle, Anchor::End, &row.name);
        y += group(chart);
    }
}

fn bars(row: &Row, size: &Size, y: f64, picture: &mut Picture<'_>) {
    for (index, ratio) in row.ratios.iter().enumerate() {
        let y = y + index as f64 * BAR;
        let Some(ratio) = ratio else {
            picture.note(size.left + SPACE, y + SMALL - 1.0, Anchor::Start, "–");
            continue;
        };
        let bar = Area {
            x: size.left,
            y,
            width: ratio * size.one,
            height: BAR - SPACE,
        };
        picture.bar(bar, index);
        let end = bar.x + bar.width + SPACE;
        picture.note_above(end, y + SMALL - 2.0, &format!("{ratio:.2}"));
    }
}
