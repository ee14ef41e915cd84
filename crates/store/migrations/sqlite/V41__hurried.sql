-- When a webhook was last led elsewhere, switched on, or asked to have something sent again: what had begun before and went wrong
-- is tried again at once.
alter table webhooks add column hurried_at text;
