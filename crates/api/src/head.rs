//! Heads that read as two things, or as more than we take.
//!
//! The parser below refuses what is no HTTP at all. What it lets through is judged here: a head that another
//! server in front of us might read differently is refused and its connection closed.

use http::{HeaderMap, Method, Version, header};

use crate::failure::Failure;

/// Headers of one request at most.
pub(crate) const HEADERS_MAX: usize = 100;
/// Longest head.
pub(crate) const HEAD_BYTES_MAX: usize = 32 * 1024;
/// Longest request target.
pub(crate) const TARGET_BYTES_MAX: usize = 8 * 1024;
/// Longest value of one header.
const VALUE_BYTES_MAX: usize = 8 * 1024;

/// A head that gives its body more than one length, of which hyper shows one.
pub(crate) fn two_lengths() -> Failure {
    Failure::Head {
        status: 400,
        why: "the length of the body is given twice",
    }
}

pub(crate) fn judge(parts: &http::request::Parts) -> Result<(), Failure> {
    let headers = &parts.headers;
    let target = parts.uri.path_and_query().map_or(0, |t| t.as_str().len());
    let fault = |status, why| Err(Failure::Head { status, why });
    if target > TARGET_BYTES_MAX {
        return fault(414, "the request target is too long");
    }
    if headers.values().any(|value| value.len() > VALUE_BYTES_MAX) {
        return fault(431, "a header is too long");
    }
    if let Some(why) = host_fault(parts) {
        return fault(400, why);
    }
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    if !codings.all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        return fault(
            400,
            "a body comes with its length or in chunks, in no other way",
        );
    }
    for name in [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::HeaderName::from_static("idempotency-key"),
    ] {
        if count(headers, &name) > 1 {
            return fault(400, "a header that stands alone is given twice");
        }
    }
    if parts.method == Method::CONNECT {
        return fault(400, "this is no proxy");
    }
    Ok(())
}

fn host_fault(parts: &http::request::Parts) -> Option<&'static str> {
    let hosts = count(&parts.headers, &header::HOST);
    let host = parts.headers.get(header::HOST);
    let well_formed = host.is_some_and(|host| {
        let host = host.to_str().unwrap_or_default();
        let authority: Result<http::uri::Authority, _> = host.parse();
        authority.is_ok_and(|authority| !authority.as_str().contains('@') && has_port(&authority))
    });
    match (hosts, parts.version) {
        (0, Version::HTTP_10) => None,
        (0, _) => Some("the Host header is missing"),
        (1, _) if well_formed => None,
        (1, _) => Some("the Host header is not a host"),
        _ => Some("the Host header is given twice"),
    }
}

/// Whether what stands behind the host is a port; the empty one is none, and is allowed.
fn has_port(authority: &http::uri::Authority) -> bool {
    let behind = authority.as_str().strip_prefix(authority.host());
    match behind.and_then(|behind| behind.strip_prefix(':')) {
        None | Some("") => true,
        Some(port) => port.parse::<u16>().is_ok(),
    }
}

fn count(headers: &HeaderMap, name: &header::HeaderName) -> usize {
    headers.get_all(name).iter().count()
}
