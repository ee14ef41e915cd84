-- Replays: every message read again. A report bears the number of the last replay that found it; one that a replay
-- found new bears its number with a minus, and is not told until its watch is settled.

alter table reports add column read_by bigint not null default 0;

create table replays (
    number bigint primary key not null,
    started_at timestamptz not null,
    ended_at timestamptz,
    stage text not null,
    cursor_account uuid,
    cursor_id uuid,
    done bigint not null,
    total bigint not null,
    gone bigint not null,
    found bigint not null
);
