/** Known sites: how many each sample could have shown, and those that it could not. */
import type { FoundSite } from '../../contract.js';
import { type GeneSite, type KnownSites, kindOfHole, siteStates } from '../../sites/report-sites.js';
import type { Texts } from '../../texts/texts.js';
import type { ReportData } from '../data.js';
import { countCell, percentCell, placeText } from '../targets.js';
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

/** Sites that a page lists. */
export const listedSites = 500;

export function siteSections(data: ReportData, known: KnownSites, texts: Texts, extent: TableExtent): PageSection[] {
  const summary: PageSection = { kind: 'table', table: summaryTable(data, known, texts) };
  if (known.sites.length === 0) return [summary];
  if (known.uncallable.length === 0) {
    return [summary, { kind: 'note', text: texts.sites.all, tone: 'good' }];
  }
  const most = extent === 'page' ? listedSites : fileRows;
  const further = known.uncallable.length - most;
  return [
    summary,
    ...(known.notStored === undefined
      ? []
      : [{ kind: 'note', text: notStoredText(known.notStored, data.request.level, texts) } as const]),
    {
      kind: 'table',
      table: uncallableTable(data, known, most, texts),
      summary: texts.sites.summary(known.uncallable.length),
      ...(extent === 'page' && further > 0 ? { note: texts.sites.more(further) } : {}),
    },
  ];
}

/** Why the assay is not stated, or only of a part of its samples, and what to do. */
export function notStoredText(
  { samples, of, thresholds }: NonNullable<KnownSites['notStored']>,
  level: number,
  texts: Texts,
): string {
  const { number, depth, sites } = texts;
  const reason = sites.notStored(number(samples), number(of), depth(level));
  if (thresholds.includes(level)) return `${reason} ${sites.storedSoon}`;
  return `${reason} ${sites.storeToo(thresholds.map(depth), String(level))}`;
}

export function siteTables(data: ReportData, known: KnownSites, texts: Texts): LazyTable[] {
  return [
    { name: 'known_sites', make: () => summaryTable(data, known, texts) },
    { name: 'sites', make: () => siteList(data, known, texts) },
  ];
}

/** The definitions, as items of the explanations. */
export function siteTerms({ comparison }: ReportData, texts: Texts): (readonly [string, string])[] {
  const { terms } = texts.sites;
  return [[terms.sites, terms.sitesText], ...(comparison === undefined ? [] : [[terms.hole, terms.holeText] as const])];
}

/** One row for each sample and set. */
function summaryTable({ samples, request }: ReportData, known: KnownSites, texts: Texts): PageTable {
  const { sites } = texts;
  return {
    name: 'known_sites',
    title: sites.title,
    caption: sites.caption(texts.depth(request.level)),
    columns: [
      { key: 'sample', title: texts.header.sample, weight: 1.3 },
      { key: 'source', title: sites.source, weight: 1.5 },
      { key: 'sites', title: sites.count, numeric: true },
      { key: 'callable', title: sites.columns.callable, numeric: true },
      { key: 'callable_percent', title: sites.share, numeric: true },
      { key: 'partly', title: sites.columns.partly, numeric: true },
      { key: 'not', title: sites.columns.not, numeric: true },
    ],
    rows: samples.flatMap(({ sample }, i) =>
      known.sets.map(({ name, release }): Cell[] => {
        const counts = { callable: 0, partly: 0, not: 0 };
        for (const [place, { site }] of known.sites.entries()) {
          if (site.set === name) counts[known.samples[i]?.state(place) ?? 'not'] += 1;
        }
        const all = counts.callable + counts.partly + counts.not;
        return [
          textCell(sample.name),
          textCell(`${name} ${release}`),
          countCell(all, texts),
          countCell(counts.callable, texts),
          all === 0
            ? { text: '–', value: '' }
            : { ...percentCell(counts.callable / all, texts), tone: counts.callable === all ? 'good' : 'bad' },
          countCell(counts.partly, texts),
          countCell(counts.not, texts),
        ];
      }),
    ),
  };
}

function uncallableTable({ samples, request }: ReportData, known: KnownSites, most: number, texts: Texts): PageTable {
  const { sites, depth } = texts;
  const shown = known.uncallable.slice(0, most);
  return {
    name: 'sites',
    title: sites.listTitle(depth(request.level)),
    caption: sites.listCaption,
    columns: [
      { key: 'gene', title: sites.gene },
      { key: 'site', title: sites.site, weight: 2.4 },
      { key: 'stars', title: sites.stars, numeric: true },
      ...samples.map(({ sample }) => ({ key: sample.name, title: sample.name, weight: 1.7 })),
    ],
    rows: shown.map((place): Cell[] => {
      const { site, of } = known.sites[place] as GeneSite;
      return [
        geneCell(of),
        linesCell([hgvsOf(site), `${site.set}${site.id === undefined ? '' : ` ${site.id}`}, ${placeText(site)}`]),
        site.stars === undefined ? { text: '–', value: '' } : countCell(site.stars, texts),
        ...samples.map(({ sample }, i) => stateCell(known, i, sample.name, place, texts)),
      ];
    }),
    of: known.uncallable.length,
  };
}

function geneCell(of: GeneSite['of']): Cell {
  const [first] = of;
  const names = of.map(({ symbol, ensembl }) => symbol ?? ensembl).join(', ');
  return textCell(
    names,
    first === undefined ? {} : { gene: first.hgnc === undefined ? first.ensembl : String(first.hgnc) },
  );
}

function stateCell(known: KnownSites, i: number, sample: string, site: number, texts: Texts): Cell {
  const { sites, depth, number } = texts;
  const depths = known.samples[i];
  const state = depths?.state(site) ?? 'not';
  if (state === 'callable') return { text: sites.states.callable, value: 'callable', tone: 'good' };
  const usual = known.usual(sample, site);
  return linesCell([
    `${sites.states[state]}, ${sites.least(depth(depths?.min(site) ?? 0))}`,
    ...(usual === undefined
      ? []
      : [sites.usual(number(usual.covered), number(usual.n)), sites.holes[kindOfHole(usual)]]),
  ]);
}

function linesCell(lines: readonly string[]): Cell {
  const list = lines.filter((line) => line !== '');
  return { text: list.join('; '), value: list.join('; '), list, wraps: true };
}

/** Bases of an allele that are shown. */
const shownBases = 20;

/** HGVS if the source states it, else the alleles. */
function hgvsOf({ hgvs, reference, alternate }: FoundSite): string {
  return hgvs ?? `${shortenedAllele(reference)}>${shortenedAllele(alternate)}`;
}

function shortenedAllele(allele: string): string {
  return allele.length <= shownBases ? allele : `${allele.slice(0, shownBases)}…`;
}

/** One row for each site and sample, callable ones too. */
function siteList({ samples, request }: ReportData, known: KnownSites, texts: Texts): LongTable {
  const compared = known.uncallable.some((site) => samples.some(({ sample }) => known.usual(sample.name, site)));
  const keys = [
    ...['source', 'release', 'id', 'hgvs', 'gene', 'chromosome', 'first', 'last', 'reference', 'alternate'],
    ...['significance', 'stars', 'sample', 'state', 'minimum_depth', 'threshold'],
    ...(compared ? ['assay_callable', 'assay_samples', 'hole'] : []),
  ];
  const releases = new Map(known.sets.map(({ name, release }) => [name, release]));
  return {
    name: 'sites',
    title: texts.sites.title,
    caption: '',
    columns: keys.map((key) => ({ key, title: key })),
    rows: {
      *[Symbol.iterator]() {
        for (const [at, { site, of }] of known.sites.entries()) {
          for (const [i, { sample }] of samples.entries()) {
            const depths = known.samples[i];
            const usual = known.usual(sample.name, at);
            yield [
              ...[site.set, releases.get(site.set) ?? '', site.id ?? '', site.hgvs ?? ''].map((value) =>
                textCell(value),
              ),
              textCell(of.map(({ symbol, ensembl }) => symbol ?? ensembl).join(' ')),
              textCell(site.chromosome),
              countCell(site.start + 1, texts),
              countCell(site.end, texts),
              ...[site.reference, site.alternate, site.significance ?? ''].map((value) => textCell(value)),
              site.stars === undefined ? textCell('') : countCell(site.stars, texts),
              textCell(sample.name),
              textCell(depths?.state(at) ?? siteStates[2]),
              countCell(depths?.min(at) ?? 0, texts),
              countCell(request.level, texts),
              ...(compared
                ? [
                    ...[usual?.covered, usual?.n].map((value) =>
                      value === undefined ? textCell('') : countCell(value, texts),
                    ),
                    textCell(usual === undefined ? '' : kindOfHole(usual)),
                  ]
                : []),
            ];
          }
        }
      },
    },
  };
}
