-- Replays: every message read again. A report bears the number of the last replay that found it; one that a replay
-- found new bears its number with a minus, and is not told until its watch is settled.

alter table reports add column read_by integer not null default 0;

create table replays (
    number integer primary key not null,
    started_at text not null,
    ended_at text,
    stage text not null,
    cursor_account blob,
    cursor_id blob,
    done integer not null,
    total integer not null,
    gone integer not null,
    found integer not null
) strict;
