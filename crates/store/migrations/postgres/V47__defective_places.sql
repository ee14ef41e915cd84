-- What could not be used of a source, by the place in general: a column of which every row is a defect is one row here.
-- Each message counts once, when it is read the first time.
create table defective_places (
    source text not null,
    place text not null,
    times bigint not null,
    messages bigint not null,
    last_times bigint not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    reason text not null,
    raw_message_id uuid not null references raw_messages (id),
    primary key (source, place)
);
