//! Operations in groups, one for each collection.

use jsonapi::resource;
use utoipa::openapi::tag::{Tag, TagBuilder};

use crate::router::{ROUTES, Route};

/// The group of what goes out.
pub(super) const DELIVERIES: &str = "deliveries";

/// Collections whose type's own sentence does not say what they are for.
const ABOUT: &[(&str, &str)] = &[
    (
        "tracking_requests",
        "A bill of lading, a booking or a container number that is to be tracked. Everything begins here.",
    ),
    (
        "shipments",
        "What travels under one bill of lading or booking.",
    ),
    (
        "containers",
        "One box on one journey: where it is, and when it can be picked up.",
    ),
    (
        "custom_fields",
        "What an account knows about its shipments and boxes that no carrier tells.",
    ),
    (
        "custom_field_definitions",
        "Which custom fields there are, and what they hold.",
    ),
    ("parties", "Customers and other companies of the account."),
    ("vessels", "Ships, and where they were reported."),
    ("ports", "Sea ports, by id or UN/LOCODE."),
    (
        "metro_areas",
        "Cities with several places of handling, by id or UN/LOCODE.",
    ),
    ("terminals", "Ocean and rail terminals."),
    ("shipping_lines", "Ocean carriers that can be tracked."),
    ("webhooks", "Endpoints that are told what happens."),
    (
        "listeners",
        "Webhooks whose deliveries are fetched instead of sent: what `quayside listen` does.",
    ),
    (
        "webhook_notifications",
        "What was told, to whom, and how it went.",
    ),
    ("search", "One question over requests, shipments and boxes."),
    (
        "document_schemas",
        "The shapes of data in shipping documents.",
    ),
    ("account", "The account itself, and what it may do."),
    ("accounts", "The account itself, and what it may do."),
    ("me", "Who calls."),
    ("api_keys", "Keys of the account."),
    (
        "sources",
        "Where what is known comes from: carriers, terminals, railroads, files; how each is doing, and pausing one.",
    ),
    (
        DELIVERIES,
        "What is sent to webhooks: the notification and all it tells about, signed twice.",
    ),
];

/// The group of a route.
pub(super) fn of(route: &Route) -> &'static str {
    let mut parts = route.path.trim_start_matches("/v2/").split('/');
    let first = parts.next().unwrap_or_default();
    if parts.any(|part| part == "custom_fields") {
        "custom_fields"
    } else {
        first
    }
}

/// Every group, in the order of the routes.
pub(super) fn all() -> Vec<Tag> {
    let mut names: Vec<&str> = Vec::new();
    for name in ROUTES.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.push(DELIVERIES);
    names.into_iter().map(tag).collect()
}

fn tag(name: &'static str) -> Tag {
    let own = ABOUT.iter().find(|(known, _)| *known == name);
    let singular = name.strip_suffix('s').unwrap_or(name);
    let about = own.map(|(_, about)| *about);
    let about = about.or_else(|| resource::named(singular).map(|kind| kind.about));
    TagBuilder::new().name(name).description(about).build()
}
