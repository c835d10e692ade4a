/** The adapter for LevelDB reads the range of keys that a query asks for, and misses nothing in it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Allele, type AlleleQuery, byAllele, contigs, matches } from '../../../plugins/beacon/contract.js';
import { installWithLevel } from './installed.js';

interface Range {
  from: string;
  before: string;
}

interface Stored {
  allele: Allele;
}

interface Places {
  placeOf(allele: Allele): string;
  alleleKey(dataset: number, place: string): string;
  entriesOf(dataset: number, allele: Allele): string[];
  candidates(space: Entries, dataset: number, query: AlleleQuery): AsyncIterable<Stored>;
}

/** What a binding reads from, as a sorted list that counts what is read. */
class Entries {
  readonly #entries: (readonly [string, unknown])[];
  read = 0;

  constructor(entries: Map<string, unknown>) {
    this.#entries = [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  async *range({ from, before }: Range) {
    for (const entry of this.#entries) {
      if (entry[0] < from || entry[0] >= before) continue;
      this.read += 1;
      yield entry;
    }
  }

  async getMany(keys: readonly string[]) {
    this.read += keys.length;
    const all = new Map(this.#entries);
    return keys.map((key) => all.get(key));
  }
}

const position = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 70_000 }));
const bounds = fc.tuple(position, fc.integer({ min: -2, max: 400 })).map(([min, more]) => ({ min, max: min + more }));
const contig = fc.constantFrom(...contigs.slice(0, 3));

const allele: fc.Arbitrary<Allele> = fc
  .record({
    contig,
    start: position,
    length: fc.oneof(fc.integer({ min: -1, max: 20 }), position),
    mate: fc.option(contig),
  })
  .map(({ contig, start, length, mate }) => ({
    contig,
    start,
    end: start + length,
    reference: 'N',
    alternate: mate === null ? '<DEL>' : `N[${mate}:${start + length + 1}[`,
    kind: mate === null ? 'DEL' : 'BND',
    structural: true,
    ...(mate !== null && { mate }),
  }));

const query: fc.Arbitrary<AlleleQuery> = fc
  .record(
    { contig, start: bounds, end: bounds, overlaps: bounds, reference: fc.constantFrom('N', 'A'), mate: contig },
    { requiredKeys: ['contig'] },
  )
  .map(({ overlaps, ...rest }) => ({
    assembly: 'GRCh37',
    ...rest,
    ...(overlaps && { overlaps: { start: overlaps.min, end: overlaps.max } }),
  }));

describe('alleles under ordered keys', function () {
  this.timeout(120_000);
  let places: Places;
  let installed: ReturnType<typeof installWithLevel>;
  before(async () => {
    installed = installWithLevel();
    places = await import(pathToFileURL(join(installed.adapter, 'contracts/beacon/places.js')).href);
  });
  after(() => installed.remove());

  function stored(alleles: readonly Allele[]): Entries {
    const entries = new Map<string, unknown>();
    for (const each of alleles) {
      const key = places.alleleKey(7, places.placeOf(each));
      entries.set(key, { allele: each });
      for (const entry of places.entriesOf(7, each)) entries.set(entry, key);
    }
    return new Entries(entries);
  }

  async function found(space: Entries, asked: AlleleQuery): Promise<string[]> {
    const seen: string[] = [];
    for await (const { allele } of places.candidates(space, 7, asked)) {
      if (matches(allele, asked)) seen.push(places.placeOf(allele));
    }
    return seen.sort();
  }

  it('finds each matching allele once, as a scan of all alleles does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(allele, { maxLength: 25 }),
        fc.array(query, { minLength: 4, maxLength: 4 }),
        async (alleles, queries) => {
          const distinct = new Map(alleles.map((each) => [places.placeOf(each), each]));
          const space = stored([...distinct.values()]);
          for (const asked of queries) {
            const expected = [...distinct].filter(([, each]) => matches(each, asked)).map(([place]) => place);
            expect(await found(space, asked)).to.deep.equal(expected.sort());
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('are in the order in which a dataset is exported', () => {
    fc.assert(
      fc.property(allele, allele, (one, other) => {
        const order = byAllele(one, other);
        if (order !== 0) expect(places.placeOf(one) < places.placeOf(other)).to.equal(order < 0);
      }),
    );
  });

  it('are not all read if a query matches few', async () => {
    const snv = (start: number): Allele => ({
      contig: '1',
      start,
      end: start + 1,
      reference: 'A',
      alternate: 'T',
      kind: 'SNP',
      structural: false,
    });
    const long = { ...snv(40), end: 9000, alternate: '<DEL>', kind: 'DEL', structural: true };
    const space = stored([...Array.from({ length: 20_000 }, (_, i) => snv(10 * i)), long]);
    const asked = { assembly: 'GRCh37', contig: '1' } as const;
    const cases: [AlleleQuery, number][] = [
      [{ ...asked, start: { min: 5000, max: 5000 } }, 1],
      // Of the small ones 5000; 5010 begins where the interval ends.
      [{ ...asked, overlaps: { start: 5000, end: 5010 } }, 2],
      [{ ...asked, end: { min: 9000, max: 9001 } }, 2],
      [{ ...asked, overlaps: { start: 100_000, end: 100_001 } }, 1],
    ];
    for (const [each, count] of cases) {
      space.read = 0;
      expect(await found(space, each)).to.have.lengthOf(count);
      expect(space.read, JSON.stringify(each)).to.be.below(10);
    }
  });
});
