-- Who opened a listener last: its program shows the number of its turn, and one with an earlier number is told that it was
-- taken over. Those that are open when this comes are at their first.

alter table listeners add column turn bigint not null default 1;
