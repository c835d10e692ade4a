/** Sets the recorder that the configuration asks for. */
import { Fault } from '../fault.js';
import { version } from '../package.js';
import type { TracingSettings } from './settings.js';
import { setRecorder } from './traced.js';

/** Returns what ends it; nothing if the configuration has no tracing, and then nothing is loaded. */
export async function startTracing(settings: TracingSettings | undefined): Promise<(() => Promise<void>) | undefined> {
  if (settings === undefined) return undefined;
  const { telemetry } = await import('./opentelemetry.js').catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const names = ['api', 'sdk-trace-node', 'exporter-trace-otlp-http', 'resources'];
    const packages = names.map((name) => `@opentelemetry/${name}`).join(' ');
    throw new Fault('invalid', `tracing: needs packages that are not installed: npm install ${packages}`, {
      cause: error,
    });
  });
  const recorder = telemetry(settings, version);
  setRecorder(recorder);
  return () => {
    setRecorder(undefined);
    return recorder.close();
  };
}
