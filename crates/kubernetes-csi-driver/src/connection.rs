//! Connections of all kinds of sockets as one type, so that the server of gRPC is compiled once.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_util::either::Either;
use tonic::transport::server::Connected;

/// A connection of a client.
pub(crate) struct Connection(Either<UnixStream, TcpStream>);

/// The connections of clients, as they come.
pub(crate) type Incoming = BoxStream<'static, io::Result<Connection>>;

/// Returns the connections to a socket of a file or a name.
pub(crate) fn unix(listener: UnixListener) -> Incoming {
    let streams = UnixListenerStream::new(listener);
    streams
        .map_ok(|stream| Connection(Either::Left(stream)))
        .boxed()
}

/// Returns the connections to an address.
pub(crate) fn tcp(listener: TcpListener) -> Incoming {
    let streams = TcpListenerStream::new(listener);
    streams
        .map_ok(|stream| Connection(Either::Right(stream)))
        .boxed()
}

impl Connected for Connection {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        pin!(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        pin!(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        pin!(&mut self.0).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        pin!(&mut self.0).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }
}
