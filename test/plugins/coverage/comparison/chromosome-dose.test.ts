/** Autosomes of which a sample has more than its assay: the formula against a model, and reports on registered samples. */
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { chromosomeDoses } from '../../../../plugins/coverage/cohorts/chromosome-dose.js';
import type { Member } from '../../../../plugins/coverage/cohorts/members.js';
import type { Cohorts } from '../../../../plugins/coverage/cohorts/values.js';
import type { Region } from '../../../../plugins/coverage/measure/region.js';
import { showsAneuploidy } from '../../../../plugins/coverage/report/sections/karyotype-tables.js';
import { useOnce } from '../../../support/use.js';
import { chromosomesOf, type Run, writeD4 } from '../support/d4.js';
import type { Exome } from '../support/exomes.js';
import { serveExomes } from './support.js';

const idOf = (i: number) => `S${String(i).padStart(2, '0')}`;
const { signal } = new AbortController();

/** Stored values of samples at 20 exons on each of chromosomes 1, 14 and 21. */
function storedValues(depths: readonly (readonly (readonly number[])[])[]): Cohorts {
  const names = ['1', '14', '21'];
  const exons = names.flatMap((chromosome) =>
    Array.from({ length: 20 }, (_, e): Region => ({ chromosome, start: e * 1000, end: e * 1000 + 100 })),
  );
  return {
    coding: async () => [],
    exons: async () => exons,
    values: async ({ targets, samples = [] }) => ({
      samples: [...samples],
      thresholds: [],
      medians: Float64Array.from(samples, () => 50),
      targets: targets.map(({ regions: [region] }) => ({
        length: 100,
        reached: [],
        means: Float64Array.from(samples, (id) => {
          const own = depths[Number(id.slice(1))]?.[names.indexOf(region?.chromosome ?? '')];
          return own?.[(region?.start ?? 0) / 1000] ?? 0;
        }),
      })),
    }),
  };
}

const members = (count: number): Member[] =>
  Array.from({ length: count }, (_, i) => ({
    id: idOf(i),
    revision: `${i}`,
    assay: 'A',
    day: '2026-01-01',
    sex: 'female',
  }));

/** Sorts, and takes the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

describe('autosomes beside the assay', () => {
  it('are flagged as a model finds it', async () => {
    const sample = fc.tuple(
      ...[0, 1, 2].map(() =>
        fc.tuple(
          fc.constantFrom(1, 1, 1, 1.34, 1.36, 1.5, 3),
          fc.array(fc.integer({ min: 40, max: 60 }), { minLength: 16, maxLength: 16 }),
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 22, maxLength: 24 }), async (drawn) => {
        // Only the first sample has other copies; of 20 exons the first 16 are read.
        const depths = drawn.map((chromosomes, s) =>
          chromosomes.map(([copies, own]) => own.map((depth) => (s === 0 ? depth * copies : depth))),
        );
        const question = {
          build: 'GRCh38',
          samples: [idOf(0)],
          members: members(drawn.length),
          isPooled: false,
        } as const;
        const found = (await chromosomeDoses(storedValues(depths), question, signal)).get(idOf(0));
        expect(found?.others).to.equal(drawn.length - 1);
        for (const [c, chromosome] of ['1', '14', '21'].entries()) {
          const [own = 0, ...others] = depths.map((chromosomes) =>
            median((chromosomes[c] ?? []).map((depth) => depth / 50)),
          );
          const centre = median(others);
          const mad = median(others.map((other) => Math.abs(other - centre)));
          const z = mad > 0 ? (own - centre) / (1.4826 * mad) : undefined;
          const dose = found?.chromosomes?.find((one) => one.chromosome === chromosome);
          expect(dose?.ratio).to.be.closeTo(own / centre, 1e-9);
          if (z === undefined) expect(dose).not.to.have.property('z');
          else expect(dose?.z).to.be.closeTo(z, 1e-6);
          expect(dose?.isFlagged).to.equal(own / centre >= 1.35 && z !== undefined && z > 6);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are not compared with few samples, with those of other assays, or if the sample has no assay', async () => {
    const depths = Array.from({ length: 30 }, () => [[], [], []]);
    const ask = (all: Member[], isPooled = false) =>
      chromosomeDoses(storedValues(depths), { build: 'GRCh38', samples: [idOf(0)], members: all, isPooled }, signal);
    expect((await ask(members(20))).get(idOf(0))).to.deep.equal({ others: 19 });
    const mixed = members(30).map((member, i) => (i % 2 === 0 ? member : { ...member, assay: 'B' }));
    expect((await ask(mixed)).get(idOf(0))).to.deep.equal({ others: 14 });
    expect((await ask(mixed, true)).get(idOf(0))).to.deep.equal({ others: 29, chromosomes: [] });
    expect((await ask(members(30).map(({ assay: _, ...member }) => member))).size).to.equal(0);
  });

  it('make a report one that shows an aneuploidy, if flagged', () => {
    const doses = (isFlagged: boolean) =>
      new Map([['S1', { others: 30, chromosomes: [{ chromosome: '21', ratio: 1.5, z: 12, isFlagged }] } as const]]);
    expect(showsAneuploidy({ doses: doses(true), seesAneuploidy: true })).to.equal(true);
    expect(showsAneuploidy({ doses: doses(false), seesAneuploidy: true })).to.equal(false);
    expect(showsAneuploidy({ doses: doses(true) })).to.equal(false);
  });
});

describe('autosomes beside the assay, in reports', () => {
  const it_ = useOnce(() => serveExomes([], { settings: { aneuploidy: 'everyone' } }));
  const trisomic = idOf(0);
  before(async () => {
    const genes = (['1', '14', '21'] as const).flatMap((chromosome) =>
      Array.from({ length: 20 }, (_, i) => ({
        chromosome,
        start: 20_000_000 + i * 10_000,
        end: 20_000_000 + i * 10_000 + 200,
      })),
    );
    const number = (i: number) => String(i + 1).padStart(11, '0');
    const references = {
      refseqMrna: ['NM_1'],
      refseqMrnaPredicted: [],
      refseqNcrna: [],
      maneSelect: [],
      manePlusClinical: [],
    };
    const rows = async function* () {
      yield {
        genes: genes.map((place, i) => ({
          ensembl: `ENSG${number(i)}`,
          hgnc: i + 1,
          symbol: `DOSE${i + 1}`,
          ...place,
        })),
        transcripts: genes.map((place, i) => ({
          ensembl: `ENST${number(i)}`,
          gene: `ENSG${number(i)}`,
          ...place,
          references,
          isManeSelect: false,
          isManePlusClinical: false,
        })),
        exons: genes.map((place, i) => ({
          ensembl: `ENSE${number(i)}`,
          gene: `ENSG${number(i)}`,
          transcript: `ENST${number(i)}`,
          rank: 1,
          ...place,
        })),
      };
    };
    const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
    const record = { source: 'made', checksum: `sha256:${'1'.repeat(64)}`, read: genes.length, skipped: {} };
    await it_.server.intervals.load({ sets, rows: rows(), accept: () => record }, new Date());
    const exomes = Array.from(
      { length: 22 },
      (_, s): Exome => ({ id: idOf(s), sex: 'female', assay: 'WES', run: 'R1', day: '2026-01-01' }),
    );
    for (const [s, { id }] of exomes.entries()) {
      const runs = genes.map(({ chromosome, start, end }): Run => {
        const copies = s === 0 && chromosome === '21' ? 3 : 2;
        // A few percent up and down from sample to sample.
        return { chromosome, begin: start, end, depth: copies * (50 + ((s * (chromosome === '21' ? 7 : 5)) % 5)) };
      });
      writeD4(join(it_.folder, `${id}.d4`), {
        chromosomes: chromosomesOf('GRCh38', { names: ['1', '14', '21', 'X', 'Y'] }),
        runs,
      });
    }
    await it_.register(exomes);
  });

  const fields = (ids: readonly string[]) => ({
    samples: JSON.stringify(ids.map((id) => ({ sample_id: id, name: id }))),
    hgnc_gene_ids: 'DOSE1',
  });

  it('name the chromosome with three copies, for review', async () => {
    const { samples } = await it_.json('report', fields([trisomic, idOf(1)]));
    expect(samples[0].autosomes).to.deep.include({ others: 21, flagged: ['21'] });
    expect(samples[1].autosomes).to.deep.include({ others: 21, flagged: [] });
    const ofChromosome21 = samples[0].autosomes.chromosomes.find(
      ({ chromosome }: { chromosome: string }) => chromosome === '21',
    );
    expect(ofChromosome21.ratio).to.be.within(1.4, 1.6);
    expect(samples[0].autosomes.chromosomes).to.have.length(3);
  });

  it('are shown on the page, and printed only if asked to', async () => {
    const page = await it_.text('report', fields([trisomic]));
    expect(page).to.match(/class="block screen"><h2 id="table-autosomes"[^§]*chromosome 21: ratio 1\.\d\d, z/);
    expect(await it_.text('report', { ...fields([trisomic]), print_aneuploidy: 'true' })).to.match(
      /class="block"><h2 id="table-autosomes"/,
    );
  });
});
