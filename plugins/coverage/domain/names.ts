/** Names of chromosomes as files have them. */
import { chromosomeIndex } from '../d4/names.js';

/** The file's own names for the chromosomes that it has. */
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
