//! `GET /v2/containers/{id}`

use domain::ids::ContainerId;
use jsonapi::query::Rules;
use jsonapi::resource::container::TYPE;

use super::provenance;
use crate::answer::Answer;
use crate::call::{Call, Reading, documents};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_container",
    summary: "One container",
    needs: Needs::Show,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[provenance::PARAMETER],
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::One(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let explained = provenance::is_wanted(&call.query);
    let look = move |reading: &mut Reading<'_>| {
        let found = store::container::documents(&mut reading.account(), &[id])?;
        let told = provenance::of_container(reading, id)?;
        Ok((reading.with_included(documents(found))?, told))
    };
    // Without it there is one statement, which needs no transaction around it.
    let (rows, told) = if explained {
        call.read(look).await?
    } else {
        call.glance(look).await?
    };
    Ok(Call::explained(call.found(rows)?, told.as_deref()))
}
