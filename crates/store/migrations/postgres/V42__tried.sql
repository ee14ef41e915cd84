-- What was tried and has come to its time again stands among what was never tried, of which there may be a million, and is looked for
-- when its webhook is hurried. A first try that succeeds is in no row of this.
create index deliveries_tried on deliveries (webhook_id, due_at)
    where due_at is not null and attempts > 0;
