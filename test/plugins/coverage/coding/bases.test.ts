/** Coding and splice bases of transcripts: against published proteins, by hand, and against a naive model. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type Build,
  builds,
  coverage,
  type Exon,
  type IntervalRepository,
} from '../../../../plugins/coverage/contract.js';
import { loadIntervals } from '../../../../plugins/coverage/intervals/loading.js';
import { openIntervals } from '../../../../plugins/coverage/intervals/reader.js';
import { lengthOfRegions, type Region } from '../../../../plugins/coverage/measure/region.js';
import { type GeneTarget, select } from '../../../../plugins/coverage/measure/select.js';
import { cdsOpenOf, codingBases } from '../../../../plugins/coverage/measure/transcripts.js';
import { blockFolder } from '../../../support/folder.js';
import { sampled } from '../../../support/sample.js';
import { storages } from '../../../support/storages.js';
import { cdsParts, type GeneModel, gff3Of, gtfOf, gtfOfTwo, handGenes } from './models.js';

/**
 * RefSeq's exons on GRCh37 as UCSC publishes them (refGene: NM_000492.3 and NM_007294.3), 0-based half-open. The proteins have
 * 1,480 and 1,863 amino acids (NP_000483.3, NP_009225.1); that of MTHFR has 656 (NP_005948.3).
 */
const cftr: GeneModel = {
  ...{ chromosome: '7', strand: 1, hgnc: 1884, symbol: 'CFTR', number: 3084, tags: ['MANE_Select'] },
  exons: pairs(
    '117120016,117144306,117149087,117170952,117174329,117175301,117176601,117180153,117182069,117188694,117199517,117227792,117230406,117231987,117234983,117242879,117243585,117246727,117250572,117251634,117254666,117267575,117282491,117292895,117304741,117305512,117306961',
    '117120201,117144417,117149196,117171168,117174419,117175465,117176727,117180400,117182162,117188877,117199709,117227887,117230493,117232711,117235112,117242917,117243836,117246807,117250723,117251862,117254767,117267824,117282647,117292985,117304914,117305618,117308718',
  ),
  cds: [117_120_148, 117_307_162],
};
const brca1: GeneModel = {
  ...{ chromosome: '17', strand: -1, hgnc: 1100, symbol: 'BRCA1', number: 357_654, tags: ['MANE_Select'] },
  exons: pairs(
    '41196311,41199659,41201137,41203079,41209068,41215349,41215890,41219624,41222944,41226347,41228504,41234420,41242960,41243451,41247862,41249260,41251791,41256138,41256884,41258472,41267742,41276033,41277287',
    '41197819,41199720,41201211,41203134,41209152,41215390,41215968,41219712,41223255,41226538,41228631,41234592,41243049,41246877,41247939,41249306,41251897,41256278,41256973,41258550,41267796,41276132,41277500',
  ),
  cds: [41_197_694, 41_276_113],
};

function pairs(starts: string, ends: string): [number, number][] {
  const last = ends.split(',').map(Number);
  return starts.split(',').map((start, i) => [Number(start), last[i] as number]);
}

/** The sum of a target's coding bases, and of those beside them. */
function counted({ regions, coding = [] }: GeneTarget): [coding: number, splice: number] {
  const bases = lengthOfRegions(coding);
  return [bases, lengthOfRegions(regions) - bases];
}

const now = new Date('2026-11-20T08:00:00Z');

for (const storage of sampled(storages, 2)) {
  describe(`coverage: coding bases, on ${storage.name}`, () => {
    let opened: Awaited<ReturnType<typeof storage.open>>;
    let intervals: IntervalRepository;
    const folder = blockFolder();
    before(async () => {
      opened = await storage.open([coverage]);
      intervals = opened.storage.repository(coverage);
    });
    after(async () => {
      await opened?.close();
    });

    async function load(name: string, text: string, build: Build): Promise<void> {
      writeFileSync(join(folder, name), text);
      const source = await openIntervals(join(folder, name));
      await loadIntervals({ repository: intervals, kind: 'gtf', build, source, maxShrink: 1, force: true, now });
    }

    async function targets(build: Build, genes: readonly string[], splice = 8) {
      const wanted = { build, genes, type: 'coding', transcripts: 'preferred', splice } as const;
      const { type, targets: found } = await select(intervals, wanted, {});
      expect(type).to.equal('coding');
      return found;
    }

    for (const [format, text] of [
      ['GTF', gtfOf],
      ['GFF3', gff3Of],
    ] as const) {
      it(`are three for each amino acid and the stop codon: CFTR and BRCA1, ${format}`, async () => {
        await load(`published.${format}`, text([cftr, brca1]), 'GRCh37');
        const [ofCftr, ofBrca1] = await targets('GRCh37', ['CFTR', 'BRCA1']);
        // 27 exons, all of which are coding; the first and last segment have one end within an exon: 52 ends at introns.
        expect(counted(ofCftr as GeneTarget)).to.deep.equal([3 * (1480 + 1), 52 * 8]);
        // 22 of its 23 exons are coding, and the start codon is within the second: 21 introns between them, 42 ends.
        expect(counted(ofBrca1 as GeneTarget)).to.deep.equal([3 * (1863 + 1), 42 * 8]);
      });

      it(`are what a person counts in five genes: ${format}`, async () => {
        await load(`hand.${format}`, text(handGenes.map(({ gene }) => gene)), 'GRCh38');
        const found = await targets(
          'GRCh38',
          handGenes.map(({ gene }) => gene.symbol),
        );
        for (const [i, { gene, coding, splice }] of handGenes.entries()) {
          const target = found[i] as GeneTarget;
          expect(target.gene.symbol).to.equal(gene.symbol);
          expect(counted(target), gene.symbol).to.deep.equal([coding, lengthOfRegions(asRegions(gene, splice))]);
          expect(positions(target.regions)).to.deep.equal(
            positions(asRegions(gene, [...cdsParts(gene), ...splice])),
            gene.symbol,
          );
        }
      });
    }

    it('are 1,971 of MTHFR in both builds, with its stop codon', async () => {
      for (const build of builds) {
        const path = `../../../../plugins/coverage/demo/intervals.${build}.gtf`;
        const source = await openIntervals(fileURLToPath(new URL(path, import.meta.url)));
        await loadIntervals({ repository: intervals, kind: 'gtf', build, source, maxShrink: 1, force: true, now });
        const [mthfr] = await targets(build, ['MTHFR'], 0);
        expect(counted(mthfr as GeneTarget), build).to.deep.equal([3 * (656 + 1), 0]);
      }
    });

    it('name the ends of a coding sequence that a file does not have', async () => {
      const tagged = (number: number, symbol: string, tags: string[], cds: [number, number]): GeneModel => ({
        ...{ chromosome: '21', strand: -1, hgnc: number, symbol, number, tags, cds },
        exons: [[20_000_000 + 1000 * number, 20_000_000 + 1000 * number + 300]],
      });
      const at = (number: number) => 20_000_000 + 1000 * number;
      const genes = [
        tagged(1, 'WHOLE', [], [at(1) + 30, at(1) + 90]),
        tagged(2, 'NOSTART', ['cds_start_NF', 'mRNA_start_NF'], [at(2) + 30, at(2) + 90]),
        tagged(3, 'NOEND', ['cds_end_NF'], [at(3), at(3) + 90]),
        tagged(4, 'NEITHER', ['cds_start_NF', 'cds_end_NF'], [at(4), at(4) + 300]),
        // 61 bases are no whole codons.
        tagged(5, 'ODD', [], [at(5) + 30, at(5) + 91]),
      ];
      const all = gtfOf(genes).split('\n');
      // As a file without tags says it: the first codon is not whole.
      const phased = all.map((line) =>
        line.includes('\tCDS\t') && line.includes('"WHOLE"') ? line.replace(/\t0\t(?=gene_id)/, '\t2\t') : line,
      );
      const openOf = async () =>
        (
          await targets(
            'GRCh38',
            genes.map(({ symbol }) => symbol),
          )
        ).map((target) => cdsOpenOf(target.transcript ?? { exons: [] }));
      await load('open.gtf', all.join('\n'), 'GRCh38');
      expect(await openOf()).to.deep.equal([undefined, 'start', 'end', 'both', 'end']);
      await load('phased.gtf', phased.join('\n'), 'GRCh38');
      expect((await openOf())[0]).to.equal('both');
    });

    it('of MANE Plus Clinical stand beside those of MANE Select, and genes without any have their exons', async () => {
      const [hand] = handGenes;
      const select_ = hand?.gene as GeneModel;
      const plus: GeneModel = { ...select_, number: 9101, cds: [10_000_300, 10_000_360] };
      const silent = { ...select_, hgnc: 9102, number: 9102, symbol: 'SILENT' };
      const nonCoding = { ...silent, cds: undefined };
      await load('plus.gtf', gtfOfTwo(select_, plus) + gtfOf([nonCoding]), 'GRCh38');
      const found = await targets('GRCh38', ['WITHIN', 'SILENT']);
      expect(
        found.map(({ gene, transcript, coding = [] }) => [gene.symbol, transcript?.ensembl, lengthOfRegions(coding)]),
      ).to.deep.equal([
        ['WITHIN', 'ENST00000009001', 201],
        ['WITHIN', 'ENST00000009101', 60],
        ['SILENT', 'ENST00000009102', 0],
      ]);
      expect(lengthOfRegions(found[2]?.regions ?? [])).to.equal(300);
    });

    it('are not guessed if no exon of the set states any', async () => {
      const [first] = handGenes;
      const silent = { ...(first?.gene as GeneModel), cds: undefined };
      await load('silent.gtf', gtfOf([silent]), 'GRCh38');
      const wanted = { build: 'GRCh38', genes: ['WITHIN'], type: 'coding', transcripts: 'preferred' } as const;
      const { type, targets: found } = await select(intervals, wanted, {});
      expect([type, found.length]).to.deep.equal(['exons', 3]);
    });
  });
}

describe('coverage: coding bases of any transcript', () => {
  it('equal those of a naive model, base by base', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ exon: fc.integer({ min: 1, max: 30 }), gap: fc.integer({ min: 0, max: 25 }) }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.tuple(fc.nat(), fc.nat()),
        fc.integer({ min: 0, max: 20 }),
        (parts, [one, other], splice) => {
          const exons: Region[] = [];
          let next = 1000;
          for (const { exon, gap } of parts) {
            exons.push({ chromosome: '1', start: next, end: next + exon });
            next += exon + gap;
          }
          const exonic = exons.flatMap((exon) => positions([exon]));
          const [from, to] = [one % exonic.length, other % exonic.length].sort((a, b) => a - b) as [number, number];
          const isCoding = new Set(exonic.slice(from, to + 1));
          const isExonic = new Set(exonic);
          // The nearest exonic base to the left or right is coding, and near enough.
          const isSplice = (place: number) =>
            !isExonic.has(place) &&
            [-1, 1].some((step) => {
              for (let k = 1; k <= splice; k++) {
                if (isExonic.has(place + k * step)) return isCoding.has(place + k * step);
              }
              return false;
            });
          const within = Array.from({ length: next + 50 - 900 }, (_, i) => 900 + i);
          // Beyond the transcript there is no intron.
          const [begin, end] = [exonic[0] as number, exonic.at(-1) as number];
          const expected = within.filter((place) => place > begin && place < end && isSplice(place));
          const [first, last] = [exonic[from] as number, exonic[to] as number];
          const model = exons.map((exon, i): Exon => {
            const cds = { start: Math.max(exon.start, first), end: Math.min(exon.end, last + 1) };
            const own = {
              ...exon,
              chromosome: '1' as const,
              ensembl: `E${i}`,
              gene: 'G',
              transcript: 'T',
              rank: i + 1,
            };
            return cds.start < cds.end ? { ...own, cds } : own;
          });
          const found = codingBases({ chromosome: '1', exons: model }, splice);
          expect(positions(found?.coding ?? [])).to.deep.equal([...isCoding].sort((a, b) => a - b));
          expect(positions(found?.splice ?? [])).to.deep.equal(expected);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function asRegions({ chromosome }: GeneModel, parts: readonly (readonly [number, number])[]): Region[] {
  return parts.map(([start, end]) => ({ chromosome, start, end }));
}

function positions(regions: readonly Region[]): number[] {
  return regions
    .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i))
    .sort((a, b) => a - b);
}
