//! Calls by their names, whose messages are bytes.

use std::time::Duration;

use prost::Message;
use prost::bytes::{Buf, BufMut};
use prost_reflect::MethodDescriptor;
use tokio::time::timeout;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::random::specification;

/// A call with its request.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The path: `/csi.v1.Controller/CreateVolume`.
    pub(crate) path: String,
    pub(crate) request: Vec<u8>,
    pub(crate) timeout: Option<Duration>,
}

impl Call {
    /// Returns a call of CSI: `Controller/CreateVolume`.
    pub(crate) fn of(name: &str, request: &impl Message) -> Self {
        Self {
            path: format!("/csi.v1.{name}"),
            request: request.encode_to_vec(),
            timeout: None,
        }
    }

    /// Sends it, and returns all messages of the answer.
    pub(crate) async fn send(&self, channel: &Channel) -> Result<Vec<Vec<u8>>, Status> {
        let answer = timeout(Duration::from_secs(60), self.answer(channel));
        answer.await.expect("the call isn't answered")
    }

    async fn answer(&self, channel: &Channel) -> Result<Vec<Vec<u8>>, Status> {
        let mut grpc = tonic::client::Grpc::new(channel.clone());
        let failed = |error: tonic::transport::Error| Status::unavailable(error.to_string());
        grpc.ready().await.map_err(failed)?;
        let mut request = Request::new(self.request.clone());
        if let Some(timeout) = self.timeout {
            request.set_timeout(timeout);
        }
        let path = self.path.parse().unwrap();
        let mut answer = grpc
            .server_streaming(request, path, Bytes)
            .await?
            .into_inner();
        let mut messages = Vec::new();
        while let Some(message) = answer.message().await? {
            messages.push(message);
        }
        Ok(messages)
    }
}

/// Returns all calls of the specification.
pub(crate) fn every_call() -> Vec<MethodDescriptor> {
    let specification = specification();
    let services = specification.services();
    services
        .flat_map(|service| service.methods().collect::<Vec<_>>())
        .collect()
}

/// Reads and writes messages as they are.
#[derive(Clone, Copy)]
struct Bytes;

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        to.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut item = vec![0; from.remaining()];
        from.copy_to_slice(&mut item);
        Ok(Some(item))
    }
}
