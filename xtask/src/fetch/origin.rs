//! The origins of documents, and the programs that fetch from them.
//!
//! `kubectl` knows how to reach and to log in to clusters, and `curl` has TLS, proxies and
//! certificates: neither costs this program a dependency, which everybody who generates code would
//! compile.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// The longest answer that is read; Kubernetes' own documents stay below 3 MB.
const MAX_BYTES: usize = 64 << 20;

/// The time limit of one answer, in seconds.
const MAX_SECONDS: u32 = 120;

/// The origin of documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A folder.
    Folder(PathBuf),
    /// An API server, or what serves the same paths, such as `kubectl proxy`.
    Url(String),
    /// A cluster of the kubeconfig, in its current or the named context.
    Cluster(Option<String>),
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.starts_with("http://") || text.starts_with("https://") {
            let url = text.trim_end_matches('/').trim_end_matches("/openapi/v3");
            return Ok(Self::Url(url.to_owned()));
        }
        match text.split_once(':') {
            _ if Path::new(text).is_dir() => Ok(Self::Folder(text.into())),
            None if text == "cluster" => Ok(Self::Cluster(None)),
            Some(("cluster", context)) if !context.is_empty() => {
                Ok(Self::Cluster(Some(context.to_owned())))
            }
            _ => Err(format!(
                "`{text}` is neither a folder, nor a URL with http:// or https://, nor `cluster` \
                 or `cluster:CONTEXT`"
            )),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.display().fmt(f),
            Self::Url(url) => f.write_str(url),
            Self::Cluster(None) => f.write_str("cluster"),
            Self::Cluster(Some(context)) => write!(f, "cluster:{context}"),
        }
    }
}

/// Gets what a server has at a path.
pub(super) fn get(origin: &Origin, path: &str) -> Result<String, Box<dyn Error>> {
    let bytes = match origin {
        Origin::Url(url) => from_url(&format!("{url}{path}"))?,
        Origin::Cluster(context) => from_cluster(context.as_deref(), path)?,
        Origin::Folder(folder) => {
            return Err(format!("error: {} isn't a server", folder.display()).into());
        }
    };
    if bytes.len() > MAX_BYTES {
        return Err(format!(
            "error: {path} of {origin} has {} MiB; the limit is {} MiB",
            bytes.len() >> 20,
            MAX_BYTES >> 20
        )
        .into());
    }
    String::from_utf8(bytes).map_err(|_| format!("error: {path} of {origin} is not UTF-8").into())
}

fn from_url(url: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut command = Command::new("curl");
    // The first option keeps settings of the user out.
    command.args(["--disable", "--silent", "--show-error", "--globoff"]);
    command.args(["--location", "--max-redirs", "5", "--proto", "=http,https"]);
    command.args([
        "--connect-timeout",
        "10",
        "--max-time",
        &MAX_SECONDS.to_string(),
    ]);
    command.args(["--max-filesize", &MAX_BYTES.to_string()]);
    command.args([
        "--header",
        "Accept: application/json",
        "--write-out",
        "\n%{http_code}",
    ]);
    command.args(["--url", url]);
    let mut answer = run(command, url)?;
    let status = answer
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map(|at| answer.split_off(at));
    let status = String::from_utf8_lossy(&status.unwrap_or_default())
        .trim()
        .to_owned();
    if status != "200" {
        let body = String::from_utf8_lossy(&answer)
            .trim()
            .chars()
            .take(200)
            .collect::<String>();
        let help = match status.as_str() {
            "401" | "403" => {
                "use `cluster`, which logs in as the kubeconfig says, or the URL of `kubectl proxy`"
            }
            _ => "give the URL of an API server or of `kubectl proxy`",
        };
        return Err(format!("error: {url} answers with {status}: {body}\n  help: {help}").into());
    }
    Ok(answer)
}

fn from_cluster(context: Option<&str>, path: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut command = Command::new("kubectl");
    command.args(context.map(|context| format!("--context={context}")));
    command.arg(format!("--request-timeout={MAX_SECONDS}s"));
    command.args(["get", "--raw", path]);
    run(command, path)
}

/// Runs a program that prints what it gets.
fn run(mut command: Command, what: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        format!("error: can't run {program}: {error}\n  help: install {program}")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    let message = match message.trim() {
        "" => output.status.to_string(),
        message => message.to_owned(),
    };
    Err(format!("error: can't get {what}\n  {program}: {message}").into())
}
