/** The HsMetrics files of a form: `hs_metrics_2` is the text of that of the second sample, `hs_metrics_path_2` its path. */
import { longestHsMetrics } from '../sources/hs-metrics.js';
import type { Texts } from '../texts/texts.js';
import { lastOf, type Sent } from './fields.js';

export type HsMetricsSource = { text: string } | { path: string };

export function hsMetricsField(kind: 'text' | 'path', place: number): string {
  return kind === 'text' ? `hs_metrics_${place}` : `hs_metrics_path_${place}`;
}

const pattern = /^hs_metrics_(?:path_)?([1-9]\d{0,5})$/;

/** By the sample's index. A pasted text takes precedence over a path. */
export function hsMetricsIn(
  sent: Sent,
  samples: number,
  texts: Texts,
  fault: (path: string, message: string) => void,
): ReadonlyMap<number, HsMetricsSource> {
  const found = new Map<number, HsMetricsSource>();
  for (const name of Object.keys(sent)) {
    const [, number] = pattern.exec(name) ?? [];
    if (number === undefined || lastOf(sent, name) === undefined) continue;
    if (Number(number) > samples) fault(name, texts.hsMetrics.noSample(samples));
  }
  for (let place = 1; place <= samples; place++) {
    const [text, path] = [lastOf(sent, hsMetricsField('text', place)), lastOf(sent, hsMetricsField('path', place))];
    if (text !== undefined && text.length > longestHsMetrics) {
      fault(hsMetricsField('text', place), texts.form.tooLong(longestHsMetrics));
    } else if (text !== undefined) found.set(place - 1, { text });
    else if (path !== undefined) found.set(place - 1, { path });
  }
  return found;
}

/** The fields that send them again. */
export function hsMetricsFields(sources: ReadonlyMap<number, HsMetricsSource>): Record<string, string> {
  return Object.fromEntries(
    [...sources].map(([at, source]) =>
      'text' in source ? [hsMetricsField('text', at + 1), source.text] : [hsMetricsField('path', at + 1), source.path],
    ),
  );
}
