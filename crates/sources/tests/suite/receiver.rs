//! Verifying what a carrier sends. The signatures are made with a library that the receiver does not use.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use sources::ocean::dcsa::push::{
    PUSH_BYTES_MAX, PushRefused, Receiver, SecretUnusable, SigningKeys, feedback,
};
use sources::ocean::dcsa::{Push, SecretForm};

use crate::told::{profile, read};

const BODY: &[u8] = b"[{\"eventID\":\"p-1\"}]";
const KEY: &[u8] = b"0123456789abcdef0123456789abcdef";
const OLD: &[u8] = b"fedcba9876543210fedcba9876543210";

fn rules(more: &str) -> Push {
    profile(&format!("[push]\n{more}")).push.unwrap()
}

fn keys(current: &[u8], previous: Option<&[u8]>) -> SigningKeys {
    let secret = |key: &[u8]| STANDARD.encode(key).into();
    let previous = previous.map(secret);
    SigningKeys::new(SecretForm::Base64, &secret(current), previous.as_ref()).unwrap()
}

fn receiver(more: &str) -> Receiver {
    Receiver::new(rules(more), [("sub-1".to_owned(), keys(KEY, Some(OLD)))])
}

fn signed(key: &[u8], body: &[u8]) -> String {
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, key);
    let tag = ring::hmac::sign(&key, body);
    tag.as_ref().iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

fn headers(fields: &[(&str, &str)]) -> HeaderMap {
    let each = fields.iter().map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    each.collect()
}

fn verified(receiver: &Receiver, fields: &[(&str, &str)]) -> Result<bool, PushRefused> {
    let verified = receiver.verify(&headers(fields), BODY)?;
    assert_eq!(verified.subscription, "sub-1");
    Ok(verified.by_previous_secret)
}

#[test]
fn a_signature_by_either_secret_is_the_carriers() {
    let receiver = receiver("");
    let prefixed = format!("sha256={}", signed(KEY, BODY));
    let named = ("Subscription-ID", "sub-1");
    assert_eq!(
        verified(&receiver, &[named, ("Notification-Signature", &prefixed)]),
        Ok(false)
    );
    let bare = signed(KEY, BODY).to_uppercase();
    assert_eq!(
        verified(&receiver, &[named, ("Signature", &bare)]),
        Ok(false)
    );
    let old = format!("SHA256={}", signed(OLD, BODY));
    assert_eq!(
        verified(&receiver, &[named, ("Notification-Signature", &old)]),
        Ok(true)
    );
    let only_one = [("Notification-Signature", prefixed.as_str())];
    assert_eq!(
        verified(&receiver, &only_one),
        Ok(false),
        "a carrier may leave the id out"
    );
}

#[test]
fn the_field_of_a_carrier_is_a_setting() {
    let receiver = receiver("signature_headers = [\"X-Maersk-Signature-256\"]");
    let signature = format!("sha256={}", signed(KEY, BODY));
    assert_eq!(
        verified(&receiver, &[("X-Maersk-Signature-256", &signature)]),
        Ok(false)
    );
    let elsewhere = verified(&receiver, &[("Notification-Signature", &signature)]);
    assert_eq!(elsewhere, Err(PushRefused::Unsigned));
}

#[test]
fn whatever_else_is_signed_is_not() {
    let receiver = receiver("");
    let good = signed(KEY, BODY);
    let of_other_body = signed(KEY, b"[]");
    let of_other_key = signed(b"another key of another carrier..", BODY);
    let of_text = signed(STANDARD.encode(KEY).as_bytes(), BODY);
    let mut flipped = good.clone();
    flipped.replace_range(63.., if good.ends_with('0') { "1" } else { "0" });
    for wrong in [of_other_body, of_other_key, of_text, flipped] {
        let sent = verified(&receiver, &[("Signature", &wrong)]);
        assert_eq!(sent, Err(PushRefused::SignatureWrong), "{wrong}");
    }
    let cut = good.get(..62).unwrap();
    let sha1 = format!("sha1={good}");
    let signed_numbers = good.replace(|_| true, "+");
    for unreadable in [
        "",
        "sha256=",
        "sha256",
        cut,
        &sha1,
        &"g".repeat(64),
        &signed_numbers,
    ] {
        let sent = verified(&receiver, &[("Signature", unreadable)]);
        assert_eq!(sent, Err(PushRefused::SignatureUnreadable), "{unreadable}");
    }
    assert_eq!(verified(&receiver, &[]), Err(PushRefused::Unsigned));
}

#[test]
fn a_secret_counts_for_its_own_subscription_only() {
    let two = [("sub-1", KEY), ("sub-2", OLD)].map(|(id, key)| (id.to_owned(), keys(key, None)));
    let receiver = Receiver::new(rules(""), two);
    let signature = signed(OLD, BODY);
    let sent = |id: &str| {
        verified(
            &receiver,
            &[("Subscription-ID", id), ("Signature", &signature)],
        )
    };
    assert_eq!(sent("sub-1"), Err(PushRefused::SignatureWrong));
    assert_eq!(sent("sub-3"), Err(PushRefused::UnknownSubscription));
    let unnamed = verified(&receiver, &[("Signature", &signature)]);
    assert_eq!(unnamed, Err(PushRefused::NoSubscription));
    let one = Receiver::by_hand(rules(""), "sub-1", keys(OLD, None));
    let by_hand = [("Subscription-ID", "3f1c2a"), ("Signature", &*signature)];
    assert_eq!(verified(&one, &by_hand), Ok(false));
    let none = Receiver::new(rules(""), []);
    let sent = verified(&none, &[("Signature", &signature)]);
    assert_eq!(sent, Err(PushRefused::UnknownSubscription));
}

#[test]
fn secrets_are_decoded_or_raw_as_the_profile_says() {
    let text = "a secret that is no base64";
    let base64 = SigningKeys::new(SecretForm::Base64, &text.into(), None);
    assert_eq!(base64.unwrap_err(), SecretUnusable::NotBase64);
    let short = SigningKeys::new(SecretForm::Raw, &"short".into(), None);
    assert_eq!(short.unwrap_err(), SecretUnusable::TooShort);
    let keys = SigningKeys::new(SecretForm::Raw, &text.into(), None).unwrap();
    assert!(!format!("{keys:?}").contains(text));
    let receiver = Receiver::new(rules("secret = \"raw\""), [("sub-1".to_owned(), keys)]);
    let signature = signed(text.as_bytes(), BODY);
    assert_eq!(verified(&receiver, &[("Signature", &signature)]), Ok(false));
    let unpadded = STANDARD.encode(KEY).trim_end_matches('=').to_owned();
    SigningKeys::new(SecretForm::Base64, &unpadded.into(), None).unwrap();
}

#[test]
fn a_body_without_end_is_refused_unread() {
    let long = vec![b' '; PUSH_BYTES_MAX + 1];
    let receiver = receiver("");
    let refused = receiver.verify(&headers(&[]), &long);
    assert_eq!(refused, Err(PushRefused::TooLong));
}

#[test]
fn version_3_is_told_what_cannot_be_used() {
    let fine = read("{\"events\":[]}");
    assert_eq!(feedback(&fine).to_string(), "{\"feedbackElements\":[]}");
    let odd = read("{\"events\":[{\"eventID\":\"x\",\"eventType\":\"TRANSPORT\"}]}");
    let told = feedback(&odd);
    let first = &told["feedbackElements"][0];
    assert_eq!(first["severity"], "WARN");
    assert_eq!(first["propertyPath"], "$.events[0].eventClassifierCode");
    assert_eq!(
        feedback(&read("[{}]"))["feedbackElements"][0]["propertyPath"],
        "$[0]"
    );
    let broken = feedback(&read("<html>"));
    assert_eq!(broken["feedbackElements"][0]["severity"], "ERROR");
}
