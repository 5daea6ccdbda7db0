//! The figures of a run, as the benchmark writes them.

use std::error::Error;
use std::path::Path;

use serde::Deserialize;

use crate::workspace;

/// All figures of a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figures {
    pub(super) charts: Vec<Chart>,
}

/// Ratios to the same peer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chart {
    /// The name of the picture.
    pub(super) name: String,
    /// The heading, with what a ratio says.
    pub(super) title: String,
    /// What has the ratio 1.
    pub(super) peer: String,
    /// What is measured of each row.
    pub(super) series: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// The ratios of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) name: String,
    /// A ratio for each series; `null` where it wasn't measured.
    pub(super) ratios: Vec<Option<f64>>,
}

impl Figures {
    /// Reads the figures that a run has written.
    pub(super) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let wrong = |what: &str| {
            let help = "run `cargo xtask bench --plot`, which measures anew";
            format!("error: {}: {what}\n  help: {help}", path.display())
        };
        let figures: Self = serde_json::from_str(&workspace::read(path)?)
            .map_err(|e| wrong(&format!("not the figures of a benchmark: {e}")))?;
        for chart in &figures.charts {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-';
            if chart.name.is_empty() || !chart.name.chars().all(is_name) {
                let name = chart.name.escape_debug();
                return Err(wrong(&format!("`{name}` can't be the name of a picture")).into());
            }
            for Row { name, ratios } in &chart.rows {
                let name = name.escape_debug();
                if ratios.len() != chart.series.len() {
                    let (has, wants) = (ratios.len(), chart.series.len());
                    return Err(wrong(&format!("`{name}` has {has} ratios, not {wants}")).into());
                }
                if let Some(ratio) = ratios.iter().flatten().find(|ratio| **ratio < 0.0) {
                    return Err(wrong(&format!("`{name}` has the ratio {ratio}")).into());
                }
            }
        }
        Ok(figures)
    }
}
