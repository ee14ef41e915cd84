//! The ceiling of a read: an axum route that answers with the same bytes every time.

use std::net::SocketAddr;

use anyhow::Result;
use axum::Router;
use axum::http::{HeaderValue, header::CONTENT_TYPE};
use axum::routing::get;
use bytes::Bytes;
use tokio::net::TcpListener;

/// Serves `body` on a port of its own until the runtime ends.
pub async fn serve(body: Bytes) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let answer = move || {
        let kind = HeaderValue::from_static("application/vnd.api+json");
        let answer = ([(CONTENT_TYPE, kind)], body.clone());
        async move { answer }
    };
    let router = Router::new().route("/static", get(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}
