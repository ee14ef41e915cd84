//! What goes into a statement.

use domain::moment;
use jiff::Timestamp;
use uuid::Uuid;

use crate::Error;

/// A parameter. It borrows, so a use case that runs twice binds what it captured without cloning.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Id(Uuid),
    Time(Timestamp),
}

impl Value<'_> {
    /// Refuses what only one engine would take, so that both behave alike.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Text(text) if text.contains('\0') => {
                Err(Error::Refused("a text holds the character NUL".into()))
            }
            // The latest instant that there is lies in the year 9999.
            Self::Time(at) if *at < moment::FIRST => {
                Err(Error::Refused(format!("{at} cannot be stored")))
            }
            _ => Ok(()),
        }
    }
}

macro_rules! value_from {
    ($($type:ty, $value:ident => $made:expr;)+) => {$(
        impl<'a> From<$type> for Value<'a> {
            fn from($value: $type) -> Self {
                $made
            }
        }
    )+};
}

value_from! {
    bool, value => Self::Bool(value);
    i64, value => Self::Int(value);
    u32, value => Self::Int(i64::from(value));
    u16, value => Self::Int(i64::from(value));
    &'a str, value => Self::Text(value);
    &'a String, value => Self::Text(value);
    &'a [u8], value => Self::Bytes(value);
    &'a Vec<u8>, value => Self::Bytes(value);
    &'a [u8; 32], value => Self::Bytes(value);
    Uuid, value => Self::Id(value);
    Timestamp, value => Self::Time(value);
    &'a Option<String>, value => value.as_ref().map_or(Self::Null, |text| Self::Text(text));
}

macro_rules! value_from_ids {
    ($($id:ident),+) => {$(
        impl From<domain::ids::$id> for Value<'_> {
            fn from(id: domain::ids::$id) -> Self {
                Self::Id(id.0)
            }
        }
    )+};
}

value_from_ids!(
    AccountId,
    ApiKeyId,
    TrackingRequestId,
    WatchId,
    RawMessageId,
    ReportId,
    ShipmentId,
    ContainerId,
    EventId,
    WebhookId,
    NotificationId,
    RedeliveryId,
    PartyId,
    CustomFieldDefinitionId,
    CustomFieldOptionId,
    CustomFieldId,
    ReferenceId
);

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
