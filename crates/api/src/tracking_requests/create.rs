//! `POST /v2/tracking_requests`

use domain::codes::{ContainerNumber, Scac};
use domain::shipping_line::ShippingLine;
use domain::tracking_request::number::asked;
use domain::tracking_request::{NumberKind, RequestStatus};
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::tracking_request::{TYPE, request_types};
use jsonapi::schema::Shape;
use tracking::custom_fields::Staging;
use tracking::request::{NewRequest, RequestRefused, create};

use super::initial_custom_fields;
use crate::address::absolute;
use crate::answer::Answer;
use crate::app::App;
use crate::call::Call;
use crate::custom_fields::sent::refuse_nobody;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};
use crate::parties::customer;

pub(crate) const OPERATION: Operation = Operation {
    name: "create_tracking_request",
    summary: "Start to track a number",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Create,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required(
                "request_type",
                Shape::OneOf(request_types),
                "What kind of number.",
            ),
            Member::required("request_number", Shape::Text, "The number."),
            Member::optional(
                "scac",
                Shape::Text,
                "The shipping line; needed unless auto_detect_vocc_scac is true.",
            ),
            Member::optional(
                "auto_detect_vocc_scac",
                Shape::Boolean,
                "Find the shipping line from the number.",
            ),
            Member::optional(
                "ref_numbers",
                Shape::TextsOrNulls,
                "Copied to the shipment.",
            ),
            Member::optional(
                "shipment_tags",
                Shape::Texts,
                "Copied to the shipment as tags.",
            ),
            initial_custom_fields::MEMBER,
        ],
        relationships: &[customer::LINK],
    }),
    answers: Answers::Created(&TYPE),
    subject: "tracking request",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let staged = initial_custom_fields::read(&mut form, &call);
    let wanted = read(&mut form, &call.app, staged);
    form.finish()?;
    let Some(wanted) = wanted else {
        return Err(ErrorItem::new(422, "the tracking request is incomplete").into());
    };
    let values = wanted.staged.iter();
    let values = values.map(|one| (format!("{}/value", one.place), &one.value));
    refuse_nobody(&call, values).await?;
    let creating = create(&call.app.tracking, call.caller.account, wanted);
    call.done(creating, |call, row| {
        let path = format!("/v2/tracking_requests/{}", row.id);
        let own = absolute(call.app.tracking.base_url(), &path);
        Ok(call.resource(&row.document).created(&own))
    })
    .await
    .map_err(refused)?
}

/// Every fault that needs no store is found here, so that they are told together.
fn read(form: &mut Form, app: &App, staged: Vec<Staging>) -> Option<NewRequest> {
    let kinds = format!("must be one of: {}", request_types().join(", "));
    let kind = form.required("request_type", &kinds, NumberKind::parse);
    let number = form.required_text("request_number", Text::NAME);
    let auto_detect = form.boolean("auto_detect_vocc_scac").unwrap_or(false);
    let scac = scac(form, app, auto_detect);
    let tags = super::tags(form);
    let customer = customer::read(form).flatten();
    let ref_numbers = form
        .texts_or_nulls("ref_numbers", Text::NAME)
        .unwrap_or_default();
    if let (Some(kind), Some(scac)) = (kind, scac) {
        judge_kind(form, app, kind, scac);
    }
    if let (Some(NumberKind::Container), Some(number)) = (kind, &number)
        && let Err(why) = ContainerNumber::parse(number)
    {
        form.fault(
            "request_number",
            &format!("is not a container number: {why}"),
        );
    }
    if let (Some(NumberKind::BillOfLading | NumberKind::Booking), Some(number)) = (kind, &number)
        && let Err(why) = asked(number)
    {
        form.fault("request_number", &why.to_string());
    }
    Some(NewRequest {
        number: number?,
        kind: kind?,
        scac,
        auto_detect,
        ref_numbers,
        tags: tags
            .into_iter()
            .find(|sent| !sent.is_empty())
            .unwrap_or_default(),
        customer,
        staged,
    })
}

fn scac(form: &mut Form, app: &App, auto_detect: bool) -> Option<Scac> {
    let Some(given) = form.text("scac", Text::NAME) else {
        if !auto_detect && !form.is_refused("scac") {
            form.blank("scac");
        }
        return None;
    };
    let line = Scac::parse(&given)
        .ok()
        .filter(|scac| scac.as_str().len() == 4)
        .and_then(|scac| app.tracking.registry().shipping_line(scac));
    if line.is_none() {
        form.fault_in_words("scac", format!("Scac '{given}' is not recognized"));
    }
    let mute = line.filter(|line| !answers_to_anything(line));
    if let Some(mute) = mute {
        let name = &mute.name;
        let detail = format!("Scac '{given}' is not supported. {name} cannot be asked.");
        form.fault_in_words("scac", detail);
    }
    line.map(|line| line.scac)
}

fn answers_to_anything(line: &ShippingLine) -> bool {
    line.bill_of_lading_support || line.booking_support || line.container_support
}

fn judge_kind(form: &mut Form, app: &App, kind: NumberKind, scac: Scac) {
    let line = app.tracking.registry().shipping_line(scac);
    let line = line.filter(|line| answers_to_anything(line));
    if line.is_some_and(|line| !line.supports(kind)) {
        let why = format!("'{}' is not supported by {scac}", kind.as_str());
        form.fault("request_type", &why);
    }
}

fn refused(why: RequestRefused) -> Failure {
    let at = |name: &str, detail: String| -> Failure {
        ErrorItem::pointer(format!("/data/attributes/{name}"), detail).into()
    };
    match why {
        RequestRefused::Duplicate {
            existing,
            status,
            number,
            scac,
        } => {
            let line = scac.map(|scac| scac.to_string()).unwrap_or_default();
            let article = if status == RequestStatus::AwaitingManifest {
                "an"
            } else {
                "a"
            };
            let status = status.as_str();
            let detail = format!(
                "Request number '{number}' with scac '{line}' already exists in a \
                 tracking_request with {article} {status} status"
            );
            ErrorItem::pointer("/data/attributes/request_number", detail)
                .code("duplicate")
                .meta("tracking_request_id", existing.to_string())
                .into()
        }
        RequestRefused::CustomerUnknown(id) => customer::unknown(id),
        RequestRefused::LineUnknown(scac) => at("scac", format!("Scac '{scac}' is not recognized")),
        RequestRefused::KindUnsupported { scac, kind } => {
            let kind = kind.as_str();
            at(
                "request_type",
                format!("Request type '{kind}' is not supported by {scac}"),
            )
        }
        RequestRefused::ScacMissing => {
            ErrorItem::pointer("/data/attributes/scac", "Scac can't be blank")
                .code("blank")
                .into()
        }
        RequestRefused::NumberInvalid(why) => {
            let detail = format!("Request number is not a container number: {why}");
            at("request_number", detail)
        }
        RequestRefused::PaperNumberInvalid(why) => {
            at("request_number", format!("Request number {why}"))
        }
        RequestRefused::PlanFull { places } => Failure::PlanFull { places },
        RequestRefused::Staged(faults) => initial_custom_fields::failure(&faults),
        RequestRefused::Store(error) => Failure::Store(error),
    }
}
