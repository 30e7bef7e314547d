-- The one rule that turns any spelling of an identity into its key (email:, phone: or lead: and a value).
-- Writers, checks, the API, the tools and the tests call kontakt_key(); nothing else normalises. It answers every text,
-- never fails, and is the same in every database: nothing in it depends on the collation of the database.
--
-- @needs identity/text

-- Lower case, no spaces around, no mailto:, no dot at the end. Plus tags and dots in the name stay: they may be
-- different people.
create or replace function kontakt_key_email(value text) returns text
  language plpgsql immutable parallel safe strict
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
declare
  address text collate "C" := regexp_replace(value collate "C", '^mailto:[ \t\n\v\f\r]*', '', 'i');
begin
  address := lower_form(rtrim(address, e' \t\n\x0b\f\r.'));
  if length(address) > 254
    or address !~ ('^[^\u0001-\u0020\u007f-\u009f@,;:<>()\[\]"\\]+'
      '@[a-z0-9_\u00a0-\U0010ffff-]+(\.[a-z0-9_\u00a0-\U0010ffff-]+)+$') then
    return null;
  end if;
  return 'email:' || address;
end
$$;
comment on function kontakt_key_email is
  'Called by kontakt_key: email: and the address in lower case; null where the text is no address.';

-- Two numbers in shorthand: behind a number that is complete, a slash or a bracket and a few digits more, as in
-- 030 123456/57. Slashes alone may also stand between groups of one number, as in 0171/392/00/01.
create or replace function is_shorthand(number text) returns boolean
  language plpgsql immutable parallel safe strict set search_path = public, pg_temp as $$
declare
  parts constant text[] := regexp_match(number, '^(.*)[/(][^0-9/(]*([0-9]{1,4})[^0-9]*$');
  digits constant text := regexp_replace(
    regexp_replace(parts[1], '[^0-9+]', '', 'g'), '^([+](00)?|00)[0-9]{2}0?|^0|^49', '');
begin
  return length(digits) >= case when digits ~ '^1[567]' then 10 else 7 end
    and (length(parts[2]) < length(substring(parts[1] from '([0-9]+)[^0-9]*$')) or parts[1] ~ '[0-9][^0-9/]+[0-9]');
end
$$;
comment on function is_shorthand is 'Called by kontakt_key_phone: whether other last digits follow a complete number.';

-- E.164, default country Germany. Refused: text around the number, two numbers, service numbers,
-- fewer than six digits after the country code.
create or replace function kontakt_key_phone(value text) returns text
  language plpgsql immutable parallel safe strict
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
declare
  number text collate "C" := translate(value collate "C", '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹',
    '01234567890123456789');
begin
  number := regexp_replace(number, '^tel:[ \t]*', '', 'i');
  -- The extension goes: the number is the switchboard's.
  number := regexp_replace(
    number, '[ \t]*(;ext=|ext(ension)?\.?|durchwahl|dw\.?|nebenstelle|nst\.?|app(arat)?\.?|x|#)[ \t]*[0-9]{1,6}$', '',
      'i');
  -- A zero in brackets behind a country code is dialled at home only, except where it is part of the number
  -- (Italy, San Marino, Benin, Gabon, Ivory Coast, Congo).
  if number ~ '[(\[][ \t]*0[ \t]*[)\]]' then
    number := regexp_replace(number,
      '^([ \t(\[]*(?:\+|00|\+00)[ \t]*(?!39|378|225|229|241|242)[0-9]{1,3}[-)\] \t./]*)'
        '[(\[][ \t]*0[ \t]*[)\]]', '\1');
  end if;
  if strpos(translate(number, '(', '/'), '/') > 0 and is_shorthand(number) then
    return null;
  end if;
  number := translate(number, e'- \t\n\x0b\f\r()[]./‐‑‒–—―⁃−ー', '');
  if number !~ '^\+?[0-9]{6,20}$' then
    return null;
  end if;
  number := case
    when number ~ '^\+00' then '+' || substr(number, 4)
    when number ~ '^\+' then number
    when number ~ '^00' then '+' || substr(number, 3)
    when number ~ '^0' then '+49' || substr(number, 2)
    -- The country code without a plus, as in 491713920001, unless it reads as a number of East Frisia (0491 Leer to
    -- 04977 Blomberg) without its zero; that has eleven digits at most.
    when number ~ '^49' and (length(number) > 11 or number !~ '^49(1|2[0-9]|3[1-689]|4[1-8]|5[0-9]|6[1-8]|7[1-7])')
      then '+' || number
    else '+49' || number
  end;
  -- A zero behind the code of a country where numbers have it at home only; libphonenumber lists those countries.
  number := regexp_replace(
    number,
    '^\+(20|27|3[123]|4[013469]|5[13458]|6[0-346]|8[1246]|9[0-58]|21[1238]|23[1-4]|243|249|25[0-2456]|26[0-5]|291'
      '|35[3589]|37[03457]|38[0-35-79]|42[13]|508|59[013-68]|686|85[056]|88[06]|96[1-467]|97[01267]|99[456])0+',
    '+\1');
  -- North America has ten digits: +171… is a German mobile number whose zero became a plus. And a service number is
  -- no key of a person.
  if number !~ '^\+([2-9][0-9]{7,14}|1[2-9][0-9]{9})$' or number ~ '^\+49(11|137|138|180|700|800|900)' then
    return null;
  end if;
  return 'phone:' || number;
end
$$;
comment on function kontakt_key_phone is
  'Called by kontakt_key: phone: and the number in E.164, default country Germany; null where the text is no number.';

create or replace function kontakt_key_lead(value text) returns text
  language sql immutable parallel safe strict
  return case
    when value collate "C" ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
      then 'lead:' || lower(value collate "C")
  end;
comment on function kontakt_key_lead is
  'Called by kontakt_key: lead: and the UUID in lower case; null where the text is no UUID.';

-- plpgsql, as its longer pieces are: SQL functions of several steps are planned anew on every call and took 180 µs
-- instead of 20.
create or replace function kontakt_key(value text) returns text
  language plpgsql immutable parallel safe strict
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
declare
  identity text collate "C";
  kind text;
begin
  -- An identity is short: 254 characters of address at most, and some around it. A longer text is not looked at.
  if length(value) > 1024 then
    return null;
  end if;
  identity := identity_text(value);
  kind := lower(substring(identity from '^([a-zA-Z]{4,5})[ \t]*:'));
  if kind in ('email', 'phone', 'lead') then
    identity := ltrim(substr(identity, strpos(identity, ':') + 1), e' \t\n\x0b\f\r');
  end if;
  return case kind
    when 'email' then kontakt_key_email(identity)
    when 'phone' then kontakt_key_phone(identity)
    when 'lead' then kontakt_key_lead(identity)
    else
      case
        when strpos(identity, '@') > 0 then kontakt_key_email(identity)
        else coalesce(kontakt_key_lead(identity), kontakt_key_phone(identity))
      end
  end;
end
$$;
comment on function kontakt_key is
  'The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.';
