//! Kinds of feed as the wire names them.

use domain::report::SourceKind;

/// `data_source`.
pub(crate) fn word(kind: SourceKind) -> &'static str {
    use SourceKind as S;
    match kind {
        S::Dcsa2 | S::Dcsa3 | S::CarrierApi | S::X12_315 | S::X12_214 | S::Iftsta => {
            "shipping_line"
        }
        S::Codeco | S::Coarri | S::TerminalApi => "terminal",
        S::X12_322 | S::Clm | S::RailApi => "rail",
        S::Ais => "ais",
        S::Manual => "user_input",
    }
}

/// Every word of [`word`].
pub(crate) fn words() -> Vec<&'static str> {
    vec!["shipping_line", "terminal", "rail", "ais", "user_input"]
}
