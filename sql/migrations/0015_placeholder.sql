-- Holds the number; the migration of webhooks takes this place.
select;
