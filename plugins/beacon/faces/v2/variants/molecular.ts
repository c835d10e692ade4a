/** The form of VRS 1.3 (`MolecularVariation`). */
import { type Allele, type Assembly, isPlain, trimmed } from '../../../contract.js';
import { withoutAnchor } from '../../../domain/replaced.js';
import { type VrsAllele, vrsAllele } from '../../../domain/vrs.js';

/** Whether the allele is written out as bases. */
export function isSequence({ reference, alternate, mate }: Allele): boolean {
  return mate === undefined && isPlain(reference) && isPlain(alternate);
}

export function molecularVariation(assembly: Assembly, allele: Allele): VrsAllele {
  const { contig, start, end, reference, alternate } = withoutAnchor(trimmed(allele));
  return vrsAllele({ assembly, contig, start, end, reference, alternate });
}
