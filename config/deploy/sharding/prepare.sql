-- Once, before the first partition moves (config/sharding.md): each partition of the beacon's alleles gets a key of its own,
-- since PostgreSQL keeps no key over partitions on several servers. Run in one transaction: psql -1 -v ON_ERROR_STOP=1 -f …
\set QUIET on
\t on
create temporary table parts on commit drop as
  select c.oid::regclass::text as part, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'beacon_alleles'::regclass;
-- A partition that is apart keeps its key: none has to be built anew.
select format('alter table beacon_alleles detach partition %s', part) from parts \gexec
alter table beacon_alleles drop constraint beacon_alleles_pkey;
select format('alter table beacon_alleles attach partition %s %s', part, bound) from parts \gexec
-- The planner knows nothing of tables on other servers, takes queries of them for long ones, and would compile each of them.
select format('alter role %I in database %I set jit = off', current_user, current_database()) \gexec
