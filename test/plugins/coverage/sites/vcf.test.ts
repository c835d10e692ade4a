/** Which records of a VCF become known sites. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { bgzipped } from '../../../../core/files.js';
import type { Site } from '../../../../plugins/coverage/contract.js';
import { samplingSensitivity } from '../../../../plugins/coverage/report/sections/limitations.js';
import { geneSymbols, isPathogenic, starsOfStatus } from '../../../../plugins/coverage/sites/vcf.js';
import { faultOf } from '../../../support/fault.js';
import { useFolder } from '../../../support/folder.js';
import { read, record, reviews, vcf } from './support.js';

describe("ClinVar's words", () => {
  it('of clinical significance are pathogenic, likely pathogenic, or neither', () => {
    const pathogenic = [
      'Pathogenic',
      'Likely_pathogenic',
      'Pathogenic/Likely_pathogenic',
      'Pathogenic/Likely_pathogenic|other',
      'Pathogenic|drug_response',
      'Pathogenic,_low_penetrance',
      'Pathogenic/Likely_pathogenic/Pathogenic,_low_penetrance|risk_factor',
      'Likely_pathogenic/Likely_risk_allele',
    ];
    const others = [
      'Conflicting_classifications_of_pathogenicity',
      'Conflicting_classifications_of_pathogenicity|other',
      'Conflicting_interpretations_of_pathogenicity|drug_response',
      'Conflicting_classifications_of_pathogenicity|Pathogenic',
      'Benign',
      'Likely_benign',
      'Uncertain_significance',
      'not_provided',
      'no_classification_for_the_single_variant',
      'drug_response',
      'Not_Pathogenic',
    ];
    expect(pathogenic.filter((text) => !isPathogenic(text))).to.deep.equal([]);
    expect(others.filter(isPathogenic)).to.deep.equal([]);
  });

  it('of review are stars', () => {
    for (const [stars, text] of Object.entries(reviews)) expect(starsOfStatus(text), text).to.equal(Number(stars));
    expect(starsOfStatus('criteria_provided,_conflicting_classifications')).to.equal(1);
    expect(starsOfStatus('no_classification_provided')).to.equal(0);
    expect(starsOfStatus('no_classifications_from_unflagged_records')).to.equal(0);
  });

  it('name genes with their numbers', () => {
    expect(geneSymbols('BRCA1:672')).to.deep.equal(['BRCA1']);
    expect(geneSymbols('MT-TL1:4567|HLA-DRB1:3123|MT-TL1:4567')).to.deep.equal(['MT-TL1', 'HLA-DRB1']);
    expect(geneSymbols('')).to.deep.equal([]);
  });
});

describe('sampling sensitivity', () => {
  it('is the binomial chance of at least k alternate reads', () => {
    // Percentages of an independent table of Binomial(d, ½).
    const table: [number, number, number][] = [
      [5, 3, 50],
      [8, 3, 85.5],
      [10, 3, 94.5],
      [12, 3, 98.1],
      [15, 3, 99.63],
      [20, 3, 99.98],
      [5, 4, 18.8],
      [10, 4, 82.8],
      [20, 4, 99.87],
    ];
    for (const [depth, least, percent] of table) {
      expect(100 * samplingSensitivity(depth, least), `${depth} ${least}`).to.be.closeTo(percent, 0.06);
    }
    expect([samplingSensitivity(0, 3), samplingSensitivity(2, 3)]).to.deep.equal([0, 0]);
    expect(samplingSensitivity(1_000_000, 4)).to.equal(1);
  });
});

describe('known sites of a VCF', () => {
  const folder = useFolder();

  const written = async (text: string | Buffer, name = 'clinvar.vcf') => {
    await writeFile(join(folder.path(), name), text);
    return join(folder.path(), name);
  };
  const sitesIn = async (...records: string[]) => read(await written(vcf(records)));
  const places = (sites: readonly Site[]) => sites.map(({ chromosome, start, end }) => `${chromosome}:${start}-${end}`);

  it('have all that the record says', async () => {
    const text = vcf([
      record('1 925952 1019397 G A', {
        CLNHGVS: 'NC_000001.11:g.925952G>A',
        CLNSIG: 'Pathogenic/Likely_pathogenic|other',
        GENEINFO: 'SAMD11:148398|NOC2L:26155',
      }),
    ]);
    const { set, sites } = await read(await written(text));
    expect(sites).to.deep.equal([
      {
        chromosome: '1',
        start: 925951,
        end: 925952,
        id: '1019397',
        reference: 'G',
        alternate: 'A',
        hgvs: 'NC_000001.11:g.925952G>A',
        significance: 'Pathogenic/Likely_pathogenic|other',
        stars: 2,
        genes: ['SAMD11', 'NOC2L'],
      },
    ]);
    const checksum = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(set).to.deep.include({ name: 'ClinVar', build: 'GRCh38', release: '2026-11-15', source: 'clinvar.vcf' });
    expect(set.checksum).to.equal(checksum);
  });

  it('leave out what is not pathogenic, is elsewhere, or is there already', async () => {
    const { set, sites } = await sitesIn(
      record('1 100 1 G A'),
      record('1 100 1 G A'),
      record('1 100 2 G A'),
      record('1 101 3 G A', { CLNSIG: 'Benign' }),
      record('1 102 4 G A', { CLNSIG: 'Conflicting_classifications_of_pathogenicity' }),
      record('1 103 5 G A', { CLNSIG: '', CLNSIGINCL: '8:Pathogenic' }),
      record('1 104 6 G A', { CLNSIG: 'Benign', CLNSIGCONF: 'Pathogenic(1)' }),
      record('NW_009646201.1 105 7 G A'),
      record('1 200 8 G ]2:500]G'),
    );
    expect(sites.map(({ id }) => id)).to.deep.equal(['1', '2']);
    expect(set.skipped).to.deep.equal({
      'repeated records': 1,
      'not pathogenic or likely pathogenic': 4,
      'other sequence': 1,
      'breakends, and symbolic alleles without an end': 1,
    });
  });

  it('can be limited by review stars', async () => {
    const records = [0, 1, 2, 3, 4].map((stars) =>
      record(`1 ${100 + stars} ${stars} G A`, { CLNREVSTAT: reviews[stars as 0] }),
    );
    const file = await written(vcf([...records, record('1 300 9 G A', { CLNREVSTAT: '' })]));
    const { set, sites } = await read(file, { leastStars: 2 });
    expect(sites.map(({ stars }) => stars)).to.deep.equal([2, 3, 4]);
    expect(set.skipped).to.deep.equal({ 'fewer review stars': 3 });
    expect((await read(file)).sites).to.have.lengthOf(6);
  });

  it('have the place of the reference bases, whatever the alternates', async () => {
    const { set, sites } = await sitesIn(
      record('1 1000 1 ACGT A'),
      record('1 2000 2 A ACGT,T'),
      record('1 3000 3 A .'),
      record('1 4000 4 A <DEL>', { END: '4500' }),
      record('1 5000 5 A <DEL>', { SVLEN: '-100', SVTYPE: 'DEL' }),
      record('1 6000 6 A <INS>', { SVTYPE: 'INS' }),
      record('1 7000 7 A <DEL>', { END: '16999' }),
      record('1 7000 8 A <DEL>', { END: '17000' }),
      record('1 8000 9 A <DEL>'),
      record(`1 9000 10 ${'AC'.repeat(5001)} A`),
    );
    expect(places(sites)).to.deep.equal([
      '1:999-1003',
      '1:1999-2000',
      '1:2999-3000',
      '1:3999-4500',
      '1:4999-5100',
      '1:5999-6000',
      '1:6999-16999',
    ]);
    expect(set.skipped).to.deep.equal({
      'longer than 10000 bases': 2,
      'breakends, and symbolic alleles without an end': 1,
    });
  });

  it('are on 1 to 22, X, Y and MT, with or without chr', async () => {
    const { sites } = await sitesIn(
      record('chr22 20000000 1 G A'),
      record('X 3000000 2 G A'),
      record('chrY 3000000 3 G A'),
      record('chrM 3243 4 A G'),
      record('M 3244 5 A G'),
      record('MT 3245 6 A G'),
      record('NC_000007.14 5 7 G A'),
    );
    expect(sites.map(({ chromosome }) => chromosome)).to.deep.equal(['22', 'X', 'Y', 'MT', 'MT', 'MT', '7']);
  });

  it('are of the build that the header says', async () => {
    const at37 = await written(vcf([record('1 100 1 G A')], { build: 'GRCh37' }));
    expect((await read(at37)).set.build).to.equal('GRCh37');
    const fault = await faultOf(read(at37, { build: 'GRCh38' }));
    expect(fault.public).to.match(/: the header says that the file is of GRCh37, not of GRCh38$/);
    const clnsig = '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="x">';
    const bare = await written(vcf([record('1 100 1 G A')], { header: ['##fileDate=20261101', clnsig] }));
    expect((await faultOf(read(bare))).public).to.include('state it with --build');
    const { set } = await read(bare, { build: 'GRCh37' });
    expect([set.build, set.release]).to.deep.equal(['GRCh37', '2026-11-01']);
    const contigs = ['##contig=<ID=MT,length=16569>', '##contig=<ID=1,length=249250621>', clnsig];
    const lengths = await written(vcf([record('1 100 1 G A')], { header: contigs }));
    expect((await read(lengths, { release: 'r' })).set.build).to.equal('GRCh37');
    expect((await faultOf(read(lengths, { release: 'r', build: 'GRCh38' }))).public).to.include('249250621');
    const beyond = await written(vcf([record('21 48000000 1 G A')]));
    expect((await faultOf(read(beyond))).public).to.match(/clinvar\.vcf, line 9: .*beyond the end of chromosome 21/);
  });

  it('of another file are all of its records, under a name', async () => {
    const header = ['##reference=hg38', '##INFO=<ID=CLASS,Number=1,Type=String,Description="x">'];
    const file = await written(
      vcf([record('1 100 CM1 G A', { CLNSIG: '', CLNREVSTAT: '', CLASS: 'DM' })], { header }),
      'hgmd.vcf',
    );
    expect((await faultOf(read(file, { release: '2026.3' }))).public).to.include('state --name');
    expect((await faultOf(read(file, { name: 'HGMD' }))).public).to.include('--release');
    const options = { name: 'HGMD', release: '2026.3' };
    expect((await faultOf(read(file, { ...options, leastStars: 1 }))).public).to.include('--stars');
    const { set, sites } = await read(file, options);
    expect(set).to.deep.include({ name: 'HGMD', release: '2026.3', build: 'GRCh38', sites: 1 });
    expect(sites).to.deep.equal([
      { chromosome: '1', start: 99, end: 100, id: 'CM1', reference: 'G', alternate: 'A', genes: [] },
    ]);
    expect((await faultOf(read(file, { ...options, name: ' ' }))).code).to.equal('invalid');
  });

  it('come from plain files, gzip and bgzip, which must be whole', async () => {
    const text = vcf(Array.from({ length: 3000 }, (_, i) => record(`1 ${100 + i} ${i} G A`)));
    const blocked = await bgzipped(Buffer.from(text));
    for (const bytes of [text.replaceAll('\n', '\r\n'), gzipSync(text), blocked]) {
      expect((await read(await written(bytes))).sites).to.have.lengthOf(3000);
    }
    for (const bytes of [gzipSync(text).subarray(0, -20), blocked.subarray(0, -28), blocked.subarray(0, 5000)]) {
      const fault = await faultOf(read(await written(bytes)));
      expect([fault.code, /truncated/.test(fault.public)]).to.deep.equal(['unprocessable', true]);
    }
    // Cut within a record, whose first columns would be a site.
    for (const cut of [text.slice(0, -1), text.slice(0, -5), text.slice(0, 5000)]) {
      const fault = await faultOf(read(await written(gzipSync(cut))));
      expect([fault.code, /the last line has no end: the file may be cut short/.test(fault.public)]).to.deep.equal([
        'unprocessable',
        true,
      ]);
    }
  });

  it('are refused if the file is damaged, empty, or has far fewer than before', async () => {
    const wrong: [string, RegExp][] = [
      ['', /the file is empty/],
      ['##fileformat=VCFv4.1\n', /without a #CHROM line/],
      ['chr1\t100\n', /, line 1: not a VCF|: not a VCF/],
      [vcf([record('1 1 1\0x G A')]), /ID has control characters/],
      [vcf([record('1 1 \uFFFD G A')]), /ID is not UTF-8 text/],
      [vcf([]), /it has no sites$/],
      [vcf([record('1 1 1 G A', { CLNSIG: 'Benign' })]), /no sites \(1 skipped: not pathogenic/],
      [vcf(['1\t5\t1\tG\tA\t.\t. CLNSIG=Pathogenic']), /line 9: it has 7 columns/],
      [vcf([record('1 x 1 G A')]), /line 9: POS/],
      [vcf([record('1 0 1 G A')]), /line 9: POS/],
      [vcf([record('1 5 1 G A'), record('1 6 1 1 A')]), /line 10: REF/],
    ];
    for (const [text, reason] of wrong) {
      const fault = await faultOf(read(await written(text)));
      expect(fault.code).to.equal('unprocessable');
      expect(fault.public).to.match(reason);
    }
    const file = await written(vcf(Array.from({ length: 89 }, (_, i) => record(`1 ${100 + i} ${i} G A`))));
    const { set } = await read(file);
    const replaces = { ...set, release: '2026-10', sites: 100 };
    expect((await faultOf(read(file, { replaces }))).public).to.include(
      'it has 89 sites, but the loaded release 2026-10 has 100',
    );
    expect((await read(file, { replaces, force: true })).set.sites).to.equal(89);
    expect((await read(file, { replaces: { ...replaces, sites: 98 } })).set.sites).to.equal(89);
  });
});
