//! The profile of one carrier: everything about it that is a setting. The keys are described in the
//! [module essay](super) and in `docs/sources/dcsa.md`.

use std::time::Duration;

use domain::codes::Scac;
use domain::shipping_line::ShippingLine;
use domain::tracking_request::NumberKind;
use http::{HeaderName, HeaderValue};
use url::Url;

use super::section::Section;

/// How one carrier is asked and how its answers are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name of the feed; stands in every report as its source.
    pub id: String,
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
    /// What it does its own way.
    pub quirks: Quirks,
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
    /// Prefixes that the carrier does not want to see on its own bills.
    pub bill_prefixes_cut: Vec<String>,
}

/// How we prove who we are. The values are names of secrets; the secrets themselves are never in a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Auth {
    /// Header fields and the secret that each carries.
    pub headers: Vec<(HeaderName, String)>,
    /// OAuth 2 client credentials, when the carrier wants a token.
    pub token: Option<TokenGrant>,
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
}

/// How often a carrier is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polling {
    /// All questions together.
    pub requests_per_minute: u32,
    /// One number, while its cargo is under way.
    pub in_transit: Duration,
    /// One number, in the two days around an arrival.
    pub near_arrival: Duration,
    /// One number that the carrier does not know.
    pub not_found: Duration,
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
}

/// Why a profile is not usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct ProfileError {
    /// The key, with its table (`auth.token_url`), or the line when the file is no TOML.
    pub key: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Profile {
    /// Reads a profile. Every key is checked, and one that means nothing is an error: a misspelt quirk
    /// would otherwise move every time of a carrier by hours, silently.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let mut top = Section::of_document(text)?;
        top.exactly("protocol", "dcsa-2")?;
        let profile = Self {
            id: id(&mut top)?,
            scacs: scacs(&mut top)?,
            line: top.table("line")?.map(line_names).transpose()?,
            endpoint: endpoint(top.required_table("endpoint")?)?,
            numbers: numbers(top.table_or_empty("numbers")?)?,
            auth: auth(top.table_or_empty("auth")?)?,
            polling: polling(top.table_or_empty("polling")?)?,
            quirks: quirks(top.table_or_empty("quirks")?)?,
        };
        top.finish()?;
        Ok(profile)
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
}

fn id(top: &mut Section) -> Result<String, ProfileError> {
    let id = top.required_text("id")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.len() > 64 || !id.chars().all(plain) {
        return Err(top.bad(
            "id",
            "has at most 64 letters, digits, dashes, dots and underscores",
        ));
    }
    Ok(id)
}

fn scacs(top: &mut Section) -> Result<Vec<Scac>, ProfileError> {
    let texts = top.texts("scac")?;
    if texts.is_empty() {
        return Err(top.bad("scac", "is missing"));
    }
    let codes = texts.iter().map(|text| Scac::parse(text));
    codes
        .collect::<Result<_, _>>()
        .map_err(|e| top.bad("scac", &e.to_string()))
}

fn line_names(mut table: Section) -> Result<LineNames, ProfileError> {
    let name = table.required_text("name")?;
    let short_name = table.text("short_name")?.unwrap_or_else(|| name.clone());
    table.finish()?;
    Ok(LineNames { name, short_name })
}

fn endpoint(mut table: Section) -> Result<Endpoint, ProfileError> {
    let base = table
        .url("base")?
        .ok_or_else(|| table.bad("base", "is missing"))?;
    let path = table.text("path")?.unwrap_or_else(|| "/v2/events".into());
    if !path.starts_with('/') {
        return Err(table.bad("path", "begins with a slash"));
    }
    let page_size = Some(table.number("page_size", 100, 0..=10_000)?).filter(|size| *size > 0);
    let headers = table.pairs("headers")?;
    let endpoint = Endpoint {
        base,
        path,
        api_version: table.text("api_version")?,
        page_size,
        pages_max: table.number("pages_max", 20, 1..=1000)?,
        headers: headers
            .into_iter()
            .map(|(name, value)| Ok((header_name(&table, &name)?, header_value(&table, &value)?)))
            .collect::<Result<_, ProfileError>>()?,
        query: table.pairs("query")?,
    };
    table.finish()?;
    Ok(endpoint)
}

/// Without a table, the names that the standard gives; with one, exactly the kinds it names.
fn numbers(mut table: Section) -> Result<Numbers, ProfileError> {
    let mut kinds = [
        table.text("bill_of_lading")?,
        table.text("booking")?,
        table.text("container")?,
    ];
    if kinds.iter().all(Option::is_none) {
        let standard = [
            "transportDocumentReference",
            "carrierBookingReference",
            "equipmentReference",
        ];
        kinds = standard.map(|name| Some(name.to_owned()));
    }
    let [bill_of_lading, booking, container] = kinds;
    let bill_prefixes_cut = table.texts("bill_prefixes_cut")?;
    table.finish()?;
    Ok(Numbers {
        bill_of_lading,
        booking,
        container,
        bill_prefixes_cut,
    })
}

fn auth(mut table: Section) -> Result<Auth, ProfileError> {
    let kind = table.text("kind")?.unwrap_or_else(|| "none".into());
    let mut headers = Vec::new();
    for (name, secret) in table.pairs("headers")? {
        headers.push((header_name(&table, &name)?, secret));
    }
    let token = match kind.as_str() {
        "oauth2" => Some(token_grant(&mut table)?),
        "headers" if headers.is_empty() => return Err(table.bad("headers", "is missing")),
        "headers" => None,
        "none" if headers.is_empty() => None,
        "none" => return Err(table.bad("kind", "is none, but there are headers with secrets")),
        other => {
            let reason = format!("is none, headers or oauth2, not {other:?}");
            return Err(table.bad("kind", &reason));
        }
    };
    table.finish()?;
    Ok(Auth { headers, token })
}

fn token_grant(table: &mut Section) -> Result<TokenGrant, ProfileError> {
    let secret = |named: Option<String>, usual: &str| named.unwrap_or_else(|| usual.to_owned());
    Ok(TokenGrant {
        url: table
            .url("token_url")?
            .ok_or_else(|| table.bad("token_url", "is missing"))?,
        scope: table.text("scope")?,
        client_id: secret(table.text("client_id")?, "client_id"),
        client_secret: secret(table.text("client_secret")?, "client_secret"),
        in_header: table.flag("credentials_in_header")?,
    })
}

fn polling(mut table: Section) -> Result<Polling, ProfileError> {
    let minutes = |count: u32| Duration::from_secs(u64::from(count) * 60);
    let polling = Polling {
        requests_per_minute: table.number("requests_per_minute", 60, 1..=100_000)?,
        in_transit: minutes(table.number("in_transit_minutes", 300, 1..=10_080)?),
        near_arrival: minutes(table.number("near_arrival_minutes", 60, 1..=10_080)?),
        not_found: minutes(table.number("not_found_minutes", 1440, 1..=10_080)?),
    };
    table.finish()?;
    Ok(polling)
}

fn quirks(mut table: Section) -> Result<Quirks, ProfileError> {
    let quirks = Quirks {
        z_is_local: table.flag("z_is_local")?,
        ids_unusable: table.flag("ids_unusable")?,
        date_only: table.flag("date_only")?,
        created_is_event: table.flag("created_is_event")?,
    };
    table.finish()?;
    Ok(quirks)
}

fn header_name(table: &Section, name: &str) -> Result<HeaderName, ProfileError> {
    HeaderName::try_from(name).map_err(|e| table.bad("headers", &format!("{name:?}: {e}")))
}

fn header_value(table: &Section, value: &str) -> Result<HeaderValue, ProfileError> {
    HeaderValue::try_from(value).map_err(|e| table.bad("headers", &format!("{value:?}: {e}")))
}
