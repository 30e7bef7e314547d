-- Which links may be stored.

-- Whether a text is a URI (RFC 3986) with something behind its scheme. P: a character of a path but : @ and /.
create or replace function is_uri(value text) returns boolean
  language sql immutable parallel safe
  return value ~ replace(
    '^[A-Za-z][A-Za-z0-9+.-]*:'
    || '(//((P|:)*@)?(\[[0-9A-Fa-f:.]+\]|P*)(:[0-9]*)?(/(P|[:@/])*)?|/?(P|[:@])(P|[:@/])*)'
    || '(\?(P|[:@/?])*)?(#(P|[:@/?])*)?$',
    'P', '([A-Za-z0-9._~!$&''()*+,;=-]|%[0-9A-Fa-f]{2})');
comment on function is_uri is 'Whether a text is a URI, as the API promises of links.';
