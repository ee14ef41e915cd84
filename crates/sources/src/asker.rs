//! Asking a terminal or a railroad about boxes, many in one question.
//!
//! What comes back is given back as it came, once it is sure that it is an answer. A box that the answer leaves out
//! is one that nothing is known of: that is said by nobody, and clears nothing.

use bytes::Bytes;
use domain::codes::ContainerNumber;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::asking::{Asked, Asking};
use crate::ocean::dcsa::{Call, Caller, Manner, Payload, PullFailure, Secrets};
use crate::ocean::dcsa::{check_status, payload};
use crate::outbound::Outbound;

/// Asks one terminal or railroad. Clones share the token.
#[derive(Clone, Debug)]
pub struct Asker {
    caller: Caller,
    asking: Asking,
}

impl Asker {
    /// For one source.
    pub fn new(outbound: Outbound, asking: Asking, secrets: Secrets) -> Self {
        let manner = Manner {
            auth: asking.auth.clone(),
            // Each question brings its own.
            headers: Vec::new(),
        };
        Self {
            caller: Caller::new(outbound, manner, secrets),
            asking,
        }
    }

    /// How it is asked.
    pub fn asking(&self) -> &Asking {
        &self.asking
    }

    /// Asks one question about these boxes: at most as many as one question may name, the others are left out.
    pub async fn ask(
        &self,
        numbers: &[ContainerNumber],
        now: Timestamp,
    ) -> Result<Payload, PullFailure> {
        let mut requests = self.asking.requests(numbers, now).into_iter();
        let asked = requests.next().ok_or(PullFailure::NotAsked)?;
        let question = question(&asked);
        let call = Call {
            method: asked.method,
            url: &asked.url,
            body: asked.body.map(Bytes::from),
            headers: &asked.headers,
        };
        let answer = self.caller.call(&call, now).await?;
        check_status(&answer, now)?;
        payload(question, &answer)
    }
}

/// Names the boxes that were asked about, however many: two questions about the same ones are the same.
fn question(asked: &Asked) -> String {
    let mut digest = Sha256::new();
    for number in &asked.numbers {
        digest.update(number.as_str());
    }
    let digest = digest.finalize();
    let named = digest.iter().take(12).map(|byte| format!("{byte:02x}"));
    format!(
        "boxes:{}:{}",
        asked.numbers.len(),
        named.collect::<String>()
    )
}
