-- The migrations that were applied. Run before every start, so it must be harmless when done already.
create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table schema_migrations is 'Migrations applied to this database; sha256 is that of the file''s text.';
