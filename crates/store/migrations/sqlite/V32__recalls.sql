-- A sender's own ids of events, and what takes them back. Who takes an event back may name nothing but its id.
create table recalls (
    source text not null,
    -- As the source of dockets: those whom it is told to.
    owner text not null,
    event_id text not null,
    -- None until it is taken back.
    raw_message_id blob,
    report text,
    noted_at text,
    -- The last replay that read it; 0: none has.
    read_by integer not null,
    primary key (source, owner, event_id)
) strict, without rowid;

-- What was taken back, which a replay walks through.
create index recalls_taken_back on recalls (source, owner, event_id) where report is not null;

-- Under which watches events were filed: what takes one back belongs to all of them.
create table recall_places (
    source text not null,
    owner text not null,
    event_id text not null,
    watch_id blob not null,
    primary key (source, owner, event_id, watch_id)
) strict, without rowid;
