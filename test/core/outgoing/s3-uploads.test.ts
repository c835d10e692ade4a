/** Uploads in a bucket: whole or in parts, what remains if they are broken off, and what is removed. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import type { Uploads } from '../../../core/files.js';
import { objectsUnder } from '../../../core/outgoing/s3/objects.js';
import { createS3, type S3 } from '../../../core/outgoing/s3/s3.js';
import { s3Settings } from '../../../core/outgoing/s3/settings.js';
import { uploadsIn } from '../../../core/outgoing.js';
import { type S3Server, serveS3, testKeys } from '../../support/s3.js';

const hour = 3_600_000;
const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

describe('uploads in a bucket', () => {
  let storage: S3Server;
  let s3: S3;
  let uploads: Uploads;

  function open(credentials = testKeys): void {
    const { endpoint, region } = storage;
    s3 = createS3({ stores: s3Settings.parse([{ prefix: 's3://lab/in/', endpoint, region, credentials }]) });
    uploads = uploadsIn('s3://lab/in/', 'vcf', s3);
  }
  beforeEach(async () => {
    storage = await serveS3();
    open();
  });
  afterEach(async () => {
    s3.close();
    await storage.close();
  });

  /** In pieces of a size that no part is a multiple of. */
  async function send(of: string, bytes: Buffer): Promise<void> {
    const arriving = await uploads.open(of);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 100_003) }, (_, i) =>
      bytes.subarray(i * 100_003, (i + 1) * 100_003),
    );
    await pipeline(Readable.from(pieces, { objectMode: false }), arriving.stream);
    await arriving.keep();
    expect(arriving.stream.bytesWritten).to.equal(bytes.length);
  }
  const stored = async (of: string) => buffer((await uploads.stored(of)).open());
  const methods = () => storage.requests.map(({ method }) => method).join(' ');
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('nothing was refused'),
      ({ code, message }: { code: string; message: string }) => ({ code, message }),
    );
  const noRoom = {
    code: 'unavailable',
    message: 'The upload could not be stored: the server has no room or no right',
  };

  it('are stored as they are: whole if small, in parts if not', async () => {
    // Two parts and a half.
    for (const [of, size] of [0, 1, 1_000_000, 8 * 2 ** 20, 20 * 2 ** 20].entries()) {
      storage.requests.length = 0;
      const bytes = randomBytes(size);
      await send(id(of), bytes);
      expect(methods(), String(size)).to.equal(
        size === 20 * 2 ** 20 ? 'POST PUT PUT PUT POST' : size === 8 * 2 ** 20 ? 'POST PUT POST' : 'PUT',
      );
      expect((await stored(id(of))).equals(bytes), String(size)).to.equal(true);
    }
    expect([...storage.objects.keys()].sort()).to.deep.equal([0, 1, 2, 3, 4].map((of) => `lab/in/${id(of)}.vcf`));
    expect(storage.uploads.size).to.equal(0);
  });

  it('are stored although the storage fails now and then, also if its last answer is lost', async () => {
    const bytes = randomBytes(17 * 2 ** 20);
    // Begun; three parts; completed, which is unknown until it is asked for again.
    storage.faults.push('500', 'none', 'SlowDown', 'none', 'drop', 'none', 'deaf', 'none', 'deaf');
    await send(id(1), bytes);
    expect(methods()).to.equal('POST POST PUT PUT PUT PUT PUT PUT POST POST GET');
    expect((await stored(id(1))).equals(bytes)).to.equal(true);
  });

  it('are refused in one sentence if the storage keeps failing or refuses, and nothing of them is read', async () => {
    storage.faults.push('503', '503', '503', '503', '503');
    expect(await refusal(send(id(1), randomBytes(10)))).to.deep.equal(noRoom);
    s3.close();
    open({ ...testKeys, secretAccessKey: 'wr0ng' });
    expect(await refusal(send(id(2), randomBytes(10)))).to.deep.equal(noRoom);
    expect(await refusal(send(id(3), randomBytes(9 * 2 ** 20)))).to.deep.equal(noRoom);
    expect(await refusal(uploads.stored(id(1)))).to.deep.equal({
      code: 'unavailable',
      message: 'The uploaded file is not on this server',
    });
    expect(storage.objects.size).to.equal(0);
  });

  it('leave nothing if they are discarded', async () => {
    const arriving = await uploads.open(id(1));
    await new Promise<void>((done) => {
      arriving.stream.write(randomBytes(9 * 2 ** 20), () => done());
    });
    expect(storage.uploads.size).to.equal(1);
    await arriving.discard();
    expect([storage.uploads.size, storage.objects.size]).to.deep.equal([0, 0]);
    await send(id(2), randomBytes(10));
    await uploads.remove(id(2));
    await uploads.remove(id(2));
    expect(storage.objects.size).to.equal(0);
  });

  it('are removed when their jobs have ended, or when they have none for long, and nothing else is', async () => {
    const bytes = randomBytes(1);
    const put = (key: string, hours = 0) => {
      storage.objects.set(`lab/${key}`, bytes);
      storage.written.set(`lab/${key}`, new Date(Date.now() - hours * hour));
      return `lab/${key}`;
    };
    const begin = (key: string, hours: number) => {
      const upload = { name: `lab/${key}`, begun: new Date(Date.now() - hours * hour), parts: new Map() };
      storage.uploads.set(`upload-${storage.uploads.size}`, upload);
      return upload;
    };
    const kept = [
      put(`in/${id(1)}.vcf`, 99),
      put(`in/${id(3)}.vcf`, 0.9),
      put(`in/${id(5)}.other`, 99),
      put('in/notes & more.vcf', 99),
      put(`${id(2)}.vcf`, 99),
    ];
    put(`in/${id(2)}.vcf`);
    put(`in/${id(4)}.vcf`, 1.1);
    const going = [begin(`in/${id(6)}.vcf`, 23), begin('in/notes', 99), begin(`in/${id(9)}.other`, 99)];
    begin(`in/${id(7)}.vcf`, 25);
    begin(`in/${id(8)}.vcf`, 25);
    const fates = new Map<string, 'live' | 'ended'>([
      [id(1), 'live'],
      [id(2), 'ended'],
    ]);
    await uploads.sweep(async (of) => fates.get(of));
    expect([...storage.objects.keys()].sort()).to.deep.equal(kept.sort());
    expect([...storage.uploads.values()]).to.deep.equal(going);
  });

  it('are refused at the start in a bucket that is not configured', () => {
    const says = 'No prefix in the section s3 of the configuration covers s3://other/in/';
    expect(() => uploadsIn('s3://other/in/', 'vcf', s3)).to.throw(says);
    expect(() => uploadsIn('s3://other/in/', 'vcf', undefined)).to.throw(says);
  });

  it('are not listed again and again if the storage does not say how its list goes on', async () => {
    const body =
      '<ListBucketResult><Contents><Key>in/a.vcf</Key></Contents><IsTruncated>true</IsTruncated></ListBucketResult>';
    const objects = objectsUnder('in/', async () => new Response(body));
    const names: string[] = [];
    const listing = (async () => {
      for await (const { name } of objects.list()) {
        names.push(name);
        if (names.length > 2) throw new Error('The first page came again');
      }
    })();
    expect(await refusal(listing)).to.deep.equal({
      code: 'unavailable',
      message: 'The object storage does not say how its list goes on',
    });
    expect(names).to.deep.equal(['a.vcf']);
  });
});
