//! Random trust bundles of random Pods.

use std::sync::OnceLock;

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use serde_json::{Value, json};

use super::random::{Maker, USERS};

/// The collection of the bundles.
pub(crate) const COLLECTION: &str = "/apis/certificates.k8s.io/v1/clustertrustbundles";

/// The prefix of the names of bundles that a signer has.
pub(crate) const SIGNED: &str = "example.com:";

/// The certificates of authorities in PEM, which are others in each run.
fn authorities() -> &'static [String] {
    static MADE: OnceLock<Vec<String>> = OnceLock::new();
    MADE.get_or_init(|| {
        let made = (0..6).map(|_| {
            let mut params = CertificateParams::default();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            let key = KeyPair::generate().unwrap();
            params.self_signed(&key).unwrap().pem()
        });
        made.collect()
    })
}

impl Maker<'_> {
    /// A source of a projected volume: one bundle, or those of a signer.
    pub(crate) fn trust_bundle(&mut self, number: usize) -> Value {
        let mut source = if self.chance(30) {
            let name = format!("{}-bundle-{number}", self.name);
            let object = |maker: &mut Self| maker.bundle(&name, "", json!({}));
            self.decide(object);
            json!({"name": name})
        } else {
            let signer = format!("{}-{number}", self.name);
            for bundle in ["a", "b", "c"] {
                let name = format!("{SIGNED}{signer}:{bundle}");
                let signer = format!("example.com/{signer}");
                let tier = self.pick(&["gold", "iron"]);
                self.decide(|maker| maker.bundle(&name, &signer, json!({"tier": tier})));
            }
            let mut source = json!({"signerName": format!("example.com/{signer}")});
            let selector = self.pick(&[
                json!({}),
                json!({"matchLabels": {"tier": "gold"}}),
                json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]}),
                json!({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}),
            ]);
            self.maybe(&mut source, 90, "labelSelector", selector);
            source
        };
        source["path"] = self.path().into();
        self.maybe(&mut source, 60, "optional", true);
        let user = self.pick(&USERS);
        self.maybe(&mut source, 20, "user", user);
        json!({"clusterTrustBundle": source})
    }

    fn bundle(&mut self, name: &str, signer: &str, labels: Value) -> Value {
        let mut text = String::new();
        let all = authorities();
        let (first, count) = (self.rng.usize(..all.len()), self.rng.usize(1..4));
        for certificate in all.iter().cycle().skip(first).take(count) {
            text.push_str(self.pick(&["", "# an authority\n", "\n\n", "Subject: CN=x\n"]));
            let windows = certificate.replace('\n', "\r\n");
            text.push_str(if self.chance(20) {
                &windows
            } else {
                certificate
            });
        }
        json!({
            "apiVersion": "certificates.k8s.io/v1", "kind": "ClusterTrustBundle",
            "metadata": {"name": name, "labels": labels},
            "spec": {"signerName": signer, "trustBundle": text},
        })
    }
}

/// A text of certificates with these in the order of their data: a kubelet shuffles them.
pub(crate) fn sorted(text: &str) -> String {
    let mut blocks: Vec<_> = text
        .split_inclusive("-----END CERTIFICATE-----\n")
        .collect();
    blocks.sort_unstable();
    blocks.concat()
}
