-- How identities compare texts.

-- Lower case and one Unicode form.
-- The ICU collation makes umlauts fold in every database, also in one with the C locale.
create or replace function lower_form(value text) returns text
  language sql immutable parallel safe strict
  return lower(normalize(value, nfc) collate "und-x-icu") collate "C";
comment on function lower_form is 'Unicode NFC, lower case.';

-- What looks the same is the same: invisible characters go, full-width letters and digits become ordinary
-- ones, and every space a plain one. What goes are the Default_Ignorable code points of Unicode.
create or replace function identity_text(value text) returns text
  language sql immutable parallel safe strict
  return btrim(
    normalize(
      translate(
        regexp_replace(
          value collate "C",
          '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164'
            '\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a'
            '\U000e0000-\U000e0fff]',
          '', 'g'),
        e'\u0085\u1680\u2028\u2029', '    '),
      nfkc),
    e' \t\n\x0b\f\r');
comment on function identity_text is
  'Called by kontakt_key: the text without invisible characters, in one Unicode form.';
