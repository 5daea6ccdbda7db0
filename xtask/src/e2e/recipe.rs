//! The programs and versions of the control plane, from go.mod.

use std::error::Error;

/// The module whose version is the release of Kubernetes.
const KUBERNETES: &str = "k8s.io/kubernetes";

/// The package in which Kubernetes' programs look for their version; the build system sets it.
const VERSION: &str = "k8s.io/component-base/version";

/// The programs to build.
#[derive(Debug, PartialEq)]
pub(super) struct Recipe {
    /// The go.mod, as errors name it.
    pub(super) file: String,
    /// The release of Kubernetes, as in `v1.36.3`.
    pub(super) version: String,
    /// The version of Go that the modules ask for, as in `1.26.0`.
    pub(super) go: String,
    /// The packages of the programs.
    pub(super) tools: Vec<String>,
    /// The folders of the packages that are beside the go.mod.
    pub(super) own: Vec<String>,
}

impl Recipe {
    /// Reads the text of a go.mod.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, Box<dyn Error>> {
        let mut version = None;
        let mut go = None;
        let mut module = None;
        let mut tools = Vec::new();
        for directive in directives(text) {
            match directive[..] {
                ["require", KUBERNETES, at] => version = Some(at.to_owned()),
                ["go", at] => go = Some(at.to_owned()),
                ["module", path] => module = Some(path),
                ["tool", package] => tools.push(package.to_owned()),
                _ => {}
            }
        }
        match (version, go) {
            (Some(version), Some(go)) if !tools.is_empty() => Ok(Self {
                file: file.to_owned(),
                version,
                go,
                own: own(module, &tools),
                tools,
            }),
            _ => Err(format!("error: {file} lacks `require {KUBERNETES}`, `go` or `tool`").into()),
        }
    }

    /// The flags of the linker: no symbols, and the version that the programs print.
    pub(super) fn linker_flags(&self) -> Result<String, Box<dyn Error>> {
        let mut parts = self.version.trim_start_matches('v').split('.');
        let (Some(major), Some(minor)) = (parts.next(), parts.next()) else {
            return Err(format!(
                "error: {}: {KUBERNETES} has no release: {}",
                self.file, self.version
            )
            .into());
        };
        let values = [
            ("gitVersion", self.version.as_str()),
            ("gitMajor", major),
            ("gitMinor", minor),
        ];
        let flags: String = values
            .iter()
            .map(|(name, value)| format!(" -X {VERSION}.{name}={value}"))
            .collect();
        Ok(format!("-s -w{flags}"))
    }

    /// The names of the programs, as envtest knows them.
    pub(super) fn programs(&self) -> Vec<&str> {
        self.tools.iter().map(|package| program(package)).collect()
    }
}

/// The name under which envtest knows the program of a package.
pub(super) fn program(package: &str) -> &str {
    if package.starts_with("go.etcd.io/etcd/server/") {
        return "etcd";
    }
    package.rsplit('/').next().unwrap_or(package)
}

/// The folders of those packages that belong to the module itself.
fn own(module: Option<&str>, tools: &[String]) -> Vec<String> {
    let inside = |package: &String| {
        let path = package.strip_prefix(module?)?.strip_prefix('/')?;
        Some(path.to_owned())
    };
    tools.iter().filter_map(inside).collect()
}

/// The directives of a go.mod as words, each line of a block with the block's name before it.
fn directives(text: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<_> = line.split_whitespace().collect();
        match (block, &words[..]) {
            (_, []) => {}
            (_, [")"]) => block = None,
            (None, [name, "("]) => block = Some(*name),
            (None, words) => found.push(words.to_vec()),
            (Some(name), words) => found.push([&[name], words].concat()),
        }
    }
    found
}
