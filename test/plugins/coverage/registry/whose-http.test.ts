/** What comparisons of registered samples found, over HTTP: who gets names of others, and what is recorded. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { beacon, beaconDepths } from '../../../../plugins/beacon/contract.js';
import type { CoverageSources } from '../../../../plugins/coverage/measure/sources.js';
import { comparingOf } from '../../../../plugins/coverage/samples/findings.js';
import type { CalledDepth } from '../../../../plugins/services/beacon.js';
import { blockFolder } from '../../../support/folder.js';
import { outcome } from '../../../support/http.js';
import { assayOf, calledOf, chanceOf, exonStart, personOf, writeAssay } from '../support/assays.js';
import { type Coverage, serveCoverage } from '../support/serve.js';

interface Body {
  job: { href: string };
  state: string;
  result: { state: string; warnings?: string[] };
  warnings: { code: string; message: string }[];
  samples: { warnings: { code: string }[] }[];
}

describe('whose a file is, over HTTP', function () {
  this.timeout(60_000);
  const folder = blockFolder();
  let server: Coverage;
  let [write, read] = ['', ''];
  const day = new Date(0);

  before(async () => {
    const chance = chanceOf(5);
    const assay = assayOf(300, 0.4, { depth: 60, own: 0.08, called: 0.95 }, chance);
    server = await serveCoverage({ settings: { roots: [folder] }, withBeacon: true, isAudited: true });
    const repository = server.storage.repository(beacon);
    await repository.addDataset({ id: 'd', name: 'd', assembly: 'GRCh38', access: 'CONTROLLED', version: 1 }, day);
    const none = async function* () {
      yield [];
    };
    await repository.importAlleles({ dataset: 'd', samples: ['a', 'b', 'c'], alleles: none() }, day);
    const own = new Map<string, readonly CalledDepth[]>();
    for (const [id, calls] of [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'c'],
    ] as const) {
      const depths = personOf(assay, chance);
      writeAssay(join(folder, `${id}.d4`), depths);
      const places = calledOf(assay, depths, chance).map(({ depth }, exon) => {
        return { chromosome: '21' as const, start: exonStart(exon) + 100, depth };
      });
      own.set(calls, places);
    }
    await server.storage.repository(beaconDepths).add('d', 'GRCh38', own);
    server.startJobs();
    [write, read] = [await server.token('coverage:register'), await server.token('coverage:read')];
  });
  after(() => server?.close());

  const ask = (method: string, path: string, token?: string, json?: unknown) =>
    outcome<Body>(server.url + path, { method, token, json });

  async function register(id: string): Promise<Body> {
    const stated = { coverage_file_path: `${id}.d4`, build: 'GRCh38', labels: { assay: 'W' } };
    const { body } = await ask('PUT', `/coverage/registry/samples/${id}`, write, stated);
    for (;;) {
      const { body: job } = await ask('GET', body.job.href, write);
      if (['done', 'failed'].includes(job.state)) return job;
      await sleep(50);
    }
  }
  const codes = (warnings: { code: string }[]) => warnings.map(({ code }) => code).filter((code) => /calls/.test(code));

  it('is in the result of the check without the name of another, and with it for those who may see samples', async () => {
    const first = await register('a');
    expect(first.result.warnings).to.deep.equal([
      'Whether the calls of dataset d belong to the coverage file could not be told: no other sample of its assay and build is registered',
    ]);
    const { result } = await register('b');
    expect(result.warnings?.join()).to.match(
      /fit the coverage file of another sample of the assay better than its own: r = 0\.\d\d/,
    );
    await register('c');
    const one = (await ask('GET', '/coverage/registry/samples/a', read)).body;
    expect(codes(one.warnings)).to.deep.equal(['calls-elsewhere']);
    expect(one.warnings.at(-1)?.message).to.include('of sample b better than its own');
    const { samples } = (await ask('GET', '/coverage/registry/samples', read)).body;
    expect(samples.map(({ warnings }) => codes(warnings))).to.deep.equal([
      ['calls-elsewhere'],
      ['calls-elsewhere'],
      [],
    ]);
  });

  it('is recorded of the other sample as well, if it is named', async () => {
    const before = (await server.audited()).length;
    await ask('GET', '/coverage/registry/samples/a', read);
    const [shown] = (await server.audited()).slice(before).filter(({ action }) => action === 'coverage.samples');
    const people = shown?.about.map((one) => shown.names.get(one) ?? one);
    expect(people).to.include.members(['sample:a', 'sample:b']).and.not.include('sample:c');
  });

  it('is in reports, which name another sample only if they are about it', async () => {
    const noticesOf = async (...ids: string[]) => {
      const fields = {
        build: 'GRCh38',
        interval_type: 'custom_intervals',
        intervals_bed: `21\t${exonStart(0)}\t${exonStart(0) + 100}`,
        format: 'json',
      };
      const samples = Object.fromEntries(ids.map((id, i) => [`sample_id_${i + 1}`, id]));
      const response = await fetch(`${server.url}/report`, {
        method: 'POST',
        body: new URLSearchParams({ ...fields, ...samples }),
      });
      expect(response.status).to.equal(200);
      return JSON.stringify(await response.json());
    };
    expect(await noticesOf('a'))
      .to.include('of another sample of the assay better than its own')
      .and.not.include('sample b');
    expect(await noticesOf('a', 'b'))
      .to.include('of sample b better than its own')
      .and.include('of sample a better');
    expect(await noticesOf('c')).not.to.include('calls of dataset');
  });

  it('is not looked for between tenants', () => {
    const within = (reach: unknown) => ({
      has: (path: string) => path.startsWith(`/${(reach as { name: string }[])[0]?.name}/`),
    });
    const sources = { within } as unknown as CoverageSources;
    const tenant = (name: string) => ({
      name,
      roots: [],
      urls: [],
      datasets: [`of-${name}`],
      clients: [],
      panels: [],
      shared: [],
    });
    const tools = { samples: server.samples, sources, calledDepths: async () => undefined };
    const { areOfOneTenant } = comparingOf({ ...tools, tenants: [tenant('a'), tenant('b')] });
    const asked: [string | undefined, string[]][] = [
      [undefined, ['/a/1', '/a/2']],
      [undefined, ['/a/1', '/b/2']],
      ['of-a', ['/a/1']],
      ['of-b', ['/a/1']],
      [undefined, ['/c/1']],
    ];
    expect(asked.map(([dataset, paths]) => areOfOneTenant(dataset, paths))).to.deep.equal([
      true,
      false,
      true,
      false,
      false,
    ]);
    expect(comparingOf({ ...tools, tenants: [] }).areOfOneTenant('of-b', ['/c/1'])).to.equal(true);
  });
});
