//! The reference with a console, at `/docs`: three files of our own that read `/openapi.json` and call `/v2`.
//!
//! Nothing comes from another host, and the page says so to the browser: its policy allows this origin alone, no
//! inline script and no frame around it. The key that somebody types stays in the page.

use axum::extract::State;
use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY};
use http::{HeaderValue, StatusCode};

use crate::answer::{Answer, Media};
use crate::app::App;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What the page may load: itself.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// `GET /docs`
pub(crate) async fn page(State(app): State<App>) -> Response {
    served(&app, Media::Html, PAGE)
}

/// `GET /docs/page.css`
pub(crate) async fn style(State(app): State<App>) -> Response {
    served(&app, Media::Css, STYLE)
}

/// `GET /docs/page.js`
pub(crate) async fn script(State(app): State<App>) -> Response {
    served(&app, Media::Script, SCRIPT)
}

fn served(app: &App, media: Media, text: &'static str) -> Response {
    let mut answer = Answer::new(StatusCode::OK, media, text);
    let policy = HeaderValue::from_static(POLICY);
    answer.headers.insert(CONTENT_SECURITY_POLICY, policy);
    let quiet = HeaderValue::from_static("no-referrer");
    answer.headers.insert(REFERRER_POLICY, quiet);
    answer.respond(&app.request_id(), None)
}
