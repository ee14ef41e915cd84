-- Messages that a replay could not read again: what was read of them before stays.
create table passed_over (
    replay integer not null,
    raw_message_id blob not null,
    primary key (replay, raw_message_id)
) strict, without rowid;
