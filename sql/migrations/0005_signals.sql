-- Sales signals (Vertriebsimpulse): titles only, no detail texts.
--
-- @needs identity/kontakt_key

create table signals (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  title text not null,
  status text not null default 'open' check (status in ('open', 'dismissed', 'done', 'resolved')),
  score score not null,
  lead_id uuid references leads (id) on delete set null,
  detected_at instant not null default now(),
  updated_at instant not null default now(),
  kontakt_key text collate "C" check (kontakt_key(kontakt_key) is not distinct from kontakt_key),
  quelle text,
  outcome text
);
comment on table signals is 'Sales signals: reasons to speak with a contact.';
comment on column signals.kind is 'Kind of signal, for example vertragsablauf.';
comment on column signals.title is 'Personal: title of the signal.';
comment on column signals.kontakt_key is 'Personal: identity key of the contact it concerns.';
comment on column signals.quelle is 'Origin, for example crm_import.';
comment on column signals.outcome is 'What came of it; set once known.';

-- GET /signals, without and with status.
create index signals_detected_idx on signals (detected_at desc, id desc);
create index signals_status_idx on signals (status, detected_at desc, id desc);
-- Deleting a lead.
create index signals_lead_idx on signals (lead_id);
create index signals_kontakt_idx on signals (kontakt_key) where kontakt_key is not null;
