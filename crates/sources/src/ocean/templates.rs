//! Profiles of carriers we know of, shipped as templates.
//!
//! They hold what is public: addresses, names of fields, limits, habits. What an account gets from its carrier
//! (keys, certificates, a plan's limits) is not in them. Carriers change their interfaces without asking us, so
//! a template is a file to copy into `sources.d/` and check, not something that is switched on.

/// One carrier's profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name, and that of its file without `.toml`.
    pub name: &'static str,
    /// The file.
    pub text: &'static str,
}

/// All of them, by name.
pub fn templates() -> &'static [Template] {
    &TEMPLATES
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(Template {
            name: $name,
            text: include_str!(concat!("../../profiles/", $name, ".toml")),
        }),*]
    };
}

static TEMPLATES: [Template; 11] = shipped![
    "cma-cgm",
    "cosco",
    "evergreen",
    "hapag-lloyd",
    "hmm",
    "maersk",
    "maersk-3",
    "msc",
    "one",
    "yang-ming",
    "zim",
];
