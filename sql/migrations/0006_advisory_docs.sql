-- Advisory documents: known to the API through their events alone.

create table advisory_docs (
  id uuid primary key default gen_random_uuid(),
  lead_id uuid references leads (id) on delete set null,
  title text,
  approved_at instant,
  sent_at instant,
  created_at instant not null default now()
);
comment on table advisory_docs is 'Advisory documents (Beratungsdokumentation) and when they were approved and sent.';
comment on column advisory_docs.title is 'Personal: title of the document.';

-- Deleting a lead.
create index advisory_docs_lead_idx on advisory_docs (lead_id);
