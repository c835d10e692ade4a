/**
 * A dataset that was loaded before its reference: a server's job left-aligns it. Against brute force, in which two alleles are one if
 * they give the same sequence; alleles are found again by the ids that they had.
 */
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { erasures } from '../../../core/erasures/contract.js';
import { jobs } from '../../../core/jobs/contract.js';
import {
  type Allele,
  type Assembly,
  alleleKey,
  beacon,
  beaconConsequences,
  beaconDepths,
  beaconGenes,
  trimmed,
} from '../../../plugins/beacon/contract.js';
import { type ReferenceForm, referenceForm } from '../../../plugins/beacon/domain/dataset-forms.js';
import { variantIdOf } from '../../../plugins/beacon/faces/v2/variants/record.js';
import { withReferences } from '../../../plugins/beacon/vcf/reference/aligned.js';
import { referencesIn } from '../../../plugins/beacon/vcf/reference/packed.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { engines } from './support/engines.js';
import {
  alleleAt,
  fastaOf,
  haplotype,
  loadFasta,
  numbersFrom,
  randomIndel,
  referenceOf,
  repeatedSequence,
} from './support/reference.js';
import { dataset, loadText, serveBeacon } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { until } from './support/write.js';

const assembly: Assembly = 'GRCh37';
/** Alleles of each file. */
const alleles = Number(process.env.TEST_INDELS ?? 60);
/** The samples of each file: some are in several. */
const files = [['a', 'b'], ['c'], ['a', 'c'], ['d', 'e', 'f']];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: left-aligning of stored alleles (${engine.name})`, function () {
    this.timeout(120_000 + 200 * alleles);
    const folder = useFolder();

    it('is done by a job, and changes nothing but where alleles are and how often one is counted', async () => {
      const random = numbersFrom(7);
      const sequence = `${repeatedSequence(2000, random)}${'ACGT'.repeat(40)}${repeatedSequence(500, random)}`;
      const form = referenceForm(referenceOf({ 20: sequence }));
      await loadFasta(folder.path(), fastaOf({ chr20: sequence }));
      const opened = await engine.open([erasures, jobs, tokens, beacon, beaconGenes, beaconDepths, beaconConsequences]);
      const repository = opened.storage.repository(beacon);
      let close = async () => {
        await opened.storage.close();
        await opened.discard?.();
      };
      try {
        await repository.addDataset(dataset('own'), new Date());
        await repository.addDataset(dataset('empty'), new Date());
        const changes = Array.from({ length: alleles }, () => randomIndel('20', sequence, random));
        // Too long to be spelled by an id.
        changes.push(alleleAt('20', 2055, 'ACGT'.repeat(14).slice(3), 'T'));
        const copies = new Map<string, Map<string, number>>();
        const stored = new Map<string, Allele>();
        const first = new Map<string, number>();
        for (const samples of files) {
          const written = new Map(changes.map((one) => [alleleKey(one), spelled(form, one, random)]));
          const distinct = [...new Map([...written.values()].map((one) => [alleleKey(trimmed(one)), one])).values()];
          const records = distinct
            .sort((one, other) => one.start - other.start)
            .map((one) => {
              const genotypes = samples.map(() => ['0/0', '0/1', '1/1'][random(3)] as string);
              const change = haplotype(sequence, one);
              const of = copies.get(change) ?? new Map<string, number>();
              for (const [i, genotype] of genotypes.entries()) {
                const [name, read] = [samples[i] as string, genotype.split('1').length - 1];
                if (read === 0) continue;
                const key = alleleKey(trimmed(one));
                stored.set(key, trimmed(one));
                // Of a spelling the first number stays.
                const count = first.get(`${name} ${key}`) ?? read;
                first.set(`${name} ${key}`, count);
                of.set(name, Math.max(count, of.get(name) ?? 0));
              }
              if (of.size > 0) copies.set(change, of);
              return `20 ${one.start + 1} . ${one.reference} ${one.alternate} . . . GT ${genotypes.join(' ')}`;
            });
          // As before there was a reference.
          await loadText(repository, 'own', vcf({ samples, records }));
        }
        const of = (change: string) => [...(copies.get(change)?.values() ?? [])];
        const totals = () => ({
          alleles: copies.size,
          calls: [...copies.keys()].flatMap(of).reduce((sum, count) => sum + count, 0),
          samples: 6,
        });
        expect((await repository.recount('own')).alleles)
          .to.equal(stored.size)
          .and.greaterThan(copies.size);
        const settings = { references: { folder: folder.path() } };
        const server = await serveBeacon({ ...engine, open: async () => opened }, { settings });
        close = server.close;
        server.startJobs();
        await until(async () => (await repository.dataset('own'))?.alignedTo !== undefined);
        const { alleleCount, callCount, sampleCount, alignedTo } = (await repository.dataset('own')) ?? {};
        expect({ alleles: alleleCount, calls: callCount, samples: sampleCount }).to.deep.equal(totals());
        expect(await repository.recount('own')).to.deep.equal(totals());
        expect((await repository.dataset('empty'))?.alignedTo, 'before its first load').to.equal(undefined);
        const { body } = await request(`${server.url}/beacon/v2/datasets`);
        expect(JSON.stringify(body)).to.include(`"alignedTo":"${alignedTo}"`);
        for (const one of stored.values()) {
          const id = variantIdOf(assembly, one);
          const reply = await request(`${server.url}/beacon/v2/g_variants/${id}`, {
            query: { datasets: 'own', requestedGranularity: 'count' },
          });
          expect(reply.body.responseSummary, id).to.include({ exists: true, numTotalResults: 1 });
          const { start, reference, alternate } = one;
          const answer = await request(`${server.url}/apiv1.0/query`, {
            query: {
              ...{ assemblyId: assembly, referenceName: '20', start, referenceBases: reference },
              ...{ alternateBases: alternate, datasetIds: 'own', includeDatasetResponses: 'ALL' },
            },
          });
          const counted = of(haplotype(sequence, one));
          expect(answer.body.datasetAlleleResponses, id).to.have.nested.property(
            '[0].callCount',
            counted.reduce((sum, count) => sum + count, 0),
          );
          expect(answer.body.datasetAlleleResponses, id).to.have.nested.property('[0].sampleCount', counted.length);
        }
        await loadText(
          withReferences(repository, referencesIn(folder.path())),
          'own',
          vcf({ samples: ['g'], records: ['20 2056 . T TACGT . . . GT 0/1'] }),
        );
        expect((await repository.removeSamples('own', ['g'], new Date())).samples).to.equal(1);
        expect(await repository.recount('own')).to.deep.equal(totals());
        for (const name of ['a', 'c']) {
          for (const each of copies.values()) each.delete(name);
          await repository.removeSamples('own', [name], new Date());
        }
        for (const [change, each] of copies) if (each.size === 0) copies.delete(change);
        expect(await repository.recount('own')).to.deep.equal({ ...totals(), samples: 4 });
      } finally {
        await close();
      }
    });
  });
}

/** One of the ways to write it. */
function spelled({ aligned, spellings }: ReferenceForm, allele: Allele, random: (most: number) => number): Allele {
  const all = [...spellings(aligned(allele))];
  return all[random(all.length)] as Allele;
}
