/**
 * Datasets take the form of the reference of their assembly once one is loaded: all of a dataset at once, so that a rewriting which is
 * interrupted at any moment is repeated from there. Until then questions look for both spellings.
 */
import type {
  AlignedForm,
  Allele,
  Assembly,
  BeaconRepository,
  Dataset,
  MovedAllele,
  Rewriting,
  Rewritten,
} from '../contract.js';
import { leftAligned, type ReferenceBases } from './left-aligned.js';

/** The form by a reference. */
export interface ReferenceForm extends AlignedForm {
  /** All spellings of an allele that has the form, itself the first. */
  spellings(allele: Allele): Iterable<Allele>;
}

export function referenceForm(reference: ReferenceBases): ReferenceForm {
  return {
    alignedTo: reference.digest,
    aligned: (allele) => leftAligned(allele, reference),
    spellings: (allele) => spellingsOf(allele, reference),
  };
}

/** More than nearly all repeats have bases: those of an allele are at most so many. */
const mostSpellings = 1000;

/** From an allele that is left-aligned, which is the first, to the right. Of any other allele, only itself. */
function* spellingsOf(allele: Allele, genome: ReferenceBases): Generator<Allele> {
  yield allele;
  const { contig, reference, alternate, structural } = allele;
  const isDeletion = reference.length > alternate.length;
  const [longer, anchor] = isDeletion ? [reference, alternate] : [alternate, reference];
  if (structural || anchor.length !== 1 || longer.length === 1 || !longer.startsWith(anchor)) return;
  let changed = longer.slice(1);
  for (let at = allele.start + 1; at - allele.start < mostSpellings; at++) {
    const next = at + (isDeletion ? changed.length : 0);
    const first = changed.charAt(0);
    if (genome.bases(contig, next, next + 1) !== first) return;
    changed = changed.slice(1) + first;
    const written = first + changed;
    yield {
      ...allele,
      ...{ start: at, end: at + (isDeletion ? written.length : 1) },
      ...(isDeletion ? { reference: written, alternate: first } : { reference: first, alternate: written }),
    };
  }
}

/** By the reference of an assembly; undefined if none is loaded. */
export type FormOf = (assembly: Assembly) => ReferenceForm | undefined;

/** Moves what else is kept by allele, before the alleles have moved; perhaps repeatedly. */
export type OnMoved = (dataset: Dataset, moved: readonly MovedAllele[]) => Promise<void>;

interface FormTools {
  repository: Pick<BeaconRepository, 'rewriteAlleles'>;
  /** No reference is loaded if omitted. */
  formOf?: FormOf | undefined;
  onMoved?: OnMoved | undefined;
  now(): Date;
}

export interface DatasetForms {
  /** The form that the dataset is to take; undefined if it has it, or stays as it is. */
  wanted(dataset: Pick<Dataset, 'assembly' | 'alignedTo'>): ReferenceForm | undefined;
  /** Gives it that form; undefined if nothing had to be done. `pause` as of `Rewriting`. */
  take(dataset: Dataset, pause?: Rewriting['pause']): Promise<Rewritten | undefined>;
}

export function datasetForms({ repository, formOf, onMoved, now }: FormTools): DatasetForms {
  const wanted: DatasetForms['wanted'] = ({ assembly, alignedTo }) => {
    const form = formOf?.(assembly);
    return form?.alignedTo === alignedTo ? undefined : form;
  };
  return {
    wanted,
    async take(dataset, pause) {
      const form = wanted(dataset);
      if (form === undefined) return undefined;
      const told = onMoved && { onMoved: (moved: readonly MovedAllele[]) => onMoved(dataset, moved) };
      return repository.rewriteAlleles(dataset.id, { ...form, ...told, ...(pause && { pause }) }, now());
    },
  };
}
