import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openSource } from '../../../core/files.js';
import { type Assembly, beacon, beaconGenes, type Gene } from '../../../plugins/beacon/contract.js';
import { downloadGenes, readGenes } from '../../../plugins/beacon/genes/files.js';
import { loadVariants } from '../../../plugins/beacon/loading/load.js';
import { permitAll } from '../../../plugins/beacon/loading/permit.js';
import { genePanel } from '../../../plugins/beacon/vcf/panel.js';
import { dealt } from '../../support/dealt.js';
import { faultOf } from '../../support/fault.js';
import { useFolder } from '../../support/folder.js';
import { typedBeacon } from './support/commands.js';
import { engines } from './support/engines.js';
import { dataset } from './support/serve.js';
import { describeWithShared, shared } from './support/shared.js';
import { vcf } from './support/vcf.js';

/** Four genes in BioMart's format, the last without an HGNC id. Ensembl is 1-based and inclusive. */
const rows = [
  'ENSG00000128513\tHGNC:17284\tPOT1\t7\t124462440\t124570037',
  'ENSG00000182378\tHGNC:23148\tPLCXD1\tX\t192989\t220023',
  'ENSG00000210049\tHGNC:7481\tMT-TF\tMT\t577\t647',
  'ENSG00000999999\t\t\t1\t5\t6',
];
const stamped = `${rows.join('\n')}\n[success]\n`;
const pot1: Gene = {
  ensembl: 'ENSG00000128513',
  hgnc: 17284,
  symbol: 'POT1',
  contig: '7',
  start: 124462439,
  end: 124570037,
};

const refusal = async (work: Promise<unknown>) => (await faultOf(work)).message;

describe('beacon: files of genes', () => {
  const folder = useFolder();

  async function read(text: string | Buffer, assembly: Assembly = 'GRCh37', stamp = false, force = false) {
    const file = join(folder.path(), 'genes');
    await writeFile(file, text);
    return readGenes(await openSource(file), assembly, { stamped: stamp, force });
  }

  it('are BioMart tables, with or without a stamp, plain or gzipped, with any line end', async () => {
    for (const text of [stamped, rows.join('\n'), gzipSync(stamped), rows.join('\r\n'), `\uFEFF${rows.join('\r')}\r`]) {
      const { genes, skipped } = await read(text);
      expect(genes[0]).to.deep.equal(pot1);
      expect(genes.map(({ hgnc }) => hgnc)).to.deep.equal([17284, 23148, 7481]);
      expect(skipped).to.deep.equal({ incomplete: 0, withoutHgnc: 1, otherContigs: 0 });
    }
  });

  it('have their columns in the order of the header', async () => {
    const header =
      'HGNC symbol\tGene stable ID\tGene start (bp)\tGene end (bp)\tChromosome/scaffold name\tHGNC ID\tMore';
    const row = 'POT1\tENSG00000128513.19\t124462440\t124570037\tchr7\t17284\tx';
    expect((await read(`${header}\n${row}\n`)).genes).to.deep.equal([pot1]);
    expect(await refusal(read(`Gene stable ID\tHGNC ID\n${row}\n`))).to.match(
      /line 1: the column "HGNC symbol" is missing/,
    );
  });

  it('skip and count rows of other kinds, and load a gene once', async () => {
    const others = ['ENSG1\tHGNC:1\tA', 'LRG_1\tHGNC:2\tB\t1\t5\t6', 'ENSG00000000001\tHGNC:3\tC\tHG1_PATCH\t5\t6'];
    const { genes, skipped } = await read([...rows, rows[0], ...others].join('\n'), 'GRCh37', false, true);
    expect(genes).to.have.lengthOf(3);
    expect(skipped).to.deep.equal({ incomplete: 2, withoutHgnc: 1, otherContigs: 1 });
  });

  it('are refused if more than one in twenty lines are not genes, unless forced', async () => {
    const genes = Array.from({ length: 19 }, (_, i) => `ENSG000000001${10 + i}\tHGNC:${i + 1}\tG\t1\t${i + 1}\t99`);
    const broken = 'ENSG1\tHGNC:1\tA';
    // 1 of 20, then 2 of 21.
    expect((await read([...genes, broken].join('\n'))).skipped.incomplete).to.equal(1);
    const two = [...genes, broken, broken].join('\n');
    expect(await refusal(read(two))).to.match(
      /genes: 2 of 21 lines .*\(incomplete\), the first of them line 20: "ENSG1/,
    );
    expect((await read(two, 'GRCh37', false, true)).genes).to.have.lengthOf(19);
  });

  it('may have the ids of GENCODE for GRCh37, and of copies on Y', async () => {
    const row = (id: string) => `${id}\tHGNC:1\tA\t7\t5\t6`;
    for (const id of ['ENSG00000128513.10_7', 'ENSG00000128513.10_PAR_Y', 'ENSGR0000128513.4'])
      expect((await read(row(id))).genes[0]?.ensembl, id).to.equal('ENSG00000128513');
  });

  it('may also be GFF3 and GTF of Ensembl and GENCODE', async () => {
    const gff3 = [
      '##gff-version 3',
      '#!genome-build GRCh37.p13',
      '7\tensembl\tgene\t124462440\t124570037\t.\t-\t.\tID=gene:ENSG00000128513;Name=POT1;description=protection of telomeres 1 [Source:HGNC Symbol%3BAcc:HGNC:17284];gene_id=ENSG00000128513;version=19',
      '7\tensembl\tmRNA\t124462440\t124570037\t.\t-\t.\tID=transcript:ENST00000357628;Parent=gene:ENSG00000128513',
    ];
    const gencode =
      'chr7\tHAVANA\tgene\t124462440\t124570037\t.\t-\t.\tgene_id "ENSG00000128513.10"; gene_type "protein_coding"; gene_name "POT1"; hgnc_id "HGNC:17284";';
    const gtf = '7\thavana\tgene\t124462440\t124570037\t.\t-\t.\tgene_id "ENSG00000128513"; gene_name "POT1";';
    expect((await read(gff3.join('\n'))).genes).to.deep.equal([pot1]);
    expect((await read(gencode)).genes).to.deep.equal([pot1]);
    const { hgnc: _, ...withoutHgnc } = pot1;
    expect((await read(gtf)).genes).to.deep.equal([withoutHgnc]);
    expect(await refusal(read(gff3.join('\n'), 'GRCh38'))).to.match(/line 2: the file is of GRCh37, not of GRCh38/);
  });

  it('are refused if invalid', async () => {
    const row = (start: string, end: string, hgnc = 'HGNC:1') => `ENSG00000000001\t${hgnc}\tA\t22\t${start}\t${end}`;
    for (const [text, reason] of [
      ['', 'the file has no genes'],
      ['[success]\n', 'the file has no genes'],
      ['Query ERROR: caught BioMart::Exception', 'line 1: the download failed: BioMart wrote "Query ERROR: caught'],
      [`${rows.join('\n')}\nQuery ERROR: caught BioMart::Exception`, 'line 5: the download failed: BioMart wrote'],
      ['<html>', 'line 1: the download failed: this is a web page'],
      [row('x', '5'), 'line 1: start and end of a gene are numbers, not "x" and "5"'],
      [row('9', '5'), 'line 1: a gene cannot lie from 9 to 5'],
      [row('0', '5'), 'line 1: a gene cannot lie from 0 to 5'],
      // Chromosome 22 has 51 304 566 bases in GRCh37, 50 818 468 in GRCh38.
      [row('5', '51304567'), 'line 1: 22:51304567 is beyond the end of the chromosome in GRCh37, 51304566'],
      [row('5', '6', 'OMIM:5'), 'line 1: "OMIM:5" is not an HGNC id'],
    ] as const) {
      expect(await refusal(read(text)), text).to.contain(reason);
    }
    expect((await read(row('5', '51304566'))).genes).to.have.lengthOf(1);
    expect(await refusal(read(rows.join('\n'), 'GRCh37', true))).to.contain(
      'truncated; it does not end with [success]',
    );
  });
});

describe('beacon: genes from Ensembl', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function from(
    listener: RequestListener,
    { timeout = 20, limit = 10_000 } = {},
    signal = new AbortController().signal,
  ) {
    const listening = createServer(listener);
    servers.push(listening);
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/biomart/martservice`;
    return readGenes(await downloadGenes({ url, timeout, limit, signal }), 'GRCh37', { stamped: true });
  }

  it('are requested with one query, and read', async () => {
    let asked: URL | undefined;
    const { genes } = await from((request, response) => {
      asked = new URL(request.url ?? '', 'http://x');
      response.end(stamped);
    });
    expect(genes).to.have.lengthOf(3);
    const query = asked?.searchParams.get('query') ?? '';
    expect(asked?.pathname).to.equal('/biomart/martservice');
    expect([...query.matchAll(/<Attribute name="(\w+)"/g)].map(([, name]) => name)).to.deep.equal([
      'ensembl_gene_id',
      'hgnc_id',
      'hgnc_symbol',
      'chromosome_name',
      'start_position',
      'end_position',
    ]);
    expect(query)
      .to.match(/completionStamp="1"/)
      .and.to.match(/chromosome_name" value="1,2,.*22,X,Y,MT"/);
  });

  it('are refused if the response is an error, truncated, too large or too late', async () => {
    const text =
      (status: number, body: string): RequestListener =>
      (_, response) => {
        response.statusCode = status;
        response.end(body);
      };
    expect(await refusal(from(text(503, 'busy')))).to.match(/BioMart \(127\.0\.0\.1:\d+\) answered with status 503/);
    expect(await refusal(from(text(200, rows.join('\n'))))).to.contain('truncated');
    expect(await refusal(from(text(200, '')))).to.contain('truncated');
    expect(await refusal(from(text(200, stamped.repeat(99))))).to.contain('sends more than 10000 bytes');
    const slow: RequestListener = (_, response) => void response.write(rows[0]);
    expect(await refusal(from(slow, { timeout: 1 }))).to.contain('did not answer completely within 1 s');
    const broken: RequestListener = (request, response) => {
      response.write(rows[0]);
      setTimeout(() => request.socket.destroy(), 20);
    };
    expect(await refusal(from(broken))).to.contain('cannot be reached, or closed the connection');
  });

  it('are cancelled on request', async () => {
    const stop = new AbortController();
    const reason = new Error('stop it');
    const slow: RequestListener = (_, response) => {
      response.write(rows[0]);
      setTimeout(() => stop.abort(reason), 20);
    };
    expect(await from(slow, {}, stop.signal).catch((error: unknown) => error)).to.equal(reason);
  });
});

for (const engine of dealt(engines, 'postgres')) {
  describeWithShared(`beacon: the alleles of a gene (${engine.name})`, () => {
    it('are those of the records that overlap it', async () => {
      const opened = await engine.open([beacon, beaconGenes]);
      try {
        const now = new Date('2026-01-02T03:04:05Z');
        const repository = opened.storage.repository(beacon);
        const genes = opened.storage.repository(beaconGenes);
        await repository.addDataset(dataset('ds'), now);
        const found = await repository.dataset('ds');
        if (!found) throw new Error('there is no dataset');
        const noFilter = 'Could not create a gene filter using the provided gene list';
        const list = { ids: ['HGNC:17284', 5, 'x', null], id_type: 'HGNC' as const };
        expect(await refusal(genePanel(genes, 'GRCh37', list))).to.equal(noFilter);
        await genes.replaceGenes('GRCh37', [pot1], now);
        expect(await refusal(genePanel(genes, 'GRCh38', list))).to.equal(noFilter);
        expect(await refusal(genePanel(genes, 'GRCh37', { ids: [], id_type: 'HGNC' }))).to.equal(noFilter);
        const byEnsembl = await genePanel(genes, 'GRCh37', { ids: ['ensg00000128513.7'], id_type: 'Ensembl' });
        expect([...byEnsembl.regions()]).to.deep.equal([['7', 124462439, 124570037]]);
        const panel = await genePanel(genes, 'GRCh37', list);
        const sources = [await openSource(shared('test_trio.vcf.gz'))] as const;
        const samples = ['ADM1059A1'];
        const { added } = await loadVariants({
          permit: permitAll,
          repository,
          dataset: found,
          sources,
          samples,
          panel,
          now,
        });
        // Three of the eight records of the trio in POT1 have an alternate in ADM1059A1.
        expect(added.alleles).to.equal(3);
        const [hit] = await repository.search({ assembly: 'GRCh37', contig: '7' }, ['ds']);
        expect(hit?.alleles).to.equal(3);
      } finally {
        await opened.storage.close();
        await opened.discard?.();
      }
    });
  });
}

describe('beacon: update genes', function () {
  this.timeout(120_000);
  const folder = useFolder();

  it('replaces genes only with a valid set, and restricts a load to them', async () => {
    const { run } = typedBeacon(folder.path);

    const file = await folder.write('genes.tsv', stamped);
    const none = await folder.write('none.tsv', '[success]\n');
    const update = ['update', 'genes', '--build', 'GRCh38', '--file'];
    const first = await run(...update, file);
    expect([first.code, first.stdout]).to.deep.equal([
      0,
      'Number of inserted genes for build GRCh38: 3\n  skipped 1 genes without an HGNC id\n',
    ]);
    const failed = await run(...update, none);
    expect([failed.code, failed.stdout]).to.deep.equal([1, '']);
    expect((await run('update', 'genes', '-build', 'GRCh38')).stderr).to.match(/either --file <file> or --download/);

    await run('add', 'dataset', '--did', 'ds', '--name', 'x', '--authlevel', 'public', '--build', 'GRCh38');
    // MT-TF is 577 to 647: its first and last base, and their neighbours.
    const records = [576, 577, 647, 648].map((position) => `chrM ${position} . A C . . . GT 1`);
    const path = await folder.write('a.vcf', vcf({ records }));
    const add = ['add', 'variants', '--ds', 'ds', '--vcf', path];
    const unknown = await run(...add, '--gene', 'HGNC:7481', '--gene', 'HGNC:1');
    expect([unknown.code, unknown.stderr]).to.deep.equal([
      1,
      'beacon: Could not create a gene filter using the provided gene list: 1 not found in GRCh38\n',
    ]);
    const added = await run(...add, '--gene', 'HGNC:7481');
    expect(added.stdout).to.match(/^Added to dataset 'ds': 2 alleles, 2 calls, 1 sample\n/);
    const bed = await folder.write('more.bed', 'MT\t647\t648\n');
    const more = await run(...add, '--gene', 'ENSG00000210049', '--panel', bed);
    expect(more.stdout).to.match(/^Added to dataset 'ds': 1 allele, 1 call, 0 samples\n/);
  });
});
