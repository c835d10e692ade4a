/** Finds genes by name, and their transcripts and exons. */
import {
  type Build,
  byPlace,
  type Exon,
  type Gene,
  type GeneLookup,
  geneName,
  type NameRow,
  resolveGenes,
  type TranscriptLookup,
  type TranscriptWithExons,
} from '../../../plugins/coverage/contract.js';
import type { Database } from '../binding.js';
import {
  chromosomeOf,
  type ExonsRow,
  exonsOf,
  type GeneRow,
  geneOf,
  type TranscriptRow,
  tables,
  transcriptOf,
} from './layout.js';
import { selectRows } from './select-rows.js';
import { among, publishedSets } from './sets.js';

interface Wanted {
  hgnc: Set<number>;
  ensembl: Set<string>;
  keys: Set<string>;
}

export function findGenes(database: Database, build: Build, asked: readonly string[]): Promise<GeneLookup> {
  return database.snapshot(async (snapshot) => {
    const published = await publishedSets(snapshot);
    const here = among(published, 'genes', build);
    const names = among(published, 'names');
    const wanted = wantedBy(asked);
    const rows = names ? await namesOf(snapshot, names.id, wanted) : [];
    for (const { hgnc, ensembl } of rows) {
      wanted.hgnc.add(hgnc);
      if (ensembl !== undefined) wanted.ensembl.add(ensembl);
    }
    const elsewhere: Gene[] = [];
    for (const { id, set } of published) {
      if (set.kind === 'genes' && id !== here?.id) elsewhere.push(...(await genesOf(snapshot, id, wanted)));
    }
    const found = here && (await genesOf(snapshot, here.id, wanted));
    return {
      answers: resolveGenes(asked, { here: found, elsewhere, names: rows }),
      ...(here && { genes: here.set }),
      ...(names && { names: names.set }),
    };
  });
}

function wantedBy(asked: readonly string[]): Wanted {
  const wanted: Wanted = { hgnc: new Set(), ensembl: new Set(), keys: new Set() };
  for (const item of asked) {
    const name = geneName(item);
    if (name?.kind === 'hgnc') wanted.hgnc.add(name.id);
    else if (name?.kind === 'ensembl') wanted.ensembl.add(name.id);
    else if (name) wanted.keys.add(name.key);
  }
  return wanted;
}

/** Rows of a set with one of the wanted values in any of three columns, each row once. */
async function rowsOf<Row extends { id: number | string }>(
  database: Database,
  table: string,
  set: number,
  values: Readonly<Record<string, ReadonlySet<string | number>>>,
): Promise<Row[]> {
  const rows = new Map<number | string, Row>();
  for (const [column, wanted] of Object.entries(values)) {
    if (wanted.size === 0) continue;
    const found = await selectRows<Row>(database, { table, set, column, values: [...wanted] });
    for (const row of found) rows.set(row.id, row);
  }
  return [...rows.values()];
}

async function genesOf(database: Database, set: number, { hgnc, ensembl, keys }: Wanted): Promise<Gene[]> {
  const rows = await rowsOf<GeneRow>(database, tables.genes, set, { hgnc, ensembl, symbol_key: keys });
  return rows.map(geneOf);
}

async function namesOf(database: Database, set: number, { hgnc, ensembl, keys }: Wanted): Promise<NameRow[]> {
  type Row = { id: number; key: string; kind: NameRow['kind']; hgnc: number; ensembl: string | null };
  const rows = await rowsOf<Row>(database, tables.names, set, { hgnc, ensembl, key: keys });
  return rows.map(({ key, kind, hgnc, ensembl }) => ({ key, kind, hgnc, ...(ensembl !== null && { ensembl }) }));
}

export function transcriptsOf(database: Database, build: Build, genes: readonly string[]): Promise<TranscriptLookup> {
  return database.snapshot(async (snapshot) => {
    const published = await publishedSets(snapshot);
    const transcripts = among(published, 'transcripts', build);
    const exons = among(published, 'exons', build);
    const gene = new Set(genes);
    const ofGenes = <Row extends { id: number | string }>(table: string, set: number | undefined) =>
      set === undefined ? [] : rowsOf<Row>(snapshot, table, set, { gene });
    const found = (await ofGenes<TranscriptRow>(tables.transcripts, transcripts?.id)).map(
      (row): TranscriptWithExons => ({ ...transcriptOf(row), exons: [] }),
    );
    const byId = new Map(found.map((transcript) => [keyOf(transcript.ensembl, transcript), transcript]));
    for (const row of await ofGenes<ExonsRow>(tables.exons, exons?.id)) {
      const chromosome = chromosomeOf(row.chromosome);
      byId.get(keyOf(row.transcript, { chromosome }))?.exons.push(...exonsOf(row));
    }
    for (const transcript of found) transcript.exons.sort((left, right) => left.rank - right.rank);
    const sets = { ...(transcripts && { transcripts: transcripts.set }), ...(exons && { exons: exons.set }) };
    return { transcripts: found.sort(byPlace), sets };
  });
}

/** A transcript id may occur on both X and Y. */
function keyOf(transcript: string, { chromosome }: Pick<Exon, 'chromosome'>): string {
  return `${transcript} ${chromosome}`;
}
