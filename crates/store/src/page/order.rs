//! In which order a list comes.

/// What a list is ordered by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Time of creation.
    #[default]
    CreatedAt,
    /// Time of the last change.
    UpdatedAt,
    /// Last free day; none comes after every day there is.
    PickupLfd,
    /// Number.
    Number,
}

/// The order of a list. Rows that are equal in it follow the order of their ids, so that pages fit together. The
/// default is from the newest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// By what.
    pub by: By,
    /// From the least.
    pub ascending: bool,
}

impl Order {
    /// Reads `sort` as on the wire: `-created_at` is the order from the newest.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, ascending) = match text.strip_prefix('-') {
            Some(name) => (name, false),
            None => (text, true),
        };
        let by = match name {
            "created_at" => By::CreatedAt,
            "updated_at" => By::UpdatedAt,
            "pickup_lfd" => By::PickupLfd,
            "number" | "request_number" => By::Number,
            _ => return None,
        };
        Some(Self { by, ascending })
    }

    /// The terms of ORDER BY, those that an index of this order has.
    pub(super) fn terms(self, backwards: bool) -> String {
        let ascending = self.ascending != backwards;
        let (along, against) = if ascending {
            ("asc", "desc")
        } else {
            ("desc", "asc")
        };
        match self.by {
            By::Number => format!("number {along}, created_at {against}, id {against}"),
            by => format!("{} {along}, id {along}", by.column()),
        }
    }

    /// The same order in words that no index of its own has, so that another index is walked.
    pub(super) fn sorted(self, backwards: bool) -> String {
        let terms = self.terms(backwards);
        match self.by {
            By::CreatedAt => terms,
            By::UpdatedAt | By::PickupLfd | By::Number => {
                let column = self.by.column();
                terms.replacen(column, &format!("coalesce({column}, {column})"), 1)
            }
        }
    }
}

impl By {
    fn column(self) -> &'static str {
        match self {
            Self::CreatedAt => "created_at",
            Self::UpdatedAt => "updated_at",
            Self::PickupLfd => "pickup_lfd",
            Self::Number => "number",
        }
    }
}
