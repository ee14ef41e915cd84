//! Whether a message comes from the carrier.

use std::collections::BTreeMap;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderMap;
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::Sha256;

use crate::ocean::dcsa::profile::{Push, SecretForm};

/// A longer message is refused unread.
pub const PUSH_BYTES_MAX: usize = 5 * 1024 * 1024;
/// A shorter key can be guessed.
const KEY_BYTES_MIN: usize = 16;

/// Verifies what one carrier sends.
#[derive(Clone, Debug)]
pub struct Receiver {
    rules: Push,
    keys: BTreeMap<String, SigningKeys>,
    /// The one subscription was made by hand.
    by_hand: bool,
}

/// The keys of one subscription.
#[derive(Clone, Debug)]
pub struct SigningKeys {
    current: SecretSlice<u8>,
    previous: Option<SecretSlice<u8>>,
}

/// A message that comes from the carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified<'a> {
    /// The subscription it was sent for.
    pub subscription: &'a str,
    /// Whether it was signed with the secret before the current one: the carrier has not changed over yet.
    pub by_previous_secret: bool,
}

/// Why a message is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushRefused {
    /// It is longer than [`PUSH_BYTES_MAX`].
    #[error("the message is longer than {PUSH_BYTES_MAX} bytes")]
    TooLong,
    /// It names no subscription, and there are several.
    #[error("the message names no subscription")]
    NoSubscription,
    /// It names one that we have no secret of.
    #[error("the message is for a subscription that is not ours")]
    UnknownSubscription,
    /// It is not signed.
    #[error("the message carries no signature")]
    Unsigned,
    /// Its signature is not of the form `sha256=<64 hexadecimal digits>`.
    #[error("the signature cannot be read")]
    SignatureUnreadable,
    /// Its signature is not the carrier's.
    #[error("the signature does not fit")]
    SignatureWrong,
}

/// Why a secret cannot be the key of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretUnusable {
    /// The profile says that it is base64.
    #[error(
        "the secret is not base64; if the carrier uses it as it stands, set push.secret = \"raw\""
    )]
    NotBase64,
    /// It could be guessed.
    #[error("the secret has fewer than {KEY_BYTES_MIN} bytes")]
    TooShort,
}

impl SigningKeys {
    /// The key of a secret, and while it is being replaced of the one before.
    pub fn new(
        form: SecretForm,
        current: &SecretString,
        previous: Option<&SecretString>,
    ) -> Result<Self, SecretUnusable> {
        Ok(Self {
            current: key(form, current)?,
            previous: previous.map(|secret| key(form, secret)).transpose()?,
        })
    }
}

impl Receiver {
    /// For one carrier. `keys` are those of each subscription, by its id; a carrier that sends no id has one
    /// subscription, under any.
    pub fn new(rules: Push, keys: impl IntoIterator<Item = (String, SigningKeys)>) -> Self {
        Self {
            rules,
            keys: keys.into_iter().collect(),
            by_hand: false,
        }
    }

    /// For a subscription that was made by hand: the carrier drew its id, and only the signature can tell whose it is.
    pub fn by_hand(rules: Push, source: &str, keys: SigningKeys) -> Self {
        Self {
            by_hand: true,
            ..Self::new(rules, [(source.to_owned(), keys)])
        }
    }

    /// Whether a message comes from the carrier. `body` is the body as it came, to the byte: nothing may have
    /// unpacked or parsed it. Takes the same time for every wrong signature.
    pub fn verify(&self, headers: &HeaderMap, body: &[u8]) -> Result<Verified<'_>, PushRefused> {
        if body.len() > PUSH_BYTES_MAX {
            return Err(PushRefused::TooLong);
        }
        let (subscription, keys) = self.keys_for(headers)?;
        let signature = self.signature(headers)?;
        let current = fits(&keys.current, body, &signature);
        let previous = keys
            .previous
            .as_ref()
            .is_some_and(|key| fits(key, body, &signature));
        if !current && !previous {
            return Err(PushRefused::SignatureWrong);
        }
        Ok(Verified {
            subscription,
            by_previous_secret: !current,
        })
    }

    /// Whether a signature stands in the head of a push, whatever it is worth.
    pub fn is_signed(rules: &Push, headers: &HeaderMap) -> bool {
        let mut names = rules.signature_headers.iter();
        names.any(|name| headers.contains_key(name))
    }

    fn keys_for(&self, headers: &HeaderMap) -> Result<(&str, &SigningKeys), PushRefused> {
        let named = headers.get(&self.rules.subscription_header);
        let found = match named {
            None if self.keys.len() > 1 => return Err(PushRefused::NoSubscription),
            Some(id) if !self.by_hand => {
                let id = id.to_str().unwrap_or_default().trim();
                self.keys.get_key_value(id)
            }
            _ => self.keys.first_key_value(),
        };
        let (id, keys) = found.ok_or(PushRefused::UnknownSubscription)?;
        Ok((id, keys))
    }

    fn signature(&self, headers: &HeaderMap) -> Result<[u8; 32], PushRefused> {
        let mut names = self.rules.signature_headers.iter();
        let sent = names
            .find_map(|name| headers.get(name))
            .ok_or(PushRefused::Unsigned)?;
        let text = sent.to_str().unwrap_or_default().trim();
        let (scheme, digits) = text.split_once('=').unwrap_or(("sha256", text));
        if !scheme.eq_ignore_ascii_case("sha256") {
            return Err(PushRefused::SignatureUnreadable);
        }
        of_hex(digits).ok_or(PushRefused::SignatureUnreadable)
    }
}

fn fits(key: &SecretSlice<u8>, body: &[u8], signature: &[u8; 32]) -> bool {
    // A key of any length is one.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.expose_secret()) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(signature).is_ok()
}

fn key(form: SecretForm, secret: &SecretString) -> Result<SecretSlice<u8>, SecretUnusable> {
    let text = secret.expose_secret().trim();
    let bytes = match form {
        SecretForm::Raw => text.as_bytes().to_vec(),
        SecretForm::Base64 => base64_of_any_padding()
            .decode(text.replace('-', "+").replace('_', "/"))
            .map_err(|_| SecretUnusable::NotBase64)?,
    };
    if bytes.len() < KEY_BYTES_MIN {
        return Err(SecretUnusable::TooShort);
    }
    Ok(bytes.into())
}

fn base64_of_any_padding() -> GeneralPurpose {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&alphabet::STANDARD, config)
}

fn of_hex(digits: &str) -> Option<[u8; 32]> {
    let digits = digits.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        if !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
}
