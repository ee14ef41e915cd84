//! The page at the root, until there is a dashboard.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;

use crate::answer::{Answer, Media};
use crate::app::App;

const PAGE: &str = "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Quayside</title>
<link rel=\"icon\" href=\"data:,\">
<link rel=\"stylesheet\" href=\"/docs/page.css\">
</head>
<body>
<main class=\"home\">
<h1>Quayside</h1>
<p>The API is at <code>/v2</code>. <a href=\"/docs\">The reference</a> explains it and
sends calls for you; <a href=\"/openapi.json\">/openapi.json</a> says the same to programs.
Calls carry <code>Authorization: Token &lt;key&gt;</code>.</p>
</main>
</body>
</html>
";

/// Says where the API is.
pub(crate) async fn page(State(app): State<App>) -> Response {
    Answer::new(StatusCode::OK, Media::Html, PAGE).respond(&app.request_id(), None)
}
