//! Channels to servers in the same process.

use std::io;

use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint, Server, Uri};

/// The size of the buffer of a connection, in bytes.
const BUFFER: usize = 64 << 10;

/// Serves services in this process, without a socket, and returns a channel to them.
///
/// Calls go through HTTP/2 as at a socket, so that limits, cancelled calls and panics behave as
/// there. The server ends with the last clone of the channel.
///
/// # Panics
///
/// When it is called outside of a runtime of tokio.
pub fn in_process(routes: Routes) -> Channel {
    let (connect, connections) = mpsc::unbounded_channel::<DuplexStream>();
    let connections = UnboundedReceiverStream::new(connections).map(Ok::<_, io::Error>);
    tokio::spawn(
        Server::builder()
            .add_routes(routes)
            .serve_with_incoming(connections),
    );
    let connector = tower::service_fn(move |_: Uri| {
        let (own, other) = tokio::io::duplex(BUFFER);
        let ended = |_| io::Error::new(io::ErrorKind::ConnectionRefused, "the server has ended");
        let connected = connect.send(other).map_err(ended);
        async move { connected.map(|()| TokioIo::new(own)) }
    });
    Endpoint::from_static("http://in-process").connect_with_connector_lazy(connector)
}
