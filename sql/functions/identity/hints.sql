-- What indexes have of an identity, so that an erasure finds its rows without reading whole tables.

-- Equal for all spellings of a key that are plain: what stands before the @, the last digits of a number. What is not
-- plain is '?'. Not strict and without settings, so that the planner inlines it: kontakt_key itself would cost the
-- writers of leads too much.
create or replace function kontakt_key_hint(value text) returns text
  language sql immutable parallel safe
  return case
    when value is null then null
    when octet_length(value) <> length(value) then '?'
    when strpos(value, '@') > 0 then lower(ltrim(split_part(split_part(value, '@', 1), ':', -1),
      e' \t\n\x0b\f\r') collate "C")
    when translate(value, '0123456789 ()+/.-', '') = '' then right(translate(value, ' ()+/.-', ''), 5)
    else '?'
  end;
comment on function kontakt_key_hint is
  'What an index has of an identity: equal, or ?, for every text with the same kontakt_key.';

create or replace function kontakt_key_hints(keys text[]) returns text[]
  language sql immutable parallel safe
begin atomic
  select array_agg(distinct kontakt_key_hint(substring(key from ':(.*)'))) || array['?']
  from unnest(keys) as key
  where key not like 'lead:%';
end;
comment on function kontakt_key_hints is 'The hints that a spelling of one of the keys can have.';
