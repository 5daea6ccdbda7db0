//! The Rust examples of a README, as programs.

/// Returns a program for each Rust example, as rustdoc would make it.
pub(super) fn of(readme: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<Vec<&str>> = None;
    let mut is_rust = false;
    for line in readme.lines() {
        match (line.trim_start().strip_prefix("```"), &mut block) {
            (Some(language), None) => {
                is_rust = is_compiled(language);
                block = Some(Vec::new());
            }
            (Some(_), Some(lines)) => {
                if is_rust {
                    found.push(program(lines));
                }
                block = None;
            }
            (None, Some(lines)) => lines.push(shown(line)),
            (None, None) => {}
        }
    }
    found
}

/// Returns true if rustdoc compiles a block of this language, and expects that to succeed.
fn is_compiled(language: &str) -> bool {
    let mut words = language.split(',').map(str::trim);
    words.all(|word| matches!(word, "" | "rust" | "no_run" | "should_panic"))
}

/// Removes the mark of a line that rustdoc hides.
fn shown(line: &str) -> &str {
    match line.trim_start() {
        "#" => "",
        hidden => hidden.strip_prefix("# ").unwrap_or(line),
    }
}

fn program(lines: &[&str]) -> String {
    if lines.iter().any(|line| line.contains("fn main(")) {
        return lines.join("\n");
    }
    let (attributes, code): (Vec<&str>, Vec<&str>) = lines
        .iter()
        .copied()
        .partition(|line| line.starts_with("#!["));
    let (attributes, code) = (attributes.join("\n"), code.join("\n"));
    // As for rustdoc, such a last expression means that errors are returned.
    if code.trim_end().ends_with("(())") {
        return format!(
            "{attributes}\nfn main() {{\n    fn example() -> Result<(), impl std::fmt::Debug> {{\n\
             {code}\n}}\n    example().unwrap();\n}}\n"
        );
    }
    format!("{attributes}\nfn main() {{\n{code}\n}}\n")
}
