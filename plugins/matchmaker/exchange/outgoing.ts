/**
 * A patient as other nodes receive it: only members of the specification, and those that nodes agree on (`_geneName`,
 * `_inheritance`, `_purpose`), in the spelling that the JSON schemas of other servers accept (patientMatcher and
 * reference-server reject a patient for one disorder of another catalogue). `dialect.ts` adapts it to one node.
 */
import type { Disorder, Feature, GenomicFeature, Patient } from '../contract.js';
import type { GeneTable } from '../genes/gene-table.js';
import { inheritanceOf, type Origin, purposeOf } from '../patient/extensions.js';
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
    _purpose: purposeOf(patient),
  });
}

/**
 * Returns a function that does the same, and returns the same object again for the same patient and table of genes. Neither
 * may be changed.
 */
export function lastOutgoing(): typeof outgoing {
  const known = new WeakMap<Patient, { genes: GeneTable; sent: Patient }>();
  return (patient, genes) => {
    const before = known.get(patient);
    if (before?.genes === genes) return before.sent;
    const sent = outgoing(patient, genes);
    known.set(patient, { genes, sent });
    return sent;
  };
}

function outgoingDisorder({ id, label }: Disorder): Disorder[] {
  const [catalogue = '', number = ''] = id.split(':');
  const name = { MIM: 'MIM', OMIM: 'MIM', ORPHANET: 'Orphanet', ORPHA: 'Orphanet' }[catalogue.toUpperCase()];
  // The specification has no other catalogues.
  return name === undefined || number.length > 6 ? [] : [defined({ id: `${name}:${number}`, label })];
}

function outgoingFeature(feature: GenomicFeature): GenomicFeature {
  const { gene, variant, zygosity, type } = feature;
  const { id, _geneName } = gene;
  const { mode, origin } = inheritanceOf(feature);
  return defined({
    gene: defined({ id, _geneName }),
    // The specification requires a start; without one, the gene says as much.
    variant: variant?.start === undefined ? undefined : outgoingVariant(variant, origin),
    zygosity,
    type: type && defined({ id: type.id, label: type.label }),
    _inheritance: mode,
  });
}

function outgoingVariant(variant: NonNullable<GenomicFeature['variant']>, origin: Origin | undefined) {
  const { assembly, referenceName, start, end, referenceBases, alternateBases } = variant;
  const name = referenceName === 'MT' ? 'M' : referenceName;
  return defined({ assembly, referenceName: name, start, end, referenceBases, alternateBases, _inheritance: origin });
}

type Defined<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/** A copy without members that are undefined. */
function defined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<Value>;
}
