/** `trefoil loqusdb …` as Scout and the uploader cg call it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import group from '../../../plugins/beacon/groups/loqusdb.js';
import { useFolder } from '../../support/folder.js';
import { sampled } from '../../support/sample.js';
import { selectNumber } from '../../support/sql.js';
import { storages } from '../../support/storages.js';
import { typedCommands } from '../../support/typed.js';
import { carried, Families, joint } from './support/families.js';
import {
  answerOnSmall,
  homozygousInTrio,
  smallVcf,
  structuralVcf,
  trioPed,
  trioStructural,
  trioVariants,
} from './support/loqusdb.js';
import { vcf } from './support/vcf.js';

const lab = '{"demo": false, "plugins": {"beacon": {"loqusdb": {"dataset": "local", "addresses": ["127.0.0.1"]}}}}';
const configuration = 'plugins:\n  beacon:\n    loqusdb:\n      dataset: local\n      addresses: [127.0.0.1]\n';

for (const engine of sampled(storages, 2, 1)) {
  describe(`loqusdb: genotypes without GQ on the command line (${engine.name})`, function () {
    this.timeout(240_000);
    const folder = useFolder();

    it('are unknown, or count with --ignore-gq-if-unset', async () => {
      const home = await engine.home();
      try {
        await folder.write('lab.yaml', JSON.stringify({ ...JSON.parse(lab), storage: home.section }));
        const config = ['--config', 'lab.yaml'];
        const { done } = typedCommands(() => ({ cwd: folder.path() }), { last: config });
        const run = async (...args: string[]) => (await done(...args)).stdout;
        await run('migrate');
        await run('beacon', ...'add dataset --did local --name Local --authlevel controlled --observations'.split(' '));
        for (const [name, ...more] of [['without'], ['with', '--ignore-gq-if-unset']] as const) {
          const file = await folder.write(
            `${name}.vcf`,
            vcf({ samples: [name], records: ['1 880086 . T C . . . GT 0/1', '1 900000 . A C . . . GT:GQ 0/1:60'] }),
          );
          await run('loqusdb', 'load', '--case-id', name, '--variant-file', file, ...more);
        }
        const found = JSON.parse(await run('loqusdb', 'variants', '--to-json', '--variant-id', '1_880086_T_C'));
        expect(found)
          .to.include({ observations: 1, not_called: 1 })
          .and.deep.include({ families: ['with'] });
      } finally {
        await home.discard();
      }
    });
  });
}

describe('loqusdb: command line', function () {
  // Every step is a separate process.
  this.timeout(120_000);
  const folder = useFolder();

  const options = () => ({ cwd: folder.path(), env: { TREFOIL_SQLITE_FILE: join(folder.path(), 'beacon.sqlite') } });
  const { run: trefoil } = typedCommands(options);

  /** As Scout calls it: the configuration comes before the verb. */
  const {
    run: loqusdb,
    done,
    failure: failed,
  } = typedCommands(options, { first: ['loqusdb', '--config', 'lab.yaml'] });

  const failure = (...args: string[]) => failed(1, ...args);

  const files = ['--variant-file', 'trio.vcf', '--sv-variants', 'trio.SV.vcf'];

  beforeEach(async () => {
    await folder.write('lab.yaml', configuration);
    await folder.write('trio.vcf', smallVcf());
    await folder.write('trio.SV.vcf', structuralVcf());
    await folder.write('trio.ped', trioPed);
    const made = ['add', 'dataset', '--did', 'local', '--name', 'Local', '--authlevel', 'controlled', '--observations'];
    expect((await trefoil('beacon', ...made, '--config', 'lab.yaml')).code).to.equal(0);
  });

  it('takes the options of loqusdb, or the guide says that it does not', () => {
    // Read from the source of loqusdb, at the commits that the guide names.
    const theirs: Record<string, string> = {
      load:
        '--variant-file --sv-variants -f --family-file -t --family-type -c --case-id -s --skip-case-id --ensure-index ' +
        '--gq-threshold --qual-gq -m --max-window --check-profile --hard-threshold --soft-threshold --snv-gq-only ' +
        '--ignore-gq-if-unset',
      // There it is --gq-treshold, which is accepted.
      update:
        '--variant-file --sv-variants -f --family-file -t --family-type -c --case-id -s --skip-case-id --ensure-index ' +
        '--gq-threshold -m --max-window',
      delete: '-f --family-file -t --family-type -c --case-id',
      cases: '-c --case-id --to-json --count -t --case-type',
      variants:
        '--variant-id -c --chromosome --end-chromosome -s --start -e --end -t --variant-type --sv-type --to-json --case-count',
      export: '-o --outfile -t --variant-type -f --freq',
      profile: '-l --load -v --variant-file --update --stats --profile-threshold --check-vcf',
    };
    const guide = readFileSync('config/loqusdb.md', 'utf8');
    const flags = (text = '') => text.match(/(?<=^|[ `/,])--?[a-z][a-z-]*/g) ?? [];
    expect(group.commands.map(({ name }) => name)).to.have.members(Object.keys(theirs));
    for (const { name, options = [] } of group.commands) {
      // A command without a row, and an option that is not in its row, are as in loqusdb.
      const [, differing, missing] = new RegExp(`^\\| \`${name}\` \\|(.*)\\|(.*)\\|$`, 'm').exec(guide) ?? [];
      const ours = options.flatMap((option) => flags(option.flags));
      const all = theirs[name]?.split(' ') ?? [];
      expect(all, name).to.include.members([...flags(differing), ...flags(missing)]);
      const gone: readonly string[] = flags(missing);
      expect(ours, name).to.include.members(all.filter((flag) => !gone.includes(flag)));
      expect(
        gone.filter((flag) => ours.includes(flag)),
        name,
      ).to.deep.equal([]);
    }
  });

  it('names the version as the last word', async () => {
    for (const args of [['--version'], ['--config', 'lab.yaml', '--version']]) {
      const { code, stdout } = await trefoil('loqusdb', ...args);
      expect([code, stdout]).to.deep.equal([0, 'loqusdb, version 2.7.25\n']);
    }
  });

  it('loads a case, and answers as Scout asks', async () => {
    const loaded = await done(
      'load',
      '--family-file',
      'trio.ped',
      '-t',
      'ped',
      ...files,
      '--check-profile',
      'trio.vcf',
    );
    expect(loaded.stdout).to.equal('');
    // 14 of the 15 small variants: one lies beyond its chromosome.
    expect(loaded.stderr)
      .to.match(/^INFO Nr variants inserted: 33$/m)
      .and.match(/^Not compared with other samples: no two have 50 sites in common at which one is homozygous$/m)
      .and.not.include('WARNING');
    const named = ['variants', '--to-json', '--variant-id'];
    expect(JSON.parse((await done(...named, '1_880086_T_C', '--case-count')).stdout)).to.deep.equal(answerOnSmall);
    const place = [
      '-t',
      'sv',
      '-c',
      '1',
      '-s',
      '7889972',
      '-e',
      '7890026',
      '--end-chromosome',
      '1',
      '--sv-type',
      'DEL',
    ];
    const { stdout } = await done(...named, '1_7889972_GAGA_G', '--case-count', ...place);
    expect(JSON.parse(stdout)).to.deep.include({
      length: 54,
      pos_left: 7889972,
      pos_right: 7889972,
      end_left: 7890026,
      end_right: 7890026,
      observations: 1,
      families: ['recessive_trio'],
      total: 1,
    });
    // Scout adds the length of an insertion to its end.
    const insertion = ['-t', 'sv', '-c', '7', '-s', '144343218', '-e', '144343514', '--sv-type', 'INS'];
    expect(JSON.parse((await done(...named, 'x', ...insertion)).stdout)).to.include({ observations: 1, length: 296 });
    const absent = await loqusdb(...named, '1_880086_T_G', '--case-count');
    expect([absent.code, absent.stdout]).to.deep.equal([1, '']);
    expect(absent.stderr).to.equal('INFO Variant 1_880086_T_G does not exist in database\n');
  });

  it('keeps the depths of calls, for the check of coverage files', async () => {
    const records = ['1 880086 . T C . . . GT:GQ:DP 0/1:60:31', '1 900000 . A C . . . GT:GQ:DP 0/1:60:12'];
    await folder.write('deep.vcf', vcf({ samples: ['deep'], records }));
    await done('load', '--case-id', 'deep', '--variant-file', 'deep.vcf');
    const section = { file: join(folder.path(), 'beacon.sqlite') };
    expect(await selectNumber(section, 'select count(*) as number from beacon_depths_called')).to.be.above(0);
  });

  it('updates a case: new structural variants take the place of the old, small ones stay', async () => {
    await done('load', '--family-file', 'trio.ped', ...files);
    const [first = ''] = structuralVcf().match(/^1\t7889972.*\n/m) ?? [];
    await folder.write('new.SV.vcf', structuralVcf().replace(first, ''));
    const words = ['update', '-c', 'recessive_trio', '-f', 'trio.ped', '--sv-variants', 'new.SV.vcf'];
    const { stderr } = await done(...words);
    expect(stderr).to.match(/^INFO Replaced the calls of 3 samples in dataset 'local': .*; 0 alleles new, 1 gone$/m);
    const found = (id: string, ...more: string[]) => loqusdb('variants', '--to-json', '--variant-id', id, ...more);
    const at = ['-t', 'sv', '-c', '1', '-s', '7889972', '-e', '7890026', '--end-chromosome', '1', '--sv-type', 'DEL'];
    expect((await found('any', ...at)).code).to.equal(1);
    expect((await found('1_880086_T_C')).code).to.equal(0);
    expect(await failure('update', '-c', 'nobody', '--sv-variants', 'new.SV.vcf')).to.include(
      'Case nobody does not exist in database',
    );
  });

  it('loads chosen individuals of a file, and ignores the others', async () => {
    const chosen = ['--sample', 'mother', '--sample', 'proband'];
    const unknown = await failure('load', '-f', 'trio.ped', '--variant-file', 'trio.vcf', '--sample', 'aunt');
    expect(unknown).to.include('--sample: the PED file has no individual "aunt"');
    expect(await failure('load', '-c', 'T', '--variant-file', 'trio.vcf', '--sample', 'aunt')).to.include(
      'one or more of the requested samples are not in this file',
    );
    await done('load', '-f', 'trio.ped', ...chosen, ...files);
    const individuals = async () => {
      const [found] = JSON.parse((await done('cases', '-c', 'recessive_trio', '--to-json')).stdout);
      return found.individuals.map(({ ind_id, sex }: Record<string, unknown>) => [ind_id, sex]);
    };
    expect(await individuals()).to.deep.equal([
      ['mother', 2],
      ['proband', 1],
    ]);
    // Father and proband carry it.
    const found = await done('variants', '--variant-id', '1_879595_C_T');
    expect(JSON.parse(found.stdout)).to.include({ observations: 1, homozygote: 1 });
    const { stderr } = await done('update', '-c', 'recessive_trio', '--sample', 'mother', '--variant-file', 'trio.vcf');
    expect(stderr).to.include('individuals that were not in this load: proband\n');
    await done('delete', '-c', 'recessive_trio');
    await done('load', '-c', 'recessive_trio', '--sample', 'father', '--variant-file', 'trio.vcf');
    expect(await individuals()).to.deep.equal([['father', 0]]);
    // The father is there by now; the others are not.
    const check = ['--check-profile', 'trio.vcf', '--hard-threshold', '0.9'];
    await done('load', '-c', 'second', ...chosen, '--variant-file', 'trio.vcf', ...check);
  });

  it('names individuals of a case whose variants an update leaves', async () => {
    const row = '1\t880086\t.\tT\tC\t100\tPASS\t.\tGT:GQ\t0/1:60\n';
    const head = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t';
    for (const name of ['first', 'second']) {
      await folder.write(`${name}.vcf`, `${head}${name}\n${row}`);
      await folder.write(`${name}.ped`, `F9 ${name} 0 0 1 2\n`);
    }
    await done('load', '-f', 'first.ped', '--variant-file', 'first.vcf');
    const warning = 'WARNING Case F9 keeps the variants of individuals that were not in this load: first\n';
    const renamed = await done('update', '-f', 'second.ped', '--variant-file', 'second.vcf');
    expect(renamed.stderr).to.include(warning);
    expect((await done('update', '-c', 'F9', '--variant-file', 'second.vcf')).stderr).to.include(warning);
    await done('delete', '-c', 'F9');
    await done('load', '-f', 'second.ped', '--variant-file', 'second.vcf');
    const whole = await done('update', '-f', 'second.ped', '--variant-file', 'second.vcf');
    expect(whole.stderr).not.to.include('WARNING');
  });

  it('lists cases as the uploader reads them', async () => {
    expect(await failure('cases')).to.equal('INFO No cases found in database');
    const none = await done('cases', '-c', 'recessive_trio', '--to-json');
    expect(none.stdout).to.equal('');
    await done('load', '--case-id', 'recessive_trio', '--variant-file', 'trio.vcf');
    const [found] = JSON.parse((await done('cases', '-c', 'recessive_trio', '--to-json')).stdout);
    expect(found.case_id).to.equal('recessive_trio');
    expect(found.individuals).to.have.length(3);
    expect((await done('cases')).stdout).to.equal('#case_id\tvcf_path\nrecessive_trio\tNone\n');
    expect((await done('cases', '--count', '-t', 'snv')).stdout).to.equal('1\n');
    expect((await done('cases', '--count', '-t', 'sv')).stdout).to.equal('0\n');
  });

  it('deletes a case, and says so as the uploader expects', async () => {
    await done('load', '--case-id', 'recessive_trio', ...files);
    expect((await done('delete', '-c', 'other')).stderr).to.equal('WARNING Case other does not exist in database\n');
    expect((await done('delete', '-f', 'trio.ped')).stderr).to.equal(
      'INFO Removing case recessive_trio from database\n',
    );
    expect((await done('delete', '-c', 'recessive_trio')).stderr).to.match(
      /^WARNING Case recessive_trio does not exist/,
    );
    expect((await done('cases', '--count')).stdout).to.equal('0\n');
  });

  it('refuses what it cannot do, in one sentence', async () => {
    const load = ['load', '--case-id', 'a', '--variant-file', 'trio.vcf'];
    expect(await failure('load', ...files)).to.include('--case-id or --family-file');
    expect(await failure('load', '--case-id', 'a')).to.include('--variant-file or --sv-variants');
    expect(await failure(...load, '--gq-threshold', '10')).to.include('--gq-threshold cannot be lower');
    expect(await failure(...load, '--gq-threshold', 'x')).to.include('must be a whole number');
    expect(await failure('load', '--case-id', ' a', ...files)).to.include('The id of a case must be');
    expect(await failure(...load, '--max-window', '3000')).to.include('--max-window must be 2000, or omitted');
    expect(await failure(...load, '--qual-gq')).to.include('--qual-gq is not supported');
    expect(await failure('variants', '-c', '1', '-s', '1', '-e', '9')).to.include('--variant-id');
    expect(await failure('variants', '--variant-id', 'x', '-t', 'sv', '-c', '1')).to.include(
      '--start, --end and --sv-type',
    );
    await folder.write('two.ped', `${trioPed}other\tx\t0\t0\t1\t1\n`);
    const mip = await loqusdb('load', '--family-file', 'trio.ped', '--family-type', 'mip', ...files);
    expect([mip.code, mip.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code !== 0 && text.includes('Allowed are ped'),
    );
    expect(await failure('load', '-f', 'two.ped', ...files)).to.include('two.ped: the file has more than one family');
    await done(...load, '--gq-threshold', '60', '--max-window', '2000', '--snv-gq-only', '--ensure-index');
    expect(await failure(...load)).to.include('Case a already exists in database');
    expect(await failure('load', '-c', 'b', '--variant-file', 'trio.vcf')).to.include(
      '3 samples of the file belong to another case',
    );
    expect(await failure('load', '-c', 'c', '--variant-file', 'gone.vcf')).to.include('gone.vcf: no such file');
    await folder.write('lab.yaml', `${configuration}    loads:\n      samples: 2\n`);
    const tooMany = 'trio.vcf: the file has 3 samples, and the limit is 2 (plugins.beacon.loads.samples)';
    expect(await failure('load', '-c', 'd', '--variant-file', 'trio.vcf')).to.include(tooMany);
    expect(await failure('profile', '--check-vcf', 'trio.vcf')).to.include(tooMany);
    await folder.write('other.yaml', 'plugins:\n  beacon: {}\n');
    const { code, stderr } = await trefoil('loqusdb', 'cases', '--config', 'other.yaml');
    expect([code, stderr]).to.deep.equal([
      1,
      'trefoil: Set plugins.beacon.loqusdb in the configuration, with the dataset to work on\n',
    ]);
  });

  it('recognizes individuals that are there already', async () => {
    const families = new Families(600, 3);
    const [father, mother] = [families.person(), families.person()];
    const child = families.child(father, mother);
    await folder.write('one.vcf', joint({ father, mother, child }));
    await folder.write(
      'one.ped',
      'one\tchild\tfather\tmother\t1\t2\none\tfather\t0\t0\t1\t1\none\tmother\t0\t0\t2\t1\n',
    );
    const first = await done(
      'load',
      '-f',
      'one.ped',
      '--variant-file',
      'one.vcf',
      '--check-profile',
      'one.vcf',
      '--strict',
    );
    expect(first.stderr).to.include('Compared 3 pairs of samples\n').and.not.include('WARNING');

    // A profile as laboratories make it: fifty sites, also of reference genotypes.
    const sites = child.map((_, site) => site).filter((site) => site % 12 === 0);
    const profile = (name: string, person: readonly number[]) =>
      joint({ [name]: person })
        .split('\n')
        .filter((line, i) => i < 2 || line === '' || sites.includes(i - 2))
        .join('\n');
    await folder.write('again.vcf', profile('again', child));
    const found = JSON.parse((await done('profile', '--check-vcf', 'again.vcf')).stdout);
    expect(found).to.deep.equal({
      ind_id: 'child',
      name: 'child',
      case_id: 'one',
      ind_index: 0,
      sex: 1,
      profile: [],
      similar_samples: [],
    });
    await folder.write('sibling.vcf', profile('sibling', families.child(father, mother)));
    const none = await done('profile', '--check-vcf', 'sibling.vcf', '--profile-threshold', '0.95');
    expect([none.stdout, none.stderr]).to.deep.equal(['', 'INFO No duplicates found in the database\n']);
    await folder.write(
      'few.vcf',
      carried(
        'few',
        child.map((copies, site) => (site < 15 ? copies : 0)),
      ),
    );
    expect((await done('profile', '--check-vcf', 'few.vcf')).stdout).to.equal('');
    expect(await failure('profile')).to.include('--check-vcf');
    expect(await failure('profile', '--check-vcf', 'again.vcf', '--profile-threshold', '2')).to.include('from 0 to 1');

    const load = ['load', '--case-id', 'two', '--variant-file', 'again.vcf'];
    expect(await failure(...load, '--check-profile', 'again.vcf')).to.equal(
      'trefoil: Profile error: individual again has a 1.000 similarity with individual child in case one. Nothing was loaded',
    );
    await folder.write('whole.vcf', carried('again', child));
    expect(await failure('load', '-c', 'two', '--variant-file', 'whole.vcf', '--strict')).to.include(
      '"again" is the same person as "child" of case "one"',
    );
    expect((await done('cases', '--count')).stdout).to.equal('1\n');
    // One genotype in fifty differs.
    const nearly = child.map((copies, site) => (site === sites.find((at) => child[at] === 1) ? 2 : copies));
    await folder.write('nearly.vcf', profile('again', nearly));
    const soft = await done(
      ...load,
      '--check-profile',
      'nearly.vcf',
      '--hard-threshold',
      '1',
      '--soft-threshold',
      '0.9',
    );
    expect(soft.stderr).to.match(
      /^WARNING individual again has a 0\.9\d\d similarity with individual child in case one$/m,
    );
  });

  it('exports observations with the INFO that pipelines read', async () => {
    await done('load', '--family-file', 'trio.ped', ...files);
    await folder.write('second.vcf', smallVcf(['second'], ['1_879537_T_C']));
    await done('load', '--case-id', 'second', '--variant-file', 'second.vcf');
    const exported = async (...args: string[]) => {
      await done('export', ...args, '-o', 'out.vcf');
      const lines = readFileSync(join(folder.path(), 'out.vcf'), 'utf8').trimEnd().split('\n');
      return {
        header: lines.filter((line) => line.startsWith('##')),
        records: lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t')),
      };
    };
    const small = await exported('--freq');
    expect(small.header).to.include('##NrCases=2');
    expect(small.header.find((line) => line.startsWith('##Software='))).to.match(
      /<ID=loqusdb,Version=2\.7\.25,Date="20/,
    );
    expect(small.records.map(([chrom, pos, , ref, alt]) => `${chrom}_${pos}_${ref}_${alt}`)).to.deep.equal(
      trioVariants.slice(0, -1),
    );
    const info = new Map(
      small.records.map(([chrom, pos, , ref, alt, , , text]) => [`${chrom}_${pos}_${ref}_${alt}`, text]),
    );
    expect(info.get('1_879537_T_C')).to.equal('Obs=2;Hom=1;Frq=1.00000');
    expect(info.get('1_880086_T_C')).to.equal('Obs=1;Frq=0.50000');
    const homozygous = [...info].filter(([, text]) => text?.includes('Hom=1')).map(([id]) => id);
    expect(homozygous).to.deep.equal(homozygousInTrio.slice(0, -1));

    const structural = await exported('-t', 'sv');
    expect(structural.header).to.include('##NrCases=1');
    expect(structural.records).to.have.length(trioStructural.length);
    // The mother's homozygous call has GQ 10.
    const deletion = structural.records.find(([chrom]) => chrom === '1');
    expect(deletion).to.deep.equal([
      '1',
      '7889972',
      '.',
      'N',
      '<DEL>',
      '.',
      '.',
      'Obs=1;SVTYPE=DEL;END=7890026;SVLEN=54',
    ]);
    const insertion = structural.records.find(([chrom]) => chrom === '7');
    expect(insertion?.at(-1)).to.equal('Obs=1;SVTYPE=INS;END=144343514;SVLEN=296');
  });
});
