-- Moves a partition of the beacon's alleles to another server (config/sharding.md):
-- psql -1 -v ON_ERROR_STOP=1 -v part=beacon_alleles_grch38_21 -v server=shard_21 -f …
\set QUIET on
select pg_get_expr(relpartbound, oid) as bound from pg_class where oid = :'part'::regclass \gset
alter table beacon_alleles detach partition :"part";
alter table :"part" rename to beacon_alleles_moved;
create foreign table :"part" partition of beacon_alleles :bound server :"server" options (table_name :'part');
insert into :"part" select * from beacon_alleles_moved;
drop table beacon_alleles_moved;
