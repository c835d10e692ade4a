/** Records which datasets were asked, and whose data was shown. */
import type { CommandContext } from '../../core/commands.js';
import { type Audit, type AuditEvent, anonymous, type Caller, type Policy, type Right } from '../../core/plugin.js';
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

/** What was told of datasets. */
interface Told extends Pick<AuditEvent, 'action' | 'detail'> {
  datasets: readonly Dataset[];
  /** Of these datasets: `sample:ID`, `case:ID`. */
  people?: readonly string[];
  /** Which right allowed it, or why it was allowed. */
  by: Right<Dataset> | string;
}

/** Each resolves once the record is durable: the answer leaves after that. Without an audit they do nothing. */
export function recording({ audit, policy }: { audit: Audit; policy: Policy }): Recording {
  async function record({ principal = anonymous, id }: Requested, told: Told): Promise<void> {
    const { datasets, people = [], by, action, detail } = told;
    const [first] = datasets;
    if (!audit.enabled || first === undefined) return;
    await audit.record(principal, {
      action,
      about: [...aboutDatasets(datasets), ...people],
      because: typeof by === 'string' ? by : await policy.why(principal, by, first),
      outcome: 'answered',
      ...(detail && { detail }),
      request: id,
    });
  }

  return {
    async observed(request, { datasets, cases, alleles }) {
      const told = { action: 'beacon.observe', detail: { alleles } };
      const own = datasets.filter(({ shared }) => shared === undefined).map(({ dataset }) => dataset);
      const by = cases.length > 0 ? casesRight : observeRight;
      await record(request, { ...told, datasets: own, people: cases.map((one) => `case:${one}`), by });
      for (const { dataset, shared } of datasets) {
        if (shared) await record(request, { ...told, datasets: [dataset], by: `shared dataset ${dataset.id}` });
      }
    },
    samples: (request, dataset, samples) =>
      record(request, { action: 'beacon.samples', datasets: [dataset], people: peopleIn(samples), by: casesRight }),
    exported: (request, dataset) =>
      record(request, { action: 'beacon.export', datasets: [dataset], by: heldReadRight }),
    loqusdb: (request, dataset, people) =>
      record(request, { action: 'beacon.loqusdb', datasets: [dataset], people, by: 'configured client' }),
  };
}

/** Records what an operator does with a dataset and its samples; call it before anything is written or changed. People are samples, or names such as `case:ID`. */
export async function recordCommand(
  { audit }: Pick<CommandContext, 'audit'>,
  what: 'export' | 'samples' | 'observe' | 'annotate' | 'describe',
  dataset: Pick<Dataset, 'id'>,
  people: readonly (string | Pick<Sample, 'name' | 'case'>)[] = [],
): Promise<void> {
  if (!audit.enabled) return;
  const samples = people.filter((one) => typeof one !== 'string');
  const names = people.filter((one) => typeof one === 'string');
  const about = [...aboutDatasets([dataset]), ...peopleIn(samples), ...names];
  await audit.record({ action: `beacon.${what}`, about, because: 'command line', outcome: 'done' });
}

function aboutDatasets(datasets: readonly Pick<Dataset, 'id'>[]): string[] {
  return datasets.map(({ id }) => `dataset:${id}`);
}

function peopleIn(samples: readonly Pick<Sample, 'name' | 'case'>[]): string[] {
  const cases = new Set(samples.map((sample) => `case:${sample.case}`));
  return [...samples.map(({ name }) => `sample:${name}`), ...cases];
}
