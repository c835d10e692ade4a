/** `import-loqusdb`: cases from their files, and what the collections tell of the others. */
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { selectNumber } from '../../support/sql.js';
import { typedCommands } from '../../support/typed.js';
import { smallVcf, structuralVcf } from './support/loqusdb.js';
import { vcf } from './support/vcf.js';

type Document = Record<string, unknown>;

const lines = (documents: readonly Document[]) => documents.map((document) => `${JSON.stringify(document)}\n`).join('');

/** Documents as loqusdb stores them; `families` are at most 50, whatever `observations` says. */
const variant = (id: string, families: readonly string[], more: Document = {}): Document => {
  const [chrom, start, ref, alt] = id.split('_');
  const own = { _id: id, chrom, start: Number(start), end: Number(start) + 1, ref, alt };
  return { ...own, observations: families.length, homozygote: 0, hemizygote: 0, families, ...more };
};

const cluster = (
  id: string,
  type: string,
  pos: number,
  end: number,
  families: readonly string[],
  more: Document = {},
) => {
  const observations = (more.observations as number | undefined) ?? families.length;
  const windows = { pos_left: pos, pos_right: pos, end_left: end, end_right: end, length: end - pos };
  const sums = { pos_sum: pos * observations, end_sum: end * observations, observations };
  return { _id: { $oid: id }, chrom: '3', end_chrom: '3', sv_type: type, ...windows, ...sums, families, ...more };
};

describe('loqusdb: import', function () {
  // Every step is a separate process.
  this.timeout(120_000);
  const folder = useFolder();

  const options = () => ({ cwd: folder.path(), env: { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') } });
  const trefoil = typedCommands(options, { last: ['--config', 'lab.yaml'] });
  const imported = (...args: string[]) => trefoil.run('beacon', 'import-loqusdb', '--ds', 'local', ...args);
  const json = (args: string[]) => trefoil.json('beacon', 'import-loqusdb', '--ds', 'local', ...args);

  async function found(...args: string[]): Promise<Document | undefined> {
    const { code, stdout } = await trefoil.run(
      'loqusdb',
      'variants',
      '--to-json',
      '--case-count',
      '--variant-id',
      ...args,
    );
    return code === 0 ? JSON.parse(stdout) : undefined;
  }

  beforeEach(async () => {
    await folder.write('lab.yaml', 'plugins:\n  beacon:\n    loqusdb: { dataset: local, addresses: [127.0.0.1] }\n');
    const made = ['add', 'dataset', '--did', 'local', '--name', 'Local', '--authlevel', 'controlled'];
    await trefoil.done('beacon', ...made);
  });

  it('keeps the depths of calls, for the check of coverage files', async () => {
    const records = ['1 880086 . T C . . . GT:GQ:DP 0/1:60:31', '1 900000 . A C . . . GT:GQ:DP 0/1:60:12'];
    const deep = await folder.write('deep.vcf', vcf({ samples: ['deep'], records }));
    await folder.write('case.json', lines([{ case_id: 'deep', vcf_path: deep, vcf_sv_path: null, individuals: [] }]));
    await imported('--cases', 'case.json');
    const section = { file: join(folder.path(), 'beacon.sqlite') };
    expect(await selectNumber(section, 'select count(*) as number from beacon_depths_called')).to.equal(1);
  });

  it('loads cases from the files that loqusdb loaded, and no case twice', async () => {
    const small = await folder.write('trio.vcf', smallVcf());
    const structural = await folder.write('trio.SV.vcf', structuralVcf());
    const individuals = [
      { ind_id: 'proband', sex: '1' },
      { ind_id: 'mother', sex: 2 },
      { ind_id: 'father', sex: { $numberInt: '1' } },
    ];
    await folder.write(
      'case.json',
      lines([
        { case_id: 'recessive_trio', vcf_path: small, vcf_sv_path: structural, individuals },
        { case_id: 'gone', vcf_path: join(folder.path(), 'gone.vcf'), vcf_sv_path: null, individuals: [] },
        { vcf_path: small },
      ]),
    );
    const dry = await imported('--cases', 'case.json', '--dry-run');
    expect([dry.code, dry.stdout.split('\n')[0]]).to.deep.equal([
      0,
      'Cases (dry run): of 3, 1 from their files, 1 without files, 0 here already',
    ]);
    expect(await found('1_880086_T_C')).to.equal(undefined);
    const { stdout } = await imported('--cases', 'case.json');
    expect(stdout).to.include('Loaded 1 case from files\n').and.include('Left out 1 case without files (gone)');
    expect(stdout).to.include('1: has no valid case_id');
    expect(await found('1_880086_T_C')).to.deep.include({ observations: 1, families: ['recessive_trio'], total: 1 });
    const [stored] = JSON.parse((await trefoil.run('loqusdb', 'cases', '-c', 'recessive_trio', '--to-json')).stdout);
    expect(stored.individuals.map(({ ind_id, sex }: Document) => [ind_id, sex])).to.deep.equal([
      ['father', 1],
      ['mother', 2],
      ['proband', 1],
    ]);
    expect((await imported('--cases', 'case.json')).stdout).to.include(
      '0 from their files, 1 without files, 1 here already',
    );
  });

  it('names the case whose file cannot be loaded, loads the others, and exits with 1', async () => {
    const [small, broken] = [await folder.write('a.vcf', smallVcf(['a'])), await folder.write('b.vcf', 'no VCF\n')];
    await folder.write(
      'case.json',
      lines([
        { case_id: 'b', vcf_path: broken },
        { case_id: 'a', vcf_path: small },
      ]),
    );
    const { code, stdout } = await imported('--cases', 'case.json');
    expect(code).to.equal(1);
    expect(stdout)
      .to.include('Loaded 1 case from files\n')
      .and.match(/could not load case b: .*b\.vcf/);
    expect(await found('1_879537_T_C')).to.deep.include({ observations: 1, total: 1 });
  });

  it('takes other cases from the collections, and says what these do not tell', async () => {
    const many = Array.from({ length: 50 }, (_, i) => `old${i}`);
    await folder.write(
      'case.json',
      lines([
        {
          case_id: 'one',
          vcf_path: '/gone/one.vcf',
          vcf_sv_path: '/gone/one.SV.vcf',
          individuals: [{ ind_id: 'ind1', sex: 1 }],
        },
        {
          case_id: 'two',
          vcf_path: '/gone/two.vcf',
          individuals: [
            { ind_id: 'x', sex: 1 },
            { ind_id: 'y', sex: 2 },
          ],
        },
      ]),
    );
    await folder.write(
      'variant.json',
      lines([
        variant('1_1000_A_C', ['one', 'two']),
        variant('1_2000_AT_A', ['two'], { homozygote: 1 }),
        variant('1_3000_A_G', ['one', 'two'], { homozygote: 1 }),
        variant('1_4000_A_T', [...many.slice(1), 'one'], { observations: 70 }),
        variant('X_5000000_C_T', ['one'], { hemizygote: 1 }),
        variant('1_6000_A_*', ['one']),
        variant('1_7000_A_C', ['unknown']),
        variant('hs37d5_10_A_C', ['one']),
      ]),
    );
    await folder.write(
      'sv.json',
      lines([
        cluster('5f0000000000000000000001', 'DEL', 1000, 1300, ['one']),
        cluster('5f0000000000000000000002', 'INS', 5000, 5400, ['one']),
        cluster('5f0000000000000000000003', 'BND', 7000, 9000, ['one'], { end_chrom: '8' }),
        cluster('5f0000000000000000000004', 'DUP', 20000, 90000, many, { observations: 51 }),
      ]),
    );
    await folder.write('identity.json', lines([{ cluster_id: { $oid: '5f0000000000000000000004' }, case_id: 'one' }]));
    const collections = [
      '--variants',
      'variant.json',
      '--structural-variants',
      'sv.json',
      '--identities',
      'identity.json',
    ];
    const report = await json(['--cases', 'case.json', ...collections]);
    const { variants, structuralVariants } = report as Record<'variants' | 'structuralVariants', Document>;
    expect(variants).to.deep.include({ alleles: 5, observations: 7, unnamed: 20 });
    expect((variants.notCarried as Document[]).map(({ reason, examples }) => [reason, examples])).to.deep.equal([
      ['has ref or alt that are not bases', ['1_6000_A_*']],
      ['is on none of the chromosomes 1 to 22, X, Y and MT', ['hs37d5_10_A_C']],
    ]);
    expect((variants.remarks as Document[]).map(({ examples }) => examples)).to.deep.equal([
      ['1_3000_A_G'],
      ['1_4000_A_T'],
    ]);
    expect(structuralVariants).to.deep.include({
      alleles: 4,
      observations: 4,
      unnamed: 0,
      notCarried: [],
      remarks: [],
    });

    expect(await found('1_1000_A_C')).to.deep.include({ observations: 2, homozygote: 0, total: 2 });
    expect(await found('1_2000_AT_A')).to.deep.include({ observations: 1, homozygote: 1, families: ['two'] });
    expect(await found('1_3000_A_G')).to.deep.include({ observations: 2, homozygote: 0 });
    expect(await found('1_4000_A_T')).to.deep.include({ observations: 1 });
    // The only individual of the case is male.
    expect(await found('X_5000000_C_T')).to.deep.include({ observations: 1, hemizygote: 1 });
    const sv = (type: string, start: number, end: number, chromosome = '3') =>
      found('x', '-c', '3', '-s', String(start), '-e', String(end), '--end-chromosome', chromosome, '--sv-type', type);
    expect(await sv('DEL', 1000, 1300)).to.deep.include({ observations: 1, families: ['one'], total: 1 });
    expect(await sv('INS', 5000, 5400)).to.deep.include({ observations: 1 });
    expect(await sv('BND', 7000, 9000, '8')).to.deep.include({ observations: 1 });
    expect(await sv('DUP', 20000, 90000)).to.deep.include({ observations: 1 });

    // Again, nothing changes.
    const again = (await json(['--cases', 'case.json', ...collections])) as typeof report;
    expect((again.variants as Document).added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
    expect((again.structuralVariants as Document).added).to.deep.equal({ alleles: 0, calls: 0, samples: 0 });
  });

  it('refuses damaged files and wrong options', async () => {
    await folder.write('case.json', lines([{ case_id: 'a', vcf_path: '/gone/a.vcf' }]));
    await folder.write('variant.json', `${lines([variant('1_1000_A_C', ['a'])])}{"_id":\n`);
    const damaged = await imported('--cases', 'case.json', '--variants', 'variant.json');
    expect([damaged.code, damaged.stderr]).to.deep.equal([
      1,
      'trefoil: variant.json, line 2: not a JSON object; mongoexport writes one on each line if it is run without --jsonArray\n',
    ]);
    expect(await found('1_1000_A_C')).to.equal(undefined);
    const { code, stderr } = await imported('--cases', 'case.json', '--identities', 'identity.json');
    expect([code, stderr]).to.deep.equal([
      1,
      'trefoil: --identities needs --structural-variants, to which they belong\n',
    ]);
  });
});
