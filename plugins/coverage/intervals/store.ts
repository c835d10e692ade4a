/**
 * coverage@1 above tables: what the binding for SQL is compared with, and what adapters without one use. A load gathers its
 * rows in memory, repeated ones once, and publishes them in one transaction; replaced sets stay until they are swept, so that
 * `each` can end.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  absent,
  defineStore,
  defineTable,
  Fault,
  generated,
  json,
  optional,
  small,
  type Tables,
  text,
  time,
} from '../../../core/storage.js';
import {
  type Batch,
  type Build,
  builds,
  byPlace,
  byPlaceAndRank,
  type Chromosome,
  chromosomes,
  coverage,
  type Exon,
  type Gene,
  type GeneNames,
  geneName,
  type IntervalRepository,
  type IntervalSet,
  type Intervals,
  intervalKinds,
  type Load,
  type NameRow,
  type References,
  resolveGenes,
  type SetKind,
  type StagedSet,
  symbolKey,
  type Transcript,
} from '../contract.js';

/** A row of one name: each publication holds it, so that of two loads the later one sees what the other published. */
const turns = defineTable({ name: 'coverage_turns', columns: { name: text() }, key: ['name'] });

const sets = defineTable({
  name: 'coverage_sets',
  columns: {
    number: generated(),
    kind: text(),
    build: optional(text()),
    // staged → published → dropped; or staged → dropped.
    state: text(),
    // The last activity of a load; of a dropped set, when it was dropped.
    touched: time(),
    loaded: optional(time()),
    published: optional(json<Omit<IntervalSet, 'loaded'>>()),
  },
  key: ['number'],
  indexes: [['state', 'touched']],
});

/**
 * A gene, a transcript, the exons of a transcript on one chromosome, or a name: by number of the set, and by its place in the order
 * of loading. The other columns are what it is looked up by; `gene` is the Ensembl id of the gene.
 */
const rows = defineTable({
  name: 'coverage_rows',
  columns: {
    number: small(),
    place: small(),
    transcript: optional(text()),
    gene: optional(text()),
    hgnc: optional(small()),
    symbol: optional(text()),
    content: json<readonly unknown[]>(),
  },
  key: ['number', 'place'],
  indexes: [
    ['number', 'transcript'],
    ['number', 'gene'],
    ['number', 'hgnc'],
    ['number', 'symbol'],
  ],
});

/** Rows that `each` reads together. */
const atOnce = 1000;
const kinds: readonly SetKind[] = [...intervalKinds, 'names'];

export const store = defineStore<IntervalRepository>({
  contract: coverage,
  tables: [turns, sets, rows],
  steps: { '001-sets-of-intervals': { tables: [turns, sets, rows] } },
  repository: (tables) => ({
    async load({ sets: asked, rows: batches, accept, signal }, now) {
      refuseOdd(asked);
      signal?.throwIfAborted();
      const numbers: number[] = [];
      for (const { kind, build } of asked) {
        const added = await tables.table(sets).add({ kind, build, state: 'staged', touched: new Date() });
        numbers.push(added?.number as number);
      }
      const staged = { number: { among: numbers }, state: 'staged' };
      try {
        const gathered: Required<Batch> = { genes: [], transcripts: [], exons: [], names: [] };
        for await (const batch of batches) {
          for (const kind of kinds) add(gathered, kind, batch, asked);
          signal?.throwIfAborted();
          await tables.table(sets).change(staged, { touched: new Date() });
        }
        const pieces = asked.map(({ kind }) => recordsOf(kind, gathered));
        return await tables.transaction(async (inside) => {
          await inside.table(turns).put({ name: 'publish' }, []);
          const before = await published(inside);
          const made = asked.map((each, i): StagedSet => {
            const replaces = among(before, each.kind, each.build)?.set;
            return { ...each, ...countOf(each.kind, gathered, pieces[i] ?? []), ...(replaces && { replaces }) };
          });
          const answer = accept(made);
          signal?.throwIfAborted();
          const fresh = made.map(({ replaces: _, ...set }, i) => {
            const record = 'source' in answer ? answer : answer[i];
            if (record === undefined) throw new Fault('invalid', 'Each set of a load needs a record');
            return { ...record, ...set };
          });
          if ((await inside.table(sets).lock(staged)).length < numbers.length) {
            throw new Fault('conflict', 'The load was abandoned meanwhile: it was idle for too long');
          }
          const replaced = asked.map(
            ({ kind, build }) => ({ kind, build: build ?? absent, state: 'published' }) as const,
          );
          await inside.table(sets).change(replaced, { state: 'dropped', touched: new Date() });
          for (const [i, set] of fresh.entries()) {
            const number = numbers[i] as number;
            await inside.table(rows).append((pieces[i] ?? []).map((piece, place) => ({ ...piece, number, place })));
            const changes = { state: 'published', loaded: now, published: set };
            await inside.table(sets).change({ number }, changes);
          }
          return fresh.map((set) => ({ ...set, loaded: now }));
        });
      } catch (error) {
        await tables.table(sets).remove(staged);
        throw error;
      }
    },

    sets: async (options) => (await published(tables, options?.signal)).map(({ set }) => set),

    findGenes: (build, asked, { signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const known = await published(moment);
          const [here, names] = [among(known, 'genes', build), among(known, 'names')];
          let [hgnc, gene, symbol] = [[] as number[], [] as string[], [] as string[]];
          for (const name of asked.map(geneName)) {
            if (name?.kind === 'hgnc') hgnc.push(name.id);
            else if (name?.kind === 'ensembl') gene.push(name.id);
            else if (name !== undefined) symbol.push(name.key);
          }
          const rowsOf = async <Row>(number: readonly number[]) => {
            const where = [{ hgnc: { among: hgnc } }, { gene: { among: gene } }, { symbol: { among: symbol } }];
            const wanted = where.map((each) => ({ number: { among: number }, ...each }));
            const found = await moment.table(rows).find({ where: wanted });
            return found.map(({ content: [row] }) => row as Row);
          };
          const rowsOfNames = names ? await rowsOf<NameRow>([names.number]) : [];
          hgnc = hgnc.concat(rowsOfNames.map((row) => row.hgnc));
          gene = gene.concat(rowsOfNames.flatMap((row) => row.ensembl ?? []));
          const others = known.filter(({ set }) => set.kind === 'genes' && set.build !== build);
          const elsewhere = await rowsOf<Gene>(others.map(({ number }) => number));
          const answers = resolveGenes(asked, {
            here: here && (await rowsOf<Gene>([here.number])),
            elsewhere,
            names: rowsOfNames,
          });
          return { answers, ...(here && { genes: here.set }), ...(names && { names: names.set }) };
        },
        { signal },
      ),

    transcriptsOf: (build, genes, { signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const known = await published(moment);
          const [transcripts, exons] = [among(known, 'transcripts', build), among(known, 'exons', build)];
          const rowsOf = async <Row>(of: StoredIntervalSet | undefined) => {
            const where = { number: { among: of ? [of.number] : [] }, gene: { among: genes } };
            return (await moment.table(rows).find({ where })).flatMap(({ content }) => content as Row[]);
          };
          const found = (await rowsOf<Transcript>(transcripts)).map((one) => ({ ...one, exons: [] as Exon[] }));
          const byId = new Map(found.map((one) => [`${one.ensembl} ${one.chromosome}`, one]));
          for (const exon of await rowsOf<Exon>(exons)) {
            byId.get(`${exon.transcript} ${exon.chromosome}`)?.exons.push(exon);
          }
          for (const one of found) one.exons.sort((left, right) => left.rank - right.rank);
          const of = { ...(transcripts && { transcripts: transcripts.set }), ...(exons && { exons: exons.set }) };
          return { transcripts: found.sort(byPlace), sets: of };
        },
        { signal },
      ),

    select: (kind, build, filter, { signal } = {}) =>
      tables.snapshot(
        async (moment) => {
          const { number } = among(await published(moment), kind, build) ?? {};
          if (number === undefined) return [];
          const ids = new Set('ids' in filter ? filter.ids : filter.genes);
          // Exons are not looked up by their own ids: all are read.
          const by = 'genes' in filter || kind === 'genes' ? 'gene' : kind === 'exons' ? undefined : 'transcript';
          const where = { number, ...(by && { [by]: { among: [...ids] } }) };
          const found = (await moment.table(rows).find({ where })).flatMap(({ content }) => content);
          const isWanted = ({ ensembl }: Gene | Exon) => by !== undefined || ids.has(ensembl);
          return (found as Intervals[typeof kind][]).filter(isWanted).sort(byPlaceAndRank);
        },
        { signal },
      ),

    async each(kind, build, limit, take, { signal } = {}) {
      const known = among(await published(tables, signal), kind, build);
      if (known === undefined) return;
      const { number, set } = known;
      let left = Math.min(limit ?? set.rows, set.rows);
      for (let place = 0; left > 0; place += atOnce) {
        const where = { number, place: { atLeast: place, below: place + atOnce } };
        const page = await tables.table(rows).find({ where, order: ['place'], signal });
        if (page.length === 0) {
          throw new Fault('conflict', `The ${kind} of ${build} were replaced meanwhile; repeat the request`);
        }
        const found = page.flatMap(({ content }) => content as Intervals[typeof kind][]).slice(0, left);
        left -= found.length;
        await take(found);
      }
    },

    async sweep(idleSince) {
      const touched = { below: idleSince };
      await tables.table(sets).change({ state: 'staged', touched }, { state: 'dropped' });
      const dropped = await tables.table(sets).find({ where: { state: 'dropped', touched }, latest: true });
      const number = { among: dropped.map((set) => set.number) };
      await tables.table(rows).remove({ number });
      return tables.table(sets).remove({ number });
    },
  }),
});

/** Catches errors of the calling program, not of files. */
export function refuseOdd(asked: Load['sets']): void {
  const namesHaveNone = asked.every(({ kind, build }) => (kind === 'names') === (build === undefined));
  const oneBuild = new Set(asked.flatMap(({ build }) => build ?? [])).size <= 1;
  const isOnce = new Set(asked.map(({ kind }) => kind)).size === asked.length;
  if (asked.length > 0 && isOnce && namesHaveNone && oneBuild) return;
  throw new Fault('invalid', 'A load replaces each kind once, for one build; names have no build');
}

function add(gathered: Required<Batch>, kind: SetKind, batch: Batch, asked: Load['sets']): void {
  const more = batch[kind] ?? [];
  if (more.length > 0 && asked.every((set) => set.kind !== kind)) {
    throw new Fault('invalid', `This load does not replace ${kind}, but received some`);
  }
  for (const one of more) (gathered[kind] as unknown[]).push(one);
}

interface StoredIntervalSet {
  number: number;
  set: IntervalSet;
}

/** By build and kind, names last. */
async function published(from: Tables, signal?: AbortSignal): Promise<StoredIntervalSet[]> {
  const found = await from.table(sets).find({ where: { state: 'published' }, signal });
  const all = found.map(({ number, loaded, published: set }) => ({ number, set: { ...set, loaded } as IntervalSet }));
  const place = ({ set: { build, kind } }: StoredIntervalSet) =>
    (build ? builds.indexOf(build) : builds.length) * kinds.length + kinds.indexOf(kind);
  return all.sort((one, other) => place(one) - place(other));
}

function among(known: readonly StoredIntervalSet[], kind: SetKind, build?: Build): StoredIntervalSet | undefined {
  return known.find(({ set }) => set.kind === kind && set.build === build);
}

// The rows of a load as the reference of coverage@1 keeps them: repeated ones once.

/** A gene, a transcript, the exons of a transcript on one chromosome, or a name, with what it is looked up by. */
interface IntervalRecord {
  transcript?: string;
  gene?: string | undefined;
  hgnc?: number | undefined;
  symbol?: string | undefined;
  content: readonly unknown[];
}

function recordsOf(kind: SetKind, { genes, transcripts, exons, names }: Batch): IntervalRecord[] {
  switch (kind) {
    case 'genes':
      return (genes ?? []).map((gene) => {
        const symbol = gene.symbol === undefined ? undefined : symbolKey(gene.symbol);
        return { gene: gene.ensembl, hgnc: gene.hgnc, symbol, content: [gene] };
      });
    case 'transcripts':
      return groupedBy(transcripts ?? [], ({ ensembl, chromosome }) => [ensembl, chromosome]).map((all) => {
        const one = joinedTranscript(all);
        return { transcript: one.ensembl, gene: one.gene, content: [one] };
      });
    case 'exons':
      return groupedBy(exons ?? [], ({ gene, transcript, chromosome }) => [gene, transcript, chromosome]).map((all) => {
        return { gene: all[0]?.gene, content: groupedBy(all, ({ rank }) => [rank]).map(sameExon) };
      });
    case 'names':
      return (names ?? []).flatMap(piecesOfNames);
  }
}

function piecesOfNames({ hgnc, symbol, previous, aliases, ensembl }: GeneNames): IntervalRecord[] {
  const piece = (kind: NameRow['kind']) => (name: string) => {
    const row: NameRow = { key: symbolKey(name), kind, hgnc, ...(ensembl !== undefined && { ensembl }) };
    return { gene: ensembl, hgnc, symbol: row.key, content: [row] };
  };
  return [piece('symbol')(symbol), ...previous.map(piece('previous')), ...aliases.map(piece('alias'))];
}

/** Items with the same key, in the order of the first of them. */
function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const key = JSON.stringify(keyOf(item));
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function joinedTranscript(all: readonly [Transcript, ...Transcript[]]): Transcript {
  const [first] = all;
  const fields = ({ start, end, strand, gene }: Transcript) => [start, end, strand, gene];
  if (all.some((one) => !isDeepStrictEqual(fields(one), fields(first)))) throw contradiction(first.ensembl);
  const lists = Object.keys(first.references) as (keyof References)[];
  const joined = lists.map((list) => [list, [...new Set(all.flatMap(({ references }) => references[list]))]]);
  return {
    ...first,
    references: Object.fromEntries(joined),
    isManeSelect: all.some((one) => one.isManeSelect),
    isManePlusClinical: all.some((one) => one.isManePlusClinical),
  };
}

function sameExon([first, ...others]: readonly [Exon, ...Exon[]]): Exon {
  if (others.some((one) => !isDeepStrictEqual(one, first)))
    throw contradiction(`exon ${first.rank} of ${first.transcript}`);
  return first;
}

export function contradiction(what: string): Fault {
  return new Fault('unprocessable', `${what} occurs more than once with different content`);
}

function countOf(
  kind: SetKind,
  { names }: Batch,
  pieces: readonly IntervalRecord[],
): Pick<IntervalSet, 'rows' | 'chromosomes'> {
  if (kind === 'names') return { rows: names?.length ?? 0, chromosomes: [] };
  const all = pieces.flatMap(({ content }) => content as { chromosome: Chromosome }[]);
  const counted = chromosomes.map((chromosome) => {
    return { chromosome, rows: all.filter((one) => one.chromosome === chromosome).length };
  });
  return { rows: all.length, chromosomes: counted.filter((each) => each.rows > 0) };
}
