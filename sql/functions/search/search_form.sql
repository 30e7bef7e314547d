-- How search compares texts, stored and searched. What leads.search_text has stays as it was made: a change here
-- needs `update leads set name = name`.
--
-- Lower case of upper case is full case folding: ß becomes ss, a ligature its letters. Two cases are left: a sigma at
-- the end of a word, and the dot above the i of a Turkish İ. The ICU collation knows umlauts in every database.
create or replace function search_form(value text) returns text
  language sql immutable parallel safe strict
  return replace(
    replace(normalize(lower(upper(lower(value collate "und-x-icu"))), nfc) collate "C", 'ς', 'σ'),
    e'i\u0307', 'i');
comment on function search_form is
  'The form in which search compares texts: case folded (ß as ss, ligatures as letters, İ and ı as i), in NFC.';
