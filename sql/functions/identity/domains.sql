-- Domains of mail addresses in their readable form.

-- How Punycode adapts to the distance between letters (RFC 3492, 6.1).
create or replace function punycode_bias(distance bigint, letters integer, is_first boolean) returns integer
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
comment on function punycode_bias is 'Called by readable_label.';

-- müller.example and xn--mller-kva.example are one domain; its key has the readable form. A label that is no
-- Punycode (RFC 3492), or stands for what no domain may hold, stays as it is.
create or replace function readable_label(label text) returns text
  language plpgsql immutable parallel safe strict
  set search_path = public, pg_temp set standard_conforming_strings = on as $$
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
    when readable = lower_form(identity_text(readable)) and readable ~ '^[a-z0-9\u00a0-\U0010ffff-]+$'
      and readable ~ '[^a-z0-9-]' then readable
    else label
  end;
end
$$;
comment on function readable_label is 'Called by kontakt_key_email: a label of a domain with its Punycode undone.';
