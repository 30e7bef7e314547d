-- Notes what the owner did in the dashboard.
--
-- $1 action
-- $2 subject? id of a key or a subscription; null: none
-- $3 name?    of a webhook that is gone; null: as it is called now
-- $4 client   address of the browser
prepare insert_owner_action (text, text, text, text) as
select note_owner_action($1, $2, $3, $4)::text as noted;
