/** Consequences that loads read, with the alleles of a dataset: replaced, removed, published. */
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import type { Allele } from '../../../plugins/beacon/contract.js';
import { interruptedDatasets, settleConsequences } from '../../../plugins/beacon/vcf/consequences/staging.js';
import { small } from '../../conformance/beacon/build.js';
import { dealt } from '../../support/dealt.js';
import { request } from '../../support/http.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset, type Json } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const csq =
  '##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence annotations from Ensembl VEP. Format: Allele|Consequence|SYMBOL|HGNC_ID|Feature_type|Feature">';
const vep = (version: string) => [`##VEP="${version}" cache="x"`, csq];
const said = (allele: string, term: string, symbol: string, hgnc = '') =>
  `CSQ=${allele}|${term}|${symbol}|${hgnc}|Transcript|ENST1`;

const first = [
  `1 10 . A C . . ${said('C', 'missense_variant', 'AGRN', 'HGNC:329')} GT 0/1 0/1`,
  `1 20 . AT A . . ${said('-', 'frameshift_variant', 'AGRN', 'HGNC:329')} GT 1/1 0/0`,
  `2 30 . A T . . ${said('T', 'stop_gained', 'MSH2')} GT 0/0 0/1`,
  '2 40 . A T . . DP=3 GT 0/1 0/1',
];
const alleles: readonly Allele[] = [
  small('1', 9, 'A', 'C'),
  small('1', 19, 'AT', 'A'),
  small('2', 29, 'A', 'T'),
  small('2', 39, 'A', 'T'),
];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: consequences of loads (${engine.name})`, () => {
    const server = useOnce(() =>
      serveWriter(engine, { settings: { protection: { datasets: { closed: { batch: 2 } } } } }),
    );

    beforeEach(async () => {
      for (const id of ['ds', 'closed']) {
        await server.consequences.remove(id);
        await server.repository.removeDataset(id);
        await server.repository.addDataset(dataset(id), new Date());
      }
    });

    /** The job that loads the records. */
    const add = async (
      records: readonly string[],
      {
        samples = ['a', 'b'],
        version = 'v110',
        id = 'ds',
        ...more
      }: { samples?: string[]; version?: string; id?: string; replace?: boolean; force?: boolean } = {},
    ) => {
      const text = vcf({ samples, records: [...records], header: version === '' ? [] : vep(version) });
      const body = { dataset_id: id, assemblyId: 'GRCh37', vcf_path: await server.file('new.vcf', text), ...more };
      return server.ended(await server.send('add', body));
    };
    const remove = async (samples: string[], id = 'ds') =>
      server.ended(await server.send('delete', { dataset_id: id, samples }));
    /** The worst term of each allele that has one. */
    const terms = async (id = 'ds') =>
      (await server.consequences.find(id, alleles)).map(({ genes }) => genes[0]?.transcripts[0]?.terms[0]);
    const versions = async (id = 'ds') =>
      (await server.consequences.sources(id)).map(({ version, alleles: count }) => `${version} ${count}`);

    it('are stored once an allele, and looked up by gene; numbers of genes come from the names that are known', async () => {
      await server.genes.replaceGenes(
        'GRCh37',
        [{ ensembl: 'ENSG00000095002', hgnc: 7325, symbol: 'MSH2', contig: '2', start: 20, end: 50 }],
        new Date(),
      );
      const { result } = await add(first);
      expect(result).to.deep.include({ annotations: { alleles: 3, unreadable: 0 } });
      expect(await terms()).to.deep.equal(['missense_variant', 'frameshift_variant', 'stop_gained']);
      expect(await versions()).to.deep.equal(['v110 3']);
      const { alleles: found } = await server.consequences.ofGene('ds', { hgnc: 329 });
      expect(found.map(({ allele }) => allele.start)).to.deep.equal([19, 9]);
      expect((await server.consequences.ofGene('ds', { hgnc: 7325 })).alleles).to.have.length(1);
    });

    it('are replaced by those of a later load, and left alone by one without any', async () => {
      await add(first);
      const again = [`1 10 . A C . . ${said('C', 'synonymous_variant', 'AGRN', '329')} GT 0/1`];
      await add(again, { samples: ['c'], version: 'v112' });
      expect(await terms()).to.deep.equal(['synonymous_variant', 'frameshift_variant', 'stop_gained']);
      expect(await versions()).to.deep.equal(['v112 1', 'v110 2']);
      await add(first, { version: '' });
      expect(await versions()).to.deep.equal(['v112 1', 'v110 2']);
      await add(first);
      expect(await versions()).to.deep.equal(['v110 3']);
    });

    it('leave with the last carrier, by a deletion and by a replacement', async () => {
      await add(first);
      await remove(['a']);
      expect(await terms()).to.deep.equal(['missense_variant', 'stop_gained']);
      expect((await server.consequences.ofGene('ds', { hgnc: 329 })).alleles).to.have.length(1);
      await add([`1 20 . AT A . . ${said('-', 'frameshift_variant', 'AGRN', 'HGNC:329')} GT 0/1`], {
        samples: ['b'],
        replace: true,
        force: true,
      });
      expect(await terms()).to.deep.equal(['frameshift_variant']);
      await remove(['b']);
      expect([await terms(), await versions()]).to.deep.equal([[], []]);
      expect(await server.consequences.unsettled()).to.deep.equal([]);
    });

    it('are stated in what is told of the dataset', async () => {
      await add(first);
      const { body } = await request(`${server.url}/beacon/v2/datasets`);
      const { collections = [] } = (body as { response?: { collections: Json[] } }).response ?? {};
      expect(collections.find(({ id }) => id === 'ds')?.info).to.deep.include({ annotatedBy: ['VEP v110'] });
      const { token } = await issueToken(server.tokens, { owner: 'Lab', scopes: ['beacon:observe'] }, new Date());
      const observed = await request(`${server.url}/observations/datasets`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const own = (observed.body.datasets as Json[]).find(({ id }) => id === 'ds');
      expect(own?.annotations).to.deep.equal([{ annotator: 'VEP', version: 'v110', databases: {}, alleles: 3 }]);
    });

    it('of a load that fails are not stored', async () => {
      const { state } = await add([...first, '2 50 . A T . . . GT 0/1']);
      expect(state).to.equal('failed');
      expect([await terms(), await server.consequences.unsettled()]).to.deep.equal([[], []]);
    });

    it('of a protected dataset are published with the samples that carry the alleles', async () => {
      await add(first, { id: 'closed', samples: ['a', 'b'] });
      expect(await versions('closed')).to.deep.equal(['v110 3']);
      const [record = ''] = first;
      const again = record.replace('missense', 'synonymous').replace(' 0/1 0/1', ' 0/1');
      await add([again], { id: 'closed', samples: ['c'], version: 'v112' });
      expect([await versions('closed'), (await terms('closed'))[0]]).to.deep.equal([['v110 3'], 'missense_variant']);
      await add(['1 90 . A C . . . GT 0/1'], { id: 'closed', samples: ['d'] });
      expect([await versions('closed'), (await terms('closed'))[0]]).to.deep.equal([
        ['v112 1', 'v110 2'],
        'synonymous_variant',
      ]);
      // Deleted before it is published, a sample leaves nothing that waits.
      await add(
        [
          `2 30 . A T . . ${said('T', 'intron_variant', 'MSH2')} GT 0/1`,
          `3 7 . A T . . ${said('T', 'stop_lost', 'X')} GT 0/1`,
        ],
        {
          id: 'closed',
          samples: ['e'],
          version: 'v113',
        },
      );
      await remove(['e'], 'closed');
      await add(['1 90 . A C . . . GT 0/1'], { id: 'closed', samples: ['f'] });
      await add(['1 90 . A C . . . GT 0/1'], { id: 'closed', samples: ['g'] });
      expect(await server.consequences.find('closed', [small('3', 6, 'A', 'T')])).to.deep.equal([]);
      // Of an allele that others carry it stays, as the newest that is known.
      expect(await versions('closed')).to.deep.equal(['v113 1', 'v112 1', 'v110 1']);
    });

    it('that an interruption left are finished', async () => {
      await add(first);
      const { consequences } = server;
      const load = await consequences.begin('ds', [], new Date());
      const [known] = await consequences.find('ds', alleles.slice(0, 1));
      if (known) await consequences.stage(load, [{ ...known, clinVar: ['benign'] }], new Date());
      await consequences.complete(load);
      await consequences.mark('ds');
      const tools = { ...server, published: async () => undefined };
      expect(await interruptedDatasets(tools)).to.deep.equal(['ds']);
      await settleConsequences(tools, 'ds', new Date());
      expect((await consequences.find('ds', alleles.slice(0, 1)))[0]?.clinVar).to.deep.equal(['benign']);
      expect(await consequences.unsettled()).to.deep.equal([]);
    });
  });
}
