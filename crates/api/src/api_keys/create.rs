//! `POST /v2/api_keys`

use domain::account::Permissions;
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::api_key::{TYPE, permissions};
use jsonapi::schema::Shape;
use tracking::access::{KEYS_MAX, KeyRefused, add_key};

use super::shown;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "create_api_key",
    summary: "Create a key and show it, this once",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required("name", Shape::Text, "What people call it."),
            Member::optional(
                "permissions",
                Shape::Words(permissions),
                "What it may do; all that the calling key may.",
            ),
        ],
        relationships: &[],
    }),
    answers: Answers::Created(&TYPE),
    subject: "API key",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let name = form.required_text("name", Text::NAME);
    let granted = granted(&mut form, call.caller.permissions);
    form.finish()?;
    let (account, name) = (call.caller.account, name.unwrap_or_default());
    let adding = add_key(&call.app.tracking, account, &name, granted);
    call.done(adding, |call, (row, key)| {
        // A key has no page of its own: it is found in the list.
        Ok(call.resource(shown(row, key)).created(&call.address))
    })
    .await
    .map_err(refused)?
}

/// A key hands out nothing that it lacks.
fn granted(form: &mut Form, own: Permissions) -> Permissions {
    let Some(words) = form.placed_texts("permissions", Text::NAME) else {
        return own;
    };
    if words.is_empty() {
        form.blank("permissions");
    }
    let mut granted = Permissions {
        show: false,
        update: false,
    };
    for (place, word) in &words {
        let (permission, has) = match word.as_str() {
            "show" => (&mut granted.show, own.show),
            "update" => (&mut granted.update, own.update),
            _ => {
                let known = permissions().join(", ");
                form.fault(
                    &format!("permissions/{place}"),
                    &format!("must be one of: {known}"),
                );
                continue;
            }
        };
        if !has {
            form.fault(
                &format!("permissions/{place}"),
                "is a permission that the calling key lacks",
            );
        }
        *permission = true;
    }
    granted
}

fn refused(why: KeyRefused) -> Failure {
    match why {
        KeyRefused::TooMany => {
            ErrorItem::new(422, format!("an account has {KEYS_MAX} keys at most")).into()
        }
        KeyRefused::Store(error) => Failure::Store(error),
    }
}
