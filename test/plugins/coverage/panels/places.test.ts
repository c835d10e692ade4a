/** Regions and repeats of panels: random panels, genes and depths over HTTP, compared with arrays of depths, base by base. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { type Batch, type Chromosome, coverage, type Exon } from '../../../../plugins/coverage/contract.js';
import { percentOfShare } from '../../../../plugins/coverage/measure/measure.js';
import type { IntervalType } from '../../../../plugins/coverage/report/form/request.js';
import { panels } from '../../../../plugins/panels/contract.js';
import type { OtherEntry, PanelContent } from '../../../../plugins/panels/versions/content.js';
import { Random } from '../../../conformance/core.js';
import { data, type Fields, post, rowsOf } from '../pages/support/post.js';
import { chromosomesOf, writeD4 } from '../support/d4.js';
import { contentOf, signedOff } from './support.js';

interface Figures {
  length: number;
  mean_coverage: number;
  bases_at: Record<string, number>;
  completeness_percent: Record<string, number | null>;
  not_expected?: true;
  gaps: [start: number, end: number][];
}

interface PlaceData {
  kind: string;
  name: string;
  chromosome: string;
  start: number;
  end: number;
  counted: string;
  genes: string[];
  regions: [start: number, end: number][];
  samples: Record<string, Figures>;
}

interface PlacesReport {
  panel_regions?: PlaceData[];
  panel_version: { not_covered: { kind: string; name: string; reason: string }[] };
  panel_requirement?: {
    bases: number;
    genes_not_measured: string[];
    samples: Record<string, { met: boolean; core_genes_incomplete: { symbol: string; bases_at_depth: number }[] }>;
  };
  samples: Record<string, unknown>[];
  [member: string]: unknown;
}

const seed = Number(process.env.TEST_SEED ?? 1);
const level = 20;
const thresholds = [10, 20, 40];
/** Outside of the pseudoautosomal regions. */
const [from, size] = [7_000_000, 3000];
const chromosomes = ['1', '14', 'X', 'Y'] as const satisfies readonly Chromosome[];
type Own = (typeof chromosomes)[number];
interface Span {
  chromosome: Own;
  start: number;
  end: number;
}
type GeneModel = Span & { symbol: string; hgnc: number; exons: (Span & { cds?: { start: number; end: number } })[] };

const baseKey = (chromosome: string, at: number) => `${chromosome} ${at}`;
const rangeOf = ({ start, end }: { start: number; end: number }) =>
  Array.from({ length: end - start }, (_, i) => start + i);
const basesOf = (spans: readonly Span[]) =>
  new Set(spans.flatMap((span) => rangeOf(span).map((at) => baseKey(span.chromosome, at))));

function someSpan(random: Random, longest: number, chromosome: Own = random.pick(chromosomes)): Span {
  const start = from + random.int(0, size - longest - 1);
  return { chromosome, start, end: start + random.int(1, longest) };
}

function someGenes(random: Random, isCodingKnown: boolean): GeneModel[] {
  return Array.from({ length: 7 }, (_, i): GeneModel => {
    const chromosome = i === 0 ? '1' : random.pick(chromosomes);
    const exons = random.list(1, 4, () => {
      const exon = someSpan(random, 150, chromosome);
      const cds = someSpan(random, 150, chromosome);
      const [start, end] = [Math.max(exon.start, cds.start), Math.min(exon.end, cds.end)];
      // The first gene is coding for certain.
      if (i === 0) return { ...exon, ...(isCodingKnown && { cds: { start: exon.start, end: exon.end } }) };
      return { ...exon, ...(isCodingKnown && start < end && { cds: { start, end } }) };
    });
    const [start, end] = [Math.min(...exons.map((e) => e.start)), Math.max(...exons.map((e) => e.end))];
    return { symbol: `GEN${i}`, hgnc: 101 + i, chromosome, start, end, exons };
  });
}

/** Each exon has a transcript of its own, so that exons of one gene overlap. */
async function* rowsOfGenes(genes: readonly GeneModel[]): AsyncGenerator<Batch> {
  const none = { refseqMrna: [], refseqMrnaPredicted: [], refseqNcrna: [], maneSelect: [], manePlusClinical: [] };
  const id = (prefix: string, i: number) => `${prefix}${String(i).padStart(11, '0')}`;
  for (const [i, { symbol, hgnc, chromosome, start, end, exons }] of genes.entries()) {
    const gene = id('ENSG', i + 1);
    const transcripts = exons.map((span, k) => {
      const own = { chromosome, start: span.start, end: span.end, gene, strand: 1 as const };
      return {
        ...own,
        ensembl: id('ENST', 10 * i + k),
        references: none,
        isManeSelect: false,
        isManePlusClinical: false,
      };
    });
    const rows = exons.map((span, k): Exon => {
      return { ...span, ensembl: id('ENSE', 10 * i + k), gene, transcript: id('ENST', 10 * i + k), strand: 1, rank: 1 };
    });
    yield { genes: [{ ensembl: gene, hgnc, symbol, chromosome, strand: 1, start, end }], transcripts, exons: rows };
  }
}

const placeText = ({ chromosome, start, end }: Span) => `${chromosome}:${start + 1}-${end}`;

function someEntries(random: Random): (OtherEntry & { span?: Span })[] {
  let count = 0;
  return random.list(1, 12, (): OtherEntry & { span?: Span } => {
    const span = someSpan(random, random.pick([1, 60, 1500]));
    const on38 = `${random.pick(['', 'chr'])}${placeText(span)} (GRCh38)`;
    const on37 = `${placeText(someSpan(random, 50))} (GRCh37)`;
    const known = random.pick([on38, on38, `${on37}; ${on38}`, `${on38}; ${on37}`]);
    const place = random.pick([known, known, known, on37, '', placeText(span), `${placeText(span)} (GRCh38) x`]);
    return {
      kind: random.pick(['region', 'str'] as const),
      name: `E${count++}`,
      confidence: random.pick(['green', 'amber', 'red', 'unrated'] as const),
      ...(place !== '' && { place }),
      ...(random.chance(0.3) && { core: true as const }),
      ...(place === known && { span }),
    };
  });
}

describe(`reports on panels: regions and repeats beside genes (TEST_SEED=${seed})`, function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'trefoil-places-'));
  const random = new Random(seed);
  /** Depths of each base of each sample, by chromosome. The woman has depth on Y, which she is not expected to have. */
  const depths = new Map<string, Map<string, number>>();
  const samples = [
    { name: 'man', sex: 'male' },
    { name: 'woman', sex: 'female' },
  ];
  let server: TestServer;

  before(async () => {
    for (const { name } of samples) {
      const own = new Map<string, number>();
      const runs = chromosomes.flatMap((chromosome) => {
        const found: { chromosome: string; begin: number; end: number; depth: number }[] = [];
        for (let at = from; at < from + size; ) {
          const end = Math.min(from + size, at + random.int(1, 80));
          const depth = random.pick([0, 5, 15, 19, 20, 25, 45]);
          if (depth > 0) found.push({ chromosome, begin: at, end, depth });
          for (; at < end; at++) own.set(baseKey(chromosome, at), depth);
        }
        return found;
      });
      depths.set(name, own);
      writeD4(join(folder, `${name}.d4`), { chromosomes: chromosomesOf('GRCh38', { names: [...chromosomes] }), runs });
    }
    server = await serveForTest({ plugins: { coverage: { roots: [folder] }, panels: {} }, jobs: false });
  });
  after(async () => {
    await server?.close();
    await rm(folder, { recursive: true });
  });

  const loadGenes = (genes: readonly GeneModel[]) => {
    const sets = (['genes', 'transcripts', 'exons'] as const).map((kind) => ({ kind, build: 'GRCh38' as const }));
    const record = { source: 'test', checksum: `sha256:${'0'.repeat(64)}`, read: genes.length, skipped: {} };
    return server.repository(coverage).load({ sets, rows: rowsOfGenes(genes), accept: () => record }, new Date());
  };
  const report = (more: Fields) => data<PlacesReport>(`${server.url}/report`, { ...form(), ...more });
  const form = (): Fields => ({
    ...{
      build: 'GRCh38',
      default_level: String(level),
      completeness_thresholds: thresholds.join(','),
      transcripts: 'all',
    },
    samples: JSON.stringify(samples.map(({ name, sex }) => ({ name, sex, coverage_file_path: `${name}.d4` }))),
  });
  let versions = 0;
  const addPanel = async (content: PanelContent) => {
    versions += 1;
    await server.repository(panels).add(signedOff('model', `${versions}`, content));
    return `model@${versions}`;
  };

  /** From single bases. */
  function figuresOf(sample: string, bases: ReadonlySet<string>, span: Span): Figures {
    const own = depths.get(sample) as Map<string, number>;
    const list = [...bases].map((key) => own.get(key) ?? 0);
    const gaps: [number, number][] = [];
    for (const at of rangeOf(span)) {
      const key = baseKey(span.chromosome, at);
      if (!bases.has(key) || (own.get(key) ?? 0) >= level) continue;
      const last = gaps.at(-1);
      if (last !== undefined && last[1] === at) last[1] = at + 1;
      else gaps.push([at, at + 1]);
    }
    const isOut = sample === 'woman' && span.chromosome === 'Y';
    const at = (depth: number) => list.filter((one) => one >= depth).length;
    return {
      ...(isOut && { not_expected: true as const }),
      length: list.length,
      mean_coverage: list.reduce((sum, one) => sum + one, 0) / list.length,
      bases_at: Object.fromEntries(thresholds.map((depth) => [String(depth), at(depth)])),
      completeness_percent: Object.fromEntries(
        thresholds.map((depth) => [String(depth), isOut ? null : percentOfShare(at(depth) / list.length)]),
      ),
      gaps: isOut ? [] : gaps,
    };
  }

  function modelOf(
    entries: readonly (OtherEntry & { span?: Span })[],
    genes: readonly GeneModel[],
    { type, confidence, isCodingKnown }: { type: IntervalType; confidence: string; isCodingKnown: boolean },
  ) {
    const out = confidence === 'all' ? [] : confidence === 'green' ? ['amber', 'red'] : ['red'];
    const left: { kind: string; name: string; reason: string }[] = [];
    const places: (Omit<PlaceData, 'regions'> & { bases: Set<string>; core: boolean })[] = [];
    for (const { kind, name, confidence: own, span, core = false } of entries) {
      if (out.includes(own)) left.push({ kind, name, reason: 'confidence' });
      else if (span === undefined) left.push({ kind, name, reason: 'no-place' });
      else {
        const whole = basesOf([span]);
        const isWhole = kind === 'str' || type === 'genes';
        const parts = genes.flatMap(({ symbol, chromosome, start, exons }) => {
          const counted = exons.flatMap((exon) => (isCodingKnown ? (exon.cds ?? []) : exon));
          const bases = basesOf(counted.map((part) => ({ chromosome, ...part })));
          const inside = [...bases].filter((key) => whole.has(key));
          return inside.length === 0 ? [] : [{ symbol, start, inside }];
        });
        const bases = isWhole ? whole : new Set(parts.flatMap(({ inside }) => inside));
        const ofGenes = parts.map(({ symbol }) => symbol).sort();
        if (bases.size === 0) left.push({ kind, name, reason: 'no-coding' });
        else {
          const counted = isWhole ? 'whole' : isCodingKnown ? 'coding' : 'exonic';
          const figures = samples.map((sample) => [sample.name, figuresOf(sample.name, bases, span)] as const);
          const own = { kind, name, ...span, counted, genes: isWhole ? [] : ofGenes };
          places.push({ ...own, bases, core, samples: Object.fromEntries(figures) });
        }
      }
    }
    return { left, places };
  }

  for (const isCodingKnown of [true, false]) {
    it(`have figures of their own, and change no other number${isCodingKnown ? '' : ', with exons of unknown coding bases'}`, async () => {
      for (let turn = 0; turn < 6; turn++) {
        const genes = someGenes(random, isCodingKnown);
        await loadGenes(genes);
        const listed = genes.slice(0, 3).map(({ hgnc, symbol }) => ({ hgnc, symbol, confidence: 'green' as const }));
        const entries = someEntries(random);
        const isRequired = random.chance(0.5);
        const required = isRequired ? { requirement: { depth: random.pick([15, 20, 25]), percent: 1 } } : {};
        const others = entries.map(({ span: _, ...entry }) => entry);
        const [own, bare, plain] = [
          await addPanel(contentOf(listed, { others, ...required })),
          await addPanel(contentOf(listed, { others: others.map(({ core: _, ...entry }) => entry), ...required })),
          await addPanel(contentOf(listed, required)),
        ];
        for (const type of ['genes', 'transcripts', 'exons', 'default'] as const) {
          const confidence = random.pick(['all', 'amber', 'green']);
          const fields = { interval_type: type, panel_confidence: confidence };
          const label = JSON.stringify({ turn, fields, genes, entries });
          const found = await report({ ...fields, panel: own });
          const { left, places } = modelOf(entries, genes, { type, confidence, isCodingKnown } as never);
          expect(
            found.panel_version.not_covered.map(({ kind, name, reason }) => ({ kind, name, reason })),
            label,
          ).to.deep.equal(left);
          const shown = found.panel_regions ?? [];
          expect(
            shown.map(({ name }) => name),
            label,
          ).to.deep.equal(places.map(({ name }) => name));
          for (const [i, { bases, core: _, samples: expected, genes: symbols, ...place }] of places.entries()) {
            const { regions, samples: measured, genes: named, ...rest } = shown[i] as PlaceData;
            expect(rest, label).to.deep.include(place);
            expect([...named].sort(), label).to.deep.equal(symbols);
            const spans = regions.map(([start, end]) => ({ chromosome: place.chromosome as Own, start, end }));
            expect(basesOf(spans), label).to.deep.equal(bases);
            for (const { name } of samples) {
              const { mean_coverage, ...counts } = expected[name] as Figures;
              expect(measured[name], `${place.name} ${name} ${label}`).to.deep.include(counts);
              expect(measured[name]?.mean_coverage, label).to.be.closeTo(mean_coverage, 1e-9);
            }
          }
          await mustEqualCsv(own, fields, shown);
          // Without the entries nothing else differs, and without core ones the requirement does not, either.
          const without = ({ panel_regions: _, panel_version: __, made: ___, samples: all, ...rest }: PlacesReport) => {
            // An entry on X or Y makes the report state how many copies are expected, as a gene there does.
            return { ...rest, samples: all.map(({ expected_copies: ____, ...one }) => one) };
          };
          const [open, none] = [await report({ ...fields, panel: bare }), await report({ ...fields, panel: plain })];
          expect(without(open), label).to.deep.equal(without(none));
          const { panel_requirement: required_, ...others_ } = without(found);
          const { panel_requirement: plainly, ...further } = without(none);
          expect(others_, label).to.deep.equal(further);
          mustRequire(required_, plainly, {
            entries,
            places,
            left,
            depth: required.requirement?.depth ?? level,
            label,
          });
        }
      }
    });
  }

  async function mustEqualCsv(panel: string, fields: Fields, shown: readonly PlaceData[]) {
    const csv = async (table: string) =>
      rowsOf((await post(`${server.url}/report`, { ...form(), ...fields, panel, format: 'csv', table })).text);
    if (shown.length === 0) return;
    const rows = await csv('panel_regions');
    expect(
      rows.map(({ entry, sample, bases, first, last, counted }) => [entry, sample, bases, first, last, counted]),
    ).to.deep.equal(
      shown.flatMap(({ name, start, end, counted, samples: own }) =>
        Object.entries(own).map(([sample, { length }]) => [
          name,
          sample,
          `${length}`,
          `${start + 1}`,
          `${end}`,
          counted,
        ]),
      ),
    );
    for (const row of rows) {
      const own = shown.find(({ name }) => name === row.entry)?.samples[row.sample ?? ''];
      const share = own?.completeness_percent[level];
      expect(row[`completeness_${level}_percent`]).to.equal(share === null ? 'not expected' : String(share));
      expect(row.bases_below).to.equal(
        share === null ? 'not expected' : String((own?.length ?? 0) - (own?.bases_at[level] ?? 0)),
      );
      expect(row.repeat_length).to.equal(row.kind === 'str' ? 'not measured' : '');
    }
    const gaps = await csv('panel_region_gaps');
    expect(
      gaps.map(({ entry, sample, first, last }) => [entry, sample, Number(first) - 1, Number(last)]),
    ).to.have.deep.members(
      shown.flatMap(({ name, samples: own }) =>
        Object.entries(own).flatMap(([sample, { gaps: list }]) =>
          list.map(([start, end]) => [name, sample, start, end]),
        ),
      ),
    );
  }

  function mustRequire(
    found: PlacesReport['panel_requirement'],
    plain: PlacesReport['panel_requirement'],
    {
      entries,
      places,
      left,
      depth,
      label,
    }: {
      entries: readonly OtherEntry[];
      left: readonly { name: string; reason: string }[];
      depth: number;
      label: string;
    } & Pick<ReturnType<typeof modelOf>, 'places'>,
  ) {
    const isCore = (name: string) => entries.some((one) => one.name === name && one.core);
    const missing = left.filter(({ name, reason }) => isCore(name) && reason !== 'confidence').map(({ name }) => name);
    const core = places.filter(({ name }) => isCore(name));
    if (plain === undefined && core.length + missing.length === 0) {
      expect(found, label).to.equal(undefined);
      return;
    }
    expect(found?.genes_not_measured, label).to.have.members([...missing, ...(plain?.genes_not_measured ?? [])]);
    if (plain !== undefined) expect(found?.bases, label).to.equal(plain.bases);
    for (const { name } of samples) {
      const own = depths.get(name) as Map<string, number>;
      const open = core.flatMap(({ name: symbol, bases }) => {
        const reached = [...bases].filter((key) => (own.get(key) ?? 0) >= depth).length;
        return reached < bases.size ? [{ symbol, bases: bases.size, bases_at_depth: reached }] : [];
      });
      const shown = found?.samples[name];
      expect(shown?.core_genes_incomplete, label).to.deep.equal(open);
      const others = plain === undefined || plain.samples[name]?.met === true;
      expect(shown?.met, label).to.equal(others && open.length === 0 && missing.length === 0);
    }
  }
});
