/** A patient as it is answered and sent on, and what there is to say about one that was sent. */
import type { FieldFault } from '../../../core/plugin.js';
import type { GeneTable, Ontology } from '../resources/contract.js';
import type { Patient } from './patient.js';

/** With the Ensembl ids of its genes, and their symbols as `_geneName`; genes that are not known stay as they were sent. */
export function presented(patient: Patient, genes: GeneTable): Patient {
  if (patient.genomicFeatures === undefined) return patient;
  const genomicFeatures = patient.genomicFeatures.map((feature) => {
    const gene = genes.resolve(feature.gene.id);
    if (gene === undefined) return feature;
    return { ...feature, gene: { ...feature.gene, id: gene.ensembl ?? feature.gene.id, _geneName: gene.symbol } };
  });
  return { ...patient, genomicFeatures };
}

/** What was accepted but counts for less than its sender may think, by the path of the member. */
export function warningsOf(patient: Patient, ontology: Ontology, path = 'patient'): FieldFault[] {
  const warnings: FieldFault[] = [];
  for (const [i, { id }] of (patient.features ?? []).entries()) {
    const message = termWarning(id, ontology);
    if (message !== undefined) warnings.push({ path: `${path}.features.${i}.id`, message });
  }
  for (const [i, { variant }] of (patient.genomicFeatures ?? []).entries()) {
    if (variant !== undefined && variant.start === undefined) {
      const message = 'has no start: it counts as evidence for its gene only';
      warnings.push({ path: `${path}.genomicFeatures.${i}.variant`, message });
    }
  }
  return warnings;
}

function termWarning(id: string, ontology: Ontology): string | undefined {
  const resolved = ontology.resolve(id);
  if (resolved === undefined) {
    const what = ontology.isObsolete(id) ? 'obsolete without a replacement' : 'unknown to the release of HPO in use';
    return `${id} is ${what}: it is kept, and ignored in matching`;
  }
  if (resolved.through === undefined) return undefined;
  return `${id} is obsolete or an alternative id: it is read as ${ontology.id(resolved.term)}`;
}
