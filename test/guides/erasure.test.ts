/** Every command of config/erasure.md: a person is erased, objects, and is erased again from an older database. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { command } from '../support/command.js';
import { blocksIn } from '../support/guide.js';

describe('guides: erasing people', function () {
  this.timeout(120_000);
  let folder = '';
  const run = (...words: string[]) => command(words, { cwd: folder, env: { TREFOIL_CONFIG: 'trefoil.yaml' } });
  const done = async (...words: string[]) => {
    const outcome = await run(...words);
    expect(outcome.code, `${words.join(' ')}: ${outcome.stderr}`).to.equal(0);
    return outcome.stdout;
  };
  const load = () => done('beacon', 'add', 'variants', '--ds', 'local', '--vcf', 'ADM1059A1.vcf');
  const loaded = async () => (await done('beacon', 'list', 'samples', '--ds', 'local')).includes('ADM1059A1');

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-erasure-guide-'));
    await writeFile(
      join(folder, 'trefoil.yaml'),
      'demo: false\nmigrate: auto\nplugins: { beacon: {}, coverage: {} }\n',
    );
    const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT', 'ADM1059A1'];
    const record = ['1', '1000', '.', 'A', 'C', '.', 'PASS', '.', 'GT', '0/1'];
    const lines = ['##fileformat=VCFv4.2', columns.join('\t'), record.join('\t')];
    await writeFile(join(folder, 'ADM1059A1.vcf'), `${lines.join('\n')}\n`);
    await done(
      'beacon',
      'add',
      'dataset',
      '--did',
      'local',
      '--name',
      'Local',
      '--build',
      'GRCh37',
      '--authlevel',
      'public',
    );
    await load();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has commands that do what it says', async () => {
    const blocks = blocksIn('config/erasure.md').filter(({ text }) => !text.includes('psql'));
    const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'));
    const typed = lines.map((line) => line.replace('npx trefoil ', '').split(' '));
    expect(typed.map((words) => words.slice(0, 2).join(' '))).to.deep.equal([
      ...['erase --sample', 'erase --sample', 'consent list', 'consent restore', 'erase --replay', 'erasures accept'],
    ]);
    const [erase = [], object = [], list = [], restore = [], replay = [], accept = []] = typed;
    const data = join(folder, 'data/trefoil.sqlite');
    await done('backup', 'backup.sqlite');

    const unasked = await run(...erase);
    expect([unasked.code, await loaded()]).to.deep.equal([1, true]);
    await done(...erase, '--yes');
    expect(await loaded()).to.equal(false);

    // An older database has the person again.
    for (const end of ['', '-wal', '-shm']) await rm(data + end, { force: true });
    await cp(join(folder, 'backup.sqlite'), data);
    expect(await loaded()).to.equal(true);
    await done(...replay);
    expect(await loaded()).to.equal(false);

    await load();
    await done(...object, '--yes');
    expect(await done(...list)).to.include('ADM1059A1');
    const skipped = await command(['beacon', 'add', 'variants', '--ds', 'local', '--vcf', 'ADM1059A1.vcf'], {
      ...{ cwd: folder, env: { TREFOIL_CONFIG: 'trefoil.yaml' } },
    });
    const told = /Not loaded: sample ADM1059A1, because of an objection to sharing \(\d{4}-\d\d-\d\d\)/;
    expect(skipped.stdout + skipped.stderr).to.match(told);
    expect([skipped.code, await loaded()]).to.deep.equal([0, false]);
    await done(...restore);
    await load();
    expect(await loaded()).to.equal(true);

    // The list loses its last line.
    const file = join(folder, 'data-erasures/trefoil.sqlite.erasures');
    const whole = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(file, `${whole.slice(0, -1).join('\n')}\n`);
    const check = await run('check');
    const shown = blocks.find(({ language }) => language === 'text')?.text ?? '';
    const stable = (text: string) =>
      text
        .replace(/\S*data-erasures/, 'data-erasures')
        .replace(/its key file|the database/, '…')
        .replaceAll(/\b\d+\b/g, 'N');
    expect(check.code).to.equal(1);
    expect(stable(check.stderr)).to.include(stable(shown));
    await done(...accept, '--yes');
    expect((await run('check')).code).to.equal(0);
  });
});
