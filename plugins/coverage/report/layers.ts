/** What is measured beside the targets of a report, as a report of its own: whatever counts and shows single targets does so of it. */
import { kindsOfEach } from '../measure/copies.js';
import type { SampleDepths } from '../measure/measure.js';
import type { List } from '../measure/region.js';
import type { ReportData } from './data.js';
import type { ReportTarget } from './targets.js';

/** `name` is that of the layer in the question's `beside`. Only figures of single targets mean anything then. */
export function ofLayer(data: ReportData, name: string, targets: List<ReportTarget>): ReportData {
  const { comparison: _, caution: __, ...rest } = data;
  return {
    ...rest,
    targets,
    selected: [],
    placeKinds: data.placeKinds && kindsOfEach(targets, data.request.build),
    samples: data.samples.map((one) => {
      const { unique } = one.depths;
      return { ...one, depths: { ...layerOf(one.depths, name), ...(unique && { unique: layerOf(unique, name) }) } };
    }),
  };
}

function layerOf<Own extends SampleDepths>(depths: Own, name: string): Own {
  const layer = depths.beside[name];
  if (layer === undefined) throw new Error(`${name} was not measured`);
  return { ...depths, ...layer, beside: {} };
}
