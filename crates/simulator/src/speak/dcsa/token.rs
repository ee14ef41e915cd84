//! Client credentials for a token of short life.

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use ring::hmac;
use serde_json::json;

use super::error::Refusal;
use crate::world::World;

/// How long a token lives.
const LIFE_SECONDS: i64 = 900;

/// The form of a token request.
#[derive(Debug, Default)]
pub(super) struct Asked {
    grant_type: String,
    client_id: Option<String>,
    client_secret: Option<String>,
}

impl Asked {
    pub(super) fn read(form: &[u8]) -> Self {
        let mut asked = Self::default();
        for (name, value) in url::form_urlencoded::parse(form) {
            match name.as_ref() {
                "grant_type" => asked.grant_type = value.into_owned(),
                "client_id" => asked.client_id = Some(value.into_owned()),
                "client_secret" => asked.client_secret = Some(value.into_owned()),
                _ => {}
            }
        }
        asked
    }
}

/// A token, or the OAuth error object.
pub(super) fn grant(world: &World, now: Timestamp, headers: &HeaderMap, asked: &Asked) -> Response {
    if asked.grant_type != "client_credentials" {
        let body = json!({ "error": "unsupported_grant_type" });
        return (StatusCode::BAD_REQUEST, axum::Json(body)).into_response();
    }
    let given = basic(headers).or_else(|| asked.client_id.clone().zip(asked.client_secret.clone()));
    if given != Some((world.client_id(), world.client_secret())) {
        let body = json!({ "error": "invalid_client" });
        return (StatusCode::UNAUTHORIZED, axum::Json(body)).into_response();
    }
    let until = now + SignedDuration::from_secs(LIFE_SECONDS);
    let body = json!({
        "access_token": sealed(world, until.as_second()),
        "token_type": "Bearer",
        "expires_in": LIFE_SECONDS,
        "scope": "tracking",
    });
    (StatusCode::OK, axum::Json(body)).into_response()
}

/// Whether the request carries a token that still lives.
pub(super) fn check(world: &World, now: Timestamp, headers: &HeaderMap) -> Result<(), Refusal> {
    let refused = |reason: &str| Refusal::new(StatusCode::UNAUTHORIZED, reason);
    let field = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    let token = field
        .and_then(|field| field.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or_else(|| refused("no bearer token"))?;
    let until = token
        .split_once('-')
        .and_then(|(until, _)| until.parse::<i64>().ok())
        .filter(|until| sealed(world, *until) == token)
        .ok_or_else(|| refused("the token is not ours"))?;
    if until <= now.as_second() {
        return Err(refused("the token has expired"));
    }
    Ok(())
}

fn sealed(world: &World, until: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, world.client_secret().as_bytes());
    let seal = hmac::sign(&key, until.to_string().as_bytes());
    let letters = URL_SAFE_NO_PAD.encode(seal);
    format!("{until}-{letters}")
}

fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let field = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let bytes = STANDARD.decode(field.strip_prefix("Basic ")?).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    Some((id.to_owned(), secret.to_owned()))
}
