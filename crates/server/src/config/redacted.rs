//! Addresses that hold a password.

use super::SHOWN_INSTEAD;

/// An address without who signs in and the password: before the host, and among the parameters, where PostgreSQL takes
/// one too. Of one that can be read in two ways nothing is shown.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (address, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    let shown = match address.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{SHOWN_INSTEAD}@{host}"),
        None if parameters.contains('@') => return format!("{scheme}://{SHOWN_INSTEAD}"),
        None => format!("{scheme}://{address}"),
    };
    if parameters.is_empty() {
        return shown;
    }
    let parameters: Vec<String> = parameters.split('&').map(without_value).collect();
    format!("{shown}?{}", parameters.join("&"))
}

/// A name that is written with percent signs may be that of a password.
fn without_value(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _)) if name.contains("password") || name.contains('%') => {
            format!("{name}={SHOWN_INSTEAD}")
        }
        _ => parameter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown_wherever_it_stands() {
        for (url, shown) in [
            ("postgres://a:b@host/db", "postgres://(set)@host/db"),
            ("postgres://host/db", "postgres://host/db"),
            (
                "postgres://a@host/db?password=b@c&sslmode=require",
                "postgres://(set)@host/db?password=(set)&sslmode=require",
            ),
            (
                "postgres:///db?host=/run&p%61ssword=b&user=a",
                "postgres:///db?host=/run&p%61ssword=(set)&user=a",
            ),
            ("http://a:b?c@host:3128", "http://(set)"),
            ("http://a:b@c@host:3128", "http://(set)@host:3128"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
