/** `"replace": true`: the calls of a sample by a new pipeline take the place of those it had. */
import { expect } from 'chai';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { carried, Families } from './support/families.js';
import { addRecords, ask } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const small = ['1 10 . A C . . . GT 0/1', '1 20 . A G . . . GT 1/1', '1 30 . A T . . . GT 0/1'];
const deletion = '2 1000 . N <DEL> . . END=2000;SVTYPE=DEL GT 0/1';
/** 10 A>C as before, 20 A>G once instead of twice, 40 A>T instead of 30. */
const recalled = ['1 10 . A C . . . GT 0/1', '1 20 . A G . . . GT 0/1', '1 40 . A T . . . GT 0/1'];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: calls that are replaced (${engine.name})`, () => {
    const server = useOnce(() => serveWriter(engine));

    beforeEach(async () => {
      await server.repository.removeDataset('ds');
      await addRecords(server.repository, 'ds', [...small, deletion], { samples: ['child'] });
    });

    /** The job that loads the records of one sample. */
    const add = async (records: readonly string[], more: object = {}, sample = 'child') => {
      const text = records.length > 0 ? vcf({ samples: [sample], records: [...records] }) : '';
      const body = { dataset_id: 'ds', assemblyId: 'GRCh37', vcf_path: await server.file('new.vcf', text), ...more };
      return server.ended(await server.send('add', body));
    };
    const exists = async (start: number, alternateBases: string) => {
      const query = { assemblyId: 'GRCh37', referenceName: '1', referenceBases: 'A', alternateBases, start };
      return (await ask(server.url, query)).body.exists;
    };
    const totals = async () => {
      const recount = await server.repository.recount('ds');
      const {
        alleleCount: alleles,
        callCount: calls,
        sampleCount: samples,
      } = (await server.repository.dataset('ds')) ?? {};
      expect(recount).to.deep.equal({ alleles, calls, samples });
      return [alleles, calls, samples];
    };

    it('go and come at once, of the kinds in the file, and facts stay', async () => {
      await server.repository.describeSamples('ds', new Map([['child', { case: 'F1', sex: 'female' }]]), new Date());
      // 10, 20 twice and 30 are four calls, the deletion a fifth.
      expect(await totals()).to.deep.equal([4, 5, 1]);
      const { result } = await add(recalled, { replace: true });
      expect(result).to.deep.include({
        added: { alleles: 1, calls: 3, samples: 0 },
        replaced: { alleles: 1, calls: 4, samples: 1 },
      });
      expect(await totals()).to.deep.equal([4, 4, 1]);
      expect([await exists(9, 'C'), await exists(29, 'T'), await exists(39, 'T')]).to.deep.equal([true, false, true]);
      const [sample] = await server.repository.sampleFacts('ds');
      expect(sample).to.deep.include({ case: 'F1', sex: 'female', searched: { small: true, structural: true } });

      const moved = '2 1500 . N <DEL> . . END=2500;SVTYPE=DEL GT 1/1';
      const forced = await add([moved], { replace: true, force: true });
      expect(forced.result).to.deep.include({ replaced: { alleles: 1, calls: 1, samples: 1 } });
      expect(await totals()).to.deep.equal([4, 5, 1]);
    });

    it('take their depths along, which those of the other kind leave alone', async () => {
      const depths = async () => (await server.depths.find('ds', 'GRCh37', ['child'])).get('child')?.length ?? 0;
      const deep = (records: readonly string[]) => records.map((record) => record.replace(/GT (\S+)$/, 'GT:DP $1:30'));
      await add(deep(recalled), { replace: true });
      expect(await depths()).to.equal(3);
      await add([deletion], { replace: true });
      expect(await depths()).to.equal(3);
      await add(recalled, { replace: true });
      expect(await depths()).to.equal(0);
    });

    it('follow the chromosomes on which the new file was searched', async () => {
      await add(['3 5 . A C . . . GT ./.', ...recalled], { replace: true });
      expect((await server.repository.sampleFacts('ds'))[0]).to.deep.include({ unsearched: { small: ['3'] } });
      await add(['3 5 . A C . . . GT 0/1', ...recalled], { replace: true });
      expect((await server.repository.sampleFacts('ds'))[0]).to.not.have.property('unsearched');
    });

    it('are refused without force if less than half of them stay', async () => {
      const other = ['1 10 . A C . . . GT 0/1', '1 50 . A C . . . GT 0/1'];
      const { state, error } = await add(other, { replace: true });
      expect([state, error]).to.deep.equal([
        'failed',
        'Nothing was replaced: sample "child" would keep 1 of its 3 alleles; with force they are replaced all the same',
      ]);
      expect(await totals()).to.deep.equal([4, 5, 1]);
      expect((await add(other, { replace: true, force: true })).state).to.equal('done');
      expect(await totals()).to.deep.equal([3, 3, 1]);
    });

    it('are refused without force if the file is restricted to some genes', async () => {
      const gene = { ensembl: 'ENSG00000000001', hgnc: 1, symbol: 'A1', contig: '1', start: 0, end: 25 } as const;
      await server.genes.replaceGenes('GRCh37', [gene], new Date());
      const genes = { ids: [1], id_type: 'HGNC' };
      const { error } = await add(recalled, { replace: true, genes });
      expect(error).to.equal(
        'Nothing was replaced: 1 of the 3 alleles of sample "child" are outside of the panel; with force they are replaced ' +
          'all the same',
      );
      expect((await add(recalled, { replace: true, force: true, genes })).state).to.equal('done');
      expect(await totals()).to.deep.equal([3, 3, 1]);
      await server.genes.replaceGenes('GRCh37', [], new Date());
    });

    it('are refused without force if they are those of another person', async () => {
      const families = new Families(400, 5);
      const [one, other] = [families.person(), families.person()];
      const load = async (person: typeof one, more: object) => {
        const vcf_path = await server.file('person.vcf', carried('eve', person));
        return server.ended(await server.send('add', { dataset_id: 'ds', assemblyId: 'GRCh37', vcf_path, ...more }));
      };
      expect((await load(one, {})).state).to.equal('done');
      expect((await load(other, { replace: true })).error).to.match(
        /^Nothing was replaced: "eve" is in the dataset already, as another person: only .* agree; with force it is/,
      );
      expect((await load(other, { replace: true, force: true })).state).to.equal('done');
    });

    it('are added to without it, which the answer says', async () => {
      expect((await add(recalled)).result).to.deep.include({
        added: { alleles: 1, calls: 1, samples: 0 },
        added_to: ['child'],
      });
      expect((await add(recalled)).result).to.not.have.property('added_to');
      const fresh = (await add(recalled, { replace: true }, 'new')).result as object;
      expect(fresh)
        .to.deep.include({ added: { alleles: 0, calls: 3, samples: 1 } })
        .and.not.have.property('replaced');
    });

    it('are refused with force alone', async () => {
      const vcf_path = await server.file('new.vcf', vcf({ samples: ['a'], records: recalled }));
      const alone = await server.send('add', { dataset_id: 'ds', assemblyId: 'GRCh37', vcf_path, force: true });
      expect([alone.status, alone.body]).to.deep.equal([422, { message: "'force' needs 'replace'" }]);
    });
  });
}
