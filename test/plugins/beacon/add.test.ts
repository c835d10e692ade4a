import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { issueToken } from '../../../core/auth/access.js';
import { dealt } from '../../support/dealt.js';
import { useOnce } from '../../support/use.js';
import { engines } from './support/engines.js';
import { ask, dataset } from './support/serve.js';
import { vcf } from './support/vcf.js';
import { serveWriter } from './support/write.js';

const trio = vcf({
  samples: ['child', 'father', "mother's"],
  records: ['1 10 . A C . . . GT 0/1 0/0 1/1', '1 20 . A C,G . . . GT 1/2 0/2 0/0', 'X 30 . G T . . . GT 0/0 1 0/0'],
});

for (const engine of dealt(engines, 'sqlite')) {
  describe(`beacon: add on ${engine.name}`, () => {
    const server = useOnce(() => serveWriter(engine));
    let path: string;

    before(async () => {
      path = await server.file('trio.vcf', trio);
    });
    beforeEach(async () => {
      await server.repository.removeDataset('ds');
      await server.repository.addDataset(dataset('ds'), new Date());
    });

    const body = (more: Record<string, unknown> = {}) => ({
      dataset_id: 'ds',
      vcf_path: path,
      assemblyId: 'GRCh37',
      ...more,
    });
    const totals = async () => {
      const { alleleCount, callCount, sampleCount } = (await server.repository.dataset('ds')) ?? {};
      return [alleleCount, callCount, sampleCount];
    };
    const refused = async (sent: unknown, message: string, status = 422) => {
      const reply = await server.send('add', sent);
      expect([reply.status, reply.body], JSON.stringify(sent)).to.deep.equal([status, { message }]);
    };

    it('refuses a file with more samples than the configuration allows, and names the setting', async () => {
      const many = vcf({
        samples: Array.from({ length: 10_001 }, (_, n) => `s${n}`),
        records: [`1 10 . A C . . . GT ${Array.from({ length: 10_001 }, () => '0/1').join(' ')}`],
      });
      const manyPath = await server.file('many.vcf', many);
      const sentence =
        `${manyPath}: the file has 10001 samples, and the limit is 10000 (plugins.beacon.loads.samples): split it by samples ` +
        '(bcftools view -S), or raise the limit';
      await refused(body({ vcf_path: manyPath }), sentence);
      await refused(body({ vcf_path: manyPath, samples: ['s1'] }), sentence);
      expect(await totals()).to.deep.equal([0, 0, 0]);
    });

    it('loads the requested samples in a job that the caller can watch', async () => {
      const reply = await server.send('add', body({ samples: ['child'] }));
      expect(reply.status).to.equal(202);
      const { id, href } = reply.body.job as { id: string; href: string };
      expect(reply.body).to.deep.equal({
        message: 'Saving variants to Beacon',
        job: { id, href: `/-/jobs/${id}` },
      });
      const job = await server.ended(reply);
      expect(job).to.deep.include({ kind: 'beacon.add-variants', state: 'done', progress: 1, error: null });
      // The child has 10 A>C, 20 A>C and 20 A>G once each.
      expect(job.result).to.deep.include({ dataset: 'ds', added: { alleles: 3, calls: 3, samples: 1 }, records: 3 });
      expect(await server.repository.samples('ds')).to.deep.equal(['child']);
      const query = { assemblyId: 'GRCh37', referenceName: '1', referenceBases: 'A', alternateBases: 'G', start: 19 };
      expect((await ask(server.url, query)).body.exists).to.equal(true);

      const { token } = await issueToken(server.tokens, { owner: 'Other', scopes: ['beacon:*'] }, new Date());
      expect((await fetch(server.url + href, { headers: { 'x-auth-token': token } })).status).to.equal(404);
    });

    it('loads all samples of the file if none are named, and nothing twice', async () => {
      // 10 A>C: 1 + 2 calls, 20 A>C: 1, 20 A>G: 1 + 1, X 30 G>T: 1.
      for (const added of [
        { alleles: 4, calls: 7, samples: 3 },
        { alleles: 0, calls: 0, samples: 0 },
      ]) {
        expect((await server.ended(await server.send('add', body()))).result).to.deep.include({ added });
        expect(await totals()).to.deep.equal([4, 7, 3]);
      }
    });

    it('requires a token with the scope, before any other check', async () => {
      const { token } = await issueToken(server.tokens, { owner: 'Reader', scopes: ['beacon:read'] }, new Date());
      for (const [bad, status, message] of [
        [null, 401, 'Invalid auth token error'],
        ['', 401, 'Invalid auth token error'],
        ['no-such-token-at-all', 401, 'Invalid auth token error'],
        [token, 403, 'The API token lacks the scope beacon:write'],
      ] as const) {
        for (const route of ['add', 'delete', 'add_dataset']) {
          const reply = await server.send(route, '{rubbish', { token: bad, headers: { 'content-type': 'text/html' } });
          expect([reply.status, reply.body], `${route} ${bad}`).to.deep.equal([status, { message }]);
          if (status === 401) expect(reply.headers.get('www-authenticate')).to.equal('X-Auth-Token realm="trefoil"');
        }
      }
    });

    it('reports the first fault in the body', async () => {
      await refused({}, "'dataset_id' is a required property");
      await refused({ dataset_id: 'ds', assemblyId: 'FOO' }, "'vcf_path' is a required property");
      await refused({ dataset_id: 'ds', vcf_path: path }, "'assemblyId' is a required property");
      await refused(body({ dataset_id: 1, assemblyId: 'FOO' }), "1 is not of type 'string'");
      await refused(body({ vcf_path: null }), "None is not of type 'string'");
      await refused(body({ assemblyId: 'FOO' }), "'FOO' is not one of ['GRCh37', 'GRCh38']");
      await refused(body({ assemblyId: true }), "True is not one of ['GRCh37', 'GRCh38']");
      await refused(body({ samples: 'x' }), "'x' is not of type 'array'");
      await refused(body({ samples: ['x', { a: "it's" }] }), `{'a': "it's"} is not of type 'string'`);
      await refused(body({ genes: [17284] }), "[17284] is not of type 'object'");
      await refused(body({ genes: { id_type: 'X' } }), "'X' is not one of ['HGNC', 'Ensembl']");
      await refused(body({ genes: { ids: 'x' } }), "'x' is not of type 'array'");
      await refused([1, null], "[1, None] is not of type 'object'");
      expect((await server.send('add', 'a=b', { headers: { 'content-type': 'text/plain' } })).status).to.equal(415);
      const broken = await server.send('add', '{', { headers: { 'content-type': 'application/json' } });
      expect([broken.status, broken.body]).to.deep.equal([400, { message: 'The body is not valid JSON' }]);
    });

    it('checks in order: dataset, assembly, file, samples, genes', async () => {
      const genes = { ids: [1] };
      const bad = { vcf_path: join(server.root, 'none.vcf'), samples: ['nobody'], genes };
      await refused(
        body({ ...bad, dataset_id: 'none', assemblyId: 'GRCh38' }),
        'Invalid request. Please specify a valid dataset ID',
      );
      await refused(
        body({ ...bad, assemblyId: 'GRCh38' }),
        'Requested genome assembly is in conflict with the assembly of the dataset, GRCh37',
      );
      await refused(body(bad), `VCF file was not found at the provided path:${bad.vcf_path}`);
      await refused(
        body({ samples: ['child', 'nobody'], genes }),
        `One or more provided samples were not found in VCF. VCF samples:['child', 'father', "mother's"]`,
      );
      await refused(body({ samples: [], genes }), 'Please provide a valid list of samples');
      await refused(body({ genes }), 'Please provide id_type (HGNC or Ensembl) for the given list of genes');
      await refused(body({ genes: {} }), 'Please provide id_type (HGNC or Ensembl) for the given list of genes');
      for (const more of [{ ids: [17284] }, { ids: [] }, {}]) {
        await refused(
          body({ genes: { id_type: 'HGNC', ...more } }),
          'Could not create a gene filter using the provided gene list',
        );
      }
      expect(await totals()).to.deep.equal([0, 0, 0]);
    });

    it('loads the alleles in the genes of a list, by either kind of id', async () => {
      // POT1 on GRCh37, from base 124462440 to base 124570037 in Ensembl's coordinates; another gene beside it.
      const gene = {
        ensembl: 'ENSG00000128513',
        hgnc: 17284,
        symbol: 'POT1',
        contig: '7',
        start: 124462439,
        end: 124570037,
      } as const;
      const other = { ...gene, ensembl: 'ENSG00000182378', hgnc: 23148, symbol: 'PLCXD1', contig: 'X' } as const;
      await server.genes.replaceGenes('GRCh37', [gene, other], new Date());
      const records = [124462439, 124462440, 124570037, 124570038].flatMap((position) => [
        `chr7 ${position} . A C . . . GT 0/1`,
        `chr8 ${position} . A C . . . GT 0/1`,
      ]);
      const ordered = records.toSorted((a, b) => a.localeCompare(b));
      const vcf_path = await server.file(
        'genes.vcf',
        vcf({ samples: ['a'], records: [...ordered, 'chrX 124462440 . A C . . . GT 1'] }),
      );
      const added = async (genes: unknown) =>
        (await server.ended(await server.send('add', body({ vcf_path, genes })))).result as { added: unknown };
      expect((await added({ ids: [17284], id_type: 'HGNC' })).added).to.deep.equal({
        alleles: 2,
        calls: 2,
        samples: 1,
      });
      const at = { assemblyId: 'GRCh37', referenceName: '7', referenceBases: 'A', alternateBases: 'C' };
      const found = [];
      for (const start of [124462438, 124462439, 124570036, 124570037]) {
        found.push((await ask(server.url, { ...at, start })).body.exists);
      }
      expect(found).to.deep.equal([false, true, true, false]);
      const both = { ids: ['ENSG00000128513', 'ENSG00000182378'], id_type: 'Ensembl' };
      expect((await added(both)).added).to.deep.equal({ alleles: 1, calls: 1, samples: 0 });
      expect(await totals()).to.deep.equal([3, 3, 1]);
      await refused(
        body({ vcf_path, genes: { ids: [1], id_type: 'HGNC' } }),
        'Could not create a gene filter using the provided gene list',
      );
      await server.genes.replaceGenes('GRCh37', [], new Date());
    });

    it('refuses files that are not VCF with samples, or of another assembly', async () => {
      const none = 'Samples [] were not found in VCF files';
      await refused(body({ vcf_path: await server.file('empty.vcf', '') }), none);
      await refused(body({ vcf_path: await server.file('text.vcf', 'no VCF\n') }), none);
      await refused(body({ vcf_path: await server.file('cut.vcf.gz', Buffer.from('1f8b08040000', 'hex')) }), none);
      const sites = '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t1\t.\tA\tC\t.\t.\t.\n';
      await refused(body({ vcf_path: await server.file('sites.vcf', sites) }), none);
      // The length of chromosome 1 in GRCh38 (248,956,422); it is 249,250,621 in GRCh37.
      const other = vcf({ header: ['##contig=<ID=1,length=248956422>'], records: [] });
      const reply = await server.send('add', body({ vcf_path: await server.file('38.vcf', other) }));
      expect(reply.status).to.equal(422);
      expect(reply.body.message).to.match(/38\.vcf, line 2: the header says that 1 has 248956422 bases/);
    });

    it('reports later faults in the job, which is not retried and adds nothing', async () => {
      const whole = gzipSync(
        vcf({ records: Array.from({ length: 20_000 }, (_, i) => `1 ${i + 1} . A C . . . GT 0/1`) }),
      );
      for (const [name, text, error] of [
        ['none.vcf', vcf({ records: [] }), /none\.vcf: the VCF file doesn't contain any variant$/],
        [
          'odd.vcf',
          vcf({ records: ['c1 5 . A C . . . GT 0/1'] }),
          /odd\.vcf: none of the records \(1\) can be used: .*"c1"$/,
        ],
        ['cut.vcf.gz', whole.subarray(0, whole.length - 20), /cut\.vcf\.gz: the compressed data ends too early/],
      ] as const) {
        const job = await server.ended(await server.send('add', body({ vcf_path: await server.file(name, text) })));
        expect(job).to.include({ state: 'failed', attempts: 1, result: null });
        expect(job.error).to.match(error);
      }
      expect(await totals()).to.deep.equal([0, 0, 0]);
    });

    it('fails the job permanently if the file or dataset was removed meanwhile', async () => {
      const idle = await serveWriter(engine, { work: false });
      try {
        for (const id of ['ds', 'other']) await idle.repository.addDataset(dataset(id), new Date());
        const gone = await idle.file('gone.vcf', trio);
        const kept = await idle.file('kept.vcf', trio);
        const ofFile = await idle.send('add', body({ vcf_path: gone }));
        const ofDataset = await idle.send('add', body({ vcf_path: kept, dataset_id: 'other' }));
        await rm(gone);
        await idle.repository.removeDataset('other');
        idle.startJobs();

        const file = await idle.ended(ofFile);
        expect(file).to.include({ state: 'failed', attempts: 1 });
        expect(file.error).to.match(/(not found at the provided path:.*gone\.vcf|gone\.vcf: no such file)$/);
        const removed = await idle.ended(ofDataset);
        expect(removed).to.include({ state: 'failed', attempts: 1 });
        expect(removed.error).to.match(/There is no dataset 'other' of the assembly GRCh37 any more/);
      } finally {
        await idle.close();
      }
    });

    it('gives the same response for every path that is not a file under its directories', async () => {
      const outside = join(server.folder, 'outside.vcf');
      await writeFile(outside, trio);
      await mkdir(join(server.folder, 'root-beside'), { recursive: true });
      await writeFile(join(server.folder, 'root-beside', 'x.vcf'), trio);
      await mkdir(join(server.root, 'folder'), { recursive: true });
      const link = async (name: string, target: string) => {
        await rm(join(server.root, name), { force: true });
        await symlink(target, join(server.root, name));
        return join(server.root, name);
      };
      const fifo = join(server.root, 'fifo');
      await rm(fifo, { force: true });
      execFileSync('mkfifo', [fifo]);
      const paths = [
        outside,
        join(server.folder, 'missing.vcf'),
        join(server.folder, 'root-beside', 'x.vcf'),
        join(server.root, 'missing.vcf'),
        join(server.root, 'folder'),
        server.root,
        `${server.root}/../outside.vcf`,
        `${path}/x`,
        '../outside.vcf',
        '/etc/passwd',
        '/',
        '',
        '-',
        'x'.repeat(250),
        fifo,
        await link('out.vcf', outside),
        await link('gone.vcf', join(server.folder, 'missing.vcf')),
        await link('loop.vcf', join(server.root, 'loop.vcf')),
        await link('up', server.folder),
        join(server.root, 'up', 'outside.vcf'),
      ];
      for (const one of paths) {
        await refused(body({ vcf_path: one }), `VCF file was not found at the provided path:${one}`);
      }
      // Links that stay inside, and paths relative to a directory, are accepted.
      for (const one of [
        await link('in.vcf', path),
        relative(server.root, path),
        `${server.root}/folder/../trio.vcf`,
      ]) {
        const reply = await server.send('add', body({ vcf_path: one }));
        expect(reply.status, one).to.equal(202);
        expect((await server.ended(reply)).state).to.equal('done');
      }
    });

    it('ends correctly if additions and deletions of many samples overlap', async () => {
      const names = Array.from({ length: 6 }, (_, i) => `s${i}`);
      const genotypes = (i: number) => names.map((_, j) => ((i + j) % 3 === 0 ? '0/1' : '1/1')).join(' ');
      const records = Array.from({ length: 50 }, (_, i) => `2 ${i + 1} . A C . . . GT ${genotypes(i)}`);
      const many = await server.file('many.vcf', vcf({ samples: names, records }));
      const [first = '', second = '', ...rest] = names;
      await server.ended(await server.send('add', body({ vcf_path: many, samples: [first, second] })));
      const replies = await Promise.all([
        server.send('delete', { dataset_id: 'ds', samples: [first] }),
        ...rest.map((name) => server.send('add', body({ vcf_path: many, samples: [name] }))),
        server.send('delete', { dataset_id: 'ds', samples: [second] }, { method: 'DELETE' }),
      ]);
      for (const reply of replies) expect((await server.ended(reply)).state).to.equal('done');
      // Once more after the deletion: jobs on a dataset run in the order of their acceptance.
      const deleted = await server.send('delete', { dataset_id: 'ds', samples: [rest[0]] });
      const again = await server.send('add', body({ vcf_path: many, samples: [rest[0]] }));
      expect((await server.ended(deleted)).state).to.equal('done');
      expect((await server.ended(again)).state).to.equal('done');

      expect(await server.repository.samples('ds')).to.deep.equal(rest);
      const { alleles, calls, samples } = await server.repository.recount('ds');
      expect([alleles, calls, samples]).to.deep.equal(await totals());
      // By hand: sample j has one copy if (i + j) is a multiple of 3, else two.
      const copies = rest.map((_, k) => records.reduce((sum, _, i) => sum + ((i + k + 2) % 3 === 0 ? 1 : 2), 0));
      expect([alleles, calls]).to.deep.equal([50, copies.reduce((a, b) => a + b)]);
    });

    it('logs no sample, token or file content', () => {
      for (const secret of ['child', 'father', "mother's", server.token]) {
        expect(server.log()).to.not.include(secret);
      }
      expect(server.log()).to.include('variants added');
    });
  });
}
