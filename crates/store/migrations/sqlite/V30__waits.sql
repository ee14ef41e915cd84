-- How often in a row a source asked us to wait, without an answer between: each time the wait is twice as long.

alter table sources add column waits integer not null default 0;
