-- Search answers with a page, by leads_with_text.
drop function if exists leads_containing(text, text[], text, boolean, integer, real);
