/** VCF files in S3: loaded over HTTP by their names, and by the command. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { command } from '../../support/command.js';
import { useFolder } from '../../support/folder.js';
import { serveS3, testKeys } from '../../support/s3.js';
import { useEach } from '../../support/use.js';
import { engines } from './support/engines.js';
import { dataset } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter, until, type Writer } from './support/write.js';

const trio = vcf({
  samples: ['child', 'father'],
  records: ['1 10 . A C . . . GT 0/1 0/0', '1 20 . A C,G . . . GT 1/2 0/2'],
});

describe('VCF files in S3', () => {
  const folder = useFolder();
  const storage = useEach(() => serveS3());
  let server: Writer | undefined;
  beforeEach(async () => {
    storage.objects.set('lab/vcf/trio.vcf.gz', gzipSync(trio)).set('lab/other/trio.vcf', Buffer.from(trio));
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  const store = (credentials: unknown = testKeys) => ({
    ...{ prefix: 's3://lab/', endpoint: storage.endpoint, region: storage.region, credentials },
  });
  const missing = (path: string) => ({ message: `VCF file was not found at the provided path:${path}` });

  async function start(credentials?: unknown): Promise<Writer> {
    const [sqlite] = engines;
    if (sqlite === undefined) throw new Error('there is no engine');
    const own = await serveWriter(sqlite, { settings: { buckets: ['s3://lab/vcf/'] }, s3: [store(credentials)] });
    server = own;
    await own.repository.addDataset(dataset('ds'), new Date());
    return own;
  }
  const body = (vcf_path: string) => ({ dataset_id: 'ds', vcf_path, assemblyId: 'GRCh37' });

  it('are loaded over HTTP from the buckets that requests may name, also if the storage fails now and then', async () => {
    const own = await start();
    storage.faults.push('503', 'drop');
    const reply = await own.send('add', body('s3://lab/vcf/trio.vcf.gz'));
    expect(reply.status, JSON.stringify(reply.body)).to.equal(202);
    const job = await own.ended(reply);
    // The child has 10 A>C, 20 A>C and 20 A>G, the father 20 A>G.
    expect(job).to.deep.include({ state: 'done', error: null });
    expect(job.result).to.deep.include({ added: { alleles: 3, calls: 4, samples: 2 } });
    for (const path of [
      's3://lab/other/trio.vcf',
      's3://lab/vcf/none.vcf',
      's3://lab/vcf/../other/trio.vcf',
      's3://x/y',
    ]) {
      const refused = await own.send('add', body(path));
      expect([refused.status, refused.body], path).to.deep.equal([422, missing(path)]);
    }
    expect(storage.requests.some(({ path }) => path.includes('other'))).to.equal(false);
  });

  it('are as if missing to clients if the credentials are wrong, and the log says why', async () => {
    const own = await start({ ...testKeys, secretAccessKey: 'wr0ng' });
    const { status, body: told } = await own.send('add', body('s3://lab/vcf/trio.vcf.gz'));
    expect([status, told]).to.deep.equal([422, missing('s3://lab/vcf/trio.vcf.gz')]);
    expect(own.log())
      .to.include('SignatureDoesNotMatch')
      .and.not.match(/wr0ng|AKIA|trio/);
  });

  it('are loaded by the command, which needs only the section s3', async () => {
    const config = (credentials: unknown) =>
      folder.write('lab.yaml', `plugins: { beacon: {} }\ns3: ${JSON.stringify([store(credentials)])}\n`);
    const env = { TREFOIL_CONFIG: 'lab.yaml', TREFOIL_SQLITE_FILE: join(folder.path(), 'x.sqlite') };
    const run = (...args: string[]) => command(['beacon', ...args], { cwd: folder.path(), env });
    const add = (path: string) => run('add', 'variants', '--ds', 'ds', '--vcf', path);
    await config(testKeys);
    expect((await run('add', 'dataset', '--did', 'ds', '--name', 'DS', '--authlevel', 'Public')).code).to.equal(0);
    const { code, stdout, stderr } = await add('s3://lab/other/trio.vcf');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.match(/3 alleles/);
    const outside = await add('s3://elsewhere/trio.vcf');
    expect([outside.code, outside.stdout]).to.deep.equal([1, '']);
    expect(outside.stderr).to.match(/^[^\n]*covers the bucket elsewhere\n$/);
    await config({ ...testKeys, accessKeyId: 'AKIAWRONG' });
    const refused = await add('s3://lab/other/trio.vcf');
    expect([refused.code, refused.stdout]).to.deep.equal([1, '']);
    expect(refused.stderr).to.match(/^[^\n]*does not know the access key \(403 InvalidAccessKeyId\)\n$/);
  });

  it('are kept in a bucket while they wait for their job, and removed after it', async () => {
    const [sqlite] = engines;
    if (sqlite === undefined) throw new Error('there is no engine');
    const own = await serveWriter(sqlite, { settings: { uploads: { folder: 's3://lab/in/' } }, s3: [store()] });
    server = own;
    await own.repository.addDataset(dataset('ds'), new Date());
    const reply = await own.send('add?dataset_id=ds&assemblyId=GRCh37', trio, {
      headers: { 'content-type': 'text/vcf' },
    });
    expect(reply.status, JSON.stringify(reply.body)).to.equal(202);
    expect((await own.ended(reply)).result).to.deep.include({ added: { alleles: 3, calls: 4, samples: 2 } });
    const { id } = reply.body.job as { id: string };
    const name = `/lab/in/${id}.vcf`;
    await until(() => storage.requests.some(({ method, path }) => method === 'DELETE' && path === name));
    const writing = storage.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => [method, path]);
    expect(writing).to.deep.equal([
      ['PUT', name],
      ['DELETE', name],
    ]);
    expect([...storage.objects.keys()]).to.deep.equal(['lab/vcf/trio.vcf.gz', 'lab/other/trio.vcf']);

    const refused = await own.send('add?dataset_id=none&assemblyId=GRCh37', trio, {
      headers: { 'content-type': 'text/vcf' },
    });
    expect(refused.status).to.equal(422);
    expect(storage.objects.size).to.equal(2);
  });
});
