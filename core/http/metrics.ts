/** Prometheus metrics: of the process, of requests and of plugins. */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type OpenMetricsContentType,
  Registry,
  type RegistryContentType,
} from 'prom-client';
import type { JobState } from '../jobs/contract.js';
import { revision } from '../package.js';
import type { LabelledValue, Metrics } from '../plugin.js';
import type { StorageLog, StorageMetric } from '../storage.js';
import type { AdmissionMeters, Crowd } from './admission.js';
import { describeError } from './answer.js';
import type { Observer } from './exchange.js';
import { type LimitedClass, limitedClasses } from './route.js';

export interface HttpMetrics {
  /** Measures the duration of requests. */
  requests: Observer;
  /** Counts admitted and refused requests. */
  admission: AdmissionMeters;
  /** Reads at each scrape what each class has at the moment. */
  watchCrowd(read: (of: LimitedClass) => Crowd): void;
  /** Counters and gauges of one plugin. */
  forPlugin(plugin: string): Metrics;
  /** Everything, in the text format of Prometheus, or in OpenMetrics, which has the traces of examples, too. */
  scrape(format: MetricsFormat): Promise<{ type: string; text: string }>;
}

/** The media types of the formats. */
export const metricsFormats = ['text/plain', 'application/openmetrics-text'] as const;
export type MetricsFormat = (typeof metricsFormats)[number];

let processMetrics: Registry | undefined;

/** Metrics of the process (event-loop lag, heap, CPU) exist once, however many servers run in it. */
function processRegistry(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

type GaugeReader = () => GaugeValues | Promise<GaugeValues>;
type GaugeValues = number | readonly LabelledValue[];

export interface MetricsOptions {
  log: StorageLog;
  version: string;
  /** Metrics of the storage, the same ones every time. */
  storage(): readonly StorageMetric[];
  countJobs(): Promise<Record<JobState, number>>;
  /** Requests whose response has not ended. */
  inFlight(): number;
  /** Whether the storage accepts writes; undefined if unknown. */
  writable(): Promise<boolean | undefined>;
}

export function createMetrics({ log, version, storage, countJobs, inFlight, writable }: MetricsOptions): HttpMetrics {
  const registry = new Registry();
  new Gauge({
    name: 'trefoil_build_info',
    help: 'Always 1: the version, the revision that it was built of, and the version of Node.js',
    labelNames: ['version', 'revision', 'node'],
    registers: [registry],
  }).set({ version, revision, node: process.versions.node }, 1);
  addStorageMetrics(registry, storage);
  // prom-client refuses examples in a registry of the other format.
  const withExamples = new Registry<OpenMetricsContentType>();
  withExamples.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const durations = new Histogram<string>({
    name: 'trefoil_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [withExamples],
    enableExemplars: true,
  });
  new Gauge({
    name: 'trefoil_http_requests_in_flight',
    help: 'Requests whose answer has not ended',
    registers: [registry],
    collect() {
      this.set(inFlight());
    },
  });

  const admission = admissionMetrics(registry);

  const addGauge = (name: string, help: string, read: GaugeReader, labelNames: readonly string[]): void => {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        try {
          const values = await read();
          this.reset();
          if (typeof values === 'number') this.set(values);
          else for (const { labels, value } of values) this.set({ ...labels }, value);
        } catch (error) {
          // One gauge that cannot be read must not hide all the others.
          this.remove();
          log.warn({ gauge: name, error: describeError(error) }, 'gauge not read');
        }
      },
    });
  };
  addGauge(
    'trefoil_jobs',
    'Background jobs in the storage by state',
    async () => Object.entries(await countJobs()).map(([state, value]) => ({ labels: { state }, value })),
    ['state'],
  );
  addGauge(
    'trefoil_storage_writable',
    'Whether the last trial write was committed: 1, or 0; no value if unknown',
    async () => {
      const answer = await writable();
      return answer === undefined ? [] : [{ labels: {}, value: answer ? 1 : 0 }];
    },
    [],
  );

  return {
    requests: {
      ended({ method, res, state: { exchange } }) {
        const labels = {
          method: knownMethods.has(method) ? method : 'other',
          route: exchange.route?.path ?? 'none',
          status: res.writableFinished ? String(res.statusCode) : 'aborted',
        };
        const value = (performance.now() - exchange.started) / 1000;
        const { traceId } = exchange;
        durations.observe({ labels, value, ...(traceId && { exemplarLabels: { trace_id: traceId } }) });
      },
    },

    ...admission,

    forPlugin(plugin) {
      const prefix = `trefoil_${plugin.replaceAll('-', '_')}_`;
      return {
        counter(name, help, labels = []) {
          const counter = new Counter({ name: prefix + name, help, labelNames: [...labels], registers: [registry] });
          return (values = {}, by = 1) => counter.inc(values, by);
        },
        gauge: (name: string, help: string, read: GaugeReader, labels: readonly string[] = []) =>
          addGauge(prefix + name, help, read, labels),
      };
    },

    async scrape(format) {
      const all = joined([processRegistry(), registry, withExamples], format);
      return { type: all.contentType, text: await all.metrics() };
    },
  };
}

/** OpenMetrics names counters without `_total`, and prom-client removes it from the metric itself: here from a copy. */
function joined(
  registries: readonly { getMetricsAsArray(): unknown[] }[],
  format: MetricsFormat,
): Registry<RegistryContentType> {
  const all = new Registry<RegistryContentType>();
  const isOpen = format === 'application/openmetrics-text';
  if (isOpen) all.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of registries.flatMap((one) => one.getMetricsAsArray())) {
    all.registerMetric((isOpen && metric instanceof Counter ? Object.create(metric) : metric) as Metric);
  }
  return all;
}

/** All labels have values from the start, so that alerts see the first refusal as an increase. */
function admissionMetrics(registry: Registry): Pick<HttpMetrics, 'admission' | 'watchCrowd'> {
  const registers = [registry];
  const refused = new Counter({
    name: 'trefoil_http_shed_total',
    help: 'Requests that were refused because the server had too many: `full` if too many waited, `late` if they waited too long',
    labelNames: ['class', 'reason'],
    registers,
  });
  const waits = new Histogram({
    name: 'trefoil_http_wait_seconds',
    help: 'Time that requests waited before they were handled',
    labelNames: ['class'],
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  for (const name of limitedClasses) {
    for (const reason of ['full', 'late']) refused.inc({ class: name, reason }, 0);
    waits.zero({ class: name });
  }
  return {
    admission: {
      admitted: (of, seconds) => waits.observe({ class: of }, seconds),
      refused: (of, reason) => refused.inc({ class: of, reason }),
    },
    watchCrowd(read) {
      new Gauge({
        name: 'trefoil_http_class_requests',
        help: 'Requests that are handled or wait to be, by class',
        labelNames: ['class', 'state'],
        registers,
        collect() {
          for (const name of limitedClasses) {
            const { handled, waiting } = read(name);
            this.set({ class: name, state: 'handled' }, handled);
            this.set({ class: name, state: 'waiting' }, waiting);
          }
        },
      });
    },
  };
}

function addStorageMetrics(registry: Registry, read: MetricsOptions['storage']): void {
  for (const { name, help, type, labels } of read()) {
    const options = { name: `trefoil_storage_${name}`, help, labelNames: [...labels], registers: [registry] };
    const now = () => read().find((metric) => metric.name === name)?.values ?? [];
    if (type === 'gauge') {
      new Gauge({
        ...options,
        collect() {
          this.reset();
          for (const { labels, value } of now()) this.set({ ...labels }, value);
        },
      });
    } else {
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const { labels, value } of now()) this.inc({ ...labels }, value);
        },
      });
    }
  }
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
