-- What only the right main key opens, by the number of the key. A store without a row is from before, or was never begun.

create table key_check_values (
    key_id bigint primary key not null,
    value bytea not null
);
