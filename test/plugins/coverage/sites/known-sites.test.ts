/** What sets of known variants say of alleles and genes, against a reading of every record. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { coverageSites, type Site } from '../../../../plugins/coverage/contract.js';
import { knownSitesService } from '../../../../plugins/coverage/sites/known-sites.js';
import { loadSites } from '../../../../plugins/coverage/sites/loading.js';
import type { PlainAllele } from '../../../../plugins/services/services.js';
import { Random } from '../../../conformance/core.js';
import { storages } from '../../../support/storages.js';
import { useEach } from '../../../support/use.js';
import { record, vcf } from './support.js';

const seed = Number(process.env.TEST_SEED ?? 1);
const { signal } = new AbortController();
const build = 'GRCh38';
const checksum = `sha256:${'0'.repeat(64)}`;

interface KnownAllele {
  /** In its shortest form. */
  allele: PlainAllele;
  record: Site & { set: string };
}

for (const engine of storages) {
  describe(`coverage: known sites for other plugins on ${engine.name} (TEST_SEED=${seed})`, () => {
    const random = new Random(seed);
    const opened = useEach(() => engine.open([coverageSites]));
    const bases = (count: number) => Array.from({ length: count }, () => random.pick(['A', 'C', 'G', 'T'])).join('');

    const someAllele = (): PlainAllele => {
      const chromosome = random.pick(['1', 'X'] as const);
      // In three regions far from each other, and a few in none.
      const start = random.pick([2000, 900_000, 50_000_000]) + random.int(0, 400);
      const [reference, alternate] = random.pick([
        ['A', 'C'],
        ['A', 'T'],
        ['AGT', 'A'],
        ['A', 'ACC'],
        ['AG', 'CT'],
      ]) as [string, string];
      return { chromosome, start, reference, alternate };
    };
    /** The same allele with bases beside it. */
    const padded = ({ chromosome, start, reference, alternate }: PlainAllele): PlainAllele => {
      const [left, right] = [bases(random.int(0, 3)), bases(random.int(0, 3))];
      // Not more of a repeat: a base before an insertion or deletion that differs from what it adds.
      const before = reference.length === alternate.length ? left : '';
      return {
        chromosome,
        start: start - before.length,
        reference: `${before}${reference}${right}`,
        alternate: `${before}${alternate}${right}`,
      };
    };

    async function load(name: string, release: string, sites: readonly Site[]) {
      const repository = opened.storage.repository(coverageSites);
      async function* all() {
        yield sites;
      }
      const accept = () => ({ release, source: 'sites.vcf', checksum, skipped: {} });
      await repository.load({ name, build, sites: all(), accept }, new Date());
    }

    it('are those of the same allele, however both are written, and those within places or of genes', async () => {
      const service = knownSitesService(opened.storage.repository(coverageSites), 0.1);
      const known: KnownAllele[] = [];
      for (const set of ['ClinVar', 'HGMD']) {
        const own = Array.from({ length: 120 }, (_, i): KnownAllele => {
          const allele = someAllele();
          const written = padded(allele);
          const { chromosome, start, reference, alternate } = written;
          const record = {
            ...{ set, chromosome, start, end: start + reference.length, reference, alternate, id: `${set}${i}` },
            genes: random.chance(0.5) ? [random.pick(['ONE', 'TWO'])] : [],
            ...(set === 'ClinVar' && {
              significance: random.pick(['Pathogenic', 'Likely_pathogenic']),
              stars: random.int(0, 4),
            }),
          };
          return { allele, record };
        });
        known.push(...own);
        await load(
          set,
          `${set} 2026-01`,
          own.map(({ record: { set: _, ...site } }) => site),
        );
      }
      const same = (one: PlainAllele, other: PlainAllele) => JSON.stringify(one) === JSON.stringify(other);
      const idsOf = (records: readonly { id?: string }[]) => records.map(({ id }) => id).sort();

      const asked = [
        ...random
          .shuffled(known)
          .slice(0, 40)
          .map(({ allele }) => allele),
        ...Array.from({ length: 40 }, someAllele),
      ];
      const answers = await service.classesOf(build, asked.map(padded), { signal });
      let found = 0;
      for (const [i, allele] of asked.entries()) {
        const expected = known.filter((one) => same(one.allele, allele)).map(({ record }) => record);
        const answer = answers[i] ?? [];
        expect(idsOf(answer), JSON.stringify(allele)).to.deep.equal(idsOf(expected));
        for (const one of answer) {
          const record = expected.find(({ id }) => id === one.id);
          expect(one).to.deep.equal({
            ...{ set: record?.set, release: `${record?.set} 2026-01`, genes: record?.genes, id: one.id },
            ...(record?.significance !== undefined && { significance: record.significance, stars: record.stars }),
          });
        }
        found += answer.length;
      }
      expect(found).to.be.above(40);

      for (let round = 0; round < 20; round++) {
        const some = random.list(0, 5, () => {
          const { chromosome, start } = someAllele();
          return { chromosome, start, end: start + random.int(1, 60) };
        });
        // More than are read together: a site reaches from the last one of the first reading to the next.
        const { chromosome, start } = random.pick(known.filter(({ record }) => record.reference.length > 2)).record;
        const many = Array.from({ length: 520 }, (_, i) => ({ chromosome, start: Math.max(0, start - 998 + 2 * i) }));
        const places = round % 5 === 0 ? many.map((one) => ({ ...one, end: one.start + 1 })) : some;
        const genes = random.pick([[], ['ONE'], ['ONE', 'TWO']]);
        const within = await service.within(build, { places, genes }, signal);
        const expected = known.filter(
          ({ record }) =>
            record.genes.some((gene) => genes.includes(gene)) ||
            places.some(
              (one) => one.chromosome === record.chromosome && one.start < record.end && one.end > record.start,
            ),
        );
        expect(idsOf(within)).to.deep.equal(idsOf(expected.map(({ record }) => record)));
        for (const one of within) {
          expect(one.covers).to.deep.equal({ start: one.start - 1, end: one.start + one.reference.length + 1 });
        }
      }
    });

    it('are moved within repeats by the form that the caller gives, and have one record for each alternate', async () => {
      const service = knownSitesService(opened.storage.repository(coverageSites), 0.1);
      const site = {
        chromosome: '1',
        start: 300,
        end: 303,
        reference: 'ACA',
        alternate: 'A,ACAT',
        genes: [],
        id: 'two',
      } as const;
      await load('list', '1', [site]);
      const asked: PlainAllele = { chromosome: '1', start: 298, reference: 'ACA', alternate: 'A' };
      expect(await service.classesOf(build, [asked], { signal })).to.deep.equal([[]]);
      const form = (one: PlainAllele) =>
        one.reference === 'ACA' && one.alternate === 'A' ? { ...one, start: 290 } : one;
      const record = { set: 'list', release: '1', id: 'two', genes: [] };
      expect(await service.classesOf(build, [asked], { form, signal })).to.deep.equal([[record]]);
      const alternates = (await service.within(build, { places: [site], genes: [] }, signal)).map(
        ({ alternate }) => alternate,
      );
      expect(alternates).to.deep.equal(['A', 'ACAT']);
      const [set, ...others] = await service.sets(build);
      expect([set?.name, set?.release, set?.sites, others.length]).to.deep.equal(['list', '1', 1, 0]);
      expect(await service.sets('GRCh37')).to.deep.equal([]);
      expect(await service.classesOf('GRCh37', [asked], { signal })).to.deep.equal([[]]);
    });

    it('are of a file as if it were loaded', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'trefoil-known-sites-'));
      const lines = Array.from({ length: 300 }, (_, i) => {
        const { chromosome, start, reference, alternate } = padded(someAllele());
        const genes = random.pick(['', 'ONE:1', 'ONE:1|TWO:2']);
        return record(`${chromosome} ${start + 1} ${i} ${reference} ${alternate}`, { GENEINFO: genes, CLNHGVS: 'g.1' });
      });
      const path = join(folder, 'clinvar.vcf');
      await writeFile(path, vcf(lines));
      const repository = opened.storage.repository(coverageSites);
      await load('ClinVar', '2026-01', [{ ...someAllele(), end: 2500, genes: ['ONE'] }]);
      await load('HGMD', '1', [{ ...someAllele(), end: 900_500, genes: ['TWO'] }]);
      const service = knownSitesService(repository, 0.1);
      const assumed = await service.assuming({ path, signal });
      const before = await service.sets(build);
      const places = [2000, 2300, 900_100, 50_000_000].flatMap((start) =>
        (['1', 'X'] as const).map((chromosome) => ({ chromosome, start, end: start + random.int(1, 300) })),
      );
      const asked = Array.from({ length: 200 }, someAllele);
      const answers = async (of: typeof service) => [
        (await of.sets(build)).map(({ loaded: _, ...set }) => set),
        await of.within(build, { places, genes: ['TWO'] }, signal),
        await of.within(build, { places: [], genes: ['ONE', 'THREE'] }, signal),
        await of.classesOf(build, asked, { signal }),
        await of.within('GRCh37', { places, genes: ['ONE'] }, signal),
      ];
      const told = await answers(assumed);
      expect(await service.sets(build)).to.deep.equal(before);
      const onProgress = () => {};
      await loadSites({ repository, file: path, leastStars: 0, maxShrink: 0.1, now: new Date(), signal, onProgress });
      expect(told).to.deep.equal(await answers(service));
      expect((told[1] as unknown[]).length).to.be.greaterThan(100);
      // A file that would be refused, is.
      await writeFile(path, vcf(lines.slice(0, 9)));
      const refusal = await service.assuming({ path, signal }).catch((error: Error) => error.message);
      expect(refusal).to.include('clinvar.vcf: it has 9 sites, but the loaded release 2026-11-15 has');
      await rm(folder, { recursive: true });
    });
  });
}
