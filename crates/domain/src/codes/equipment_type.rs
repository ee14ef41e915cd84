//! Size and type of a container (ISO 6346 clause 4, its 1984 digits, and the words people write).

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

/// What a size-type code tells. A part that the code does not tell is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SizeType {
    /// What it is built for.
    pub equipment_type: Option<EquipmentType>,
    /// Feet: 10, 20, 40 or 45. 48 and 53 are not in the public list and give `None`.
    pub length_ft: Option<u8>,
    /// Standard or high cube.
    pub height: Option<EquipmentHeight>,
}
