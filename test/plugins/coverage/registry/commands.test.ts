/** `coverage add samples`, `list samples` and `delete samples`, in processes of their own as operators run them. */
import { copyFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readCells } from '../../../../plugins/coverage/samples/description.js';
import { readSheet } from '../../../../plugins/coverage/samples/sheet.js';
import { command } from '../../../support/command.js';
import { faultOf } from '../../../support/fault.js';
import { blockFolder } from '../../../support/folder.js';
import { coveredAt10, person } from './support.js';

describe('commands on registered samples', () => {
  const folder = blockFolder();

  before(async () => {
    person(join(folder, 'a.d4'), 'female');
    person(join(folder, 'b.d4'), 'male');
    const settings = {
      storage: { adapter: 'sqlite', file: 't.sqlite' },
      plugins: { coverage: { roots: [folder] }, matchmaker: {} },
    };
    await writeFile(join(folder, 'c.yaml'), JSON.stringify(settings));
    expect((await run('migrate')).code).to.equal(0);
  });

  function run(...words: string[]) {
    return command([...words, '--config', 'c.yaml'], { cwd: folder });
  }

  const sheet = async (name: string, ...lines: string[]) => writeFile(join(folder, name), `${lines.join('\n')}\n`);
  const listed = async () => JSON.parse((await run('coverage', 'list', 'samples', '--json')).stdout);

  it('register the samples of a sheet, and report those whose file cannot be used', async () => {
    await sheet(
      'samples.tsv',
      'sample\tcoverage_file_path\tbuild\tcase_id\tsex\tassay\tmapq\tanalysis_date',
      'A\ta.d4\tGRCh38\tF1\tfemale\tWES\t20\t2026-04-23\r',
      '',
      'B\tb.d4\tGRCh38\t\tfemale\tWES',
      'C\tgone.d4\tGRCh38',
    );
    const { code, stdout, stderr } = await run('coverage', 'add', 'samples', '--sheet', 'samples.tsv');
    expect(stdout).to.equal('Registered 3 samples: 3 new, 0 changed, 0 unchanged\n2 samples ready, 1 not\n');
    expect(stderr).to.include('Warning: B: Declared female, predicted male. The sex counts as unknown.');
    expect(stderr).to.include('C: The coverage file does not exist, or is not under a configured directory');
    expect(code).to.equal(1);
    const [a, b, c] = await listed();
    expect(a).to.deep.include({ id: 'A', state: 'ready', case_id: 'F1', sex: 'female', analysis_date: '2026-04-23' });
    expect(a.labels).to.deep.equal({ assay: 'WES', mapq: '20' });
    expect(a.check.covered).to.deep.equal({ 10: coveredAt10 });
    expect(a).not.to.have.property('facts');
    expect(b.check.predicted_sex).to.equal('male');
    expect([c.state, 'check' in c]).to.deep.equal(['failing', false]);
    const table = (await run('coverage', 'list', 'samples', '--state', 'failing')).stdout;
    expect(table).to.match(/^SAMPLE +STATE .*\nC +failing +GRCh38 .*The coverage file does not exist/);
  });

  it('check the files of unique reads that a sheet names, with the first files', async () => {
    person(join(folder, 'a.q20.d4'), 'female', { depth: 11 });
    const columns = 'sample\tcoverage_file_path\tbuild\tunique_coverage_file\tunique_mapping_quality';
    await sheet('half.tsv', columns, 'U\ta.d4\tGRCh38\ta.q20.d4', 'V\ta.d4\tGRCh38\t\t20');
    const half = await run('coverage', 'add', 'samples', '--sheet', 'half.tsv');
    expect(half.stderr).to.include('line 2, unique_mapping_quality: is missing').and.include('line 3');
    await sheet('unique.tsv', columns, 'U\ta.d4\tGRCh38\ta.q20.d4\t20', 'V\ta.q20.d4\tGRCh38\ta.d4\t20');
    const { stdout, stderr } = await run('coverage', 'add', 'samples', '--sheet', 'unique.tsv');
    expect(stdout).to.include('1 sample ready, 1 not');
    expect(stderr).to.include('is deeper than that of all reads at chr1:1000001 (12 over 11)');
    const found = (await listed()).filter(({ id }: { id: string }) => id === 'U' || id === 'V');
    expect(found[0]).to.deep.include({ state: 'ready', unique_file_path: 'a.q20.d4', unique_mapping_quality: 20 });
    expect(found[0].check.unique_fingerprint)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(found[0].check.fingerprint);
    expect(found[1]).to.include({ state: 'failing' });
    expect(found[1].reason).to.include('coverage_file_path, unique_file_path: ');
    await run('coverage', 'delete', 'samples', '--sample', 'U', '--sample', 'V', '--yes');
  });

  it('leave a sample unchecked if a worker thread fails', async () => {
    await sheet('later.tsv', 'sample\tcoverage_file_path\tbuild', 'D\ta.d4\tGRCh38');
    const broken = `import { isMainThread } from 'node:worker_threads'; if (!isMainThread) throw new Error('broken');`;
    const words = ['coverage', 'add', 'samples', '--sheet', 'later.tsv', '--config', 'c.yaml'];
    const node = ['--import', `data:text/javascript,${encodeURIComponent(broken)}`];
    const { code, stderr } = await command(words, { cwd: folder, node });
    expect(code).to.equal(1);
    expect(stderr).to.include('D: The coverage could not be read, because a worker thread failed: try again later\n');
    expect((await listed()).find(({ id }: { id: string }) => id === 'D').state).to.equal('pending');
    await run('coverage', 'delete', 'samples', '--sample', 'D', '--yes');
  });

  it('replace what is stated, also from a JSON list', async () => {
    const stated = [
      { sample: 'A', coverage_file_path: 'a.d4', build: 'GRCh38', sex: 'female', labels: { assay: 'WGS' } },
      { sample: 'B', coverage_file_path: 'b.d4', build: 'GRCh38', sex: 'male', run: '7' },
    ];
    await sheet('samples.json', JSON.stringify(stated));
    const { code, stdout, stderr } = await run('coverage', 'add', 'samples', '--sheet', 'samples.json', '--json');
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      samples: [
        { id: 'A', outcome: 'described', state: 'ready' },
        { id: 'B', outcome: 'described', state: 'ready' },
      ],
    });
    const [a, b] = await listed();
    expect([a.labels, 'case_id' in a]).to.deep.equal([{ assay: 'WGS' }, false]);
    expect([b.labels, b.sex]).to.deep.equal([{ run: '7' }, 'male']);
  });

  it('warn of a sample whose file is a copy of that of another, registered before', async () => {
    await copyFile(join(folder, 'a.d4'), join(folder, 'copy.d4'));
    await utimes(join(folder, 'copy.d4'), 1_600_000_000, 1_600_000_000);
    await sheet('copy.tsv', 'sample\tcoverage_file_path\tbuild', 'Z\tcopy.d4\tGRCh38');
    const { code, stderr } = await run('coverage', 'add', 'samples', '--sheet', 'copy.tsv');
    expect([code, stderr.trim()]).to.deep.equal([
      0,
      'Warning: The same file was given for A and Z: were samples mixed up?',
    ]);
    await run('coverage', 'delete', 'samples', '--sample', 'Z', '--yes');
  });

  it('state the sex in words, or as PED files and Scout do', () => {
    const sexOf = (sex: unknown) => {
      const read = readCells({ sample: 'A', coverage_file_path: 'a.d4', build: 'GRCh38', sex });
      return 'description' in read ? read.description.sex : read.wrong[0]?.reason;
    };
    // PED: 1 is male, 2 is female.
    for (const sex of ['1', 1, 'M', 'male']) expect(sexOf(sex)).to.equal('male');
    for (const sex of ['2', 2, ' f ', 'FEMALE']) expect(sexOf(sex)).to.equal('female');
    for (const sex of ['0', 0, 'other', undefined]) expect(sexOf(sex)).to.equal('unknown');
    expect(sexOf('3')).to.equal('must be one of female, male, unknown; got "3"');
  });

  it('name every mistake of a sheet, and then register nothing', async () => {
    const before = await listed();
    await sheet(
      'wrong.tsv',
      'sample\tcoverage_file_path\tbuild\tsex',
      'D\ta.d4\tGRCh38\t3',
      '\ta.d4\thg19',
      'E\ta.d4\tGRCh38',
      'E\tb.d4\tGRCh38\tmale\tx',
    );
    const { code, stdout, stderr } = await run('coverage', 'add', 'samples', '--sheet', 'wrong.tsv');
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.equal(
      [
        'trefoil: wrong.tsv: 5 mistakes',
        '  line 5, column 5: the header names only 4 columns',
        '  line 2, sex: must be one of female, male, unknown; got "3"',
        '  line 3, sample: is missing',
        '  line 3, build: must be one of GRCh37, GRCh38; got "hg19"',
        '  line 5, sample: "E" is already in line 4',
        '',
      ].join('\n'),
    );
    expect(await listed()).to.deep.equal(before);
  });

  for (const [name, lines, message] of [
    ['an unknown column', ['sample\tpath\tbuild'], /is none of sample, coverage_file_path/],
    ['an empty file', [''], /is empty; expected a line with the names of the columns/],
    ['no sample', ['sample\tcoverage_file_path\tbuild'], /there is no sample; expected/],
    ['another encoding', ['sample\tcoverage_file_path\tbuild', '\uFFFD\ta.d4\tGRCh38'], /line 2: it is not UTF-8 text/],
    ['broken JSON', ['[{"sample": "A"'], /is not valid JSON/],
    ['other JSON', ['[1]'], /entry 1: expected an object with sample/],
  ] as const) {
    it(`refuse a sheet with ${name}`, async () => {
      await sheet('refused.tsv', ...lines);
      const fault = await faultOf(readSheet(join(folder, 'refused.tsv')));
      expect([fault.code, fault.message.slice(0, 11)]).to.deep.equal(['unprocessable', 'refused.tsv']);
      expect(fault.message).to.match(message);
    });
  }

  it('on the erasure of a person: the sample of this id is removed, unless it is the id of another holder', async () => {
    await sheet('person.tsv', 'sample\tcoverage_file_path\tbuild', 'person\ta.d4\tGRCh38');
    expect((await run('coverage', 'add', 'samples', '--sheet', 'person.tsv')).code).to.equal(0);
    const others = await run('matchmaker', 'erase', '--patient', 'person', '--of', 'elsewhere', '--yes');
    expect(others.stderr + others.stdout).not.to.equal('');
    expect((await listed()).map(({ id }: { id: string }) => id)).to.include('person');
    await run('matchmaker', 'erase', '--patient', 'person', '--yes');
    expect((await listed()).map(({ id }: { id: string }) => id)).not.to.include('person');
  });

  it('remove samples', async () => {
    const missing = await run('coverage', 'delete', 'samples', '--sample', 'A', '--sample', 'Z', '--yes');
    expect([missing.code, missing.stderr]).to.deep.equal([1, 'trefoil: Not registered: Z\n']);
    const { code, stdout } = await run('coverage', 'delete', 'samples', '--sample', 'A', '--sample', 'C', '--yes');
    expect([code, stdout]).to.deep.equal([0, 'Removed 2 samples\n']);
    expect((await listed()).map(({ id }: { id: string }) => id)).to.deep.equal(['B']);
    expect((await run('coverage', 'delete', 'samples', '--sample', 'B')).code).to.equal(1);
  });
});
