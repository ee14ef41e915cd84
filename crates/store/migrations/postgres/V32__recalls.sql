-- What a sender's own id of an event stands for: under which numbers it was filed. Who takes an event back may name nothing
-- else. An id of which no event was told yet keeps what takes it back.
create table recalls (
    source text not null,
    -- As the source of dockets: those whom it is told to.
    owner text not null,
    event_id text not null,
    -- A list of pairs of kind and number; none until the event is told.
    numbers text,
    raw_message_id uuid,
    report text,
    primary key (source, owner, event_id)
);
