//! The frames of a watch: each has an event.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;

use futures::{Stream, StreamExt, stream};
use http::header::ACCEPT_ENCODING;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyDataStream, BodyExt};
use kube::api::WatchEvent;
use kube::client::Body;
use kube::{Error, Result};

use crate::exchange::Format;
use crate::{Object, event};

/// The most bytes of an event, as in client-go. Servers store objects of a few megabytes at most.
const MAX_FRAME: usize = 16 << 20;

/// The bytes of a frame's length.
const LENGTH: usize = 4;

/// The most errors in each other that are looked at.
const MAX_SOURCES: usize = 16;

/// Asks for a watch without compression, unless the request says something else: servers from 1.37
/// on compress watches with initial events, each piece on its own, and kube's client decompresses
/// the first one only.
pub(crate) fn accept_uncompressed(request: &mut Request<Vec<u8>>) {
    request
        .headers_mut()
        .entry(ACCEPT_ENCODING)
        .or_insert(HeaderValue::from_static("identity"));
}

/// Reads the events of a watch.
pub(crate) fn events<K: Object>(
    response: Response<Body>,
) -> impl Stream<Item = Result<WatchEvent<K>>> + Send + use<K> {
    let watch = Watch {
        frames: Frames::new(Format::of(response.headers())),
        body: Some(response.into_body().into_data_stream()),
        kind: PhantomData,
    };
    stream::unfold(watch, |mut watch| async {
        let event = watch.next().await?;
        Some((event, watch))
    })
}

struct Watch<K> {
    frames: Frames,
    /// `None` when it has ended.
    body: Option<BodyDataStream<Body>>,
    kind: PhantomData<fn() -> K>,
}

impl<K: Object> Watch<K> {
    async fn next(&mut self) -> Option<Result<WatchEvent<K>>> {
        loop {
            match self.frames.next() {
                Ok(Some(frame)) => match self.frames.format {
                    Format::Protobuf => return Some(event::from_protobuf(self.frames.get(frame))),
                    Format::Json => {
                        if let Some(event) = event::from_json(self.frames.get(frame)) {
                            return Some(event);
                        }
                        continue;
                    }
                },
                Ok(None) => {}
                Err(error) => {
                    // Without the length of a frame, the next one can't be found.
                    self.body = None;
                    self.frames.clear();
                    return Some(Err(Error::ReadEvents(error)));
                }
            }
            match self.body.as_mut()?.next().await {
                Some(Ok(bytes)) => self.frames.push(&bytes),
                Some(Err(error)) if !is_end(&error) => {
                    self.body = None;
                    return Some(Err(Error::ReadEvents(io::Error::other(error))));
                }
                Some(Err(_)) | None => {
                    self.body = None;
                    self.frames.end();
                }
            }
        }
    }
}

/// Returns true for a connection that ended without saying so, as it often does when a watch has
/// lasted for minutes.
fn is_end(error: &Error) -> bool {
    let first: &(dyn StdError + 'static) = error;
    let mut sources =
        std::iter::successors(Some(first), |error| (*error).source()).take(MAX_SOURCES);
    sources.any(|error| {
        error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::UnexpectedEof)
    }) || error.to_string().contains("unexpected EOF during chunk")
}

/// Bytes that have arrived, as frames: each with its length in protobuf, lines in JSON.
struct Frames {
    format: Format,
    buffer: Vec<u8>,
    /// The beginning of what hasn't been returned.
    start: usize,
    /// The beginning of what hasn't been searched for the end of a line.
    searched: usize,
}

/// The place of a frame.
type Frame = std::ops::Range<usize>;

impl Frames {
    fn new(format: Format) -> Self {
        Self {
            format,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    fn clear(&mut self) {
        *self = Self::new(self.format);
    }

    /// Takes the end of the input as that of the last line. A frame with a length isn't complete.
    fn end(&mut self) {
        if self.format == Format::Json && self.start < self.buffer.len() {
            self.buffer.push(b'\n');
        }
    }

    fn get(&self, frame: Frame) -> &[u8] {
        self.buffer.get(frame).unwrap_or_default()
    }

    /// Takes the next frame that is complete.
    fn next(&mut self) -> io::Result<Option<Frame>> {
        match self.format {
            Format::Protobuf => self.next_with_length(),
            Format::Json => self.next_line(),
        }
    }

    fn next_with_length(&mut self) -> io::Result<Option<Frame>> {
        let rest = self.buffer.get(self.start..).unwrap_or_default();
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        if length > MAX_FRAME {
            return Err(too_long(length));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let start = self.start + LENGTH;
        self.start = start + length;
        self.searched = self.start;
        Ok(Some(start..self.start))
    }

    fn next_line(&mut self) -> io::Result<Option<Frame>> {
        let rest = self.buffer.get(self.searched..).unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.searched += end.unwrap_or(rest.len());
        let length = self.searched - self.start;
        if length > MAX_FRAME {
            return Err(too_long(length));
        }
        if end.is_none() {
            return Ok(None);
        }
        let frame = self.start..self.searched;
        self.searched += 1;
        self.start = self.searched;
        Ok(Some(frame))
    }
}

fn too_long(length: usize) -> io::Error {
    let message =
        format!("a watch event has {length} bytes or more, and at most {MAX_FRAME} are read");
    io::Error::new(ErrorKind::InvalidData, message)
}
