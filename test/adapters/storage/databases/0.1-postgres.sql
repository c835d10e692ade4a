-- A database that release 0.1.0 made: its code at 91db9f97 ran its migrations and loaded two alleles of one sample.
-- The statements of the migrations as they were sent (the partitions in one loop), then the rows.
create table "trefoil_migrations" ("contract" text collate "C" not null, "name" text collate "C" not null, "ran_at" timestamptz(3) not null, constraint "trefoil_migrations_pkey" primary key ("contract", "name"));
create table "jobs_queue" ("seq" serial primary key, "id" text collate "C" not null, "kind" text collate "C" not null, "payload" json not null, "owner" text collate "C" not null, "state" text collate "C" not null, "attempts" integer not null, "progress" double precision not null, "error" text collate "C", "result" json, "cancel_requested" boolean not null, "created" timestamptz(3) not null, "updated" timestamptz(3) not null, "run_after" timestamptz(3) not null, "worker" text collate "C", "lease_until" timestamptz(3), "live_key" text collate "C");
alter table "jobs_queue" add constraint "jobs_queue_id_unique" unique ("id");
create index "jobs_queue_owner_created_index" on "jobs_queue" ("owner", "created");
create index jobs_queue_live on jobs_queue (created, seq) where state in ('queued', 'running');
create unique index jobs_queue_live_key on jobs_queue (live_key) where state in ('queued', 'running');
create table "tokens_issued" ("id" text collate "C", "hash" text collate "C" not null, "owner" text collate "C" not null, "scopes" json not null, "created" timestamptz(3) not null, "expires" timestamptz(3), "last_used" timestamptz(3), "revoked" timestamptz(3), constraint "tokens_issued_pkey" primary key ("id"));
alter table "tokens_issued" add constraint "tokens_issued_hash_unique" unique ("hash");
create table "beacon_datasets" ("id" text collate "C", "name" text collate "C" not null, "assembly" text collate "C" not null, "access" text collate "C" not null, "version" double precision not null, "description" text collate "C", "external_url" text collate "C", "created" timestamptz(3) not null, "updated" timestamptz(3) not null, "allele_count" bigint not null, "call_count" bigint not null, "sample_count" bigint not null, "revision" bigint not null, constraint "beacon_datasets_pkey" primary key ("id"));
create table "beacon_segments" ("id" serial primary key, "dataset" text collate "C" not null, "state" text collate "C" not null, "sole_sample" text collate "C", "touched" bigint not null);
create index "beacon_segments_dataset_index" on "beacon_segments" ("dataset");
create table "beacon_samples" ("segment" integer not null, "ordinal" integer not null, "name" text collate "C" not null, constraint "beacon_samples_pkey" primary key ("segment", "ordinal"));
create table "beacon_alleles" ("id" bigint, "contig" smallint not null, "span" smallint not null, "start" integer not null, "stop" integer not null, "structural" smallint not null, "mate" smallint, "calls" integer not null, "reference" text collate "C" not null, "alternate" text collate "C" not null, "kind" text collate "C" not null, "carriers" text collate "C", constraint "beacon_alleles_pkey" primary key ("id"));
create index beacon_alleles_place on beacon_alleles (contig, start);
create index beacon_alleles_long on beacon_alleles (contig, span, start) where span > 0;
create index beacon_alleles_mate on beacon_alleles (mate, stop) where mate is not null;
create index beacon_alleles_structural on beacon_alleles (id) where structural = 1;
alter table "beacon_alleles" add column "ranges" text collate "C";
alter table beacon_segments rename column touched to heard;
drop index beacon_alleles_mate;
create table "beacon_breakends" ("id" bigint, "contig" smallint not null, "span" smallint not null, "start" integer not null, "stop" integer not null, "structural" smallint not null, "mate" smallint not null, "calls" integer not null, "reference" text collate "C" not null, "alternate" text collate "C" not null, "kind" text collate "C" not null, "carriers" text collate "C", "ranges" text collate "C", constraint "beacon_breakends_pkey" primary key ("id"));
create index beacon_breakends_mate on beacon_breakends (mate, stop);
create table "beacon_extents" ("segment" integer not null, "contig" smallint not null, "first" bigint not null, "last" bigint not null, "structural" smallint not null, constraint "beacon_extents_pkey" primary key ("segment", "contig"));
drop index "beacon_alleles_long";
drop index "beacon_alleles_place";
drop index "beacon_alleles_structural";
alter table "beacon_alleles" drop constraint "beacon_alleles_pkey";
alter table "beacon_alleles" rename to "beacon_alleles_old";
create table "beacon_alleles" (like "beacon_alleles_old" including defaults) partition by list ("contig");
do $$ declare part record; begin
  for part in select a * 100 + c as code, 'beacon_alleles_grch3' || a + 6 || '_' || (case c when 23 then 'x' when 24 then 'y' when 25 then 'mt' else c::text end) as name
    from generate_series(1, 2) a, generate_series(1, 25) c order by 1
  loop execute format('create table %I partition of beacon_alleles for values in (%s)', part.name, part.code); end loop;
end $$;
drop table "beacon_alleles_old";
alter table "beacon_alleles" add primary key ("id", "contig");
CREATE INDEX beacon_alleles_long ON public.beacon_alleles USING btree (contig, span, start) WHERE (span > 0);
CREATE INDEX beacon_alleles_place ON public.beacon_alleles USING btree (contig, start);
CREATE INDEX beacon_alleles_structural ON public.beacon_alleles USING btree (id) WHERE (structural = 1);
insert into beacon_alleles ("id", "contig", "span", "start", "stop", "structural", "mate", "calls", "reference", "alternate", "kind", "carriers", "ranges") values
('4294967296', '101', '0', '40', '43', '0', NULL, '1', 'TCC', 'CCC', 'MNP', NULL, NULL),
('4294967297', '102', '2', '500', '5500', '1', NULL, '1', 'N', '<DEL>', 'DEL', NULL, NULL);
insert into beacon_datasets ("id", "name", "assembly", "access", "version", "description", "external_url", "created", "updated", "allele_count", "call_count", "sample_count", "revision") values
('ds', 'DS', 'GRCh37', 'PUBLIC', '1', NULL, NULL, '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '2', '2', '1', '1');
insert into beacon_extents ("segment", "contig", "first", "last", "structural") values
('1', '101', '4294967296', '4294967296', '0'),
('1', '102', '4294967297', '4294967297', '1');
insert into beacon_samples ("segment", "ordinal", "name") values
('1', '0', 'a');
insert into beacon_segments ("id", "dataset", "state", "sole_sample", "heard") values
('1', 'ds', 'published', 'a', '1795926505514');
select setval('beacon_segments_id_seq', 1);
insert into tokens_issued ("id", "hash", "owner", "scopes", "created", "expires", "last_used", "revoked") values
('t', 'h', 'o', '["a:b"]', '2026-01-15 08:00:00.123+00', NULL, NULL, NULL);
insert into trefoil_migrations ("contract", "name", "ran_at") values
('beacon@1', '001-datasets-and-alleles', '2026-11-29 04:28:25.01+00'),
('beacon@1', '002-ranges', '2026-11-29 04:28:25.016+00'),
('beacon@1', '003-contigs', '2026-11-29 04:28:25.492+00'),
('jobs@1', '001-queue', '2026-11-29 04:28:24.978+00'),
('tokens@1', '001-issued', '2026-11-29 04:28:24.987+00');