//! How lines number their bills and bookings, and whose boxes sail with everybody.

use domain::codes::Scac;
use domain::infer::{AUTO_SELECT_PERCENT, Clues, Mask, NumberForm};
use domain::shipping_line::ShippingLine;
use domain::tracking_request::NumberKind;

use super::table::{RegistryError, Row, Table};

/// What is known about numbers of these lines.
pub(super) fn read(
    lines: Vec<ShippingLine>,
    forms: &Table<'_>,
    lessors: &Table<'_>,
) -> Result<Clues, RegistryError> {
    for (line_number, form) in forms.rows(|row| Ok((row.line(), form(row)?)))? {
        if !lines.iter().any(|line| line.scac == form.scac) {
            let reason = format!("{} is in no table of lines", form.scac);
            return Err(forms.bad(line_number, reason));
        }
    }
    let lessors = lessors.rows(|row| {
        let code = row.required("owner_code")?;
        let owned = lines.iter().find(|line| {
            let mut codes = line.container_owner_prefixes.iter();
            codes.any(|known| *known == code)
        });
        owned.map_or(Ok(code.clone()), |line| {
            Err(format!("{code} is an owner code of {}", line.scac))
        })
    })?;
    Ok(Clues {
        forms: forms.rows(form)?,
        lessors,
        lines,
    })
}

fn form(row: &Row<'_>) -> Result<NumberForm, String> {
    let kind = row.text("kind");
    let percent = row.text("percent");
    let form = NumberForm {
        scac: Scac::parse(row.text("scac")).map_err(|e| e.to_string())?,
        kind: NumberKind::parse(kind).ok_or_else(|| format!("{kind:?} is no kind of number"))?,
        prefix: row.text("prefix").to_owned(),
        rest: Mask::parse(row.text("rest")).map_err(|e| e.to_string())?,
        percent: percent
            .parse()
            .ok()
            .filter(|percent| (1..100).contains(percent))
            .ok_or_else(|| format!("percent is between 1 and 99, not {percent:?}"))?,
    };
    if form.prefix.is_empty() && form.percent >= AUTO_SELECT_PERCENT {
        return Err("a form without a prefix is never sure".into());
    }
    Ok(form)
}
