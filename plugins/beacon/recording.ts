/** Records which datasets were asked, and whose data was shown. */
import { type Audit, anonymous, type Caller, type Policy } from '../../core/plugin.js';
import type { Dataset, Sample } from './contract.js';
import type { Observable } from './observing/observing.js';
import { casesRight, heldReadRight, observeRight } from './rights.js';

export interface Recording {
  /** Counts of alleles in datasets, with the cases that the answer names. */
  observed(
    request: Requested,
    shown: {
      datasets: readonly Pick<Observable, 'dataset' | 'shared'>[];
      cases: readonly string[];
      alleles: number;
    },
  ): Promise<void>;
  /** What is known of samples of a dataset. */
  samples(request: Requested, dataset: Dataset, samples: readonly Pick<Sample, 'name' | 'case'>[]): Promise<void>;
  /** All alleles of a dataset, without samples. */
  exported(request: Requested, dataset: Dataset): Promise<void>;
  /** What a client at a configured address was told, with the cases that the answer names. */
  loqusdb(request: Requested, dataset: Dataset, about: readonly string[]): Promise<void>;
}

interface Requested {
  principal?: Caller | undefined;
  id: string;
}

/** Each resolves once the record is durable: the answer leaves after that. Without an audit they do nothing. */
export function recording({ audit, policy }: { audit: Audit; policy: Policy }): Recording {
  return {
    async observed({ principal = anonymous, id }, { datasets, cases, alleles }) {
      if (!audit.enabled) return;
      const told = { action: 'beacon.observe', outcome: 'answered', detail: { alleles }, request: id } as const;
      const own = datasets.filter(({ shared }) => shared === undefined).map(({ dataset }) => dataset);
      const [first] = own;
      if (first !== undefined) {
        await audit.record(principal, {
          ...told,
          about: [...own.map((dataset) => `dataset:${dataset.id}`), ...cases.map((one) => `case:${one}`)],
          because: await policy.why(principal, cases.length > 0 ? casesRight : observeRight, first),
        });
      }
      for (const { dataset, shared } of datasets) {
        if (shared === undefined) continue;
        await audit.record(principal, {
          ...told,
          about: [`dataset:${dataset.id}`],
          because: `shared dataset ${dataset.id}`,
        });
      }
    },

    async samples({ principal = anonymous, id }, dataset, samples) {
      if (!audit.enabled) return;
      const cases = new Set(samples.map((sample) => `case:${sample.case}`));
      await audit.record(principal, {
        action: 'beacon.samples',
        about: [`dataset:${dataset.id}`, ...samples.map(({ name }) => `sample:${name}`), ...cases],
        because: await policy.why(principal, casesRight, dataset),
        outcome: 'answered',
        request: id,
      });
    },

    async exported({ principal = anonymous, id }, dataset) {
      if (!audit.enabled) return;
      await audit.record(principal, {
        action: 'beacon.export',
        about: [`dataset:${dataset.id}`],
        because: await policy.why(principal, heldReadRight, dataset),
        outcome: 'answered',
        request: id,
      });
    },

    async loqusdb({ principal = anonymous, id }, dataset, about) {
      if (!audit.enabled) return;
      await audit.record(principal, {
        action: 'beacon.loqusdb',
        about: [`dataset:${dataset.id}`, ...about],
        because: 'configured client',
        outcome: 'answered',
        request: id,
      });
    },
  };
}
