/** Reports by coding bases over HTTP: numbers by hand, defaults, and what a set without coding parts gives. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { coverage } from '../../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { blockFolder } from '../../../support/folder.js';
import { request } from '../../../support/http.js';
import { useOnce } from '../../../support/use.js';
import { rowsOf } from '../pages/support/post.js';
import { tableOf, titledTable } from '../pages/support/tables.js';
import { contentOf, draft, signedOff } from '../panels/support.js';
import { chromosomesOf, type Run, writeD4 } from '../support/d4.js';
import { type GeneModel, gtfOf, gtfOfTwo, handGenes } from './models.js';

const at = 10_000_000;
const hand = handGenes.map(({ gene }) => gene);
const [within, , single] = hand as [GeneModel, GeneModel, GeneModel];
const silent = {
  ...within,
  hgnc: 9102,
  number: 9102,
  symbol: 'SILENT',
  exons: [[at + 5000, at + 5050]],
  cds: undefined,
} as const;

/** Of one exon, and all coding, without start and stop. */
const unfinished: GeneModel = {
  ...{ ...within, hgnc: 9105, number: 9105, symbol: 'OPEN', tags: ['MANE_Select', 'cds_start_NF', 'cds_end_NF'] },
  ...{ exons: [[at + 8000, at + 8060]], cds: [at + 8000, at + 8060] },
};

/** Its transcripts share an exon's coding bases; the acceptor of one is coding in the other. */
const twice: GeneModel = {
  ...{ chromosome: '21', strand: 1, hgnc: 9103, symbol: 'TWICE', number: 9103, cds: [at + 6010, at + 6254] },
  exons: [
    [at + 6000, at + 6100],
    [at + 6200, at + 6300],
  ],
};
const plus: GeneModel = {
  ...twice,
  ...{ number: 9104, cds: [at + 6010, at + 6198] },
  exons: [
    [at + 6000, at + 6100],
    [at + 6150, at + 6300],
  ],
};

/** Depth 30 but in the second exon of WITHIN, in 4 splice bases of SINGLE and in 20 untranslated bases of ALONE. */
const holes: readonly [number, number][] = [
  [at + 300, at + 400],
  [at + 2100, at + 2104],
  [at + 3000, at + 3020],
];

interface Depths {
  length: number;
  bases_at: Record<string, number>;
  mean_coverage: number;
}
interface Report {
  interval_type: string;
  splice_bases?: number;
  non_coding_genes?: string[];
  coding_bases?: string;
  samples: (Depths & { counted?: Record<'coding' | 'splice' | 'non_coding', Depths> })[];
  intervals: { gene: string; samples: Record<string, Depths> }[];
  incomplete_genes: { gene: string; length: number; samples: Record<string, Record<string, number>> }[];
  gaps: { gene: string; exon: number | null; coding: string | null; start: number; end: number }[];
  panel_requirement?: { bases_counted: string; samples: Record<string, { bases: number; bases_at_depth: number }> };
}

function countedOf(sample: Report['samples'][number] | undefined) {
  if (sample?.counted === undefined) throw new Error('coding bases are not counted apart');
  return sample.counted;
}

const now = new Date('2026-11-20T08:00:00Z');

describe('coverage: reports by coding bases', () => {
  let server: TestServer;
  const folder = blockFolder();
  before(async () => {
    for (const build of ['GRCh38', 'GRCh37'] as const) {
      const runs: Run[] = [];
      let begin = at;
      for (const [start, end] of [...holes, [at + 9000, at + 9000] as const]) {
        runs.push({ chromosome: '21', begin, end: start, depth: 30 });
        begin = end;
      }
      runs.push({ chromosome: 'X', begin: 10_000, end: 2_000_000, depth: 30 });
      writeD4(join(folder, `${build}.d4`), { chromosomes: chromosomesOf(build, { names: ['21', 'X', 'Y'] }), runs });
    }
    server = await serveForTest({ plugins: { coverage: { roots: [folder] }, panels: {} }, jobs: false });
    const repository = server.repository(coverage);
    const load = async (build: 'GRCh37' | 'GRCh38', text: string) => {
      writeFileSync(join(folder, `${build}.gtf`), text);
      const source = await openIntervals(join(folder, `${build}.gtf`));
      await loadIntervals({ repository, kind: 'gtf', build, source, maxShrink: 0.1, force: true, now });
    };
    await load('GRCh38', `${gtfOf([...hand, silent, unfinished])}${gtfOfTwo(twice, plus)}`);
    // As files of BioMart are: without coding parts.
    await load('GRCh37', gtfOf(hand.map((gene) => ({ ...gene, cds: undefined }))));
    const genes = [within, single].map(({ hgnc, symbol }) => ({ hgnc, symbol, confidence: 'green' as const }));
    const requirement = { depth: 20, percent: 90 };
    const store = server.repository(panels);
    await store.add(signedOff('stated', '1', contentOf(genes, { requirement: { ...requirement, bases: 'coding' } })));
    await store.add(signedOff('unstated', '1', contentOf(genes, { requirement })));
  });
  after(async () => {
    await server.close();
  });

  async function ask(fields: Record<string, string>, url = server.url, page = 'report') {
    const build = fields.build ?? 'GRCh38';
    const form = {
      ...{ build, sample_name_1: 'child', sample_file_1: `${build}.d4`, default_level: '20' },
      ...{ completeness_thresholds: '10,20', format: 'json', hgnc_gene_ids: '9001,9002,9003,9004,9005,9102' },
      ...fields,
    };
    return request(`${url}/${page}`, { form });
  }

  async function report(fields: Record<string, string>, url?: string): Promise<Report> {
    const { status, text } = await ask(fields, url);
    expect(status, text.slice(0, 500)).to.equal(200);
    return JSON.parse(text) as Report;
  }

  const type = { interval_type: 'coding' };

  it('count coding and splice bases apart and together, and name genes without any', async () => {
    const found = await report(type);
    expect(found).to.deep.include({ interval_type: 'coding', splice_bases: 8, non_coding_genes: ['SILENT'] });
    const [child] = found.samples;
    // 201 + 180 + 63 + 90 + 120 coding; 32 + 24 + 16 + 0 + 10 splice; 50 of SILENT's exon.
    expect(child).to.deep.include({ length: 654 + 82 + 50 });
    expect(child?.bases_at['20']).to.equal(654 + 82 + 50 - 100 - 4);
    const { coding, splice, non_coding: ofExons } = countedOf(child);
    expect([coding.length, coding.bases_at['20']]).to.deep.equal([654, 554]);
    expect([splice.length, splice.bases_at['20']]).to.deep.equal([82, 78]);
    expect([ofExons.length, ofExons.bases_at['20']]).to.deep.equal([50, 50]);
    // Each base of the total is in one of the intervals: none of these genes overlap.
    const sum = found.intervals.reduce((all, one) => all + (one.samples.child?.length ?? 0), 0);
    expect(sum).to.equal(child?.length);
  });

  it('show coding and exonic bases of a gene beside each other', async () => {
    const { incomplete_genes: genes } = await report(type);
    expect(genes.map(({ gene, length, samples }) => [gene, length, samples.child])).to.deep.equal([
      [
        'WITHIN',
        233,
        {
          ...{ bases_at_level: 133, percent: 57.08, coding_bases_at_level: 101, coding_percent: 50.25 },
          ...{ exonic_bases_at_level: 200, exonic_percent: 66.67 },
        },
      ],
      [
        'SINGLE',
        79,
        {
          ...{ bases_at_level: 75, percent: 94.94, coding_bases_at_level: 63, coding_percent: 100 },
          ...{ exonic_bases_at_level: 200, exonic_percent: 100 },
        },
      ],
    ]);
    const page = (await ask({ ...type, format: 'html' })).text;
    expect(tableOf(page, 'incomplete_genes')).to.deep.equal([
      ['WITHIN', '57.08 % coding 50.25 % · exonic 66.67 %'],
      ['SINGLE', '94.94 % coding 100.00 % · exonic 100.00 %'],
    ]);
    const [, csv] = rowsOf((await ask({ ...type, format: 'csv', table: 'incomplete_genes' })).text);
    expect(csv).to.deep.include({
      child: '94.94',
      child_coding: '100',
      child_exonic: '100',
      bases_counted: 'coding+8',
    });
  });

  it('count a base of two transcripts of a gene once, and as coding if it is coding in one', async () => {
    const genes = { hgnc_gene_ids: '9103', default_level: '31' };
    const { samples, incomplete_genes: incomplete } = await report({ ...type, ...genes });
    // 90 shared, 48 and 54 coding bases; of 8 splice bases before the second exon 6 are coding in the other transcript.
    const { coding, splice } = countedOf(samples[0]);
    expect([coding.length, splice.length, samples[0]?.length]).to.deep.equal([192, 8 + 8 + 2, 210]);
    const [gene] = incomplete;
    expect(gene).to.deep.include({ gene: 'TWICE', length: 210, coding_length: 192, exonic_length: 250 });
  });

  it('list the regions below the threshold that are counted, and no untranslated ones', async () => {
    const { gaps } = await report(type);
    expect(gaps.map(({ gene, exon, start, end }) => [gene, exon, start, end])).to.deep.equal([
      ['WITHIN', 2, at + 300, at + 400],
      ['SINGLE', null, at + 2100, at + 2104],
    ]);
    // WITHIN has 48 coding bases before its second exon.
    // The first coding segment of SINGLE is one base: its splice bases are counted from there.
    expect(gaps.map(({ coding }) => coding)).to.deep.equal(['c.49_148', 'c.1+1_1+4']);
  });

  it('equal a report on a BED file of the same bases', async () => {
    const lines = handGenes.flatMap(({ gene, splice }) => [
      ...gene.exons.map(([start, end]) => [
        gene.chromosome,
        Math.max(start, gene.cds?.[0] ?? 0),
        Math.min(end, gene.cds?.[1] ?? 0),
      ]),
      ...splice.map(([start, end]) => [gene.chromosome, start, end]),
    ]);
    const bed = lines.filter(([, start = 0, end = 0]) => start < end).map((line) => line.join('\t'));
    const genes = { hgnc_gene_ids: '9001,9002,9003,9004,9005' };
    const [ofBed] = (await report({ interval_type: 'custom_intervals', intervals_bed: bed.join('\n') })).samples;
    const [ofGenes] = (await report({ ...type, ...genes })).samples;
    for (const key of ['length', 'mean_coverage', 'bases_at'] as const) {
      expect(ofGenes?.[key], key).to.deep.equal(ofBed?.[key]);
    }
  });

  it('say on page, paper and FHIR which bases they count, in English and Swedish', async () => {
    const english = (await ask({ ...type, format: 'html' })).text;
    expect(english).to.include('Bases counted').and.include('8 splice bases').and.include('by their exons: SILENT');
    const swedish = (await ask({ ...type, format: 'html', lang: 'sv' })).text;
    expect(swedish).to.include('Räknade baser').and.include('8 splitsbaser').and.include('sina exoner: SILENT');
    const fhir = (await ask({ ...type, format: 'fhir' })).text;
    expect(fhir).to.include('Bases counted: coding bases with start and stop codon, and 8 splice bases');
    expect((await ask({ ...type, format: 'bed' })).text).to.include('# Bases counted: coding bases');
    expect((await ask({ ...type, format: 'multiqc' })).text).to.include('Counted: coding bases');
    const pdf = (await ask({ ...type, format: 'pdf' })).text;
    expect(pdf.slice(0, 5)).to.equal('%PDF-');
  });

  it('mark genes without any in every face, and name incomplete coding sequences', async () => {
    // At 31x everything is incomplete.
    const low = { ...type, default_level: '31' };
    const facts = 'non-coding, by their exons: SILENT';
    const open = 'OPEN (ENST00000009105): start and end missing';
    const json = JSON.parse((await ask({ ...low, hgnc_gene_ids: '9001,9102,9105' })).text);
    expect(json.non_coding_genes).to.deep.equal(['SILENT']);
    expect(json.incomplete_coding_sequences).to.deep.equal([
      { gene: 'OPEN', transcript: 'ENST00000009105', missing: 'both' },
    ]);
    const genes = json.incomplete_genes.map((one: Record<string, unknown>) => [one.gene, one.non_coding]);
    expect(genes).to.have.deep.members([
      ['WITHIN', false],
      ['SILENT', true],
      ['OPEN', false],
    ]);
    const face = async (format: string, page = 'report') => {
      const { status, text } = await ask({ ...low, format, hgnc_gene_ids: '9001,9102,9105' }, server.url, page);
      expect(status, text.slice(0, 300)).to.equal(200);
      return text;
    };
    for (const page of ['report', 'overview']) {
      const text = await face('html', page);
      expect(text, page).to.include(facts).and.include(open);
      expect(text.match(/SILENT[^§]*?<span class="badge">non-coding<\/span>/), page).to.not.equal(null);
    }
    const fhir = await face('fhir');
    expect(fhir).to.include(facts).and.include(open);
    expect(await face('bed')).to.include(facts);
    expect(await face('multiqc')).to.include(facts);
    for (const [page, table] of [
      ['report', 'incomplete_genes'],
      ['report', 'intervals'],
      ['report', 'gaps'],
      ['overview', 'incomplete'],
    ] as const) {
      const fields = { ...low, format: 'csv', table, hgnc_gene_ids: '9001,9102,9105' };
      const rows = rowsOf((await ask(fields, server.url, page)).text);
      const counted = new Set(rows.map(({ gene, bases_counted: bases }) => `${gene}: ${bases}`));
      expect([...counted], table).to.have.members([
        ...['WITHIN: coding+8', 'SILENT: non-coding exons', 'OPEN: coding+8'],
      ]);
    }
  });

  it('are refused if the exons that are loaded do not state coding parts, and replaced by exons by default', async () => {
    const genes = { build: 'GRCh37', hgnc_gene_ids: '9001' };
    const refused = await ask({ ...genes, ...type });
    expect(refused.status).to.equal(422);
    expect(refused.text).to.include('interval_type').and.include('do not state which bases are coding');
    const found = await report({ ...genes, interval_type: 'default' });
    expect(found).to.deep.include({ interval_type: 'exons', coding_bases: 'unknown' });
    expect(found.intervals).to.have.lengthOf(3);
    const page = (await ask({ ...genes, interval_type: 'default', format: 'html' })).text;
    expect(page).to.include('Exons are counted instead of coding bases');
    // The page repeats what was asked for.
    expect(page).to.include('<option value="default" selected>');
    const summary = await fetch(`${server.url}/coverage/d4/genes/summary`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ build: 'GRCh37', samples: [{ name: 'child', coverage_file_path: 'GRCh37.d4' }], hgnc_gene_ids: [9001] },
        ...{ coverage_threshold: 20, interval_type: 'coding' },
      }),
    });
    expect(summary.status).to.equal(422);
    expect(await summary.text()).to.include('GTF or GFF3');
  });

  it('are the default of forms that people fill in, and of programs only if the server says so', async () => {
    expect((await report({})).interval_type).to.equal('genes');
    expect((await report({ interval_type: 'default' })).interval_type).to.equal('coding');
    const form = await (await fetch(`${server.url}/coverage`)).text();
    expect(form).to.include('<option value="default" selected>Default: Coding bases');
    const exons = await serveForTest({
      plugins: { coverage: { roots: [folder], defaultIntervals: 'exons', spliceBases: 2 } },
      jobs: false,
    });
    try {
      const source = await openIntervals(join(folder, 'GRCh38.gtf'));
      await loadIntervals({
        ...{ repository: exons.repository(coverage), kind: 'gtf', build: 'GRCh38', source, maxShrink: 0.1, now },
      });
      expect((await report({}, exons.url)).interval_type).to.equal('exons');
      expect((await report({ interval_type: 'default' }, exons.url)).interval_type).to.equal('exons');
      const found = await report(type, exons.url);
      // Two bases at each of 4 + 3 + 2 ends, and at both of the short intron.
      expect([found.splice_bases, found.samples[0]?.counted?.splice.length]).to.deep.equal([2, 2 * 9 + 4]);
    } finally {
      await exons.close();
    }
  });

  it('check what a panel requires of the bases that it means: exons unless it states coding bases', async () => {
    const requirement = async (fields: Record<string, string>) => {
      const { panel_requirement: found } = await report({ hgnc_gene_ids: '', ...fields });
      return [found?.bases_counted, found?.samples.child?.bases, found?.samples.child?.bases_at_depth];
    };
    for (const one of [type, { interval_type: 'exons' }]) {
      // WITHIN and SINGLE: 300 + 200 exonic bases, 233 + 79 coding and splice bases.
      expect((await requirement({ ...one, panel: 'unstated@1' })).slice(1), one.interval_type).to.deep.equal([
        500, 400,
      ]);
      expect(await requirement({ ...one, panel: 'stated@1' })).to.deep.equal(['coding+8', 312, 208]);
    }
    const written = JSON.parse(draft('new', '1', contentOf([], { requirement: { depth: 20, percent: 90 } })).content);
    expect(written.requirement).to.deep.equal({ bases: 'exons', depth: 20, percent: 90 });
  });
});

/** One transcript, at and beyond the end of the first pseudoautosomal region if it is on Y. */
const parEnd = 2_781_479;
const overlapping = fc
  .record({
    chromosome: fc.constantFrom('21', 'Y'),
    offset: fc.nat(250),
    parts: fc.array(fc.record({ exon: fc.integer({ min: 1, max: 60 }), gap: fc.integer({ min: 0, max: 40 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
    ends: fc.tuple(fc.nat(), fc.nat()),
    isCoding: fc.boolean(),
  })
  .map(({ chromosome, offset, parts, ends, isCoding }) => {
    let next = (chromosome === 'Y' ? parEnd - 150 : at) + offset;
    const exons = parts.map(({ exon, gap }) => {
      const start = next;
      next = start + exon + gap;
      return [start, start + exon] as const;
    });
    const exonic = exons.flatMap(positionsOf);
    const [from = 0, to = 0] = ends.map((end) => exonic[end % exonic.length] as number).sort((a, b) => a - b);
    return { chromosome, exons, cds: isCoding && to - from > 5 ? ([from, to + 1] as const) : undefined };
  });

function positionsOf([start, end]: readonly [number, number]): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}

/** Base by base: what is counted of a transcript, and which of it is coding. */
function basesOf({ chromosome, exons, cds }: Pick<GeneModel, 'chromosome' | 'exons' | 'cds'>) {
  const exonic = new Set(exons.flatMap(positionsOf));
  const isCoding = (place: number) => exonic.has(place) && cds !== undefined && cds[0] <= place && place < cds[1];
  const isSplice = (place: number) =>
    !exonic.has(place) &&
    [-1, 1].some((step) => {
      const nearest = Array.from({ length: 8 }, (_, i) => place + step * (i + 1)).find((one) => exonic.has(one));
      return nearest !== undefined && isCoding(nearest);
    });
  const whole = positionsOf([exons[0]?.[0] ?? 0, exons.at(-1)?.[1] ?? 0]);
  const named = (places: readonly number[]) => places.map((place) => `${chromosome}:${place}`);
  const own = cds === undefined ? [...exonic] : whole.filter((place) => isCoding(place) || isSplice(place));
  return {
    ...{ counted: named(own), coding: named(whole.filter(isCoding)), exonic: named([...exonic]) },
    isOnlyOnY: chromosome === 'Y' && own.every((place) => place >= parEnd),
  };
}

/** On 21, and on Y of the sample that has it. */
const depthAt = (place: number) => (Math.floor(place / 32) * 7) % 40;

describe('coverage: coding bases of genes that overlap', () => {
  const server = useOnce(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trefoil-overlap-'));
    for (const name of ['XX', 'XY']) {
      const hasY = name === 'XY';
      const pattern = (chromosome: string, from: number): Run[] =>
        Array.from({ length: 30 }, (_, i) => {
          const begin = Math.floor(from / 32) * 32 + 32 * i;
          return { chromosome, begin, end: begin + 32, depth: depthAt(begin) };
        });
      const runs = [
        ...pattern('21', at),
        { chromosome: '21', begin: at + 2000, end: 46_000_000, depth: 20 },
        { chromosome: 'X', begin: 10_000, end: 156_000_000, depth: hasY ? 10 : 20 },
        ...(hasY ? [...pattern('Y', parEnd - 150), { chromosome: 'Y', begin: 3e6, end: 56e6, depth: 10 }] : []),
      ];
      const chromosomes = chromosomesOf('GRCh38', { names: ['21', 'X', 'Y'] });
      writeD4(join(folder, `${name}.d4`), { chromosomes, runs: runs.filter(({ depth }) => depth > 0) });
    }

    return serveForTest({ plugins: { coverage: { roots: [folder] } }, jobs: false });
  });
  let folder: string;
  after(async () => {
    await rm(folder, { recursive: true });
  });

  it('equal those of a naive model, each base once, with and without Y', async () => {
    const repository = server.repository(coverage);
    const samples = JSON.stringify([
      { name: 'XX', coverage_file_path: 'XX.d4', sex: 'female' },
      { name: 'XY', coverage_file_path: 'XY.d4', sex: 'male' },
    ]);
    let withoutY = 0;
    const property = fc.asyncProperty(fc.array(overlapping, { minLength: 2, maxLength: 8 }), async (models) => {
      const genes = models.map((model, i): GeneModel => {
        return { ...model, strand: 1, hgnc: i + 1, symbol: `G${i}`, number: i + 1, tags: ['MANE_Select'] };
      });
      // A file without coding parts would be refused.
      writeFileSync(join(folder, 'genes.gtf'), gtfOf([...genes, within]));
      const source = await openIntervals(join(folder, 'genes.gtf'));
      await loadIntervals({ repository, kind: 'gtf', build: 'GRCh38', source, maxShrink: 1, force: true, now });
      const body = new URLSearchParams({
        ...{ build: 'GRCh38', samples, interval_type: 'coding', default_level: '20', completeness_thresholds: '20' },
        ...{ hgnc_gene_ids: genes.map(({ hgnc }) => hgnc).join(','), format: 'json' },
      });
      const response = await fetch(`${server.url}/report`, { method: 'POST', body });
      const text = await response.text();
      expect(response.status, text.slice(0, 300)).to.equal(200);
      const found = JSON.parse(text) as Report;
      for (const [i, hasY] of [false, true].entries()) {
        const kept = genes.filter((gene) => hasY || !basesOf(gene).isOnlyOnY);
        if (kept.length < genes.length) withoutY++;
        const all = (some: readonly GeneModel[], key: 'counted' | 'coding') => {
          return new Set(some.flatMap((gene) => basesOf(gene)[key]));
        };
        const coding = all(kept, 'coding');
        const counted = all(
          kept.filter(({ cds }) => cds),
          'counted',
        );
        const others = all(
          kept.filter(({ cds }) => !cds),
          'counted',
        );
        const atLevel = (bases: Iterable<string>) =>
          [...bases].filter((base) => (hasY || !base.startsWith('Y')) && depthAt(Number(base.split(':')[1])) >= 20);
        const less = (bases: Set<string>, some: Set<string>) => [...bases].filter((base) => !some.has(base));
        const figures = (bases: Iterable<string>) => [[...bases].length, atLevel(bases).length];
        const own = found.samples[i];
        const read = (depths: Depths | undefined) => [depths?.length, depths?.bases_at['20']];
        const { coding: ofCoding, splice, non_coding: ofOthers } = countedOf(own);
        expect(read(ofCoding), 'coding').to.deep.equal(figures(coding));
        expect(read(splice), 'splice').to.deep.equal(figures(less(counted, coding)));
        expect(read(ofOthers), 'non-coding').to.deep.equal(figures(less(others, counted)));
        expect(read(own), 'together').to.deep.equal(figures(all(kept, 'counted')));
        for (const { gene, samples: bySample } of found.incomplete_genes) {
          const model = basesOf(genes.find(({ symbol }) => symbol === gene) as GeneModel);
          expect(bySample[hasY ? 'XY' : 'XX'], gene).to.deep.include({
            bases_at_level: atLevel(model.counted).length,
            coding_bases_at_level: atLevel(model.coding).length,
            exonic_bases_at_level: atLevel(model.exonic).length,
          });
        }
      }
    });
    await fc.assert(property, { numRuns: 40 });
    expect(withoutY).to.be.greaterThan(0);
  });
});

describe('coverage: the demo by coding bases', () => {
  const server = useOnce(() => serveForTest({ plugins: { coverage: {} }, settings: { demo: true }, jobs: false }));

  it('shows 90.16 % of the coding bases of MTHFR where the child lacks its fifth exon', async () => {
    const rows = rowsOf(await (await fetch(`${server.url}/report/demo?format=csv&table=incomplete_genes`)).text());
    const mthfr = rows.find(({ gene }) => gene === 'MTHFR');
    // 194 of 1,971 coding bases, and of 7,018 exonic ones, are missing.
    expect(mthfr).to.deep.include({ demo_child_coding: '90.16', demo_child_exonic: '97.24', demo_child: '90.9' });
    const page = await (await fetch(`${server.url}/report/demo`)).text();
    expect(page).to.include('coding bases with start and stop codon');
  });

  it('shows it on the pages of transcripts, below the exonic percentage, if the form asks for coding bases', async () => {
    // 194 of 1,971 coding bases are missing, and of 2,131 with 8 of an intron at 20 ends of the 11 coding segments.
    const below = '97.24 % coding 90.16 % · with splice 90.90 %';
    for (const [path, name] of [
      ['gene_overview', 'Transcript ENST00000376590'],
      ['mane_overview', undefined],
    ] as const) {
      const rowOf = async (query: string) => {
        const page = await (await fetch(`${server.url}/${path}/demo${query}`)).text();
        if (name !== undefined) return { page, row: titledTable(page, name)[0] };
        return {
          page,
          row: tableOf(page, 'transcripts').find(([gene, , , , one]) => gene === 'MTHFR' && one === 'demo_child'),
        };
      };
      const asked = await rowOf('');
      expect(asked.row, path).to.include(below);
      expect(asked.page, path).to.include('the percentage of the coding bases at or above 20×');
      // As programs ask that were written for chanjo2.
      const others = await rowOf('?interval_type=genes');
      expect(others.row, path).to.include('97.24 %');
      expect(others.page, path).not.to.include('the percentage of the coding bases');
    }
  });
});
