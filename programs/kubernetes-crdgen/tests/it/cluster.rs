//! Definitions by their names in a cluster.

use super::Folder;

#[test]
fn names_are_names_of_definitions() {
    let folder = Folder::new();
    for name in ["-", "boats.yaml/", "Boats.example.com", "boats"] {
        folder
            .run(&["--cluster", "--out", "crates", "--", name])
            .fails_with("with --cluster, give names of definitions");
    }
}

#[cfg(not(feature = "cluster"))]
#[test]
fn a_program_without_the_feature_says_so() {
    let folder = Folder::new();
    folder
        .run(&["boats.example.com", "--cluster", "--out", "crates"])
        .fails_with("`kubectl get crd boats.example.com -o yaml | kubernetes-crdgen -");
}

#[cfg(feature = "cluster")]
mod with_client {
    use std::fs;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::super::{Folder, Outcome};

    /// A definition as a server prints it, with a keyword that no release has yet.
    const DEFINITION: &str = r#"{"kind": "CustomResourceDefinition",
        "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": "oars.example.com", "uid": "1"},
        "spec": {"group": "example.com", "scope": "Cluster",
                 "names": {"kind": "Oar", "plural": "oars"},
                 "versions": [{"name": "v1", "served": true, "storage": true, "newer": 1,
                               "schema": {"openAPIV3Schema": {"type": "object"}}}]}}"#;

    /// Starts a server that has the definition, and hides others from the user. Returns its URL.
    fn server() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                // The head ends with an empty line.
                while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
                let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
                let path = first.split(' ').nth(1).unwrap().strip_prefix(path).unwrap();
                let failure = |code: u16, message: &str| {
                    let body = format!(
                        "{{\"kind\": \"Status\", \"apiVersion\": \"v1\", \"status\": \"Failure\", \
                         \"message\": \"{message}\", \"reason\": \"\", \"code\": {code}}}"
                    );
                    (code, body)
                };
                let (code, body) = match path {
                    "oars.example.com" => (200, DEFINITION.to_owned()),
                    "keels.example.com" => failure(403, "you may not"),
                    _ => failure(404, "not found"),
                };
                let length = body.len();
                write!(
                    stream,
                    "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n{body}"
                )
                .unwrap();
            }
        });
        url
    }

    /// A folder with a kubeconfig of two contexts: the current one, of a server, and one of none.
    fn folder() -> Folder {
        let folder = Folder::new();
        let config = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\n\
             clusters:\n- {{name: here, cluster: {{server: \"{}\"}}}}\n\
             - {{name: gone, cluster: {{server: \"http://127.0.0.1:1\"}}}}\n\
             users:\n- {{name: me, user: {{}}}}\n\
             contexts:\n- {{name: here, context: {{cluster: here, user: me}}}}\n\
             - {{name: gone, context: {{cluster: gone, user: me}}}}\n",
            server()
        );
        fs::write(folder.path("config"), config).unwrap();
        folder
    }

    fn run(folder: &Folder, config: &str, arguments: &[&str]) -> Outcome {
        let config = folder.path(config).display().to_string();
        let fixed = ["--out", "crates", "--parts", "definition"];
        let arguments = [arguments, &fixed].concat();
        folder.run_with(&arguments, "", &[("KUBECONFIG", &config)])
    }

    #[test]
    fn a_definition_comes_from_a_cluster() {
        let folder = folder();
        for option in ["--cluster", "--cluster=here"] {
            let outcome = run(&folder, "config", &[option, "oars.example.com"]);
            assert!(outcome.succeeded, "{}", outcome.errors);
            let types = folder.read("crates/example-com-v1/src/oar.rs");
            assert!(
                types.contains("from v1.37/oars.example.com.json"),
                "{types}"
            );
            // Nothing of it is lost on the way.
            let definition = folder.read("crates/example-com-v1/src/definition.rs");
            assert!(definition.contains(r#"\"newer\":1"#), "{definition}");
            assert!(!definition.contains("uid"), "{definition}");
        }
    }

    #[test]
    fn what_keeps_a_definition_away_is_said() {
        let folder = folder();
        let oars = "oars.example.com";
        for (config, arguments, message) in [
            ("config", ["--cluster", "keels.example.com"], "you may not"),
            (
                "config",
                ["--cluster", "sails.example.com"],
                "CustomResourceDefinition sails.example.com of http://127.0.0.1",
            ),
            ("config", ["--cluster=there", oars], "there"),
            (
                "config",
                ["--cluster=gone", oars],
                "is the server of the context there?",
            ),
            (
                "nothing",
                ["--cluster", oars],
                "the kubeconfig is the file that KUBECONFIG names",
            ),
        ] {
            run(&folder, config, &arguments).fails_with(message);
            assert!(!folder.path("crates").exists());
        }
    }
}
