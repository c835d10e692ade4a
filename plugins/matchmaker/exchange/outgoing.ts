/**
 * A patient as other nodes receive it: only members of the specification, in the spelling that the JSON schemas of other
 * servers accept (patientMatcher and reference-server reject a patient for one disorder of another catalogue).
 */
import type { Disorder, Feature, GenomicFeature, Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { presented } from '../patient/present.js';

export function outgoing(patient: Patient, genes: GeneTable): Patient {
  const { id, label, contact, species, sex, ageOfOnset, inheritanceMode, test } = patient;
  const { disorders, features, genomicFeatures } = presented(patient, genes);
  const { name, href, institution, email, roles } = contact;
  const [address] = typeof email === 'string' ? [email] : (email ?? []);
  return defined({
    id,
    label,
    contact: defined({ name, href, institution, email: address, roles }),
    species,
    sex,
    ageOfOnset,
    inheritanceMode,
    disorders: disorders?.flatMap(outgoingDisorder),
    features: features?.map(({ id, label, observed, ageOfOnset }: Feature) =>
      defined({ id, label, observed, ageOfOnset }),
    ),
    genomicFeatures: genomicFeatures?.map(outgoingFeature),
    test,
  });
}

function outgoingDisorder({ id, label }: Disorder): Disorder[] {
  const [catalogue = '', number = ''] = id.split(':');
  const name = { MIM: 'MIM', OMIM: 'MIM', ORPHANET: 'Orphanet', ORPHA: 'Orphanet' }[catalogue.toUpperCase()];
  // The specification has no other catalogues.
  return name === undefined || number.length > 6 ? [] : [defined({ id: `${name}:${number}`, label })];
}

function outgoingFeature({ gene, variant, zygosity, type }: GenomicFeature): GenomicFeature {
  const { id, _geneName } = gene;
  return defined({
    gene: defined({ id, _geneName }),
    // The specification requires a start; without one, the gene says as much.
    variant: variant?.start === undefined ? undefined : outgoingVariant(variant),
    zygosity,
    type: type && defined({ id: type.id, label: type.label }),
  });
}

function outgoingVariant(variant: NonNullable<GenomicFeature['variant']>) {
  const { assembly, referenceName, start, end, referenceBases, alternateBases } = variant;
  const name = referenceName === 'MT' ? 'M' : referenceName;
  return defined({ assembly, referenceName: name, start, end, referenceBases, alternateBases });
}

type Defined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** A copy without members that are undefined. */
function defined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<Value>;
}
