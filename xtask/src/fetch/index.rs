//! The index of the documents that a server has.

use std::collections::BTreeMap;
use std::error::Error;

use serde::Deserialize;
use sha2::{Digest, Sha512};

use super::origin::{self, Origin};
use crate::checksum::hex;

const INDEX: &str = "/openapi/v3";

/// The documents of group-versions, by the names of their files.
pub(super) struct Index(pub(super) BTreeMap<String, Entry>);

/// A document of a group-version.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) group: String,
    /// The path on the server, with the hash.
    url: String,
}

impl Index {
    /// Asks a server what it has.
    pub(super) fn get(origin: &Origin) -> Result<Self, Box<dyn Error>> {
        let text = origin::get(origin, INDEX)?;
        Self::parse(&text).map_err(|message| {
            format!(
                "error: {INDEX} of {origin} isn't an index of OpenAPI documents: {message}\n  \
                 help: give the URL of an API server or of `kubectl proxy`; servers have the index \
                 since Kubernetes 1.24"
            )
            .into()
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Text {
            paths: BTreeMap<String, Document>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Document {
            #[serde(rename = "serverRelativeURL")]
            server_relative_url: String,
        }
        let index: Text = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut found = BTreeMap::new();
        for (path, document) in index.paths {
            let parts: Vec<&str> = path.split('/').collect();
            // Others are about several groups or versions, or no API at all.
            let group = match parts.as_slice() {
                ["api", _] => "",
                ["apis", group, _] => group,
                _ => continue,
            };
            let is_plain = |part: &&str| {
                let allowed = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
                !part.is_empty() && !part.starts_with('.') && part.chars().all(allowed)
            };
            let url = document.server_relative_url;
            if !parts.iter().all(is_plain)
                || !url.starts_with('/')
                || url.contains(char::is_whitespace)
            {
                return Err(format!(
                    "`{}` at `{}`",
                    path.escape_debug(),
                    url.escape_debug()
                ));
            }
            let entry = Entry {
                group: group.to_owned(),
                url,
            };
            found.insert(format!("{}_openapi.json", parts.join("__")), entry);
        }
        if found.is_empty() {
            return Err("it names no group-version".to_owned());
        }
        Ok(Self(found))
    }
}

impl Entry {
    /// Gets the document, which has to be the one that the index names.
    pub(super) fn get(&self, origin: &Origin) -> Result<String, Box<dyn Error>> {
        let text = origin::get(origin, &self.url)?;
        let hash = self.url.split_once("hash=").map(|(_, rest)| rest);
        let hash = hash.map(|rest| rest.split('&').next().unwrap_or(rest));
        // Servers name the SHA-512 of the text; others may name what they like.
        let is_sha512 =
            |hash: &&str| hash.len() == 128 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some(hash) = hash.filter(is_sha512) else {
            return Ok(text);
        };
        if hex(&Sha512::digest(text.as_bytes())) != hash.to_ascii_lowercase() {
            return Err(format!(
                "error: {} of {origin} is not what the index names: its hash is another\n  \
                 help: the answer is damaged, or the server has changed meanwhile; run this again",
                self.url.split('?').next().unwrap_or(&self.url)
            )
            .into());
        }
        Ok(text)
    }
}
