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
    if headers.contains_key(header::TRANSFER_ENCODING)
        && headers.contains_key(header::CONTENT_LENGTH)
    {
        return fault(400, "both Content-Length and Transfer-Encoding are given");
    }
    for name in [
        header::CONTENT_LENGTH,
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
        authority.is_ok_and(|authority| !authority.as_str().contains('@'))
    });
    match (hosts, parts.version) {
        (0, Version::HTTP_10) => None,
        (0, _) => Some("the Host header is missing"),
        (1, _) if well_formed => None,
        (1, _) => Some("the Host header is not a host"),
        _ => Some("the Host header is given twice"),
    }
}

fn count(headers: &HeaderMap, name: &header::HeaderName) -> usize {
    headers.get_all(name).iter().count()
}
