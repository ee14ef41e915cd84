//! What documents of a type hold: loaded by the operator, version by version.
//!
//! A version is a promise to whoever reads by it, so its content never changes: the same version with another
//! content is refused, and only its standing moves. Of each type one version is in force at most; a version
//! that comes into force takes the place of the one before.

mod check;

use domain::audit::Action;
use jiff::civil::Date;
use jsonapi::read::{Node, is_blank};
use store::Key;
use store::document_schema::{DocumentSchema, Loaded};

use crate::Tracking;
use crate::audit::{self, Detail};

pub use check::NotASchema;

/// Longest file taken.
pub const SCHEMA_BYTES_MAX: usize = 256 * 1024;
/// Longest name of a type, in characters.
pub const TYPE_CHARS_MAX: usize = 64;
/// Longest label, and longest description, in characters.
pub const LABEL_CHARS_MAX: usize = 255;
const DESCRIPTION_CHARS_MAX: usize = 10_000;

/// What the operator loads.
#[derive(Clone, Debug)]
pub struct NewSchema {
    /// Which documents: `bill_of_lading`.
    pub document_type: String,
    /// Names the version.
    pub version: Date,
    /// What people call the type; without one its title, else its name.
    pub label: Option<String>,
    /// How it stands.
    pub standing: Standing,
    /// The file.
    pub bytes: Vec<u8>,
}

/// How a version stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In force, in place of the one before.
    Current,
    /// Still being worked on.
    Draft,
    /// Neither: kept for documents that were read by it.
    Kept,
}

/// Why a schema is not loaded.
#[derive(Debug, thiserror::Error)]
pub enum SchemaRefused {
    /// A type that would not fit into an id.
    #[error("{0:?} is no type: small letters, digits and underscores, {TYPE_CHARS_MAX} at most")]
    Type(String),
    /// A label that people could not read.
    #[error("the label is longer than {LABEL_CHARS_MAX} characters, or has control characters")]
    Label,
    /// The file is too long.
    #[error("the file has {0} bytes, {SCHEMA_BYTES_MAX} are the most")]
    TooLong(usize),
    /// The file is no JSON, or no JSON Schema.
    #[error(transparent)]
    Content(#[from] NotASchema),
    /// The version is loaded already, and says something else.
    #[error(
        "{0} is loaded already with another content; give the new content a version of its own"
    )]
    OtherContent(String),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Loads a version, or moves the standing of one that is loaded. Returns its id.
pub async fn add(tracking: &Tracking, new: NewSchema) -> Result<String, SchemaRefused> {
    let schema = read(tracking, &new)?;
    let id = jsonapi::resource::document_schema::id(&schema.document_type, schema.version);
    // Any key would do, as long as it is the same for all of one type.
    let key = Key::account(id_of_type(&schema.document_type));
    let (named, by) = (id.clone(), tracking.whoever(schema.created_at));
    tracking
        .store()
        .write(key, move |tx| {
            let action = match store::document_schema::put(tx, &schema)? {
                Loaded::First => Action::DocumentSchemaCreated,
                Loaded::Again => Action::DocumentSchemaUpdated,
                Loaded::OtherContent => return Err(SchemaRefused::OtherContent(named.clone())),
            };
            let detail = Detail::default()
                .with("label", schema.label.as_str())
                .with("current", schema.current)
                .with("draft", schema.draft);
            audit::note_for_all(tx, by, action, &named, detail);
            Ok(())
        })
        .await?;
    Ok(id)
}

fn id_of_type(document_type: &str) -> domain::ids::AccountId {
    let named = domain::ids::ReferenceId::named("document_schema", document_type);
    domain::ids::AccountId(named.0)
}

fn read(tracking: &Tracking, new: &NewSchema) -> Result<DocumentSchema, SchemaRefused> {
    check_type(&new.document_type)?;
    if new.bytes.len() > SCHEMA_BYTES_MAX {
        return Err(SchemaRefused::TooLong(new.bytes.len()));
    }
    let node = check::schema(&new.bytes)?;
    let title = text_of(&node, "title", LABEL_CHARS_MAX);
    let label = match &new.label {
        Some(label) => label.trim().to_owned(),
        None => title.unwrap_or_else(|| spoken(&new.document_type)),
    };
    let readable = !is_blank(&label) && !label.chars().any(char::is_control);
    if !readable || label.chars().count() > LABEL_CHARS_MAX {
        return Err(SchemaRefused::Label);
    }
    let now = tracking.now();
    let current = new.standing == Standing::Current;
    Ok(DocumentSchema {
        document_type: new.document_type.clone(),
        version: new.version,
        label,
        description: text_of(&node, "description", DESCRIPTION_CHARS_MAX),
        payload: node.to_json_text(),
        current,
        draft: new.standing == Standing::Draft,
        active_at: current.then_some(now),
        created_at: now,
        updated_at: now,
    })
}

fn check_type(text: &str) -> Result<(), SchemaRefused> {
    let letters = text.bytes();
    let known = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let fits = !text.is_empty() && text.len() <= TYPE_CHARS_MAX;
    if fits && letters.clone().all(known) {
        return Ok(());
    }
    Err(SchemaRefused::Type(
        text.chars().take(TYPE_CHARS_MAX).collect(),
    ))
}

/// A text of the schema itself, when it is there and readable.
fn text_of(node: &Node, name: &str, chars_max: usize) -> Option<String> {
    let Node::Object(members) = node else {
        return None;
    };
    let found = members.iter().find(|(known, _)| known == name);
    match found {
        Some((_, Node::Text(text))) if !is_blank(text) => {
            let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            Some(one_line.chars().take(chars_max).collect())
        }
        _ => None,
    }
}

/// `bill_of_lading` → `Bill of lading`.
fn spoken(document_type: &str) -> String {
    let words = document_type.replace('_', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
