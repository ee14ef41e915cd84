//! `GET /v2/shipping_lines`

use std::future::ready;

use domain::shipping_line::ShippingLine;
use jsonapi::query::{Holds, Parameter, Rules, Value};
use jsonapi::resource::shipping_line::{TYPE, render};

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_shipping_lines",
    summary: "All shipping lines",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[Parameter::new(
            "search",
            Holds::TextOrBlank,
            "Part of a name, or a code.",
        )],
        whole: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "shipping line",
    handle: |call| Box::pin(ready(Ok(handle(&call)))),
};

fn handle(call: &Call) -> Answer {
    let search = call.query.value("search").and_then(Value::text);
    let search = search.map(str::to_lowercase);
    let lines = call.app.tracking.registry().shipping_lines();
    let primary = lines
        .filter(|line| search.as_deref().is_none_or(|search| matches(line, search)))
        .map(render)
        .collect();
    let included = Vec::new();
    call.whole(Rows { primary, included })
}

fn matches(line: &ShippingLine, search: &str) -> bool {
    let mut codes = line.alternative_scacs.iter().chain([&line.scac]);
    line.name.to_lowercase().contains(search)
        || line.short_name.to_lowercase().contains(search)
        || codes.any(|scac| scac.as_str().eq_ignore_ascii_case(search))
}
