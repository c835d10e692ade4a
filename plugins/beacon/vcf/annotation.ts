/** What an annotated VCF says of observations: names and definitions in the header, values in INFO. */
import type { Dataset, Observation } from '../contract.js';

/** The names in INFO, without their prefix; those of loqusdb, by which Scout and other readers filter. */
const fields = ['Obs', 'Hom', 'Frq'] as const;

export interface AnnotationNames {
  /** Placed before each name, such as `clinical_genomics_loqus`. */
  prefix: string;
}

/** How the observations of a file were made. */
export interface Method extends AnnotationNames {
  dataset: Pick<Dataset, 'id' | 'assembly' | 'counting'>;
  /** Cases that were searched for small alleles, and for structural ones. */
  cases: { small: number; structural: number };
  version: string;
  now: Date;
  command: string;
}

export function namesOf({ prefix }: AnnotationNames): string[] {
  return fields.map((field) => prefix + field);
}

/** Header lines that go before `#CHROM`, each ended. `structural` if the file has structural variants. */
export function annotationHeader(method: Method, structural: boolean): string {
  const { dataset, cases, version, now, command, prefix } = method;
  const { counting } = dataset;
  const of = `of dataset ${dataset.id}`;
  const rules = [
    counting?.quality === undefined ? 'genotypes of any quality' : `genotypes with GQ of ${counting.quality} or more`,
    ...(counting?.passOnly ? ['records with FILTER PASS'] : []),
  ].join(', ');
  const total = structural ? cases.structural : cases.small;
  const lines = [
    `##INFO=<ID=${prefix}Obs,Number=A,Type=Integer,Description="Cases ${of} with a carrier of the allele (${rules})">`,
    `##INFO=<ID=${prefix}Hom,Number=A,Type=Integer,Description="Homozygous samples ${of}">`,
    `##INFO=<ID=${prefix}Frq,Number=A,Type=Float,Description="${prefix}Obs divided by the cases ${of} that were searched for ` +
      'such alleles; not an allele frequency">',
    `##NrCases=${total}`,
    // Readers of loqusdb's files find the date of the counts by its name.
    `##Software=<ID=loqusdb,Version="Trefoil ${version}",Date="${now.toISOString().slice(0, 16).replace('T', ' ')}",` +
      `CommandLineOptions="${command.replaceAll(/["\\]/g, '')}">`,
    `##TrefoilObservations=<Dataset=${dataset.id},Assembly=${dataset.assembly},Cases=${cases.small},` +
      `StructuralCases=${cases.structural},Date="${now.toISOString()}">`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** Whether a header line is replaced by those of `annotationHeader`. */
export function isReplaced(line: string, names: readonly string[]): boolean {
  return (
    line.startsWith('##NrCases=') ||
    line.startsWith('##TrefoilObservations=') ||
    line.startsWith('##Software=<ID=loqusdb,') ||
    names.some((name) => line.startsWith(`##INFO=<ID=${name},`))
  );
}

/** Observations of the alternates of a record, in their order; undefined for what is no allele that can be asked for. */
export type Annotated = readonly (Pick<Observation, 'cases' | 'homozygotes' | 'of'> | undefined)[];

/** The entries for INFO; empty if no alternate was asked for. */
export function annotationOf(observations: Annotated, [obs, hom, frq]: readonly string[]): string {
  if (observations.length === 1) {
    const [only] = observations;
    return only ? `${obs}=${only.cases};${hom}=${only.homozygotes};${frq}=${frequency(only)}` : '';
  }
  if (observations.every((one) => one === undefined)) return '';
  const values = (of: (one: NonNullable<Annotated[number]>) => number | string) =>
    observations.map((one) => (one ? of(one) : '.')).join(',');
  return `${obs}=${values(({ cases }) => cases)};${hom}=${values(({ homozygotes }) => homozygotes)};${frq}=${values(frequency)}`;
}

/** Five decimals, as loqusdb writes it. */
function frequency({ cases, of }: NonNullable<Annotated[number]>): string {
  if (cases === 0 || of.cases === 0) return of.cases === 0 ? '.' : '0';
  return String(Number((cases / of.cases).toFixed(5)));
}
