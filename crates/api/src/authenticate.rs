//! Who calls: `Authorization: Token <key>`, the word in any letter case, or as clients in Ruby write it,
//! `Token token="<key>"`; and nothing else.

use std::net::IpAddr;

use http::{HeaderMap, header};
use tracking::access::{AccessRefused, Caller};

use crate::app::App;
use crate::failure::Failure;

/// Where a request comes from: the other end of the connection, or whom a trusted proxy there names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The caller, or 401. Refused keys are counted by address, so that guessing is slow; a good key from such an
/// address is still let in.
pub(crate) async fn caller(
    app: &App,
    headers: &HeaderMap,
    peer: Option<Peer>,
) -> Result<Caller, Failure> {
    let key = presented(headers).ok_or(Failure::KeyRefused)?;
    match tracking::access::authenticate(&app.tracking, key).await {
        Ok(caller) => Ok(caller),
        Err(AccessRefused::Store(error)) => Err(Failure::Store(error)),
        Err(AccessRefused::UnknownKey) => {
            let from = peer.map(|peer| peer.0);
            app.limiters.count_refused_key(&app.tracking, from)?;
            Err(Failure::KeyRefused)
        }
    }
}

/// The key that a caller shows.
pub(crate) fn presented(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (word, key) = value.trim().split_once(' ')?;
    word.eq_ignore_ascii_case("token").then(|| bare(key.trim()))
}

/// A key without what Rails writes around it: `token="<key>"`, with or without the quotes, and what may stand behind it. No key of
/// ours begins so.
fn bare(key: &str) -> &str {
    let Some(named) = key.strip_prefix("token=") else {
        return key;
    };
    let value = named.split([',', ';', '\t']).next().unwrap_or(named);
    let value = value.trim();
    let quoted = value
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    quoted.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_token() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, value.parse().unwrap());
            presented(&headers).map(str::to_owned)
        };
        for good in [
            "Token k1",
            "token k1",
            "TOKEN  k1 ",
            "Token token=k1",
            "Token token=\"k1\"",
            "token  token=\"k1\", nonce=\"n\"",
            "Token token=k1;nonce=n",
        ] {
            assert_eq!(of(good).as_deref(), Some("k1"), "{good}");
        }
        for bad in [
            "k1",
            "Bearer k1",
            "Bearer token=k1",
            "Basic k1",
            "Tokenk1",
            "Token",
            "token=k1",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
