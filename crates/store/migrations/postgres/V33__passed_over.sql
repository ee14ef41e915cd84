-- Messages that a replay could not read again: what was read of them before stays.
create table passed_over (
    replay bigint not null,
    raw_message_id uuid not null,
    primary key (replay, raw_message_id)
);
