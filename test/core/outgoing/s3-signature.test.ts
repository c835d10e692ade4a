/** Signatures of requests to S3, against the examples that AWS publishes and against a second implementation. */
import { expect } from 'chai';
import fc from 'fast-check';
import { ask, signatureOfRequest, urlOfObject } from '../../../core/outgoing/s3/request.js';
import { s3Object } from '../../../core/outgoing/s3/settings.js';
import { connections } from '../../../core/outgoing.js';
import { type S3Server, serveS3, signatureV4, testKeys } from '../../support/s3.js';

const emptyBody = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const date = '20130524T000000Z';
const host = 'examplebucket.s3.amazonaws.com';
const plain = { host, 'x-amz-content-sha256': emptyBody, 'x-amz-date': date };

/** "Signature Calculations for the Authorization Header: Transferring Payload in a Single Chunk", Amazon S3 API Reference. */
const published = [
  {
    ...{ method: 'GET', path: '/test.txt', query: '', headers: { ...plain, range: 'bytes=0-9' } },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    ...{ method: 'PUT', path: '/test%24file.text', query: '' },
    headers: {
      ...{
        host,
        'x-amz-date': date,
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    ...{ method: 'GET', path: '/', query: 'lifecycle=', headers: plain },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    ...{ method: 'GET', path: '/', query: 'max-keys=2&prefix=J', headers: plain },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
];

describe('signatures of requests to S3', () => {
  const region = 'us-east-1';
  let server: S3Server | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('of the test server are those that AWS publishes', () => {
    for (const { signature, ...request } of published) {
      const found = signatureV4({ ...request, region, secretAccessKey: testKeys.secretAccessKey });
      expect(found, `${request.method} ${request.path}?${request.query}`).to.equal(signature);
    }
  });

  it('are those that AWS publishes, where a GET signs no other headers', async () => {
    const now = new Date('2013-05-24T00:00:00Z');
    for (const { path, query, signature } of published.slice(2)) {
      const headers = await signatureOfRequest(new URL(`https://${host}${path}?${query}`), testKeys, region, { now });
      expect(headers.get('authorization')).to.equal(
        `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, ` +
          `SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`,
      );
    }
  });

  it('are accepted for any key, in either style, with and without a session token', async () => {
    const own = await serveS3();
    server = own;
    const over = connections((_name, found) => found(null, [{ address: '127.0.0.1', family: 4 }]));
    // Names below localhost lead to this machine.
    const endpoints = { path: own.endpoint, virtual: `http://s3.localhost:${own.port}` };
    const key = fc
      .oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.stringMatching(/^[ -~]{1,30}$/))
      .filter((text) => s3Object(`s3://bucket/${text}`) !== undefined);
    const bytes = Buffer.from('depths');
    try {
      await fc.assert(
        fc.asyncProperty(key, fc.constantFrom('path', 'virtual'), fc.boolean(), async (text, style, isTemporary) => {
          const keys = isTemporary ? { ...testKeys, sessionToken: 'a+/=token' } : testKeys;
          own.keys = keys;
          own.objects = new Map([[`bucket/${text}`, bytes]]);
          const store = { endpoint: endpoints[style], region: own.region, style };
          const signing = { store, keys: async () => keys };
          const response = await ask(
            { bucket: 'bucket', key: text },
            signing,
            { headers: { Range: 'bytes=2-3' } },
            over,
          );
          expect([response.status, await response.text()]).to.deep.equal([206, 'pt']);
        }),
        { numRuns: 150 },
      );
    } finally {
      over.close();
    }
  });

  it('are made for the hosts of AWS, with the bucket in the host', () => {
    const object = { bucket: 'depths', key: 'a b/ü+1.d4' };
    const of = (store: Parameters<typeof urlOfObject>[1]) => urlOfObject(object, store).href;
    expect(of({ region: 'eu-north-1' })).to.equal('https://depths.s3.eu-north-1.amazonaws.com/a%20b/%C3%BC%2B1.d4');
    expect(of({ region: 'cn-north-1' })).to.match(/^https:\/\/depths\.s3\.cn-north-1\.amazonaws\.com\.cn\//);
    expect(of({ region: 'eu-north-1', style: 'path' })).to.match(
      /^https:\/\/s3\.eu-north-1\.amazonaws\.com\/depths\/a%20b/,
    );
    expect(of({ region: 'x', endpoint: 'https://s3.lab:9000' })).to.match(/^https:\/\/s3\.lab:9000\/depths\/a%20b/);
    expect(of({ region: 'x', endpoint: 'https://s3.lab', style: 'virtual' })).to.match(
      /^https:\/\/depths\.s3\.lab\/a%20b/,
    );
  });
});
