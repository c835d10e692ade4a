/**
 * A page as data, from which HTML, PDF, CSV and TSV are made, so that all show the same: its sections, tables and cells, and
 * its drawings. Pages write a drawing as SVG, PDF files draw it as vectors; its lengths are in units of its own width, and its
 * colours are classes, because the page's Content-Security-Policy allows no inline styles.
 */
import {
  type Drawing,
  fileRows,
  type Html,
  html,
  type Ink,
  lineInks,
  type PaperCell,
  type PaperColumn,
  type PaperDocument,
  type PaperNotice,
  type PaperSection,
  type PaperTable,
  type Shape,
  type TextAnchor,
} from '../../../core/plugin.js';
import type { Texts } from '../texts/texts.js';
import type { PageName } from './form/request.js';

export { type Drawing, fileRows, type Ink, type PaperNotice as PageNotice, type Shape };

export interface Cell extends PaperCell {
  /** As exported: without unit, grouping or language. */
  value: string | number;
  /** By unique reads, in a column that has such: exports have a further column of them. */
  unique?: string | number;
  /** Long entries of `list` break into lines; else a page keeps each on one. */
  wraps?: boolean;
  /** By entry of `list`: pages link to the depths of a registered sample there. */
  tracks?: readonly TrackLink[];
  /** The cell links to the page of this gene (any id). */
  gene?: string;
}

export interface TrackLink {
  text: string;
  /** Parameters of `/coverage/track`. */
  sample: string;
  region: string;
}

export interface TableColumn extends PaperColumn {
  /** Stable name, used in CSV. */
  key: string;
  /** Whether its cells may have a value by unique reads. */
  unique?: boolean;
  /** The form field and value that sort the table by this column, and whether it is sorted so. */
  sort?: { field: string; value: string; current: boolean };
}

export interface PageTable extends PaperTable {
  /** Unique on the page; the value of `table=`. */
  name: string;
  /** What people can do with it on the page of a new report: not on paper, nor once it is kept. */
  hint?: string;
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
  /** The column that names the row, by its place; the first if omitted. */
  heading?: number;
}

/** A table whose rows are made while they are read, for there may be very many. */
export interface LongTable extends Omit<PageTable, 'rows'> {
  rows: Iterable<readonly Cell[]>;
}

/** A table that is made only if a request asks for it. */
export interface LazyTable {
  name: string;
  make(): LongTable;
}

/** How much of a long table is wanted: what a page shows at a time, or the rows of a PDF file. */
export type TableExtent = 'page' | 'file';

/** A page below its header, and its tables for CSV and TSV, the main one first; each is made when it is needed. */
export interface PageContent {
  sections(extent: TableExtent): PageSection[];
  tables: readonly LazyTable[];
}

export interface PageLink {
  text: string;
  href: string;
}

type OnPaper<Kind> = Extract<PaperSection, { kind: Kind }>;

export type PageSection =
  | (OnPaper<'heading'> & {
      id: string;
      links?: readonly PageLink[];
      /** `fixed`: without a button that draws it. */
      transcript?: { id: string; drawn: boolean; fixed?: boolean };
    })
  | (OnPaper<'table'> & {
      table: PageTable;
      /** If given, the table is collapsed below this summary. */
      summary?: string;
      open?: boolean;
      /** Shown only on a screen, or only on paper (printed pages and PDF files); on both if omitted. */
      media?: 'screen' | 'paper';
    })
  | (OnPaper<'drawing'> & { id: string; table?: PageTable })
  /** On a screen in columns, or collapsed if it is long. */
  | (OnPaper<'names'> & { id: string })
  | (OnPaper<'note'> & { media?: 'screen' | 'paper' })
  | { kind: 'browse'; view: BrowseView }
  | OnPaper<'terms'>;

/** The shown part of a long table. */
export interface BrowseView {
  sort: string;
  filter: string;
  part: number;
  parts: number;
}

export interface Fact {
  label: string;
  text: string;
  /** A sentence, on a line of its own. */
  long?: boolean;
}

export interface PageView {
  page: PageName;
  title: string;
  /** Case and panel, if given. */
  subtitle: string;
  facts: readonly Fact[];
  /** Shown before the numbers. */
  warnings: readonly PaperNotice[];
  /** What could not be checked: with it, no page says that there are no quality warnings. */
  unchecked: readonly string[];
  sampleTable: PageTable;
  sections: readonly PageSection[];
}

/** The page on paper; a file has all rows. */
export function paperOf(
  { title, subtitle, facts, warnings, unchecked, ...view }: PageView,
  texts: Texts,
): PaperDocument {
  const last = facts.at(-1);
  const sections = view.sections.flatMap((section): PaperSection[] => {
    if (section.kind === 'browse' || ('media' in section && section.media === 'screen')) return [];
    return [section.kind === 'heading' ? { ...section, isSmall: section.transcript !== undefined } : section];
  });
  return {
    ...{ title, subtitle, facts, foot: last === undefined ? '' : `${last.label}: ${last.text}` },
    notices: { title: texts.warnings.title, warnings, none: texts.warnings.none, unchecked },
    sections: [{ kind: 'table', table: view.sampleTable }, ...sections],
  };
}

export function textCell(value: string, more: Omit<Partial<Cell>, 'text' | 'value'> = {}): Cell {
  return { text: value, value, ...more };
}

// Drawings as data.

export function textShape(
  [x, y]: readonly [number, number],
  text: string,
  size: number,
  fill: Ink,
  more: { anchor?: TextAnchor; bold?: boolean } = {},
): Shape {
  return { kind: 'text', x, y, text, size, fill, ...more };
}

/** Lines of samples differ by dash as well as by colour. */
const sampleDashes: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 4], [1, 3]];

export function inkOfSample(sample: number): Ink {
  return lineInks[sample % lineInks.length] as Ink;
}

export function dashOfSample(sample: number): readonly number[] {
  const turn = Math.floor(sample / lineInks.length);
  return sampleDashes[(sample + turn) % sampleDashes.length] ?? [];
}

// Drawings as SVG.

/** `id` is unique on the page. */
export function svg({ width, height, title, description, shapes }: Drawing, id: string): Html {
  return html`<svg class="plot" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-labelledby="${id}-title" aria-describedby="${id}-desc">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${shapes.map(element)}</svg>`;
}

const round = (value: number) => Math.round(value * 100) / 100;

function element(shape: Shape): Html {
  switch (shape.kind) {
    case 'path': {
      const { d, stroke, fill, width, dash, opacity } = shape;
      const classes = [stroke && `k-${stroke}`, fill ? `f-${fill}` : 'f-none'].filter(Boolean).join(' ');
      return html`<path class="${classes}" d="${d}"${width !== undefined && html` stroke-width="${width}"`}${dashed(dash)}${opacity !== undefined && html` opacity="${opacity}"`}/>`;
    }
    case 'line': {
      const { x1, y1, x2, y2, stroke, width = 1, dash } = shape;
      return html`<line class="k-${stroke}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke-width="${width}"${dashed(dash)}/>`;
    }
    case 'rect': {
      const { x, y, width, height, fill, opacity } = shape;
      return html`<rect class="f-${fill}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"${opacity !== undefined && html` opacity="${opacity}"`}/>`;
    }
    case 'text': {
      const { x, y, text, size, fill, anchor, bold } = shape;
      return html`<text class="f-${fill}" x="${round(x)}" y="${round(y)}" font-size="${size}"${anchor && html` text-anchor="${anchor}"`}${bold && html` font-weight="600"`}>${text}</text>`;
    }
  }
}

function dashed(dash: readonly number[] | undefined): Html | undefined {
  return dash === undefined || dash.length === 0 ? undefined : html` stroke-dasharray="${dash.join(' ')}"`;
}
