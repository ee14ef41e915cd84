//! Custom fields: what an account keeps on its own shipments, containers and tracking requests.
//!
//! Setting a value changes two rows in one transaction: the value, and the record that has it, whose document
//! links to its values and is therefore written again with its next version. A value is judged here against the
//! definition that stands in the same transaction; what was accepted once is never judged again.
//!
//! Values that are sent with a tracking request wait ([`staging`]) until there is a shipment, and are set by the
//! projection that opens it; those for containers also when a box joins later.
//!
//! Nothing of this is told to webhooks: it is the account's own doing.

mod definitions;
mod options;
mod record;
mod refused;
mod shown;
pub(crate) mod staging;
mod values;

pub use definitions::{Defined, DefinitionPatch, define, redefine, undefine};
pub use options::{NewOption, OptionPatch, add_option, change_option, remove_option};
pub use record::Entity;
pub use refused::FieldRefused;
pub use shown::{definition_texts, field_texts, option_texts};
pub use staging::{StagedRefused, Staging};
pub use values::{Set, Which, change, clear, set};
