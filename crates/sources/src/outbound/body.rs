//! Reading no more than was agreed, packed or unpacked.

use async_compression::tokio::bufread::{GzipDecoder, ZlibDecoder};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::error::OutboundError;

/// An unpacked body may be this many times the wire limit …
const UNPACKED_PER_WIRE_LIMIT_MAX: usize = 4;
/// … and this many times the bytes that it was packed into. Text packs to a tenth; a bomb to a thousandth.
const UNPACKED_RATIO_MAX: usize = 100;
/// Every body may unpack to this much, so that a tiny answer is not refused for its ratio.
const UNPACKED_ALWAYS_BYTES: usize = 64 * 1024;
const CHUNK_BYTES: usize = 16 * 1024;

/// Puts the body up to `bytes_max` into `kept`, piece by piece, and says whether there was more. What is not read is
/// never buffered: dropping the rest closes the connection.
pub(super) async fn read(
    mut wire: Incoming,
    bytes_max: usize,
    kept: &mut BytesMut,
) -> Result<bool, OutboundError> {
    while let Some(frame) = wire.frame().await {
        let frame = frame.map_err(|e| OutboundError::of_client(&e))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let room = bytes_max - kept.len();
        if data.len() > room {
            kept.extend_from_slice(data.get(..room).unwrap_or_default());
            return Ok(true);
        }
        kept.extend_from_slice(&data);
    }
    Ok(false)
}

/// The body as its sender wrote it before packing. Counted while unpacking, so that a small answer cannot
/// become a large one.
///
/// `grow` is told how much is held so far, before there is more; with a no it ends.
pub async fn unpack(
    headers: &HeaderMap,
    packed: Bytes,
    truncated: bool,
    wire_bytes_max: usize,
    mut grow: impl FnMut(usize) -> bool + Send,
) -> Result<Bytes, OutboundError> {
    let refused = |reason: &str| OutboundError::Decode(reason.to_owned());
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| {
        value
            .to_str()
            .unwrap_or("unreadable")
            .trim()
            .to_ascii_lowercase()
    });
    let encoding = encoding.unwrap_or_default();
    if matches!(encoding.as_str(), "" | "identity") || packed.is_empty() {
        return Ok(packed);
    }
    if truncated {
        return Err(refused("it is longer than the limit"));
    }
    let by_ratio = packed
        .len()
        .saturating_mul(UNPACKED_RATIO_MAX)
        .max(UNPACKED_ALWAYS_BYTES);
    let bytes_max = by_ratio.min(wire_bytes_max.saturating_mul(UNPACKED_PER_WIRE_LIMIT_MAX));
    match encoding.as_str() {
        "gzip" | "x-gzip" => {
            let mut decoder = GzipDecoder::new(&packed[..]);
            decoder.multiple_members(true);
            counted(decoder, bytes_max, &mut grow).await
        }
        "deflate" => {
            let decoder = ZlibDecoder::new(&packed[..]);
            counted(decoder, bytes_max, &mut grow).await
        }
        other => Err(refused(&format!("it is packed as {other:?}"))),
    }
}

async fn counted(
    mut decoder: impl AsyncRead + Unpin,
    bytes_max: usize,
    grow: &mut (impl FnMut(usize) -> bool + Send),
) -> Result<Bytes, OutboundError> {
    let mut unpacked = BytesMut::new();
    loop {
        if !grow(unpacked.len() + CHUNK_BYTES) {
            return Err(OutboundError::Decode("there is no room for it now".into()));
        }
        unpacked.reserve(CHUNK_BYTES);
        let read = decoder
            .read_buf(&mut unpacked)
            .await
            .map_err(|e| OutboundError::Decode(e.to_string()))?;
        if unpacked.len() > bytes_max {
            return Err(OutboundError::Decode(
                "it unpacks to more than the limit".into(),
            ));
        }
        if read == 0 {
            return Ok(unpacked.freeze());
        }
        tokio::task::consume_budget().await;
    }
}
