//! DCSA Track & Trace: the one language that several ocean carriers speak, each with an accent.
//!
//! **A carrier is a file.** Nothing in this module knows a carrier by name; what is particular to one is in
//! its profile, a TOML file. `docs/sources/dcsa.md` shows how to write one. Its keys, with defaults:
//!
//! | key | meaning |
//! |---|---|
//! | `id` | name of the feed; stands in every report |
//! | `protocol`, `dialect` | `"dcsa-2"`, or `"dcsa-3"` with `"3.0.0"`, `"3.0.0-sandbox"` or `"3.0.0-beta-1"`; `"cosco"` |
//! | `scac` | code of the line, or a list of codes with the main one first |
//! | `line.name`, `line.short_name` | names of a line that is in no table |
//! | `endpoint.base` | scheme and host, with any common path |
//! | `endpoint.path` | by protocol, `"/v2/events"`; `{number}` in it takes the number out of the query |
//! | `endpoint.api_version` | sent as `API-Version`; none |
//! | `endpoint.page_size` | sent as `limit`; 100, and 0 sends none |
//! | `endpoint.pages_max` | pages read of one answer; 20 |
//! | `endpoint.headers`, `endpoint.query` | sent with every question; none |
//! | `endpoint.incremental`, `.incremental_parameter`, `.incremental_overlap_hours` | ask only for what is new: false, by protocol, 24 |
//! | `numbers.bill_of_lading`, `.booking`, `.container` | query parameter of each kind. Without this table the names of the standard; with it, kinds left out are not asked |
//! | `numbers.bill_of_lading_query`, `.booking_query`, `.container_query` | parameters beside a number; none |
//! | `numbers.bill_prefixes_cut` | prefixes taken off bills before asking; none |
//! | `auth.kind` | `"none"`, `"headers"`, `"oauth2"` or `"signature"`; none |
//! | `auth.headers` | header field → name of the secret it carries; also beside a token |
//! | `auth.token_url`, `auth.scope` | where a token comes from and what for |
//! | `auth.client_id`, `auth.client_secret` | names of these secrets; `client_id`, `client_secret` |
//! | `auth.credentials_in_header` | `Authorization: Basic` at the token endpoint instead of the form; false |
//! | `auth.certificate_assertion`, `.private_key`, `.certificate`, `.audience` | proof by certificate in place of a secret |
//! | `auth.signature_prefix`, `.api_key`, `.secret_key` | a signature over each request |
//! | `polling.requests_per_minute`, `.requests_per_day` | budgets over all questions; 60, none |
//! | `polling.in_transit_minutes`, `.near_arrival_minutes`, `.not_found_minutes` | how often one number is asked; 300, 60, 1440 |
//! | `quirks.z_is_local` | `Z` stands behind local times; false |
//! | `quirks.ids_unusable` | event ids repeat or change with every answer; false |
//! | `quirks.date_only` | times of day mean nothing; false |
//! | `quirks.created_is_event` | created times are copies of event times; false |
//! | `quirks.ids_numeric_only` | only ids of digits are ids; false |
//! | `quirks.midnight_is_date` | midnight stands for a date; false |
//! | `quirks.references_hashed` | bills and bookings are digests; false |
//! | `push.signature_headers`, `.subscription_header`, `.secret`, `.subscriptions_path`, `.subscribe` | what the carrier sends by itself ([`push`]) |
//!
//! **Reading never fails.** [`parse`] gives reports and defects. Member names and code words are compared
//! without case; a member of the wrong shape is as if it were missing; only a record without a usable time,
//! of which nobody knows what it is about ([`subject`]), or (for moves) without a classifier is refused, alone, with its
//! place. When the
//! message itself is damaged, what is whole before and behind the damage is still read.
//!
//! The frames of version 3 (`{"events": […]}`, groups such as `eventClassification`, `metadata` and `payload`) are
//! read by the same visitor, as their member names are other names for the same things; words (`GATED_IN`) are
//! other names for codes. So a dialect decides how a carrier is asked, and nothing about how it is read.
//!
//! **Speed.** Events are read by one hand-written visitor that borrows every text from the message; there is
//! no document tree, and members that we do not know are skipped as they pass.

mod answer;
mod assertion;
mod boxes;
mod caller;
mod code;
mod harvest;
mod key;
mod lenient;
mod meaning;
mod parse;
mod profile;
mod pull;
pub mod push;
mod reading;
pub(crate) mod recovery;
mod references;
mod signature;
mod subject;
pub(crate) mod text;
pub(crate) mod time;
mod token;
mod whereabouts;
mod wire;
mod words;

pub use answer::{Payload, PullFailure, RETRY_AFTER_MAX};
pub(crate) use answer::{check_status, payload};
pub use caller::Secrets;
pub(crate) use caller::{Call, Caller, Manner};
pub use parse::{in_parts, parse};
pub(crate) use profile::file as profile_file;
pub use profile::{
    Assertion, Auth, ClientCertificate, Dialect, Endpoint, Incremental, LineNames, Numbers,
    Polling, Profile, ProfileError, Protocol, Push, Quirks, RequestSignature, SecretForm,
    TokenGrant,
};
pub use pull::{Puller, Question};
