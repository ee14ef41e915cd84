-- One row that is written anew by whoever asks whether the service is ready: only a commit that writes shows that one can.

create table readiness (
    id integer primary key not null,
    touched_at text not null
) strict;
