-- Which events of a box stand is asked when one is corrected, and told by the index of all its events. Each milestone was entered
-- here for that.
drop index events_standing;
