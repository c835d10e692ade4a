/** Files in S3 that are read once, and the settings and credentials with which they are reached. */
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { configure } from '../../../core/config.js';
import { isFault } from '../../../core/fault.js';
import { type KeyVariables, keysOfCredentials } from '../../../core/outgoing/s3/credentials.js';
import { createS3, operatorS3, type S3 } from '../../../core/outgoing/s3/s3.js';
import { s3Settings } from '../../../core/outgoing/s3/settings.js';
import { useFolder } from '../../support/folder.js';
import { type S3Server, serveS3, testKeys } from '../../support/s3.js';

async function refusal(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (isFault(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a file in S3 that is read once', () => {
  let storage: S3Server;
  let s3: S3;
  // Two parts and a half.
  const bytes = randomBytes(20 * 2 ** 20);
  const name = 's3://lab/vcf/a.bin';

  beforeEach(async () => {
    storage = await serveS3();
    storage.objects.set('lab/vcf/a.bin', bytes);
    const { endpoint, region } = storage;
    s3 = createS3({ stores: s3Settings.parse([{ prefix: 's3://lab/vcf/', endpoint, region, credentials: testKeys }]) });
  });
  afterEach(async () => {
    s3.close();
    await storage.close();
  });

  async function read(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of (await s3.open(name)).chunks()) parts.push(part);
    return Buffer.concat(parts);
  }

  it('arrives in parts, each on the condition that the file is the same', async () => {
    expect((await read()).equals(bytes)).to.equal(true);
    expect(storage.requests.map(({ headers }) => headers.range)).to.deep.equal([
      'bytes=0-8388607',
      'bytes=8388608-16777215',
      'bytes=16777216-20971519',
    ]);
    const [first, ...others] = storage.requests.map(({ headers }) => headers['if-match']);
    expect(first).to.equal(undefined);
    expect(new Set(others).size).to.equal(1);
  });

  it('arrives whole although the storage fails now and then', async () => {
    storage.faults.push('500', 'short', 'SlowDown', 'drop');
    expect((await read()).equals(bytes)).to.equal(true);
    expect(storage.requests).to.have.length(3 + 4);
  });

  it('is unavailable if the storage keeps failing', async () => {
    storage.faults.push('503', '503', '503', '503', '503');
    expect(await refusal(read())).to.deep.equal({
      code: 'unavailable',
      message: 'The object storage does not deliver the file: it answers 503',
    });
  });

  it('is refused if it is replaced meanwhile, and never mixed', async () => {
    const source = await s3.open(name);
    storage.objects.set('lab/vcf/a.bin', randomBytes(bytes.length));
    const read = async () => {
      let length = 0;
      for await (const part of source.chunks()) length += part.length;
      return length;
    };
    expect(await refusal(read())).to.deep.equal({
      code: 'unprocessable',
      message: `${name}: the object was replaced while it was read: load it again`,
    });
  });

  it('stops being read when it is closed', async () => {
    const source = await s3.open(name);
    storage.faults.push('hang', 'hang');
    let length = 0;
    const reading = (async () => {
      for await (const part of source.chunks()) {
        length += part.length;
        setImmediate(() => source.close());
      }
    })();
    await reading.then(
      () => expect.fail('the end was not reached'),
      (error: Error) => expect(error.name).to.match(/Error/),
    );
    expect(length).to.be.below(bytes.length);
  });

  it('is refused in one sentence if it is missing, elsewhere, or not a name', async () => {
    const messages: [string, RegExp][] = [
      ['s3://lab/vcf/none', /^s3:\/\/lab\/vcf\/none: no such object$/],
      ['s3://lab/other/x', /^No prefix in the section s3 of the configuration covers the bucket lab$/],
      ['s3://lab/vcf/../x', /^An object in S3 is named as s3:\/\/bucket\/key$/],
      ['s3://lab', /^An object in S3 is named as s3:\/\/bucket\/key$/],
    ];
    for (const [text, says] of messages) {
      const { code, message } = await refusal(s3.open(text));
      expect(code).to.equal('unprocessable');
      expect(message).to.match(says);
    }
    storage.objects.set('lab/vcf/empty', Buffer.alloc(0));
    const parts: Buffer[] = [];
    for await (const part of (await s3.open('s3://lab/vcf/empty')).chunks()) parts.push(part);
    expect(Buffer.concat(parts)).to.have.length(0);
  });

  it('is read by an operator with the variables that the AWS command line reads', async () => {
    const environment = {
      ...{ AWS_ACCESS_KEY_ID: testKeys.accessKeyId, AWS_SECRET_ACCESS_KEY: testKeys.secretAccessKey },
      ...{
        AWS_DEFAULT_REGION: storage.region,
        AWS_ENDPOINT_URL_S3: storage.endpoint,
        AWS_ENDPOINT_URL: 'http://nowhere/',
      },
    };
    const own = operatorS3(environment);
    expect((await own.fetch(name, { headers: { Range: 'bytes=0-9' } })).status).to.equal(206);
    own.close();
    const wrong = operatorS3({ ...environment, AWS_ENDPOINT_URL_S3: 'http://169.254.169.254' });
    expect(await refusal(wrong.fetch(name))).to.deep.equal({
      code: 'invalid',
      message: 'The variables of AWS are not valid: endpoint is an address that no object storage has',
    });
  });
});

describe('credentials for S3', () => {
  const folder = useFolder();
  const at = (name: string) => join(folder.path(), name);
  const find = (environment: KeyVariables) => keysOfCredentials('environment', environment)();

  it('come from variables, or from a profile of the file that they name', async () => {
    expect(await find({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' })).to.deep.equal({
      ...{ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' },
    });
    const text =
      '# keys\n[default]\naws_access_key_id = d\naws_secret_access_key=e/+=\n\n[ lab ]\naws_access_key_id=f\naws_secret_access_key = g\naws_session_token = h\n';
    await writeFile(at('credentials'), text);
    const file = { AWS_SHARED_CREDENTIALS_FILE: at('credentials') };
    expect(await find(file)).to.deep.equal({ accessKeyId: 'd', secretAccessKey: 'e/+=' });
    const ofLab = { accessKeyId: 'f', secretAccessKey: 'g', sessionToken: 'h' };
    expect(await find({ ...file, AWS_PROFILE: 'lab' })).to.deep.equal(ofLab);
    expect(await keysOfCredentials({ file: at('credentials'), profile: 'lab' })()).to.deep.equal(ofLab);
    expect((await refusal(find({ ...file, AWS_PROFILE: 'none' }))).message).to.match(/none for the profile none$/);
  });

  it('come from a file as the metadata of an instance have it, which is read again when it changes', async () => {
    const write = async (id: string, more: Record<string, string> = {}) => {
      await writeFile(at('new'), JSON.stringify({ AccessKeyId: id, SecretAccessKey: 's', Token: 't', ...more }));
      await rename(at('new'), at('keys.json'));
    };
    const keys = keysOfCredentials({ file: at('keys.json'), profile: 'default' });
    await write('one', { Expiration: '2999-01-01T00:00:00Z' });
    expect(await keys()).to.deep.equal({ accessKeyId: 'one', secretAccessKey: 's', sessionToken: 't' });
    await write('two');
    expect(await keys()).to.include({ accessKeyId: 'two' });
    await write('three', { Expiration: '2001-01-01T00:00:00Z' });
    expect((await refusal(keys())).message).to.match(/have expired$/);
    await writeFile(at('keys.json'), '{ "SecretAccessKey": "s3cret", ');
    expect((await refusal(keys())).message)
      .to.match(/not valid JSON$/)
      .and.not.include('s3cret');
  });
});

describe('the section s3 of the configuration', () => {
  const folder = useFolder();
  const configured = async (lines: string) =>
    configure({
      environment: { S3_SECRET: 'hush' },
      file: await folder.write('lab.yaml', `plugins: {}\ns3:\n${lines}\n`),
    });

  it('is printed without its secrets', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration fills in its variables
    const secret = '${S3_SECRET}';
    const { core, printable } = await configured(
      `  - { prefix: "s3://lab/", endpoint: "https://s3.lab:9000", credentials: { accessKeyId: AKIA, secretAccessKey: "${secret}" } }`,
    );
    expect(core.s3[0]).to.deep.include({ credentials: { accessKeyId: 'AKIA', secretAccessKey: 'hush' } });
    expect(JSON.stringify(printable))
      .to.include('https://s3.lab:9000')
      .and.not.match(/hush|AKIA/);
  });

  for (const [entry, says] of [
    ['prefix: "s3://lab"', /s3\.0\.prefix: .*ends with a slash/],
    ['prefix: "s3://LAB/"', /s3\.0\.prefix/],
    ['prefix: "s3://a..b/"', /s3\.0\.prefix/],
    ['prefix: "s3://lab/../"', /s3\.0\.prefix/],
    ['prefix: "s3://lab/", endpoint: "https://user:hush@s3.lab"', /s3\.0\.endpoint: .*only scheme, host and port/],
    ['prefix: "s3://lab/", endpoint: "https://s3.lab/path"', /s3\.0\.endpoint: .*only scheme, host and port/],
    ['prefix: "s3://lab/", endpoint: "ftp://s3.lab"', /s3\.0\.endpoint/],
    ['prefix: "s3://lab/", endpoint: "http://169.254.169.254"', /s3\.0\.endpoint: .*no object storage has/],
    ['prefix: "s3://lab/", endpoint: "http://10.0.0.5:9000", style: virtual', /s3\.0\.style: must be `path`/],
    ['prefix: "s3://lab.heart/"', /s3\.0\.style: must be `path`/],
    ['prefix: "s3://lab/", credentials: { file: keys }', /s3\.0\.credentials/],
    ['prefix: "s3://lab/", credentials: { accessKeyId: hush }', /s3\.0\.credentials/],
    ['prefix: "s3://lab/" }\n  - { prefix: "s3://lab/"', /s3\.1\.prefix: is in the list twice/],
  ] as const) {
    it(`is refused with its place and no secret: ${entry.replace(/\n.*/s, '')}`, async () => {
      const { message } = await refusal(configured(`  - { ${entry} }`));
      expect(message).to.match(says).and.not.include('hush');
    });
  }
});
