/** `list submissions` and `show submission`, for people and for scripts. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { matchmaker, matchmakerTriage, type Sighting } from '../../../../plugins/matchmaker/contract.js';
import { command } from '../../../support/command.js';
import { blockFolder } from '../../../support/folder.js';
import { quiet, sqlite } from '../../../support/storages.js';
import { useOnce } from '../../../support/use.js';
import { contracts, type Json, patient } from '../support/serve.js';

const all = [...contracts, matchmakerTriage];
const at = new Date('2026-11-02T08:00:00Z');

function sighting(submission: number, other: string, more: Partial<Sighting> = {}): Sighting {
  return {
    ...{ id: `00000000-0000-4000-8000-0000000000${submission}${other.length}`, at, submission, owner: 'scout' },
    ...{ own: ['P-1'], node: { id: 'far', label: 'Far away' }, patient: other, content: other, direction: 'found' },
    ...{ contact: { name: 'Dr. Far', href: 'mailto:far@clinic.example.org' }, score: { patient: 0.5 }, terms: [] },
    ...{ genes: ['SCN1A'], stated: [] },
    ...more,
  };
}

describe('matchmaker: commands for submissions', function () {
  this.timeout(120_000);
  const folder = blockFolder();
  const home = useOnce(
    () => sqlite.home(all),
    (home) => home.discard(),
  );
  before(async () => {
    const storage = await home.open(all, { log: quiet });
    const facts = { submitter: 's', diagnosed: false, genes: [], variants: [], features: [] };
    const saves = [
      patient('P-1', { label: 'Case 1' }),
      patient('P-2', {
        genomicFeatures: [{ gene: { id: 'KMT2D' } }],
        contact: { name: 'Öst', href: 'https://o.example' },
      }),
      patient('P-3', { features: [{ id: 'HP:0000252' }] }),
    ].map((one) => ({ patient: one, facts, writer: { owner: 'scout', all: false }, at }));
    await storage.repository(matchmaker).savePatients(saves);
    const reading = { higherThan: 99.71, pairs: 50_000, patients: 600 };
    await storage
      .repository(matchmakerTriage)
      .seen([
        sighting(1, 'F-1', { score: { patient: 0.25, reading } }),
        sighting(1, 'F-22', { genes: [], score: { patient: 0.4 } }),
        sighting(2, 'F-333', { at: new Date('2026-11-03T08:00:00Z'), own: ['P-2'] }),
      ]);
    await storage.close();
    configure('on', { triage: {} });
    configure('off', {});
  });

  function configure(name: string, settings: object): void {
    const configuration = { storage: home.section, plugins: { matchmaker: settings } };
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify(configuration));
  }
  const run = (args: readonly string[], config = 'on') =>
    command(['matchmaker', ...args], { cwd: folder, env: { TREFOIL_CONFIG: join(folder, `${config}.yaml`) } });
  async function listed(...args: string[]): Promise<Json[]> {
    const { code, stdout, stderr } = await run(['list', 'submissions', ...args, '--json']);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }
  const idsOf = async (...args: string[]) => (await listed(...args)).map(({ id }) => id);

  it('list those with matches, the latest first, and select by the conditions of the page', async () => {
    const [first, second] = await listed();
    expect([first.id, first.genes, first.statuses]).to.deep.equal(['P-2', ['KMT2D'], { new: 1 }]);
    expect(second).to.deep.include({ number: 1, id: 'P-1', label: 'Case 1', owner: 'scout', statuses: { new: 2 } });
    expect(second).to.not.have.property('unseen');
    expect(await idsOf('--all')).to.deep.equal(['P-1', 'P-2', 'P-3']);
    expect(await idsOf('--gene', 'SCN1A')).to.deep.equal(['P-1']);
    expect(await idsOf('--all', '--term', 'HP:0000252')).to.deep.equal(['P-3']);
    expect(await idsOf('--text', 'f-333')).to.deep.equal(['P-2']);
    expect(await idsOf('--submitter', 'öst', '--node', 'far', '--status', 'new')).to.deep.equal(['P-2']);
    expect(await idsOf('--since', '2026-11-03')).to.deep.equal(['P-2']);
    const { stdout } = await run(['list', 'submissions', '--label', 'case']);
    expect(stdout.split('\n').slice(1, 2).join()).to.match(/^1 +P-1 +Case 1 +scout +SCN1A +2026-11-02T08:00 +2 new$/);
    expect((await run(['list', 'submissions', '--gene', 'GPX4'])).stdout).to.equal('There are no such submissions\n');
  });

  it('show one with its matches, those with a shared gene first', async () => {
    const { stdout } = await run(['show', 'submission', '--id', 'P-1']);
    expect(stdout).to.match(
      /^Submission 1: P-1 \(Case 1\)\nSubmitted by scout, contact A Doctor <doctor@example.org>\n/,
    );
    expect(stdout).to.match(/2 matches\nPATIENT .*\nF-1 +Far away +SCN1A +0.250 +99.71 % +.*\nF-22 +Far away +0.400/);
    const { stdout: json } = await run(['show', 'submission', '--number', '1', '--require-gene', '--json']);
    const { rows, stated, history } = JSON.parse(json);
    expect([rows.map((one: Json) => one.patient), stated, history]).to.deep.equal([['F-1'], [{ gene: 'SCN1A' }], []]);
  });

  it('refuse rubbish with one sentence', async () => {
    for (const [args, why] of [
      [['list', 'submissions', '--term', 'HP:9'], /--term must be an id of the HPO release in use/],
      [['list', 'submissions', '--since', 'yesterday'], /--since must be a date such as 2026-11-23/],
      [['list', 'submissions', '--all', '--node', 'far'], /--all submissions without matches have no status/],
      [['show', 'submission'], /--id or by --number/],
      [['show', 'submission', '--id', 'P-1', '--number', '1'], /not by both/],
      [['show', 'submission', '--number', '1e3'], /--number must be a whole number from 1 to 2147483647; got "1e3"/],
      [['show', 'submission', '--number', '99'], /There is no such submission/],
    ] as const) {
      const { code, stdout, stderr } = await run(args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr.trim()).to.match(why).and.not.include('\n');
    }
    expect((await run(['list', 'submissions', '--status', 'done'])).code).to.equal(2);
    const off = await run(['list', 'submissions'], 'off');
    expect([off.code, off.stderr]).to.deep.equal([
      1,
      'trefoil: The configuration has no plugins.matchmaker.triage, so nothing is kept about matches\n',
    ]);
  });
});
