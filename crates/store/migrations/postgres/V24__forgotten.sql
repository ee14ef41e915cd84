-- Up to which moment rows may have been forgotten. What is kept for longer from now on does not bring back what is gone, so
-- that the lack of a row says nothing about what is older than this.
create table forgotten (
    what text primary key not null,
    until_at timestamptz not null
);

insert into forgotten (what, until_at) values ('notifications', '1970-01-01T00:00:00Z');
