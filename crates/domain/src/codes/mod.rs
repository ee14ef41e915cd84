//! Codes of the trade. Each type exists only when its text is valid, so nothing behind it checks again.

mod container_number;
mod equipment_type;
mod imo_number;
mod scac;
mod size_type;
mod un_locode;

pub use container_number::{ContainerNumber, InvalidContainerNumber};
pub use equipment_type::{EquipmentHeight, EquipmentType};
pub use imo_number::ImoNumber;
pub use scac::{InvalidScac, Scac};
pub use size_type::SizeType;
pub use un_locode::{InvalidUnLocode, UnLocode};
