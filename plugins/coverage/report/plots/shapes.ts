/**
 * A drawing as data, which pages write as SVG and PDF files draw as vectors. Lengths are in units of its own width. In SVG
 * colours are classes, because the page's Content-Security-Policy allows no inline styles.
 */
import { type Html, html } from '../../../../core/plugin.js';

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

export function inkOf(sample: number): Ink {
  return sampleInks[sample % sampleInks.length] as Ink;
}

export function dashOf(sample: number): readonly number[] {
  const turn = Math.floor(sample / sampleInks.length);
  return sampleDashes[(sample + turn) % sampleDashes.length] ?? [];
}

// A drawing as SVG markup. Colours are classes, because the page's Content-Security-Policy allows no inline styles.

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
