//! The profile of one carrier: everything about it that is a setting. The keys are described in the
//! [module essay](super) and in `docs/sources/dcsa.md`.

use std::time::Duration;

use domain::codes::Scac;
use domain::shipping_line::ShippingLine;
use domain::tracking_request::NumberKind;
use http::{HeaderName, HeaderValue};
use url::Url;

pub(crate) mod file;

pub use crate::section::ProfileError;

/// How one carrier is asked and how its answers are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
    /// What it speaks.
    pub protocol: Protocol,
    /// Codes of the lines it answers for, the main one first.
    pub scacs: Vec<Scac>,
    /// The line's names, for a carrier that is in no table.
    pub line: Option<LineNames>,
    /// Where it is asked.
    pub endpoint: Endpoint,
    /// Which numbers it answers to.
    pub numbers: Numbers,
    /// How we prove who we are.
    pub auth: Auth,
    /// How often it is asked.
    pub polling: Polling,
    /// What it sends by itself, when it does.
    pub push: Option<Push>,
    /// What it does its own way.
    pub quirks: Quirks,
}

/// What a carrier speaks. Messages are read alike whichever version of DCSA it is; what differs is how they
/// are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// DCSA Track & Trace 2.x.
    Dcsa2,
    /// DCSA Track & Trace 3.
    Dcsa3(Dialect),
    /// COSCO's own.
    Cosco,
}

/// The three ways of speaking DCSA Track & Trace 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// 3.0.0-Beta-1 of 2023: `metadata` and `payload`, plural filters.
    Beta1,
    /// The sandbox of 3.0.0: codes of four letters in `eventClassification`.
    Sandbox,
    /// The published model of 3.0.0: whole words.
    Published,
}

/// Names of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineNames {
    /// Full name.
    pub name: String,
    /// What people call it.
    pub short_name: String,
}

/// Where a carrier is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// Scheme, host and any common prefix. Following pages must be on this host.
    pub base: Url,
    /// Path after the base; `{number}` stands for the number when the carrier wants it there.
    pub path: String,
    /// Sent as `API-Version`.
    pub api_version: Option<String>,
    /// Sent as `limit`.
    pub page_size: Option<u32>,
    /// How many pages of one answer are read.
    pub pages_max: u32,
    /// Header fields sent with every question.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Query parameters sent with every question.
    pub query: Vec<(String, String)>,
    /// How only what is new is asked for; `None` asks for everything every time.
    pub incremental: Option<Incremental>,
}

/// Asking only for what a carrier wrote lately. Carriers that do not honour the filter send everything, which
/// does no harm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incremental {
    /// Query parameter with the least created (version 3: updated) time.
    pub parameter: String,
    /// How far before the newest time known the question begins: carriers write records late, and their
    /// clocks differ.
    pub overlap: Duration,
}

/// The query parameter of each kind of number; a kind without one is not asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of bills of lading.
    pub bill_of_lading: Option<String>,
    /// Of bookings.
    pub booking: Option<String>,
    /// Of containers.
    pub container: Option<String>,
    /// Parameters that stand beside the number, of bills of lading, bookings and containers.
    pub beside: [Vec<(String, String)>; 3],
    /// Prefixes that the carrier does not want to see on its own bills.
    pub bill_prefixes_cut: Vec<String>,
}

/// How we prove who we are. The values are names of secrets; the secrets themselves are never in a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// Name of the login, where several profiles share one: secrets, budget, breaker and pause are the login's.
    pub login: Option<String>,
    /// Header fields and the secret that each carries.
    pub headers: Vec<(HeaderName, String)>,
    /// OAuth 2 client credentials, when the carrier wants a token.
    pub token: Option<TokenGrant>,
    /// A signature over each request, when the carrier wants one.
    pub signature: Option<RequestSignature>,
    /// A client certificate, when the carrier lets nobody in without one (mutual TLS).
    pub certificate: Option<ClientCertificate>,
}

impl Auth {
    /// Names of the secrets without which nothing can be asked.
    pub fn secrets(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.headers.iter().map(|(_, name)| name.as_str()).collect();
        if let Some(grant) = &self.token {
            names.push(&grant.client_id);
            match &grant.assertion {
                Some(rule) => names.extend([rule.private_key.as_str(), &rule.certificate]),
                None => names.push(&grant.client_secret),
            }
        }
        if let Some(rule) = &self.signature {
            names.extend([rule.key.as_str(), &rule.secret]);
        }
        if let Some(rule) = &self.certificate {
            names.extend([rule.certificate.as_str(), &rule.key]);
        }
        names
    }
}

/// A certificate that is shown when the connection is secured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// Name of the secret with the certificate and those that vouch for it, PEM.
    pub certificate: String,
    /// Name of the secret with its private key, PEM.
    pub key: String,
}

/// A signature over each request (HMAC-SHA1 over date, digest of the body and request line).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSignature {
    /// How its header fields begin: `X-Coscon-`.
    pub prefix: String,
    /// Name of the secret with the public key id.
    pub key: String,
    /// Name of the secret that signs.
    pub secret: String,
}

/// Where tokens come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenGrant {
    /// The token endpoint.
    pub url: Url,
    /// What is asked for, when the carrier wants it named.
    pub scope: Option<String>,
    /// Name of the secret with the client's id.
    pub client_id: String,
    /// Name of the secret with the client's secret.
    pub client_secret: String,
    /// Whether id and secret go into an `Authorization: Basic` header; else into the form.
    pub in_header: bool,
    /// Proof by a certificate in place of the client's secret.
    pub assertion: Option<Assertion>,
}

/// A client's proof by certificate: a signed token (RFC 7523) takes the place of a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// Name of the secret with the RSA private key, PEM.
    pub private_key: String,
    /// Name of the secret with the certificate, PEM; its digests tell the carrier which key signed.
    pub certificate: String,
    /// Who the proof is for; the token endpoint, unless the carrier says otherwise.
    pub audience: String,
}

/// How often a carrier is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polling {
    /// All questions together.
    pub requests_per_minute: u32,
    /// All questions of a day (UTC) together, when the carrier counts days.
    pub requests_per_day: Option<u32>,
    /// One number, while its cargo is under way.
    pub in_transit: Duration,
    /// One number, in the two days around an arrival.
    pub near_arrival: Duration,
    /// One number that the carrier does not know.
    pub not_found: Duration,
}

/// How what a carrier sends by itself is known to be its own, and where it is asked to send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// Header fields of which the first present one holds the signature.
    pub signature_headers: Vec<HeaderName>,
    /// Header field with the id of the subscription, by which the secret is found.
    pub subscription_header: HeaderName,
    /// How a secret becomes the key of a signature.
    pub secret: SecretForm,
    /// Whether we subscribe by ourselves, and keep the subscription.
    pub subscribe: bool,
    /// Path of its subscriptions, below the base; `None` when subscribing is done by hand, in its portal.
    pub subscriptions_path: Option<String>,
}

/// How a secret becomes the key of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretForm {
    /// It is base64, and the key is what it stands for (the standard's way).
    Base64,
    /// Its own bytes are the key.
    Raw,
}

/// What a carrier does its own way.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent habits, each a setting of its own"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// `Z` stands behind local times.
    pub z_is_local: bool,
    /// Its event ids are repeated or made up anew with every answer.
    pub ids_unusable: bool,
    /// Only the date of its times means anything.
    pub date_only: bool,
    /// Its created times are copies of the event times.
    pub created_is_event: bool,
    /// Only ids of digits are ids; the others are made up anew with every answer.
    pub ids_numeric_only: bool,
    /// A time of midnight means that only the date is known.
    pub midnight_is_date: bool,
    /// Its numbers of bills and bookings are digests, and cannot be compared with ours.
    pub references_hashed: bool,
}

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error: a misspelt quirk
    /// would otherwise move every time of a carrier by hours, silently.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        file::read(text)
    }

    /// The line's main code.
    pub fn scac(&self) -> Option<Scac> {
        self.scacs.first().copied()
    }

    /// Whether the carrier answers to numbers of this kind.
    pub fn supports(&self, kind: NumberKind) -> bool {
        self.numbers.parameter(kind).is_some()
    }

    /// The line as a row of the registry, when the profile brings its names.
    pub fn shipping_line(&self) -> Option<ShippingLine> {
        let names = self.line.as_ref()?;
        Some(ShippingLine {
            scac: self.scac()?,
            name: names.name.clone(),
            short_name: names.short_name.clone(),
            alternative_scacs: self.scacs.iter().skip(1).copied().collect(),
            bill_of_lading_support: self.supports(NumberKind::BillOfLading),
            booking_support: self.supports(NumberKind::Booking),
            container_support: self.supports(NumberKind::Container),
            bill_of_lading_prefixes: Vec::new(),
            container_owner_prefixes: Vec::new(),
            not_provided: None,
        })
    }
}

impl Numbers {
    /// The query parameter of this kind.
    pub fn parameter(&self, kind: NumberKind) -> Option<&str> {
        match kind {
            NumberKind::BillOfLading => self.bill_of_lading.as_deref(),
            NumberKind::Booking => self.booking.as_deref(),
            NumberKind::Container => self.container.as_deref(),
        }
    }

    /// The query parameters that stand beside a number of this kind.
    pub fn beside(&self, kind: NumberKind) -> &[(String, String)] {
        let [bill_of_lading, booking, container] = &self.beside;
        match kind {
            NumberKind::BillOfLading => bill_of_lading,
            NumberKind::Booking => booking,
            NumberKind::Container => container,
        }
    }
}
