-- Forgets which functions are applied, in the transaction of a migration: what it drops comes back with all others.
prepare delete_schema_functions as
delete from schema_functions;
