/** `matchmaker rehearse` as a site types it: what its time line says, and that nothing is left of it. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { abridgedText } from '../../../support/abridged.js';
import { useFolder } from '../../../support/folder.js';
import { blocksOf } from '../../../support/guide.js';
import { Running, trefoil } from '../../../support/trefoil.js';
import type { Json } from '../support/serve.js';

describe('matchmaker: the rehearsal of an exchange', function () {
  this.timeout(180_000); // three servers, on a busy machine
  const folder = useFolder();
  // Variables of a site: none of its database, mail server and key may be used.
  const options = () => ({
    cwd: folder.path(),
    env: { TMPDIR: folder.path(), MAIL_SERVER: 'mail.invalid', MATCHMAKER_KEY: 'the key of the site itself' },
  });
  const words = ['matchmaker', 'rehearse'];

  /** Without the cache of the compiler, which runs if there is no build. */
  const written = async () => (await readdir(folder.path())).filter((name) => !name.startsWith('tsx-'));

  async function nothingIsLeft(urls: readonly string[]): Promise<void> {
    expect(await written()).to.deep.equal([]);
    for (const url of urls) {
      const refused = await fetch(url).then(
        () => undefined,
        ({ cause }: Error) => (cause as NodeJS.ErrnoException).code,
      );
      expect(refused, url).to.equal('ECONNREFUSED');
    }
  }

  it('tells both sides of each match once, finds no withdrawn patient, and leaves nothing', async () => {
    const { code, stdout, stderr } = await trefoil([...words, '--json'], options());
    expect([code, stderr]).to.deep.equal([0, '']);
    const steps: Json[] = JSON.parse(stdout);
    const of = (kind: string) => steps.filter(({ step }) => step === kind);
    const urls = of('start').map(({ url }) => url);
    expect(new Set(urls).size).to.equal(3);
    expect(of('connect').map(({ node, nodes }) => [node, nodes])).to.deep.equal([
      ['north', ['south', 'west']],
      ['south', ['north', 'west']],
      ['west', ['north', 'south']],
    ]);
    // Demo patients 1 and 2 have SCN1A, 5 and 6 KMT2D, which MLL2 was called before; the ids are Ensembl's and former ones.
    expect(of('submit').map(({ patient, gene }) => [patient, gene])).to.deep.equal([
      ['south-1', 'ENSG00000144285'],
      ['west-1', 'KMT2D'],
      ['north-1', 'SCN1A'],
      ['north-2', 'MLL2'],
    ]);
    expect(
      of('mail').map(({ to, patient, match, genes, contact }) => [to, patient, match, genes, contact]),
    ).to.deep.equal([
      ['clinic@north.example.org', 'north-1', 'south-1', 'SCN1A', 'clinic@south.example.org'],
      ['clinic@south.example.org', 'south-1', 'north-1', 'SCN1A', 'clinic@north.example.org'],
      ['clinic@north.example.org', 'north-2', 'west-1', 'KMT2D', 'clinic@west.example.org'],
      ['clinic@west.example.org', 'west-1', 'north-2', 'KMT2D', 'clinic@north.example.org'],
    ]);
    // Each node computes the score itself, with the same resources.
    const scores = of('mail').map(({ score }) => score);
    expect([scores[0], scores[2]]).to.deep.equal([scores[1], scores[3]]);
    expect(of('audit').map(({ node, reader, patient }) => [node, reader, patient])).to.deep.equal([
      ['south', 'north', 'south-1'],
    ]);
    expect(steps.slice(-4).map(({ node, step, patient }) => [node, step, patient])).to.deep.equal([
      ['south', 'withdraw', 'south-1'],
      ['north', 'search', 'north-1'],
      ['north', 'search', 'north-1'],
      ['all', 'end', undefined],
    ]);
    expect(steps.at(-3)?.recorded).to.equal('south-1');
    expect(steps.at(-2)?.found).to.be.an('array').that.does.not.include('south-1');
    const times = steps.map(({ seconds }) => seconds);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(stdout).to.not.match(/trf_|the key of the site/);
    await nothingIsLeft(urls);
  });

  it('prints the time line that the guide shows', async () => {
    const [command, shown] = blocksOf('config/matchmaker-nodes.md', 'See an exchange first');
    expect(command?.text).to.equal(`npx trefoil ${words.join(' ')}`);
    const { code, stdout } = await trefoil(words, options());
    expect(code).to.equal(0);
    // Times and ports are those of the machine.
    const stable = (text = '') =>
      text
        .trimEnd()
        .replaceAll(/^ *\d+\.\d s/gm, 'T s')
        .replaceAll(/(127\.0\.0\.1):\d+/g, '$1:P');
    expect(abridgedText(stable(stdout), stable(shown?.text))).to.equal(stable(shown?.text));
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`ends in good order and leaves nothing after ${signal}`, async () => {
      const running = new Running(words, options());
      await running.says(/west +connects/);
      const urls = [...running.stdout.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)].map(([url]) => url);
      expect(urls).to.have.length(3);
      const outcome = await running.kill(signal);
      expect([outcome.code, outcome.stderr]).to.deep.equal([code, 'trefoil: interrupted\n']);
      expect(outcome.stdout).to.not.include('nothing is left');
      await nothingIsLeft(urls);
    });
  }

  it('says in one sentence which step failed', async () => {
    // Mails of south cannot be written.
    const running = new Running(words, options());
    await running.says(/south +starts/);
    const [made = ''] = await written();
    await mkdir(join(folder.path(), made, 'south.mbox'));
    const failed = await running.ended;
    expect([failed.code, failed.stderr]).to.deep.equal([
      1,
      'trefoil: The rehearsal failed while south asks its partners about south-1: EISDIR: illegal operation on a directory, read\n',
    ]);
    await nothingIsLeft([]);
  });
});
