//! Slashes that say nothing.
//!
//! Clients put a base address with a slash at its end before paths that begin with one, or end a collection's path with one; the
//! reference interface serves both. Below `/v2` such a path is the same path, and no redirect is answered: clients follow none
//! when they write. It is tidied before anything looks at it, so that links, names of requests and records of changes know one
//! path only. All others are left as they came: what a source signed, its address included, is for that source to say.

use std::borrow::Cow;

use http::Uri;
use http::uri::PathAndQuery;

/// The address of a request with its path tidied, where it leads below `/v2`.
pub(crate) fn tidied(uri: Uri) -> Uri {
    let Some(path) = tidy(uri.path()) else {
        return uri;
    };
    let target = match uri.query() {
        Some(query) => Cow::Owned(format!("{path}?{query}")),
        None => Cow::Borrowed(path.as_str()),
    };
    let Ok(target) = target.parse::<PathAndQuery>() else {
        return uri;
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(target);
    Uri::from_parts(parts).unwrap_or(uri)
}

/// The path without empty steps; `None` where there are none, or it leads elsewhere.
fn tidy(path: &str) -> Option<String> {
    if !path.contains("//") && !path.ends_with('/') {
        return None;
    }
    let steps = path.split('/').filter(|step| !step.is_empty());
    let tidied: String = steps.flat_map(|step| ["/", step]).collect();
    tidied.starts_with("/v2/").then_some(tidied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_version() {
        for (given, expected) in [
            ("/v2//containers/7?a=//b/", "/v2/containers/7?a=//b/"),
            ("//v2/containers", "/v2/containers"),
            ("/v2/containers/", "/v2/containers"),
            ("/v2/%2F/", "/v2/%2F"),
            ("http://quay.example/v2//a?b", "http://quay.example/v2/a?b"),
            ("/v2/containers", "/v2/containers"),
            ("/v2/", "/v2/"),
            ("/", "/"),
            ("//", "//"),
            ("/docs/", "/docs/"),
            ("/inbound//line/", "/inbound//line/"),
            ("//v20/a", "//v20/a"),
            ("*", "*"),
        ] {
            let uri: Uri = given.parse().unwrap();
            assert_eq!(tidied(uri).to_string(), expected, "{given}");
        }
    }
}
