/** A page as data: what HTML, PDF, CSV and TSV are made from, so that all of them show the same. */

import type { PageName } from '../form/request.js';
import type { Drawing } from '../plots/shapes.js';

export interface Cell {
  /** As people read it. */
  text: string;
  /** As programs read it: without unit, grouping or language. */
  value: string | number;
  tone?: 'good' | 'bad';
  /** Said before: shown paler, and left out of what is printed small. */
  again?: boolean;
  badges?: readonly string[];
  /** Several entries in place of the text. */
  list?: readonly string[];
  /** The gene page that the cell leads to: an id of the gene. */
  gene?: string;
}

export interface Column {
  /** Stable name, for CSV. */
  key: string;
  title: string;
  numeric?: boolean;
  /** Share of the width in a PDF file; 1 if omitted. */
  weight?: number;
  /** The field and value that ask for the table sorted by this column, and whether it is. */
  sort?: { field: string; value: string; current: boolean };
}

export interface Table {
  /** Unique on the page; what `table=` names. */
  name: string;
  title: string;
  caption: string;
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  /** Of the row in this place of the columns; the first where absent. */
  heading?: number;
}

/** A table whose rows are made while they are read: there may be very many. */
export interface LongTable extends Omit<Table, 'rows'> {
  rows: Iterable<readonly Cell[]>;
}

/** A table that is made where it is wanted only. */
export interface LazyTable {
  name: string;
  make(): LongTable;
}

export interface Link {
  text: string;
  href: string;
}

export type Section =
  | {
      kind: 'heading';
      title: string;
      id: string;
      badges?: readonly string[];
      text?: string;
      links?: readonly Link[];
      transcript?: { id: string; drawn: boolean };
    }
  | {
      kind: 'table';
      table: Table /** Closed at first; its summary. */;
      summary?: string;
      open?: boolean;
      note?: string;
      bare?: boolean;
    }
  | { kind: 'drawing'; drawing: Drawing; id: string; title?: string; caption?: string; table?: Table }
  | { kind: 'note'; text: string; tone?: 'good' | 'plain' }
  | { kind: 'browse'; view: BrowseView }
  | { kind: 'terms'; title: string; items: readonly (readonly [string, string])[] };

/** Which part of a long table is shown. */
export interface BrowseView {
  sort: string;
  filter: string;
  part: number;
  parts: number;
}

export interface Fact {
  label: string;
  text: string;
  /** A sentence, which needs a line of its own. */
  long?: boolean;
}

export interface PageView {
  page: PageName;
  title: string;
  /** Case and panel, where they are named. */
  subtitle: string;
  facts: readonly Fact[];
  /** What must be read before the numbers. */
  warnings: readonly Notice[];
  /** What could not be checked: with it, no page says that nothing is wrong. */
  unchecked: readonly string[];
  sampleTable: Table;
  sections: readonly Section[];
  /** Tables for CSV and TSV, the main one first: complete where the page shows a part. */
  tables: readonly LazyTable[];
}

export interface Notice {
  text: string;
  list?: readonly string[];
}

export function text(value: string, more: Omit<Partial<Cell>, 'text' | 'value'> = {}): Cell {
  return { text: value, value, ...more };
}
