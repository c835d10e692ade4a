/** How often alleles were seen, as the beacon knows it. */
import type { AlleleCounts } from '../../../services/beacon.js';
import type { LocalRequest, LocalTools, Looked } from './finding.js';

/** Alleles in one question. */
const mostAlleles = 5000;

/** Adds to each finding the counts of its allele. */
export async function countsOf(
  { beacon }: LocalTools,
  { caller, id, signal }: LocalRequest,
  all: readonly Looked[],
): Promise<void> {
  if (beacon === undefined) return;
  for (const assembly of ['GRCh37', 'GRCh38'] as const) {
    const alleles = new Map<string, { chromosome: string; start: number; reference: string; alternate: string }>();
    const looked = all.filter(({ place }) => place.assembly === assembly);
    for (const { place } of looked) {
      for (const allele of place.alleles) {
        alleles.set(keyOf(place.chromosome, allele), { chromosome: place.chromosome, ...allele });
      }
    }
    const list = [...alleles.entries()];
    const found = new Map<string, readonly AlleleCounts[] | undefined>();
    for (let from = 0; from < list.length; from += mostAlleles) {
      const part = list.slice(from, from + mostAlleles);
      const asked = part.map(([, allele]) => allele);
      const counts = await beacon.counts({ principal: caller.principal, id }, assembly, asked, signal);
      for (const [i, [key]] of part.entries()) found.set(key, counts[i]);
    }
    for (const { finding, place } of looked) {
      const [stated, shifted] = place.alleles.map((allele) => found.get(keyOf(place.chromosome, allele)));
      if (stated === undefined || stated.length === 0) continue;
      finding.counts = stated.map((counts) => {
        const other = shifted?.find(({ dataset }) => dataset === counts.dataset);
        return counts.carriers === 0 && other && other.carriers > 0 ? { ...other, oneBased: true } : counts;
      });
    }
  }
}

function keyOf(chromosome: string, { start, reference, alternate }: Looked['place']['alleles'][number]): string {
  return [chromosome, start, reference, alternate].join(' ');
}
