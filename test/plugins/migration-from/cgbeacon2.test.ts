import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { tokens } from '../../../core/auth/contract.js';
import { callRemarks } from '../../../plugins/beacon/commands/cgbeacon2/variants.js';
import { beacon, type CountedAllele } from '../../../plugins/beacon/contract.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { dataset, demoVariants, samples, variant } from './support/cgbeacon2.js';
import { describeWithShared, type Json, lines, openSite, reasons, shared } from './support/site.js';

const token = '6a7cbc6c-17d5-46bb-8671-709a186498f7';

/** Valid records, and one for each known fault of cgbeacon2. */
const right = [
  variant({
    place: '1:99',
    end: 100,
    alleles: 'A>C',
    type: 'SNP',
    datasetIds: { ds: samples('a1 b2'), other: samples('a1') },
  }),
  variant({ place: '1:199', end: 201, alleles: 'AT>A', type: 'INDEL', datasetIds: { ds: samples('a1') } }),
  // VCF: POS 1000, END 2000, hence [999, 2000).
  variant({ place: '2:999', end: 1999, alleles: 'G><DEL>', type: 'DEL', datasetIds: { ds: samples('a1') } }),
  // VCF: POS and END 3000, SVLEN 50, hence [2999, 3000).
  variant({ place: '2:2999', end: 3049, alleles: 'G><INS>', type: 'INS', datasetIds: { ds: samples('a2') } }),
  variant({
    place: '2:321680',
    end: 198981,
    alleles: 'G>G]17:198982]',
    type: 'BND',
    mateName: '17',
    datasetIds: { ds: samples('b1') },
  }),
  // Sample b was loaded after a: no level `samples`.
  variant({ place: '3:10', end: 11, alleles: 'C>T', type: 'SNP', datasetIds: { ds: samples('a1 b1').samples } }),
  // And c after both: a and b are lost, their calls are not.
  variant({ place: '3:20', end: 21, alleles: 'C>T', type: 'SNP', datasetIds: { ds: samples('c1').samples }, calls: 3 }),
  variant({ place: 'MT:72', end: 73, alleles: 'A>G', type: 'SNP', datasetIds: { ds: samples('a2') } }),
];
const wrong = [
  variant({ place: '4:10', end: 11, alleles: 'G>TC', type: 'SNP', datasetIds: { ds: samples('a1') } }),
  variant({ place: '4:20', end: 21, alleles: 'G>*', type: 'UNKNOWN', datasetIds: { ds: samples('a1') } }),
  variant({
    place: '4:30',
    end: 31,
    alleles: 'G>A',
    type: 'SNP',
    assembly: 'GRCh38',
    datasetIds: { ds: samples('a1') },
  }),
  variant({ place: '4:40', end: 41, alleles: 'G>A', type: 'SNP', datasetIds: { deleted: samples('a1') } }),
  variant({ place: '4:50', end: 60, alleles: 'G>N]X:5]N]Y:6]', type: 'BND', datasetIds: { ds: samples('a1') } }),
  variant({ place: '4:191154276', end: 191154277, alleles: 'G>A', type: 'SNP', datasetIds: { ds: samples('a1') } }),
  variant({ place: '4:70', end: 20, alleles: 'G><DEL>', type: 'DEL', datasetIds: { ds: samples('a1') } }),
  variant({ place: 'GL000191.1:70', end: 71, alleles: 'G>A', type: 'SNP', datasetIds: { ds: samples('a1') } }),
  variant({ place: '4:80', end: 81, alleles: 'G>A', type: 'SNP', datasetIds: { ds: { samples: {} } } }),
  { ...variant({ place: '4:90', end: 91, alleles: 'G>A', type: 'SNP', datasetIds: {} }), start: { $ne: 1 } },
];

for (const engine of dealt(storages, 'postgres')) {
  describe(`import-cgbeacon2 on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();
    const site = useEach(() => openSite(engine, 'beacon'));

    const refused = (options: Record<string, unknown>) => site.refused('import-cgbeacon2', options);

    async function files() {
      const variants = `${folder.path()}/variant.json.gz`;
      await writeFile(variants, gzipSync(lines([...right, ...wrong])));
      return {
        variants,
        datasets: await folder.write(
          'dataset.json',
          lines([
            dataset('ds', { samples: ['a', 'b', 'silent'], variant_count: 408, allele_count: 9 }),
            dataset('other', { samples: ['a'], version: 'draft', external_url: 'ftp://x.org', description: 'Text' }),
            dataset('far', { assembly_id: 'T2T' }),
            { _id: 'nameless' },
          ]),
        ),
        users: await folder.write(
          'user.json',
          lines([
            { _id: 'scout', name: 'Scout', token, created: { $date: { $numberLong: '1600000000000' } } },
            { _id: 'dexter', name: 'Dexter', token: 'DEMO' },
            { _id: 'copy', name: 'Copy', token },
            { _id: 'bare', name: 'Bare' },
          ]),
        ),
      };
    }

    it('imports valid records, corrects others if possible, and counts the rest', async () => {
      const given = await files();
      const rehearsal = await site.run('import-cgbeacon2', { ...given, dryRun: true });
      const repository = site.storage.repository(beacon);
      expect(await repository.datasets()).to.deep.equal([]);
      expect(await site.storage.repository(tokens).list()).to.deep.equal([]);

      const { data } = await site.run('import-cgbeacon2', given);
      expect(rehearsal.data.variants.notCarried).to.deep.equal(data.variants.notCarried);
      expect(rehearsal.data.variants.remarks).to.deep.equal(data.variants.remarks);
      expect(rehearsal.data.users.notCarried).to.deep.equal(data.users.notCarried);

      expect(data.datasets).to.deep.include({ read: 4, added: 2, unchanged: 0, left: 2 });
      expect(reasons(data.datasets.notCarried)).to.deep.equal({
        "Dataset genome build 'T2T' is not valid. Accepted values are 'GRCh37' or 'GRCh38'": 1,
        'is not a dataset: _id, name, authlevel and assembly_id must be texts': 1,
      });
      expect(reasons(data.datasets.remarks)).to.deep.equal({
        'loses a field: Dataset version must be a number, such as 1.0': 1,
        'loses a field: Dataset url must be an http(s) address': 1,
      });
      const [ds, other] = await repository.datasets();
      expect(ds?.created.toISOString()).to.equal('2021-03-04T05:06:07.008Z');
      expect([ds?.alleleCount, ds?.callCount, ds?.sampleCount]).to.deep.equal([8, 13, 4]);
      expect(other).to.deep.include({ description: 'Text', version: 1, alleleCount: 1, callCount: 1, sampleCount: 1 });
      expect(await repository.samples('ds')).to.deep.equal(['a', 'b', 'c', 'silent']);

      expect(data.variants.datasets[0]).to.deep.equal({
        dataset: 'ds',
        held: { alleles: 8, calls: 13, samples: 4 },
        stated: { alleles: 408, calls: 9 },
        added: { alleles: 8, calls: 13, samples: 4 },
      });
      expect(reasons(data.variants.notCarried)).to.deep.equal({
        'has several alternates joined together, which cannot be separated': 2,
        'has alternateBases that are not bases, such as a placeholder (*)': 1,
        'is of another assembly than its dataset': 1,
        'is in a dataset that is not carried over, or was deleted without its alleles': 1,
        'is beyond the end of its chromosome in GRCh37': 1,
        'is structural, and ends before it starts': 1,
        'is on none of the chromosomes 1 to 22, X, Y and MT': 1,
        'is carried by no sample of its dataset': 1,
        'has a start or an end that is not a position': 1,
      });
      expect(data.variants.notCarried[0].examples).to.deep.equal([wrong[0]._id, wrong[4]._id]);
      expect(reasons(data.variants.remarks)).to.deep.equal({
        'is structural, and its end was stored one base short: corrected': 1,
        'is an insertion whose end was stored with its length: it now ends where it begins': 1,
        'has samples that were added one after the other, which cgbeacon2 stores where it does not find them; here they are found': 2,
        [callRemarks.lost]: 1,
        'a sample is not listed by its dataset: its load may have been interrupted': 1,
        'is on Y or MT, with two copies in a sample: it may be a haploid call, which cgbeacon2 doubles': 1,
      });

      const placed = (await all('ds')).map(({ contig, start, end, kind, calls, mate }) => [
        contig,
        start,
        end,
        kind,
        calls,
        mate,
      ]);
      expect(placed).to.deep.equal([
        ['1', 99, 100, 'SNP', 3, undefined],
        ['1', 199, 201, 'DEL', 1, undefined],
        ['2', 999, 2000, 'DEL', 1, undefined],
        ['2', 2999, 3000, 'INS', 2, undefined],
        ['2', 321680, 198981, 'BND', 1, '17'],
        ['3', 10, 11, 'SNP', 2, undefined],
        ['3', 20, 21, 'SNP', 1, undefined],
        ['MT', 72, 73, 'SNP', 2, undefined],
      ]);
      // Per-sample calls: those left without a and c are b's.
      await repository.removeSamples('ds', ['a', 'c'], new Date());
      expect((await all('ds')).map(({ contig, start, calls }) => `${contig}:${start} ${calls}`)).to.deep.equal([
        '1:99 2',
        '2:321680 1',
        '3:10 1',
      ]);
    });

    const all = async (id: string): Promise<CountedAllele[]> => {
      const found: CountedAllele[] = [];
      await site.storage.repository(beacon).eachAllele(id, async (portion) => void found.push(...portion));
      return found;
    };

    it('stores tokens as hashes, and users can still use them', async () => {
      const { data } = await site.run('import-cgbeacon2', { users: (await files()).users });
      expect(data.users).to.deep.include({ read: 4, added: 2, unchanged: 0 });
      expect(reasons(data.users.notCarried)).to.deep.equal({
        'has the token of another user: issue a new one': 1,
        'has no token: issue one': 1,
      });
      expect(reasons(data.users.remarks)).to.deep.equal({
        'has a token of less than 16 characters, which can be found by trying: issue a new one': 1,
      });
      // Both may have the same millisecond, and then be in either order.
      const stored = await site.storage.repository(tokens).list();
      expect(stored).to.have.lengthOf(2);
      const kept = stored.find(({ owner }) => owner === 'scout');
      const weak = stored.find(({ owner }) => owner !== 'scout');
      expect(weak?.owner).to.equal(data.users.remarks[0].examples[0]);
      expect([kept?.owner, kept?.scopes, kept?.hash]).to.deep.equal([
        'scout',
        ['beacon:write'],
        createHash('sha256').update(token).digest('hex'),
      ]);
      const added = await fetch(`${site.url}/apiv1.0/add_dataset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-auth-token': token },
        body: JSON.stringify({ id: 'new', name: 'New', build: 'GRCh37', authlevel: 'public' }),
      });
      expect(added.status).to.equal(200);
      // A token revoked here is not restored.
      await site.storage.repository(tokens).revoke(kept?.id ?? '', new Date());
      const again = await site.run('import-cgbeacon2', { users: (await files()).users });
      expect(again.data.users).to.deep.include({ added: 0, unchanged: 1 });
    });

    it('changes nothing on a second run, and adds new data', async () => {
      const given = await files();
      await site.run('import-cgbeacon2', given);
      const repository = site.storage.repository(beacon);
      const before = [await repository.datasets(), await all('ds'), await site.storage.repository(tokens).list()];
      const { data } = await site.run('import-cgbeacon2', given);
      expect(data.users).to.deep.include({ added: 0, unchanged: 2 });
      expect(data.datasets).to.deep.include({ added: 0, unchanged: 2 });
      expect(data.variants.datasets[0].added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
      expect([
        await repository.datasets(),
        await all('ds'),
        await site.storage.repository(tokens).list(),
      ]).to.deep.equal(before);

      const more = variant({ place: '5:5', end: 6, alleles: 'G>A', type: 'SNP', datasetIds: { ds: samples('a1') } });
      const grown = await site.run('import-cgbeacon2', {
        ...given,
        variants: await folder.write('more.json', lines([...right, more])),
      });
      expect(grown.data.variants.datasets[0].added).to.deep.equal({ alleles: 1, calls: 1, samples: 0 });
    });

    it('adds nothing to datasets that differ, or are less protected', async () => {
      const repository = site.storage.repository(beacon);
      const here = { name: 'Here', assembly: 'GRCh37', access: 'PUBLIC', version: 1 } as const;
      await repository.addDataset({ ...here, id: 'ds' }, new Date());
      await repository.addDataset({ ...here, id: 'other', assembly: 'GRCh38' }, new Date());
      const variants = await folder.write('v.json', lines(right));
      const datasets = await folder.write(
        'd.json',
        lines([dataset('ds', { authlevel: 'controlled' }), dataset('other')]),
      );
      const { data } = await site.run('import-cgbeacon2', { datasets, variants });
      expect(reasons(data.datasets.notCarried)).to.deep.equal({
        'is here already, with another access level (PUBLIC)': 1,
        'is here already, and of GRCh38': 1,
      });
      expect((await repository.datasets()).map(({ alleleCount }) => alleleCount)).to.deep.equal([0, 0]);
    });

    it('refuses damaged files, before any change', async () => {
      const { datasets, users } = await files();
      const rubbish = await folder.write('rubbish.json', `${lines(right)}{"_id": "cut sh`);
      expect(await refused({ datasets, users, variants: rubbish })).to.match(
        /rubbish\.json, line 9: not a JSON object/,
      );
      const list = await folder.write('list.json', JSON.stringify(right));
      expect(await refused({ datasets, variants: list })).to.match(/list\.json, line 1: .* --jsonArray/);
      expect(await refused({ datasets: `${folder.path()}/absent` })).to.match(/absent: no such file/);
      expect(await refused({ users: await folder.write('empty', '\n') })).to.match(/empty has no documents/);
      expect(await refused({ variants: list })).to.match(/--variants needs --datasets/);
      expect(await refused({})).to.match(/at least one collection/);
      expect(await site.storage.repository(beacon).datasets()).to.deep.equal([]);
      expect(await site.storage.repository(tokens).list()).to.deep.equal([]);
    });
  });

  describeWithShared(`import-cgbeacon2 of its demo on ${engine.name}`, () => {
    const folder = useFolder();

    it('returns the same as after loading the VCF files themselves', async function () {
      this.timeout(120_000);
      const site = await openSite(engine, 'beacon');
      try {
        await site.run('add dataset', { did: 'own', name: 'Own', authlevel: 'public' });
        for (const file of ['test_trio.vcf.gz', 'test_trio.SV.vcf.gz', 'BND.SV.vcf']) {
          await site.run('add variants', { ds: 'own', vcf: shared(`beacon/${file}`), sample: ['ADM1059A1'] });
        }
        const documents = await demoVariants(shared('beacon/demo_variants.tsv'), 'test_public', 'ADM1059A1');
        const { data } = await site.run('import-cgbeacon2', {
          datasets: await folder.write('d.json', lines([dataset('test_public', { samples: ['ADM1059A1'] })])),
          variants: await folder.write('v.json', lines(documents)),
        });
        expect(data.variants.notCarried).to.deep.equal([]);
        // 9 of the structural alleles, 3 of them insertions with a moved END; breakends are stored correctly.
        expect(reasons(data.variants.remarks)).to.deep.equal({
          'is structural, and its end was stored one base short: corrected': 6,
          'is an insertion whose end was stored with its length: it now ends where it begins': 3,
          'is on Y or MT, with two copies in a sample: it may be a haploid call, which cgbeacon2 doubles': 4,
        });
        const stored = async (id: string) => {
          const found: Json[] = [];
          await site.storage.repository(beacon).eachAllele(id, async (portion) => {
            // cgbeacon2 does not store CIPOS and CIEND.
            for (const { startRange: _, endRange: __, ...allele } of portion) found.push(allele);
          });
          return found;
        };
        const alleles = await stored('test_public');
        expect(alleles).to.have.length(408);
        expect(alleles).to.deep.equal(await stored('own'));

        const info = (await (await fetch(`${site.url}/apiv1.0/`)).json()) as Json;
        const totals = info.datasets.map(({ variantCount, callCount, sampleCount }: Json) => [
          variantCount,
          callCount,
          sampleCount,
        ]);
        expect(totals).to.deep.equal([
          [408, 483, 1],
          [408, 483, 1],
        ]);
        for (const query of [
          'referenceName=5&start=474601&end=474974&referenceBases=N&variantType=DEL',
          'referenceName=5&start=474601&end=474973&referenceBases=N&variantType=DEL',
          'referenceName=8&start=133920666&end=133920667&referenceBases=A&variantType=INS',
          'referenceName=20&start=54963148&end=54963210&referenceBases=C&variantType=DUP',
          'referenceName=13&startMin=123000&startMax=124000&referenceBases=N&variantType=BND&mateName=2',
          'referenceName=21&startMin=0&startMax=300000000&referenceBases=N&variantType=INDEL',
        ]) {
          const url = `${site.url}/apiv1.0/query?assemblyId=GRCh37&includeDatasetResponses=ALL&${query}`;
          const { datasetAlleleResponses: answers } = (await (await fetch(url)).json()) as Json;
          const [own, carried] = answers.map(({ datasetId: _, ...answer }: Json) => answer);
          expect(carried, query).to.deep.equal(own);
        }
      } finally {
        await site.close();
      }
    });
  });
}
