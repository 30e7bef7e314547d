-- The identity key that a text stands for, in any form a person or program writes it; null where it is none.
--
-- $1 identity
--
-- @replica answers
prepare resolve_kontakt_key (text) as
select kontakt_key($1) as kontakt_key;
