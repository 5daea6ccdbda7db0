//! A small HTTP server that answers as an API server does, or wrongly.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use sha2::{Digest, Sha512};

/// A fault of the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The connection ends in the middle of the last document.
    Truncated,
    /// The last document is another than the index says.
    Other,
    /// The last document is no JSON, as the index says.
    NoJson,
    /// The last document isn't there.
    NotFound,
    /// Nothing may be read.
    Forbidden,
    /// The index is no JSON.
    NoIndex,
    /// The index leads out of the folder.
    Outside,
}

/// A server of the documents of a folder, until the test ends.
pub(crate) struct Server {
    pub(crate) url: String,
}

impl Server {
    /// Serves the documents of a folder, `apis__GROUP__VERSION_openapi.json`.
    pub(crate) fn of(folder: &Path, version: &str, fault: Fault) -> Self {
        let mut answers = BTreeMap::new();
        answers.insert(
            "/version".to_owned(),
            format!("{{\"gitVersion\": \"{version}\"}}"),
        );
        let mut index = serde_json::Map::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(name) = name.strip_suffix("_openapi.json") else {
                continue;
            };
            let text = fs::read_to_string(&path).unwrap();
            add(&mut index, &mut answers, &name.replace("__", "/"), text);
        }
        // Documents of the server beside those of group-versions.
        add(&mut index, &mut answers, "version", "{}".to_owned());
        match fault {
            Fault::NoJson => add(
                &mut index,
                &mut answers,
                "apis/z.example.com/v1",
                "{".to_owned(),
            ),
            Fault::Outside => add(&mut index, &mut answers, "apis/../v1", "{}".to_owned()),
            _ => {}
        }
        let paths = serde_json::json!({ "paths": index }).to_string();
        let paths = if fault == Fault::NoIndex {
            "<html>".to_owned()
        } else {
            paths
        };
        answers.insert("/openapi/v3".to_owned(), paths);
        let last = answers
            .keys()
            .rfind(|path| path.contains("/apis/"))
            .unwrap()
            .clone();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let _ = stream.map(|stream| answer(stream, &answers, (fault, &last)));
            }
        });
        Self { url }
    }
}

fn add(
    index: &mut serde_json::Map<String, serde_json::Value>,
    answers: &mut BTreeMap<String, String>,
    path: &str,
    text: String,
) {
    let hash: String = Sha512::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    let url = format!("/openapi/v3/{path}?hash={hash}");
    index.insert(
        path.to_owned(),
        serde_json::json!({"serverRelativeURL": url}),
    );
    answers.insert(format!("/openapi/v3/{path}"), text);
}

fn answer(
    mut stream: TcpStream,
    answers: &BTreeMap<String, String>,
    (fault, last): (Fault, &str),
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.split('?').next()?.to_owned();
    while line.trim() != "" {
        line.clear();
        reader.read_line(&mut line).ok()?;
    }
    let found = answers.get(&path).map(String::as_str);
    let is_last = path == last;
    let (status, body) = match (fault, found) {
        (Fault::Forbidden, _) => ("403 Forbidden", "you may not"),
        (Fault::NotFound, _) if is_last => ("404 Not Found", "no such page"),
        (Fault::Other, _) if is_last => ("200 OK", "{\"openapi\": \"3.0.0\", \"paths\": {}}"),
        (_, Some(text)) => ("200 OK", text),
        (_, None) => ("404 Not Found", "no such page"),
    };
    let length = body.len();
    let body = match fault {
        Fault::Truncated if is_last => &body[..length / 2],
        _ => body,
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body.as_bytes()).ok()
}
