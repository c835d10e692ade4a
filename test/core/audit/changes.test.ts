/** Which operations and commands are in the audit, and why others are not; and the entries of API tokens. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createOutline } from '../../../core/cli/outline.js';
import { serveForTest } from '../../../core/testing/server.js';
import { approved, withdrawn } from '../../plugins/panels/support/hgnc.js';
import { command } from '../../support/command.js';

/** By the entry that each writes: operations by their ids, commands by their names. */
const recorded: Readonly<Record<string, readonly string[]>> = {
  'audit.list': ['server_searchAudit', 'audit list'],
  'audit.export': ['audit export'],
  'audit.forget': ['audit forget'],
  'audit.accept': ['audit verify'],
  erase: ['erase', 'matchmaker erase'],
  consent: ['consent restore'],
  'erasures.accept': ['erasures accept'],
  'token.issue': [
    'token add',
    'beacon add user',
    'beacon import-cgbeacon2',
    'matchmaker add client',
    'matchmaker add demodata',
  ],
  'token.revoke': ['token revoke', 'matchmaker remove client', 'matchmaker remove demodata'],
  'session.revoke': ['session revoke'],
  'beacon.query': ['beacon_queryAlleles_post', 'beacon_queryForm_post'],
  'beacon.annotate': ['beacon annotate'],
  'beacon.observe': ['beacon_observeBatch', 'loqusdb variants'],
  'beacon.samples': ['beacon list samples', 'loqusdb cases', 'loqusdb profile'],
  'beacon.describe': ['beacon update samples'],
  'beacon.replace': ['loqusdb update'],
  'beacon.export': ['beacon export', 'loqusdb export'],
  'coverage.report': [
    ...['coverage_coverageReport', 'coverage_geneOverview', 'coverage_maneOverview', 'coverage_coverageOverview'],
    'coverage_genesSummary',
  ],
  'coverage.depth': ['coverage_intervalCoverage', 'coverage_intervalFileCoverage'],
  'coverage.callability': ['coverage_coveredSamples', 'coverage_sexesOfSamples'],
  'coverage.samples': ['coverage_searchKeptReports', 'coverage list samples', 'coverage list reports'],
  'coverage.ticket': ['coverage_makeTicket'],
  'matchmaker.add': [
    'matchmaker_addPatient',
    'matchmaker_importPatients',
    'matchmaker import',
    'matchmaker import-patientmatcher',
  ],
  'matchmaker.delete': ['matchmaker_deletePatient', 'matchmaker remove patient'],
  'matchmaker.match': ['matchmaker_match'],
  'matchmaker.search': ['matchmaker_matchExternal'],
  'matchmaker.read': [
    ...['matchmaker_searchSubmissions', 'matchmaker list patients', 'matchmaker export'],
    ...['matchmaker list submissions', 'matchmaker show submission'],
  ],
  'matchmaker.work': ['matchmaker_handOverSubmission', 'matchmaker_workOnMatchRow'],
  'panels.add': ['panels_newPanelForm', 'panels_newPanelVersion'],
  'panels.edit': ['panels_editPanelDraft', 'panels_editPanelForm'],
  'panels.submit': ['panels_submitPanel', 'panels_actOnPanelForm'],
  'panels.send-back': ['panels_sendBackPanel'],
  'panels.sign': ['panels_signPanel'],
  'panels.retire': ['panels_retirePanel'],
  'panels.remove': ['panels_removePanelDraft'],
  'panels.import': ['panels import', 'panels import-panelapp'],
  'panels.names': ['panels load-hgnc'],
  'reviews.read': ['reviews_searchWorklist', ...['reviews list', 'reviews show', 'reviews export', 'reviews digest']],
  'reviews.decide': ['reviews_decide', 'reviews decide'],
  'reviews.state': ['reviews_stateCase', 'reviews_restateCase', 'reviews load'],
  'reviews.remove': ['reviews_removeCase'],
  'reviews.approve': ['reviews_approveChange', 'reviews approve'],
};

/** By the reason; config/audit.md says the same to operators. */
const unrecorded: Readonly<Record<string, readonly string[]>> = {
  'changes what is stored of people or datasets, and shows nobody to anybody': [
    ...['beacon_addVariants', 'beacon_addDataset', 'beacon_deleteVariants', 'beacon_deleteVariants_delete'],
    ...['beacon_loqusdbLoadCase', 'beacon_loqusdbDeleteCase', 'beacon_describeSamples'],
    ...['coverage_registerSample', 'coverage_deleteRegisteredSample'],
    ...['beacon add dataset', 'beacon add variants', 'beacon update dataset', 'beacon delete dataset'],
    ...['beacon delete variants', 'beacon publish dataset', 'beacon import-loqusdb', 'loqusdb load', 'loqusdb delete'],
    ...['coverage add samples', 'coverage delete samples', 'coverage delete reports'],
  ],
  'is on the list of erasures': ['consent withdraw', 'consent list'],
  'changes reference data or what is computed, which are about nobody': [
    ...['coverage_loadExons', 'coverage_loadGenes', 'coverage_loadTranscripts', 'beacon update genes', 'beacon verify'],
    'beacon load-reference',
    'beacon rewrite datasets',
    ...['coverage load-genes', 'coverage load-transcripts', 'coverage load-exons', 'coverage load-gtf'],
    ...['coverage load-aliases', 'coverage import-chanjo2', 'coverage load-sites', 'coverage delete sites'],
    ...['coverage load-regions', 'coverage delete regions'],
    ...['reviews_previewChange', 'reviews preview', 'reviews run'],
    ...['coverage rebuild cohorts', 'coverage rebuild tracks', 'matchmaker update resources', 'matchmaker reindex'],
  ],
  'adds made-up people': ['beacon add demo', 'reviews demo'],
  'configures the exchange with other nodes and clients, which its lists show': [
    ...['matchmaker add node', 'matchmaker update node', 'matchmaker remove node', 'matchmaker update contact'],
  ],
  'operates the server or its database': [
    ...[
      'serve',
      'work',
      'migrate',
      'backup',
      'beacon run',
      'job cancel',
      'matchmaker test node',
      'matchmaker test email',
    ],
  ],
  'changes nothing, and shows nobody': [
    ...['coverage_coverageForm', 'coverage_listExons', 'coverage_listGenes', 'coverage_listTranscripts', 'check'],
    ...['backup verify', 'openapi', 'schema', 'token list', 'session list', 'job list', 'job show'],
    ...[
      'beacon dataset list',
      'beacon dataset show',
      'beacon list budgets',
      'coverage intervals',
      'coverage find-gene',
      'coverage list sites',
      'coverage list regions',
    ],
    ...['matchmaker list clients', 'matchmaker list node', 'matchmaker list quirk', 'matchmaker list audit'],
    ...[
      'matchmaker doctor',
      'matchmaker rehearse',
      'panels check',
      'panels list',
      'panels show',
      'panels diff',
      'panels holding',
      'panels export',
    ],
  ],
  'reads and writes files only': [
    ...['create', 'view', 'show', 'stat', 'gaps', 'ls-track', 'merge', 'verify', 'mosdepth'].map(
      (name) => `d4 ${name}`,
    ),
  ],
};

describe('what the audit records', function () {
  this.timeout(120_000);

  it('is decided for every operation that may change something, and for every command', async () => {
    const server = await serveForTest({
      plugins: {
        beacon: { loqusdb: { dataset: 'local', addresses: ['127.0.0.1'] } },
        coverage: { intervals: { httpLoading: true }, tickets: { key: 'k'.repeat(32) }, reports: { days: 9 } },
        matchmaker: { triage: {} },
        panels: {},
        reviews: {},
      },
      settings: { audit: { key: 'k'.repeat(32) } },
      jobs: false,
    });
    type Paths = Record<string, Record<string, { operationId: string }>>;
    const answer = await fetch(`${server.url}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Paths };
    await server.close();
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      // By Beacon v1.1 and v2 only questions are asked.
      path.startsWith('/beacon/v')
        ? []
        : Object.entries(methods).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
    );
    const outline = await createOutline();
    const commands = [
      ...outline.core.map(({ name }) => name),
      ...outline.words.flatMap(({ word, commands: own }) => own.map(({ name }) => `${word} ${name}`)),
    ];
    const decided = [...Object.values(recorded), ...Object.values(unrecorded)].flat();
    expect(decided.toSorted()).to.deep.equal([...operations, ...commands].toSorted());
  });

  it('is in the guide', async () => {
    const guide = await readFile('config/audit.md', 'utf8');
    const [, table = ''] = guide.split('## What is recorded');
    const listed = (table.split('\n## ')[0] ?? '').replace(
      /`([a-z]+)(\.[a-z-]+)`((?:, `\.[a-z-]+`)+)/g,
      (whole, plugin, _, more) => `${whole} ${String(more).replaceAll('`.', `\`${plugin}.`)}`,
    );
    for (const action of Object.keys(recorded)) expect(listed, action).to.include(`\`${action}\``);
  });
});

describe('API tokens and names of genes in the audit', function () {
  this.timeout(120_000);
  let folder = '';
  const run = async (...args: string[]) => {
    const env = { TREFOIL_CONFIG: 'trefoil.yaml', TREFOIL_SQLITE_FILE: 'trefoil.sqlite' };
    const outcome = await command(args, { cwd: folder, env });
    expect(outcome.code, outcome.stderr).to.equal(0);
    return outcome.stdout;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trefoil-audit-'));
    const settings = { audit: { key: 'k'.repeat(32) }, plugins: { matchmaker: {}, panels: {} }, migrate: 'auto' };
    await writeFile(join(folder, 'trefoil.yaml'), JSON.stringify(settings));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function entries(action: string): Promise<{ actor: string; about: string[]; detail?: object }[]> {
    return JSON.parse(await run('audit', 'list', '--action', action, '--json'));
  }

  it('say who issued and revoked which token, for whom, and for what, and never the token', async () => {
    const secret = (
      await run('token', 'add', '--owner', 'Lab A', '--scope', 'panels:read', '--expires', '2030-01-31')
    ).trim();
    const [{ id } = { id: '' }] = JSON.parse(await run('token', 'list', '--json')) as { id: string }[];
    const [issued, ...more] = await entries('token.issue');
    expect(more).to.deep.equal([]);
    expect(issued?.actor).to.match(/^cli:/);
    expect(issued).to.deep.include({
      about: [`credential:${id}`, 'token:Lab A'],
      detail: { scopes: 'panels:read', expires: '2030-01-31T23:59:59.999Z' },
    });
    await run('token', 'revoke', id);
    expect((await entries('token.revoke')).map(({ about }) => about)).to.deep.equal([
      [`credential:${id}`, 'token:Lab A'],
    ]);
    expect(JSON.stringify(await entries('token'))).to.not.include(secret);
  });

  it('have the tokens that commands of plugins issue', async () => {
    await run(
      'matchmaker',
      'add',
      'client',
      '--id',
      'clinic',
      '--contact',
      'a@clinic.example',
      '--token',
      't'.repeat(40),
    );
    expect((await entries('token.issue')).at(-1)?.about[1]).to.equal('token:clinic');
  });

  it('have the names of genes that are loaded', async () => {
    await writeFile(join(folder, 'set.txt'), approved);
    await writeFile(join(folder, 'withdrawn.txt'), withdrawn);
    await run(
      'panels',
      'load-hgnc',
      '--approved',
      'set.txt',
      '--withdrawn',
      'withdrawn.txt',
      '--release',
      '2026-11-01',
    );
    expect((await entries('panels.names'))[0]?.detail).to.include({ release: '2026-11-01' });
    await writeFile(join(folder, 'list.txt'), 'BAP1\n');
    await run('panels', 'import', '--file', 'list.txt', '--panel', 'kidney', '--by', 'Anna Berg');
    expect((await entries('panels.import')).map(({ about }) => about)).to.deep.equal([['panel:kidney']]);
  });
});
