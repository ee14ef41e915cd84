//! The file of a profile, key by key.

use std::time::Duration;

use domain::codes::Scac;
use http::{HeaderName, HeaderValue};

use super::{
    Assertion, Auth, ClientCertificate, Dialect, Endpoint, Incremental, LineNames, Numbers,
    Polling, Profile, ProfileError, Protocol, Push, Quirks, RequestSignature, SecretForm,
    TokenGrant,
};
use crate::section::Section;

/// Reads a profile.
pub(super) fn read(text: &str) -> Result<Profile, ProfileError> {
    let mut top = Section::of_document(text)?;
    let protocol = protocol(&mut top)?;
    let id = id(&mut top)?;
    let profile = Profile {
        id,
        protocol,
        scacs: scacs(&mut top)?,
        line: top.table("line")?.map(line_names).transpose()?,
        endpoint: endpoint(top.required_table("endpoint")?, protocol)?,
        numbers: numbers(top.table_or_empty("numbers")?, protocol)?,
        auth: auth(top.table_or_empty("auth")?)?,
        polling: polling(top.table_or_empty("polling")?)?,
        push: top.table("push")?.map(|t| push(t, protocol)).transpose()?,
        quirks: quirks(top.table_or_empty("quirks")?)?,
    };
    let asked = profile.endpoint.incremental.as_ref();
    let by_event = asked.is_some_and(|it| it.parameter.starts_with("eventCreatedDateTime"));
    if by_event && profile.quirks.created_is_event {
        let reason = "asks by a time that is that of the event here (quirks.created_is_event), so what is told late would never be heard: name another incremental_parameter, or leave it off";
        return Err(top.bad("endpoint.incremental", reason));
    }
    top.finish()?;
    Ok(profile)
}

fn protocol(top: &mut Section) -> Result<Protocol, ProfileError> {
    let said = top.required_text("protocol")?;
    let dialect = top.text("dialect")?;
    if let Some(dialect) = dialect.as_ref().filter(|_| said != "dcsa-3") {
        let reason = format!("{dialect:?} is of dcsa-3 only");
        return Err(top.bad("dialect", &reason));
    }
    Ok(match said.as_str() {
        "dcsa-2" => Protocol::Dcsa2,
        "cosco" => Protocol::Cosco,
        "dcsa-3" => Protocol::Dcsa3(match dialect.as_deref() {
            None | Some("3.0.0") => Dialect::Published,
            Some("3.0.0-sandbox") => Dialect::Sandbox,
            Some("3.0.0-beta-1") => Dialect::Beta1,
            Some(other) => {
                let reason = format!("is 3.0.0, 3.0.0-sandbox or 3.0.0-beta-1, not {other:?}");
                return Err(top.bad("dialect", &reason));
            }
        }),
        other => {
            let reason = format!(
                "is dcsa-2, dcsa-3, cosco, terminal-table, rail-rest, edi, clm or ais, not {other:?}"
            );
            return Err(top.bad("protocol", &reason));
        }
    })
}

fn id(top: &mut Section) -> Result<String, ProfileError> {
    let id = top.required_text("id")?;
    plain_name(top, "id", id)
}

fn plain_name(table: &Section, key: &str, name: String) -> Result<String, ProfileError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.len() > 64 || !name.chars().all(plain) {
        return Err(table.bad(
            key,
            "has at most 64 letters, digits, dashes, dots and underscores",
        ));
    }
    Ok(name)
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

fn endpoint(mut table: Section, protocol: Protocol) -> Result<Endpoint, ProfileError> {
    let base = table
        .base("base")?
        .ok_or_else(|| table.bad("base", "is missing"))?;
    let path = table.text("path")?;
    let path = path.unwrap_or_else(|| protocol.usual_path().into());
    if !path.starts_with('/') {
        return Err(table.bad("path", "begins with a slash"));
    }
    let usual_size = if protocol == Protocol::Cosco { 0 } else { 100 };
    let page_size =
        Some(table.number("page_size", usual_size, 0..=10_000)?).filter(|size| *size > 0);
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
        incremental: incremental(&mut table, protocol)?,
    };
    table.finish()?;
    Ok(endpoint)
}

fn incremental(
    table: &mut Section,
    protocol: Protocol,
) -> Result<Option<Incremental>, ProfileError> {
    let wanted = table.flag("incremental")?;
    let parameter = table.text("incremental_parameter")?;
    let overlap = table.number("incremental_overlap_hours", 24, 1..=720)?;
    let usual = match protocol {
        Protocol::Dcsa3(Dialect::Sandbox | Dialect::Published) => "eventUpdatedDateTimeMin",
        Protocol::Dcsa2 | Protocol::Dcsa3(Dialect::Beta1) => "eventCreatedDateTime:gte",
        Protocol::Cosco if wanted && parameter.is_none() => {
            return Err(table.bad("incremental_parameter", "is missing"));
        }
        Protocol::Cosco => "",
    };
    Ok(wanted.then(|| Incremental {
        parameter: parameter.unwrap_or_else(|| usual.to_owned()),
        overlap: Duration::from_hours(overlap.into()),
    }))
}

/// Without a table, the names that the protocol gives; with one, exactly the kinds it names.
fn numbers(mut table: Section, protocol: Protocol) -> Result<Numbers, ProfileError> {
    const KINDS: [&str; 3] = ["bill_of_lading", "booking", "container"];
    let mut parameters = [const { None }; 3];
    let mut beside = [const { Vec::new() }; 3];
    for ((kind, parameter), beside) in KINDS.iter().zip(&mut parameters).zip(&mut beside) {
        *parameter = table.text(kind)?;
        *beside = table.pairs(&format!("{kind}_query"))?;
    }
    if parameters.iter().all(Option::is_none) {
        for (index, (parameter, usual)) in protocol.usual_numbers().into_iter().enumerate() {
            if let (Some(slot), Some(pairs)) = (parameters.get_mut(index), beside.get_mut(index)) {
                *slot = Some(parameter.to_owned());
                let usual = usual.map(|(name, value)| (name.to_owned(), value.to_owned()));
                pairs.extend(usual);
            }
        }
    }
    let [bill_of_lading, booking, container] = parameters;
    let bill_prefixes_cut = table.texts("bill_prefixes_cut")?;
    table.finish()?;
    Ok(Numbers {
        bill_of_lading,
        booking,
        container,
        beside,
        bill_prefixes_cut,
    })
}

impl Protocol {
    fn usual_path(self) -> &'static str {
        match self {
            Self::Dcsa2 => "/v2/events",
            Self::Dcsa3(Dialect::Beta1) => "/v3/events",
            Self::Dcsa3(Dialect::Sandbox | Dialect::Published) => "/events",
            Self::Cosco => "/service/info/tracking/{number}",
        }
    }

    /// The parameters of bills of lading, bookings and containers, and what stands beside each.
    fn usual_numbers(self) -> [(&'static str, Option<(&'static str, &'static str)>); 3] {
        match self {
            Self::Dcsa2 | Self::Dcsa3(Dialect::Sandbox | Dialect::Published) => [
                ("transportDocumentReference", None),
                ("carrierBookingReference", None),
                ("equipmentReference", None),
            ],
            Self::Dcsa3(Dialect::Beta1) => [
                ("documentReference", Some(("documentTypeCodes", "TRD"))),
                ("documentReference", Some(("documentTypeCodes", "BKG"))),
                ("equipmentReference", None),
            ],
            Self::Cosco => [
                ("number", Some(("numberType", "bl"))),
                ("number", Some(("numberType", "bkg"))),
                ("number", Some(("numberType", "cntr"))),
            ],
        }
    }
}

pub(crate) fn auth(mut table: Section) -> Result<Auth, ProfileError> {
    let kind = table.text("kind")?.unwrap_or_else(|| "none".into());
    let mut headers = Vec::new();
    for (name, secret) in table.pairs("headers")? {
        headers.push((header_name(&table, &name)?, secret));
    }
    let signature = match kind.as_str() {
        "signature" => Some(request_signature(&mut table)?),
        _ => None,
    };
    let token = match kind.as_str() {
        "oauth2" => Some(token_grant(&mut table)?),
        "headers" if headers.is_empty() => return Err(table.bad("headers", "is missing")),
        "headers" | "signature" => None,
        "none" if headers.is_empty() => None,
        "none" => return Err(table.bad("kind", "is none, but there are headers with secrets")),
        other => {
            let reason = format!("is none, headers, oauth2 or signature, not {other:?}");
            return Err(table.bad("kind", &reason));
        }
    };
    let certificate = client_certificate(&mut table)?;
    let login = table.text("login")?;
    let login = login.map(|name| plain_name(&table, "login", name));
    let login = login.transpose()?;
    table.finish()?;
    Ok(Auth {
        login,
        headers,
        token,
        signature,
        certificate,
    })
}

fn client_certificate(table: &mut Section) -> Result<Option<ClientCertificate>, ProfileError> {
    let wanted = table.flag("mutual_tls")?;
    let (certificate, key) = (table.text("tls_certificate")?, table.text("tls_key")?);
    if !wanted && (certificate.is_some() || key.is_some()) {
        return Err(table.bad(
            "mutual_tls",
            "is not true, but a certificate or a key is named",
        ));
    }
    Ok(wanted.then(|| ClientCertificate {
        certificate: certificate.unwrap_or_else(|| "tls_certificate".into()),
        key: key.unwrap_or_else(|| "tls_key".into()),
    }))
}

fn request_signature(table: &mut Section) -> Result<RequestSignature, ProfileError> {
    let prefix = table.text("signature_prefix")?;
    let prefix = prefix.unwrap_or_else(|| "X-Coscon-".into());
    header_name(table, &format!("{prefix}Date"))
        .map_err(|error| table.bad("signature_prefix", &error.reason))?;
    let named = |text: Option<String>, usual: &str| text.unwrap_or_else(|| usual.to_owned());
    Ok(RequestSignature {
        prefix,
        key: named(table.text("api_key")?, "api_key"),
        secret: named(table.text("secret_key")?, "secret_key"),
    })
}

fn token_grant(table: &mut Section) -> Result<TokenGrant, ProfileError> {
    let secret = |named: Option<String>, usual: &str| named.unwrap_or_else(|| usual.to_owned());
    let url = table
        .url("token_url")?
        .ok_or_else(|| table.bad("token_url", "is missing"))?;
    let by_certificate = table.flag("certificate_assertion")?;
    let assertion = Assertion {
        private_key: secret(table.text("private_key")?, "private_key"),
        certificate: secret(table.text("certificate")?, "certificate"),
        audience: secret(table.text("audience")?, url.as_str()),
    };
    Ok(TokenGrant {
        url,
        assertion: by_certificate.then_some(assertion),
        scope: table.text("scope")?,
        client_id: secret(table.text("client_id")?, "client_id"),
        client_secret: secret(table.text("client_secret")?, "client_secret"),
        in_header: table.flag("credentials_in_header")?,
    })
}

pub(crate) fn polling(mut table: Section) -> Result<Polling, ProfileError> {
    let minutes = |count: u32| Duration::from_secs(u64::from(count) * 60);
    let polling = Polling {
        requests_per_minute: table.number("requests_per_minute", 60, 1..=100_000)?,
        requests_per_day: Some(table.number("requests_per_day", 0, 0..=10_000_000)?)
            .filter(|count| *count > 0),
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
        ids_numeric_only: table.flag("ids_numeric_only")?,
        midnight_is_date: table.flag("midnight_is_date")?,
        references_hashed: table.flag("references_hashed")?,
    };
    table.finish()?;
    Ok(quirks)
}

fn push(mut table: Section, protocol: Protocol) -> Result<Push, ProfileError> {
    let mut signature_headers = Vec::new();
    for name in table.texts("signature_headers")? {
        let name = header_name(&table, &name);
        signature_headers.push(name.map_err(|e| table.bad("signature_headers", &e.reason))?);
    }
    if signature_headers.is_empty() {
        signature_headers = ["notification-signature", "signature"]
            .map(HeaderName::from_static)
            .to_vec();
    }
    let subscription_header = table.text("subscription_header")?;
    let subscription_header = subscription_header.unwrap_or_else(|| "subscription-id".into());
    let subscription_header = header_name(&table, &subscription_header)
        .map_err(|e| table.bad("subscription_header", &e.reason))?;
    let secret = match table.text("secret")?.as_deref() {
        None | Some("base64") => SecretForm::Base64,
        Some("raw") => SecretForm::Raw,
        Some(other) => {
            return Err(table.bad("secret", &format!("is base64 or raw, not {other:?}")));
        }
    };
    let usual = match protocol {
        Protocol::Dcsa2 => Some("/v2/event-subscriptions"),
        Protocol::Dcsa3(Dialect::Beta1) => Some("/v3/event-subscriptions"),
        Protocol::Dcsa3(Dialect::Sandbox | Dialect::Published) | Protocol::Cosco => None,
    };
    let path = table.text("subscriptions_path")?;
    if path.as_ref().is_some_and(|path| !path.starts_with('/')) {
        return Err(table.bad("subscriptions_path", "begins with a slash"));
    }
    let subscriptions_path = path.or_else(|| usual.map(str::to_owned));
    let subscribe = table.flag("subscribe")?;
    if subscribe && subscriptions_path.is_none() {
        return Err(table.bad("subscribe", "needs subscriptions_path"));
    }
    table.finish()?;
    Ok(Push {
        signature_headers,
        subscription_header,
        secret,
        subscribe,
        subscriptions_path,
    })
}

pub(crate) fn header_name(table: &Section, name: &str) -> Result<HeaderName, ProfileError> {
    HeaderName::try_from(name).map_err(|e| table.bad("headers", &format!("{name:?}: {e}")))
}

fn header_value(table: &Section, value: &str) -> Result<HeaderValue, ProfileError> {
    HeaderValue::try_from(value).map_err(|e| table.bad("headers", &format!("{value:?}: {e}")))
}
