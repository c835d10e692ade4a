/** What the database holds of a load, counted past the server. */
import type { Cluster, Machine } from './cluster.js';
import type { Load } from './load.js';

export interface Compared {
  /** Acknowledged writes that are not there. */
  lost: string[];
  /** Writes that are there more often than acknowledged. */
  doubled: string[];
}

export async function compare(cluster: Cluster, on: Machine, load: Load): Promise<Compared> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const patients = await cluster.sql<{ id: string; n: number }>(
    'select id, count(*)::int as n from matchmaker_patients group by id',
    on,
    'trefoil',
  );
  const stored = new Map(patients.map(({ id, n }) => [id, n]));
  for (const id of load.added) if (!stored.has(id)) lost.push(`the patient ${id}`);
  for (const id of load.deleted) if (stored.has(id)) lost.push(`the deletion of ${id}`);
  for (const [id, n] of stored) if (n > 1) doubled.push(`the patient ${id}`);
  const searches = await cluster.sql<{ id: string; asked: number; n: number }>(
    // Patients that were added later and are like the query make further records, each of a name of its own.
    `select patient_id as id, count(*) filter (where search is null)::int as asked,
       (count(*) - count(distinct coalesce(search, '')))::int as n
     from matchmaker_matches_records group by patient_id`,
    on,
    'trefoil',
  );
  const recorded = new Map(searches.map(({ id, asked, n }) => [id, { asked, n }]));
  for (const id of load.searched) if (recorded.get(id)?.asked !== 1) lost.push(`the search ${id}`);
  for (const [id, { asked, n }] of recorded) {
    const isOurs = load.searched.has(id) || load.unknown.has(id);
    if (n > 0 || asked > 1 || !isOurs) doubled.push(`the search ${id}`);
  }
  const samples = await cluster.sql<{ name: string; n: number }>(
    "select s.name, count(*)::int as n from beacon_samples s join beacon_segments g on g.id = s.segment where g.state = 'published' group by s.name",
    on,
    'trefoil',
  );
  const there = new Map(samples.map(({ name, n }) => [name, n]));
  for (const number of load.loaded) if (!there.has(`S${number}`)) lost.push(`the file ${number}`);
  for (const [name, n] of there) if (n > 1) doubled.push(`the sample ${name}`);
  return { lost, doubled };
}
