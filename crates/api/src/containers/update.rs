//! `PATCH /v2/containers/{id}`, and `PATCH /v2/containers` with the id in the body.

use domain::ids::ContainerId;
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::container::TYPE;
use jsonapi::schema::Shape;
use serde_json::Value;
use tracking::container::{ContainerPatch, update};
use uuid::Uuid;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};
use crate::parties::customer;

pub(crate) const OPERATION: Operation = Operation {
    name: "update_container",
    summary: "Change a container's references and customer",
    needs: Needs::Update,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(BODY),
    answers: Answers::One(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle(call)),
};

/// The same, where the body alone says which.
pub(crate) const NAMED_IN_BODY: Operation = Operation {
    name: "update_container_named_in_body",
    summary: "Change the references and customer of the container whose id the body holds",
    needs: Needs::Update,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(BODY),
    answers: Answers::One(&TYPE),
    subject: "container",
    handle: |call| Box::pin(handle_named(call)),
};

const BODY: Body = Body::Resource {
    kind: TYPE.name,
    attributes: &[Member::optional(
        "ref_numbers",
        Shape::TextsOrNulls,
        "Replaces all references.",
    )],
    relationships: &[customer::LINK],
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ContainerId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    change(&call, id, form, Call::not_found).await
}

async fn handle_named(call: Call) -> Result<Answer, Failure> {
    let form = call.form(TYPE.name)?;
    let Some(named) = form.id().map(str::to_owned) else {
        let blank = ErrorItem::pointer("/data/id", "Id can't be blank").code("blank");
        let mut faults = form.finish().err().unwrap_or_default();
        faults.push(blank);
        return Err(faults.into());
    };
    let id: Option<Uuid> = named.parse().ok();
    let unknown = move |_: &Call| Failure::not_found(TYPE.name, &named);
    let Some(id) = id else {
        return Err(unknown(&call));
    };
    change(&call, ContainerId(id), form, unknown).await
}

/// What sources tell of the box. Whoever sends the whole record back changes nothing with them as they stand; another value
/// would be taken for kept.
const TOLD: [&str; 2] = ["weight_in_lbs", "seal_number"];

async fn keep_what_is_told(call: &Call, id: ContainerId, form: &mut Form) -> Result<(), Failure> {
    let sent: Vec<(&str, String)> = TOLD
        .iter()
        .filter_map(|name| Some((*name, form.value(name)?.to_json_text())))
        .collect();
    if sent.is_empty() {
        return Ok(());
    }
    let found = call
        .read(move |reading| Ok(store::container::find(&mut reading.account(), id)?))
        .await?;
    let Some(row) = found else { return Ok(()) };
    let record: Value = serde_json::from_str(&row.document).unwrap_or_default();
    for (name, sent) in sent {
        let sent: Value = serde_json::from_str(&sent).unwrap_or_default();
        let stands = record.pointer(&format!("/attributes/{name}"));
        let stands = stands.unwrap_or(&Value::Null);
        let same_number = sent
            .as_f64()
            .zip(stands.as_f64())
            .is_some_and(|(a, b)| a.total_cmp(&b).is_eq());
        if sent != *stands && !same_number {
            form.fault(name, "is told by the sources and cannot be changed");
        }
    }
    Ok(())
}

async fn change(
    call: &Call,
    id: ContainerId,
    mut form: Form,
    unknown: impl Fn(&Call) -> Failure + Send + Sync + 'static,
) -> Result<Answer, Failure> {
    keep_what_is_told(call, id, &mut form).await?;
    let patch = ContainerPatch {
        ref_numbers: form.texts_or_nulls("ref_numbers", Text::NAME),
        customer: customer::read(&mut form),
    };
    form.finish()?;
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done(changing, move |call, row| {
        let row = row.as_ref().ok_or_else(|| unknown(call))?;
        Ok(call.resource(&row.document))
    })
    .await
    .map_err(customer::refused)?
}
