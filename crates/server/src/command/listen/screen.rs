//! What is shown: one line for each attempt on standard output, what goes on around them on standard error.

use std::io::Write as _;
use std::time::Duration;

use domain::listener::ListenerName;
use jiff::{Timestamp, Zoned};
use serde_json::json;

use super::desk::{Opened, Settled, Taken};
use super::forward::Handed;
use crate::command::columns::{WIDE_FROM, cut};
use crate::command::pipe;
use crate::command::told::Told;

/// An attempt that has ended.
pub struct Done {
    pub delivery: Taken,
    pub handed: Handed,
    pub took: Duration,
    pub verdict: Settled,
}

/// How attempts are shown.
pub struct Screen {
    json: bool,
    color: bool,
    /// Whether what goes on around attempts is told: on a terminal.
    chatty: bool,
    /// How wide the terminal is, where there is one.
    columns: Option<usize>,
}

/// Escapes of a terminal, or nothing.
struct Ink {
    dim: &'static str,
    bold: &'static str,
    good: &'static str,
    bad: &'static str,
    off: &'static str,
}

const COLORS: Ink = Ink {
    dim: "\x1b[2m",
    bold: "\x1b[1m",
    good: "\x1b[32m",
    bad: "\x1b[31m",
    off: "\x1b[0m",
};
const PLAIN: Ink = Ink {
    dim: "",
    bold: "",
    good: "",
    bad: "",
    off: "",
};

/// What stands before an event's name on a narrow terminal, and how much of a name is left at least.
const NARROW_BEFORE_NAME: usize = 35;
const NARROW_NAME_MIN: usize = 16;

impl Screen {
    /// `terminal`: whether standard output is one; `columns`: how wide.
    pub fn new(json: bool, terminal: bool, columns: Option<usize>) -> Self {
        Self {
            json,
            color: terminal && !json && std::env::var_os("NO_COLOR").is_none(),
            chatty: terminal && !json,
            columns,
        }
    }

    fn ink(&self) -> &'static Ink {
        if self.color { &COLORS } else { &PLAIN }
    }

    /// The head. A new secret is told in any case: it is shown this once.
    pub fn began(
        &self,
        service: &str,
        name: &ListenerName,
        forward_to: Option<&str>,
        opened: &Opened,
    ) {
        let Ink { dim, bold, off, .. } = self.ink();
        let secret = &opened.secret;
        let is_shown = !secret.contains('…');
        if !self.chatty {
            if is_shown {
                pipe::note(format_args!("signing secret, shown this once: {secret}"));
            }
            return;
        }
        let target = forward_to.unwrap_or("nobody: they are shown here (--forward-to URL)");
        let events = opened.events;
        pipe::note(format_args!(
            "{bold}Listening{off} as {bold}{name}{off} at {service}"
        ));
        pipe::note(format_args!(
            "{dim}  events      {off}{events}, to {target}"
        ));
        if is_shown {
            pipe::note(format_args!(
                "{dim}  signed with {off}{secret} {dim}(shown this once){off}"
            ));
        } else {
            pipe::note(format_args!(
                "{dim}  signed with {off}{secret} {dim}(--new-secret makes another one){off}"
            ));
        }
        pipe::note(format_args!(
            "{dim}  Ctrl-C ends it; the same command goes on where it stopped.{off}\n"
        ));
    }

    /// One attempt.
    pub fn attempt(&self, done: &Done) {
        let document = serde_json::from_str(&done.delivery.body).unwrap_or_default();
        let told = Told::of(&document);
        let line = if self.json {
            json_line(done, &told)
        } else {
            self.line(done, &told)
        };
        // A reader that has left is no fault of ours: the next Ctrl-C ends it.
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }

    fn line(&self, done: &Done, told: &Told) -> String {
        let Ink {
            dim,
            bold,
            good,
            bad,
            off,
        } = self.ink();
        let (mark, hue) = match done.outcome() {
            "delivered" => ("✓", good),
            "shown" => ("·", dim),
            _ => ("✗", bad),
        };
        let about = told.container.as_deref().or(told.shipment.as_deref());
        let about = about.unwrap_or("");
        let event_hue = if self.color { told.hue() } else { "" };
        let (answer, took) = (done.answer(), milliseconds(done.took));
        let (name, rest) = (told.short_event(), done.rest());
        let time = Zoned::now().strftime("%H:%M:%S");
        let (took, name) = match self.columns {
            // There how long it took is left out, and a name is cut where something follows it.
            Some(columns) if columns < WIDE_FROM => {
                let room = columns.saturating_sub(NARROW_BEFORE_NAME);
                let behind = rest.chars().count() + usize::from(!rest.is_empty());
                let name = cut(name, room.saturating_sub(behind).max(NARROW_NAME_MIN));
                (String::new(), name)
            }
            _ if rest.is_empty() => (format!(" {took:>8} "), name.to_owned()),
            _ => (format!(" {took:>8} "), format!("{name:<39}")),
        };
        let rest = match rest.as_str() {
            "" => String::new(),
            rest => format!(" {dim}{rest}{off}"),
        };
        format!(
            "{dim}{time}{off}  {hue}{mark} {answer:<8}{off}{dim}{took}{off} {bold}{about:<13}{off} \
             {event_hue}{name}{off}{rest}"
        )
    }

    /// Nobody takes connections beside us.
    pub fn receiver_is_away(&self, why: &str) {
        self.say(&format!(
            "nobody takes deliveries yet ({why}); they wait, in order"
        ));
    }

    /// They do again.
    pub fn receiver_is_back(&self) {
        self.say("deliveries are taken again");
    }

    /// The service does not answer.
    pub fn service_is_away(&self, why: &str) {
        self.say(&format!(
            "the service is away ({why}); asking again until it answers"
        ));
    }

    /// It does again.
    pub fn service_is_back(&self) {
        self.say("the service is back");
    }

    /// It was switched off at the service.
    pub fn listener_is_paused(&self) {
        self.say(
            "the listener is paused: its webhook's active is false; what was written before waits, in order, and what \
             happens meanwhile is not collected. Starting this again, or active true, goes on",
        );
    }

    /// It was switched on again.
    pub fn listener_goes_on(&self) {
        self.say("the listener goes on");
    }

    /// The end.
    pub fn ended(&self, unsettled: usize) {
        match unsettled {
            0 => self.say("stopped; the same command goes on from here"),
            n => self.say(&format!(
                "stopped with {n} under way; they come again, the same command goes on from here"
            )),
        }
    }

    fn say(&self, words: &str) {
        let Ink { dim, off, .. } = self.ink();
        if self.chatty {
            pipe::note(format_args!(
                "{dim}{time}  {words}{off}",
                time = Zoned::now().strftime("%H:%M:%S")
            ));
        } else {
            pipe::note(format_args!("quayside: {words}"));
        }
    }
}

impl Done {
    /// What became of the delivery.
    fn outcome(&self) -> &'static str {
        match (&self.handed, self.verdict.status.as_str()) {
            (_, _) if !self.verdict.counted => "unsettled",
            (Handed::Shown, _) => "shown",
            (_, "succeeded") => "delivered",
            (_, "failed") => "failed",
            _ => "retry",
        }
    }

    fn answer(&self) -> String {
        match &self.handed {
            Handed::Answered(came) => came.status.to_string(),
            Handed::TooLong(_) => "too long".into(),
            Handed::Shown => String::new(),
            Handed::TimedOut(_) => "timeout".into(),
            Handed::Broken(_) => "broken".into(),
            Handed::Away(_) => "away".into(),
        }
    }

    /// What follows, for people.
    fn rest(&self) -> String {
        let tries = self.delivery.attempt;
        match self.outcome() {
            "retry" => {
                let wait = self.verdict.next_attempt_at.as_deref();
                let wait = wait.and_then(|at| at.parse::<Timestamp>().ok());
                let wait =
                    wait.map_or(0, |at| at.duration_since(Timestamp::now()).as_secs().max(0));
                format!("try {tries}, again in {} s", wait.max(1))
            }
            "failed" => format!("given up after {tries} tries"),
            "unsettled" => "the service did not hear of it in time; it comes again".into(),
            _ if tries > 1 => format!("try {tries}"),
            _ => String::new(),
        }
    }
}

fn json_line(done: &Done, told: &Told) -> String {
    json!({
        "time": format!("{:.3}", Timestamp::now()),
        "id": done.delivery.id,
        "event": told.event,
        "container": told.container,
        "shipment": told.shipment,
        "attempt": done.delivery.attempt,
        "status": done.handed.came().map(|came| came.status),
        "reason": done.handed.reason(),
        "duration_ms": u64::try_from(done.took.as_millis()).unwrap_or(u64::MAX),
        "outcome": done.outcome(),
        "next_attempt_at": done.verdict.next_attempt_at,
    })
    .to_string()
}

fn milliseconds(span: Duration) -> String {
    format!("{} ms", span.as_millis())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::listen::forward::Came;

    /// A refused attempt, or one that was taken.
    fn done(status: u16) -> (Done, Told) {
        let verdict = match status {
            204 => "succeeded",
            _ => "pending",
        };
        let done = Done {
            delivery: Taken {
                id: "d1".into(),
                claim: 1,
                attempt: 1,
                headers: Vec::new(),
                body: String::new(),
                lease: Duration::from_secs(30),
            },
            handed: Handed::Answered(Came::of_status(status)),
            took: Duration::from_millis(1_234),
            verdict: Settled {
                counted: true,
                status: verdict.into(),
                next_attempt_at: None,
            },
        };
        let told = Told::of(&json!({"data": {"attributes": {
            "event": "container.transport.estimated.arrived_at_inland_destination"}}}));
        (done, told)
    }

    #[test]
    fn lines_fit_a_terminal_and_end_without_spaces() {
        let line = |columns, status| {
            let (done, told) = done(status);
            Screen::new(false, false, columns).line(&done, &told)
        };
        for status in [204, 500] {
            let narrow = line(Some(80), status);
            assert!(narrow.chars().count() <= 80, "{narrow}");
            assert_eq!(narrow.trim_end(), narrow);
        }
        assert!(line(Some(80), 500).ends_with("… try 1, again in 1 s"));
        let piped = line(None, 204);
        assert!(piped.contains("1234 ms"), "{piped}");
        assert!(piped.ends_with("inland_destination"), "{piped}");
    }
}
