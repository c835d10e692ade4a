-- A database that release 0.2.0 made: its code at 696fdd40 ran its migrations and filled every table through its repositories.
-- The statements of the migrations as they were sent (the partitions in one loop), then the rows.
create table "trefoil_migrations" ("contract" text collate "C" not null, "name" text collate "C" not null, "ran_at" timestamptz(3) not null, constraint "trefoil_migrations_pkey" primary key ("contract", "name"));
create table "jobs_queue" ("seq" serial primary key, "id" text collate "C" not null, "kind" text collate "C" not null, "payload" json not null, "owner" text collate "C" not null, "state" text collate "C" not null, "attempts" integer not null, "progress" double precision not null, "error" text collate "C", "result" json, "cancel_requested" boolean not null, "created" timestamptz(3) not null, "updated" timestamptz(3) not null, "run_after" timestamptz(3) not null, "worker" text collate "C", "lease_until" timestamptz(3), "live_key" text collate "C");
alter table "jobs_queue" add constraint "jobs_queue_id_unique" unique ("id");
create index "jobs_queue_owner_created_index" on "jobs_queue" ("owner", "created");
create index jobs_queue_live on jobs_queue (created, seq) where state in ('queued', 'running');
create unique index jobs_queue_live_key on jobs_queue (live_key) where state in ('queued', 'running');
alter table jobs_queue add column crashes integer not null default 0;
create table "tokens_issued" ("id" text collate "C", "hash" text collate "C" not null, "owner" text collate "C" not null, "scopes" json not null, "created" timestamptz(3) not null, "expires" timestamptz(3), "last_used" timestamptz(3), "revoked" timestamptz(3), constraint "tokens_issued_pkey" primary key ("id"));
alter table "tokens_issued" add constraint "tokens_issued_hash_unique" unique ("hash");
create table "sessions_open" ("id" text collate "C", "hash" text collate "C" not null, "issuer" text collate "C" not null, "subject" text collate "C" not null, "name" text collate "C", "created" timestamptz(3) not null, "last_seen" timestamptz(3) not null, "expires" timestamptz(3) not null, "sealed" text collate "C" not null, constraint "sessions_open_pkey" primary key ("id"));
alter table "sessions_open" add constraint "sessions_open_hash_unique" unique ("hash");
create table "audit_key" ("number" integer, "fingerprint" text collate "C" not null, constraint "audit_key_pkey" primary key ("number"));
create table "audit_chains" ("number" serial primary key, "id" text collate "C" not null, "started" timestamptz(3) not null, "previous_chain" text collate "C", "previous_sequence" bigint, "previous_hash" text collate "C", "base_sequence" bigint not null, "base_hash" text collate "C" not null, "base_seal" text collate "C" not null, "head_sequence" bigint not null, "head_hash" text collate "C" not null, "head_seal" text collate "C" not null);
alter table "audit_chains" add constraint "audit_chains_id_unique" unique ("id");
create table "audit_entries" ("chain" text collate "C" not null, "sequence" bigint not null, "at" timestamptz(3) not null, "actor" text collate "C" not null, "about" json not null, "body" text collate "C" not null, "hash" text collate "C" not null, constraint "audit_entries_pkey" primary key ("chain", "sequence"));
create index "audit_entries_at" on "audit_entries" ("at", "chain", "sequence");
create index "audit_entries_actor" on "audit_entries" ("actor", "at", "chain", "sequence");
create table "audit_subjects" ("subject" text collate "C" not null, "at" timestamptz(3) not null, "chain" text collate "C" not null, "sequence" bigint not null, constraint "audit_subjects_pkey" primary key ("subject", "at", "chain", "sequence"));
create index "audit_subjects_entry" on "audit_subjects" ("chain", "sequence");
create table "audit_people" ("lookup" text collate "C", "pseudonym" text collate "C" not null, "sealed" text collate "C" not null, constraint "audit_people_pkey" primary key ("lookup"));
alter table "audit_people" add constraint "audit_people_pseudonym_unique" unique ("pseudonym");
create table "audit_pending" ("number" serial primary key, "id" text collate "C" not null, "sealed" text collate "C" not null);
alter table "audit_pending" add constraint "audit_pending_id_unique" unique ("id");
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
alter table beacon_segments rename column heard to heartbeat;
alter table "beacon_segments" add column "as_written" smallint;
alter table "beacon_alleles" add column "trimmed" integer;
alter table "beacon_breakends" add column "trimmed" integer;
create index beacon_alleles_trimmed on beacon_alleles (contig, trimmed) where trimmed is not null;
alter table beacon_segments rename column heartbeat to last_heartbeat;
alter table "beacon_segments" add column "generation" smallint not null default '0', add column "loads" smallint not null default '1';
alter table "beacon_datasets" add column "counting" json;
create table "beacon_sample_facts" ("id" serial primary key, "dataset" text collate "C" not null, "name" text collate "C" not null, "case_id" text collate "C" not null, "sex" text collate "C" not null, "affected" smallint, "labels" json, "added" timestamptz(3), "searched_small" smallint not null, "searched_structural" smallint not null);
alter table "beacon_sample_facts" add constraint "beacon_sample_facts_name" unique ("dataset", "name");
create index beacon_alleles_structural_place on beacon_alleles (contig, start) where structural = 1;
alter table "beacon_segments" add column "case_groups" text collate "C";
alter table beacon_alleles add column carrier_count integer;
alter table beacon_alleles add column twice_count integer;
alter table beacon_alleles add column case_count integer;
alter table "beacon_sample_facts" add column "coverage_id" text collate "C";
alter table "beacon_sample_facts" add column "phenotypes" json, add column "diseases" json;
alter table "beacon_datasets" add column "salt" text collate "C";
create table "beacon_genes_releases" ("assembly" text collate "C", "genes" integer not null, "updated" timestamptz(3) not null, constraint "beacon_genes_releases_pkey" primary key ("assembly"));
create table "beacon_genes_places" ("assembly" text collate "C" not null, "ensembl" text collate "C" not null, "hgnc" integer, "symbol" text collate "C", "contig" text collate "C" not null, "start" integer not null, "stop" integer not null);
create index "beacon_genes_places_assembly_hgnc_index" on "beacon_genes_places" ("assembly", "hgnc");
create index "beacon_genes_places_assembly_ensembl_index" on "beacon_genes_places" ("assembly", "ensembl");
create index beacon_genes_places_symbol on beacon_genes_places (assembly, upper(symbol));
create table "beacon_protection_publications" ("dataset" text collate "C", "created" timestamptz(3) not null, "generation" bigint not null, "published" timestamptz(3) not null, "alleles" bigint not null, "calls" bigint not null, "samples" bigint not null, "people" bigint not null, constraint "beacon_protection_publications_pkey" primary key ("dataset"));
create table "beacon_protection_people" ("dataset" text collate "C" not null, "sample" text collate "C" not null, "since" bigint not null, "leaving" boolean not null, constraint "beacon_protection_people_pkey" primary key ("dataset", "sample"));
create table "beacon_protection_spent" ("dataset" text collate "C" not null, "account" text collate "C" not null, "sample" text collate "C" not null, "spent" double precision not null, "spent_at" bigint not null, constraint "beacon_protection_spent_pkey" primary key ("dataset", "account", "sample"));
create table "beacon_protection_events" ("dataset" text collate "C" not null, "account" text collate "C" not null, "event" text collate "C" not null, constraint "beacon_protection_events_pkey" primary key ("dataset", "account", "event"));
create table "beacon_protection_accounts" ("dataset" text collate "C" not null, "account" text collate "C" not null, "questions" bigint not null, "hits" bigint not null, constraint "beacon_protection_accounts_pkey" primary key ("dataset", "account"));
create table "beacon_protection_consulted" ("dataset" text collate "C" not null, "account" text collate "C" not null, "contig" text collate "C" not null, "stretch" integer not null, "sample" text collate "C" not null, constraint "beacon_protection_consulted_pkey" primary key ("dataset", "account", "contig", "stretch", "sample"));
create table "coverage_sets" ("id" serial primary key, "kind" text collate "C" not null, "build" text collate "C", "state" text collate "C" not null, "touched" bigint not null, "loaded" timestamptz(3), "rows" integer, "chromosomes" json, "release" text collate "C", "source" text collate "C", "checksum" text collate "C", "read" integer, "skipped" json);
create table "coverage_genes" ("id" bigint, "set_id" integer not null, "chromosome" smallint not null, "start" integer not null, "stop" integer not null, "strand" smallint, "ensembl" text collate "C" not null, "hgnc" integer, "symbol" text collate "C", "symbol_key" text collate "C", "biotype" text collate "C", constraint "coverage_genes_pkey" primary key ("id"));
create index "coverage_genes_set_id_hgnc_index" on "coverage_genes" ("set_id", "hgnc");
create index "coverage_genes_set_id_symbol_key_index" on "coverage_genes" ("set_id", "symbol_key");
create index "coverage_genes_set_id_ensembl_index" on "coverage_genes" ("set_id", "ensembl");
create table "coverage_transcripts" ("id" bigint, "set_id" integer not null, "chromosome" smallint not null, "start" integer not null, "stop" integer not null, "strand" smallint, "ensembl" text collate "C" not null, "gene" text collate "C" not null, "biotype" text collate "C", "mane_select" smallint not null, "mane_plus" smallint not null, "cross_references" text collate "C" not null, constraint "coverage_transcripts_pkey" primary key ("id"));
create index "coverage_transcripts_set_id_gene_index" on "coverage_transcripts" ("set_id", "gene");
create index "coverage_transcripts_set_id_ensembl_chromosome_index" on "coverage_transcripts" ("set_id", "ensembl", "chromosome");
create table "coverage_exons" ("id" bigint, "set_id" integer not null, "chromosome" smallint not null, "gene" text collate "C" not null, "transcript" text collate "C" not null, "exons" text collate "C" not null, constraint "coverage_exons_pkey" primary key ("id"));
create index "coverage_exons_gene" on "coverage_exons" ("set_id", "gene", "transcript", "chromosome");
create table "coverage_names" ("id" bigint, "set_id" integer not null, "key" text collate "C" not null, "kind" text collate "C" not null, "hgnc" integer not null, "ensembl" text collate "C", constraint "coverage_names_pkey" primary key ("id"));
create index "coverage_names_set_id_key_index" on "coverage_names" ("set_id", "key");
create index "coverage_names_set_id_hgnc_index" on "coverage_names" ("set_id", "hgnc");
create index "coverage_names_set_id_ensembl_index" on "coverage_names" ("set_id", "ensembl");
create table "coverage_samples_registered" ("id" text collate "C", "revision" text collate "C" not null, "build" text collate "C" not null, "path" text collate "C" not null, "track" text collate "C", "case_id" text collate "C", "sex" text collate "C" not null, "analysed" text collate "C", "labels" json not null, "state" text collate "C" not null, "reason" text collate "C", "registered" timestamptz(3) not null, "updated" timestamptz(3) not null, "checked" timestamptz(3), "found" json, constraint "coverage_samples_registered_pkey" primary key ("id"));
create index "coverage_samples_registered_state_id_index" on "coverage_samples_registered" ("state", "id");
create table "coverage_samples_runs" ("number" serial primary key, "sample" text collate "C" not null, "chromosome" integer not null, "start" integer not null, "stop" integer not null, "checksum" text collate "C" not null, "content" bytea not null);
alter table "coverage_samples_runs" add constraint "coverage_samples_runs_sample_chromosome_start_unique" unique ("sample", "chromosome", "start");
create table "coverage_tracks_merged" ("number" serial primary key, "id" text collate "C" not null, "build" text collate "C" not null, "threshold" integer not null, "begun" timestamptz(3) not null, "bytes" bigint);
alter table "coverage_tracks_merged" add constraint "coverage_tracks_merged_id_unique" unique ("id");
create table "coverage_tracks_members" ("number" serial primary key, "track" integer not null, "place" integer not null, "sample" text collate "C" not null, "revision" text collate "C" not null);
alter table "coverage_tracks_members" add constraint "coverage_tracks_members_track_place_unique" unique ("track", "place");
create index "coverage_tracks_members_sample_index" on "coverage_tracks_members" ("sample");
create table "coverage_tracks_blocks" ("number" serial primary key, "track" integer not null, "chromosome" integer not null, "start" integer not null, "checksum" bigint not null, "content" bytea not null);
alter table "coverage_tracks_blocks" add constraint "coverage_tracks_blocks_track_chromosome_start_unique" unique ("track", "chromosome", "start");
create table "coverage_cohorts_layouts" ("number" serial primary key, "id" text collate "C" not null, "build" text collate "C" not null, "thresholds" json not null, "sets" text collate "C" not null, "version" bigint not null, "columns" integer not null, "arranged" integer not null);
alter table "coverage_cohorts_layouts" add constraint "coverage_cohorts_layouts_build_unique" unique ("build");
create table "coverage_cohorts_regions" ("number" serial primary key, "layout" integer not null, "piece" integer not null, "content" bytea not null);
alter table "coverage_cohorts_regions" add constraint "coverage_cohorts_regions_layout_piece_unique" unique ("layout", "piece");
create table "coverage_cohorts_columns" ("number" serial primary key, "layout" integer not null, "place" integer not null, "sample" text collate "C", "source" text collate "C", "counts" boolean not null, "facts" json);
alter table "coverage_cohorts_columns" add constraint "coverage_cohorts_columns_sample_unique" unique ("sample");
alter table "coverage_cohorts_columns" add constraint "coverage_cohorts_columns_layout_place_unique" unique ("layout", "place");
create table "coverage_cohorts_blocks" ("number" serial primary key, "layout" integer not null, "part" integer not null, "plane" integer not null, "first" integer not null, "stop" integer not null, "checksum" bigint not null, "content" bytea not null);
alter table "coverage_cohorts_blocks" add constraint "coverage_cohorts_blocks_layout_part_plane_first_unique" unique ("layout", "part", "plane", "first");
create table "coverage_sites_sets" ("number" serial primary key, "name" text collate "C" not null, "build" text collate "C" not null, "state" text collate "C" not null, "touched" bigint not null, "loaded" timestamptz(3), "sites" integer, "record" json);
create table "coverage_sites_places" ("set_id" integer not null, "place" integer not null, "chromosome" smallint not null, "start" integer not null, "stop" integer not null, "record" text collate "C" not null, constraint "coverage_sites_places_pkey" primary key ("set_id", "place"));
create index "coverage_sites_places_set_id_chromosome_start_index" on "coverage_sites_places" ("set_id", "chromosome", "start");
create table "coverage_sites_genes" ("set_id" integer not null, "gene" text collate "C" not null, "place" integer not null, constraint "coverage_sites_genes_pkey" primary key ("set_id", "gene", "place"));
create table "coverage_reports_kept" ("number" serial primary key, "id" text collate "C" not null, "made" timestamptz(3) not null, "facts" json not null);
alter table "coverage_reports_kept" add constraint "coverage_reports_kept_id_unique" unique ("id");
create index "coverage_reports_kept_made_id_index" on "coverage_reports_kept" ("made", "id");
create table "coverage_reports_words" ("word" text collate "C" not null, "report" integer not null, constraint "coverage_reports_words_pkey" primary key ("word", "report"));
create index "coverage_reports_words_report_index" on "coverage_reports_words" ("report");
create table "coverage_reports_pieces" ("report" integer not null, "part" text collate "C" not null, "piece" integer not null, "content" bytea not null, constraint "coverage_reports_pieces_pkey" primary key ("report", "part", "piece"));
create table "matchmaker_patients" ("number" serial primary key, "id" text collate "C" not null, "version" integer not null, "owner" text collate "C" not null, "label" text collate "C", "href" text collate "C" not null, "created" timestamptz(3) not null, "updated" timestamptz(3) not null, "document" json not null, "facts" json not null);
alter table "matchmaker_patients" add constraint "matchmaker_patients_id_unique" unique ("id");
create index "matchmaker_patients_label_index" on "matchmaker_patients" ("label");
create index "matchmaker_patients_href_index" on "matchmaker_patients" ("href");
create index "matchmaker_patients_owner_number_index" on "matchmaker_patients" ("owner", "number");
create table "matchmaker_pending" ("id" serial primary key, "number" integer not null);
create index "matchmaker_pending_number_index" on "matchmaker_pending" ("number");
create table "matchmaker_feed" ("number" integer, "revision" bigint not null, "facts" json, constraint "matchmaker_feed_pkey" primary key ("number"));
alter table "matchmaker_feed" add constraint "matchmaker_feed_revision_unique" unique ("revision");
create table "matchmaker_tally" ("key" text collate "C", "count" bigint not null, constraint "matchmaker_tally_pkey" primary key ("key"));
create table "matchmaker_totals" ("id" integer, "revision" bigint not null, "counts" json not null, constraint "matchmaker_totals_pkey" primary key ("id"));
create table "matchmaker_clients" ("id" text collate "C", "url" text collate "C", "contact" text collate "C", "created" timestamptz(3) not null, constraint "matchmaker_clients_pkey" primary key ("id"));
create table "matchmaker_matches_records" ("number" serial primary key, "id" text collate "C" not null, "created" timestamptz(3) not null, "type" text collate "C" not null, "direction" text collate "C" not null, "asker" text collate "C" not null, "patient_id" text collate "C" not null, "patient_number" integer, "found" smallint not null, "document" json not null);
alter table "matchmaker_matches_records" add constraint "matchmaker_matches_records_id_unique" unique ("id");
create index "matchmaker_matches_records_created_index" on "matchmaker_matches_records" ("created");
create index "matchmaker_matches_records_patient_id_index" on "matchmaker_matches_records" ("patient_id");
create table "matchmaker_matches_found" ("record" integer not null, "patient_id" text collate "C" not null, constraint "matchmaker_matches_found_pkey" primary key ("record", "patient_id"));
create index "matchmaker_matches_found_patient_id_index" on "matchmaker_matches_found" ("patient_id");
create table "matchmaker_matches_tally" ("id" serial primary key, "requests" bigint not null, "sent" bigint not null);
create table "matchmaker_matches_genes" ("gene" text collate "C", constraint "matchmaker_matches_genes_pkey" primary key ("gene"));
alter table "matchmaker_matches_records" add column "search" text collate "C";
alter table "matchmaker_matches_records" add constraint "matchmaker_matches_records_search_unique" unique ("search");
create index "matchmaker_matches_queries" on "matchmaker_matches_records" ("direction", "type", "asker", "patient_id", "number");
create table "matchmaker_matches_patients" ("id" serial primary key, "digest" text collate "C" not null, "node" text collate "C" not null, "patient_id" text collate "C" not null, "seen" integer not null, "document" json not null);
alter table "matchmaker_matches_patients" add constraint "matchmaker_matches_patients_digest_unique" unique ("digest");
create index "matchmaker_matches_patients_patient_id_index" on "matchmaker_matches_patients" ("patient_id");
create table "matchmaker_matches_loose" ("form" integer, constraint "matchmaker_matches_loose_pkey" primary key ("form"));
alter table "matchmaker_matches_found" add column "form" integer;
create table "matchmaker_resources_state" ("id" integer, "revision" bigint not null, constraint "matchmaker_resources_state_pkey" primary key ("id"));
create table "matchmaker_resources_parts" ("kind" text collate "C", "version" text collate "C", "source" text collate "C" not null, "entries" integer not null, "loaded" timestamptz(3) not null, "content" bytea not null, constraint "matchmaker_resources_parts_pkey" primary key ("kind"));
create table "matchmaker_nodes_peers" ("id" text collate "C", "label" text collate "C" not null, "url" text collate "C" not null, "content_type" text collate "C" not null, "contact" text collate "C", "token" json not null, "enabled" boolean not null, "created" timestamptz(3) not null, "last_success" timestamptz(3), "last_failure" timestamptz(3), "failure" text collate "C", "failures" integer not null, constraint "matchmaker_nodes_peers_pkey" primary key ("id"));
create table "matchmaker_nodes_questions" ("node" text collate "C" not null, "number" integer not null, "answered" integer not null, "owed" integer, "tries" integer not null, constraint "matchmaker_nodes_questions_pkey" primary key ("node", "number"));
create index "matchmaker_nodes_questions_number_index" on "matchmaker_nodes_questions" ("number");
create index matchmaker_nodes_owed on matchmaker_nodes_questions (node, number) where owed is not null;
alter table "matchmaker_nodes_peers" add column "quirks" json, add column "retry_at" timestamptz(3);
alter table "matchmaker_nodes_questions" add column "due" timestamptz(3);
create table "matchmaker_mail_outbox" ("number" serial primary key, "id" text collate "C" not null, "due" timestamptz(3) not null, "patient" text collate "C" not null, "failures" integer not null, "failure" text collate "C", "document" json not null);
alter table "matchmaker_mail_outbox" add constraint "matchmaker_mail_outbox_id_unique" unique ("id");
create index "matchmaker_mail_outbox_due_index" on "matchmaker_mail_outbox" ("due");
create index "matchmaker_mail_outbox_patient_index" on "matchmaker_mail_outbox" ("patient");
create table "matchmaker_mail_told" ("patient" text collate "C" not null, "node" text collate "C" not null, "other" text collate "C" not null, constraint "matchmaker_mail_told_pkey" primary key ("patient", "node", "other"));
create index "matchmaker_mail_told_other_index" on "matchmaker_mail_told" ("other");
alter table "matchmaker_mail_outbox" add column "search" text collate "C";
create index "matchmaker_mail_outbox_search_index" on "matchmaker_mail_outbox" ("search");
create table "matchmaker_mail_pairs" ("pair" text collate "C", "patient" text collate "C", "node" text collate "C", "other" text collate "C", constraint "matchmaker_mail_pairs_pkey" primary key ("pair"));
create index "matchmaker_mail_pairs_patient_index" on "matchmaker_mail_pairs" ("patient");
create index "matchmaker_mail_pairs_other_index" on "matchmaker_mail_pairs" ("other");
create table "matchmaker_audit_entries" ("number" serial primary key, "at" timestamptz(3) not null, "actor" text collate "C" not null, "action" text collate "C" not null, "patient" text collate "C" not null, "query" text collate "C");
create index "matchmaker_audit_entries_at_index" on "matchmaker_audit_entries" ("at");
create index "matchmaker_audit_entries_patient_index" on "matchmaker_audit_entries" ("patient");
create index "matchmaker_audit_entries_query_index" on "matchmaker_audit_entries" ("query");
alter table "matchmaker_audit_entries" add column "purpose" text collate "C";
create table "matchmaker_triage_submissions" ("number" integer, "gone" boolean not null, "history" json not null, constraint "matchmaker_triage_submissions_pkey" primary key ("number"));
create table "matchmaker_triage_rows" ("id" text collate "C", "submission" integer not null, "owner" text collate "C" not null, "node" text collate "C" not null, "patient" text collate "C" not null, "first_seen" timestamptz(3) not null, "last_seen" timestamptz(3) not null, "seen" json not null, "text" text collate "C" not null, "revision" integer not null, "status" text collate "C" not null, "assignee" text collate "C", "work" json not null, constraint "matchmaker_triage_rows_pkey" primary key ("id"));
create index "matchmaker_triage_rows_submission_index" on "matchmaker_triage_rows" ("submission");
create index "matchmaker_triage_of_owner" on "matchmaker_triage_rows" ("owner", "submission", "last_seen");
create table "matchmaker_triage_names" ("name" text collate "C" not null, "node" text collate "C" not null, "submission" integer not null, "row" text collate "C" not null, constraint "matchmaker_triage_names_pkey" primary key ("name", "node", "submission", "row"));
create index "matchmaker_triage_names_row_index" on "matchmaker_triage_names" ("row");
create table "matchmaker_triage_visits" ("person" text collate "C" not null, "submission" integer not null, "since" timestamptz(3), "at" timestamptz(3) not null, constraint "matchmaker_triage_visits_pkey" primary key ("person", "submission"));
create index "matchmaker_triage_visits_submission_index" on "matchmaker_triage_visits" ("submission");
create table "panels_versions" ("number" serial primary key, "panel" text collate "C" not null, "version" text collate "C" not null, "name" text collate "C" not null, "state" text collate "C" not null, "revision" integer not null, "digest" text collate "C" not null, "genes" integer not null, "unmapped" integer not null, "history" json not null, "content" text collate "C" not null);
alter table "panels_versions" add constraint "panels_versions_panel_version_unique" unique ("panel", "version");
create table "panels_genes" ("hgnc" integer not null, "version" integer not null, constraint "panels_genes_pkey" primary key ("hgnc", "version"));
create index "panels_genes_version_index" on "panels_genes" ("version");
create table "panels_names" ("id" integer, "facts" json not null, "loaded" timestamptz(3) not null, constraint "panels_names_pkey" primary key ("id"));
create table "panels_pieces" ("piece" integer, "content" bytea not null, constraint "panels_pieces_pkey" primary key ("piece"));
create table if not exists trefoil_lineage (single boolean primary key check (single),
  origin text not null, timeline text not null, synchronous boolean not null, mark text not null);
insert into audit_chains ("number", "id", "started", "previous_chain", "previous_sequence", "previous_hash", "base_sequence", "base_hash", "base_seal", "head_sequence", "head_hash", "head_seal") values
('1', 'c', '2026-01-15 08:00:00.123+00', NULL, NULL, NULL, '0', 'h', 's', '1', 'h', 's');
select setval('audit_chains_number_seq', 1);
insert into audit_entries ("chain", "sequence", "at", "actor", "about", "body", "hash") values
('c', '1', '2026-01-15 08:00:00.123+00', 'a', '["p"]', '{}', 'h');
insert into audit_key ("number", "fingerprint") values
('1', 'f');
insert into audit_pending ("number", "id", "sealed") values
('1', 'e', 's');
select setval('audit_pending_number_seq', 1);
insert into audit_people ("lookup", "pseudonym", "sealed") values
('l', 'p', 's');
insert into audit_subjects ("subject", "at", "chain", "sequence") values
('p', '2026-01-15 08:00:00.123+00', 'c', '1');
insert into beacon_alleles ("id", "contig", "span", "start", "stop", "structural", "mate", "calls", "reference", "alternate", "kind", "carriers", "ranges", "trimmed", "carrier_count", "twice_count", "case_count") values
('10737418240', '101', '0', '40', '41', '0', NULL, '2', 'T', 'C', 'SNP', NULL, NULL, NULL, NULL, NULL, NULL),
('6442450944', '101', '0', '40', '41', '0', NULL, '1', 'T', 'C', 'SNP', '0', NULL, NULL, '1', '0', '1'),
('6442450945', '101', '0', '60', '61', '0', NULL, '3', 'G', 'T', 'SNP', '0:2 1', NULL, NULL, '2', '1', '2'),
('6442450946', '102', '2', '500', '5500', '1', NULL, '1', 'N', '<DEL>', 'DEL', '1', NULL, NULL, '1', '0', '1'),
('6442450947', '123', '2', '100', '2300', '1', NULL, '1', 'N', '<DUP>', 'DUP', '0', '90..110/', NULL, '1', '0', '1'),
('6442450948', '103', '0', '9', '11', '1', NULL, '1', 'AT', 'ATGG', 'INS', '0', NULL, '10', '1', '0', '1'),
('6442450949', '104', '7', '2000', '3000', '1', '105', '1', 'G', 'G]5:3001]', 'BND', '0', NULL, NULL, '1', '0', '1');
insert into beacon_breakends ("id", "contig", "span", "start", "stop", "structural", "mate", "calls", "reference", "alternate", "kind", "carriers", "ranges", "trimmed") values
('6442450949', '104', '7', '2000', '3000', '1', '105', '1', 'G', 'G]5:3001]', 'BND', '0', NULL, NULL);
insert into beacon_datasets ("id", "name", "assembly", "access", "version", "description", "external_url", "created", "updated", "allele_count", "call_count", "sample_count", "revision", "counting", "salt") values
('ds', 'Dataset ds', 'GRCh37', 'PUBLIC', '1', 'Ærø "1"', 'https://x.example', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:01+00', '6', '10', '3', '150099005652', NULL, 'Qng5tIUO5qwOua3yldBPHumXMuZpQsxDykpdGxP54HU');
insert into beacon_extents ("segment", "contig", "first", "last", "structural") values
('1', '101', '6442450944', '6442450945', '0'),
('1', '102', '6442450946', '6442450946', '1'),
('1', '103', '6442450948', '6442450948', '1'),
('1', '104', '6442450949', '6442450949', '1'),
('1', '123', '6442450947', '6442450947', '1'),
('2', '101', '10737418240', '10737418240', '0');
insert into beacon_genes_places ("assembly", "ensembl", "hgnc", "symbol", "contig", "start", "stop") values
('GRCh37', 'ENSG00000128513', '17284', 'POT1', '7', '124462439', '124570037');
insert into beacon_genes_releases ("assembly", "genes", "updated") values
('GRCh37', '1', '2026-01-15 08:00:00.123+00');
insert into beacon_protection_accounts ("dataset", "account", "questions", "hits") values
('ds', 'a', '0', '0');
insert into beacon_protection_consulted ("dataset", "account", "contig", "stretch", "sample") values
('ds', 'a', '1', '0', 'a'),
('ds', 'a', '1', '1', 'a');
insert into beacon_protection_events ("dataset", "account", "event") values
('ds', 'a', 'e');
insert into beacon_protection_people ("dataset", "sample", "since", "leaving") values
('ds', 'a', '1', 'false'),
('ds', 'b', '1', 'false'),
('ds', 'c', '1', 'false');
insert into beacon_protection_publications ("dataset", "created", "generation", "published", "alleles", "calls", "samples", "people") values
('ds', '2026-01-15 08:00:00.123+00', '1', '2026-01-15 08:00:00.123+00', '6', '10', '3', '3');
insert into beacon_protection_spent ("dataset", "account", "sample", "spent", "spent_at") values
('ds', 'a', 'a', '0.06613980250454501', '1768464000123');
insert into beacon_sample_facts ("id", "dataset", "name", "case_id", "sex", "affected", "labels", "added", "searched_small", "searched_structural", "coverage_id", "phenotypes", "diseases") values
('1', 'ds', 'a', 'f', 'male', '1', '{"assay":"WGS","run_date":"2025-12-31"}', '2026-01-15 08:00:01+00', '1', '1', NULL, '[{"id":"HP:0001250","label":"Seizure"}]', NULL),
('2', 'ds', 'b', 'b', 'unknown', NULL, NULL, '2026-01-15 08:00:01+00', '1', '1', NULL, NULL, NULL),
('3', 'ds', 'c', 'c', 'unknown', NULL, NULL, '2026-01-15 08:00:01+00', '1', '1', NULL, NULL, NULL);
select setval('beacon_sample_facts_id_seq', 3);
insert into beacon_samples ("segment", "ordinal", "name") values
('1', '0', 'a'),
('1', '1', 'b'),
('2', '0', 'c');
insert into beacon_segments ("id", "dataset", "state", "sole_sample", "last_heartbeat", "as_written", "generation", "loads", "case_groups") values
('1', 'ds', 'published', NULL, '1795927441186', NULL, '0', '1', '5cc3a6551605a0b4e9c3334f5eb5554c'),
('2', 'ds', 'published', 'c', '1795927441197', NULL, '0', '1', '5feceb66ffc86f38d952786c6d696c79');
select setval('beacon_segments_id_seq', 2);
insert into coverage_cohorts_blocks ("number", "layout", "part", "plane", "first", "stop", "checksum", "content") values
('1', '1', '-1', '0', '0', '1', '2951396073', E'\\x01');
select setval('coverage_cohorts_blocks_number_seq', 1);
insert into coverage_cohorts_columns ("number", "layout", "place", "sample", "source", "counts", "facts") values
('1', '1', '0', 's', 'f', 'true', '{"denominator":1,"beyond":[],"bytes":1}');
select setval('coverage_cohorts_columns_number_seq', 1);
insert into coverage_cohorts_layouts ("number", "id", "build", "thresholds", "sets", "version", "columns", "arranged") values
('1', 'l', 'GRCh37', '[10]', 's', '1', '1', '0');
select setval('coverage_cohorts_layouts_number_seq', 1);
insert into coverage_cohorts_regions ("number", "layout", "piece", "content") values
('1', '1', '0', E'\\x01');
select setval('coverage_cohorts_regions_number_seq', 1);
insert into coverage_exons ("id", "set_id", "chromosome", "gene", "transcript", "exons") values
('805306368', '3', '0', 'ENSG00000000001', 'ENST00000000001', '[["ENSE00000000001",1,1000,1010],["ENSE00000000002",2,1020,1030]]');
insert into coverage_genes ("id", "set_id", "chromosome", "start", "stop", "strand", "ensembl", "hgnc", "symbol", "symbol_key", "biotype") values
('268435456', '1', '0', '1000', '1500', NULL, 'ENSG00000000001', '5', 'BAP1', 'BAP1', NULL);
insert into coverage_names ("id", "set_id", "key", "kind", "hgnc", "ensembl") values
('1073741824', '4', 'BAP1', 'symbol', '5', NULL);
insert into coverage_reports_kept ("number", "id", "made", "facts") values
('1', 'rrrrrrrrrrrrrrrrrrrrrr', '2026-01-15 08:00:00.123+00', '{"software":"0.2.0","language":"en","page":"report","build":"GRCh37","level":10,"thresholds":[10],"sets":[],"samples":[{"id":"s","file":"/data/b/s.d4"}],"genes":0,"missing":0,"shared":[],"parts":{}}');
select setval('coverage_reports_kept_number_seq', 1);
insert into coverage_reports_pieces ("report", "part", "piece", "content") values
('1', 'json', '0', E'\\x01');
insert into coverage_reports_words ("word", "report") values
('gene:G', '1');
insert into coverage_samples_registered ("id", "revision", "build", "path", "track", "case_id", "sex", "analysed", "labels", "state", "reason", "registered", "updated", "checked", "found") values
('s', 'f8232059-d495-4dbd-8798-4751050cb89b', 'GRCh37', '/data/a//b/../s.d4', NULL, NULL, 'male', NULL, '{}', 'ready', NULL, '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '{"fingerprint":"f","build":"GRCh37","sex":"male","warnings":[],"thresholds":[10],"covered":[1],"depths":{"x":1,"y":1,"autosomes":2},"bytes":1}'),
('u', '052c0acc-0a01-4578-a199-57fa547adf19', 'GRCh38', 's3://bucket/u.d4', NULL, NULL, 'female', NULL, '{"assay":"WES"}', 'pending', NULL, '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', NULL, NULL);
insert into coverage_samples_runs ("number", "sample", "chromosome", "start", "stop", "checksum", "content") values
('1', 's', '0', '0', '1', 'sha256:4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a', E'\\x01');
select setval('coverage_samples_runs_number_seq', 1);
insert into coverage_sets ("id", "kind", "build", "state", "touched", "loaded", "rows", "chromosomes", "release", "source", "checksum", "read", "skipped") values
('1', 'genes', 'GRCh37', 'published', '1795927441235', '2026-01-15 08:00:00.123+00', '1', '[{"chromosome":"1","rows":1}]', 'Ensembl 115 “Ørsted”', 'file.tsv', 'sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', '7', '{"other sequence":2}'),
('2', 'transcripts', 'GRCh37', 'published', '1795927441236', '2026-01-15 08:00:00.123+00', '1', '[{"chromosome":"1","rows":1}]', 'Ensembl 115 “Ørsted”', 'file.tsv', 'sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', '7', '{"other sequence":2}'),
('3', 'exons', 'GRCh37', 'published', '1795927441236', '2026-01-15 08:00:00.123+00', '2', '[{"chromosome":"1","rows":2}]', 'Ensembl 115 “Ørsted”', 'file.tsv', 'sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', '7', '{"other sequence":2}'),
('4', 'names', NULL, 'published', '1795927441239', '2026-01-15 08:00:00.123+00', '1', '[]', 'Ensembl 115 “Ørsted”', 'file.tsv', 'sha256:0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a', '7', '{"other sequence":2}');
select setval('coverage_sets_id_seq', 4);
insert into coverage_sites_genes ("set_id", "gene", "place") values
('1', 'G', '0');
insert into coverage_sites_places ("set_id", "place", "chromosome", "start", "stop", "record") values
('1', '0', '0', '9', '10', '["A","T",["G"]]');
insert into coverage_sites_sets ("number", "name", "build", "state", "touched", "loaded", "sites", "record") values
('1', 'ClinVar', 'GRCh37', 'published', '1795927441277', '2026-01-15 08:00:00.123+00', '1', '{"release":"r","source":"f","checksum":"c","skipped":{}}');
select setval('coverage_sites_sets_number_seq', 1);
insert into coverage_tracks_blocks ("number", "track", "chromosome", "start", "checksum", "content") values
('1', '1', '0', '0', '4192141405', E'\\x01');
select setval('coverage_tracks_blocks_number_seq', 1);
insert into coverage_tracks_members ("number", "track", "place", "sample", "revision") values
('1', '1', '0', 's', '160e7b61-0edf-4855-852e-512c04cafbe1');
select setval('coverage_tracks_members_number_seq', 1);
insert into coverage_tracks_merged ("number", "id", "build", "threshold", "begun", "bytes") values
('1', 't', 'GRCh37', '10', '2026-01-15 08:00:00.123+00', '1');
select setval('coverage_tracks_merged_number_seq', 1);
insert into coverage_transcripts ("id", "set_id", "chromosome", "start", "stop", "strand", "ensembl", "gene", "biotype", "mane_select", "mane_plus", "cross_references") values
('536870912', '2', '0', '1000', '1500', NULL, 'ENST00000000001', 'ENSG00000000001', NULL, '0', '0', '[[],[],[],[],[]]');
insert into jobs_queue ("seq", "id", "kind", "payload", "owner", "state", "attempts", "progress", "error", "result", "cancel_requested", "created", "updated", "run_after", "worker", "lease_until", "live_key", "crashes") values
('1', 'f0000000-0000-4000-8000-000000000001', 'a.b', '[1]', 'o', 'queued', '0', '0', NULL, NULL, 'false', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', NULL, NULL, 'k', '0');
select setval('jobs_queue_seq_seq', 1);
insert into matchmaker_audit_entries ("number", "at", "actor", "action", "patient", "query", "purpose") values
('1', '2026-01-15 08:00:00.123+00', 'scout', 'add', 'P', NULL, NULL),
('2', '2026-01-15 08:00:00.123+00', 'seqr', 'match', 'P', 'Q', 'research');
select setval('matchmaker_audit_entries_number_seq', 2);
insert into matchmaker_clients ("id", "url", "contact", "created") values
('ada', 'https://ada.example', NULL, '2026-01-15 08:00:00.123+00');
insert into matchmaker_feed ("number", "revision", "facts") values
('1', '1', '{"submitter":"mailto:who@example.org","diagnosed":false,"genes":[],"variants":[],"features":["HP:0001250"],"featureSet":"HP:0001250"}'),
('2', '2', '{"submitter":"mailto:who@example.org","diagnosed":false,"genes":[],"variants":[],"features":["HP:0000252"],"featureSet":"HP:0000252"}');
insert into matchmaker_mail_outbox ("number", "id", "due", "patient", "failures", "failure", "document", "search") values
('1', '00000000-0000-4000-9000-000000000001', '2026-01-15 08:00:00.123+00', 'P', '0', NULL, '{"created":"2026-01-15T08:00:00.123Z","to":["x@example.org"],"patient":{"id":"P"},"matches":[{"node":{"id":"n","label":"N"},"patient":{"id":"Z","contact":{"name":"ä","href":"mailto:a@b.se"}},"score":0.5,"genes":["G"],"terms":[]}]}', 's');
select setval('matchmaker_mail_outbox_number_seq', 1);
insert into matchmaker_mail_pairs ("pair", "patient", "node", "other") values
('pair 1', 'P', 'n', 'Z');
insert into matchmaker_mail_told ("patient", "node", "other") values
('P', 'n', 'Z');
insert into matchmaker_matches_found ("record", "patient_id", "form") values
('1', 'Q', '1'),
('1', 'R', '4'),
('2', 'P', '3'),
('3', 'S', '2');
insert into matchmaker_matches_genes ("gene") values
('BAP1');
insert into matchmaker_matches_loose ("form") values
('5');
insert into matchmaker_matches_patients ("id", "digest", "node", "patient_id", "seen", "document") values
('1', '48f6v4XybjlosfgNetGQzOAQrLMImFST6SXmmSw0YuI', 'here', 'Q', '20786', '{"id":"Q","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}'),
('2', 'EMm_yYa5rkXnCKDRmzlluuOizx9a4TXZIuZJC8lLcg0', 'here', 'S', '20786', '{"id":"S","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}'),
('3', 'M_V2u9NJBnETEKUb2I9tGU4xkuU-kcQaQNzYjR5idks', 'here', 'P', '20786', '{"id":"P","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}'),
('4', 'nmBSxbQwA3iizdC1CeMCVU27_jqQ2BwdDjQdT6vmGwI', 'here', 'R', '20786', '{"id":"R","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}'),
('5', 'LpZSYSOCIgp6CWniUv7UVXI0tkWG8qcKPoqk61EDYCo', 'here', 'T', '20786', '{"id":"T","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}');
select setval('matchmaker_matches_patients_id_seq', 5);
insert into matchmaker_matches_records ("number", "id", "created", "type", "direction", "asker", "patient_id", "patient_number", "found", "document", "search") values
('1', '00000000-0000-4000-8000-000000000005', '2026-01-15 08:00:05+00', 'internal', 'incoming', 'ada', 'P', NULL, '1', '{"patient":{"id":"P","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]},"results":[{"node":{"id":"here","label":"Here"},"patients":[{"form":1,"score":{"patient":0.5,"_genotype":0.5}},{"form":4,"score":{"patient":0.5,"_genotype":0.5}}]}],"errors":[]}', NULL),
('2', '00000000-0000-4000-8000-000000000006', '2026-01-15 08:00:06+00', 'internal', 'outgoing', 'ada', 'Q', NULL, '1', '{"patient":{"id":"Q","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]},"results":[{"node":{"id":"here","label":"Here"},"patients":[{"form":3,"score":{"patient":0.5,"_genotype":0.5}}]}],"errors":[]}', NULL),
('3', '00000000-0000-4000-8000-000000000007', '2026-11-29 04:44:01.31+00', 'internal', 'incoming', 'ada', 'P', NULL, '1', '{"patient":{"id":"P","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]},"results":[{"node":{"id":"here","label":"Here"},"patients":[{"form":2,"score":{"patient":0.5,"_genotype":0.5}}]}],"errors":[]}', NULL);
select setval('matchmaker_matches_records_number_seq', 4);
insert into matchmaker_matches_tally ("id", "requests", "sent") values
('1', '2', '3'),
('2', '1', '1');
select setval('matchmaker_matches_tally_id_seq', 2);
insert into matchmaker_nodes_peers ("id", "label", "url", "content_type", "contact", "token", "enabled", "created", "last_success", "last_failure", "failure", "failures", "quirks", "retry_at") values
('n', 'N', 'https://n.example.org/match', 'application/json', NULL, '{"sealed":"abc"}', 'true', '2026-01-15 08:00:00.123+00', NULL, NULL, NULL, '0', '["seqr"]', NULL);
insert into matchmaker_nodes_questions ("node", "number", "answered", "owed", "tries", "due") values
('n', '1', '0', '1', '1', '2026-01-15 08:00:00.123+00');
insert into matchmaker_patients ("number", "id", "version", "owner", "label", "href", "created", "updated", "document", "facts") values
('1', 'P', '1', 'ada', NULL, 'mailto:who@example.org', '2026-01-15 08:00:01+00', '2026-01-15 08:00:01+00', '{"id":"P","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0001250"}]}', '{"submitter":"mailto:who@example.org","diagnosed":false,"genes":[],"variants":[],"features":["HP:0001250"],"featureSet":"HP:0001250"}'),
('2', 'Q', '1', 'ada', NULL, 'mailto:who@example.org', '2026-01-15 08:00:02+00', '2026-01-15 08:00:02+00', '{"id":"Q","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}', '{"submitter":"mailto:who@example.org","diagnosed":false,"genes":[],"variants":[],"features":["HP:0000252"],"featureSet":"HP:0000252"}'),
('3', 'S', '1', 'ada', NULL, 'mailto:who@example.org', '2026-01-15 08:00:03+00', '2026-01-15 08:00:03+00', '{"id":"S","contact":{"name":"Dr. Who","href":"mailto:who@example.org"},"features":[{"id":"HP:0000252"}]}', '{"submitter":"mailto:who@example.org","diagnosed":false,"genes":[],"variants":[],"features":["HP:0000252"],"featureSet":"HP:0000252"}');
select setval('matchmaker_patients_number_seq', 3);
insert into matchmaker_pending ("id", "number") values
('3', '3');
select setval('matchmaker_pending_id_seq', 3);
insert into matchmaker_resources_parts ("kind", "version", "source", "entries", "loaded", "content") values
('genes', NULL, 'g.tsv', '1', '2026-01-15 08:00:00.123+00', E'\\x07');
insert into matchmaker_resources_state ("id", "revision") values
('1', '1');
insert into matchmaker_tally ("key", "count") values
('feature:HP:0000252', '1'),
('feature:HP:0001250', '1'),
('set:HP:0000252', '1'),
('set:HP:0001250', '1'),
('submitter:mailto:who@example.org', '2');
insert into matchmaker_totals ("id", "revision", "counts") values
('1', '2', '{"cases":2,"diagnosed":0,"number":{"submitter":2,"gene":0,"variant":0,"feature":2,"set":2},"unique":{"submitter":1,"gene":0,"variant":0,"feature":2,"set":2}}');
insert into matchmaker_triage_names ("name", "node", "submission", "row") values
('c:c', 'n', '1', 'i'),
('p:q', 'n', '1', 'i');
insert into matchmaker_triage_rows ("id", "submission", "owner", "node", "patient", "first_seen", "last_seen", "seen", "text", "revision", "status", "assignee", "work") values
('i', '1', 'o', 'n', 'q', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '{"own":["p"],"label":"N","content":"c","formerIds":[],"contact":{"name":"N","href":"h"},"score":{"patient":1},"genes":[],"terms":[],"stated":[],"found":true,"asked":false,"scores":[{"at":"2026-01-15T08:00:00.123Z","score":{"patient":1}}]}', 'p
q
n
n
n
h', '1', 'new', NULL, '{"status":"new","history":[]}');
insert into matchmaker_triage_submissions ("number", "gone", "history") values
('1', 'false', '[]');
insert into matchmaker_triage_visits ("person", "submission", "since", "at") values
('p', '1', NULL, '2026-01-15 08:00:00.123+00');
insert into panels_genes ("hgnc", "version") values
('950', '1');
insert into panels_names ("id", "facts", "loaded") values
('1', '{"release":"2026-03-01","sources":["hgnc.txt"],"approved":1,"withdrawn":0}', '2026-01-15 08:00:00.123+00');
insert into panels_pieces ("piece", "content") values
('0', E'\\x01');
insert into panels_versions ("number", "panel", "version", "name", "state", "revision", "digest", "genes", "unmapped", "history", "content") values
('1', 'kidney', '1.0', 'Kidney', 'draft', '1', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '1', '0', '[{"what":"made","by":"anna","digest":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","at":1768464000123}]', '{"name":"Kidney","genes":[{"hgnc":950,"symbol":"BAP1"}]}');
select setval('panels_versions_number_seq', 1);
insert into sessions_open ("id", "hash", "issuer", "subject", "name", "created", "last_seen", "expires", "sealed") values
('s', 'h', 'https://i', 's', NULL, '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', '2026-01-15 08:00:00.123+00', 'x');
insert into tokens_issued ("id", "hash", "owner", "scopes", "created", "expires", "last_used", "revoked") values
('t', 'h', 'o', '["a:b"]', '2026-01-15 08:00:00.123+00', NULL, NULL, NULL);
insert into trefoil_migrations ("contract", "name", "ran_at") values
('audit@1', '001-chains-entries-and-people', '2026-11-29 04:43:56.949+00'),
('audit@1', '002-pending-events', '2026-11-29 04:43:56.982+00'),
('beacon-genes@1', '001-genes-and-releases', '2026-11-29 04:43:59.545+00'),
('beacon-genes@1', '002-symbols', '2026-11-29 04:43:59.553+00'),
('beacon-protection@1', '001-publications-and-budgets', '2026-11-29 04:43:59.608+00'),
('beacon-protection@1', '002-consulted-people', '2026-11-29 04:43:59.62+00'),
('beacon@1', '001-datasets-and-alleles', '2026-11-29 04:43:57.061+00'),
('beacon@1', '002-ranges', '2026-11-29 04:43:57.073+00'),
('beacon@1', '003-contigs', '2026-11-29 04:43:58.728+00'),
('beacon@1', '004-alleles-as-written', '2026-11-29 04:43:58.944+00'),
('beacon@1', '005-observations', '2026-11-29 04:43:59.381+00'),
('beacon@1', '006-counts', '2026-11-29 04:43:59.469+00'),
('beacon@1', '007-coverage-ids', '2026-11-29 04:43:59.489+00'),
('beacon@1', '008-individuals', '2026-11-29 04:43:59.513+00'),
('beacon@1', '009-fresh-rows', '2026-11-29 04:43:59.517+00'),
('coverage-cohorts@1', '001-layouts-and-blocks', '2026-11-29 04:44:00.155+00'),
('coverage-reports@1', '001-kept-reports', '2026-11-29 04:44:00.329+00'),
('coverage-samples@1', '001-samples-and-runs', '2026-11-29 04:43:59.7+00'),
('coverage-samples@1', '002-windows-of-runs', '2026-11-29 04:43:59.707+00'),
('coverage-sites@1', '001-sets-and-places', '2026-11-29 04:44:00.217+00'),
('coverage-tracks@1', '001-tracks-and-blocks', '2026-11-29 04:43:59.817+00'),
('coverage@1', '001-sets-of-intervals', '2026-11-29 04:43:59.679+00'),
('jobs@1', '001-queue', '2026-11-29 04:43:56.753+00'),
('jobs@1', '002-crashes', '2026-11-29 04:43:56.773+00'),
('matchmaker-audit@1', '001-entries', '2026-11-29 04:44:00.965+00'),
('matchmaker-audit@1', '002-purposes', '2026-11-29 04:44:00.997+00'),
('matchmaker-mail@1', '001-mail', '2026-11-29 04:44:00.846+00'),
('matchmaker-mail@1', '002-search', '2026-11-29 04:44:00.914+00'),
('matchmaker-matches@1', '001-records', '2026-11-29 04:44:00.611+00'),
('matchmaker-matches@1', '002-exchange', '2026-11-29 04:44:00.644+00'),
('matchmaker-matches@1', '003-shared-patients', '2026-11-29 04:44:00.693+00'),
('matchmaker-nodes@1', '001-nodes', '2026-11-29 04:44:00.747+00'),
('matchmaker-nodes@1', '002-quirks', '2026-11-29 04:44:00.757+00'),
('matchmaker-resources@1', '001-resources', '2026-11-29 04:44:00.717+00'),
('matchmaker-triage@1', '001-triage', '2026-11-29 04:44:01.089+00'),
('matchmaker@1', '001-patients', '2026-11-29 04:44:00.445+00'),
('matchmaker@1', '002-clients', '2026-11-29 04:44:00.475+00'),
('panels@1', '001-versions-and-names', '2026-11-29 04:44:01.152+00'),
('sessions@1', '001-open', '2026-11-29 04:43:56.841+00'),
('tokens@1', '001-issued', '2026-11-29 04:43:56.809+00');