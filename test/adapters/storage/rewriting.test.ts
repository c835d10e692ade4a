/** Random rows of release 0.1: whatever is rewritten, loaded and removed meanwhile, answers match a naive model. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Database } from '../../../adapters/knex/binding.js';
import { isFault, type Storage } from '../../../core/storage.js';
import {
  type Allele,
  type AlleleQuery,
  alleleKey,
  type BeaconRepository,
  beacon,
  byAllele,
  type Dataset,
  matches,
  Tally,
} from '../../../plugins/beacon/contract.js';
import { type Home, storages } from '../../support/storages.js';
import { earlier, once, openAt } from './support/alleles-002.js';

const before = ['001-datasets-and-alleles', '002-ranges', '003-contigs'] as const;
const now = new Date('2026-01-16T08:00:00.000Z');
const samples = ['a', 'b', 'c'];
/** Starts of stored rows: few, so that many alleles coincide. */
const places = 8;

interface Row {
  start: number;
  reference: string;
  alternate: string;
  /** Small; small beside a symbolic alternate, and misread as a breakend; of a record with an SVTYPE; symbolic. */
  what: 'small' | 'mistaken' | 'stated' | 'symbolic';
  /** Copies of the three samples. */
  copies: number[];
}

type Action =
  | { do: 'rewrite' }
  | { do: 'give up' }
  | { do: 'remove'; sample: number }
  | { do: 'load'; row: Row; sample: number };

const bases = fc.string({ unit: fc.constantFrom('A', 'C'), minLength: 1, maxLength: 4 });
const row: fc.Arbitrary<Row> = fc
  .record({
    start: fc.integer({ min: 0, max: places - 1 }),
    reference: bases,
    alternate: bases,
    /** Shared bases at the end: beyond the first class of lengths. */
    tail: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(1, 70) }),
    what: fc.constantFrom<Row['what']>('small', 'small', 'mistaken', 'stated', 'symbolic'),
    copies: fc.tuple(...samples.map(() => fc.integer({ min: 0, max: 3 }))),
  })
  .filter(({ reference, alternate, copies }) => reference !== alternate && copies.some((count) => count > 0))
  .map(({ tail, reference, alternate, ...rest }) => ({
    ...rest,
    reference: reference + 'G'.repeat(tail),
    alternate: rest.what === 'symbolic' ? '<DEL>' : alternate + 'G'.repeat(tail),
  }));

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Action>({ do: 'rewrite' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'give up' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), sample: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('load' as const), row, sample: fc.nat(2) }) },
);

/** Alleles as release 0.1 stored them. */
function stored({ start, reference, alternate, what }: Row): Allele {
  const kind = reference.length === alternate.length ? 'MNP' : reference.length < alternate.length ? 'INS' : 'DEL';
  const small = reference.length === 1 && alternate.length === 1 ? 'SNP' : kind;
  const allele = { contig: '1' as const, start, end: start + reference.length, reference, alternate };
  if (what === 'small') return { ...allele, kind: small, structural: false };
  if (what === 'mistaken') return { ...allele, kind: 'BND', structural: true };
  // Long alleles end elsewhere, so that none equals a small allele.
  return { ...allele, end: allele.end + 2000, kind: 'DEL', structural: true };
}

/** The form of the contract: shared bases are removed from the end, then from the beginning, and one is kept. */
function wanted(row: Row): Allele {
  const allele = stored(row);
  if (row.what === 'stated' || row.what === 'symbolic') return allele;
  let { start, end, reference, alternate } = allele;
  while (reference.length > 1 && alternate.length > 1 && reference.at(-1) === alternate.at(-1)) {
    [reference, alternate, end] = [reference.slice(0, -1), alternate.slice(0, -1), end - 1];
  }
  while (reference.length > 1 && alternate.length > 1 && reference[0] === alternate[0]) {
    [reference, alternate, start] = [reference.slice(1), alternate.slice(1), start + 1];
  }
  const { kind } = stored({ ...row, reference, alternate, what: 'small' });
  return { ...allele, start, end, reference, alternate, kind, structural: false };
}

class Model {
  readonly alleles = new Map<string, { allele: Allele; copies: Map<string, number> }>();
  readonly samples = new Set<string>();

  add(row: Row, names: readonly string[], kept: 'first' | 'largest'): void {
    const allele = wanted(row);
    const known = this.alleles.get(alleleKey(allele)) ?? { allele, copies: new Map<string, number>() };
    for (const name of names) {
      const copies = row.copies[samples.indexOf(name)] ?? 0;
      const there = known.copies.get(name);
      if (copies > 0 && (there === undefined || (kept === 'largest' && copies > there))) known.copies.set(name, copies);
    }
    if (known.copies.size > 0) this.alleles.set(alleleKey(allele), known);
  }

  remove(name: string): void {
    this.samples.delete(name);
    for (const [key, { copies }] of this.alleles) {
      copies.delete(name);
      if (copies.size === 0) this.alleles.delete(key);
    }
  }

  answer(query: AlleleQuery): unknown[] {
    const tally = new Tally();
    for (const { allele, copies } of this.alleles.values()) if (matches(allele, query)) tally.add(allele, copies);
    return tally.alleles === 0 ? [] : [{ dataset: 'ds', ...tally.counts() }];
  }

  exported(): unknown[] {
    return [...this.alleles.values()]
      .sort((one, other) => byAllele(one.allele, other.allele))
      .map(({ allele, copies }) => ({ ...allele, calls: [...copies.values()].reduce((sum, count) => sum + count, 0) }));
  }

  totals() {
    const all = [...this.alleles.values()].flatMap(({ copies }) => [...copies.values()]);
    const calls = all.reduce((sum, copies) => sum + copies, 0);
    return { alleles: this.alleles.size, calls, samples: this.samples.size, carriers: all.length };
  }
}

/** What a segment can hold: one row per allele, and a sample's copies of it in only one segment of the dataset. */
function asImported(segments: readonly { names: string[]; rows: Row[] }[]): { names: string[]; rows: Row[] }[] {
  const held = new Set<string>();
  return segments.map(({ names, rows }) => {
    const keys = new Set<string>();
    const own = rows.flatMap((row) => {
      const key = alleleKey(stored(row));
      if (keys.has(key)) return [];
      const copies = row.copies.map((count, i) => {
        const name = samples[i] ?? '';
        return names.includes(name) && !held.has(`${name} ${key}`) ? count : 0;
      });
      if (copies.every((count) => count === 0)) return [];
      keys.add(key);
      for (const [i, count] of copies.entries()) if (count > 0) held.add(`${samples[i]} ${key}`);
      return [{ ...row, copies }];
    });
    return { names, rows: own };
  });
}

async function fill({ write, engine }: Database, segments: readonly { names: string[]; rows: Row[] }[]): Promise<void> {
  const all = segments.flatMap(({ rows }) => rows);
  const time = engine.values.time(now);
  await write('beacon_datasets').insert({
    ...{ id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1, revision: segments.length },
    ...{ created: time, updated: time, sample_count: new Set(segments.flatMap(({ names }) => names)).size },
    allele_count: new Set(all.map((each) => alleleKey(stored(each)))).size,
    call_count: all.flatMap(({ copies }) => copies).reduce((sum, copies) => sum + copies, 0),
  });
  for (const { names, rows } of segments) {
    const sole = names.length === 1 ? names[0] : null;
    const [added] = await write('beacon_segments')
      .insert({ dataset: 'ds', state: 'published', sole_sample: sole, heard: now.getTime() })
      .returning('id');
    const segment = Number(added?.id);
    await write('beacon_samples').insert(names.map((name, ordinal) => ({ segment, ordinal, name })));
    const first = segment * 2 ** 32;
    for (const [n, each] of rows.entries()) {
      const { end: stop, structural, ...allele } = stored(each);
      const counts = names.map((name) => each.copies[samples.indexOf(name)] ?? 0);
      const carriers = counts.flatMap((count, i) => (count === 0 ? [] : count === 1 ? [`${i}`] : [`${i}:${count}`]));
      await write('beacon_alleles').insert({
        ...{ ...allele, id: first + n, contig: 101, stop, structural: structural ? 1 : 0, mate: null, ranges: null },
        span: [64, 1024, 16_384].findIndex((limit) => stop - allele.start <= limit),
        calls: counts.reduce((sum, count) => sum + count, 0),
        carriers: sole === null ? carriers.join(' ') : null,
      });
    }
    if (rows.length === 0) continue;
    const structural = rows.some((each) => stored(each).structural) ? 1 : 0;
    await write('beacon_extents').insert({ segment, contig: 101, first, last: first + rows.length - 1, structural });
  }
}

const place = { assembly: 'GRCh37', contig: '1' } as const;

function questions(model: Model): AlleleQuery[] {
  const here: AlleleQuery[] = [place, { ...place, kinds: [{ kind: 'BND' }] }, { ...place, end: { min: 0, max: 40 } }];
  for (let start = 0; start < places + 4; start++) {
    const at = { min: start, max: start };
    here.push({ ...place, start: at }, { ...place, overlaps: { start, end: start + 1 } }, { ...place, end: at });
    here.push({ ...place, start: at, kinds: [{ kind: 'SNP' }, { kind: 'DEL', structural: false }] });
    here.push({ ...place, start: { min: start, max: start + 20_000 }, end: { min: start, max: start + 3 } });
  }
  for (const { allele } of model.alleles.values()) {
    const { start, end, reference, alternate } = allele;
    if (alternate !== '<DEL>') here.push({ ...place, start: { min: start, max: start }, reference, alternate });
    here.push({ ...place, start: { min: start, max: start }, end: { min: end, max: end }, reference });
  }
  return here;
}

async function compare(repository: BeaconRepository, model: Model): Promise<void> {
  for (const query of questions(model)) {
    const expected = model.answer(query);
    expect(await repository.search(query, ['ds']), JSON.stringify(query)).to.deep.equal(expected);
    expect(await repository.present(query, ['ds'])).to.have.lengthOf(expected.length);
  }
  const exported: unknown[] = [];
  await repository.eachAllele('ds', async (alleles) => void exported.push(...alleles));
  expect(exported).to.deep.equal(model.exported());
  const { carriers, alleles } = model.totals();
  await repository.search(place, ['ds'], { limit: carriers });
  if (alleles < 2) return;
  const tooWide = await repository.search(place, ['ds'], { limit: carriers - 1 }).catch((error: unknown) => error);
  expect(isFault(tooWide), 'one carrier less than there are').to.equal(true);
}

for (const engine of storages) {
  describe(`Rewriting what release 0.1 stored on ${engine.name}`, function () {
    const runs = Number(process.env.TEST_REWRITING_RUNS ?? 2);
    this.timeout(60_000 * runs);
    let home: Home;
    beforeEach(async () => {
      home = await engine.home();
    });
    afterEach(() => home.discard());

    it(`agrees with a naive model before, during and after (${runs} random stores)`, async () => {
      let first: Storage | undefined = await home.open([beacon], openAt(...before));
      await first.migrate();
      await first.close();
      const segment = fc.record({
        names: fc.subarray(samples, { minLength: 1 }),
        rows: fc.array(row, { maxLength: 8 }),
      });
      const cases = fc.tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.array(action, { maxLength: 6 }));
      await fc.assert(
        fc.asyncProperty(cases, async ([made, actions]) => {
          const segments = asImported(made);
          first = await home.open([beacon], openAt(...before));
          await fill(first.repository(earlier), segments);
          await first.close();
          const storage = await home.open([beacon]);
          try {
            await storage.migrate();
            await follow(storage.repository(beacon), segments, actions);
          } finally {
            await storage.repository(beacon).removeDataset('ds');
            await storage.repository(beacon).sweep(new Date(Date.now() + 60_000));
            await storage.downgrade?.('0.1.0', { trial: false });
            await storage.close();
          }
        }),
        { numRuns: runs },
      );
    });

    async function follow(
      repository: BeaconRepository,
      segments: readonly { names: string[]; rows: Row[] }[],
      actions: readonly Action[],
    ): Promise<void> {
      const model = new Model();
      for (const { names, rows } of segments) {
        for (const name of names) model.samples.add(name);
        for (const each of rows) model.add(each, names, 'largest');
      }
      await compare(repository, model);
      for (const each of actions) {
        await act(repository, model, each);
        await compare(repository, model);
        const { alleleCount: alleles, callCount: calls, sampleCount } = (await repository.dataset('ds')) as Dataset;
        expect(await repository.recount('ds')).to.deep.equal({ alleles, calls, samples: sampleCount });
      }
      while ((await repository.rewrite('ds', async () => {})) > 0);
      expect(await repository.outdated()).to.deep.equal([]);
      await compare(repository, model);
      const { carriers: _, ...totals } = model.totals();
      expect(await repository.recount('ds')).to.deep.equal(totals);
      const { alleleCount: alleles, callCount: calls, sampleCount } = (await repository.dataset('ds')) as Dataset;
      expect({ alleles, calls, samples: sampleCount }).to.deep.equal(totals);
      await repository.sweep(now);
      expect(await repository.leftovers()).to.equal(0);
    }

    async function act(repository: BeaconRepository, model: Model, action: Action): Promise<void> {
      if (action.do === 'rewrite') await repository.rewrite('ds', async () => {});
      else if (action.do === 'give up') {
        let pauses = 0;
        const pause = async () => {
          if (++pauses === 2) throw new Error('not now');
        };
        await repository.rewrite('ds', pause).catch((error: Error) => expect(error.message).to.equal('not now'));
      } else {
        const name = samples[action.sample] ?? '';
        if (action.do === 'remove') {
          model.remove(name);
          await repository.removeSamples('ds', [name], now);
          return;
        }
        const loaded: Row = { ...action.row, what: 'small', alternate: action.row.alternate.replace('<DEL>', 'G') };
        const carriers = [[0, loaded.copies[action.sample] || 1]] as const;
        loaded.copies = samples.map((_, i) => (i === action.sample ? carriers[0][1] : 0));
        if (loaded.reference === loaded.alternate) return;
        model.samples.add(name);
        model.add(loaded, [name], 'first');
        const alleles = once([{ ...wanted(loaded), carriers }]);
        await repository.importAlleles({ dataset: 'ds', samples: [name], alleles }, now);
      }
    }
  });
}
