/** Records spans with the SDK of OpenTelemetry and sends them by OTLP over HTTP. Loaded only if `tracing` is configured. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  NodeTracerProvider,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { TracingSettings } from '../config/settings.js';
import { type OpenSpan, type SpanOptions, type SpanRecorder, spanOfHeader } from '../work.js';

export interface Telemetry extends SpanRecorder {
  /** Sends what was recorded; nothing is recorded afterwards. */
  close(): Promise<void>;
}

const kinds: Record<SpanOptions['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

function traceOf(job: string | undefined): string | undefined {
  const digits = job?.replaceAll('-', '').toLowerCase() ?? '';
  return /^(?!0{32})[0-9a-f]{32}$/.test(digits) ? digits : undefined;
}

export function telemetry({ endpoint, token, service, ratio }: TracingSettings, version: string): Telemetry {
  const random = new RandomIdGenerator();
  let job: string | undefined;
  // The trace of a job has the job's id, a UUID: so requests lead to it before it begins, whichever process runs it.
  const ids: IdGenerator = {
    generateTraceId: () => traceOf(job) ?? random.generateTraceId(),
    generateSpanId: () => random.generateSpanId(),
  };
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const provider = new NodeTracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: endpoint, headers }))],
  });
  const tracer = provider.getTracer('trefoil', version);
  const open = new AsyncLocalStorage<{ context: Context; span: OpenSpan }>();
  const spans = new WeakMap<OpenSpan, Span>();

  const parentOf = ({ parent, job: own }: SpanOptions): Context => {
    if (own !== undefined) return ROOT_CONTEXT;
    const given = spanOfHeader(parent);
    if (given !== undefined) {
      const { traceId, spanId, isSampled } = given;
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
    }
    return open.getStore()?.context ?? ROOT_CONTEXT;
  };

  return {
    open(name, options) {
      job = options.job;
      const started = tracer.startSpan(
        name,
        { kind: kinds[options.kind], ...(options.attributes && { attributes: { ...options.attributes } }) },
        parentOf(options),
      );
      job = undefined;
      const span: OpenSpan = {
        traceId: started.spanContext().traceId,
        rename: (next) => void started.updateName(next),
        set: (attributes) => void started.setAttributes({ ...attributes }),
        fail(type) {
          started.setAttribute('error.type', type);
          started.setStatus({ code: SpanStatusCode.ERROR });
        },
        link(job) {
          const traceId = traceOf(job);
          if (traceId === undefined) return;
          const context = { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.NONE, isRemote: true };
          if (isSpanContextValid(context)) started.addLink({ context, attributes: { 'trefoil.job.id': job } });
        },
        end: () => started.end(),
      };
      spans.set(span, started);
      return span;
    },

    within(span, work) {
      const started = spans.get(span);
      if (started === undefined) return work();
      const context = trace.setSpan(open.getStore()?.context ?? ROOT_CONTEXT, started);
      return open.run({ context, span }, work);
    },

    current: () => open.getStore()?.span,

    headers(): Record<string, string> {
      const store = open.getStore();
      const span = store && trace.getSpan(store.context);
      if (span === undefined) return {};
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0')}`,
      };
    },

    close: () => provider.shutdown(),
  };
}
