/** Opens the reference files when they are first needed, once. */
import { type Frequencies, type FrequencyFiles, openFrequencies } from './frequencies.js';

/** Frequencies that are opened by `ready`, or by the first question. Undefined without files. */
export function frequenciesOf(files: FrequencyFiles): (Frequencies & { ready(): Promise<void> }) | undefined {
  if (Object.values(files).every((paths) => paths.length === 0)) return undefined;
  let opened: Promise<Frequencies> | undefined;
  const once = () => {
    opened ??= openFrequencies(files);
    return opened;
  };
  return {
    ready: async () => {
      await once();
    },
    commonest: async (assembly, alleles) => (await once()).commonest(assembly, alleles),
    close: async () => {
      await (await opened?.catch(() => undefined))?.close();
    },
  };
}
