//! The table of the generated crates in README.md.

use std::error::Error;
use std::path::Path;

use codegen::Generated;

use crate::workspace;
use kubernetes_crdgen::output::{Change, Plan};

const START: &str = "<!-- The table is written by `cargo xtask codegen`. -->\n";
const END: &str = "<!-- End of the table. -->";

/// Returns the change of the workspace's README, if it has the marks of the table.
pub(crate) fn plan(root: &Path, generated: &[Generated]) -> Result<Plan, Box<dyn Error>> {
    let path = root.join("README.md");
    let mut plan = Plan {
        changes: Vec::new(),
        unchanged: 0,
    };
    if !path.is_file() {
        return Ok(plan);
    }
    let old = workspace::read(&path)?;
    let parts = old.split_once(START).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        return Ok(plan);
    };
    let text = format!("{before}{START}{}{END}{after}", table(generated));
    if text == old {
        plan.unchanged = 1;
    } else {
        plan.changes.push(Change::Replace { path, text });
    }
    Ok(plan)
}

fn table(generated: &[Generated]) -> String {
    let mut text = "\n| crate | group and version | kinds | fields of Kubernetes |\n\
                    |---|---|---|---|\n"
        .to_owned();
    for krate in generated {
        for version in &krate.group_versions {
            let (name, kinds) = (&krate.name, version.kinds.join(", "));
            let release = version.release.map_or_else(
                || "custom resources".to_owned(),
                |release| release.to_string(),
            );
            text += &format!(
                "| [`{name}`]({name}) | {} | {kinds} | {release} |\n",
                version.api_version
            );
        }
    }
    text + "\n"
}
