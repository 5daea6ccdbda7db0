//! References to variables in texts: `$(NAME)`.

/// Replaces each `$(NAME)` by the value of the variable. `$$` is one `$`, so that `$$(NAME)` is
/// `$(NAME)`. A reference without its end stays as it is.
pub(super) fn expand(text: &str, mut value: impl FnMut(&str) -> String) -> String {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        expanded.push_str(before);
        if let Some(more) = after.strip_prefix('$') {
            expanded.push('$');
            rest = more;
        } else if let Some((name, more)) = after.strip_prefix('(').and_then(|r| r.split_once(')')) {
            expanded.push_str(&value(name));
            rest = more;
        } else {
            expanded.push('$');
            rest = after;
        }
    }
    expanded.push_str(rest);
    expanded
}
