/**
 * A document as data, from which a PDF file is made: facts, warnings, tables, notes, and drawings, whose lengths are in units of
 * their own width.
 */

/** A cell of a table. */
export interface PaperCell {
  text: string;
  tone?: 'good' | 'bad';
  /** Repeats the row before: shown paler. */
  again?: boolean;
  badges?: readonly string[];
  /** Short figures in small print below the text; none is broken into lines. */
  below?: readonly string[];
  /** Entries that are shown instead of the text. */
  list?: readonly string[];
}

export interface PaperColumn {
  title: string;
  numeric?: boolean;
  /** Share of the width; 1 if omitted. */
  weight?: number;
}

export interface PaperTable {
  title: string;
  caption: string;
  columns: readonly PaperColumn[];
  rows: readonly (readonly PaperCell[])[];
  /** Rows of the whole table, if `rows` may be only the first of them. */
  of?: number;
}

/** Rows of one table in a PDF file. */
export const fileRows = 3000;

export type PaperSection =
  | { kind: 'heading'; title: string; badges?: readonly string[]; text?: string; isSmall?: boolean }
  /** A bare table belongs to the heading before it. */
  | { kind: 'table'; table: PaperTable; note?: string; bare?: boolean }
  | { kind: 'drawing'; drawing: Drawing; title?: string; caption?: string }
  /** A list of names as running text. */
  | { kind: 'names'; title: string; caption: string; summary: string; names: readonly string[]; note?: string }
  | { kind: 'note'; text: string; tone?: 'good' | 'plain' }
  | { kind: 'terms'; title: string; items: readonly (readonly [string, string])[] };

export interface PaperNotice {
  text: string;
  list?: readonly string[];
}

export interface PaperDocument {
  title: string;
  /** Empty if there is none. */
  subtitle: string;
  /** At the bottom of each page. */
  foot: string;
  /** Shown before everything else: warnings below their title, or that there are none; and what could not be checked. */
  notices?: { title: string; warnings: readonly PaperNotice[]; none: string; unchecked: readonly string[] };
  facts: readonly { label: string; text: string }[];
  sections: readonly PaperSection[];
}

// Drawings as data.

/** Colours by purpose. `s0`… are those of lines that are told apart. */
export const lineInks = ['s0', 's1', 's2', 's3', 's4', 's5'] as const;
export type Ink = 'ink' | 'soft' | 'line' | 'card' | 'bad' | 'gene' | 'utr' | (typeof lineInks)[number];

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

export type TextAnchor = 'start' | 'middle' | 'end';

export interface Drawing {
  width: number;
  height: number;
  /** A short title. */
  title: string;
  /** A text alternative: what it shows. */
  description: string;
  shapes: readonly Shape[];
}

/** The words of every file, by language. */
export interface PaperWords {
  language: string;
  page(page: number, pages: number): string;
  continued: string;
  cut(shown: number, all: number): string;
}

export function paperWords(language: string): PaperWords {
  const number = (value: number) => new Intl.NumberFormat(language).format(value);
  if (language === 'sv')
    return {
      language,
      page: (page, pages) => `Sida ${page} av ${pages}`,
      continued: 'fortsättning',
      cut: (shown, all) => `De första ${number(shown)} av ${number(all)} rader; CSV-exporten har alla.`,
    };
  return {
    language,
    page: (page, pages) => `Page ${page} of ${pages}`,
    continued: 'continued',
    cut: (shown, all) => `The first ${number(shown)} of ${number(all)} rows; the CSV export has them all.`,
  };
}
