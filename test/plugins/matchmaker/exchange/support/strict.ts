/** What strict servers accept. */
import type { Json } from '../../support/serve.js';

const shapes: readonly [path: (patient: Json) => Json[], shape: RegExp][] = [
  [({ species }) => [species], /^NCBITaxon:\d+$/],
  [({ ageOfOnset, inheritanceMode }) => [ageOfOnset, inheritanceMode], /^HP:\d{7}$/],
  [({ disorders }) => disorders?.map(({ id }: Json) => id), /^(MIM:|Orphanet:)\d{1,6}$/],
  [({ features }) => features?.map(({ id }: Json) => id), /^HP:\d{7}$/],
  [({ features }) => features?.map(({ observed }: Json) => observed), /^(yes|no)$/],
  [variants(({ assembly }) => assembly), /^(NCBI36|GRCh37|GRCh38)(\.p\d+)?$/],
  [variants(({ referenceName }) => referenceName), /^(\d+|[XYM])$/],
  [variants(({ start }) => start), /^\d+$/],
];

function variants(pick: (variant: Json) => Json) {
  return ({ genomicFeatures }: Json) =>
    genomicFeatures?.flatMap(({ variant }: Json) => (variant === undefined ? [] : [pick(variant)]));
}

/** The JSON schema shipped by reference-server and patientMatcher, abridged. */
export function fitsSchema({ patient }: Json): boolean {
  const { id, contact, features = [], genomicFeatures = [] } = patient;
  if (typeof id !== 'string' || typeof contact.name !== 'string' || !/^(mailto|https?):/.test(contact.href))
    return false;
  if (features.length + genomicFeatures.length === 0 || JSON.stringify(patient).includes('null')) return false;
  if (genomicFeatures.some(({ gene }: Json) => typeof gene.id !== 'string' || gene.id === '')) return false;
  return shapes.every(([path, shape]) =>
    (path(patient) ?? []).every((value: Json) => value === undefined || shape.test(String(value))),
  );
}
