/** Plot of cumulative coverage: the percentage of bases at or above each depth, one line for each sample. */
import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import type { DepthCurve } from '../../measure/uniformity.js';
import type { Texts } from '../../texts/texts.js';
import { type Drawing, dashOfSample, inkOfSample, type Shape, textShape } from '../view.js';

export interface CurveSample {
  name: string;
  curve: DepthCurve;
}

const [width, height] = [760, 330];
const area = { left: 52, right: 744, top: 16, bottom: 268 };

/** `thresholds` are drawn as vertical lines; `level` is the coverage threshold. */
export function curveDrawing(
  samples: readonly CurveSample[],
  { thresholds, level, texts }: { thresholds: readonly number[]; level: number; texts: Texts },
): Drawing {
  const deepest = Math.max(1, ...samples.map(({ curve }) => curve.depths.at(-1) ?? 1));
  const x = scaleLinear([0, deepest], [area.left, area.right]);
  const y = scaleLinear([0, 100], [area.bottom, area.top]);
  const shapes: Shape[] = [];
  for (const share of [0, 25, 50, 75, 100]) {
    shapes.push({ kind: 'line', x1: area.left, x2: area.right, y1: y(share), y2: y(share), stroke: 'line' });
    shapes.push(textShape([area.left - 8, y(share) + 4], `${share} %`, 12, 'soft', { anchor: 'end' }));
  }
  for (const depth of x.ticks(8)) {
    shapes.push({ kind: 'line', x1: x(depth), x2: x(depth), y1: area.bottom, y2: area.bottom + 5, stroke: 'soft' });
    shapes.push(textShape([x(depth), area.bottom + 19], `${depth}×`, 12, 'soft', { anchor: 'middle' }));
  }
  shapes.push(textShape([area.right, area.bottom + 36], texts.curve.axis, 12, 'soft', { anchor: 'end' }));
  let free = Number.NEGATIVE_INFINITY;
  for (const threshold of thresholds.filter((one) => one <= deepest)) {
    const at = x(threshold);
    const isLevel = threshold === level;
    shapes.push({
      kind: 'line',
      x1: at,
      x2: at,
      y1: area.top,
      y2: area.bottom,
      stroke: isLevel ? 'bad' : 'soft',
      width: isLevel ? 1.5 : 1,
      dash: isLevel ? [] : [3, 3],
    });
    // A label stands beside its line, and is left out if another is too close.
    if (!isLevel && at - free < 30) continue;
    free = at;
    const fill = isLevel ? 'bad' : 'soft';
    shapes.push(textShape([at + 4, area.bottom - 6], `${threshold}×`, 11, fill, { bold: isLevel }));
  }
  for (const [i, { curve }] of samples.entries()) {
    const points = curve.depths.map((depth, k): [number, number] => [x(depth), y((curve.shares[k] ?? 0) * 100)]);
    const d = line().digits(2)(points) ?? '';
    shapes.push({ kind: 'path', d, stroke: inkOfSample(i), width: 2.25, dash: dashOfSample(i) });
  }
  const legend = legendOf(samples.map(({ name }) => name));
  return {
    width,
    height: height + (legend.rows - 1) * 18,
    title: texts.curve.title,
    description: samples
      .map(({ name, curve }) =>
        texts.curve.sample(
          name,
          thresholds.map((depth) => [depth, shareAt(curve, depth)]),
        ),
      )
      .join(' '),
    shapes: [...shapes, ...legend.shapes],
  };
}

/** The fraction at a depth of the curve; 0 beyond its end. */
function shareAt({ depths, shares }: DepthCurve, depth: number): number {
  return shares[depths.indexOf(depth)] ?? 0;
}

const perRow = 4;

function legendOf(names: readonly string[]): { shapes: Shape[]; rows: number } {
  const shapes = names.flatMap((name, i): Shape[] => {
    const left = area.left + (i % perRow) * ((area.right - area.left) / perRow);
    const top = area.bottom + 54 + Math.floor(i / perRow) * 18;
    const [y, stroke, dash] = [top - 4, inkOfSample(i), dashOfSample(i)];
    return [
      { kind: 'line', x1: left, x2: left + 26, y1: y, y2: y, stroke, width: 2.25, dash },
      textShape([left + 33, top], shortenedName(name, 18), 12, 'ink'),
    ];
  });
  return { shapes, rows: Math.max(1, Math.ceil(names.length / perRow)) };
}

/** Shortens a name to fit a drawing; tables show it in full. */
export function shortenedName(name: string, most: number): string {
  const signs = [...name];
  return signs.length > most ? `${signs.slice(0, most - 1).join('')}…` : name;
}
