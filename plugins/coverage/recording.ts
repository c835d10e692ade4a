/** Records whose coverage was reported, and to whom. */
import { type Audit, anonymous, type Principal } from '../../core/plugin.js';
import type { Registration } from './domain/sample.js';

/** Samples of an answer. */
export interface Reported {
  /** What was asked for: `report`, `genes_summary`. */
  what: string;
  samples: readonly { name: string; caseName?: string; registration?: Pick<Registration, 'id'> | undefined }[];
  genes: number;
}

export type RecordReport = (
  request: { principal?: Principal | undefined; id: string },
  reported: Reported,
) => Promise<void>;

/** Resolves once the record is durable: the answer leaves after that. */
export function recordReports(audit: Audit): RecordReport {
  return async ({ principal, id }, { what, samples, genes }) => {
    if (!audit.enabled) return;
    const cases = new Set(samples.flatMap(({ caseName }) => (caseName ? [`case:${caseName}`] : [])));
    await audit.record(principal ?? anonymous, {
      action: 'coverage.report',
      // Of a registered sample the id: a form may show it by another name.
      about: [...samples.map(({ name, registration }) => `sample:${registration?.id ?? name}`), ...cases],
      because: principal === undefined ? 'open to every caller' : 'access token',
      outcome: 'answered',
      detail: { what, genes },
      request: id,
    });
  };
}
