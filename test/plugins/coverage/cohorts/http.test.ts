/** The values of a cohort on a server: with the check of a sample, after interval files were loaded, and until it is deleted. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { KnownCohorts } from '../../../../plugins/coverage/cohorts/layout-regions.js';
import { storedCohorts } from '../../../../plugins/coverage/cohorts/values.js';
import { coverageCohorts } from '../../../../plugins/coverage/contract.js';
import { blockFolder } from '../../../support/folder.js';
import { sendTo } from '../../../support/http.js';
import { person } from '../registry/support.js';
import { type Coverage, serveCoverage } from '../support/serve.js';

const header =
  'Chromosome/scaffold name\tGene start (bp)\tGene end (bp)\tGene stable ID\tHGNC symbol\tHGNC ID\tGene type';

describe('values of cohorts on a server', () => {
  const folder = blockFolder();
  let server: Coverage;
  let token: string;

  before(async () => {
    person(join(folder, 'a.d4'), 'female');
    const settings = { roots: [folder], levels: [10, 12, 20], intervals: { httpLoading: true } };
    server = await serveCoverage({ settings });
    server.startJobs();
    token = await server.token('coverage:load', 'coverage:register', 'coverage:read');
  });
  after(async () => {
    await server?.close();
  });

  const send = (method: string, path: string, json?: unknown) => sendTo(server.url + path, { method, token, json });

  async function ended(response: Response): Promise<void> {
    expect(response.status, await response.clone().text()).to.be.oneOf([200, 202]);
    const { job } = (await response.json()) as { job: { href: string } };
    for (;;) {
      const { state } = (await (await send('GET', job.href)).json()) as { state: string };
      if (state === 'done') return;
      expect(state).not.to.equal('failed');
      await sleep(20);
    }
  }

  /** Zero-based, half-open. */
  async function load(name: string, start: number, end: number): Promise<void> {
    const rows = `${header}\n1\t${start + 1}\t${end}\tENSG00000000001\tGENE\t1\tprotein_coding\n`;
    await writeFile(join(folder, name), rows);
    await ended(await send('POST', `/intervals/load/genes/GRCh38?file_path=${name}&force=true`));
  }

  async function values(start: number, end: number): Promise<unknown> {
    const cohorts = storedCohorts(new KnownCohorts(server.storage.repository(coverageCohorts)));
    const targets = [{ regions: [{ chromosome: '1', start, end }] }];
    const question = { build: 'GRCh38' as const, targets, thresholds: [10, 12, 15, 20] };
    const found = await cohorts.values(question, new AbortController().signal);
    const [target] = found.targets;
    const reached = target?.reached.map((column) => [...column]);
    return { ...found, medians: [...found.medians], targets: target && [[...target.means], reached] };
  }

  it('come with the check of a sample', async () => {
    await load('genes.tsv', 1_999_900, 2_000_100);
    await ended(await send('PUT', '/coverage/registry/samples/A', { build: 'GRCh38', coverage_file_path: 'a.d4' }));
    // Half of the gene has 12x.
    expect(await values(1_999_900, 2_000_100)).to.deep.equal({
      samples: ['A'],
      thresholds: [10, 12, 20],
      targets: [[6], [[100], [100], [0]]],
      medians: [Number.NaN],
    });
  });

  it('are computed again once another interval file was loaded', async () => {
    await load('others.tsv', 3_000_000, 3_010_000);
    const expected = { samples: ['A'], thresholds: [10, 12, 20], targets: [[12.5], [[5000], [5000], [5000]]] };
    for (;;) {
      const found = (await values(3_000_000, 3_010_000)) as { samples: string[]; targets: unknown };
      // Until the job has begun, the layout is that of the file before, which does not have the gene.
      if (found.samples.length === 0 || found.targets === undefined) {
        await sleep(20);
        continue;
      }
      expect(found).to.deep.equal({ ...expected, medians: [Number.NaN] });
      break;
    }
    expect(await values(1_999_900, 2_000_100)).to.deep.include({ targets: undefined });
  });

  it('leave with their sample, though its file is gone', async () => {
    await rm(join(folder, 'a.d4'));
    expect((await send('DELETE', '/coverage/registry/samples/A')).status).to.equal(200);
    expect(await values(3_000_000, 3_010_000)).to.deep.include({ samples: [] });
    const repository = server.storage.repository(coverageCohorts);
    const state = await repository.state('GRCh38');
    const parts = Array.from({ length: 8 }, (_, i) => i - 4);
    const found = await repository.read(state?.layout.id ?? '', { parts, planes: [0, 1, 2, 3] });
    expect(found?.blocks).to.deep.equal([]);
  });
});
