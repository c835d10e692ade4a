import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { receiveForm, uploadFolder } from '../../../core/files.js';
import { memorySubject } from '../../kit/memory.js';
import { useFolder } from '../../support/folder.js';
import { sqlite } from '../../support/storages.js';
import { useOnce } from '../../support/use.js';
import { dataset, type Reply } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter, until } from './support/write.js';

const records = Array.from({ length: 400 }, (_, i) => `1 ${i + 1} . A C . . . GT 0/1 ${i % 2 ? '1/1' : '0/0'}`);
const file = vcf({ samples: ['a', 'b'], records });
// 400 of a, 200 of b twice.
const all = { alleles: 400, calls: 800, samples: 2 };

for (const engine of [memorySubject, sqlite]) {
  describe(`beacon: uploads on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine, { settings: { uploads: { limit: 100_000 } } }));
    beforeEach(async () => {
      await server.repository.removeDataset('ds');
      await server.repository.addDataset(dataset('ds'), new Date());
    });

    type Field = [name: string, value: string | Blob, fileName?: string];

    function form(...fields: Field[]): FormData {
      const made = new FormData();
      for (const [name, value, fileName] of fields) {
        if (typeof value === 'string') made.append(name, value);
        else made.append(name, value, fileName ?? 'x.vcf');
      }
      return made;
    }
    const fields: Field[] = [
      ['dataset_id', 'ds'],
      ['assemblyId', 'GRCh37'],
    ];
    const query = '?dataset_id=ds&assemblyId=GRCh37';

    async function loaded(reply: Reply, added: object): Promise<void> {
      expect([reply.status, reply.body.message]).to.deep.equal([202, 'Saving variants to Beacon']);
      const job = await server.ended(reply);
      expect([job.state, (job.result as { added: unknown }).added]).to.deep.equal(['done', added]);
      await until(async () => (await server.uploads()).length === 0);
    }

    async function refused(reply: Reply, status: number, message: string): Promise<void> {
      expect([reply.status, reply.body]).to.deep.equal([status, { message }]);
      expect(await server.uploads()).to.deep.equal([]);
      expect((await server.repository.dataset('ds'))?.sampleCount).to.equal(0);
    }

    it('accept a file as a part of a form, plain or compressed, in any position', async () => {
      await loaded(await server.send('add', form(...fields, ['vcf', new Blob([file])])), all);
      await server.repository.removeSamples('ds', ['a', 'b'], new Date());
      await loaded(await server.send('add', form(['anything', new Blob([gzipSync(file)])], ...fields)), all);
      await server.repository.removeSamples('ds', ['a', 'b'], new Date());
      const some = form(...fields, ['samples', 'b'], ['vcf', new Blob([file])]);
      await loaded(await server.send('add', some), { alleles: 200, calls: 400, samples: 1 });
    });

    it('accept a file as the body, with the parameters in the query', async () => {
      const types = ['text/vcf', 'application/octet-stream', 'application/gzip'];
      for (const type of types) {
        const body = type === 'application/gzip' ? gzipSync(file) : file;
        await loaded(await server.send(`add${query}`, body, { headers: { 'content-type': type } }), all);
        await server.repository.removeSamples('ds', ['a', 'b'], new Date());
      }
      const some = await server.send(`add${query}&samples=b&samples=a`, file, {
        headers: { 'content-type': 'text/vcf' },
      });
      await loaded(some, all);
    });

    it('accept a body with content encoding, but no such form', async () => {
      const headers = { 'content-type': 'text/vcf', 'content-encoding': 'gzip' };
      await loaded(await server.send(`add${query}`, gzipSync(file), { headers }), all);
      await server.repository.removeSamples('ds', ['a', 'b'], new Date());
      for (const [type, encoding] of [
        ['multipart/form-data; boundary=x', 'gzip'],
        ['text/vcf', 'br'],
      ] as const) {
        const reply = await server.send(`add${query}`, 'x', {
          headers: { 'content-type': type, 'content-encoding': encoding },
        });
        await refused(reply, 415, 'The encoding of the body is not supported');
      }
    });

    it('accept forms as curl sends them', async function () {
      if (spawnSync('curl', ['--version']).status !== 0) this.skip();
      const path = await server.file('curl.vcf.gz', gzipSync(file));
      const parts = fields.flatMap(([name, value]) => ['-F', `${name}=${value}`]);
      const sent = ['-s', '-H', `X-Auth-Token: ${server.token}`, ...parts, '-F', `vcf=@${path}`];
      const { stdout: answer } = await promisify(execFile)('curl', [...sent, `${server.url}/apiv1.0/add`]);
      await loaded({ status: 202, headers: new Headers(), body: JSON.parse(answer) }, all);
    });

    const part = (head: string, text: string) => `--XX\r\n${head}\r\n\r\n${text}\r\n`;
    const named = (name: string, more = '') => `Content-Disposition: form-data; name="${name}"${more}`;
    const multipart = { headers: { 'content-type': 'multipart/form-data; boundary=XX' } };

    it('accept files with any line ends and no type, and fields in any encoding', async () => {
      const body = [
        part(`${named('dataset_id')}\r\nContent-Transfer-Encoding: 7bit`, 'ds'),
        part(`${named('assemblyId')}\r\nContent-Type: text/plain; charset=utf-8`, 'GRCh37'),
        part(`${named('samples')}\r\nContent-Transfer-Encoding: base64`, Buffer.from('b').toString('base64')),
        part(named('vcf', '; filename="x.vcf"'), file.replaceAll('\n', '\r\n')),
        '--XX--\r\n',
      ].join('');
      await loaded(await server.send('add', body, multipart), { alleles: 200, calls: 400, samples: 1 });
    });

    it('are optional in a form: a path is accepted, but not together with a file', async () => {
      const path = await server.file('path.vcf', file);
      await loaded(await server.send('add', form(...fields, ['vcf_path', path])), all);
      await server.repository.removeSamples('ds', ['a', 'b'], new Date());
      const both = "Please provide either 'vcf_path' or the VCF file itself, not both";
      const beside = form(...fields, ['vcf_path', path], ['vcf', new Blob([file])]);
      await refused(await server.send('add', beside), 422, both);
      const headers = { 'content-type': 'text/vcf' };
      await refused(await server.send(`add${query}&vcf_path=x`, file, { headers }), 422, both);
      await refused(await server.send('add', form(...fields)), 422, "'vcf_path' is a required property");
    });

    it('are subject to the same checks', async () => {
      const vcfPart: Field = ['vcf', new Blob([file])];
      const cases: [Field[], string][] = [
        [[vcfPart], "'dataset_id' is a required property"],
        [[...fields, ['dataset_id', 'b'], vcfPart], "['ds', 'b'] is not of type 'string'"],
        [
          [['dataset_id', 'none'], ['assemblyId', 'GRCh37'], vcfPart],
          'Invalid request. Please specify a valid dataset ID',
        ],
        [
          [['dataset_id', 'ds'], ['assemblyId', 'GRCh38'], vcfPart],
          'Requested genome assembly is in conflict with the assembly of the dataset, GRCh37',
        ],
        [[...fields, ['vcf', new Blob([])]], 'Samples [] were not found in VCF files'],
        [[...fields, ['vcf', new Blob(['rubbish'])]], 'Samples [] were not found in VCF files'],
        [
          [...fields, ['samples', 'c'], vcfPart],
          "One or more provided samples were not found in VCF. VCF samples:['a', 'b']",
        ],
        [
          [...fields, ['samples', ''], vcfPart],
          "One or more provided samples were not found in VCF. VCF samples:['a', 'b']",
        ],
        [[...fields, ['genes', 'x'], vcfPart], "'x' is not of type 'object'"],
        [
          [...fields, ['genes', '{"ids":[1],"id_type":"HGNC"}'], vcfPart],
          'Could not create a gene filter using the provided gene list',
        ],
      ];
      for (const [sent, message] of cases) await refused(await server.send('add', form(...sent)), 422, message);
      const headers = { 'content-type': 'text/vcf' };
      for (const [asked, message] of [
        ['', "'dataset_id' is a required property"],
        ['?dataset_id=none&assemblyId=GRCh37', 'Invalid request. Please specify a valid dataset ID'],
        [`${query}&samples=c`, "One or more provided samples were not found in VCF. VCF samples:['a', 'b']"],
      ]) {
        await refused(await server.send(`add${asked}`, file, { headers }), 422, message ?? '');
      }
    });

    it('that are too large, announced or not, leave nothing behind', async () => {
      const large = Buffer.alloc(100_001, 'x');
      const message = 'The body is larger than 100000 bytes';
      const headers = { 'content-type': 'text/vcf' };
      await refused(await server.send(`add${query}`, large, { headers }), 413, message);
      await refused(await server.send('add', form(...fields, ['vcf', new Blob([large])])), 413, message);
      for (const type of ['text/vcf', multipart.headers['content-type']]) {
        const head = type === 'text/vcf' ? '' : `--XX\r\n${named('vcf', '; filename="x"')}\r\n\r\n`;
        const stream = new Blob([head, large]).stream();
        await refused(await server.send(`add${query}`, stream, { headers: { 'content-type': type } }), 413, message);
      }
    });

    it('that are not a complete form leave nothing behind', async () => {
      const open = part(named('vcf', '; filename="x"'), file);
      const broken = 'The body is no complete multipart form';
      for (const [body, message] of [
        [open, broken],
        ['rubbish', broken],
        [`--XX\r\n:\r\n\r\n${open}`, broken],
        [`${part(`${named('vcf', '; filename="x"')}\r\nContent-Transfer-Encoding: zebra`, 'x')}--XX--\r\n`, broken],
        [`${open}${open}--XX--\r\n`, 'The form has more than one file'],
        [`${part(named('dataset_id'), 'a\u0000b')}${open}--XX--\r\n`, 'Text may not hold NUL characters'],
        [
          Buffer.from(`${part(named('case_id'), 'Få')}${open}--XX--\r\n`, 'latin1'),
          'The body must be encoded in UTF-8',
        ],
      ] as const) {
        await refused(await server.send('add', body, multipart), 400, message);
      }
      const typed = part(`${named('case_id')}\r\nContent-Type: text/plain; charset=ISO-8859-1`, 'F');
      const otherCharset = 'The body must be encoded in UTF-8, not in iso-8859-1, as its Content-Type says';
      await refused(await server.send('add', `${typed}${open}--XX--\r\n`, multipart), 415, otherCharset);
      const noBoundary = { headers: { 'content-type': 'multipart/form-data' } };
      await refused(await server.send('add', open, noBoundary), 400, broken);
    });

    it('that break off leave nothing behind', async () => {
      for (const type of ['text/vcf', multipart.headers['content-type']]) {
        const sending = request(`${server.url}/apiv1.0/add${query}`, {
          method: 'POST',
          headers: { 'x-auth-token': server.token, 'content-type': type, 'content-length': '50000' },
        });
        sending.on('error', () => undefined);
        if (type !== 'text/vcf') sending.write(`--XX\r\n${named('vcf', '; filename="x"')}\r\n\r\n`);
        sending.write(file.slice(0, 2000));
        await until(async () => (await server.uploads()).some((name) => name.endsWith('.part')));
        sending.destroy();
        await until(async () => (await server.uploads()).length === 0);
      }
    });

    it('refuse corrupt requests and continue', async () => {
      const piece = fc.oneof(
        fc.constantFrom(
          '--XX',
          '--',
          '\r\n',
          '\r\n\r\n',
          named('vcf', '; filename="x"'),
          named('dataset_id'),
          ': ',
          file,
        ),
        fc.constantFrom('Content-Transfer-Encoding: base64', 'Content-Type: x', 'ds', 'GRCh37', '\u0000', '"', ';'),
        fc.string({ maxLength: 20 }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
          const reply = await server.send('add', pieces.join(''), multipart);
          expect(reply.status).to.be.oneOf([400, 422]);
          expect(reply.body.message).to.be.a('string');
        }),
        { numRuns: 150 },
      );
      expect(await server.uploads()).to.deep.equal([]);
    });
  });
}

describe('beacon: folder for uploads', () => {
  const folder = useFolder();
  const id = (digit: number) => `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
  const host = hostname().replace(/[^A-Za-z0-9-]/g, '-');

  async function put(name: string, hours = 0): Promise<string> {
    const path = await folder.write(name, 'x');
    const at = new Date(Date.now() - hours * 3_600_000);
    await utimes(path, at, at);
    return name;
  }

  it('removes the files of ended jobs and ended processes, and no others', async () => {
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    const kept = [
      await put(`${id(1)}.vcf`, 9),
      await put(`${id(3)}.vcf`, 0.1),
      await put(`${id(5)}.${host}.${process.ppid}.part`),
      await put(`${id(6)}.${host}.${process.pid}.part`),
      await put(`${id(7)}.elsewhere.1.part`, 0.9),
      await put('notes.vcf', 9),
      await put('x.part', 9),
    ];
    await put(`${id(2)}.vcf`);
    await put(`${id(4)}.vcf`, 0.2);
    await put(`${id(5)}.${host}.${ended}.part`);
    await put(`${id(8)}.elsewhere.1.part`, 2);
    const uploads = uploadFolder(folder.path(), 'vcf');
    const fates = new Map<string, 'live' | 'ended'>([
      [id(1), 'live'],
      [id(2), 'ended'],
    ]);
    await uploads.sweep(async (of) => fates.get(of));
    expect((await readdir(folder.path())).sort()).to.deep.equal([...kept].sort());

    await uploads.sweep(async (of) => fates.get(of), true);
    expect(await readdir(folder.path())).to.not.include(`${id(6)}.${host}.${process.pid}.part`);
  });

  it('need not exist, and reports why it cannot be created', async () => {
    const uploads = uploadFolder(join(folder.path(), 'a', 'b'), 'vcf');
    await uploads.sweep(async () => undefined);
    const arriving = await uploads.open(id(1));
    arriving.stream.end('x');
    await arriving.keep();
    expect(await readdir(join(folder.path(), 'a', 'b'))).to.deep.equal([`${id(1)}.vcf`]);

    await writeFile(join(folder.path(), 'file'), '');
    await mkdir(join(folder.path(), 'c'));
    const refused = await uploadFolder(join(folder.path(), 'file'), 'vcf')
      .open(id(1))
      .catch((error: unknown) => error);
    expect(refused).to.include({ code: 'unavailable' });
  });

  it('refuses forms with endless headers or fields', async () => {
    const uploads = uploadFolder(folder.path(), 'vcf');
    const endless = (start: string) =>
      Readable.from(
        (function* () {
          yield Buffer.from(start);
          for (let i = 0; i < 400; i++) yield Buffer.alloc(65_536, 'x');
        })(),
        { objectMode: false },
      );
    const disposition = 'Content-Disposition: form-data; name="a"';
    for (const [start, message] of [
      ['--XX\r\nX-Long: ', 'The fields of the form are too large'],
      [`--XX\r\n${disposition}\r\n\r\n`, 'The fields of the form are too large'],
      ['', 'The fields of the form are too large'],
    ] as const) {
      const arriving = await uploads.open(id(1));
      const headers = { 'content-type': 'multipart/form-data; boundary=XX', 'transfer-encoding': 'chunked' };
      const refused = await receiveForm(endless(start), headers, arriving).catch((error: unknown) => error);
      expect(refused).to.include({ code: 'too-large', message });
      await arriving.discard();
    }
    expect(await readdir(folder.path())).to.deep.equal([]);
  });
});
