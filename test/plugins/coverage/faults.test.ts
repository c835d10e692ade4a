/** The wrong numbers of an older service, one by one: each with the right result, or a clear refusal. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { useFolder } from '../../support/folder.js';
import { useEach } from '../../support/use.js';
import { chromosomesOf, type MadeFile, writeD4 } from './support/d4.js';
import { get, type Json, post, postForm, serveCoverage } from './support/serve.js';
import { dataFolder, demoD4, describeWithData } from './support/shared.js';

interface Row extends Json {
  mean_coverage: number;
  completeness: Record<string, number>;
  bases_at: Record<string, number>;
  warnings: { code: string; message: string }[];
}

describeWithData('formerly wrong numbers', () => {
  const folder = useFolder();
  const server = useEach(() =>
    serveCoverage({ settings: { roots: [dataFolder, folder.path()] }, builds: ['GRCh37', 'GRCh38'] }),
  );

  const interval = (body: Json) => post<Row & { detail: unknown }>(`${server.url}/coverage/d4/interval/`, body);
  const file = (parts: Json & { bed: string }) => {
    const { bed, ...fields } = parts;
    const texts = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
    return postForm<Row[]>(`${server.url}/coverage/d4/interval_file/`, {
      ...Object.fromEntries(texts),
      bed: Buffer.from(bed),
    });
  };
  const summary = (body: Json) =>
    post<Json & Record<string, Row>>(`${server.url}/coverage/d4/genes/summary`, {
      build: 'GRCh37',
      samples: [{ name: 's', coverage_file_path: demoD4 }],
      coverage_threshold: 10,
      interval_type: 'genes',
      ...body,
    });
  const made = (name: string, file: MadeFile) => writeD4(join(folder.path(), name), file);
  const gene = { chromosome: '1', start: 11845780, end: 11866977 };

  it('W1: thresholds in any order have the right values', async () => {
    for (const thresholds of [
      [30, 20, 10],
      [10, 30, 20, 30],
    ]) {
      const { body } = await interval({ coverage_file_path: demoD4, ...gene, completeness_thresholds: thresholds });
      // reference §7: of 21197 bases.
      expect(body.bases_at).to.deep.equal({ '10': 21125, '20': 14548, '30': 1584 });
      expect(body.completeness['30']).to.equal(1584 / 21197);
    }
  });

  it('W2: lines without a name, or with one name, are separate rows', async () => {
    const lines = ['1\t11845780\t11866977', '5\t79922047\t79950802'];
    for (const bed of [lines.join('\n'), lines.map((line) => `${line}\tX`).join('\n')]) {
      const { body } = await file({ coverage_file_path: demoD4, completeness_thresholds: '[10]', bed });
      expect(body.map(({ bases_at }) => bases_at['10'])).to.deep.equal([21125, 25637]);
    }
    const twice = await file({
      coverage_file_path: demoD4,
      completeness_thresholds: '10',
      bed: [lines[0], lines[0]].join('\n'),
    });
    expect(twice.body.map(({ bases_at }) => bases_at['10'])).to.deep.equal([21125, 21125]);
  });

  it('W3: completeness uses the requested threshold, whatever the levels of reports', async () => {
    const { body } = await summary({ hgnc_gene_ids: [7436], coverage_threshold: 17 });
    const asked = await interval({
      coverage_file_path: demoD4,
      chromosome: '1',
      start: 11845779,
      end: 11866977,
      completeness_thresholds: [17],
    });
    expect(body.s?.bases_at).to.deep.equal(asked.body.bases_at);
    expect(asked.body.bases_at['17']).to.be.within(14549, 19715); // between the counts at 20x and at 15x
  });

  it('W4: names with and without the prefix chr match those of the file', async () => {
    const runs = [{ chromosome: 'chr1', begin: 1000, end: 2000, depth: 30 }];
    const path = made('prefixed.d4', { chromosomes: chromosomesOf('GRCh38', { prefix: true }), runs });
    for (const chromosome of ['1', 'chr1']) {
      const { body } = await interval({
        coverage_file_path: path,
        chromosome,
        start: 1500,
        end: 2500,
        completeness_thresholds: [10],
      });
      expect(body).to.deep.include({ mean_coverage: 15, completeness: { '10': 0.5 }, interval_id: '1:1500-2500' });
    }
    const { body } = await interval({ coverage_file_path: demoD4, ...gene, chromosome: 'chr1' });
    expect(body.mean_coverage).to.equal(467861 / 21197);
  });

  it('W10: without a known gene nothing is measured instead', async () => {
    const none = await summary({ hgnc_gene_ids: [99999999, 'PIPPI6'] });
    expect(none.status).to.equal(422);
    expect(none.body.detail).to.equal(
      'There is nothing to measure: The gene 99999999 is not in the gene set that is loaded; The gene PIPPI6 is not in the gene set that is loaded',
    );
    const some = await summary({ hgnc_gene_ids: [7436, 'PIPPI6'] });
    expect(some.body.s).to.deep.include({ length: 21198 });
    expect(some.body.s?.genes_not_found).to.deep.equal([
      { gene: 'PIPPI6', reason: 'unknown', message: 'The gene PIPPI6 is not in the gene set that is loaded' },
    ]);
    const noMane = await summary({ hgnc_gene_ids: [7436], interval_type: 'transcripts', transcripts: 'mane' });
    expect(noMane.status).to.equal(422);
    expect(noMane.body.detail).to.match(/7436 has no transcript of the chosen kind/);
  });

  it('W11: an empty list of genes is not all genes', async () => {
    for (const hgnc_gene_ids of [[], undefined]) {
      const { status, body } = await summary({ hgnc_gene_ids });
      expect(status).to.equal(422);
      expect(body.detail).to.equal('Please provide either Ensembl gene IDs, HGNC gene IDS or HGNC gene symbols.');
    }
  });

  it('W13: no reads on X and Y do not mean female', async () => {
    const { body } = await get(`${server.url}/coverage/samples/predicted_sex`, { coverage_file_path: demoD4 });
    expect(body).to.deep.include({ x_coverage: 0, y_coverage: 0, predicted_sex: 'unknown', build: 'GRCh37' });
    expect(body.warnings).to.deep.equal([
      {
        code: 'little-evidence',
        message: 'Too little of X was sequenced to predict the sex: 0 % outside the pseudoautosomal regions.',
      },
    ]);
  });

  it('W14: a file of another build is refused', async () => {
    const { status, body } = await summary({ build: 'GRCh38', hgnc_gene_ids: [7436] });
    expect(status).to.equal(422);
    expect(body.detail).to.equal(
      's (panelapp_109_example.d4): The coverage file belongs to GRCh37, not to GRCh38: Chromosome 1 has 249250621 bases, in GRCh38 it has 248956422',
    );
    const one = await interval({ coverage_file_path: demoD4, ...gene, build: 'GRCh38' });
    expect(one.status).to.equal(422);
    const unknown = made('other.d4', {
      chromosomes: [{ name: '1', size: 20_000_000 }],
      runs: [{ chromosome: '1', begin: 0, end: 20_000_000, depth: 7 }],
    });
    const warned = await summary({
      samples: [{ name: 's', coverage_file_path: unknown }],
      hgnc_gene_ids: [7436],
    });
    expect(warned.status).to.equal(200);
    expect(warned.body.s?.warnings.map(({ code }) => code)).to.deep.equal(['unknown-build']);
  });

  it('W15: MANE Select is the default on GRCh38, and any other choice is available on request', async () => {
    // MTHFR's MANE Select, ENST00000376590, on chromosome 1; all its transcripts together have more exonic bases.
    const path = made('mane.d4', {
      chromosomes: chromosomesOf('GRCh38'),
      runs: [{ chromosome: '1', begin: 11_700_000, end: 11_900_000, depth: 25 }],
    });
    const asked = {
      build: 'GRCh38',
      samples: [{ name: 's', coverage_file_path: path }],
      hgnc_gene_ids: [7436],
      interval_type: 'transcripts',
    };
    const lengthOf = async (transcripts: string | undefined) => {
      const { body } = await summary({ ...asked, transcripts });
      return (body.s as Json).length as number;
    };
    const [gene] = (await server.intervals.findGenes('GRCh38', ['7436'])).answers;
    if (gene === undefined || !('genes' in gene)) throw new Error('MTHFR is not loaded');
    const { transcripts } = await server.intervals.transcriptsOf('GRCh38', ['ENSG00000177000']);
    const select = transcripts.filter(({ isManeSelect }) => isManeSelect);
    expect(select.map(({ ensembl }) => ensembl)).to.deep.equal(['ENST00000376590']);
    const exonic = (select[0]?.exons ?? []).reduce((sum, { start, end }) => sum + end - start, 0);
    expect(await lengthOf(undefined)).to.equal(exonic);
    expect(await lengthOf('mane_select')).to.equal(exonic);
    expect(await lengthOf('all')).to.be.greaterThan(exonic);
    expect((await summary({ ...asked, transcripts: 'mane_plus_clinical' })).status).to.equal(422);
  });

  it('W16: depths capped at the end of the dictionary are reported', async () => {
    const chromosomes = [{ name: 'MT', size: 16569 }];
    const path = made('capped.d4', {
      chromosomes,
      runs: [{ chromosome: 'MT', begin: 0, end: 16569, depth: 127 }],
      dictionary: 128,
    });
    const { body } = await interval({ coverage_file_path: path, chromosome: 'MT', completeness_thresholds: [100] });
    expect(body.warnings.map(({ code }) => code)).to.deep.equal(['capped']);
    const amplicon = made('amplicon.d4', {
      chromosomes,
      runs: [{ chromosome: 'MT', begin: 100, end: 160, depth: 127 }],
      dictionary: 128,
    });
    const few = await interval({ coverage_file_path: amplicon, chromosome: 'MT', start: 101, end: 160 });
    expect(few.body.warnings.map(({ code }) => code)).to.deep.equal(['possibly-capped']);
    const sound = made('sound.d4', {
      chromosomes,
      runs: [{ chromosome: 'MT', begin: 0, end: 16569, depth: 4201 }],
      dictionary: 128,
    });
    expect((await interval({ coverage_file_path: sound, chromosome: 'MT' })).body).to.deep.include({
      mean_coverage: 4201,
      warnings: [],
    });
  });

  describe('former crashes', () => {
    const crashes: Record<string, { ask: () => Promise<{ status: number; body: unknown }>; status: number }> = {
      'an interval without thresholds': { ask: () => interval({ coverage_file_path: demoD4, ...gene }), status: 200 },
      'thresholds that are null': {
        ask: () => interval({ coverage_file_path: demoD4, ...gene, completeness_thresholds: null }),
        status: 200,
      },
      'a BED file without thresholds': {
        ask: () => file({ coverage_file_path: demoD4, bed: '1 11845780 11866977' }),
        status: 200,
      },
      'a BED file with headers, blank lines and blanks': {
        ask: () =>
          file({
            coverage_file_path: demoD4,
            bed: 'browser position 1:1-2\ntrack name=x\n#c\n\nchrom start end\n1 11845780 11866977\r\n',
          }),
        status: 200,
      },
      'an unknown chromosome': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '99', start: 1, end: 2 }),
        status: 422,
      },
      'a whole unknown chromosome': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '99' }),
        status: 422,
      },
      'an unknown chromosome in a BED file': {
        ask: () => file({ coverage_file_path: demoD4, bed: '1\t5\t9\n99\t1\t2' }),
        status: 422,
      },
      'an interval beyond the end': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '1', start: 300000000, end: 300000001 }),
        status: 422,
      },
      'an interval without bases': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '1', start: 5, end: 5 }),
        status: 422,
      },
      'an interval that ends before it starts': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '1', start: 9, end: 5 }),
        status: 422,
      },
      'half an interval': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '1', start: 9 }),
        status: 422,
      },
      'a negative start': {
        ask: () => interval({ coverage_file_path: demoD4, chromosome: '1', start: -9, end: 5 }),
        status: 422,
      },
      'a negative threshold': {
        ask: () => interval({ coverage_file_path: demoD4, ...gene, completeness_thresholds: [-1] }),
        status: 422,
      },
      'a threshold that is no number': {
        ask: () => interval({ coverage_file_path: demoD4, ...gene, completeness_thresholds: ['ten'] }),
        status: 422,
      },
      'a file that is no D4 file': {
        ask: async () => interval({ coverage_file_path: await folder.write('no.d4', 'no'), chromosome: '1' }),
        status: 422,
      },
      'a sex of a file that is not there': {
        ask: () => get(`${server.url}/coverage/samples/predicted_sex`, { coverage_file_path: `${dataFolder}no.d4` }),
        status: 404,
      },
      'a sex of a file without X and Y': {
        ask: () =>
          get(`${server.url}/coverage/samples/predicted_sex`, {
            coverage_file_path: made('auto.d4', {
              chromosomes: chromosomesOf('GRCh37', { names: ['1', '14'] }),
              runs: [{ chromosome: '1', begin: 0, end: 100000000, depth: 30 }],
            }),
          }),
        status: 200,
      },
      'unknown genes of transcripts': {
        ask: () => summary({ hgnc_gene_ids: [1], interval_type: 'transcripts' }),
        status: 422,
      },
      'custom intervals without a BED file': {
        ask: () => summary({ hgnc_gene_ids: [7436], interval_type: 'custom_intervals' }),
        status: 422,
      },
      'a sample without a path': {
        ask: () => summary({ samples: [{ name: 's' }], hgnc_gene_ids: [7436] }),
        status: 422,
      },
      'two samples of one name': {
        ask: () => {
          const sample = { name: 's', coverage_file_path: demoD4 };
          return summary({ samples: [sample, sample], hgnc_gene_ids: [7436] });
        },
        status: 422,
      },
      'no samples': { ask: () => summary({ samples: [], hgnc_gene_ids: [7436] }), status: 200 },
      'a body that is no JSON': { ask: () => post(`${server.url}/coverage/d4/interval/`, '{'), status: 400 },
      'no body': { ask: () => post(`${server.url}/coverage/d4/interval/`, ''), status: 422 },
      'a body that is a list': { ask: () => post(`${server.url}/coverage/d4/interval/`, []), status: 422 },
    };

    for (const [what, { ask, status }] of Object.entries(crashes)) {
      it(`${what}: ${status}`, async () => {
        const answer = await ask();
        expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
        if (status !== 200) expect((answer.body as Json).detail).to.not.equal(undefined);
        expect(server.log()).to.not.include('request failed');
      });
    }

    it('a file without X or Y has an unknown sex, with the reason', async () => {
      const path = made('auto.d4', {
        chromosomes: chromosomesOf('GRCh37', { names: ['1', 'X'] }),
        runs: [{ chromosome: 'X', begin: 0, end: 155_270_560, depth: 30 }],
      });
      const { body } = await get(`${server.url}/coverage/samples/predicted_sex`, { coverage_file_path: path });
      expect(body).to.deep.include({ predicted_sex: 'unknown', x_coverage: 30, y_coverage: 0 });
      expect(body.warnings).to.deep.equal([
        { code: 'missing-chromosome', message: 'The coverage file has no chromosome Y.' },
      ]);
    });

    it('an interval beyond the end of the chromosome counts the bases beyond as not covered', async () => {
      const path = made('end.d4', {
        chromosomes: [{ name: 'MT', size: 16569 }],
        runs: [{ chromosome: 'MT', begin: 0, end: 16569, depth: 100 }],
      });
      const { body } = await interval({
        coverage_file_path: path,
        chromosome: 'MT',
        start: 16469,
        end: 16669,
        completeness_thresholds: [10],
        gaps_below: 10,
      });
      expect(body).to.deep.include({
        length: 200,
        mean_coverage: 50,
        completeness: { '10': 0.5 },
        gaps: [{ chromosome: 'MT', start: 16569, end: 16669 }],
      });
      expect(body.warnings.map(({ code }) => code)).to.deep.equal(['beyond-end']);
    });
  });

  it('names the invalid line of a BED file', async () => {
    const sentences: Record<string, string> = {
      '1\t5': ', line 1: expected three columns (chromosome, start, end), separated by tabs or by spaces, found "1 5"',
      '1\t5\t9\r\r1\t9\t5': ', line 3: the end of the region, 5, is before its start, 9',
      '# nothing': ': it has no regions',
    };
    for (const [bed, sentence] of Object.entries(sentences)) {
      const { status, body } = await file({ coverage_file_path: demoD4, bed });
      expect(status).to.equal(422);
      expect((body as unknown as Json).detail).to.equal(`Provided intervals files is not a valid BED file${sentence}`);
    }
    const damaged = await folder.write('x.bed.gz', '');
    await writeFile(damaged, Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]));
    const gzip = await post(`${server.url}/coverage/d4/interval_file/`, {
      coverage_file_path: demoD4,
      intervals_bed_path: damaged,
    });
    expect(gzip.status).to.equal(422);
  });
});
