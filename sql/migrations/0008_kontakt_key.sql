-- The one rule that turns any spelling of an identity into its key (email:, phone: or lead: and a value).
-- Writers, the API and tests call it; nothing else normalises.

-- Lower case, no spaces around, no mailto:. Plus tags and dots in the name stay: they may be different people.
create function kontakt_key_email(value text) returns text
  language sql immutable parallel safe strict
begin atomic
  select 'email:' || address.value
  from (
    select search_form(btrim(regexp_replace(btrim(value), '^mailto:', '', 'i'), ' .')) as value
  ) as address
  where length(address.value) <= 254
    and address.value ~ '^[^[:space:][:cntrl:]@,;:<>()\[\]"\\]+@[^[:space:][:cntrl:]@,;:<>()\[\]"\\.]+(\.[^[:space:][:cntrl:]@,;:<>()\[\]"\\.]+)+$';
end;
comment on function kontakt_key_email is 'email: and the address in lower case; null where the text is no address.';

-- E.164, default country Germany. Refused: text around the number, two numbers, service numbers,
-- fewer than six digits after the country code.
create function kontakt_key_phone(value text) returns text
  language sql immutable parallel safe strict
begin atomic
  with written as (
    select regexp_replace(regexp_replace(btrim(value), '^tel:', '', 'i'), '[[:space:]]*(ext\.?|durchwahl|x)[[:space:]]*[0-9]{1,6}$', '', 'i') as value
  ),
  -- The trunk zero in brackets behind a country code, then everything that only separates.
  digits as (
    select regexp_replace(
      regexp_replace(written.value, '^[[:space:](\[]*((\+|00)[[:space:]]*[0-9]{1,3})[)\]]*[-[:space:]./]*[(\[][[:space:]]*0[[:space:]]*[)\]]', '\1'),
      '[-[:space:]()\[\]./‐‑‒–—―−]', '', 'g') as value
    from written
  ),
  international as (
    select case
      when digits.value ~ '^\+' then digits.value
      when digits.value ~ '^00' then '+' || substr(digits.value, 3)
      -- A mobile number typed with the country code but without a plus; as a national number it would be Leer's 0491.
      when digits.value ~ '^49(15|16|17)[0-9]{8,10}$' then '+' || digits.value
      when digits.value ~ '^0' then '+49' || substr(digits.value, 2)
      else '+49' || digits.value
    end as value
    from digits
    where digits.value ~ '^\+?[0-9]+$'
  ),
  number as (
    select regexp_replace(international.value, '^\+490+', '+49') as value
    from international
  )
  select 'phone:' || number.value
  from number
  where number.value ~ '^\+[1-9][0-9]{7,14}$'
    and number.value !~ '^\+49(800|900|180|137|138|700|118|116|11[025]$)';
end;
comment on function kontakt_key_phone is 'phone: and the number in E.164, default country Germany; null where the text is no number.';

create function kontakt_key_lead(value text) returns text
  language sql immutable parallel safe strict
  return case
    when btrim(value) ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then 'lead:' || lower(btrim(value))
  end;
comment on function kontakt_key_lead is 'lead: and the UUID in lower case; null where the text is no UUID.';

create function kontakt_key(value text) returns text
  language sql immutable parallel safe strict
begin atomic
  with plain as (
    -- NFKC makes full-width digits and no-break spaces ordinary; zero-width and direction marks go.
    select btrim(regexp_replace(normalize(value, nfkc), '[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]', '', 'g'), e' \t\r\n') as value
  ),
  named as (
    select plain.value, lower(btrim(substring(plain.value from '^([^:]*):'))) as kind, btrim(substring(plain.value from '^[^:]*:(.*)$')) as rest
    from plain
  )
  select case
    when named.kind = 'email' then kontakt_key_email(named.rest)
    when named.kind = 'phone' then kontakt_key_phone(named.rest)
    when named.kind = 'lead' then kontakt_key_lead(named.rest)
    when named.value like '%@%' then kontakt_key_email(named.value)
    when kontakt_key_lead(named.value) is not null then kontakt_key_lead(named.value)
    else kontakt_key_phone(named.value)
  end
  from named;
end;
comment on function kontakt_key is 'The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.';

-- What is stored under a key must be found by it: a key that is not as the rule writes it would be in the list
-- and nowhere else.
alter table haushalte
  add constraint haushalte_kontakt_key_check check (coalesce(kontakt_key(kontakt_key) = kontakt_key, false));
alter table kontakt_aliases
  add constraint kontakt_aliases_alias_key_check check (coalesce(kontakt_key(alias_key) = alias_key, false)),
  add constraint kontakt_aliases_canonical_key_check check (coalesce(kontakt_key(canonical_key) = canonical_key, false));
