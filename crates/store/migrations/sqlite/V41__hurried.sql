-- Whether somebody said that the receiver is there while a delivery was in hand: when it goes wrong, it is tried again at once.
alter table deliveries add column is_hurried integer not null default 0;
-- When what waits for a webhook was last begun again: what was tried since then is not hurried by a later step.
alter table restarts add column begun_at text;
