//! Answers that a server compresses.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures::future::try_join_all;
use futures::{StreamExt, join};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::runtime::watcher::Config;
use kube::{Client, client};
use kubernetes_kinds::WithMetadata;
use kubernetes_protobuf::{Api, watcher};
use serde_json::json;
use storage_v1::StorageClass;
use tokio::net::TcpListener;

use super::{PROTOBUF, class, next};
use crate::cluster::server::run;

/// The format and the compression of an answer.
type Form = (String, String);

/// A server between a client and kube-apiserver, which sees answers as they are sent.
struct Wire {
    /// A client of this server, with kube's defaults.
    client: Client,
    forms: Arc<Mutex<Vec<Form>>>,
}

impl Wire {
    async fn start(server: Client) -> Self {
        let forms = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new()
            .fallback(forward)
            .with_state((server, Arc::clone(&forms)));
        tokio::spawn(async { axum::serve(listener, router).await });
        let config = kube::Config::new(url.parse().unwrap());
        let client = Client::try_from(config).unwrap();
        Self { client, forms }
    }

    fn take(&self) -> Vec<Form> {
        std::mem::take(&mut *self.forms.lock().unwrap())
    }
}

async fn forward(
    State((server, forms)): State<(Client, Arc<Mutex<Vec<Form>>>)>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let request = Request::from_parts(head, client::Body::from(body));
    let answer = server.send(request).await.unwrap();
    let header = |name: HeaderName| {
        let value = answer.headers().get(name);
        value.map_or("", |value| value.to_str().unwrap()).to_owned()
    };
    let form = (header(CONTENT_TYPE), header(CONTENT_ENCODING));
    forms.lock().unwrap().push(form);
    answer.map(Body::new)
}

#[test]
#[ignore = "needs a control plane: run cargo xtask e2e"]
fn compressed_answers_are_those_of_json() {
    run(async |server| {
        let wire = Wire::start(server.client.clone()).await;
        let classes: Api<StorageClass> = Api::all(wire.client.clone());
        // Servers compress answers of more than 128 KiB.
        let large: Vec<_> = (0..30)
            .map(|index| {
                class(&format!("pb-large-{index}"))
                    .with_label("large", "yes")
                    .with_annotation("text", "0123456789".repeat(500))
            })
            .collect();
        let params = PostParams::default();
        let created = large.iter().map(|class| classes.create(&params, class));
        try_join_all(created).await.unwrap();
        let small = (PROTOBUF.to_owned(), String::new());
        assert_eq!(wire.take(), vec![small; large.len()]);

        let selected = ListParams::default().labels("large=yes");
        let list = classes.list(&selected).await.unwrap();
        assert_eq!(list.items.len(), large.len());
        let in_json = classes.as_kube().list(&selected).await.unwrap();
        assert_eq!(list.items, in_json.items);
        let forms = [PROTOBUF, "application/json"].map(compressed);
        assert_eq!(wire.take(), forms);

        let config = Config::default().labels("large=yes");
        for (round, config) in [config.clone(), config.streaming_lists()]
            .iter()
            .enumerate()
        {
            let mut events = watcher(classes.clone(), config.clone()).boxed();
            let in_json = kube::runtime::watcher(classes.as_kube().clone(), config.clone());
            let count = large.len() + 2;
            let initial = next(&mut events, count).await;
            assert_eq!(initial, next(&mut in_json.boxed(), count).await);
            let change =
                Patch::Merge(json!({"metadata": {"labels": {"round": round.to_string()}}}));
            for name in ["pb-large-0", "pb-large-1"] {
                let manager = PatchParams::default();
                let change = classes.patch(name, &manager, &change);
                let (changed, event) = join!(change, next(&mut events, 1));
                assert_eq!(event, [format!("Ok(Apply({:?}))", changed.unwrap())]);
            }
        }
        assert!(wire.take().contains(&compressed(PROTOBUF)));
    });
}

fn compressed(format: &str) -> Form {
    (format.to_owned(), "gzip".to_owned())
}
