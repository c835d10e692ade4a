/** Records without a genotype, or without GQ: their samples are unknown at the allele, unless CN or an option says more. */
import { expect } from 'chai';
import { openSource } from '../../../core/files.js';
import { beacon, type Dataset, type Observation } from '../../../plugins/beacon/contract.js';
import { Denominators } from '../../../plugins/beacon/counts/denominators.js';
import type { Sex } from '../../../plugins/beacon/domain/sample.js';
import { loadVariants } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { loadCase } from '../../../plugins/beacon/loqusdb/load.js';
import type { CallabilityService } from '../../../plugins/services/coverage.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { dataset, type Json, load, serveBeacon } from './support/serve.js';
import { line, type ReadOptions, read, vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const at20 = { minimum: 20, structural: true };

/** Carriers and uncalled samples, each with its allele. */
async function both(records: string[], options: ReadOptions & { names?: string[] } = {}) {
  const { names = ['s'], ...reading } = options;
  const { alleles, uncalled } = await read(vcf({ samples: names, records }), reading);
  return { carried: alleles.map(line), uncalled };
}

describe('beacon: genotypes that were not called', () => {
  it('make a sample unknown at each alternate of the record', async () => {
    const records = [
      '1 1 . A C . . . GT ./. 0/1',
      '1 2 . A C,G . . . GT . 1/2',
      '1 3 . A C . . . DP 9 9',
      '1 4 . A C . . . DP:GT 9 9:0/1',
      // Half of a genotype is one.
      '1 5 . A C . . . GT ./1 0/.',
      '1 6 . A <NON_REF> . . . GT ./. ./.',
    ];
    const { carried, uncalled } = await both(records, { names: ['a', 'b'] });
    expect(uncalled).to.deep.equal([
      '1:0-1 A>C SNP 0:0',
      '1:1-2 A>C SNP 0:0',
      '1:1-2 A>G SNP 0:0',
      '1:2-3 A>C SNP 0:0,1:0',
      '1:3-4 A>C SNP 0:0',
    ]);
    expect(carried).to.deep.equal([
      '1:0-1 A>C SNP 1:1',
      '1:1-2 A>C SNP 1:1',
      '1:1-2 A>G SNP 1:1',
      '1:3-4 A>C SNP 1:1',
      '1:4-5 A>C SNP 0:1',
    ]);
  });

  it('count as carriers if an option says so, in files of one sample', async () => {
    const records = ['1 9 . N <DEL> . . SVTYPE=DEL;END=99 GT:GQ ./.:.', '1 200 . A C . . . GT 0/0'];
    const missing = { genotype: 'carrier' } as const;
    expect(await both(records, { missing })).to.deep.equal({ carried: ['1:8-99 N><DEL> [DEL] 0:1'], uncalled: [] });
    const failure = await both(['1 1 . A C . . . GT ./. 0/1'], { missing, names: ['a', 'b'] }).catch(String);
    expect(failure).to.include('x.vcf: the file has 2 samples');
  });

  it('without a GQ that is required make their carriers unknown, or count as they are written', async () => {
    const records = [
      'MT 3243 . A G . . . GT:AD 0/1:80',
      'MT 4000 . A G . . . GT:GQ 0/1:19',
      'MT 5000 . A G . . . GT 0/0',
    ];
    expect(await both(records, { quality: at20 })).to.deep.equal({
      carried: [],
      uncalled: ['MT:3242-3243 A>G SNP 0:0'],
    });
    expect(await both(records, { quality: at20, missing: { quality: 'carrier' } })).to.deep.equal({
      carried: ['MT:3242-3243 A>G SNP 0:1'],
      uncalled: [],
    });
  });

  const copies = async (contig: string, alternate: string, cn: string, sex: Sex = 'unknown', genotype = './.') => {
    const record = `${contig} 50000000 . N ${alternate} . . END=50009000 GT:CN ${genotype}:${cn}`;
    const { alleles, uncalled } = await read(vcf({ records: [record] }), { sexOf: () => sex, assembly: 'GRCh38' });
    const carried = alleles.map(({ kind, carriers }) => `${kind}:${carriers.map(([, count]) => count)}`);
    return [...carried, ...uncalled.map(() => 'unknown')].join(' ') || 'none';
  };

  it('say by their number of copies whether a loss or a gain is carried, where the usual number is known', async () => {
    const table: [...Parameters<typeof copies>, string][] = [
      // Autosomes have two copies.
      ['1', '<DEL>', '1', 'unknown', './.', 'DEL:1'],
      ['1', '<DEL>', '0', 'unknown', './.', 'DEL:2'],
      ['1', '<DEL>', '2', 'unknown', '.', 'none'],
      ['1', '<DEL>', '3', 'unknown', './.', 'none'],
      ['1', '<DUP>', '3', 'unknown', './.', 'DUP:1'],
      ['1', '<DUP>', '5', 'unknown', './.', 'DUP:1'],
      ['1', '<DUP>', '1', 'unknown', './.', 'none'],
      ['1', '<DEL>,<DUP>', '1', 'unknown', './.', 'DEL:1'],
      ['1', '<CNV>', '1', 'unknown', './.', 'DEL:1'],
      ['1', '<CNV>', '4', 'unknown', './.', 'DUP:1'],
      ['1', '<CNV>', '2', 'unknown', './.', 'none'],
      // X and Y by sex; a woman's Y, and MT, have no usual number.
      ['X', '<DEL>', '1', 'male', './.', 'none'],
      ['X', '<DEL>', '1', 'female', './.', 'DEL:1'],
      ['X', '<DEL>', '1', 'unknown', './.', 'unknown'],
      ['X', '<DEL>', '0', 'male', './.', 'DEL:1'],
      ['X', '<DUP>', '2', 'male', './.', 'DUP:1'],
      ['Y', '<DUP>', '1', 'female', './.', 'unknown'],
      // No number, and what copies say nothing about.
      ['1', '<DEL>', '.', 'unknown', './.', 'unknown'],
      ['1', '<DEL>', '1.5', 'unknown', './.', 'unknown'],
      ['1', '<INV>', '1', 'unknown', './.', 'unknown'],
      // A called genotype counts.
      ['1', '<DEL>', '2', 'unknown', '0/1', 'DEL:1'],
      ['1', '<DEL>', '1', 'unknown', '0/0', 'none'],
    ];
    for (const [contig, alternate, cn, sex, genotype, expected] of table) {
      const what = `${contig} ${alternate} CN=${cn} ${sex} ${genotype}`;
      expect(await copies(contig, alternate, cn, sex, genotype), what).to.equal(expected);
    }
  });
});

for (const engine of sampled(engines, 3, 1)) {
  describe(`beacon: 0 of N only of what was looked at (${engine.name})`, function () {
    this.timeout(120_000);
    const folder = useFolder();

    it('counts samples that were not called apart, in JSON and on the page', async () => {
      const server = await serveBeacon(engine);
      try {
        const { repository } = server;
        const counting = { quality: 20, passOnly: false, window: 2000 };
        await repository.addDataset(dataset('ds', { counting }), new Date());
        const small = [
          '1 100 . A C . . . GT:GQ 0/1:60',
          'MT 3243 . A G . . . GT:AD 0/1:80',
          'MT 4000 . A G . . . GT:AD 0/1:9',
        ];
        await load(repository, 'ds', [await folder.write('a.vcf', vcf({ samples: ['a'], records: small }))]);
        const other = [
          '1 100 . A C . . . GT:GQ ./.:.',
          '1 300 . A C . . . GT:GQ 0/0:50',
          'MT 4000 . A G . . . GT:GQ 0/1:50',
          '1 900 . A <DEL> . . END=2900 GT:GQ ./.:.',
          'Y 9000000 . A <DEL> . . END=9000900 GT:GQ ./.:.',
        ];
        await load(repository, 'ds', [await folder.write('b.vcf', vcf({ samples: ['b'], records: other }))]);
        const token = await tokenWith(server, 'beacon:observe', 'beacon:cases');
        const ask = async (allele: string) => {
          const { body } = await send(server, `/observations?assembly=GRCh37&${allele}`, { token });
          const [found] = body.observations as Json[];
          const { carriers, notCalled, of, denominator } = found as Record<string, Json>;
          const { samples, cases } = of as Json;
          const counted = denominator as Json;
          return `${carriers}/${notCalled} of ${samples}/${cases}, ${counted.total}/${counted.notCalled}: ${counted.words}`;
        };
        // a carries it, b was not called.
        expect(await ask('allele=1-100-A-C')).to.equal('1/1 of 1/1, 1/1: Coverage unknown (1 sample; 1 not called)');
        // All of MT was skipped in a: nothing is said of it anywhere on MT.
        expect(await ask('allele=MT-3243-A-G')).to.equal('0/1 of 1/1, 1/1: Coverage unknown (1 sample; 1 not called)');
        expect(await ask('allele=MT-8993-T-G')).to.equal('0/1 of 1/1, 1/1: Coverage unknown (1 sample; 1 not called)');
        expect(await ask('allele=MT-4000-A-G')).to.equal('1/1 of 1/1, 1/1: Coverage unknown (1 sample; 1 not called)');
        expect(await ask('allele=1-200-A-C')).to.equal('0/0 of 2/2, 2/0: Coverage unknown (2 samples)');
        // No file was searched for structural variants: all genotypes of these in b were not called.
        expect(await ask('chromosome=1&position=900&end=2900&type=DEL')).to.equal(
          '0/1 of 0/0, 0/1: No sample of the dataset was called there (1 not called)',
        );
        expect(await ask('chromosome=Y&position=9000000&end=9000900&type=DEL')).to.equal(
          '0/1 of 0/0, 0/1: No sample of the dataset was called there (1 not called)',
        );
        const page = '/observations?assembly=GRCh37&chromosome=1&position=900&end=2900&type=DEL';
        const { text } = await send(server, page, { token, headers: { accept: 'text/html' } });
        expect(text).to.include('Unknown: no sample of this dataset was called at this place.');
        expect(text).to.include('1 sample, which are not counted');
        // The same in the result sets of Beacon v2, for holders of the right to read.
        const reading = await tokenWith(server, 'beacon:read:ds');
        const sets = async (asked: string, bearer: string | undefined, more = 'includeResultsetResponses=ALL') => {
          const { status, text, body } = await send(
            server,
            `/beacon/v2/g_variants?assemblyId=GRCh37&${asked}&${more}`,
            {
              token: bearer,
            },
          );
          expect(status, text).to.equal(200);
          return { text, sets: ((body.response as Json | undefined)?.resultSets ?? []) as Json[] };
        };
        const v2 = async (asked: string) => {
          const [set] = (await sets(asked, reading)).sets;
          const { denominator } = (set as { info: { denominator: Json } }).info;
          return `${set?.resultsCount}: ${denominator.total}/${denominator.notCalled}: ${denominator.words}`;
        };
        const carried = 'referenceName=1&start=99&referenceBases=A&alternateBases=C';
        const deletion = 'referenceName=1&start=899,900&end=2900,2901&variantType=DEL';
        expect(await v2(carried)).to.equal('1: 1/1: Coverage unknown (1 sample; 1 not called)');
        expect(await v2('referenceName=MT&start=3242&referenceBases=A&alternateBases=G')).to.equal(
          '0: 1/1: Coverage unknown (1 sample; 1 not called)',
        );
        expect(await v2(deletion)).to.equal('0: 0/1: No sample of the dataset was called there (1 not called)');
        // Alike with a service that knows depths, and for small variants.
        await repository.addDataset(dataset('none'), new Date());
        const none = ['1 400 . A C . . . GT ./.', 'Y 9000000 . A C . . . GT ./.'];
        const sexes = { her: 'female', him: 'male' } as const;
        for (const [name, sex] of Object.entries(sexes)) {
          const file = await folder.write(`${name}.vcf`, vcf({ samples: [name], records: none }));
          await load(repository, 'none', [file]);
          await repository.describeSamples('none', new Map([[name, { sex }]]), new Date());
        }
        const [found] = (await repository.datasets()).filter(({ id }) => id === 'none');
        const service = { sexes: async (ids: readonly string[]) => ids.map(() => 'unknown' as const) };
        for (const depths of [undefined, service as unknown as CallabilityService]) {
          const judged = new Denominators({ repository, service: depths }, found as Dataset);
          for (const [contig, start, notCalled] of [
            ['1', 399, 2],
            // She has no Y.
            ['Y', 8_999_999, 1],
          ] as const) {
            const question = { type: 'sequence', contig, start, reference: 'A', alternate: 'C' } as const;
            const [[observation] = []] = await repository.observe('GRCh37', [question], ['none']);
            expect(observation?.notCalled).to.equal(2);
            const [one] = await judged.of([question], [observation as Observation], new AbortController().signal);
            expect(one).to.include({ total: 0, notCalled });
          }
        }
        // Of more than one allele, of one that is sought by another type, with less granularity, or without the right: nothing.
        for (const [asked, bearer, more] of [
          ['referenceName=1&start=90&end=110', reading],
          [`${carried}&variantType=DEL`, reading],
          [`${deletion}&variantMinLength=5`, reading],
          [carried, undefined],
          [carried, reading, 'includeResultsetResponses=ALL&requestedGranularity=count'],
          [carried, reading, 'requestedGranularity=boolean'],
        ] as const) {
          const { text } = await sets(asked, bearer, more);
          expect(text, asked).to.not.match(/denominator|alled/);
        }
        // Another file of the sample that reads its genotypes of MT.
        const more = ['MT 7000 . A G . . . GT:GQ 0/1:50'];
        await load(repository, 'ds', [await folder.write('c.vcf', vcf({ samples: ['a'], records: more }))]);
        expect(await ask('allele=MT-8993-T-G')).to.equal('0/0 of 2/2, 2/0: Coverage unknown (2 samples)');
        expect(await ask('allele=MT-3243-A-G')).to.equal('0/1 of 1/1, 1/1: Coverage unknown (1 sample; 1 not called)');
        // A file of the other that was searched for structural variants.
        const searched = ['1 5000 . A <DEL> . . END=9000 GT:GQ 0/0:50'];
        await load(repository, 'ds', [await folder.write('d.vcf', vcf({ samples: ['b'], records: searched }))]);
        expect(await v2(deletion)).to.equal('0: 0/1: No sample of the dataset was called there (1 not called)');
      } finally {
        await server.close();
      }
    });

    it('counts what is missing as requests say, through add and the routes of loqusdb', async () => {
      const server = await serveWriter(engine, {
        settings: { loqusdb: { dataset: 'ds', addresses: ['127.0.0.0/8'] } },
      });
      try {
        const { repository, token } = server;
        const counting = { quality: 20, passOnly: false, window: 2000 };
        await repository.addDataset(dataset('ds', { counting }), new Date());
        const observing = await tokenWith(server, 'beacon:observe');
        const records = [
          '1 100 . A C . . . GT:GQ ./.:60',
          '1 200 . A C . . . GT 0/1',
          '1 300 . A C . . . GT:GQ 0/1:60',
        ];
        const path = await server.file('a.vcf', vcf({ samples: ['a'], records }));
        const pair = await server.file(
          'pair.vcf',
          vcf({ samples: ['a', 'b'], records: ['1 100 . A C . . . GT ./. 0/1'] }),
        );
        const empty = await server.file('empty.vcf', vcf({ samples: ['a'], records: [] }));
        /** Carriers and samples that were not called, without a genotype and without GQ. */
        const counts = async () => {
          const found = ['1-100-A-C', '1-200-A-C'].map(async (allele) => {
            const { body } = await send(server, `/observations?dataset=ds&allele=${allele}`, { token: observing });
            const [{ carriers, notCalled }] = body.observations as [Json];
            return `${carriers}/${notCalled}`;
          });
          return (await Promise.all(found)).join(' ');
        };
        const add = (vcfPath: string, more: Json) =>
          server.send('add', { dataset_id: 'ds', vcf_path: vcfPath, assemblyId: 'GRCh37', ...more });
        const loqusdb = (query: string) => send(server, `/loqusdb/cases/a?${query}`, { token, method: 'POST' });
        for (const [more, expected] of [
          [{}, '0/1 0/1'],
          [{ missing_gt: 'carrier' }, '1/0 0/1'],
          [{ missing_gq: 'carrier' }, '0/1 1/0'],
          [{ missing_gt: 'carrier', missing_gq: 'carrier' }, '1/0 1/0'],
          [{ missing_gt: 'unknown', missing_gq: 'unknown' }, '0/1 0/1'],
        ] as const) {
          const what = JSON.stringify(more);
          const job = await server.ended(await add(path, more));
          expect(job.state, JSON.stringify(job)).to.equal('done');
          expect(await counts(), what).to.equal(expected);
          await repository.removeSamples('ds', ['a'], new Date());
          const reply = await loqusdb(`snv_file=a.vcf&${new URLSearchParams(more)}`);
          expect(reply.status, reply.text).to.equal(200);
          expect(await counts(), `loqusdb ${what}`).to.equal(expected);
          await repository.removeSamples('ds', ['a'], new Date());
        }
        // Words that are none, and a file of which it is not known whose genotypes are missing.
        for (const more of [{ missing_gt: 'maybe' }, { missing_gq: 'yes' }, { searched: 'small' }])
          expect((await add(path, more)).status, JSON.stringify(more)).to.equal(422);
        for (const query of ['missing_gt=maybe', 'missing_gq=yes'])
          expect((await loqusdb(`snv_file=a.vcf&${query}`)).status, query).to.equal(400);
        const failed = await server.ended(await add(pair, { missing_gt: 'carrier' }));
        expect([failed.state, JSON.stringify(failed)]).to.satisfy(
          ([state, text]: string[]) => state === 'failed' && text?.includes('the file has 2 samples'),
        );
        const refused = await loqusdb('snv_file=pair.vcf&missing_gt=carrier');
        expect([refused.status, refused.text.includes('the file has 2 samples')]).to.deep.equal([400, true]);
        // Nothing was found, and it was searched; or nothing is known.
        const searched = async () => (await repository.sampleFacts('ds')).map((sample) => sample.searched);
        const unsearched = await add(empty, {});
        expect(unsearched.status === 422 || (await server.ended(unsearched)).state === 'failed').to.equal(true);
        expect(await searched()).to.deep.equal([]);
        expect((await server.ended(await add(empty, { searched: 'structural' }))).state).to.equal('done');
        expect(await searched()).to.deep.equal([{ small: false, structural: true }]);
        await repository.removeSamples('ds', ['a'], new Date());
        expect((await loqusdb('sv_file=empty.vcf')).status).to.equal(200);
        expect(await searched()).to.deep.equal([{ small: false, structural: true }]);
      } finally {
        await server.close();
      }
    });

    it('takes a file without records for one in which nothing was found only if it was searched', async () => {
      const opened = await engine.open([beacon]);
      try {
        const repository = opened.storage.repository(beacon);
        await repository.addDataset(dataset('ds'), new Date());
        const stored = await repository.dataset('ds');
        if (!stored) throw new Error('it was just added');
        const empty = await folder.write('empty.vcf', vcf({ samples: ['a'], records: [] }));
        const full = await folder.write('full.vcf', vcf({ samples: ['a'], records: ['1 1 . A C . . . GT 0/1'] }));
        const loading = { repository, dataset: stored, permit: permitAll, now: new Date(), samples: [] };
        const searched = async () => (await repository.sampleFacts('ds')).map(({ searched }) => searched);
        const alone = await loadVariants({ ...loading, sources: [await openSource(empty)] }).catch(String);
        expect(alone).to.include("empty.vcf: the VCF file doesn't contain any variant");
        await loadVariants({ ...loading, sources: [await openSource(full), await openSource(empty)] });
        expect(await searched()).to.deep.equal([{ small: true, structural: false }]);
        const structural = () => ({ small: false, structural: true });
        await loadVariants({ ...loading, sources: [await openSource(empty)], searched: structural });
        expect(await searched()).to.deep.equal([{ small: true, structural: true }]);
        await repository.removeSamples('ds', ['a'], new Date());
        const files = { small: await openSource(empty), structural: await openSource(empty) };
        await loadCase({ repository, dataset: stored, permit: permitAll, now: new Date(), id: 'f', ...files });
        expect(await searched()).to.deep.equal([{ small: false, structural: true }]);
      } finally {
        await opened.storage.close();
        await opened.discard?.();
      }
    });
  });
}
