/** beacon-consequences@1 above tables. */
import { defineStore, Fault, step, type Tables } from '../../../../core/storage.js';
import { alleleKey, type Contig, contigs } from '../../domain/allele.js';
import {
  addBlock,
  changeLines,
  inOrder,
  type LineChange,
  type LineChanges,
  numbersOf,
  piecesOf,
  SourceCounts,
  stagedBlock,
} from './blocks.js';
import {
  type AbsentAlleles,
  type AnnotatedAllele,
  type AnnotationSource,
  beaconConsequences,
  type ConsequenceRepository,
} from './contract.js';
import { type AlleleLine, alleleOfLine, annotationOf, lineOf } from './lines.js';
import { unpacked } from './packed.js';
import {
  annotationsAt,
  annotationsOfGene,
  annotationsOfGenes,
  annotationsOfProtein,
  byContig,
  genesOfTranscript,
  linesOfAlleles,
} from './reads.js';
import { all, blocks, datasets, loads, sources, staged } from './tables.js';

/** Staged rows that are published in one transaction. */
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
    let last: AnnotationSource | undefined;
    let number = 0;
    const lines = new Map<string, AlleleLine>();
    for (const one of own) {
      if (one.source !== last) {
        const text = JSON.stringify(one.source);
        number = numbers.get(text) ?? used.push(one.source) - 1;
        numbers.set(text, number);
        last = one.source;
      }
      const line = lineOf(one.allele, one, number);
      lines.set(line.place, line);
    }
    return piecesOf([...lines.values()]).map((piece) => ({ load, contig, sources: used, ...stagedBlock(piece) }));
  });
}

/** Publishes staged rows in their order, and removes them. Nothing of rows that another call has published. */
async function publishRows(inside: Tables, dataset: string, wanted: readonly number[], now: Date): Promise<void> {
  await inside.table(datasets).put({ dataset, stale: false, revision: 0 }, []);
  const where = { number: { among: wanted } };
  const rows = await inside.table(staged).find({ where, order: ['number'] });
  if (rows.length === 0) return;
  // At first, so that their place is used again.
  await inside.table(staged).remove(where);
  const counts = new SourceCounts();
  for (const { contig, sources: used, alleles, ...block } of rows) {
    const numbers = await numbersOf(inside, dataset, used, now);
    const isSame = numbers.every((number, i) => number === i);
    if (isSame && (await addBlock(inside, { dataset, contig }, block, alleles, counts))) continue;
    const lines = unpacked(block).map((line) => ({ ...line, source: numbers[line.source] ?? 0 }));
    const changes = lines.map((line): [string, LineChange] => [line.place, { start: line.start, change: () => line }]);
    await changeLines(inside, { dataset, contig }, new Map(changes), counts);
  }
  await changed(inside, dataset, counts);
}

/** Writes what else changes with lines; the row of the dataset is held. */
async function changed(inside: Tables, dataset: string, counts: SourceCounts): Promise<void> {
  await counts.write(inside, dataset);
  await inside.table(datasets).change({ dataset }, { revision: { plus: 1 } });
}

/** Changes lines by chromosome; the row of the dataset is held. */
async function change(inside: Tables, dataset: string, changes: ReadonlyMap<number, LineChanges>): Promise<void> {
  const counts = new SourceCounts();
  for (const [contig, own] of changes) await changeLines(inside, { dataset, contig }, own, counts);
  await changed(inside, dataset, counts);
}

function addChange(changes: Map<number, LineChanges>, contig: number, line: AlleleLine, change: LineChange['change']) {
  const own = changes.get(contig) ?? new Map<string, LineChange>();
  changes.set(contig, own.set(line.place, { start: line.start, change }));
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
  lines: readonly AlleleLine[];
}

async function* leavesOf(tables: Tables, dataset: string): AsyncGenerator<Leaf[]> {
  let group: Leaf[] = [];
  let count = 0;
  for await (const { contig, ...block } of tables.table(blocks).each({ where: { dataset }, without: ['proteins'] })) {
    group.push({ contig, lines: unpacked(block) });
    count += group.at(-1)?.lines.length ?? 0;
    if (count < prunedAtOnce) continue;
    yield group;
    [group, count] = [[], 0];
  }
  if (group.length > 0) yield group;
  for (const load of await waitingLoads(tables, dataset)) {
    for await (const { number, contig, ...block } of tables.table(staged).each({ where: { load } })) {
      yield [{ contig, number, lines: unpacked(block) }];
    }
  }
}

/** Removes or moves the alleles of some leaves that `absent` names; returns the revision. Undefined if something else was published since. */
async function pruneGroup(
  tables: Tables,
  { dataset, revision }: { dataset: string; revision: number },
  group: readonly Leaf[],
  absent: AbsentAlleles,
): Promise<number | undefined> {
  const named = group.flatMap(({ contig, lines }) =>
    lines.map((line) => ({ contig, line, allele: alleleOfLine(contigs[contig] as Contig, line) })),
  );
  const keys = await absent(named.map(({ allele }) => allele));
  const lost = named.filter(({ allele }) => keys.has(alleleKey(allele)));
  const movedLine = ({ allele, line }: (typeof lost)[number]) => {
    const to = keys.get(alleleKey(allele));
    return to && lineOf(to, annotationOf(allele.contig, line), line.source);
  };
  if (lost.length === 0) return revision;
  return tables.transaction(async (inside) => {
    const [own] = await inside.table(datasets).lock({ dataset });
    if (own?.revision !== revision) return undefined;
    const [{ number } = {}] = group;
    if (number !== undefined) {
      const left = new Map((group[0]?.lines ?? []).map((line) => [line.place, line]));
      for (const { line } of lost) left.delete(line.place);
      for (const one of lost) {
        const moved = movedLine(one);
        if (moved && !left.has(moved.place)) left.set(moved.place, moved);
      }
      if (left.size === 0) await inside.table(staged).remove({ number });
      else await inside.table(staged).change({ number }, stagedBlock(inOrder([...left.values()])));
      return revision;
    }
    const changes = new Map<number, LineChanges>();
    for (const { contig, line } of lost) addChange(changes, contig, line, () => undefined);
    for (const one of lost) {
      const moved = movedLine(one);
      if (moved) addChange(changes, one.contig, moved, (known) => known ?? moved);
    }
    await change(inside, dataset, changes);
    return revision + 1;
  });
}

/** One attempt; false if something else was published meanwhile. */
async function prune(tables: Tables, dataset: string, absent: AbsentAlleles): Promise<boolean> {
  const own = await tables.table(datasets).one({ dataset }, { latest: true });
  if (own === undefined) return true;
  let { revision } = own;
  for await (const group of leavesOf(tables, dataset)) {
    const pruned = await pruneGroup(tables, { dataset, revision }, group, absent);
    if (pruned === undefined) return false;
    revision = pruned;
    step('beacon.consequences.pruned');
  }
  return tables.transaction(async (inside) => {
    const [row] = await inside.table(datasets).lock({ dataset });
    if (row?.revision !== revision) return row === undefined;
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
        const rows = await tables.table(staged).find({
          where,
          order: ['number'],
          without: ['sources', 'alleles', 'proteins', 'names', 'content'],
          latest: true,
        });
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

    ofGenes: (dataset, genes, question) =>
      tables.snapshot((moment) => annotationsOfGenes(moment, dataset, genes, question)),

    ofProtein: (dataset, change, limit) =>
      tables.snapshot((moment) => annotationsOfProtein(moment, dataset, change, limit)),

    genesOfTranscript: (dataset, accession) =>
      tables.snapshot((moment) => genesOfTranscript(moment, dataset, accession)),

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
        const changes = new Map<number, LineChanges>();
        for (const [from, to] of moved) {
          const line = lines.get(alleleKey(from));
          if (line === undefined) continue;
          const fresh = lineOf(to, annotationOf(from.contig, line), line.source);
          addChange(changes, contigs.indexOf(to.contig), fresh, (known) => known ?? fresh);
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
