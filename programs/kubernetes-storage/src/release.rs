//! Releases of Kubernetes in arguments.

use kubernetes_kinds::Release;

/// Parses `1.36`, `v1.36` or `1.36.2`.
///
/// # Errors
///
/// When it is something else, or a release newer than the rules.
pub(crate) fn release(text: &str) -> Result<Release, String> {
    let newest = storage_all::KUBERNETES;
    let numbers: Option<Vec<u16>> = text
        .strip_prefix('v')
        .unwrap_or(text)
        .split('.')
        .map(|number| number.parse().ok())
        .collect();
    let release = match numbers.as_deref() {
        Some([major, minor] | [major, minor, _]) => Release::new(*major, *minor),
        _ => return Err(format!("expected a release such as {newest}")),
    };
    if release.major != 1 || release > newest {
        return Err(format!("unsupported release; the newest is {newest}"));
    }
    Ok(release)
}
