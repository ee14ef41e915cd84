//! On what a field is set, and what it holds.

/// Which kind of record has the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    /// A shipment.
    Shipment,
    /// A container.
    Container,
    /// A tracking request.
    TrackingRequest,
}

impl EntityKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Shipment, Self::Container, Self::TrackingRequest];

    /// As a definition names it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shipment => "Shipment",
            Self::Container => "Container",
            Self::TrackingRequest => "TrackingRequest",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The resource type of such a record.
    pub fn resource(self) -> &'static str {
        match self {
            Self::Shipment => "shipment",
            Self::Container => "container",
            Self::TrackingRequest => "tracking_request",
        }
    }

    /// The kind of records of this resource type.
    pub fn of_resource(resource: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.resource() == resource)
    }
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DataType {
    /// One line of text.
    ShortText,
    /// A decimal: 12 digits before the point, 6 behind it.
    Number,
    /// A day.
    Date,
    /// An instant.
    DateTime,
    /// True or false.
    Boolean,
    /// One option.
    Enum,
    /// Some options.
    EnumMulti,
    /// Another record.
    Reference,
}

impl DataType {
    /// Every type.
    pub const ALL: [Self; 8] = [
        Self::ShortText,
        Self::Number,
        Self::Date,
        Self::DateTime,
        Self::Boolean,
        Self::Enum,
        Self::EnumMulti,
        Self::Reference,
    ];

    /// As on the wire and as stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShortText => "short_text",
            Self::Number => "number",
            Self::Date => "date",
            Self::DateTime => "datetime",
            Self::Boolean => "boolean",
            Self::Enum => "enum",
            Self::EnumMulti => "enum_multi",
            Self::Reference => "reference",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// Whether its values are options of the definition.
    pub fn has_options(self) -> bool {
        matches!(self, Self::Enum | Self::EnumMulti)
    }
}
