/** Counts the diseases that have a term or one of its descendants. */
import { type Columns, numbers } from '../formats/packed.js';
import type { DiseaseCounts } from './packed-ontology.js';
import { phenotypicAbnormality, termId } from './terms.js';

/** Counts packed annotations. A disease counts if at least one of its terms is a phenotypic abnormality. */
export function countedFrom(annotations: Columns): DiseaseCounts {
  return (ontology) => {
    const terms = numbers(annotations, 'terms');
    const offsets = numbers(annotations, 'terms.offsets');
    const counts = new Uint32Array(ontology.size);
    const seen = new Uint32Array(ontology.size);
    const known = new Map<number, Uint32Array | undefined>();
    const ancestorsOf = (id: number): Uint32Array | undefined => {
      if (!known.has(id)) {
        const resolved = ontology.resolve(termId(id));
        known.set(id, resolved && ontology.ancestors(resolved.term));
      }
      return known.get(id);
    };
    for (let disease = 0; disease + 1 < offsets.length; disease++) {
      for (let i = offsets[disease] as number; i < (offsets[disease + 1] as number); i++) {
        for (const ancestor of ancestorsOf(terms[i] as number) ?? []) {
          if (seen[ancestor] === disease + 1) continue;
          seen[ancestor] = disease + 1;
          counts[ancestor] = (counts[ancestor] as number) + 1;
        }
      }
    }
    return { diseases: wholeOf(ontology, counts), counts };
  };
}

/** Takes counts by term id, as the excerpt has them. */
export function countedAs(byId: ReadonlyMap<number, number>): DiseaseCounts {
  return (ontology) => {
    const counts = new Uint32Array(ontology.size);
    for (const [id, count] of byId) {
      const resolved = ontology.resolve(termId(id));
      if (resolved) counts[resolved.term] = count;
    }
    return { diseases: wholeOf(ontology, counts), counts };
  };
}

function wholeOf(ontology: Parameters<DiseaseCounts>[0], counts: Uint32Array): number {
  const root = ontology.resolve(termId(phenotypicAbnormality));
  return root ? (counts[root.term] ?? 0) : 0;
}
