/** /intervals over HTTP, and its commands, on a real server with a new SQLite file. */
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { command } from '../../../support/command.js';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { serve } from '../../../support/trefoil.js';

interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes, compared unchanged
  body: any;
}

const header =
  'Chromosome/scaffold name\tGene start (bp)\tGene end (bp)\tGene stable ID\tHGNC symbol\tHGNC ID\tGene type';
const rows = Array.from({ length: 150 }, (_, i) => {
  const ensembl = `ENSG${String(i + 1).padStart(11, '0')}`;
  return `${i === 149 ? 'MT' : '1'}\t${i * 10 + 1}\t${i * 10 + 9}\t${ensembl}\tG${i}\t${i + 1}\tprotein_coding`;
});
const genes = (count = 150) => `${[header, ...rows.slice(150 - count)].join('\n')}\n`;

describe('intervals over HTTP', () => {
  const folder = blockFolder();
  let url: string;
  let token: string;
  let stop: () => Promise<unknown>;

  before(async () => {
    await writeFile(join(folder, 'secret.tsv'), genes());
    const roots = join(folder, 'roots');
    await mkdir(roots);
    await writeFile(
      join(folder, 'c.yaml'),
      [
        'storage: { adapter: sqlite, file: t.sqlite }',
        'http: { port: 0, host: 127.0.0.1 }',
        'demo: true',
        'plugins:',
        '  coverage:',
        `    roots: ["${folder}/roots"]`,
        '    intervals: { httpLoading: true, uploads: uploads, uploadLimit: 100000 }',
        '',
      ].join('\n'),
    );
    await writeFile(join(roots, 'genes.tsv'), genes());
    await writeFile(join(roots, 'short.tsv'), genes(20));
    await symlink(join(folder, 'secret.tsv'), join(roots, 'link.tsv'));
    const config = ['--config', 'c.yaml'];
    const added = await command(['token', 'add', '--owner', 'lab', '--scope', 'coverage:load', '--json', ...config], {
      cwd: folder,
    });
    expect(added.code, added.stderr).to.equal(0);
    token = JSON.parse(added.stdout).token;
    const server = await serve(['serve', ...config], { cwd: folder });
    url = server.url;
    stop = () => server.process.kill();
  });
  after(async () => {
    await stop?.();
  });

  const send = (path: string, json?: unknown, headers: Record<string, string> = {}) =>
    request<Reply['body']>(url + path, { method: 'POST', json, headers });
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await request<Reply['body']>(url + path, { headers })).body;

  const load = (path: string, body?: string, headers: Record<string, string> = {}) =>
    send(`/intervals/load/${path}`, body, { 'x-auth-token': token, ...headers });

  async function ended({ body }: Reply): Promise<Reply['body']> {
    for (;;) {
      const job = await get(body.job.href, { 'x-auth-token': token });
      if (job.state !== 'queued' && job.state !== 'running') return job;
      await sleep(20);
    }
  }

  /** Waits until the folder of uploads is empty, soon after the job that used one ended. */
  async function cleared(): Promise<void> {
    while ((await readdir(join(folder, 'uploads'))).length > 0) await sleep(20);
  }

  it('has the demo intervals before it is ready', async () => {
    const counts = await get('/intervals/intervals_count_by_build');
    expect(counts.GRCh37.number_of_genes).to.equal(6);
    expect(counts.GRCh38.number_of_genes).to.equal(6);
    expect(counts.GRCh38.number_of_exons).to.be.above(20);
    const { sets } = await get('/intervals');
    expect(sets).to.have.length(6);
    expect(sets[0]).to.include({ kind: 'genes', build: 'GRCh37', release: 'demo' });
  });

  it('returns genes with the fields of the reference, coordinates 1-based and inclusive', async () => {
    const { status, body, headers } = await send('/intervals/genes', {
      build: 'GRCh37',
      hgnc_symbols: ['mthfr', 'NIX'],
    });
    expect(status).to.equal(200);
    expect(body).to.have.length(1);
    expect(body[0]).to.deep.include({
      chromosome: '1',
      start: 11845780,
      stop: 11866977,
      build: 'GRCh37',
      ensembl_ids: ['ENSG00000177000'],
      hgnc_id: 7436,
      hgnc_symbol: 'MTHFR',
    });
    expect(headers.get('x-not-found')).to.equal('NIX;reason=unknown');
    expect(headers.get('x-interval-set')).to.match(/^release=demo; checksum=sha256:[0-9a-f]{64}; loaded=/);
  });

  it('returns transcripts and exons of genes, or by their own ids', async () => {
    const query = { build: 'GRCh38', hgnc_ids: [7436] };
    const transcripts = (await send('/intervals/transcripts', query)).body;
    const select = transcripts.find((each: { is_mane_select: boolean }) => each.is_mane_select);
    expect(select).to.deep.include({
      start: 11785723,
      stop: 11805964,
      ensembl_id: 'ENST00000376590',
      ensembl_gene_id: 'ENSG00000177000',
      refseq_mrna: 'NM_005957',
      refseq_ncrna: null,
      refseq_mane_select: 'NM_005957.5',
      refseq_mane_plus_clinical: null,
    });
    const exons = (await send('/intervals/exons', { build: 'GRCh37', ensembl_ids: ['ENSE00001544473'] })).body;
    expect(exons).to.have.length(1);
    expect(exons[0]).to.deep.include({
      chromosome: 'MT',
      start: 15956,
      stop: 16023,
      build: 'GRCh37',
      ensembl_gene_id: 'ENSG00000210196',
      ensembl_transcript_id: 'ENST00000387461',
      rank_in_transcript: 1,
    });
  });

  it('never treats an empty or unknown filter as no filter', async () => {
    const asked = [{ hgnc_symbols: [] }, { hgnc_symbols: ['NIX'] }, { hgnc_ids: [1] }, { ensembl_ids: ["x' or 1=1"] }];
    for (const filter of [...asked, { ensembl_ids: [] }]) {
      for (const kind of ['genes', 'transcripts', 'exons']) {
        const { status, body } = await send(`/intervals/${kind}`, { build: 'GRCh37', ...filter });
        expect([status, body], `${kind} ${JSON.stringify(filter)}`).to.deep.equal([200, []]);
      }
    }
    const { body } = await send('/intervals/exons', { build: 'GRCh37', ensembl_gene_ids: ['ENSG00000210196'] });
    expect(body).to.have.length(1);
  });

  it('refuses more than one filter, and invalid queries', async () => {
    const two = await send('/intervals/genes', { build: 'GRCh37', hgnc_symbols: [], hgnc_ids: [7436] });
    expect([two.status, two.body]).to.deep.equal([
      400,
      {
        detail:
          'Interval query contains too many filter parameters. Please specify genome build and max one type of filter.',
      },
    ]);
    const bad = [
      {},
      { build: 'hg19' },
      { build: 'GRCh37', hgnc_ids: 'x' },
      { build: 'GRCh37', limit: 'x' },
      [],
      7,
      null,
    ];
    for (const body of bad) {
      const reply = await send('/intervals/transcripts', body);
      expect(reply.status, JSON.stringify(body)).to.equal(422);
      expect(reply.body.detail).to.be.an('array');
    }
    expect((await send('/intervals/genes', '{', { 'content-type': 'application/json' })).status).to.equal(400);
  });

  it('loads a file by path in a job that the caller can watch, completely or not at all', async () => {
    const reply = await load('genes/GRCh37?file_path=genes.tsv&release=Ensembl%2075&force=true');
    expect(reply.status).to.equal(200);
    expect(reply.body.detail).to.equal(
      'Genes will be updated in background. Please check their availability in a few minutes.',
    );
    const job = await ended(reply);
    expect(job).to.deep.include({ kind: 'coverage.load-intervals', state: 'done', progress: 1 });
    expect(job.result).to.deep.include({ read: 150, skipped: {}, warnings: [] });
    expect((await get('/intervals/intervals_count_by_build')).GRCh37.number_of_genes).to.equal(150);

    const shrunk = await ended(await load('genes/GRCh37?file_path=short.tsv'));
    expect(shrunk.state).to.equal('failed');
    expect(shrunk.error).to.match(/short.tsv has 20 genes, but the loaded set has 150/);
    const { sets } = await get('/intervals');
    expect(sets[0]).to.deep.include({ release: 'Ensembl 75', source: 'genes.tsv', rows: 150 });

    const listed = async (query: object) => (await send('/intervals/genes', { build: 'GRCh37', ...query })).body.length;
    expect(await listed({})).to.equal(100);
    expect(await listed({ limit: 7 })).to.equal(7);
    for (const limit of [0, null, -1]) expect(await listed({ limit })).to.equal(150);
  });

  it('loads an upload, and keeps no file', async () => {
    const type = { 'content-type': 'text/tab-separated-values' };
    const job = await ended(await load('genes/GRCh38?force=true', genes(30), type));
    expect(job.state, job.error).to.equal('done');
    await cleared();
    const failed = await ended(await load('exons/GRCh38', genes(30), type));
    expect([failed.state, failed.error]).to.deep.equal([
      'failed',
      'upload, line 1: not a header of exons of Ensembl BioMart: "Transcript stable ID", "Exon stable ID", ' +
        '"Exon region start (bp)", "Exon region end (bp)", "Strand", "Exon rank in transcript" missing',
    ]);
    await cleared();
    const tooLarge = await load('genes/GRCh38', 'x'.repeat(200_000), type);
    expect(tooLarge.status).to.equal(413);
    expect(await readdir(join(folder, 'uploads'))).to.deep.equal([]);
  });

  it('gives the same response for every file that may not be loaded', async () => {
    const paths = ['nope.tsv', '../secret.tsv', 'link.tsv', '/etc/passwd', '.', join(folder, 'secret.tsv'), 'a\u0000b'];
    for (const path of paths) {
      const { status, body } = await load(`genes/GRCh37?file_path=${encodeURIComponent(path)}`);
      if (path.includes('\u0000')) expect(status).to.be.within(400, 422);
      else
        expect([status, body], path).to.deep.equal([
          422,
          { detail: 'The interval file was not found at the provided path' },
        ]);
    }
  });

  it('requires the token, a build and a file', async () => {
    const path = '/intervals/load/genes/GRCh37?file_path=genes.tsv';
    expect((await send(path)).status).to.equal(401);
    expect((await send(path, undefined, { 'x-auth-token': 'x'.repeat(40) })).status).to.equal(401);
    // Clients of chanjo2 expect the path of the field as chanjo2 reports it.
    for (const [asked, place] of [
      ['genes/hg19?file_path=genes.tsv', ['path', 'build']],
      ['genes/GRCh37', ['query', 'file_path']],
      ['genes/GRCh37?file_path=genes.tsv&force=maybe', ['query', 'force']],
    ] as const) {
      const { status, body } = await load(asked);
      expect([status, body.detail[0].loc], asked).to.deep.equal([422, place]);
    }
    expect((await load('genes/GRCh37?file_path=genes.tsv', 'x', { 'content-type': 'text/plain' })).status).to.equal(
      422,
    );
    expect((await load('genes/GRCh37', '{}', { 'content-type': 'application/json' })).status).to.equal(415);
  });
});
