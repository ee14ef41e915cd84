//! What a container is built for, and how high it is.

/// What the box is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EquipmentType {
    /// General purpose, vented, named cargo.
    Dry,
    /// Refrigerated or insulated.
    Reefer,
    /// Open top.
    OpenTop,
    /// Flat rack or platform.
    FlatRack,
    /// Bulk.
    Bulk,
    /// Tank.
    Tank,
}

/// Height of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EquipmentHeight {
    /// 8′6″ and lower.
    Standard,
    /// 9′6″ and above.
    HighCube,
}

impl EquipmentType {
    /// Every type.
    pub const ALL: [Self; 6] = [
        Self::Dry,
        Self::Reefer,
        Self::OpenTop,
        Self::FlatRack,
        Self::Bulk,
        Self::Tank,
    ];

    /// `equipment_type` on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dry => "dry",
            Self::Reefer => "reefer",
            Self::OpenTop => "open top",
            Self::FlatRack => "flat rack",
            Self::Bulk => "bulk",
            Self::Tank => "tank",
        }
    }

    /// Reads what [`as_str`](Self::as_str) writes.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The type group of a code: a letter since 1995, two digits before.
    pub(super) fn of_group(group: [u8; 2]) -> Option<Self> {
        match group {
            [b'0' | b'1', digit] if digit.is_ascii_digit() => Some(Self::Dry),
            [b'3' | b'4', digit] if digit.is_ascii_digit() => Some(Self::Reefer),
            [b'5', digit] if digit.is_ascii_digit() => Some(Self::OpenTop),
            [b'6', digit] if digit.is_ascii_digit() => Some(Self::FlatRack),
            [b'7', digit] if digit.is_ascii_digit() => Some(Self::Tank),
            [b'8', digit] if digit.is_ascii_digit() => Some(Self::Bulk),
            [b'G' | b'V' | b'S', _] => Some(Self::Dry),
            [b'R' | b'H', _] => Some(Self::Reefer),
            [b'U', _] => Some(Self::OpenTop),
            [b'P', _] => Some(Self::FlatRack),
            [b'T' | b'K', _] => Some(Self::Tank),
            [b'B', _] => Some(Self::Bulk),
            _ => None,
        }
    }
}

impl EquipmentHeight {
    /// `equipment_height` on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::HighCube => "high cube",
        }
    }

    /// Reads a height; the reference writes `high_cube`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "standard" => Some(Self::Standard),
            "high cube" | "high_cube" => Some(Self::HighCube),
            _ => None,
        }
    }
}
