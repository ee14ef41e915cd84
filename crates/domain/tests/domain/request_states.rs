//! Every transition of a tracking request, and what does not move it.

use domain::event::EventName;
use domain::tracking_request::{
    FailedReason, Happening, NumberKind, OPEN_DAYS_MAX, Progress, RequestStatus, TRIES_MAX,
    advance, retry_after,
};
use jiff::{SignedDuration, Timestamp};

use crate::telling::{at, day};

use EventName::{
    TrackingRequestAwaitingManifest as Awaiting, TrackingRequestFailed as Failed,
    TrackingRequestSucceeded as Succeeded, TrackingRequestTrackingStopped as Stopped,
};
use RequestStatus as S;

const HAPPENINGS: [Happening; 14] = [
    Happening::DataFound,
    Happening::FoundWithoutData,
    Happening::NotFound,
    Happening::Trouble(FailedReason::ShippingLineUnreachable),
    Happening::Trouble(FailedReason::UnrecognizedResponse),
    Happening::Trouble(FailedReason::InternalProcessingError),
    Happening::InvalidNumber,
    Happening::BookingCancelled,
    Happening::DataUnavailable,
    Happening::ShipmentExists,
    Happening::CarrierNotInferred,
    Happening::TimePassed,
    Happening::TrackingStopped,
    Happening::TrackingResumed,
];

fn request(kind: NumberKind, status: RequestStatus) -> Progress {
    Progress {
        kind,
        status,
        failed_reason: None,
        is_retrying: false,
        retry_count: 0,
        created_at: day(0),
    }
}

/// One row of the table: the next status, its reason, its event.
type Row = (RequestStatus, Option<FailedReason>, Option<EventName>);

/// What each happening does to a request that waits, within its seven days.
fn waiting(kind: NumberKind, status: RequestStatus, happening: Happening) -> Row {
    use FailedReason as R;
    let first = (status == S::Pending).then_some(Awaiting);
    match happening {
        Happening::DataFound => (S::Succeeded, None, Some(Succeeded)),
        Happening::FoundWithoutData => (S::AwaitingManifest, None, first),
        Happening::NotFound if kind == NumberKind::Container => {
            (S::Failed, Some(R::NotFound), Some(Failed))
        }
        Happening::NotFound => (S::AwaitingManifest, Some(R::NotFound), first),
        Happening::Trouble(reason) => (status, Some(reason), None),
        Happening::InvalidNumber => (S::Failed, Some(R::InvalidNumber), Some(Failed)),
        Happening::BookingCancelled => (S::Failed, Some(R::BookingCancelled), Some(Failed)),
        Happening::DataUnavailable => (S::Failed, Some(R::DataUnavailable), Some(Failed)),
        Happening::ShipmentExists => (S::Failed, Some(R::Duplicate), Some(Failed)),
        Happening::CarrierNotInferred => (S::Failed, Some(R::ScacAutoDetectFailed), Some(Failed)),
        Happening::TimePassed | Happening::TrackingStopped | Happening::TrackingResumed => {
            (status, None, None)
        }
    }
}

#[test]
fn every_happening_in_every_waiting_state() {
    for kind in [
        NumberKind::BillOfLading,
        NumberKind::Booking,
        NumberKind::Container,
    ] {
        for status in [S::Pending, S::AwaitingManifest] {
            for happening in HAPPENINGS {
                let (next, event) = advance(request(kind, status), happening, day(1));
                assert_eq!(
                    (next.status, next.failed_reason, event),
                    waiting(kind, status, happening),
                    "{kind:?} {status:?} {happening:?}"
                );
                let retrying = matches!(happening, Happening::Trouble(_));
                assert_eq!(
                    (next.is_retrying, next.retry_count),
                    (retrying, u32::from(retrying))
                );
            }
        }
    }
}

#[test]
fn what_ended_stays_ended_and_a_stop_can_be_taken_back() {
    for status in [S::Succeeded, S::Failed, S::TrackingStopped] {
        for happening in HAPPENINGS {
            let before = request(NumberKind::BillOfLading, status);
            let (next, event) = advance(before, happening, day(400));
            let expected = match (status, happening) {
                (S::Succeeded, Happening::TrackingStopped) => (S::TrackingStopped, Some(Stopped)),
                (S::TrackingStopped, Happening::TrackingResumed) => (S::Succeeded, None),
                _ => (status, None),
            };
            assert_eq!((next.status, event), expected, "{status:?} {happening:?}");
            assert_eq!(
                Progress { status, ..next },
                before,
                "and nothing else moves"
            );
        }
    }
}

#[test]
fn stopping_and_resuming_twice_is_stopping_and_resuming_once() {
    let tracked = request(NumberKind::Booking, S::Succeeded);
    let (stopped, _) = advance(tracked, Happening::TrackingStopped, day(1));
    assert_eq!(
        advance(stopped, Happening::TrackingStopped, day(2)),
        (stopped, None)
    );
    let (resumed, _) = advance(stopped, Happening::TrackingResumed, day(3));
    assert_eq!(
        advance(resumed, Happening::TrackingResumed, day(4)),
        (resumed, None)
    );
}

#[test]
fn seven_days_without_success() {
    let last = day(OPEN_DAYS_MAX);
    let before = last - SignedDuration::from_secs(1);
    let ended = |progress: Progress, happening, now: Timestamp| {
        let (next, event) = advance(progress, happening, now);
        (next.status == S::Failed && event == Some(Failed)).then(|| next.failed_reason.unwrap())
    };
    let pending = request(NumberKind::BillOfLading, S::Pending);
    let unknown = Progress {
        failed_reason: Some(FailedReason::NotFound),
        ..request(NumberKind::BillOfLading, S::AwaitingManifest)
    };
    let known = request(NumberKind::BillOfLading, S::AwaitingManifest);
    for progress in [pending, unknown, known] {
        assert_eq!(ended(progress, Happening::TimePassed, before), None);
    }
    assert_eq!(
        ended(pending, Happening::TimePassed, last),
        Some(FailedReason::Expired)
    );
    assert_eq!(
        ended(known, Happening::TimePassed, last),
        Some(FailedReason::Expired)
    );
    assert_eq!(
        ended(unknown, Happening::TimePassed, last),
        Some(FailedReason::NotFound)
    );
    assert_eq!(
        ended(known, Happening::NotFound, last),
        Some(FailedReason::NotFound)
    );
    assert_eq!(
        ended(unknown, Happening::FoundWithoutData, last),
        Some(FailedReason::Expired)
    );
    let (late, event) = advance(known, Happening::DataFound, day(30));
    assert_eq!(
        (late.status, event),
        (S::Succeeded, Some(Succeeded)),
        "data is never too late"
    );
}

#[test]
fn fourteen_tries_within_about_a_day() {
    let trouble = Happening::Trouble(FailedReason::ShippingLineUnreachable);
    let mut progress = request(NumberKind::Container, S::Pending);
    let mut now = day(0);
    for tried in 1..TRIES_MAX {
        let (next, event) = advance(progress, trouble, now);
        assert_eq!(
            (next.status, event, next.retry_count),
            (S::Pending, None, tried)
        );
        progress = next;
        now += retry_after(tried);
    }
    let (next, event) = advance(progress, trouble, now);
    assert_eq!(next.failed_reason, Some(FailedReason::RetriesExhausted));
    assert_eq!((next.status, event), (S::Failed, Some(Failed)));
    assert_eq!(TRIES_MAX, 14);
    assert!(
        now > at(0, 22) && now < at(1, 2),
        "the last try was at {now}"
    );
}

#[test]
fn each_wait_is_twice_the_one_before() {
    let waits: Vec<i64> = (1..TRIES_MAX)
        .map(|tried| retry_after(tried).as_secs())
        .collect();
    assert_eq!(
        waits,
        [
            10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 40_960
        ]
    );
    assert_eq!(retry_after(0), retry_after(1));
    assert_eq!(retry_after(u32::MAX), retry_after(13));
}

#[test]
fn an_answer_ends_trouble_and_the_count_begins_anew() {
    let trouble = Happening::Trouble(FailedReason::UnrecognizedResponse);
    let mut progress = request(NumberKind::BillOfLading, S::Pending);
    for _ in 0..13 {
        progress = advance(progress, trouble, day(0)).0;
    }
    let (waiting, event) = advance(progress, Happening::NotFound, day(1));
    assert_eq!(event, Some(Awaiting));
    assert_eq!((waiting.is_retrying, waiting.retry_count), (false, 0));
    let (again, event) = advance(waiting, Happening::FoundWithoutData, day(2));
    assert_eq!(
        (again.status, event),
        (S::AwaitingManifest, None),
        "told the first time only"
    );
    let (done, _) = advance(
        Progress {
            is_retrying: true,
            ..again
        },
        Happening::DataFound,
        day(3),
    );
    assert_eq!((done.is_retrying, done.failed_reason), (false, None));
}

#[test]
fn words_of_the_wire_read_back() {
    for status in RequestStatus::ALL {
        assert_eq!(RequestStatus::parse(status.as_str()), Some(status));
    }
    assert_eq!(RequestStatus::parse("created"), Some(S::Succeeded));
    for reason in FailedReason::ALL {
        assert_eq!(FailedReason::parse(reason.as_str()), Some(reason));
    }
}
