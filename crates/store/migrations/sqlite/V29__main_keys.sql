-- The main key can be changed. Until when nodes seal with a key, unless they say so again; null while it has only opened. The
-- key of a store from before has sealed.
alter table key_check_values add column seals_until text;
update key_check_values set seals_until = '1970-01-01T00:00:00.000000Z';

-- What API keys are digested with: one row, sealed with a main key.
create table server_keys (
    id integer primary key not null,
    sealed blob not null
) strict;

-- Main keys that were given up, by what only who holds both such a key and the server key can compute.
create table given_up_keys (
    digest blob primary key not null
) strict;
