-- Remembers that the owner has signed in.
--
-- $1 digest  hex
prepare insert_owner_session (text) as
insert into owner_sessions (digest)
values (decode($1, 'hex'))
returning created_at;
