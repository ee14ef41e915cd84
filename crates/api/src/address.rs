//! Absolute addresses of what is served. They come from the configured base address, never from what a
//! request says its host is: a forged `Host` cannot make us link to somebody else.

/// The absolute address of a path below `/v2`.
pub(crate) fn absolute(base_url: &str, path: &str) -> String {
    let below = path.strip_prefix("/v2").unwrap_or(path);
    format!("{}{below}", base_url.trim_end_matches('/'))
}

/// With its query, when there is one.
pub(crate) fn with_query(address: &str, query: &str) -> String {
    if query.is_empty() {
        address.to_owned()
    } else {
        format!("{address}?{query}")
    }
}
