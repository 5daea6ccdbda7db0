//! The server's port: a listener that can be closed, and connections that can be broken.

use parking_lot::Mutex;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The most connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// The pause after an accept failed, as it does when the process has no more files.
const RETRY: Duration = Duration::from_millis(10);

/// A port that is either open or refuses connections.
#[derive(Debug)]
pub(crate) struct Port {
    address: SocketAddr,
    /// Keeps the port for this server while nobody listens.
    _reserved: Option<TcpSocket>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    listener: Option<TcpListener>,
    /// Cancelled when the connections that are open now have to end.
    connections: CancellationToken,
    /// The task that accepts.
    waker: Option<Waker>,
}

impl Port {
    /// Opens a free port of this host.
    pub(crate) fn open() -> io::Result<Arc<Self>> {
        let reserved = socket()?;
        reserved.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = reserved.local_addr()?;
        let (listener, reserved) = match listen(address) {
            Ok(listener) => (listener, Some(reserved)),
            // Other systems than Linux let nobody listen on a reserved port.
            Err(_) => {
                drop(reserved);
                (listen(address)?, None)
            }
        };
        Ok(Arc::new(Self {
            address,
            _reserved: reserved,
            state: Mutex::new(State {
                listener: Some(listener),
                connections: CancellationToken::new(),
                waker: None,
            }),
        }))
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Refuses new connections, and breaks those that are open.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.listener = None;
        state.connections.cancel();
        state.connections = CancellationToken::new();
    }

    /// Accepts connections again.
    pub(crate) fn reopen(&self) -> io::Result<()> {
        let mut state = self.state.lock();
        if state.listener.is_none() {
            state.listener = Some(listen(self.address)?);
            if let Some(waker) = state.waker.take() {
                waker.wake();
            }
        }
        Ok(())
    }

    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(Io, SocketAddr)>> {
        let mut state = self.state.lock();
        state.waker = Some(context.waker().clone());
        let Some(listener) = &state.listener else {
            return Poll::Pending;
        };
        let accepted = listener.poll_accept(context);
        accepted.map_ok(|(stream, from)| (Io::new(stream, state.connections.child_token()), from))
    }
}

fn socket() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    Ok(socket)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket()?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections at a port.
pub(crate) struct Acceptor(pub(crate) Arc<Port>);

impl Listener for Acceptor {
    type Io = Io;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Io, SocketAddr) {
        loop {
            match std::future::poll_fn(|context| self.0.poll_accept(context)).await {
                Ok(accepted) => return accepted,
                Err(error) => {
                    tracing::warn!(%error, "can't accept a connection");
                    tokio::time::sleep(RETRY).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.0.address)
    }
}

/// A connection that a request came from.
#[derive(Clone, Debug)]
pub(crate) struct Connection(CancellationToken);

impl Connection {
    /// Nothing more is read from it or written to it.
    pub(crate) fn break_off(&self) {
        self.0.cancel();
    }
}

impl Connected<IncomingStream<'_, Acceptor>> for Connection {
    fn connect_info(stream: IncomingStream<'_, Acceptor>) -> Self {
        stream.io().connection.clone()
    }
}

/// The stream of a connection, which fails once the connection is broken.
pub(crate) struct Io {
    stream: TcpStream,
    connection: Connection,
    broken: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Io {
    fn new(stream: TcpStream, token: CancellationToken) -> Self {
        // Only costs time if it fails.
        let _ = stream.set_nodelay(true);
        Self {
            stream,
            broken: Box::pin(token.clone().cancelled_owned()),
            connection: Connection(token),
        }
    }

    /// Fails if the connection is broken, and wakes the task when that happens.
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match self.broken.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionReset.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
