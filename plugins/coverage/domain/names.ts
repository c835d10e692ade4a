/** Chromosome names as files write them. */
import { chromosomeIndex } from '../d4/names.js';

/** The file's own name of each requested chromosome; those that it lacks are left out. */
export function namesInFile(
  chromosomes: readonly { name: string; size: number }[],
  asked: readonly string[],
): Map<string, string> {
  return new Map(
    asked.flatMap((name): [string, string][] => {
      const own = chromosomes[chromosomeIndex(chromosomes, name, true)];
      return own === undefined ? [] : [[name, own.name]];
    }),
  );
}
