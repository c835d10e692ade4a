/** A patient as it is answered and sent on, and what there is to say about one that was sent. */
import type { FieldFault } from '../../../core/plugin.js';
import type { GeneTable } from '../genes/gene-table.js';
import type { Ontology } from '../ontology/ontology.js';
import type { Resources } from '../resources/resources.js';
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
export function warningsOf(
  { features = [], genomicFeatures = [] }: Patient,
  { ontology, genes }: Pick<Resources, 'ontology' | 'genes'>,
  path = 'patient',
): FieldFault[] {
  const warnings: FieldFault[] = [];
  for (const [i, { id, observed }] of features.entries()) {
    const message = termWarning(id, ontology) ?? (observed === 'no' ? undefined : silence(id, ontology));
    if (message !== undefined) warnings.push({ path: `${path}.features.${i}.id`, message });
  }
  const counts = features.some(({ id, observed }) => observed !== 'no' && isCompared(id, ontology));
  if (!counts && features.some(({ observed }) => observed === 'no')) {
    const message = 'are not compared: those with observed "no" count for nothing, and there are no others that count';
    warnings.push({ path: `${path}.features`, message });
  }
  for (const [i, { gene, variant }] of genomicFeatures.entries()) {
    if (gene.id.trim() !== '' && genes.resolve(gene.id) === undefined) {
      warnings.push({ path: `${path}.genomicFeatures.${i}.gene.id`, message: geneWarning(gene.id, genes) });
    }
    if (variant !== undefined && variant.start === undefined) {
      const message = 'has no start: it counts as evidence for its gene only';
      warnings.push({ path: `${path}.genomicFeatures.${i}.variant`, message });
    }
  }
  return warnings;
}

function geneWarning(id: string, genes: GeneTable): string {
  const several = genes.candidates(id).map(({ symbol }) => symbol);
  const why =
    several.length > 0 ? `stands for several genes (${several.join(', ')})` : 'is unknown to the gene table in use';
  return `${why}: it is kept, and matches only the same spelling`;
}

/** Whether a term that is observed adds to a score. */
function isCompared(id: string, ontology: Ontology): boolean {
  const term = ontology.resolve(id)?.term;
  return term !== undefined && ontology.ancestors(term).some((ancestor) => ontology.information(ancestor) > 0);
}

/** Why an observed term that is known counts for nothing; undefined if it counts. */
function silence(id: string, ontology: Ontology): string | undefined {
  const term = ontology.resolve(id)?.term;
  if (term === undefined || isCompared(id, ontology)) return undefined;
  const why =
    ontology.ancestors(term).length === 0 ? 'is no phenotypic abnormality' : 'says nothing, since every disease has it';
  return `${id} ${why}: it is kept, and ignored in matching`;
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
