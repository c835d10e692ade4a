/** Metrics of a server: version, connections, coverage requests and the cache of D4 files. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { version } from '../../../core/package.js';
import { engines } from '../../support/engines.js';
import { useFolder } from '../../support/folder.js';
import { serve } from '../../support/trefoil.js';

/** The commit of the build, as it states it; `source` if there is none. */
function builtOf(): string {
  const stamp = fileURLToPath(new URL('../../../dist/build.json', import.meta.url));
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')).revision : 'source';
}

for (const { name, lead } of engines) {
  describe(`metrics on ${name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();

    it('include version, connections, coverage requests and the use of the file cache', async () => {
      const { env, drop } = await lead();
      try {
        await folder.write('lab.yaml', 'demo: true\nmigrate: auto\nplugins: { coverage: {} }\n');
        const options = { cwd: folder.path(), env: { ...env, TREFOIL_CONFIG: 'lab.yaml' } };
        const { url, process: server } = await serve(['serve', '--port', '0'], options);
        for (let i = 0; i < 2; i++) expect((await fetch(`${url}/report/demo?format=csv`)).status).to.equal(200);
        const refused = await fetch(`${url}/coverage/d4/interval/`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ coverage_file_path: '/none.d4', chromosome: '1' }),
        });
        expect(refused.status).to.equal(404);
        const lines = (await (await fetch(`${url}/-/metrics`)).text()).split('\n');
        await server.kill();
        // The server runs from the build if it is up to date; the build states its commit.
        const labels = (revision: string) =>
          `version="${version}",revision="${revision}",node="${process.versions.node}"`;
        const info = ['source', builtOf()].map((revision) => `trefoil_build_info{${labels(revision)}} 1`);
        expect(lines.filter((line) => info.includes(line))).to.have.lengthOf(1);
        const pools = name === 'sqlite' ? { read: 3, write: 1 } : { primary: 10 };
        for (const [pool, most] of Object.entries(pools)) {
          expect(lines).to.include(`trefoil_storage_connections{pool="${pool}",state="max"} ${most}`);
          expect(lines).to.include(`trefoil_storage_connections{pool="${pool}",state="waiting"} 0`);
        }
        const asked = lines.filter((line) => line.startsWith('trefoil_coverage_requests_total{'));
        expect(
          asked.filter((line) => line.includes('outcome="answered"')).map((line) => line.split(' ')[1]),
        ).to.deep.equal(['2']);
        expect(
          asked.filter((line) => line.includes('outcome="refused"')).map((line) => line.split(' ')[1]),
        ).to.deep.equal(['1']);
        // Three samples: each is opened once, and is in the cache from then on.
        expect(lines).to.include('trefoil_coverage_d4_uses_total{cache="miss"} 3');
        expect(lines.filter((line) => line.startsWith('trefoil_coverage_d4_uses_total{cache="hit"}'))).to.have.lengthOf(
          1,
        );
        expect(lines).to.include('trefoil_coverage_d4_open 3');
      } finally {
        await drop();
      }
    });
  });
}
