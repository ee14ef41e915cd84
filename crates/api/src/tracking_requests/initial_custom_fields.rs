//! `initial_custom_fields`: values for a shipment and for containers that do not exist yet.

use domain::codes::ContainerNumber;
use domain::custom_field::{EntityKind, STAGED_MAX, Value, is_slug};
use jsonapi::read::{Form, Node, is_blank};
use jsonapi::schema::{Attribute, Shape};
use tracking::custom_fields::{StagedRefused, Staging};

use crate::call::Call;
use crate::custom_fields::{refused, sent};
use crate::failure::Failure;
use crate::operation::Member;

const NAME: &str = "initial_custom_fields";

pub(super) const MEMBER: Member = Member::optional(
    NAME,
    Shape::Object(LISTS),
    "Custom fields of the shipment and its containers, set when there are any.",
);

const LISTS: &[Attribute] = &[
    Attribute::new("shipment", Shape::Objects(FIELD))
        .optional()
        .about("For the shipment; at most 100."),
    Attribute::new("containers", Shape::Objects(CONTAINER_FIELD))
        .optional()
        .about("For containers, those that join later too; at most 100."),
];

const FIELD: &[Attribute] = &[API_SLUG, VALUE];

const CONTAINER_FIELD: &[Attribute] = &[
    API_SLUG,
    VALUE,
    Attribute::or_null("number", Shape::Text)
        .optional()
        .about("The one container it is for; missing or empty: every one."),
];

const API_SLUG: Attribute = Attribute::new("api_slug", Shape::Text).about("Which custom field.");
const VALUE: Attribute =
    Attribute::or_null("value", Shape::Any).about("What its definition holds.");

/// Reads the member; faults point into its lists.
pub(super) fn read(form: &mut Form, call: &Call) -> Vec<Staging> {
    let mut staged = Vec::new();
    for (list, node) in form.object(NAME).unwrap_or_default() {
        let entity = match list.as_str() {
            "shipment" => EntityKind::Shipment,
            "containers" => EntityKind::Container,
            _ => continue,
        };
        let place = format!("{NAME}/{list}");
        match node {
            Node::Null => {}
            Node::List(items) if items.len() > STAGED_MAX => {
                form.fault(&place, &format!("has more than {STAGED_MAX} items"));
            }
            Node::List(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    let at = At {
                        entity,
                        list: &list,
                        index: index.to_string(),
                    };
                    staged.extend(at.read(form, call, item));
                }
            }
            _ => form.fault(&place, "must be a list"),
        }
    }
    staged
}

/// A fault that was told to the form.
struct Told;

/// One item of a list.
struct At<'a> {
    entity: EntityKind,
    list: &'a str,
    index: String,
}

impl At<'_> {
    fn read(&self, form: &mut Form, call: &Call, item: Node) -> Option<Staging> {
        let Node::Object(members) = item else {
            form.fault(&self.place(""), "must hold objects");
            return None;
        };
        let (mut slug, mut value, mut number) = (None, None, Ok(None));
        for (name, node) in members {
            match name.as_str() {
                "api_slug" => slug = Some(node),
                "value" => value = self.value(form, call, node),
                "number" if self.entity == EntityKind::Container => {
                    number = self.number(form, node);
                }
                _ => {}
            }
        }
        let slug = self.slug(form, slug);
        if value.is_none() && !form.is_refused(&self.place("/value")) {
            form.fault_in_words(&self.place("/value"), "Value can't be blank");
        }
        Some(Staging {
            place: self.place(""),
            slug: slug?,
            entity: self.entity,
            number: number.ok()?,
            value: value?,
        })
    }

    fn slug(&self, form: &mut Form, node: Option<Node>) -> Option<String> {
        let why = match node {
            None | Some(Node::Null) => "Api slug can't be blank",
            Some(Node::Text(text)) if is_blank(&text) => "Api slug can't be blank",
            Some(Node::Text(text)) if is_slug(text.trim()) => return Some(text.trim().to_owned()),
            Some(_) => "Api slug names no custom field",
        };
        form.fault_in_words(&self.place("/api_slug"), why);
        None
    }

    fn value(&self, form: &mut Form, call: &Call, node: Node) -> Option<Value> {
        let path = ["data", "attributes", NAME, self.list, &self.index, "value"];
        match sent::of_node(node, &|| call.digits(&path)) {
            Ok(value) => Some(value),
            Err(why) => {
                form.fault_in_words(&self.place("/value"), format!("Value {why}"));
                None
            }
        }
    }

    /// The box it is for; none is every box. The error was told to the form.
    fn number(&self, form: &mut Form, node: Node) -> Result<Option<ContainerNumber>, Told> {
        let why = match node {
            Node::Null => return Ok(None),
            Node::Text(text) if is_blank(&text) => return Ok(None),
            Node::Text(text) => match ContainerNumber::parse(&text) {
                Ok(number) => return Ok(Some(number)),
                Err(why) => format!("Number is not a container number: {why}"),
            },
            _ => "Number must be a string".to_owned(),
        };
        form.fault_in_words(&self.place("/number"), why);
        Err(Told)
    }

    fn place(&self, rest: &str) -> String {
        format!("{NAME}/{}/{}{rest}", self.list, self.index)
    }
}

/// What is told of values that the account's definitions do not accept.
pub(super) fn failure(faults: &[StagedRefused]) -> Failure {
    let item = |fault: &StagedRefused| refused::item(&format!("{}/", fault.place), &fault.why);
    let items: Vec<_> = faults.iter().map(item).collect();
    items.into()
}
