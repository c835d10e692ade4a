/** The jobs that check the files of registered samples: one sample, or all that may need it. */
import { z } from 'zod';
import { isFault, type JobHandler } from '../../../core/plugin.js';
import type { SampleState } from '../contract.js';
import type { Registry } from '../registry/changes.js';
import { type CheckTools, checkSample } from '../registry/check.js';

export const checkJob = 'coverage.check-sample';
export const recheckJob = 'coverage.check-samples';

/** States in which a check is due: an interrupted command or a stopped server leaves samples in them. */
export const unchecked: readonly SampleState[] = ['pending', 'changed'];

const oneSample = z.strictObject({ id: z.string() });

/** A sample that is checked again gets the same check, so that an attempt may follow one that was interrupted at any moment. */
export function checkSampleJob(registry: Registry, tools: CheckTools): JobHandler<z.output<typeof oneSample>> {
  return {
    payload: oneSample,
    async run({ id }, { signal, progress, giveWay, log }) {
      const sample = await checkSample(registry, id, tools, { signal, progress, giveWay });
      if (sample === undefined) return { state: 'removed' };
      const { state, reason, check } = sample;
      log.info({ state, bytes: check?.bytes ?? 0 }, 'the coverage file of a sample was checked');
      return { state, ...(reason !== undefined && { reason }) };
    },
  };
}

const manySamples = z.strictObject({ all: z.boolean() });

/** Samples that are read at once. */
const portion = 100;

/** A file that cannot be reached now is left for the next time. */
export function checkSamplesJob(registry: Registry, tools: CheckTools): JobHandler<z.output<typeof manySamples>> {
  return {
    payload: manySamples,
    async run({ all }, { signal, giveWay, log }) {
      const found: Record<string, number> = {};
      const page = { ...(all ? {} : { states: unchecked }), limit: portion };
      for (let after: string | undefined; ; ) {
        const part = await registry.samples.list(after === undefined ? page : { ...page, after });
        for (const { id } of part) {
          signal.throwIfAborted();
          await giveWay();
          const outcome = await stateOf(id, registry, tools, { signal, giveWay });
          found[outcome] = (found[outcome] ?? 0) + 1;
        }
        after = part.at(-1)?.id;
        if (part.length < portion) break;
      }
      log.info(found, 'the coverage files of samples were checked');
      return found;
    },
  };
}

async function stateOf(
  id: string,
  registry: Registry,
  tools: CheckTools,
  control: { signal: AbortSignal; giveWay(): Promise<void> },
): Promise<string> {
  try {
    return (await checkSample(registry, id, tools, control))?.state ?? 'removed';
  } catch (error) {
    if (isFault(error) && error.code === 'unavailable') return 'unavailable';
    throw error;
  }
}
