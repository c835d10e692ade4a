/** Observations as documents of loqusdb. */
import { isFault } from '../../../core/plugin.js';
import { typeNamed } from '../../../core/vcf.js';
import {
  type BeaconRepository,
  type Contig,
  type Dataset,
  defaultWindow,
  isInsertion,
  type Observation,
  type ObservedQuestion,
  type StructuralQuestion,
  windowOf,
} from '../contract.js';
import { chromosomeOf, sequenceQuestion, structuralQuestion } from '../domain/question.js';
import type { StructuralDocument, VariantDocument } from './documents.js';

export interface LookUp {
  repository: Pick<BeaconRepository, 'observe'>;
  dataset: Dataset;
  /** The largest number of case ids. */
  families: number;
  signal?: AbortSignal | undefined;
}

/** Chromosome, one-based position, reference and alternate, separated by _. */
const variantId = /^([^_]+)_(\d{1,10})_([A-Za-z]+)_([A-Za-z]+)$/;

/** Returns undefined if the variant was not observed. A text that is not an id of loqusdb names no observed variant. */
export async function findVariant(at: LookUp, id: string): Promise<VariantDocument | undefined> {
  const [, chromosome = '', digits = '', reference = '', alternate = ''] = variantId.exec(id) ?? [];
  const start = Number(digits);
  const question = orUndefined(() =>
    sequenceQuestion(chromosomeOf('chromosome', chromosome), start, reference, alternate),
  );
  const seen = question && (await observed(at, question));
  if (!seen) return undefined;
  const { contig } = question;
  const [ref, alt] = [reference.toUpperCase(), alternate.toUpperCase()];
  return {
    _id: `${contig}_${start}_${ref}_${alt}`,
    chrom: contig,
    start,
    end: endOfVariant(start, ref, alt),
    ref,
    alt,
    observations: seen.cases,
    homozygote: seen.detail?.casesCalledTwice ?? 0,
    hemizygote: seen.detail?.casesHemizygous ?? 0,
    families: familiesOf(seen).reverse(),
    total: seen.of.cases,
    ...(seen.notCalled > 0 && { not_called: seen.notCalled }),
  };
}

/** As loqusdb computes it: the last base of the reference, but `alt` bases further on after a reference of one base. */
function endOfVariant(start: number, ref: string, alt: string): number {
  return ref.length === 1 ? start + alt.length : start + ref.length - 1;
}

/** A structural variant, with the positions of a VCF file. */
export interface StructuralRequest {
  chrom: string;
  /** The same chromosome if omitted. */
  end_chrom?: string | undefined;
  pos: number;
  end: number;
  sv_type: string;
}

/** loqusdb has no infinite length for breakends. */
const lengthOfBreakend = 10e10;

/** Returns undefined if no such variant was observed. Throws an `invalid` fault for places that no variant can have. */
export async function findStructural(at: LookUp, asked: StructuralRequest): Promise<StructuralDocument | undefined> {
  const question = structuralOf(asked);
  const seen = question && (await observed(at, question));
  if (!seen) return undefined;
  const { observations, window } = {
    observations: seen.cases,
    window: windowOf(question, at.dataset.counting?.window ?? defaultWindow),
  };
  const { contig } = question;
  const endContig = question.mate ?? contig;
  const { pos, end } = asked;
  const sv_type = asked.sv_type.toUpperCase();
  return {
    _id: [contig, pos, endContig, end, sv_type].join('_'),
    chrom: contig,
    end_chrom: endContig,
    sv_type,
    pos_left: Math.max(pos - window, 0),
    pos_right: pos + window,
    pos_sum: pos * observations,
    end_left: Math.max(end - window, 0),
    end_right: end + window,
    end_sum: end * observations,
    length: question.mate === undefined ? end - pos : lengthOfBreakend,
    observations,
    families: familiesOf(seen),
    total: seen.of.cases,
    ...(seen.notCalled > 0 && { not_called: seen.notCalled }),
  };
}

/** Undefined for a type or a chromosome that no stored variant can have. */
function structuralOf({ chrom, end_chrom, pos, end, sv_type }: StructuralRequest): StructuralQuestion | undefined {
  const contig = contigOf(chrom);
  const mate = end_chrom === undefined || end_chrom === '' ? contig : contigOf(end_chrom);
  if (contig === undefined || mate === undefined) return undefined;
  // Clients that know the length of an insertion add it to its end.
  const length = isInsertion(typeNamed(sv_type)) && end > pos ? end - pos : undefined;
  return structuralQuestion({ contig, position: pos, end, kind: sv_type, mate, length });
}

function contigOf(name: string): Contig | undefined {
  return orUndefined(() => chromosomeOf('chrom', name));
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (isFault(error) && error.code === 'invalid') return undefined;
    throw error;
  }
}

async function observed(at: LookUp, question: ObservedQuestion): Promise<Observation | undefined> {
  const { repository, dataset, families, signal } = at;
  const options = { cases: families, ...(signal && { signal }) };
  const [[seen] = []] = await repository.observe(dataset.assembly, [question], [dataset.id], options);
  return seen && seen.cases > 0 ? seen : undefined;
}

/** The newest first. */
function familiesOf({ detail }: Observation): string[] {
  return (detail?.carrying ?? []).map((carrying) => carrying.case);
}
