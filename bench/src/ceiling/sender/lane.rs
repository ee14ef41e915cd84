//! One connection to the receiver: signs, posts, reports the answer.

use std::fmt::Write as _;
use std::net::SocketAddr;

use anyhow::Result;
use bytes::Bytes;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use sha2::Sha256;
use tokio::net::TcpStream;
use tokio::sync::mpsc::Receiver;
use uuid::Uuid;

use super::{Desks, Note};

const SECRET: &[u8] = b"the secret of the smallest sender";

pub(super) struct Lane {
    connection: SendRequest<Full<Bytes>>,
    host: String,
    desks: Desks,
}

impl Lane {
    pub(super) async fn open(address: SocketAddr, desks: Desks) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (connection, driving) = handshake(TokioIo::new(stream)).await?;
        // Its end is seen by the next request.
        tokio::spawn(async move { drop(driving.await) });
        Ok(Self {
            connection,
            host: address.to_string(),
            desks,
        })
    }

    pub(super) async fn send(mut self, mut waiting: Receiver<(Uuid, Bytes)>) -> Result<()> {
        while let Some((id, body)) = waiting.recv().await {
            let status = self.post(id, body).await?;
            self.desks.tell(id, Note::Attempt { id, status })?;
        }
        Ok(())
    }

    async fn post(&mut self, id: Uuid, body: Bytes) -> Result<u16> {
        let request = Request::post("/deliveries")
            .header("host", &self.host)
            .header("content-type", "application/json")
            .header("webhook-id", id.to_string())
            .header("webhook-signature", signature(id, &body)?)
            .body(Full::new(body))?;
        self.connection.ready().await?;
        let answer = self.connection.send_request(request).await?;
        let status = answer.status().as_u16();
        answer.into_body().collect().await?;
        Ok(status)
    }
}

fn signature(id: Uuid, body: &[u8]) -> Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET)?;
    mac.update(id.as_bytes());
    mac.update(body);
    let digest = mac.finalize().into_bytes();
    Ok(digest
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        }))
}
