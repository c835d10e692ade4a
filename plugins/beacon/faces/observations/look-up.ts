/** Alleles as clients write them in parameters and in JSON, looked up in the datasets that the caller may observe. */
import { z } from 'zod';
import { assemblyNamed } from '../../../../core/genome.js';
import { type Caller, Fault } from '../../../../core/plugin.js';
import { type Assembly, assemblies, type ObservedQuestion } from '../../contract.js';
import { type DatasetObservation, notObservable } from '../../counts/observing.js';
import { thresholdOfText } from '../../domain/dataset.js';
import {
  chromosomeOfField,
  sequenceQuestion,
  sequenceQuestionOf,
  structuralQuestion,
} from '../../domain/written-question.js';
import type { BeaconServices } from '../../services.js';

export interface ObservedDatasets {
  assembly: Assembly;
  question: ObservedQuestion;
  /** One for each dataset, with details. */
  found: readonly DatasetObservation[];
}

/**
 * The assembly of a request; if it names none, that of the datasets that it names. Throws an `invalid` fault if these have several,
 * and an `unprocessable` one for a dataset that the caller may not observe.
 */
export async function assemblyAsked(
  { observing }: Pick<BeaconServices, 'observing'>,
  caller: Caller,
  { assembly = '', datasets }: { assembly?: string | undefined; datasets: readonly string[] },
): Promise<Assembly> {
  if (assembly !== '' || datasets.length === 0) return assemblyOfName(assembly);
  const byId = new Map((await observing.all(caller)).map(({ dataset }) => [dataset.id, dataset]));
  const named = new Set<Assembly>();
  for (const id of datasets) {
    const dataset = byId.get(id);
    if (!dataset) throw notObservable(id);
    named.add(dataset.assembly);
  }
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  throw new Fault('invalid', `assembly is missing: the datasets are of ${[...named].sort().join(' and ')}`);
}

/** Throws an `invalid` or `unprocessable` fault if a word or a dataset is not valid. */
export async function lookUp(
  services: Pick<BeaconServices, 'observing'>,
  caller: Caller,
  asked: {
    assembly?: string | undefined;
    datasets: readonly string[];
    allele: AlleleWords;
    threshold?: string | undefined;
  },
  signal: AbortSignal,
): Promise<ObservedDatasets> {
  const { observing } = services;
  const assembly = await assemblyAsked(services, caller, asked);
  const question = questionOfWords(asked.allele, assembly);
  const threshold = asked.threshold ? thresholdOfText(asked.threshold) : undefined;
  const open = await observing.named(caller, assembly, asked.datasets);
  const [found = []] = await observing.count(open, assembly, [question], { threshold, detailed: true, signal });
  return { assembly, question, found };
}

// Alleles and structural variants as clients write them, in parameters and in JSON.

export const describedWords = {
  allele: 'An allele in one word, such as 1-880086-T-C: one-based position, reference and alternate as in a VCF file.',
  chromosome: 'Chromosome: 1-22, X, Y or MT, with or without chr.',
  position: 'One-based position, as POS in a VCF file.',
  reference: 'Reference bases [ACGT]+; with alternate.',
  alternate: 'Alternate bases [ACGT]+.',
  type: 'Type of a structural variant: DEL, DUP, INS, INV, BND and others; instead of reference and alternate.',
  end: 'Last base of a structural variant, one-based, as END; for a breakend the position of its mate.',
  mateChromosome: 'Chromosome of the other end of a breakend or translocation.',
  length: 'Bases that an insertion adds; for other types it replaces a missing end (SVLEN).',
} as const;

type NumberWord = 'position' | 'end' | 'length';

/** Numbers are text in parameters; an empty field of a form counts as omitted. */
type AlleleWords = {
  [Word in keyof typeof describedWords]?: (Word extends NumberWord ? number | string : string) | undefined;
};

export const describedThreshold =
  'Reads from which on a base of a sample counts as covered, 1 to 10000; that of the dataset (10) if omitted.';

const bases = z.string().max(100_000);
const whole = z.int();

/** An allele as a member of a JSON list: one word, or an object. */
export const wordsInJson = z.strictObject({
  chromosome: z.string().max(50).describe(describedWords.chromosome),
  position: whole.describe(describedWords.position),
  reference: bases.optional().describe(describedWords.reference),
  alternate: bases.optional().describe(describedWords.alternate),
  type: z.string().max(100).optional().describe(describedWords.type),
  end: whole.optional().describe(describedWords.end),
  mateChromosome: z.string().max(50).optional().describe(describedWords.mateChromosome),
  length: whole.optional().describe(describedWords.length),
});

/** Throws an `invalid` fault if something is missing, contradicts or is not valid. */
export function questionOfWords(words: AlleleWords, assembly: Assembly): ObservedQuestion {
  const given = Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined && word !== ''));
  const { allele, chromosome, position, reference, alternate, type, end, mateChromosome, length } =
    given as AlleleWords;
  if (allele !== undefined) {
    alone('allele', given, ['allele']);
    return sequenceQuestionOf(allele, assembly);
  }
  if (chromosome === undefined || position === undefined) {
    throw new Fault('invalid', 'An allele needs chromosome and position, or one word such as 1-880086-T-C');
  }
  const contig = chromosomeOfField('chromosome', chromosome);
  if (type !== undefined) {
    alone('type', given, ['chromosome', 'position', 'type', 'end', 'mateChromosome', 'length']);
    const place = {
      contig,
      position: numberOfWord('position', position),
      kind: type,
      end: end === undefined ? undefined : numberOfWord('end', end),
      mate: mateChromosome === undefined ? undefined : chromosomeOfField('mateChromosome', mateChromosome),
      length: length === undefined ? undefined : numberOfWord('length', length),
    };
    return structuralQuestion(place, assembly);
  }
  if (reference === undefined || alternate === undefined) {
    throw new Fault('invalid', 'An allele needs reference and alternate, or the type of a structural variant');
  }
  alone('reference', given, ['chromosome', 'position', 'reference', 'alternate']);
  return sequenceQuestion(contig, numberOfWord('position', position), reference, alternate, assembly);
}

function alone(word: string, given: object, allowed: readonly string[]): void {
  const other = Object.keys(given).find((name) => !allowed.includes(name));
  if (other !== undefined) throw new Fault('invalid', `${other} cannot be given together with ${word}`);
}

function numberOfWord(field: string, value: number | string): number {
  if (typeof value === 'number') return value;
  if (/^-?\d{1,10}$/.test(value)) return Number(value);
  throw new Fault('invalid', `${field} must be a whole number; got ${JSON.stringify(value.slice(0, 40))}`);
}

/** Throws an `invalid` fault for any other text than the name of an assembly. */
function assemblyOfName(name: string): Assembly {
  const assembly = assemblyNamed(name);
  if (assembly !== undefined) return assembly;
  throw new Fault(
    'invalid',
    `assembly must be ${assemblies.join(' or ')} (or hg19, hg38); got ${JSON.stringify(name.slice(0, 40))}`,
  );
}
