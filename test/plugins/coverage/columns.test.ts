/** Very many regions and lines are kept in columns; objects are created only when read. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import fc from 'fast-check';
import { readBed, sourceOf } from '../../../core/files.js';
import { jsonList } from '../../../plugins/coverage/http/interval-coverage.js';
import { createMeasureColumns } from '../../../plugins/coverage/measure/create-measure.js';
import type { Depths } from '../../../plugins/coverage/measure/measure.js';
import {
  lazyList,
  mappedList,
  numberedMembers,
  type Region,
  RegionColumns,
  union,
} from '../../../plugins/coverage/measure/region.js';
import { coverageSources } from '../../../plugins/coverage/measure/sources.js';
import { coverageSettings } from '../../../plugins/coverage/settings.js';
import { useFolder } from '../../support/folder.js';
import { risingRuns, writeD4 } from './support/d4.js';
import { classChanges } from './support/hidden-class.js';

const farthest = 2 ** 32 - 1;
const region = fc
  .tuple(fc.constantFrom('1', '2', 'chrX'), fc.nat(farthest - 40), fc.integer({ min: 1, max: 40 }))
  .map(([chromosome, start, length]): Region => ({ chromosome, start, end: start + length }));
const near = fc
  .tuple(fc.constantFrom('1', '2'), fc.nat(300), fc.integer({ min: 1, max: 40 }))
  .map(([chromosome, start, length]): Region => ({ chromosome, start, end: start + length }));

const bed = (text: string) => readBed(sourceOf('x.bed', 0, () => Readable.from([Buffer.from(text)])));

function columnsOf(regions: readonly Region[]): RegionColumns {
  const columns = new RegionColumns();
  for (const one of regions) columns.push(one);
  return columns;
}

describe('coverage: columns', () => {
  const folder = useFolder();

  it('return the stored values, by index and in order', () => {
    fc.assert(
      fc.property(fc.array(region, { maxLength: 300 }), (regions) => {
        const columns = columnsOf(regions);
        expect([...columns]).to.deep.equal(regions);
        expect(regions.map((_, i) => columns.at(i))).to.deep.equal(regions);
        expect([columns.at(-1), columns.at(regions.length)]).to.deep.equal([undefined, undefined]);
      }),
    );
  });

  it('have the same union as regions', () => {
    fc.assert(
      fc.property(fc.array(near, { maxLength: 60 }), (regions) => {
        expect([...columnsOf(regions).union()]).to.deep.equal(union(regions));
      }),
    );
  });

  it('have each region once, by chromosome and start, and know where each is', () => {
    fc.assert(
      fc.property(fc.array(near, { maxLength: 60 }), fc.nat(60), (regions, from) => {
        const columns = columnsOf(regions);
        const { regions: distinct, places } = columns.distinct();
        expect(regions.map((_, i) => distinct.at(places?.[i] ?? i))).to.deep.equal(regions);
        const found = [...distinct];
        expect(new Set(found.map((one) => JSON.stringify(one))).size).to.equal(found.length);
        const order = columns.chromosomes.flatMap((name) => found.filter(({ chromosome }) => chromosome === name));
        expect(found).to.deep.equal(order);
        for (const [i, { chromosome, start }] of found.entries()) {
          const next = found[i + 1];
          if (next?.chromosome === chromosome) expect(next.start).to.be.at.least(start);
        }
        const last = [...columns.union(Math.min(from, regions.length))];
        const byPlace = (some: readonly Region[]) => some.map((one) => JSON.stringify(one)).sort();
        expect(byPlace(last)).to.deep.equal(byPlace(union(regions.slice(from))));
      }),
    );
  });

  it('create a member only when it is read, and keep none', () => {
    let made = 0;
    const list = mappedList(
      lazyList(1_000_000, (place) => {
        made += 1;
        return { place };
      }),
      ({ place }) => 2 * place,
    );
    expect([list.at(999_999), list.at(-1), list.at(1_000_000), made]).to.deep.equal([
      1_999_998,
      undefined,
      undefined,
      1,
    ]);
    for (const [place, member] of numberedMembers(list)) {
      if (place === 3) break;
      expect(member).to.equal(2 * place);
    }
    expect(made).to.equal(5);
  });

  it('parse the names of BED lines again when a line is read', async () => {
    const lines = await bed('\uFEFF1\t0\t4\tå\r\n#\n1 5 9  ß  x\n2\t1\t3\t\n');
    expect(lines.at(1)).to.deep.equal({ chromosome: '1', start: 5, end: 9, name: 'ß', line: 3 });
    expect(lines.at(1)).to.not.equal(lines.at(1));
    expect([...lines].map(({ name }) => name)).to.deep.equal(['å', 'ß', undefined]);
  });

  it('make lines that share a hidden class', async () => {
    const text = Array.from({ length: 2000 }, (_, i) => `1\t${i}\t${i + 1}\tline${i}\n`).join('');
    const lines = await bed(text);
    expect(classChanges(lines)).to.be.at.most(5);
  });

  it('keep no depths of targets: each is computed when read, with the same result', async () => {
    const made = writeD4(join(folder.path(), 'made.d4'), {
      chromosomes: [{ name: '7', size: 300_000 }],
      runs: risingRuns(1400),
    });
    const sources = coverageSources({
      settings: coverageSettings.parse({ roots: [folder.path()] }),
      log: { warn() {} },
    });
    try {
      const measure = createMeasureColumns(sources, { gaps: 20_000, counts: 1_000_000 });
      let held = 0;
      // Every target is computed again each time; none is kept.
      const targets = lazyList(20_000, (i) => {
        held += 1;
        return { regions: [{ chromosome: '7', start: 5000 + 10 * i, end: 5010 + 10 * i }] };
      });
      const samples = [{ name: 's', location: await sources.coverageFile(made) }];
      const { samples: found } = await measure({ samples, targets, thresholds: [1, 10], gapsBelow: 1 });
      const depths = found[0]?.targets;
      if (depths === undefined) throw new Error('one sample was asked for');
      expect([depths.length, held]).to.deep.equal([20_000, 20_000]);
      const one = depths.at(7) as Depths;
      expect(one).to.not.equal(depths.at(7));
      expect(one).to.deep.equal(depths.at(7));
      expect(classChanges(depths)).to.be.at.most(5);
      expect([...depths].reduce((sum, { length }) => sum + length, 0)).to.equal(200_000);
    } finally {
      await sources.close();
    }
  });

  it('are written as JSON in portions, as fast as they are read', async () => {
    let made = 0;
    const body = jsonList(50_000, (i) => {
      made += 1;
      return { i, filler: 'x'.repeat(100) };
    });
    if (Array.isArray(body)) throw new Error('so many rows are a stream');
    const pieces = body[Symbol.asyncIterator]();
    await pieces.next();
    expect(made).to.be.at.most(5000);
    let text = '';
    for await (const piece of { [Symbol.asyncIterator]: () => pieces }) text += piece;
    expect([made, text.endsWith('}]')]).to.deep.equal([50_000, true]);
  });
});
