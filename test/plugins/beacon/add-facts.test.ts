/** Facts of samples and rules of datasets over HTTP. */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset, type Json } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const trio = vcf({ samples: ['child', 'father', 'mother'], records: ['1 10 . A C . . . GT:GQ 0/1:50 0/1:50 0/1:9'] });

for (const engine of dealt(engines, 'postgres')) {
  describe(`beacon: facts of samples over HTTP on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine));
    let path: string;

    before(async () => {
      path = await server.file('trio.vcf', trio);
    });
    beforeEach(async () => {
      await server.repository.removeDataset('ds');
      await server.repository.addDataset(
        dataset('ds', { counting: { quality: 20, passOnly: false, window: 2000 } }),
        new Date(),
      );
    });

    const body = (more: Json) => ({ dataset_id: 'ds', vcf_path: path, assemblyId: 'GRCh37', ...more });
    const facts = async () =>
      (await server.repository.sampleFacts('ds')).map(({ name, case: id, sex, affected, labels }) => [
        name,
        id,
        sex,
        affected,
        labels,
      ]);
    const refused = async (more: Json, message: string) => {
      const reply = await server.send('add', body(more));
      expect([reply.status, reply.body], JSON.stringify(more)).to.deep.equal([422, { message }]);
    };

    it('loads the facts of all samples and of single ones, by the rules of the dataset', async () => {
      const samples_info = [
        { sample: 'child', sex: 'male', affected: 'yes', run: 'R2', phenotypes: 'HP:0001250=Seizure' },
        { sample: 'father', sex: 'male', affected: 'no' },
      ];
      const sent = body({ case_id: 'F1', assay: 'WGS', run: 'R1', samples_info });
      const job = await server.ended(await server.send('add', sent));
      expect(job.result).to.deep.include({ added: { alleles: 1, calls: 2, samples: 3 } });
      expect((job.result as Json).skipped).to.deep.include({ lowQuality: 1 });
      expect(await facts()).to.deep.equal([
        ['child', 'F1', 'male', true, { assay: 'WGS', run: 'R2' }],
        ['father', 'F1', 'male', false, { assay: 'WGS', run: 'R1' }],
        ['mother', 'F1', 'unknown', undefined, { assay: 'WGS', run: 'R1' }],
      ]);
      const [child, father] = await server.repository.sampleFacts('ds');
      expect([child?.phenotypes, father?.phenotypes]).to.deep.equal([[{ id: 'HP:0001250', label: 'Seizure' }], []]);
    });

    it('loads those in a form, and in the query string of an upload', async () => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ dataset_id: 'ds', assemblyId: 'GRCh37', samples: 'child' })) {
        form.append(name, value);
      }
      form.append('samples_info', JSON.stringify([{ sample: 'child', case_id: 'F9', sex: 'female' }]));
      form.append('vcf', new Blob([trio]), 'trio.vcf');
      expect(await server.ended(await server.send('add', form))).to.include({ state: 'done' });
      expect(await facts()).to.deep.equal([['child', 'F9', 'female', undefined, {}]]);
      const query = 'add?dataset_id=ds&assemblyId=GRCh37&samples=child&sex=male&affected=no&snv_gq_only=true';
      const reply = await server.send(query, trio, { headers: { 'content-type': 'text/vcf' } });
      expect(await server.ended(reply)).to.include({ state: 'done' });
      expect(await facts()).to.deep.equal([['child', 'F9', 'male', false, {}]]);
    });

    it('refuses invalid facts before it queues a job', async () => {
      await refused({ sex: 'boy' }, "'boy' is not one of ['female', 'male', 'unknown']");
      await refused({ affected: true }, "True is not one of ['yes', 'no', 'unknown']");
      await refused({ samples_info: 'x' }, "'x' is not of type 'array'");
      await refused({ samples_info: [{ sex: 'male' }] }, "'sample' is a required property");
      await refused({ snv_gq_only: 'x' }, "'x' is not of type 'boolean'");
      await refused({ case_id: ' ' }, 'case_id must not be empty');
      await refused({ case_id: 'F\uFFFD' }, 'case_id has bytes that are not UTF-8');
      await refused(
        { samples_info: [{ sample: 'child', phenotypes: 'Fit' }] },
        'phenotypes: "Fit" is not the id of a term, such as HP:0001250',
      );
      await refused({ run_date: '2026' }, 'run_date must be a date such as 2026-01-31; got "2026"');
      await refused({ run: 'a\nb' }, 'run must be one line without control characters');
      await refused(
        { sex: 'male' },
        'sex, affected, coverage_id, phenotypes and diseases describe one sample, and the load has 3: state them for each sample',
      );
      await refused(
        { samples: ['child'], samples_info: [{ sample: 'father' }] },
        'samples_info has a sample that is not to be loaded',
      );
      await refused(
        { samples_info: [{ sample: 'child' }, { sample: 'child' }] },
        'samples_info has a sample more than once',
      );
      expect(await facts()).to.deep.equal([]);
    });

    it('loads structural variants without GQ on request', async () => {
      const vcf_path = await server.file('sv.vcf', vcf({ records: ['1 9 . A <DEL> . . END=20 GT 0/1'] }));
      const failed = await server.ended(await server.send('add', body({ vcf_path })));
      expect(failed.error).to.contain(
        'no genotype with an alternate allele has a GQ, and this load requires one of at least 20',
      );
      const { result } = await server.ended(await server.send('add', body({ vcf_path, snv_gq_only: true })));
      expect(result).to.deep.include({ added: { alleles: 1, calls: 1, samples: 1 } });
    });

    it('adds datasets of observations, and changes their rules', async () => {
      const send = async (more: Json) => {
        const sent = { id: 'ds', name: 'A set', build: 'GRCh37', authlevel: 'public', ...more };
        const reply = await server.send('add_dataset', sent);
        return reply.status === 200 ? (await server.repository.dataset('ds'))?.counting : reply.body.message;
      };
      await server.repository.removeDataset('ds');
      expect(await send({ gq: 20 })).to.equal("'gq' is a rule of datasets of observations: set 'observations'");
      expect(await send({ observations: 'yes' })).to.equal('Dataset observations must be true or false');
      expect(await send({ observations: true, gq: 'x' })).to.equal("Dataset gq must be a whole number or 'none'");
      expect(await send({ observations: true, window: -1 })).to.equal(
        `'window' must be a whole number from 0 to 1000000; got "-1"`,
      );
      expect(await send({ observations: true })).to.deep.equal({ quality: 20, passOnly: false, window: 2000 });
      expect(await send({ update: true, gq: 'none', pass: true })).to.deep.equal({ passOnly: true, window: 2000 });
      expect(await send({ update: true, name: 'B set' })).to.deep.equal({ passOnly: true, window: 2000 });
      expect(await send({ update: true, observations: false })).to.equal(undefined);
    });
  });
}
