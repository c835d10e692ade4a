/** beacon-consequences@1 above tables. */
import { defineStore, Fault, step, type Tables } from '../../../../core/storage.js';
import { alleleKey, type Contig, contigs } from '../../domain/allele.js';
import { addChange, BlockChanges, changeLines, type LineChanges, numbersOf, rewriteGenes } from './blocks.js';
import {
  type AbsentAlleles,
  type AnnotatedAllele,
  type AnnotationSource,
  beaconConsequences,
  type ConsequenceRepository,
} from './contract.js';
import {
  alleleOfLine,
  annotationOf,
  lineOf,
  packed,
  placeOfAllele,
  placeOfLine,
  sourceOfLine,
  unpacked,
  withSource,
} from './lines.js';
import {
  annotationsAt,
  annotationsOfGene,
  annotationsOfProtein,
  byContig,
  linesOfAlleles,
  namesOfTranscript,
} from './reads.js';
import { all, blocks, datasets, genes, loads, sources, staged } from './tables.js';

/** Alleles that are staged in one row. */
const stagedAtOnce = 4096;
/** Staged rows that are published in one transaction: each writes most rows of genes, however few alleles it has. */
const rowsAtOnce = 24;
/** Alleles that are compared with those of the dataset at once. */
const prunedAtOnce = 20_000;
/** How often removing of alleles begins anew, if something is published meanwhile. */
const mostAttempts = 10;

const gone = () =>
  new Fault('conflict', 'The load was given up, as it showed no sign of life or its dataset was removed');

/** Rows to stage, each of one chromosome. */
function rowsToStage(load: number, alleles: readonly AnnotatedAllele[]) {
  return [...byContig(alleles.map((one) => ({ ...one, contig: one.allele.contig })))].flatMap(([contig, own]) => {
    const numbers = new Map<string, number>();
    const used: AnnotationSource[] = [];
    const lines = own.map((one) => {
      const text = JSON.stringify(one.source);
      const number = numbers.get(text) ?? used.push(one.source) - 1;
      numbers.set(text, number);
      return lineOf(one.allele, one, number);
    });
    const rows = [];
    for (let from = 0; from < lines.length; from += stagedAtOnce) {
      rows.push({ load, contig, sources: used, content: packed(lines.slice(from, from + stagedAtOnce)) });
    }
    return rows;
  });
}

/** Publishes staged rows in their order, and removes them. Nothing of rows that another call has published. */
async function publishRows(inside: Tables, dataset: string, wanted: readonly number[], now: Date): Promise<void> {
  await inside.table(datasets).put({ dataset, stale: false, revision: 0 }, []);
  const where = { number: { among: wanted } };
  const changes: LineChanges = new Map();
  for (const row of await inside.table(staged).find({ where, order: ['number'] })) {
    const numbers = await numbersOf(inside, dataset, row.sources, now);
    for (const line of unpacked(row.content)) {
      const fresh = withSource(line, numbers[sourceOfLine(line)] ?? 0);
      addChange(changes, row.contig, placeOfLine(line), () => fresh);
    }
  }
  if (changes.size === 0) return;
  await change(inside, dataset, changes);
  await inside.table(staged).remove(where);
}

/** Changes what is published; the row of the dataset is held. Returns whether anything went. */
async function change(inside: Tables, dataset: string, changes: LineChanges): Promise<boolean> {
  const noted = new BlockChanges();
  for (const [contig, own] of changes) await changeLines(inside, { dataset, contig }, own, noted);
  await noted.write(inside, dataset);
  await inside.table(datasets).change({ dataset }, { revision: { plus: 1 } });
  return noted.removed > 0;
}

async function waitingLoads(tables: Tables, dataset: string, among?: readonly string[]): Promise<number[]> {
  const rows = await tables.table(loads).find({ where: { dataset, complete: true }, order: ['number'], latest: true });
  const names = among && new Set(among);
  const isAmong = (samples: readonly string[]) => samples.length > 0 && samples.every((name) => names?.has(name));
  return rows.filter(({ samples }) => names === undefined || isAmong(samples)).map(({ number }) => number);
}

/** Gives up a load. */
async function removeLoad(inside: Tables, number: number): Promise<void> {
  await inside.table(loads).remove({ number });
  await inside.table(staged).remove({ load: number });
}

/** Alleles on one chromosome that are published, or staged in one row. */
interface Leaf {
  contig: number;
  /** Of a staged row. */
  number?: number;
  lines: readonly string[];
}

async function* leavesOf(tables: Tables, dataset: string): AsyncGenerator<Leaf[]> {
  let group: Leaf[] = [];
  let count = 0;
  for await (const { contig, content } of tables.table(blocks).each({ where: { dataset }, without: ['proteins'] })) {
    group.push({ contig, lines: unpacked(content) });
    count += group.at(-1)?.lines.length ?? 0;
    if (count < prunedAtOnce) continue;
    yield group;
    [group, count] = [[], 0];
  }
  if (group.length > 0) yield group;
  for (const load of await waitingLoads(tables, dataset)) {
    for await (const { number, contig, content } of tables.table(staged).each({ where: { load } })) {
      yield [{ contig, number, lines: unpacked(content) }];
    }
  }
}

/** Removes or moves the alleles of some leaves that `absent` names. Undefined if something else was published since. */
async function pruneGroup(
  tables: Tables,
  { dataset, revision }: { dataset: string; revision: number },
  group: readonly Leaf[],
  absent: AbsentAlleles,
): Promise<{ revision: number; isLess: boolean } | undefined> {
  const named = group.flatMap(({ contig, number, lines }) =>
    lines.map((line) => ({ contig, number, line, allele: alleleOfLine(contigs[contig] as Contig, line) })),
  );
  const keys = await absent(named.map(({ allele }) => allele));
  const lost = named.filter(({ allele }) => keys.has(alleleKey(allele)));
  const movedLine = ({ allele, line }: (typeof lost)[number]) => {
    const to = keys.get(alleleKey(allele));
    return to && { to, line: lineOf(to, annotationOf(allele.contig, line), sourceOfLine(line)) };
  };
  if (lost.length === 0) return { revision, isLess: false };
  return tables.transaction(async (inside) => {
    const [own] = await inside.table(datasets).lock({ dataset });
    if (own?.revision !== revision) return undefined;
    const [{ number } = {}] = group;
    if (number !== undefined) {
      const moved = new Map(lost.map((one) => [placeOfLine(one.line), movedLine(one)?.line]));
      const left = (group[0]?.lines ?? []).flatMap((line) => {
        const place = placeOfLine(line);
        return moved.has(place) ? (moved.get(place) ?? []) : line;
      });
      if (left.length === 0) await inside.table(staged).remove({ number });
      else await inside.table(staged).change({ number }, { content: packed(left) });
      return { revision, isLess: false };
    }
    const changes: LineChanges = new Map();
    for (const { contig, line } of lost) addChange(changes, contig, placeOfLine(line), () => undefined);
    for (const one of lost) {
      const moved = movedLine(one);
      if (moved) addChange(changes, one.contig, placeOfAllele(moved.to), (known) => known ?? moved.line);
    }
    await change(inside, dataset, changes);
    return { revision: revision + 1, isLess: true };
  });
}

/** One attempt; false if something else was published meanwhile. */
async function prune(tables: Tables, dataset: string, absent: AbsentAlleles): Promise<boolean> {
  const own = await tables.table(datasets).one({ dataset }, { latest: true });
  if (own === undefined) return true;
  let { revision } = own;
  let isLess = false;
  for await (const group of leavesOf(tables, dataset)) {
    const pruned = await pruneGroup(tables, { dataset, revision }, group, absent);
    if (pruned === undefined) return false;
    revision = pruned.revision;
    isLess ||= pruned.isLess;
    step('beacon.consequences.pruned');
  }
  return tables.transaction(async (inside) => {
    const [row] = await inside.table(datasets).lock({ dataset });
    if (row?.revision !== revision) return row === undefined;
    if (isLess) await rewriteGenes(inside, dataset);
    await inside.table(datasets).change({ dataset }, { stale: false });
    return true;
  });
}

export const store = defineStore<ConsequenceRepository>({
  contract: beaconConsequences,
  tables: all,
  steps: { '001-consequences': { tables: all } },
  repository: (tables) => ({
    async begin(dataset, samples, touched) {
      const added = await tables.table(loads).add({ dataset, samples, complete: false, touched });
      if (added === undefined) throw new Fault('internal', 'A load was not added');
      return added.number;
    },

    stage: (load, alleles, touched) =>
      tables.transaction(async (inside) => {
        const changed = await inside.table(loads).change({ number: load, complete: false }, { touched });
        if (changed === 0) throw gone();
        await inside.table(staged).append(rowsToStage(load, alleles));
      }),

    complete: (load) =>
      tables.transaction(async (inside) => {
        const [own] = await inside.table(loads).lock({ number: load });
        if (own === undefined) throw gone();
        if ((await inside.table(staged).count({ load })) === 0) await inside.table(loads).remove({ number: load });
        else await inside.table(loads).change({ number: load }, { complete: true });
      }),

    abandon: (load) =>
      tables.transaction(async (inside) => {
        const removed = await inside.table(loads).remove({ number: load, complete: false });
        if (removed > 0) await inside.table(staged).remove({ load });
      }),

    waiting: (dataset, among) => waitingLoads(tables, dataset, among),

    async publish(dataset, wanted, now) {
      const own = new Set(wanted);
      for (const load of (await waitingLoads(tables, dataset)).filter((number) => own.has(number))) {
        const where = { load };
        const rows = await tables
          .table(staged)
          .find({ where, order: ['number'], without: ['content', 'sources'], latest: true });
        for (let from = 0; from < rows.length; from += rowsAtOnce) {
          const numbers = rows.slice(from, from + rowsAtOnce).map(({ number }) => number);
          await tables.transaction((inside) => publishRows(inside, dataset, numbers, now));
          step('beacon.consequences.published');
        }
        await tables.table(loads).remove({ number: load });
      }
    },

    find: (dataset, alleles) => tables.snapshot((moment) => annotationsAt(moment, dataset, alleles)),

    ofGene: (dataset, gene, question = {}) =>
      tables.snapshot((moment) => annotationsOfGene(moment, dataset, gene, question)),

    ofProtein: (dataset, change, limit) =>
      tables.snapshot((moment) => annotationsOfProtein(moment, dataset, change, limit)),

    genesOfTranscript: (dataset, accession) =>
      tables.snapshot((moment) => namesOfTranscript(moment, dataset, accession)),

    async sources(dataset) {
      const rows = await tables.table(sources).find({ where: { dataset } });
      return rows
        .sort((one, other) => other.loaded.getTime() - one.loaded.getTime() || other.number - one.number)
        .map(({ source, alleles, loaded }) => ({ ...source, alleles, loaded }));
    },

    mark: (dataset) =>
      tables.transaction(async (inside) => {
        const known = await inside.table(datasets).change({ dataset }, { stale: true, revision: { plus: 1 } });
        if (known > 0 || (await waitingLoads(inside, dataset)).length === 0) return;
        await inside.table(datasets).put({ dataset, stale: true, revision: 0 }, ['stale']);
      }),

    async unsettled() {
      const marked = await tables.table(datasets).find({ where: { stale: true } });
      const waiting = await tables.table(loads).find({ where: { complete: true } });
      const ids = [...new Set([...marked, ...waiting].map(({ dataset }) => dataset))].sort();
      return ids.map((id) => ({ dataset: id, isMarked: marked.some(({ dataset }) => dataset === id) }));
    },

    async prune(dataset, absent) {
      for (let attempt = 0; attempt < mostAttempts; attempt++) if (await prune(tables, dataset, absent)) return;
      throw new Fault('conflict', 'Consequences change all the time: what nobody carries any more is removed later');
    },

    copy: (dataset, moved) =>
      tables.transaction(async (inside) => {
        const [own] = await inside.table(datasets).lock({ dataset });
        if (own === undefined) return;
        const found = await linesOfAlleles(
          inside,
          dataset,
          moved.map(([from]) => from),
        );
        const lines = new Map(found.map(({ allele, line }) => [alleleKey(allele), line]));
        const changes: LineChanges = new Map();
        for (const [from, to] of moved) {
          const line = lines.get(alleleKey(from));
          if (line === undefined) continue;
          const fresh = lineOf(to, annotationOf(from.contig, line), sourceOfLine(line));
          addChange(changes, contigs.indexOf(to.contig), placeOfAllele(to), (known) => known ?? fresh);
        }
        await change(inside, dataset, changes);
        await inside.table(datasets).change({ dataset }, { stale: true });
      }),

    remove: (dataset) =>
      tables.transaction(async (inside) => {
        await inside.table(datasets).remove({ dataset });
        await inside.table(sources).remove({ dataset });
        const own = await inside.table(loads).find({ where: { dataset } });
        await inside.table(loads).remove({ dataset });
        if (own.length > 0) await inside.table(staged).remove({ load: { among: own.map(({ number }) => number) } });
        await inside.table(blocks).remove({ dataset });
        await inside.table(genes).remove({ dataset });
      }),

    forget: (samples, dataset) =>
      tables.transaction(async (inside) => {
        const gone = new Set(samples);
        for (const load of await inside.table(loads).lock(dataset === undefined ? {} : { dataset })) {
          const left = load.samples.filter((name) => !gone.has(name));
          if (left.length === load.samples.length) continue;
          if (load.complete) await inside.table(loads).change({ number: load.number }, { samples: left });
          else await removeLoad(inside, load.number);
        }
      }),

    async sweep(idleSince) {
      const idle = await tables.table(loads).find({ where: { complete: false, touched: { below: idleSince } } });
      for (const { number } of idle) {
        await tables.transaction(async (inside) => {
          const changed = await inside.table(loads).remove({ number, complete: false, touched: { below: idleSince } });
          if (changed > 0) await inside.table(staged).remove({ load: number });
        });
      }
      return idle.length;
    },
  }),
});
