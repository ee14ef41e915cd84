//! Between hyper and the socket: phases, their timers, and what hyper says on its own.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::framing::Framing;
use crate::head::TARGET_BYTES_MAX;
use crate::settings::Settings;

/// Bytes kept of what hyper says on its own: the status line is all that counts.
const SAID_BYTES_MAX: usize = 256;

/// In which phase of an exchange a connection is.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    phase: AtomicU8,
    /// Requests so far.
    requests: AtomicU64,
    /// The first whose body has two lengths; 0 while there is none.
    twofold: AtomicU64,
}

const IDLE: u8 = 0;
const HEAD: u8 = 1;
const AT_WORK: u8 = 2;
const ANSWERED: u8 = 3;

impl Exchange {
    /// A whole head has come. Whether it gives its body one length at most.
    pub(super) fn begin(&self) -> bool {
        self.enter(AT_WORK);
        let number = self.requests.fetch_add(1, Ordering::AcqRel) + 1;
        let twofold = self.twofold.load(Ordering::Acquire);
        twofold == 0 || number < twofold
    }

    fn answered(&self) {
        self.enter(ANSWERED);
    }

    fn enter(&self, phase: u8) {
        self.phase.store(phase, Ordering::Release);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.phase() == IDLE
    }

    fn phase(&self) -> u8 {
        self.phase.load(Ordering::Acquire)
    }

    /// Nothing of ours is on its way: what is written now is hyper's own.
    fn is_before_answer(&self) -> bool {
        matches!(self.phase(), IDLE | HEAD)
    }
}

/// A body that tells when its last byte was taken.
pub(super) struct Watched<B> {
    pub(super) body: B,
    pub(super) exchange: Arc<Exchange>,
}

impl<B: Body + Unpin> Body for Watched<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Watched<B> {
    fn drop(&mut self) {
        self.exchange.answered();
    }
}

/// The socket with its timers.
pub(super) struct Wire {
    stream: TcpStream,
    exchange: Arc<Exchange>,
    head_timeout: Duration,
    idle_timeout: Duration,
    write_timeout: Duration,
    read_timer: Pin<Box<Sleep>>,
    write_timer: Option<Pin<Box<Sleep>>>,
    framing: Framing,
    said: Vec<u8>,
    head_timed_out: bool,
}

/// How a connection ended, when somebody is still owed a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owed {
    pub(super) status: u16,
    pub(super) why: &'static str,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, exchange: Arc<Exchange>, settings: &Settings) -> Self {
        Self {
            stream,
            exchange,
            head_timeout: settings.head_timeout,
            idle_timeout: settings.idle_timeout,
            write_timeout: settings.write_timeout,
            read_timer: Box::pin(sleep(settings.head_timeout)),
            write_timer: None,
            framing: Framing::default(),
            said: Vec::new(),
            head_timed_out: false,
        }
    }

    /// The socket, and what its peer is still owed.
    pub(super) fn end(self) -> (TcpStream, Option<Owed>) {
        let owed = self.owed();
        (self.stream, owed)
    }

    fn owed(&self) -> Option<Owed> {
        let owe = |status, why| Some(Owed { status, why });
        if self.head_timed_out {
            return owe(408, "the request head came too slowly");
        }
        let long_line = self.framing.request_line_bytes() > TARGET_BYTES_MAX;
        match self.said.get(9..12)? {
            b"431" if long_line => owe(414, "the request target is too long"),
            b"414" => owe(414, "the request target is too long"),
            b"431" => owe(431, "the request head is too large"),
            _ => owe(400, "the request head is not well formed"),
        }
    }

    fn note_read(&mut self, bytes: &[u8]) {
        if self.exchange.phase() == IDLE {
            self.wait_in(HEAD, self.head_timeout);
        }
        self.framing.take(bytes);
        if let Some(twofold) = self.framing.twofold() {
            self.exchange.twofold.store(twofold, Ordering::Release);
        }
    }

    fn wait_in(&mut self, phase: u8, longest: Duration) {
        self.exchange.enter(phase);
        let deadline = Instant::now() + longest;
        self.read_timer.as_mut().reset(deadline);
    }

    fn poll_read_timer(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.exchange.is_before_answer() {
            return Poll::Pending;
        }
        ready!(self.read_timer.as_mut().poll(cx));
        self.head_timed_out = self.exchange.phase() == HEAD;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// A write that makes no progress for too long fails.
    fn timed<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.write_timer = None;
            return polled;
        }
        let write_timeout = self.write_timeout;
        let timer = self
            .write_timer
            .get_or_insert_with(|| Box::pin(sleep(write_timeout)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn hold_back(&mut self, bytes: &[u8]) -> usize {
        let room = SAID_BYTES_MAX.saturating_sub(self.said.len());
        self.said.extend(bytes.iter().take(room));
        bytes.len()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Pending => self.poll_read_timer(cx),
            Poll::Ready(Ok(())) => {
                let new = buffer.filled().get(before..).unwrap_or_default();
                if !new.is_empty() {
                    self.note_read(new);
                }
                Poll::Ready(Ok(()))
            }
            failed @ Poll::Ready(Err(_)) => failed,
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.exchange.is_before_answer() {
            return Poll::Ready(Ok(self.hold_back(bytes)));
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.timed(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.exchange.is_before_answer() {
            let taken = pieces.iter().map(|piece| self.hold_back(piece)).sum();
            return Poll::Ready(Ok(taken));
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, pieces);
        self.timed(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// Everything of an answer has left: the connection is idle from here, unless the next head has begun behind the last
    /// request.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        ready!(self.timed(cx, polled))?;
        if self.exchange.phase() == ANSWERED {
            let (phase, longest) = if self.framing.is_in_head() {
                (HEAD, self.head_timeout)
            } else {
                (IDLE, self.idle_timeout)
            };
            self.wait_in(phase, longest);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
