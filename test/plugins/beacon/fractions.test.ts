/** Heteroplasmy and mosaics: allele fractions as callers of mtDNA write them, and what every face says of them. */
import { expect } from 'chai';
import { type CalledAllele, ofSamples } from '../../../plugins/beacon/domain/allele.js';
import { withReferences } from '../../../plugins/beacon/vcf/reference/aligned.js';
import { referencesIn } from '../../../plugins/beacon/vcf/reference/packed.js';
import { command } from '../../support/command.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { beaconBin } from '../../support/trefoil.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { send, tokenWith } from './support/observed.js';
import { fastaOf, loadFasta } from './support/reference.js';
import { addRecords, type Json, loadText, serveBeacon } from './support/serve.js';
import { read, vcf } from './support/vcf.js';

/** `3242>G 0:40`: each allele with the fractions of its carriers. */
async function fractionsOf(records: string[], samples = ['s']): Promise<string[]> {
  const { alleles } = await read(vcf({ samples, records }));
  return alleles.map(({ start, alternate, fractions = [] }) =>
    [`${start}>${alternate}`, ...fractions.map(([sample, percent]) => `${sample}:${percent}`)].join(' '),
  );
}

describe('beacon: allele fractions in VCF files', () => {
  it('are read as Mutect2 writes them on MT', async () => {
    // GATK 4.1, --mitochondria-mode: AF and AD with a value for each alternate; homoplasmic calls are 0/1, too.
    const format = 'GT:AD:AF:DP:F1R2:F2R1:SB';
    const records = [
      `MT 263 . A G . PASS . ${format} 0/1:0,1520:0.998:1520:0,700:0,800:0,0,760,760`,
      `MT 3243 . A G . PASS . ${format} 0/1:1210,806:0.400:2016:600,400:610,406:605,605,403,403`,
      `MT 310 . T C,TC . PASS . ${format} 0/1/2:87,640,210:0.683,0.224:937:40,300,100:47,340,110:44,43,425,425`,
      `MT 5000 . A G . PASS . ${format} 0/1:990,7:7.042e-03:997:1,1:1,1:1,1,1,1`,
    ];
    expect(await fractionsOf(records)).to.deep.equal([
      '262>G 0:99',
      '3242>G 0:40',
      '309>C 0:68',
      '309>TC 0:22',
      '4999>G 0:0',
    ]);
  });

  it('are read as mutserve, MToolBox and DeepVariant write them', async () => {
    const records = [
      // mutserve 2: AF of the variant; a homoplasmic call is haploid.
      'MT 73 . A G . PASS . GT:AF:DP 1:1.0:3210',
      'MT 16189 . T C . PASS . GT:AF:DP 0/1:0.029:3001',
      // MToolBox: HF with its confidence interval.
      'MT 8993 . T G . . . GT:DP:HF:CILOW:CIUP 0/1:900:0.29:0.27:0.31',
      'MT 9000 . T G . . . GT:DQ:AD:VAF 0/1:50:71,29:0.2899999',
    ];
    expect(await fractionsOf(records)).to.deep.equal(['72>G 0:100', '16188>C 0:2', '8992>G 0:29', '8999>G 0:28']);
  });

  it('follow from the reads of each allele, if no fraction is stated', async () => {
    const records = [
      'MT 10 . A G . . . GT:AD 0/1:71,29',
      'MT 20 . A G,C . . . GT:AD 1/2:0,1,2',
      'MT 30 . A G . . . GT:AF:AD 0/1:.:3,1',
      'MT 40 . A G . . . GT:AD 0/1:1000,7',
    ];
    expect(await fractionsOf(records)).to.deep.equal(['9>G 0:29', '19>G 0:33', '19>C 0:66', '29>G 0:25', '39>G 0:0']);
  });

  it('are unknown if a list does not say which allele it means, or is no number from 0 to 1', async () => {
    const unknown = ['AF 0.5', 'AF 0.5,0.1,0.2', 'AD 5,5', 'AD 5,.,5', 'AD 0,0,0', 'AF .,.', 'AF x,y', 'AF 50,50', 'AF -1,-1', 'DP 9']; // biome-ignore format: one line
    const records = unknown.map((one, i) => {
      const [field, values] = one.split(' ');
      return `MT ${i + 1} . A C,G . . . GT:${field} 1/2:${values}`;
    });
    const found = await fractionsOf(records);
    expect(found).to.have.lengthOf(20);
    expect(found.filter((one) => one.includes(':'))).to.deep.equal([]);
    // Trailing fields may be left out.
    expect(await fractionsOf(['MT 10 . A G . . . GT:AF:AD 0/1', 'MT 11 . A G . . . GT:AF 0/1:1.01'])).to.deep.equal([
      '9>G',
      '10>G',
    ]);
  });

  it('are kept below 25 % on other chromosomes, and of carriers alone', async () => {
    const records = [
      '1 10 . A G . . . GT:AD 0/1:76,24 0/1:75,25 0/0:99,1',
      'X 20 . A G . . . GT:AF 0/1:0.2499 1/1:1 0/1:.',
      'MT 30 . A G . . . GT:AF 0/0:0.3 0/1:0.4 ./.:0.5',
    ];
    expect(await fractionsOf(records, ['a', 'b', 'c'])).to.deep.equal(['9>G 0:24', '19>G 0:24', '29>G 1:40']);
    // Of an allele that a record writes twice, neither fraction is that of the allele.
    const twice = ['MT 10 . AC TC,TC . . . GT:AF 1/2:0.3,0.2 0/1:0.7,0'];
    expect(await fractionsOf(twice, ['a', 'b'])).to.deep.equal(['9>T 1:70']);
  });
});

describe('beacon: allele fractions of a load', () => {
  it('stay with their samples if others are left out of it', () => {
    const allele = { contig: 'MT', start: 3242, end: 3243, reference: 'A', alternate: 'G', kind: 'SNP', structural: false } as const; // biome-ignore format: one line
    const called: CalledAllele = { ...allele, carriers: [[0, 1], [1, 1], [2, 1]], fractions: [[0, 90], [2, 5]] }; // biome-ignore format: one line
    const [left] = ofSamples([called], [undefined, 0, 1]);
    expect(left).to.deep.equal({ ...allele, carriers: [[0, 1], [1, 1]], fractions: [[1, 5]] }); // biome-ignore format: one line
  });
});

const mt = (position: number, ...values: string[]) => `MT ${position} . A G . . . GT:AF ${values.join(' ')}`;
const names = ['a', 'b', 'c', 'd', 'e'];
// 3243: 0.97, 0.52, 0.10, 0.09 and unknown. By hand: 1 from 95 %, 2 from 50 %, 3 from 10 %; the median of 9, 10, 52 and 97 is 31.
const records = [
  mt(3243, '0/1:0.97', '0/1:0.52', '0/1:0.10', '0/1:0.099', '0/1:.'),
  mt(8993, '0/1:0.05', '0/0', '0/0', '0/0', '0/0'),
  '1 100 . A C . . . GT:AD 0/1:90,10 0/1:50,50 0/0:9,0 0/1:80,20 0/0:9,0',
];

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: heteroplasmy and mosaics (${engine.name})`, () => {
    const server = useOnce(() => serveBeacon(engine));
    const folder = useFolder();
    const counting = { passOnly: false, window: 2000 };
    const fresh = async (id: string, minimumHeteroplasmy?: number) => {
      await server.repository.removeDataset(id);
      const rules = minimumHeteroplasmy === undefined ? counting : { ...counting, minimumHeteroplasmy };
      await addRecords(server.repository, id, records, { samples: names, access: 'CONTROLLED', counting: rules });
    };
    let token: string;
    before(async () => {
      await fresh('ds');
      await fresh('least', 10);
      token = await tokenWith(server, 'beacon:observe', 'beacon:cases', 'beacon:read');
    });

    const observe = async (id: string, allele: string, headers: Record<string, string> = {}) => {
      const answer = await send(server, `/observations?assembly=GRCh37&dataset=${id}&allele=${allele}`, {
        token,
        headers,
      });
      return answer.body as { observations: Json[] };
    };

    it('state how many carriers have which level, and the median', async () => {
      const { observations } = await observe('ds', 'MT-3243-A-G');
      const atLeast = [{ percent: 10, carriers: 3 }, { percent: 50, carriers: 2 }, { percent: 95, carriers: 1 }]; // biome-ignore format: one line
      expect(observations[0]).to.deep.include({
        carriers: 5,
        heteroplasmy: { atLeast, median: 31, unknown: 1, notCounted: 0 },
      });
      expect(observations[0]).to.not.have.property('lowFraction');
      const seenIn = observations[0]?.seenIn as Json[];
      const levels = seenIn.map((one) => [one.case, one.alleleFraction]).sort();
      expect(levels).to.deep.equal([
        ['a', 0.97],
        ['b', 0.52],
        ['c', 0.1],
        ['d', 0.09],
        ['e', undefined],
      ]);
      expect((await observe('ds', 'MT-3243-A-C')).observations[0]).to.not.have.property('heteroplasmy');

      const asked = { assembly: 'GRCh37', datasets: ['ds'], alleles: ['MT-3243-A-G', '1-100-A-C', 'MT-8993-A-G'] };
      const batch = (await send(server, '/observations/batch', { token, method: 'POST', body: asked })).body as { observations: Json[][] }; // biome-ignore format: one line
      const found = batch.observations.map(([one]) => (one?.heteroplasmy as Json | undefined)?.median);
      expect(found).to.deep.equal([31, undefined, 5]);
    });

    it('below the minimum of the dataset are listed, and not counted', async () => {
      const { observations } = await observe('least', 'MT-3243-A-G');
      expect(observations[0]).to.deep.include({ carriers: 4, cases: 4, alleleCount: 4 });
      expect(observations[0]?.heteroplasmy).to.deep.include({ median: 52, unknown: 1, notCounted: 1 });
      const none = await observe('least', 'MT-8993-A-G');
      expect(none.observations[0]).to.deep.include({ carriers: 0, cases: 0, seenIn: [] });
      expect(none.observations[0]?.heteroplasmy).to.deep.include({ unknown: 0, notCounted: 1 });
      const listed = await server.repository.search({ assembly: 'GRCh37', contig: 'MT' }, ['least']);
      expect(listed).to.deep.equal([{ dataset: 'least', alleles: 2, calls: 6, samples: 5 }]);
    });

    it('elsewhere state how many carriers have a low allele fraction', async () => {
      const { observations } = await observe('ds', '1-100-A-C');
      expect(observations[0]).to.deep.include({ carriers: 3, lowFraction: 2 });
      const seenIn = observations[0]?.seenIn as Json[];
      const levels = seenIn.map((one) => [one.case, one.alleleFraction]).sort();
      expect(levels).to.deep.equal([
        ['a', 0.1],
        ['b', undefined],
        ['d', 0.2],
      ]);
    });

    it('are on the page', async () => {
      const page = async (id: string, allele: string) =>
        (await send(server, `/observations?assembly=GRCh37&dataset=${id}&allele=${allele}`, { token, headers: { accept: 'text/html' } })).text; // biome-ignore format: one line
      expect(await page('ds', 'MT-3243-A-G'))
        .to.include('3 at ≥ 10 %, 2 at ≥ 50 %, 1 at ≥ 95 %, 1 unknown')
        .and.include('31 %')
        .and.include('carrier, 97 %');
      expect(await page('least', 'MT-3243-A-G'))
        .to.include('1, not counted')
        .and.include('Calls with an allele fraction below 10 % are not.');
      expect(await page('ds', '1-100-A-C')).to.include('Allele fraction below 25 %');
    });

    it('are told by v2 to those who see people', async () => {
      const path = '/beacon/v2/g_variants?assemblyId=GRCh37&referenceName=MT&start=3242&referenceBases=A&alternateBases=G&datasets=ds&requestedGranularity=record'; // biome-ignore format: one line
      const cases = async (scopes: string[]) => {
        const caller = await tokenWith(server, ...scopes);
        const { body } = await send(server, path, { token: caller });
        const { response } = body as { response: { resultSets: { results: Json[] }[] } };
        return response.resultSets[0]?.results[0]?.caseLevelData as Json[] | undefined;
      };
      const told = await cases(['beacon:read', 'beacon:cases']);
      const levels = told?.map(({ info }) => (info as Json | undefined)?.alleleFraction).sort();
      expect(levels).to.deep.equal([0.09, 0.1, 0.52, 0.97, undefined]);
      expect(await cases(['beacon:read'])).to.equal(undefined);
    });

    it('of two forms of one allele are those of the calls that count', async () => {
      // A C more in six: before the first, or after the last of them.
      await loadFasta(folder.path(), fastaOf({ chrM: 'TTTACCCCCCG' }));
      const repository = withReferences(server.repository, referencesIn(folder.path()));
      await server.repository.removeDataset('forms');
      const two = [
        'MT 4 . A AC . . . GT:AF 0/1:0.4 0/0 0/1:0.05 0/0 0/1:0.3',
        'MT 10 . C CC . . . GT:AF 0/0 0/1:0.5 0/1:0.2 0/1:0.05 0/1:.',
      ];
      const rules = { ...counting, minimumHeteroplasmy: 10 };
      await addRecords(server.repository, 'forms', two, { samples: names, counting: rules });
      const written = { type: 'sequence', contig: 'MT', start: 9, reference: 'C', alternate: 'CC' } as const;
      const aligned = { ...written, start: 3, reference: 'A', alternate: 'AC' };
      const levels = [[20, 1], [30, 1], [40, 1], [50, 1]]; // biome-ignore format: one line
      for (const question of [written, aligned]) {
        const [[one] = []] = await repository.observe('GRCh37', [question], ['forms']);
        if (question === aligned) expect(one).to.deep.include({ carriers: 2 });
        else expect(one).to.deep.include({ carriers: 4, fractions: { levels, unknown: 0, below: 1 } });
      }
    });

    it('leave with their samples', async () => {
      await fresh('ds');
      const again = mt(3243, '0/1:0.60', '0/1:0.52');
      await server.repository.removeSamples('ds', ['a'], new Date());
      await loadText(server.repository, 'ds', vcf({ samples: ['f', 'g'], records: [again] }));
      const { observations } = await observe('ds', 'MT-3243-A-G');
      // 9, 10, 52, 52 and 60.
      expect(observations[0]?.heteroplasmy).to.deep.include({ median: 52, unknown: 1 });
      await server.repository.removeSamples('ds', names, new Date());
      const left = await observe('ds', 'MT-3243-A-G');
      expect(left.observations[0]?.heteroplasmy).to.deep.include({ median: 56, unknown: 0 });
    });
  });
}

describe('beacon: heteroplasmy in commands', function () {
  this.timeout(120_000);
  const folder = useFolder();
  const run = (...args: string[]) => command(args, { cwd: folder.path(), script: beaconBin, env: {} });

  it('is a rule of a dataset, and written by annotate', async () => {
    const rules = ['--observations', '--gq', 'none', '--minimum-heteroplasmy', '10'];
    const add = ['add', 'dataset', '--did', 'ds', '--name', 'x', '--build', 'GRCh37', '--authlevel', 'controlled'];
    for (const wrong of ['101', '-1', '1.5', 'x']) {
      const refused = await run(...add, '--observations', '--minimum-heteroplasmy', wrong);
      expect(refused.stderr).to.include("'minimumHeteroplasmy' must be a whole number from 0 to 100 or 'none'");
    }
    expect((await run(...add, '--minimum-heteroplasmy', '10')).stderr).to.include("set 'observations'");
    expect((await run(...add, ...rules)).code).to.equal(0);
    expect((await run('dataset', 'list')).stdout).to.include('MT from 10 %');
    await folder.write('five.vcf', vcf({ samples: names, records }));
    expect((await run('add', 'variants', '--ds', 'ds', '--vcf', 'five.vcf')).code).to.equal(0);
    const sites = ['MT 3243 . A G,T', 'MT 8993 . A G', 'MT 9000 . A G', '1 100 . A C'];
    const lines = sites.map((site) => `${site} . . .`.replaceAll(' ', '\t'));
    const head = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';
    await folder.write('sites.vcf', `${head}${lines.join('\n')}\n`);
    const infos = async () => {
      const { stdout } = await run('annotate', 'sites.vcf', '--ds', 'ds');
      const found = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      return { infos: found.map((line) => line.split('\t')[7]), stdout };
    };
    const first = await infos();
    expect(first.infos).to.deep.equal([
      'Obs=4,0;Hom=0,0;Frq=0.8,0;ObsHetPl=3|2|1|1|52,.',
      'Obs=0;Hom=0;Frq=0;ObsHetPl=0|0|0|0|.',
      'Obs=0;Hom=0;Frq=0',
      'Obs=3;Hom=0;Frq=0.6',
    ]);
    expect(first.stdout)
      .to.include('##INFO=<ID=ObsHetPl,Number=A,Type=String')
      .and.include('calls below 10 % are in no number');
    expect((await run('update', 'dataset', '--did', 'ds', '--minimum-heteroplasmy', 'none')).code).to.equal(0);
    expect((await infos()).infos[0]).to.equal('Obs=5,0;Hom=0,0;Frq=1,0;ObsHetPl=3|2|1|1|31,.');
    expect((await run('dataset', 'list')).stdout).to.not.include('MT from');
  });
});
