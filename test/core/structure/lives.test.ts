/**
 * How many files of ours a warm request enters: a reader who follows one query, one match or one report meets as many. V8 counts the
 * functions that ran, all plugins beside each other in one server on SQLite. `TEST_FILES=1` prints them.
 */
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../../core/testing.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const patient = {
  id: 'case-1',
  contact: { name: 'A. Clinician', href: 'mailto:a.clinician@example.org' },
  features: [{ id: 'HP:0002373' }, { id: 'HP:0001251' }],
  genomicFeatures: [{ gene: { id: 'SCN1A' } }],
};

describe('files that a warm request enters', function () {
  this.timeout(60_000);
  let server: TestServer;
  let token: string;
  const session = new Session();

  before(async () => {
    server = await serveForTest({
      plugins: { beacon: {}, coverage: {}, matchmaker: {}, panels: {} },
      settings: { demo: true },
    });
    token = await server.token('matchmaker:query');
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  });
  after(async () => {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
    await server?.close();
  });

  /** Ours among the files whose functions ran since the last call, as paths from the root. */
  async function entered(): Promise<string[]> {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return (
      result
        .filter(
          ({ url, functions }) =>
            url.startsWith('file:') && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
        )
        .map(({ url }) => relative(root, fileURLToPath(url.replace(/\?.*$/, ''))))
        // The server of tests is not a part of the product; jobs are looked for at intervals, whatever is asked.
        .filter((file) => /^(core\/(?!testing\/|jobs\/)|plugins\/|adapters\/)/.test(file))
        .sort()
    );
  }

  const lives = [
    {
      of: 'a query',
      most: 35,
      ask: () =>
        fetch(
          `${server.url}/apiv1.0/query?assemblyId=GRCh37&referenceName=1&start=156146085&referenceBases=C&alternateBases=A`,
        ),
    },
    {
      of: 'a match',
      most: 55,
      ask: () =>
        fetch(`${server.url}/match`, {
          method: 'POST',
          headers: {
            'X-Auth-Token': token,
            'Content-Type': 'application/vnd.ga4gh.matchmaker.v1.0+json',
          },
          body: JSON.stringify({ patient }),
        }),
    },
    { of: 'a report', most: 90, ask: () => fetch(`${server.url}/report/demo`) },
  ];

  for (const { of, most, ask } of lives) {
    it(`are at most ${most} for ${of}`, async () => {
      for (let warm = 0; warm < 3; warm += 1) await (await ask()).text();
      // What works beside requests (jobs, timers) may enter files during one of them, but not during each. Time stands still: on a busy
      // machine what is read anew ten times a second would be read for each.
      let files: string[] | undefined;
      const clock = performance.now;
      const stopped = performance.now();
      performance.now = () => stopped;
      try {
        await (await ask()).text();
        for (let asked = 0; asked < 20; asked += 1) {
          await setTimeout(50);
          await entered();
          const answer = await ask();
          expect(answer.status).to.equal(200);
          await answer.text();
          const now = await entered();
          files = files?.filter((file) => now.includes(file)) ?? now;
        }
      } finally {
        performance.now = clock;
      }
      console.log(`      ${of}: ${files?.length} files`);
      if (process.env.TEST_FILES === '1') console.log(files?.map((file) => `        ${file}`).join('\n'));
      expect(files).to.have.lengthOf.within(1, most);
    });
  }
});
