//! Why a custom field, a definition or an option is refused.

use domain::custom_field::{
    DEFINITIONS_MAX, DataType, EntityKind, FIELDS_MAX, FormatRefused, OPTIONS_MAX, Refused,
    RulesRefused,
};

/// Why it is refused.
#[derive(Debug, thiserror::Error)]
pub enum FieldRefused {
    /// No definition has this slug.
    #[error("'{0}' is no custom field of this account")]
    SlugUnknown(String),
    /// The definition is for other records.
    #[error("'{slug}' is a custom field of {}, not of {}", of.as_str(), on.as_str())]
    OtherEntity {
        /// The slug.
        slug: String,
        /// The kind of records it is for.
        of: EntityKind,
        /// The kind of record it was to be set on.
        on: EntityKind,
    },
    /// The account has a definition of this slug.
    #[error("'{0}' is taken")]
    SlugTaken(String),
    /// What cannot change.
    #[error("cannot be changed")]
    Immutable(&'static str),
    /// The demands on values.
    #[error(transparent)]
    Rules(#[from] RulesRefused),
    /// The format.
    #[error(transparent)]
    Format(#[from] FormatRefused),
    /// The value that a form offers.
    #[error("{0}")]
    Default(Refused),
    /// The value.
    #[error("{0}")]
    Value(Refused),
    /// Values of this type are no options.
    #[error("cannot be an option of a {} field", .0.as_str())]
    NoOptions(DataType),
    /// The definition has an option of this value.
    #[error("'{0}' is taken")]
    OptionTaken(String),
    /// The account has no such record.
    #[error("names no {}", .0.resource())]
    EntityUnknown(EntityKind),
    /// As many definitions as an account can have.
    #[error("cannot be added: an account has {DEFINITIONS_MAX} definitions at most")]
    TooManyDefinitions,
    /// As many options as a definition can have.
    #[error("cannot be added: a definition has {OPTIONS_MAX} options at most")]
    TooManyOptions,
    /// As many values as an account can have.
    #[error("cannot be added: an account has {FIELDS_MAX} custom fields at most")]
    TooManyFields,
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}
