//! The table of volumes.

use std::path::PathBuf;

use kubernetes_volume::metrics::Metrics;

/// A volume that is mounted.
pub(crate) struct Row {
    pub(crate) pod: String,
    pub(crate) volume: String,
    pub(crate) plugin: String,
    /// It is empty if the volume is an image.
    pub(crate) path: PathBuf,
    /// `None` if the volume has no metrics.
    pub(crate) metrics: Option<Metrics>,
}

/// Prints the volumes, one a line.
pub(crate) fn print(rows: &[Row]) {
    const HEAD: [&str; 8] = [
        "POD",
        "VOLUME",
        "PLUGIN",
        "USED",
        "AVAILABLE",
        "CAPACITY",
        "INODES",
        "PATH",
    ];
    if rows.is_empty() {
        return;
    }
    let mut lines = vec![HEAD.map(str::to_owned)];
    lines.extend(rows.iter().map(cells));
    let width = |column: usize| {
        lines
            .iter()
            .filter_map(|line| line.get(column))
            .map(String::len)
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    for line in &lines {
        let cells = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        println!("{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

fn cells(row: &Row) -> [String; 8] {
    let metrics = row.metrics.as_ref();
    let size = |of: fn(&Metrics) -> Option<u64>| metrics.and_then(of).map_or_else(dash, bytes);
    [
        row.pod.clone(),
        row.volume.clone(),
        row.plugin.clone(),
        size(|metrics| metrics.used),
        size(|metrics| metrics.available),
        size(|metrics| metrics.capacity),
        metrics
            .and_then(|metrics| metrics.inodes_used)
            .map_or_else(dash, |used| used.to_string()),
        if row.path.as_os_str().is_empty() {
            dash()
        } else {
            row.path.display().to_string()
        },
    ]
}

fn dash() -> String {
    "-".to_owned()
}

/// Writes bytes with a binary unit, whole numbers as quantities are written.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut found = bytes.to_string();
    for (power, unit) in (1_u32..).zip(UNITS) {
        let size = 1_u64 << (10 * power);
        if bytes < size {
            break;
        }
        let tenths = u128::from(bytes) * 10 / u128::from(size);
        found = match tenths % 10 {
            0 => format!("{}{unit}", tenths / 10),
            tenth => format!("{}.{tenth}{unit}", tenths / 10),
        };
    }
    found
}
