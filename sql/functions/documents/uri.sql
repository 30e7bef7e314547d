-- Links: which may be stored, and in which form.

-- Whether a text is a URI (RFC 3986) with something behind its scheme. P: a character of a path but : @ and /.
create or replace function is_uri(value text) returns boolean
  language sql immutable parallel safe
  return value ~ replace(
    '^[A-Za-z][A-Za-z0-9+.-]*:'
    || '(//((P|:)*@)?(\[[0-9A-Fa-f:.]+\]|P*)(:[0-9]*)?(/(P|[:@/])*)?|/?(P|[:@])(P|[:@/])*)'
    || '(\?(P|[:@/?])*)?(#(P|[:@/?])*)?$',
    'P', '([A-Za-z0-9._~!$&''()*+,;=-]|%[0-9A-Fa-f]{2})');
comment on function is_uri is 'Whether a text is a URI, as the API promises of links.';

-- Links are often stored as people read them: with umlauts, braces, bars. A fragment begins once.
create or replace function encode_uri(value text) returns text
  language sql immutable parallel safe strict
  return (
    select coalesce(string_agg(
      case when found.part[1] ~ '^(%..|[A-Za-z0-9._~:/?#@!$&''()*+,;=-])$' then found.part[1]
        else regexp_replace(upper(encode(convert_to(found.part[1], 'UTF8'), 'hex')), '(..)', '%\1', 'g') end,
      '' order by found.place), '')
    from regexp_matches(
      case when value like '%#%'
        then split_part(value, '#', 1) || '#' || replace(substr(value, strpos(value, '#') + 1), '#', '%23')
        else value end,
      '%[0-9A-Fa-f]{2}|.', 'g') with ordinality as found (part, place));
comment on function encode_uri is 'The text with each character percent-encoded that a URI cannot have.';

create or replace function encode_meeting_url() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  new.meeting_url := encode_uri(new.meeting_url);
  return new;
end
$$;
