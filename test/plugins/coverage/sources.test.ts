/** D4 and BED files that a request can read: those under the roots and on the listed hosts, and nothing else. */
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { guardedFetch, hostList, mayReach, type Resolve } from '../../../core/outgoing.js';
import { useFolder } from '../../support/folder.js';
import { serveRanges } from './d4/support/server.js';
import { writeD4 } from './support/d4.js';
import { type Coverage, get, type Json, post, serveCoverage } from './support/serve.js';

const notThere = 'Coverage_file_path must be either an existing local file path or a URL';
const noBed = 'Provided intervals files is not a valid BED file';

describe('files named by requests', () => {
  const folder = useFolder();
  let server: Coverage | undefined;
  let root: string;
  let d4: string;
  const closers: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    root = join(folder.path(), 'root');
    await mkdir(join(root, 'deep'), { recursive: true });
    d4 = writeD4(join(root, 'deep', 'sample.d4'), {
      chromosomes: [{ name: '1', size: 100_000 }],
      runs: [{ chromosome: '1', begin: 0, end: 1000, depth: 8 }],
    });
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const close of closers.splice(0)) await close();
  });

  async function start(
    settings: Record<string, unknown>,
  ): Promise<(path: string) => Promise<{ status: number; body: Json }>> {
    const own = await serveCoverage({ settings });
    server = own;
    return (coverage_file_path) =>
      post(`${own.url}/coverage/d4/interval/`, {
        coverage_file_path,
        chromosome: '1',
        start: 500,
        end: 1500,
        completeness_thresholds: [5],
      });
  }

  async function listen(handler: RequestListener): Promise<string> {
    const http: Server = createServer(handler);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    closers.push(
      () =>
        new Promise((resolve) => {
          http.close(resolve);
          http.closeAllConnections();
        }),
    );
    return `127.0.0.1:${(http.address() as AddressInfo).port}`;
  }

  it('reads files under the roots, by absolute and relative paths, through links inside them', async () => {
    await symlink(d4, join(root, 'link.d4'));
    const ask = await start({ roots: [root] });
    for (const path of [d4, 'deep/sample.d4', join(root, 'link.d4'), join(root, 'deep', '..', 'deep', 'sample.d4')]) {
      expect((await ask(path)).body, path).to.deep.include({ mean_coverage: 4, completeness: { '5': 0.5 } });
    }
  });

  it('gives the same response for all other paths, whether they exist or not', async () => {
    const outside = writeD4(join(folder.path(), 'outside.d4'), { chromosomes: [{ name: '1', size: 9 }], runs: [] });
    await symlink(outside, join(root, 'leads-out.d4'));
    await symlink(folder.path(), join(root, 'up'));
    const ask = await start({ roots: [root] });
    const paths = [
      outside,
      '../outside.d4',
      join(root, 'leads-out.d4'),
      join(root, 'up', 'outside.d4'),
      join(root, '..', 'outside.d4'),
      join(root, 'absent.d4'),
      root,
      join(root, 'deep'),
      '/etc/passwd',
      '/no/such/file',
      `${root}-other/sample.d4`,
      'https://example.org/sample.d4',
      'http://169.254.169.254/latest/meta-data',
      'http://localhost/x.d4',
      'http://[::1]/x.d4',
      `file://${d4}`,
      'ftp://example.org/x.d4',
      's3://bucket/x.d4',
      'http://',
      '.',
      '..',
      'x'.repeat(5000),
    ];
    for (const path of paths) {
      const { status, body } = await ask(path);
      expect([status, body], path.slice(0, 60)).to.deep.equal([404, { detail: notThere }]);
      const sex = await get(`${server?.url}/coverage/samples/predicted_sex`, { coverage_file_path: path });
      expect([sex.status, sex.body]).to.deep.equal([404, { detail: notThere }]);
      const bed = await post(`${server?.url}/coverage/d4/interval_file/`, {
        coverage_file_path: d4,
        intervals_bed_path: path,
      });
      expect([bed.status, bed.body]).to.deep.equal([422, { detail: noBed }]);
    }
    expect(server?.log()).to.not.include('/etc/passwd').and.not.include('outside.d4');
  });

  it('reads no file without roots', async () => {
    const ask = await start({});
    expect((await ask(d4)).status).to.equal(404);
  });

  it('reads a file on a listed host by ranges, with completeness and a signature in its query', async () => {
    const ranges = await serveRanges(await readFile(d4));
    closers.push(ranges.close);
    const host = new URL(ranges.url).host;
    const ask = await start({ hosts: [host] });
    const { body } = await ask(`${ranges.url}?X-Amz-Signature=secret`);
    expect(body).to.deep.include({ mean_coverage: 4, completeness: { '5': 0.5 } });
    expect(ranges.requests).to.have.length.greaterThan(0);
    expect(server?.log()).to.not.include('secret');
    for (const other of [
      `http://127.0.0.2:${ranges.url.split(':')[2]}`,
      ranges.url.replace('127.0.0.1', 'localhost'),
    ]) {
      expect((await ask(other)).body).to.deep.equal({ detail: notThere });
    }
    expect((await ask(ranges.url.replace('http://', 'http://user:password@'))).status).to.equal(404);
  });

  it('follows redirects only to a listed host', async () => {
    const ranges = await serveRanges(await readFile(d4));
    closers.push(ranges.close);
    let asked = 0;
    const secret = await listen((_request, response) => {
      asked += 1;
      response.end('secret');
    });
    let target = '';
    const first = await listen((_request, response) => response.writeHead(307, { Location: target }).end());
    const ask = await start({ hosts: [first, new URL(ranges.url).host] });
    target = ranges.url;
    expect((await ask(`http://${first}/a.d4`)).body).to.deep.include({ mean_coverage: 4 });
    for (target of [`http://${secret}/`, 'file:///etc/passwd', 'http://169.254.169.254/', `http://${first}/again`]) {
      expect((await ask(`http://${first}/b.d4`)).body, target).to.deep.equal({ detail: notThere });
    }
    expect(asked).to.equal(0);
  });

  it('logs neither host nor path of a file that fails', async () => {
    const gone = await listen(() => undefined);
    await closers.pop()?.();
    const failing = await listen((_request, response) => response.writeHead(500).end());
    const ask = await start({ hosts: [gone, failing] });
    for (const host of [gone, failing]) {
      expect((await ask(`http://${host}/NA12878-secret.d4?signature=secret`)).status).to.equal(503);
    }
    const logged = server?.log() ?? '';
    // The cause is logged, at both levels.
    expect(logged).to.include('The server cannot be reached: ECONNREFUSED').and.include('The server answers 500');
    expect(logged).to.match(/"level":50.*request failed/);
    expect(logged).to.not.match(/NA12878|secret/);
    for (const host of [gone, failing]) expect(logged).to.not.include(host);
  });

  it('distinguishes a failing host from a missing file', async () => {
    let status = 500;
    const host = await listen((_request, response) => response.writeHead(status).end());
    const ask = await start({ hosts: [host] });
    expect((await ask(`http://${host}/a.d4`)).status).to.equal(503);
    for (status of [403, 404, 410]) {
      expect((await ask(`http://${host}/a.d4`)).body).to.deep.equal({ detail: notThere });
    }
  });

  describe('addresses of hosts', () => {
    it('refuses names that resolve to this machine, its link or cloud metadata', () => {
      const never = [
        '127.0.0.1',
        '127.9.9.9',
        '0.0.0.0',
        '169.254.169.254',
        '::1',
        '::',
        'fe80::1',
        '224.0.0.1',
        '255.255.255.255',
      ];
      const wrapped = ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', 'fd00:ec2::254'];
      for (const address of [...never, ...wrapped]) expect(mayReach(address, 'private'), address).to.equal(false);
      const inside = ['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.0.0.1'];
      for (const address of inside) {
        expect(mayReach(address, 'private'), address).to.equal(true);
        expect(mayReach(address, 'public'), address).to.equal(false);
      }
      for (const address of ['8.8.8.8', '172.32.0.1', '2600::1'])
        expect(mayReach(address, 'public'), address).to.equal(true);
    });

    it('compares hosts and ports with URL semantics', () => {
      const allowed = hostList(['storage.example.org', 'minio:9000', '*.s3.example.org', '10.0.0.5', '[fd00::5]:9000']);
      const of = (url: string) => allowed(new URL(url))?.reach;
      expect(of('https://Storage.Example.org/x')).to.equal('private');
      expect(of('http://storage.example.org/x')).to.equal('private');
      expect(of('http://storage.example.org:8080/x')).to.equal(undefined);
      expect(of('http://minio:9000/x')).to.equal('private');
      expect(of('http://minio/x')).to.equal(undefined);
      expect(of('https://bucket.s3.example.org/x')).to.equal('public');
      expect(of('https://s3.example.org/x')).to.equal(undefined);
      expect(of('https://evil-s3.example.org/x')).to.equal(undefined);
      expect(of('https://storage.example.org.evil.org/x')).to.equal(undefined);
      expect(of('http://167772165/x'), '10.0.0.5 in decimal').to.equal('any');
      expect(of('http://[fd00:0::5]:9000/x')).to.equal('any');
      expect(of('http://2130706433/x'), '127.0.0.1 in decimal').to.equal(undefined);
      expect(of('https://user@storage.example.org/x')).to.equal(undefined);
    });

    it('connects to the checked address, and checks every connection', async () => {
      let served = 0;
      const host = await listen((_request, response) => {
        served += 1;
        response.setHeader('Connection', 'close').end('x');
      });
      const port = host.split(':')[1];
      const answers: Record<string, string[][]> = {
        // First an address of the internet, then this machine: the responses of a rebinding name server.
        'rebinds.example.org': [['127.0.0.1'], ['127.0.0.1']],
        'mixed.example.org': [['203.0.113.9', '127.0.0.1']],
        'bucket.s3.example.org': [['10.0.0.5']],
      };
      const asked: string[] = [];
      const resolve: Resolve = (name, found) => {
        asked.push(name);
        const addresses = answers[name]?.shift() ?? [];
        found(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      };
      const names = ['rebinds.example.org', 'mixed.example.org', '*.s3.example.org'].map((name) => `${name}:${port}`);
      const guard = guardedFetch({ allowed: hostList(names), resolve });
      closers.push(async () => guard.close());
      for (const name of Object.keys(answers)) {
        for (let i = (answers[name] ?? []).length; i > 0; i -= 1) {
          const outcome = await guard.fetch(`http://${name}:${port}/`).then(
            () => 'answered',
            (error: Error) => error.message,
          );
          expect(outcome, name).to.equal('the name resolves to an address that is not allowed');
        }
      }
      expect(served).to.equal(0);
      expect(asked).to.deep.equal([
        'rebinds.example.org',
        'rebinds.example.org',
        'mixed.example.org',
        'bucket.s3.example.org',
      ]);
      const local = guardedFetch({ allowed: hostList([host]), resolve });
      closers.push(async () => local.close());
      expect(await (await local.fetch(`http://${host}/`)).text()).to.equal('x');
      expect(asked, 'an address is not resolved').to.have.length(4);
    });
  });
});
