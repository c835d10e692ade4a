-- Brings a partition of the beacon's alleles back from another server (config/sharding.md), where its rows stay until they
-- are truncated: psql -1 -v ON_ERROR_STOP=1 -v part=beacon_alleles_grch38_21 -f …
\set QUIET on
select pg_get_expr(relpartbound, oid) as bound from pg_class where oid = :'part'::regclass \gset
alter table beacon_alleles detach partition :"part";
alter foreign table :"part" rename to beacon_alleles_far;
create table :"part" (like beacon_alleles including defaults);
insert into :"part" select * from beacon_alleles_far;
alter table :"part" add primary key (id, contig);
alter table beacon_alleles attach partition :"part" :bound;
drop foreign table beacon_alleles_far;
