/**
 * A page as data, from which HTML, PDF, CSV and TSV are made, so that all show the same: its sections, tables and cells, and
 * its drawings. Pages write a drawing as SVG, PDF files draw it as vectors; its lengths are in units of its own width, and its
 * colours are classes, because the page's Content-Security-Policy allows no inline styles.
 */
import { type Html, html } from '../../../core/plugin.js';
import type { PageName } from './form/request.js';

export interface Cell {
  /** As shown to people. */
  text: string;
  /** As exported: without unit, grouping or language. */
  value: string | number;
  /** By unique reads, in a column that has such: exports have a further column of them. */
  unique?: string | number;
  tone?: 'good' | 'bad';
  /** Repeats the row before: shown paler. */
  again?: boolean;
  badges?: readonly string[];
  /** Short figures in small print below the text, on pages and paper alone; none is broken into lines. */
  below?: readonly string[];
  /** Entries that are shown instead of the text. */
  list?: readonly string[];
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

export interface TableColumn {
  /** Stable name, used in CSV. */
  key: string;
  title: string;
  numeric?: boolean;
  /** Whether its cells may have a value by unique reads. */
  unique?: boolean;
  /** Share of the width in a PDF file; 1 if omitted. */
  weight?: number;
  /** The form field and value that sort the table by this column, and whether it is sorted so. */
  sort?: { field: string; value: string; current: boolean };
}

export interface PageTable {
  /** Unique on the page; the value of `table=`. */
  name: string;
  title: string;
  caption: string;
  /** What people can do with it on the page of a new report: not on paper, nor once it is kept. */
  hint?: string;
  columns: readonly TableColumn[];
  rows: readonly (readonly Cell[])[];
  /** Rows of the whole table, if `rows` may be only the first of them. */
  of?: number;
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

/** Rows of one table in a PDF file; CSV has all of them. */
export const fileRows = 3000;

/** A page below its header, and its tables for CSV and TSV, the main one first; each is made when it is needed. */
export interface PageContent {
  sections(extent: TableExtent): PageSection[];
  tables: readonly LazyTable[];
}

export interface PageLink {
  text: string;
  href: string;
}

export type PageSection =
  | {
      kind: 'heading';
      title: string;
      id: string;
      badges?: readonly string[];
      text?: string;
      links?: readonly PageLink[];
      /** `fixed`: without a button that draws it. */
      transcript?: { id: string; drawn: boolean; fixed?: boolean };
    }
  | {
      kind: 'table';
      table: PageTable;
      /** If given, the table is collapsed below this summary. */
      summary?: string;
      open?: boolean;
      note?: string;
      bare?: boolean;
      /** Shown only on a screen, or only on paper (printed pages and PDF files); on both if omitted. */
      media?: 'screen' | 'paper';
    }
  | { kind: 'drawing'; drawing: Drawing; id: string; title?: string; caption?: string; table?: PageTable }
  | {
      /** A list of names as running text or in columns, collapsed on a screen if it is long. */
      kind: 'names';
      id: string;
      title: string;
      caption: string;
      summary: string;
      names: readonly string[];
      note?: string;
    }
  | { kind: 'note'; text: string; tone?: 'good' | 'plain'; media?: 'screen' | 'paper' }
  | { kind: 'browse'; view: BrowseView }
  | { kind: 'terms'; title: string; items: readonly (readonly [string, string])[] };

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
  warnings: readonly PageNotice[];
  /** What could not be checked: with it, no page says that there are no quality warnings. */
  unchecked: readonly string[];
  sampleTable: PageTable;
  sections: readonly PageSection[];
}

export interface PageNotice {
  text: string;
  list?: readonly string[];
}

export function textCell(value: string, more: Omit<Partial<Cell>, 'text' | 'value'> = {}): Cell {
  return { text: value, value, ...more };
}

// Drawings as data.

/** Colours by purpose; pages have a light and a dark set. `s0`… are those of samples. */
const sampleInks = ['s0', 's1', 's2', 's3', 's4', 's5'] as const;
export type Ink = 'ink' | 'soft' | 'line' | 'card' | 'bad' | 'gene' | 'utr' | (typeof sampleInks)[number];

export type Shape =
  | { kind: 'path'; d: string; stroke?: Ink; fill?: Ink; width?: number; dash?: readonly number[]; opacity?: number }
  | {
      kind: 'line';
      x1: number;
      y1: number;
      x2: number;
      y2: number;
      stroke: Ink;
      width?: number;
      dash?: readonly number[];
    }
  | { kind: 'rect'; x: number; y: number; width: number; height: number; fill: Ink; opacity?: number }
  | { kind: 'text'; x: number; y: number; text: string; size: number; fill: Ink; anchor?: TextAnchor; bold?: boolean };

type TextAnchor = 'start' | 'middle' | 'end';

export function textShape(
  [x, y]: readonly [number, number],
  text: string,
  size: number,
  fill: Ink,
  more: { anchor?: TextAnchor; bold?: boolean } = {},
): Shape {
  return { kind: 'text', x, y, text, size, fill, ...more };
}

export interface Drawing {
  width: number;
  height: number;
  /** A short title. */
  title: string;
  /** A text alternative: what it shows. */
  description: string;
  shapes: readonly Shape[];
}

/** Lines of samples differ by dash as well as by colour. */
const sampleDashes: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [4, 4], [1, 3]];

export function inkOfSample(sample: number): Ink {
  return sampleInks[sample % sampleInks.length] as Ink;
}

export function dashOfSample(sample: number): readonly number[] {
  const turn = Math.floor(sample / sampleInks.length);
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
