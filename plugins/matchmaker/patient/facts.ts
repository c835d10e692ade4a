/** What is counted of a patient. */
export interface PatientFacts {
  /** Stands for the contact's address. */
  submitter: string;
  /** Whether a disorder is named. */
  diagnosed: boolean;
  /** One entry for each genomic feature with a gene: features of one gene have one key. */
  genes: readonly string[];
  /** One entry for each genomic feature with a variant: the same variant has the same key. */
  variants: readonly string[];
  /** One entry for each feature, excluded ones included. */
  features: readonly string[];
  /** Stands for the set of features; undefined where there is none. */
  featureSet: string | undefined;
}
