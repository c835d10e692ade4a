/** A storage adapter in a package of its own, which knows Trefoil by its public doors only. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ClassicLevel } from 'classic-level';
import { beaconCases, depthCases, geneCases, protectionCases } from '../../conformance/beacon.js';
import {
  auditCases,
  type Case,
  erasureCases,
  jobCases,
  sessionCases,
  storageCases,
  tableCases,
  tokenCases,
} from '../../conformance/core.js';
import {
  cohortCases,
  coverageCases,
  regionCases,
  reportCases,
  sampleCases,
  siteCases,
  trackCases,
} from '../../conformance/coverage.js';
import {
  mailCases,
  matchCases,
  matchmakerCases,
  nodeCases,
  resourceCases,
  auditCases as trailCases,
  triageCases,
} from '../../conformance/matchmaker.js';
import { panelCases } from '../../conformance/panels.js';
import { reviewCases } from '../../conformance/reviews.js';
import { blocksOf, follow } from '../../support/guide.js';
import { sampled } from '../../support/sample.js';
import { brief, Running, trefoil } from '../../support/trefoil.js';
import { installWithLevel } from './installed.js';

const plainRunner = fileURLToPath(new URL('../support/plain-runner.mjs', import.meta.url));

/** Imports one sample after the other, and says so when an import is acknowledged. */
const importer = `
import level from '@lab/trefoil-level';
import { beacon, beaconStores } from 'trefoil/beacon/conformance';
const log = { debug() {}, info() {}, warn() {}, error() {} };
const stores = new Map(beaconStores.map((store) => [store.contract.id, async () => store]));
const settings = { folder: process.argv[3] };
const storage = await level.open({ settings, contracts: [beacon], bindings: new Map(), stores, log });
await storage.migrate();
const repository = storage.repository(beacon);
const now = new Date(0);
if (process.argv[2] === 'import') {
  await repository.addDataset({ id: 'ds', name: 'ds', assembly: 'GRCh37', access: 'PUBLIC', version: 1 }, now);
  for (let i = 0; ; i++) {
    const alleles = Array.from({ length: 200 }, (_, k) => ({
      contig: '1', start: k, end: k + 1, reference: 'A', alternate: 'T', kind: 'SNP', structural: false, carriers: [[0, 1]],
    }));
    await repository.importAlleles({ dataset: 'ds', samples: ['s' + i], alleles: (async function* () { yield alleles; })() }, now);
    console.log(i);
  }
}
console.log(JSON.stringify({ stored: await repository.dataset('ds'), counted: await repository.recount('ds') }));
await storage.close();
`;

/** A plugin whose contracts have neither a store nor a binding. */
const lacking = `
import { definePlugin } from 'trefoil/plugin';
import { defineContract } from 'trefoil/storage';
export default definePlugin({
  name: 'lacking',
  api: 1,
  summary: 'Keeps nothing',
  settings: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  contracts: [defineContract('birds@1'), defineContract('bees@1')],
  register() {},
});
`;

describe('an adapter in its own package, on LevelDB', function () {
  this.timeout(240_000); // builds and packs, and runs the kit
  let installed: ReturnType<typeof installWithLevel>;
  before(() => {
    installed = installWithLevel();
    writeFileSync(join(installed.folder, 'import.mjs'), importer);
  });
  after(() => installed.remove());

  it('passes the conformance kit, of which .ci/long runs every case', async () => {
    const args = [...brief, '--import', plainRunner, join(installed.adapter, 'conformance.test.js')];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
    const beaconOnes: readonly (readonly Case<never>[])[] = [beaconCases, geneCases, depthCases, protectionCases];
    const coverageOnes: readonly (readonly Case<never>[])[] = [
      ...[coverageCases, sampleCases, trackCases, cohortCases],
      ...[siteCases, regionCases, reportCases],
    ];
    const ofAdapter: readonly (readonly Case<never>[])[] = [storageCases, tableCases];
    const all: readonly (readonly Case<never>[])[] = [
      ...[...ofAdapter, tokenCases, jobCases, sessionCases, auditCases, erasureCases],
      ...[
        ...beaconOnes,
        ...coverageOnes,
        panelCases,
        reviewCases,
        resourceCases,
        mailCases,
        trailCases,
        triageCases,
        nodeCases,
        matchmakerCases,
        matchCases,
      ],
    ];
    const applies = ({ needs }: Case<never>) => needs === undefined || needs === 'durable';
    const counts = { pass: 0, skipped: 0, fail: 0, 'left out': 0 };
    for (const cases of all) {
      const apply = cases.filter(applies);
      const run = ofAdapter.includes(cases) ? apply : sampled(apply, 8);
      counts.pass += run.length;
      counts['left out'] += apply.length - run.length;
      counts.skipped += cases.length - apply.length;
    }
    for (const [name, count] of Object.entries(counts)) expect(stdout).to.include(`# ${name} ${count}\n`);
  });

  it('serves all plugins as its README describes', async () => {
    await follow(blocksOf('test/support/kv-adapter/README.md', 'Using it'), { folder: installed.folder });
  });

  it('keeps every acknowledged import completely when it is killed', async () => {
    const options = { cwd: installed.folder, script: join(installed.folder, 'import.mjs') };
    const killed = new Running(['import', 'killed'], options);
    await killed.says(/^12$/m);

    const { signal } = await killed.kill('SIGKILL');
    expect(signal).to.equal('SIGKILL');
    const acknowledged = killed.stdout.trimEnd().split('\n').length;
    const { stdout: answer } = await new Running(['count', 'killed'], options).ended;
    const { stored, counted } = JSON.parse(answer);
    expect(counted.samples).to.be.within(acknowledged, acknowledged + 1);
    expect(counted).to.deep.equal({ alleles: 200, calls: 200 * counted.samples, samples: counted.samples });
    expect([stored.alleleCount, stored.callCount, stored.sampleCount]).to.deep.equal(Object.values(counted));
  });

  it('refuses a folder that an earlier version made, and says what to do', async () => {
    const { folder } = installed;
    const old = join(folder, 'old');
    const config = join(folder, 'old.yaml');
    writeFileSync(config, "storage: { adapter: '@lab/trefoil-level', folder: old }\nplugins: { beacon: {} }\n");
    const options = { cwd: folder, script: join(folder, 'node_modules/.bin/trefoil'), env: { TREFOIL_CONFIG: config } };
    expect((await trefoil(['token', 'list'], options)).code).to.equal(0);
    const made = new ClassicLevel<Buffer, string>(old, { keyEncoding: 'buffer' });
    // The storage's own key for its layout: parts of UTF-16 with the high byte first.
    await made.put(Buffer.from('\0layout', 'utf16le').swap16(), '1');
    await made.close();

    const { code, stderr } = await trefoil(['token', 'list'], options);
    expect(code).to.be.greaterThan(0);
    expect(stderr).to.include(
      'has layout 1, and this version of the adapter reads only layout 2: use the version that made',
    );
    expect(stderr).not.to.match(/^ +at /m);
  });

  it('reports in one sentence that another process has opened the folder, and which contracts it lacks', async () => {
    const { folder } = installed;
    const settings = "storage: { adapter: '@lab/trefoil-level', folder: held }";
    writeFileSync(join(folder, 'lacking.mjs'), lacking);
    writeFileSync(join(folder, 'lacking.yaml'), `${settings}\nplugins: { ./lacking.mjs: {} }\n`);
    writeFileSync(join(folder, 'beacon.yaml'), `${settings}\nplugins: { beacon: {} }\n`);
    const holder = new Running(['import', 'held'], { cwd: folder, script: join(folder, 'import.mjs') });
    try {
      await holder.says(/^0\n/);
      const script = join(folder, 'node_modules/.bin/trefoil');
      const migrated = (config: string) =>
        trefoil(['migrate'], { cwd: folder, script, env: { TREFOIL_CONFIG: config } });
      const [locked, missing] = [await migrated('beacon.yaml'), await migrated('lacking.yaml')];
      expect(locked.code).to.be.greaterThan(0);
      expect(locked.stderr).to.match(/LevelDB folder \S+held cannot be opened: another process has it open/);
      expect(missing.code).to.be.greaterThan(0);
      expect(missing.stderr).to.match(/LevelDB cannot fulfil birds@1, bees@1\n/);
      for (const { stderr } of [locked, missing]) expect(stderr).not.to.match(/^ +at /m);
    } finally {
      await holder.kill('SIGKILL');
    }
  });
});
