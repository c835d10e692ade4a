import { expect } from 'chai';
import { coverage } from '../../../plugins/coverage/contract.js';
import { dealt } from '../../support/dealt.js';
import { useFolder } from '../../support/folder.js';
import { request } from '../../support/http.js';
import { storages } from '../../support/storages.js';
import { useEach } from '../../support/use.js';
import { type Kind, type Row, rowsOf, table } from './support/chanjo2.js';
import { describeWithShared, type Json, openSite, reasons, shared } from './support/site.js';

const kinds = ['genes', 'transcripts', 'exons'] as const;

/** Two genes in GRCh37, one in GRCh38 (whose rows name their build like the program), as chanjo2 stored them. */
const fixture: Record<Kind, Row[]> = {
  genes: [
    { chromosome: '1', start: 101, stop: 500, ensembl_ids: '["ENSG00000000001"]', hgnc_id: 11, hgnc_symbol: 'ONE', build: 'GRCh37' },
    { chromosome: 'MT', start: 1, stop: 50, ensembl_ids: '["ENSG00000000002"]', build: 'GRCh37' },
    { chromosome: 'GL0001', start: 1, stop: 50, ensembl_ids: '["ENSG00000000003"]', build: 'GRCh37' },
    { chromosome: '1', start: 1, stop: 50, ensembl_ids: 'NULL', hgnc_symbol: 'NONE', build: 'GRCh37' },
    { chromosome: '1', start: 201, stop: 600, ensembl_ids: '["ENSG00000000001"]', hgnc_id: 11, hgnc_symbol: 'ONE', build: 'build_38' },
    { chromosome: '1', start: 1, stop: 50, ensembl_ids: '["ENSG00000000001"]', build: 'hg19' },
  ],
  transcripts: [
    { chromosome: '1', start: 101, stop: 500, ensembl_id: 'ENST00000000001', refseq_mrna: 'NM_1', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    { chromosome: '1', start: 101, stop: 500, ensembl_id: 'ENST00000000001', refseq_mrna: 'NM_2', refseq_mane_select: 'NM_2.1', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    { chromosome: '1', start: 101, stop: 400, ensembl_id: 'ENST00000000002', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    // A duplicate, not adjacent to the first.
    { chromosome: '1', start: 101, stop: 500, ensembl_id: 'ENST00000000001', refseq_mrna: 'NM_1', refseq_mrna_pred: 'XM_1', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    { chromosome: '1', start: 201, stop: 600, ensembl_id: 'ENST00000000001', ensembl_gene_id: 'ENSG00000000001', build: 'build_38' },
  ],
  exons: [
    { chromosome: '1', start: 101, stop: 101, rank_in_transcript: 1, ensembl_id: 'ENSE00000000001', ensembl_transcript_id: 'ENST00000000001', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    { chromosome: '1', start: 401, stop: 500, rank_in_transcript: 2, ensembl_id: 'ENSE00000000002', ensembl_transcript_id: 'ENST00000000001', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
    { chromosome: '1', start: 401, stop: 500, ensembl_id: 'ENSE00000000003', ensembl_transcript_id: 'ENST00000000002', ensembl_gene_id: 'ENSG00000000001', build: 'GRCh37' },
  ],
}; // biome-ignore format: a row a line

for (const engine of dealt(storages, 'postgres')) {
  describe(`import-chanjo2 on ${engine.name}`, function () {
    this.timeout(120_000);
    const folder = useFolder();
    const site = useEach(() => openSite(engine, 'coverage'));

    const write = async (rows: Record<Kind, readonly Row[]>) => ({
      genes: await folder.write('genes.tsv', table('genes', rows.genes)),
      transcripts: await folder.write('transcripts.tsv', table('transcripts', rows.transcripts)),
      exons: await folder.write('exons.tsv', table('exons', rows.exons)),
    });

    const sets = () => site.storage.repository(coverage).sets();

    const refused = (options: Record<string, unknown>) => site.refused('import-chanjo2', options);

    it('imports each build, merges duplicates, and reports the omitted rows', async () => {
      const files = await write(fixture);
      const rehearsal = await site.run('import-chanjo2', { ...files, dryRun: true });
      expect(await sets()).to.deep.equal([]);

      const { data } = await site.run('import-chanjo2', files);
      const [older, newer] = data.builds;
      expect(rehearsal.data.builds.map(({ outcome }: Json) => outcome)).to.deep.equal(['would load', 'would load']);
      expect(rehearsal.data.builds.map(({ sets: found }: Json) => found)).to.deep.equal([older.sets, newer.sets]);
      expect([older.build, older.outcome]).to.deep.equal(['GRCh37', 'loaded']);
      expect(older.sets.map(({ kind, read, rows }: Json) => `${kind} ${read} ${rows}`)).to.deep.equal([
        'genes 2 2',
        'transcripts 4 2',
        'exons 2 2',
      ]);
      expect(older.notCarried).to.deep.equal([
        { reason: 'other sequence', count: 1, examples: ['genes id 3'] },
        { reason: 'without Ensembl id', count: 1, examples: ['genes id 4'] },
        { reason: 'without rank', count: 1, examples: ['exons id 3'] },
      ]);
      // No exon of GRCh38: that kind is not changed.
      expect(newer.sets.map(({ kind }: Json) => kind)).to.deep.equal(['genes', 'transcripts']);
      expect(data.withoutBuild).to.equal(1);

      // Ensembl's first base 101 is [100, …) here.
      const repository = site.storage.repository(coverage);
      const { transcripts } = await repository.transcriptsOf('GRCh37', ['ENSG00000000001']);
      expect(transcripts.map(({ ensembl, start, end }) => [ensembl, start, end])).to.deep.equal([
        ['ENST00000000002', 100, 400],
        ['ENST00000000001', 100, 500],
      ]);
      expect(transcripts[1]?.references).to.deep.equal({
        refseqMrna: ['NM_1', 'NM_2'],
        refseqMrnaPredicted: ['XM_1'],
        refseqNcrna: [],
        maneSelect: ['NM_2.1'],
        manePlusClinical: [],
      });
      expect(transcripts[1]?.isManeSelect).to.equal(true);
      expect(transcripts[1]?.exons.map(({ rank, start, end }) => [rank, start, end])).to.deep.equal([
        [1, 100, 101],
        [2, 400, 500],
      ]);
      const genes = await repository.select('genes', 'GRCh38', { ids: ['ENSG00000000001'] });
      expect(genes).to.deep.equal([
        { ensembl: 'ENSG00000000001', hgnc: 11, symbol: 'ONE', chromosome: '1', start: 200, end: 600 },
      ]);
    });

    it('changes nothing on a second run, and only one build if requested', async () => {
      const files = await write(fixture);
      const one = await site.run('import-chanjo2', { ...files, build: 'GRCh38' });
      expect(one.data.builds.map(({ build }: Json) => build)).to.deep.equal(['GRCh38']);
      await site.run('import-chanjo2', files);
      const before = await sets();
      const again = await site.run('import-chanjo2', files);
      expect(again.data.builds.map(({ outcome }: Json) => outcome)).to.deep.equal(['unchanged', 'unchanged']);
      expect(await sets()).to.deep.equal(before);
    });

    it('refuses invalid tables, and keeps the old sets', async () => {
      const files = await write(fixture);
      await site.run('import-chanjo2', files);
      const before = await sets();

      const short = { ...fixture, genes: fixture.genes.slice(0, 1) };
      expect(await refused(await write(short))).to.match(/^genes\.tsv has 1 genes, but the loaded set has 2/);
      const beyond = { ...fixture, genes: [{ ...fixture.genes[0], stop: 249250622 }] };
      expect(await refused(await write(beyond))).to.match(/^genes\.tsv, line 2: 1:249250622 is beyond the end/);
      const contradicting = {
        ...fixture,
        transcripts: [...fixture.transcripts, { ...fixture.transcripts[0], stop: 499 }],
      };
      expect(await refused(await write(contradicting))).to.match(/ENST00000000001/);
      await write(fixture);
      const { exons, ...others } = files;
      expect(await refused({ ...others, exons: files.genes })).to.match(
        /line 1: not the header of chanjo2's table exons/,
      );
      expect(await refused({ exons: await folder.write('empty.tsv', '') })).to.equal('empty.tsv: the file is empty');
      expect(await refused({ exons, build: 'GRCh38' })).to.equal('The tables have no rows of GRCh38');
      expect(await refused({})).to.match(/Name at least one table/);
      expect(await refused({ exons: `${folder.path()}/absent.tsv` })).to.equal('absent.tsv: no such file');
      expect(await sets()).to.deep.equal(before);
    });
  });

  describeWithShared(`import-chanjo2 of the demo files on ${engine.name}`, () => {
    const folder = useFolder();

    it('serves over HTTP the same as after loading the files themselves', async function () {
      this.timeout(120_000);
      const site = await openSite(engine, 'coverage');
      try {
        const files: Partial<Record<Kind, string>> = {};
        for (const kind of kinds) {
          const rows: Row[] = [];
          for (const [build, number] of [
            ['GRCh37', 37],
            ['GRCh38', 38],
          ] as const) {
            const file = shared(`coverage/${kind}_${number}.tsv`);
            await site.run(`load-${kind}`, { build, file });
            rows.push(...(await rowsOf(kind, file, build)));
          }
          files[kind] = await folder.write(`${kind}.tsv`, table(kind, rows));
        }
        const expected = await answers(site.url);
        const { data } = await site.run('import-chanjo2', files);
        expect(data.builds.map(({ outcome, notCarried }: Json) => [outcome, reasons(notCarried)])).to.deep.equal([
          ['loaded', {}],
          ['loaded', {}],
        ]);
        // chanjo2's demo: 37 and 50 rows of transcripts.
        expect(data.builds.map(({ sets }: Json) => sets.map(({ read }: Json) => read))).to.deep.equal([
          [5, 37, 151],
          [5, 50, 238],
        ]);
        const found = await answers(site.url);
        for (const [what, rows] of Object.entries(expected)) expect(found[what], what).to.deep.equal(rows);
      } finally {
        await site.close();
      }
    });
  });
}

/** Fields that chanjo2 does not store. */
const notKept = ['biotype', 'strand', 'utr5', 'utr3'];

/** All responses of the interval routes, except for what chanjo2 does not store. */
async function answers(url: string): Promise<Json> {
  const found: Json = {};
  for (const kind of kinds) {
    for (const build of ['GRCh37', 'GRCh38']) {
      for (const filter of [{ limit: 0 }, { hgnc_symbols: ['MTHFR', 'dhfr', 'nothing'] }, { hgnc_ids: [7436] }]) {
        const { status, body: rows } = await request<Json[]>(`${url}/intervals/${kind}`, {
          json: { build, ...filter },
        });
        expect(status, JSON.stringify(rows)).to.equal(200);
        expect(rows).to.not.have.length(0);
        found[`${kind} ${build} ${JSON.stringify(filter)}`] = rows.map((row) =>
          Object.fromEntries(Object.entries(row).filter(([name]) => !notKept.includes(name))),
        );
      }
    }
  }
  found.counts = await (await fetch(`${url}/intervals/intervals_count_by_build`)).json();
  return found;
}
