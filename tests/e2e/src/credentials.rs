//! The credentials of the server and of its clients.

use std::fs;
use std::path::{Path, PathBuf};

use http::Uri;
use kube::Config;
use serde_json::json;

use crate::Error;

/// The certificate and key of one control plane, and the token of its administrator, as files in
/// its folder. The key signs the tokens of service accounts too.
pub(crate) struct Credentials {
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) public_key: PathBuf,
    pub(crate) tokens: PathBuf,
    token: String,
    /// The certificate in DER, which is all that a client has to trust.
    trusted: Vec<u8>,
}

impl Credentials {
    /// Makes new ones.
    pub(crate) fn make(folder: &Path) -> Result<Self, Error> {
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let made = rcgen::generate_simple_self_signed(names)
            .map_err(|e| Error::because("make a certificate", &e))?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|e| Error::because("make a token", &e))?;
        let token = format!("{:032x}", u128::from_ne_bytes(random));
        let file = |name: &str, text: String| {
            let path = folder.join(name);
            let written = fs::write(&path, text);
            written.map_err(|e| Error::because(&format!("write {}", path.display()), &e))?;
            Ok(path)
        };
        Ok(Self {
            certificate: file("server.crt", made.cert.pem())?,
            key: file("server.key", made.signing_key.serialize_pem())?,
            public_key: file("server.pub", made.signing_key.public_key_pem())?,
            tokens: file(
                "tokens.csv",
                format!("{token},admin,admin,system:masters\n"),
            )?,
            trusted: made.cert.der().to_vec(),
            token,
        })
    }

    /// Returns the configuration of kube's client for the administrator.
    pub(crate) fn config(&self, url: &str) -> Result<Config, Error> {
        let url: Uri = url
            .parse()
            .map_err(|e| Error::because("use the server's address", &e))?;
        let mut config = Config::new(url);
        config.root_cert = Some(vec![self.trusted.clone()]);
        config.auth_info.token = Some(self.token.clone().into());
        // Whether kube can compress depends on what else is built, and tests measure time.
        config.disable_compression = true;
        Ok(config)
    }

    /// The same as a kubeconfig.
    pub(crate) fn kubeconfig(&self, url: &str) -> String {
        let cluster = json!({"server": url, "certificate-authority": self.certificate});
        let context = json!({"cluster": "e2e", "user": "admin"});
        let text = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "e2e", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self.token}}],
            "contexts": [{"name": "e2e", "context": context}],
            "current-context": "e2e",
        });
        format!("{text:#}\n")
    }
}
