-- The one rule that turns any spelling of an identity into its key (email:, phone: or lead: and a value).
-- Writers, checks, the API, the tools and the tests call kontakt_key(); nothing else normalises. It answers every text,
-- never fails, and is the same in every database: nothing in it depends on the collation of the database.

-- What looks the same is the same: characters that nobody sees go, full-width letters and digits become ordinary
-- ones, and every space a plain one. What goes are the Default_Ignorable code points of Unicode.
create function identity_text(value text) returns text
  language sql immutable parallel safe strict
  return btrim(
    normalize(
      translate(
        regexp_replace(
          value collate "C",
          '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
          '', 'g'),
        e'\u0085\u1680\u2028\u2029', '    '),
      nfkc),
    e' \t\n\x0b\f\r');
comment on function identity_text is 'A piece of kontakt_key: the text without what nobody sees, in one Unicode form.';

-- How Punycode adapts to the distance between letters (RFC 3492, 6.1).
create function punycode_bias(distance bigint, letters integer, is_first boolean) returns integer
  language plpgsql immutable parallel safe set search_path = public, pg_temp as $$
declare
  delta bigint := distance / case when is_first then 700 else 2 end;
  step integer := 0;
begin
  delta := delta + delta / letters;
  while delta > 455 loop
    delta := delta / 35;
    step := step + 36;
  end loop;
  return step + 36 * delta / (delta + 38);
end
$$;
comment on function punycode_bias is 'A piece of readable_label.';

-- müller.example and xn--mller-kva.example are one domain; its key has the readable form. A label that is no
-- Punycode (RFC 3492), or stands for what no domain may hold, stays as it is.
create function readable_label(label text) returns text
  language plpgsql immutable parallel safe strict set search_path = public, pg_temp as $$
declare
  deltas constant text collate "C" := substring(label from '^xn--[a-z0-9-]*?([a-z0-9]+)$');
  readable text collate "C" := coalesce(substring(label from '^xn--([a-z0-9-]*)-[a-z0-9]*$'), '');
  code integer := 128;
  place bigint := 0;
  bias integer := 72;
  start bigint;
  weight bigint;
  digit integer;
  threshold integer;
  step integer;
  letter integer := 1;
begin
  while letter <= length(deltas) loop
    start := place;
    weight := 1;
    step := 36;
    loop
      digit := strpos('abcdefghijklmnopqrstuvwxyz0123456789', substr(deltas, letter, 1)) - 1;
      letter := letter + 1;
      place := place + digit * weight;
      threshold := least(greatest(step - bias, 1), 26);
      exit when digit < threshold;
      weight := weight * (36 - threshold);
      step := step + 36;
      -- The label ends inside a number, or no letter is that far away.
      if letter > length(deltas) or weight > 100000000 then
        return label;
      end if;
    end loop;
    bias := punycode_bias(place - start, length(readable) + 1, start = 0);
    if code + place / (length(readable) + 1) not between 128 and 1114111 then
      return label;
    end if;
    code := code + place / (length(readable) + 1);
    place := place % (length(readable) + 1);
    -- Halves of surrogate pairs are no letters.
    if code between 55296 and 57343 then
      return label;
    end if;
    readable := overlay(readable placing chr(code) from place::integer + 1 for 0);
    place := place + 1;
  end loop;
  return case
    when readable = search_form(identity_text(readable)) and readable ~ '^[a-z0-9\u00a0-\U0010ffff-]+$' and readable ~ '[^a-z0-9-]' then readable
    else label
  end;
end
$$;
comment on function readable_label is 'A piece of kontakt_key: a label of a domain with its Punycode undone.';

-- Lower case, no spaces around, no mailto:, no dot at the end. Plus tags and dots in the name stay: they may be
-- different people.
create function kontakt_key_email(value text) returns text
  language plpgsql immutable parallel safe strict set search_path = public, pg_temp as $$
declare
  address text collate "C" := regexp_replace(value collate "C", '^mailto:[ \t\n\v\f\r]*', '', 'i');
begin
  address := search_form(rtrim(address, e' \t\n\x0b\f\r.'));
  if address ~ '[@.]xn--' then
    address := substring(address from '^.*@') || (
      select string_agg(readable_label(labels.label), '.' order by labels.place)
      from regexp_split_to_table(substring(address from '[^@]*$'), '\.') with ordinality as labels (label, place));
  end if;
  if length(address) > 254
    or address !~ '^[^\u0001-\u0020\u007f-\u009f@,;:<>()\[\]"\\]+@[a-z0-9_\u00a0-\U0010ffff-]+(\.[a-z0-9_\u00a0-\U0010ffff-]+)+$' then
    return null;
  end if;
  return 'email:' || address;
end
$$;
comment on function kontakt_key_email is 'A piece of kontakt_key: email: and the address in lower case; null where the text is no address.';

-- E.164, default country Germany. Refused: text around the number, two numbers, service numbers,
-- fewer than six digits after the country code.
create function kontakt_key_phone(value text) returns text
  language plpgsql immutable parallel safe strict set search_path = public, pg_temp as $$
declare
  number text collate "C" := translate(value collate "C", '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789');
begin
  number := regexp_replace(number, '^tel:[ \t]*', '', 'i');
  -- The extension goes: the number is the switchboard's.
  number := regexp_replace(
    number, '[ \t]*(;ext=|ext(ension)?\.?|durchwahl|dw\.?|nebenstelle|nst\.?|app(arat)?\.?|x|#)[ \t]*[0-9]{1,6}$', '', 'i');
  -- A zero in brackets behind a country code is dialled at home only, except where it is part of the number
  -- (Italy, San Marino, Benin, Gabon, Ivory Coast, Congo).
  if number ~ '[(\[][ \t]*0[ \t]*[)\]]' then
    number := regexp_replace(
      number, '^([ \t(\[]*(?:\+|00)[ \t]*(?!39|378|225|229|241|242)[0-9]{1,3}[-)\] \t./]*)[(\[][ \t]*0[ \t]*[)\]]', '\1');
  end if;
  number := translate(number, e'- \t\n\x0b\f\r()[]./‐‑‒–—―⁃−ー', '');
  if number !~ '^\+?[0-9]{6,20}$' then
    return null;
  end if;
  number := case
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
    '^\+(20|27|3[123]|4[013469]|5[13458]|6[0-346]|8[1246]|9[0-58]|21[1238]|23[1-4]|243|249|25[0-2456]|26[0-5]|291|35[3589]|37[03457]|38[0-35-79]|42[13]|508|59[013-68]|686|85[056]|88[06]|96[1-467]|97[01267]|99[456])0+',
    '+\1');
  -- North America has ten digits: +171… is a German mobile number whose zero became a plus. And a service number is
  -- nobody's.
  if number !~ '^\+([2-9][0-9]{7,14}|1[2-9][0-9]{9})$' or number ~ '^\+49(11|137|138|180|700|800|900)' then
    return null;
  end if;
  return 'phone:' || number;
end
$$;
comment on function kontakt_key_phone is 'A piece of kontakt_key: phone: and the number in E.164, default country Germany; null where the text is no number.';

create function kontakt_key_lead(value text) returns text
  language sql immutable parallel safe strict
  return case
    when value collate "C" ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' then 'lead:' || lower(value collate "C")
  end;
comment on function kontakt_key_lead is 'A piece of kontakt_key: lead: and the UUID in lower case; null where the text is no UUID.';

-- plpgsql, as its longer pieces are: SQL functions of several steps are planned anew on every call and took 180 µs in
-- place of 20.
create function kontakt_key(value text) returns text
  language plpgsql immutable parallel safe strict set search_path = public, pg_temp as $$
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
comment on function kontakt_key is 'The identity key of any spelling: prefixed or bare, raw or normalised; null where it is none.';

-- What is stored under a key must be found by it: a key that is not as the rule writes it would be in the list
-- and nowhere else.
alter table haushalte
  add constraint haushalte_kontakt_key_check check (coalesce(kontakt_key(kontakt_key) = kontakt_key, false));
alter table kontakt_aliases
  add constraint kontakt_aliases_alias_key_check check (coalesce(kontakt_key(alias_key) = alias_key, false)),
  add constraint kontakt_aliases_canonical_key_check check (coalesce(kontakt_key(canonical_key) = canonical_key, false));
-- And what events say about a contact leads to it.
alter table lead_analyses
  add constraint lead_analyses_kontakt_key_check check (kontakt_key is null or coalesce(kontakt_key(kontakt_key) = kontakt_key, false));
alter table signals
  add constraint signals_kontakt_key_check check (kontakt_key is null or coalesce(kontakt_key(kontakt_key) = kontakt_key, false));
