/** How a patient is shown to clients and other nodes, and warnings about one that was sent. */
import type { FieldFault } from '../../../core/plugin.js';
import type { GeneTable } from '../genes/gene-table.js';
import type { Ontology } from '../ontology/ontology.js';
import type { Resources } from '../resources/resources.js';
import { extensionWarnings, withoutSample } from './extensions.js';
import type { Patient } from './patient.js';

/**
 * The patient as others than its owner may see it, with the Ensembl ids of its genes, and their symbols as `_geneName`. Unknown
 * genes stay as they were sent.
 */
export function presented(stored: Patient, genes: GeneTable): Patient {
  const patient = withoutSample(stored);
  if (patient.genomicFeatures === undefined) return patient;
  const genomicFeatures = patient.genomicFeatures.map((feature) => {
    const gene = genes.resolve(feature.gene.id);
    if (gene === undefined) return feature;
    return { ...feature, gene: { ...feature.gene, id: gene.ensembl ?? feature.gene.id, _geneName: gene.symbol } };
  });
  return { ...patient, genomicFeatures };
}

/** What is accepted but counts for less than the sender may expect, by the path of the member. */
export function warningsOf(
  patient: Patient,
  { ontology, genes }: Pick<Resources, 'ontology' | 'genes'>,
  path = 'patient',
): FieldFault[] {
  const { features = [], genomicFeatures = [] } = patient;
  const warnings = extensionWarnings(patient, path);
  for (const [i, { id, observed }] of features.entries()) {
    const message = termWarning(id, ontology) ?? (observed === 'no' ? undefined : ignoredBecause(id, ontology));
    if (message !== undefined) warnings.push({ path: `${path}.features.${i}.id`, message });
  }
  const counts = features.some(({ id, observed }) => observed !== 'no' && isCompared(id, ontology));
  if (!counts && features.some(({ observed }) => observed === 'no')) {
    const message =
      'are not compared: features with observed "no" are ignored in matching, and no other feature counts';
    warnings.push({ path: `${path}.features`, message });
  }
  for (const [i, { gene, variant }] of genomicFeatures.entries()) {
    if (gene.id.trim() !== '' && genes.resolve(gene.id) === undefined) {
      warnings.push({ path: `${path}.genomicFeatures.${i}.gene.id`, message: geneWarning(gene.id, genes) });
    }
    if (variant !== undefined && variant.start === undefined) {
      const message = 'has no start: only its gene is compared';
      warnings.push({ path: `${path}.genomicFeatures.${i}.variant`, message });
    }
  }
  return warnings;
}

function geneWarning(id: string, genes: GeneTable): string {
  const several = genes.candidates(id).map(({ symbol }) => symbol);
  const why = several.length > 0 ? `can mean several genes (${several.join(', ')})` : 'is not in the gene table in use';
  return `${why}: it matches only the same spelling`;
}

/** Whether an observed term can add to a score. */
function isCompared(id: string, ontology: Ontology): boolean {
  const term = ontology.resolve(id)?.term;
  return term !== undefined && ontology.ancestors(term).some((ancestor) => ontology.information(ancestor) > 0);
}

/** Why an observed term of the ontology is ignored in matching; undefined if it is not. */
function ignoredBecause(id: string, ontology: Ontology): string | undefined {
  const term = ontology.resolve(id)?.term;
  if (term === undefined || isCompared(id, ontology)) return undefined;
  const why =
    ontology.ancestors(term).length === 0 ? 'is not a phenotypic abnormality' : 'is a term that every disease has';
  return `${id} ${why}: it is ignored in matching`;
}

function termWarning(id: string, ontology: Ontology): string | undefined {
  const resolved = ontology.resolve(id);
  if (resolved === undefined) {
    const what = ontology.isObsolete(id) ? 'obsolete without a replacement' : 'not in the HPO release in use';
    return `${id} is ${what}: it is ignored in matching`;
  }
  if (resolved.through === undefined) return undefined;
  return `${id} is obsolete or an alternative id: ${ontology.id(resolved.term)} is used instead`;
}
