/** A drawing as data, which pages write as SVG and PDF files draw as vectors. Lengths are in units of its own width. */

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
  | { kind: 'text'; x: number; y: number; text: string; size: number; fill: Ink; anchor?: Anchor; bold?: boolean };

export type Anchor = 'start' | 'middle' | 'end';

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
