/** Every command of config/audit.md, on the audit of a server's storage, with what operators and consent add to it. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pino } from 'pino';
import { openStorage } from '../../core/start/storage.js';
import { beacon } from '../../plugins/beacon/contract.js';
import { add, january } from '../plugins/beacon/support/observed.js';
import { dataset } from '../plugins/beacon/support/serve.js';
import { command } from '../support/command.js';
import { configured } from '../support/configured.js';

describe('guides: the audit', function () {
  this.timeout(120_000);
  let folder = '';
  const run = async (...words: string[]) => {
    const done = await command(words, { cwd: folder, env: { TREFOIL_CONFIG: 'trefoil.yaml' } });
    expect(done.code, `${words.join(' ')}: ${done.stderr}`).to.equal(0);
    return done;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-audit-guide-'));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how a configuration names a file
    const audit = { key: '${file:audit.key}' };
    const storage = { adapter: 'sqlite', file: join(folder, 'trefoil.sqlite') };
    const erasures = { file: join(folder, 'erased') };
    const settings = { audit, storage, erasures, plugins: { beacon: {} }, migrate: 'auto' };
    await writeFile(join(folder, 'audit.key'), 'thirty-two characters or more of it\n');
    await writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(settings));
    await writeFile(join(folder, 'samples.txt'), 'ADM1059A1\nADM1059A2\n');
    await run('migrate');
    const opened = await openStorage(
      await configured({ file: join(folder, 'trefoil.yaml') }),
      pino({ level: 'silent' }),
    );
    try {
      const alleles = opened.repository(beacon);
      await alleles.addDataset(dataset('local', { access: 'CONTROLLED' }), january);
      await add(alleles, 'local', { ADM1059A1: { case: 'F1' }, ADM1059A2: { case: 'F2' } }, [], january);
    } finally {
      await opened.close();
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('has commands that run, and find what operators did', async () => {
    await run('beacon', 'list', 'samples', '--ds', 'local');
    await run('consent', 'withdraw', '--sample', 'ADM1059A2', '--yes');
    await run('consent', 'restore', '--sample', 'ADM1059A2');
    const listed = JSON.parse((await run('audit', 'list', '--json', '--action', 'erase', 'consent')).stdout);
    expect(listed.map(({ action, about }: { action: string; about: string[] }) => [action, about])).to.deep.equal([
      ['erase', ['list:erasures']],
      ['consent', ['list:erasures', 'sample:ADM1059A2', 'patient:ADM1059A2']],
    ]);

    const guide = readFileSync(new URL('../../config/audit.md', import.meta.url), 'utf8');
    const lines = [...guide.matchAll(/^npx trefoil (.*)$/gm)].map(([, words = '']) => words);
    expect(lines).to.have.length.above(4);
    const year = new Date().getFullYear();
    for (const line of lines) {
      const words = line
        .replace('/mnt/elsewhere/', '')
        .replaceAll(/2026-03-(01|31)/g, (_, day) => `${year}-${day === '01' ? '01-01' : '12-31'}`);
      const done = await run(...words.split(' '), ...(words.startsWith('audit forget') ? ['--yes'] : []));
      if (words.startsWith('audit list')) expect(done.stdout, line).to.include('beacon.samples');
    }
    expect((await run('audit', 'list')).stdout)
      .to.include('(forgotten ')
      .and.to.not.include('sample:ADM1059A1');
  });
});
