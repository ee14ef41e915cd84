//! The type of a resource as clients write it.
//!
//! The reference interface takes a body whose `data.type` is the collection's name, or missing, as gladly as one in the
//! singular, and its clients rely on it: what the path says already is not asked for again. A type that is another one's is a
//! body that came to the wrong place.

/// The type's name as its collection is called: `tracking_requests`, `parties`.
pub fn plural(kind: &str) -> String {
    let stem = kind.strip_suffix('y');
    match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    }
}

/// Whether the type that was sent is this one.
pub(super) fn is(sent: &str, kind: &str) -> bool {
    sent == kind || sent == plural(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_many() {
        for (one, many) in [
            ("webhook", "webhooks"),
            ("party", "parties"),
            ("api_key", "api_keys"),
            ("custom_field_option", "custom_field_options"),
        ] {
            assert_eq!(plural(one), many);
            assert!(is(one, one) && is(many, one));
            assert!(!is(&many.to_uppercase(), one) && !is("", one));
        }
    }

    #[test]
    fn collections_are_called_as_the_rule_says() {
        // A terminal at a railroad stands among the others.
        let kinds = crate::resource::TYPES.iter();
        for kind in kinds.filter(|kind| kind.name != "rail_terminal") {
            if let Some(collection) = kind.collection {
                assert_eq!(plural(kind.name), collection);
            }
        }
    }
}
