/** Parameters of a query for variants, by the names of Beacon v2.1; an omitted one does not narrow it. */
export interface VariantParameters {
  assemblyId?: string | undefined;
  referenceName?: string | undefined;
  /** Zero-based; one position, or the two of a bracket. */
  start?: readonly number[] | undefined;
  end?: readonly number[] | undefined;
  /** IUPAC codes; empty, `-` and `.` for none. */
  referenceBases?: string | undefined;
  alternateBases?: string | undefined;
  variantType?: string | undefined;
  /** In bases. */
  variantMinLength?: number | undefined;
  variantMaxLength?: number | undefined;
  geneId?: string | undefined;
  genomicAlleleShortForm?: string | undefined;
  aminoacidChange?: string | undefined;
  /** The chromosome of the other end of a breakend, and where on it. */
  mateName?: string | undefined;
  mateStart?: readonly number[] | undefined;
  mateEnd?: readonly number[] | undefined;
}

const variantParameters = [
  'assemblyId',
  'referenceName',
  'start',
  'end',
  'referenceBases',
  'alternateBases',
  'variantType',
  'variantMinLength',
  'variantMaxLength',
  'geneId',
  'genomicAlleleShortForm',
  'aminoacidChange',
  'mateName',
  'mateStart',
  'mateEnd',
] as const satisfies readonly (keyof VariantParameters)[];

export type VariantParameter = (typeof variantParameters)[number];

/** Those that were given, in the order above. */
export function givenIn(parameters: VariantParameters): VariantParameter[] {
  return variantParameters.filter((name) => parameters[name] !== undefined);
}
