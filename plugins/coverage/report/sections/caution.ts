/** Regions of caution: the share of the measured bases in them, on pages, in exports and among the limitations. */
import { percentOfShare } from '../../measure/measure.js';
import type { Texts } from '../../texts/texts.js';
import type { Caution, CautionGroup, CautionShare } from '../caution.js';
import type { ReportData } from '../data.js';
import { countCell, percentCell } from '../targets.js';
import {
  type Cell,
  fileRows,
  type LazyTable,
  type LongTable,
  type PageSection,
  type PageTable,
  type TableExtent,
  textCell,
} from '../view.js';

/** Genes that a page lists, and up to which the list is open. */
const [listedGroups, few] = [500, 20];

export function cautionSections(
  { request, targets }: ReportData,
  caution: Caution,
  texts: Texts,
  extent: TableExtent,
): PageSection[] {
  const { whole, groups } = caution;
  const isOfGene = request.page === 'gene_overview';
  const most = extent === 'page' ? listedGroups : fileRows;
  const shares = Float64Array.from(groups, ({ length, bases }) => Math.max(...bases) / length);
  const order = Uint32Array.from(shares.keys()).sort((a, b) => (shares[b] as number) - (shares[a] as number) || a - b);
  const shown = isOfGene ? [] : Array.from(order.subarray(0, most), (at) => groups.at(at) as CautionGroup);
  const gene = isOfGene ? targets.at(0) : undefined;
  const table: PageTable = {
    name: 'caution',
    title: texts.caution.title,
    caption: texts.caution.caption,
    columns: [
      { key: 'gene', title: texts.gaps.gene },
      { key: 'bases', title: texts.gene.bases, numeric: true, weight: 0.7 },
      { key: 'caution', title: texts.caution.column, weight: 3 },
    ],
    rows: [{ ...whole, group: gene?.group ?? texts.caution.whole }, ...shown].map((one: CautionGroup, i): Cell[] => {
      const list = shareLines(caution, one, texts, i === 0);
      const link = one.geneId === undefined ? {} : { gene: one.geneId };
      return [
        textCell(one.group, link),
        countCell(one.length, texts),
        { text: list.join('; '), value: list.join('; '), list, wraps: true },
      ];
    }),
  };
  const further = isOfGene ? 0 : groups.length - shown.length;
  return [
    {
      ...{ kind: 'table', table },
      ...(shown.length > 0 && { summary: texts.caution.summary(groups.length), open: groups.length <= few }),
      ...(further > 0 && { note: texts.incomplete.more(further) }),
    },
  ];
}

/** `segmental duplications: 12.34 % (1,234 bp)`, of each set; `isWhole` also names those without a measured base. */
function shareLines({ sets }: Caution, { length, bases }: CautionShare, texts: Texts, isWhole: boolean): string[] {
  return sets.flatMap(({ name }, i) => {
    const own = bases[i] ?? 0;
    if (own === 0) return isWhole ? [texts.caution.none(name)] : [];
    return [texts.caution.share(name, percentCell(own / length, texts).text, own)];
  });
}

/** As an item of the limitations. */
export function cautionText(caution: Caution, texts: Texts): string {
  const shares = shareLines(caution, caution.whole, texts, true).join('; ');
  return caution.whole.bases.some((bases) => bases > 0) ? texts.caution.limit(shares) : shares;
}

/** For CSV and TSV. */
export function cautionTables(caution: Caution, texts: Texts): LazyTable[] {
  return [{ name: 'caution', make: () => cautionTable(caution, texts) }];
}

/** One row for each gene and set with some of its bases; before them, without a gene, one for each set and all bases. */
function cautionTable({ sets, whole, groups }: Caution, texts: Texts): LongTable {
  const keys = ['gene', 'source', 'release', 'bases', 'bases_in_source', 'percent'];
  return {
    ...{ name: 'caution', title: texts.caution.title, caption: '' },
    columns: keys.map((key) => ({ key, title: key })),
    rows: {
      *[Symbol.iterator]() {
        yield* rowsOf({ ...whole, group: '' }, true);
        for (const one of groups) yield* rowsOf(one, false);
      },
    },
  };

  function* rowsOf({ group, length, bases }: CautionGroup, isWhole: boolean): Generator<Cell[]> {
    for (const [i, { name, release = '' }] of sets.entries()) {
      const own = bases[i] ?? 0;
      if (own === 0 && !isWhole) continue;
      const names = [group, name, release].map((text) => textCell(text));
      yield [...names, countCell(length, texts), countCell(own, texts), percentCell(own / length, texts)];
    }
  }
}

/** For JSON: each set with its share of all bases, and each gene with its share in each set. */
export function cautionData({ sets, whole, groups }: Caution): object {
  const share = (own: number, length: number) => ({ bases: own, percent: percentOfShare(own / length) });
  function* genes() {
    for (const { group, length, bases } of groups) {
      const own = sets.flatMap(({ name }, i): [string, object][] =>
        bases[i] ? [[name, share(bases[i], length)]] : [],
      );
      yield { gene: group, length, sets: Object.fromEntries(own) };
    }
  }
  return {
    caution_sets: sets.map(({ name, release, source, checksum, loaded, regions }, i) => ({
      ...{ name, release: release ?? null, source, checksum, loaded: loaded.toISOString(), regions },
      ...{ measured_bases: whole.length, ...share(whole.bases[i] ?? 0, whole.length) },
    })),
    caution: genes(),
  };
}
