-- Household records, one per contact, and the aliases that lead to them.
--
-- The counts that lists and events show are derived from the documents when a row is written,
-- because unpacking 50 documents of 24 KB for one page of a list costs more than the page.
-- What is stored under a key must be found by it: a key that is not as the rule writes it would be in the list
-- and nowhere else.
--
-- @needs identity/kontakt_key, documents/counts

create table haushalte (
  kontakt_key text collate "C" primary key check (kontakt_key(kontakt_key) is not distinct from kontakt_key),
  haushalt jsonb not null check (jsonb_typeof(haushalt) = 'object'),
  provenance jsonb check (jsonb_typeof(provenance) = 'object'),
  din_check jsonb check (jsonb_typeof(din_check) = 'object'),
  empfehlungen_aktuell jsonb check (jsonb_typeof(empfehlungen_aktuell) = 'object'),
  quelle text,
  updated_at instant not null default now(),
  vertraege_anzahl integer not null generated always as (vertraege_anzahl(haushalt)) stored,
  luecken_nach_stufe jsonb not null generated always as (luecken_nach_stufe(din_check)) stored,
  params_version text generated always as (din_check #>> '{bewertung,params_version}') stored
);
comment on table haushalte is 'Household records: the needs profile accumulated per contact.';
comment on column haushalte.kontakt_key is 'Personal: identity key, email:, phone: or lead: and the normalised value.';
comment on column haushalte.haushalt is 'Personal: the din_core_v2 household profile.';
comment on column haushalte.provenance is 'Personal: where each field of the profile came from.';
comment on column haushalte.din_check is 'Personal: the DIN check of the household.';
comment on column haushalte.empfehlungen_aktuell is 'Personal: current recommendations.';
comment on column haushalte.quelle is 'Origin of the last change, for example crm_import.';
comment on column haushalte.luecken_nach_stufe is 'Derived: gaps per need level, [{stufe, anzahl}].';
comment on column haushalte.params_version is 'Derived: parameter version of the DIN check.';

-- GET /kontakte.
create index haushalte_updated_idx on haushalte (updated_at desc, kontakt_key);

create table kontakt_aliases (
  alias_key text collate "C" primary key check (kontakt_key(alias_key) is not distinct from alias_key),
  canonical_key text collate "C" not null check (kontakt_key(canonical_key) is not distinct from canonical_key),
  created_at instant not null default now(),
  check (alias_key <> canonical_key)
);
comment on table kontakt_aliases is 'Merged identity keys, always one hop from alias to surviving key.';
comment on column kontakt_aliases.alias_key is 'Personal: the key that was merged away.';
comment on column kontakt_aliases.canonical_key is 'Personal: the key that survives.';

-- The aliases of one contact.
create index kontakt_aliases_canonical_idx on kontakt_aliases (canonical_key, alias_key);

create view listed_haushalte as
select haushalte.kontakt_key, haushalte.haushalt, haushalte.provenance, haushalte.din_check,
  haushalte.empfehlungen_aktuell, haushalte.updated_at, haushalte.vertraege_anzahl, haushalte.luecken_nach_stufe,
  haushalte.params_version
from haushalte
where not exists (
  select from kontakt_aliases
  where kontakt_aliases.alias_key = haushalte.kontakt_key
    and (exists (select from haushalte as preferred where preferred.kontakt_key = kontakt_aliases.canonical_key)
      or exists (
        select from kontakt_aliases as siblings
        join haushalte as preferred on preferred.kontakt_key = siblings.alias_key
        where siblings.canonical_key = kontakt_aliases.canonical_key
          and (preferred.updated_at > haushalte.updated_at
            or preferred.updated_at = haushalte.updated_at and preferred.kontakt_key < haushalte.kontakt_key))));
comment on view listed_haushalte is
  'One record for each contact, the one that get_haushalt answers with: that of the surviving key, else the newest.';
