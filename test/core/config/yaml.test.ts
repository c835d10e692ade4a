import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { faultsOf, shown } from '../../support/configured.js';
import { useFolder } from '../../support/folder.js';

describe('configuration: YAML mistakes', () => {
  const folder = useFolder();

  const cases: [what: string, text: string, expected: RegExp][] = [
    ['a key given twice', 'http:\n  port: 1\n  port: 2\n', /given twice.*:3:3/],
    ['a map that does not close', 'http: { port: 1\nlog: {}\n', /YAML: .*:\d+:\d+/],
    ['a tab as indentation', 'http:\n\tport: 1\n', /YAML: .*:2:\d+/],
    ['an unknown tag', 'http:\n  host: !secret x\n', /YAML: Unresolved tag.*:2:9/],
    ['a list at the top', '- http\n', /map of sections.*:1:1/],
    ['an alias without its anchor', 'http: *nowhere\n', /no anchor "&nowhere".*:1:7/],
    ['an alias of itself', 'http: &loop\n  cors: *loop\n', /contains itself.*:2:9/],
    ['two documents', 'demo: true\n---\ndemo: false\n', /YAML: .*:2:1/],
    ['a key that is a list', '? [a, b]\n: 1\n', /plain text.*:1:3/],
    ['a key that reaches for the prototype', '__proto__:\n  demo: true\n', /unknown key.*:1:1/],
  ];
  const levels = Array.from(
    { length: 9 },
    (_, n) => `l${n + 1}: &l${n + 1} [${Array(10).fill(`*l${n}`).join(', ')}]\n`,
  );
  const doubled = Array.from({ length: 30 }, (_, n) => `l${n + 1}: &l${n + 1} {x: *l${n}, y: *l${n}}\n`);
  cases.push(
    // 10^9 values in 500 bytes; the fault is at the alias with which there are too many.
    [
      'aliases that multiply',
      `l0: &l0 [x]\n${levels.join('')}`,
      /more than 50000 values, each alias written out.*:6:\d+/,
    ],
    [
      'aliases that multiply within sections',
      `l0: &l0 {x: 1}\n${doubled.join('')}`,
      /more than 50000 values.*:\d+:\d+/,
    ],
    [
      'aliases of a long text',
      `l0: &l0 ${'x'.repeat(5e5)}\nl1: [${'*l0, '.repeat(4e4)}]\n`,
      /more than 4194304 characters.*:2:\d+/,
    ],
    ['lists within lists', `http: ${'['.repeat(70)}1${']'.repeat(70)}\n`, /more than 64 levels deep.*:1:\d+/],
    ['lists within lists without end', `http: ${'['.repeat(20_000)}`, /YAML: .*:1:\d+/],
    [
      'a list of more values than there are settings',
      `http: [${'1,'.repeat(60_000)}]\n`,
      /more than 50000 values.*:1:\d+/,
    ],
    ['more mistakes than anybody reads', 'http:\n  port: 1\n'.repeat(500), /lab\.yaml has \d+ more mistakes/],
  );
  for (const [what, text, expected] of cases) {
    it(`reports file, line and column of ${what}`, async () => {
      const file = await folder.write('lab.yaml', text);
      const faults = await faultsOf({ file, environment: { TREFOIL_STORAGE: 'memory' } });
      expect(faults.map(shown).join('\n')).to.match(expected).and.to.include('lab.yaml:');
    });
  }

  it('reports all of several mistakes', async () => {
    const file = await folder.write('lab.yaml', 'demo: true\ndemo: true\nlog: !x {}\n');
    const faults = await faultsOf({ file });
    expect(faults.map(({ source }) => source?.replace(/^.*lab/, 'lab'))).to.deep.equal([
      'lab.yaml:2:1',
      'lab.yaml:3:6',
    ]);
  });

  it('reads what an alias stands for as it was when the alias is written', async () => {
    const names = (origin: string) => `{ origins: [${origin}] }`;
    const text = `http:\n  cors: &it ${names('https://a.example.org')}\nlog: { level: &it info }\nauth: {}\n`;
    const file = await folder.write('lab.yaml', `${text}demo: *it\n`);
    // The second anchor of the name counts, so that the fault is about a text.
    expect((await faultsOf({ file })).map(shown).join('\n')).to.match(/demo.*:5:/);
  });

  it('reports a file that is larger than a configuration can be', async () => {
    const file = await folder.write('lab.yaml', `# ${'x'.repeat(1024 * 1024)}\n`);
    expect((await faultsOf({ file })).map(shown).join()).to.match(/lab\.yaml is larger than 1048576 bytes/);
  });

  it('reports a file in another encoding', async () => {
    const file = await folder.write('lab.yaml', 'demo: true # sjukhuset i Umeå\n');
    await writeFile(file, (await readFile(file)).toString(), 'latin1');
    expect((await faultsOf({ file })).map(shown).join()).to.match(/lab\.yaml is not UTF-8 text \(--config\)/);
  });

  it('reports a file that does not exist, and what named it', async () => {
    const file = `${folder.path()}/none.yaml`;
    expect((await faultsOf({ file })).map(shown).join()).to.match(/none\.yaml does not exist \(--config\)/);
    const environment = { TREFOIL_CONFIG: file };
    expect((await faultsOf({ environment })).map(shown).join()).to.match(
      /does not exist \(environment variable TREFOIL_CONFIG/,
    );
  });
});
