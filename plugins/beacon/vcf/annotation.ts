/** Observations in an annotated VCF: names and definitions in the header, values in INFO. */
import { carriersFrom, type Dataset, medianFraction, type Observation, type ObservedFractions } from '../contract.js';
import { type Denominator, depthLimits } from '../counts/denominator.js';

/** The names in INFO, without their prefix; those of loqusdb, by which Scout and other readers filter. */
const fields = ['Obs', 'Hom', 'Frq', 'ObsNoCall'] as const;

/** Those of denominators, which follow. */
const denominatorFields = ['ObsAC', 'ObsAN', 'ObsCov', 'ObsNotCov', 'ObsUnk'] as const;

/** That of allele fractions on MT, the last. */
const levelField = 'ObsHetPl';

export interface AnnotationNames {
  /** Placed before each name, such as `clinical_genomics_loqus`. */
  prefix: string;
}

/** How the observations of a file were made. */
export interface AnnotationMethod extends AnnotationNames {
  dataset: Pick<Dataset, 'id' | 'assembly' | 'counting'>;
  /** Cases that were searched for small alleles, and for structural ones. */
  cases: { small: number; structural: number };
  /** Reads from which on a base counts as covered; undefined if nothing is known of coverage. */
  threshold: number | undefined;
  /** Allele fractions from which on carriers on MT are counted, in percent. */
  levels: readonly number[];
  version: string;
  now: Date;
  command: string;
}

export function namesOfFields({ prefix }: AnnotationNames): string[] {
  return [...fields, ...denominatorFields, levelField].map((field) => prefix + field);
}

/** Header lines that go before `#CHROM`, each ended. `structural` if the file has structural variants. */
export function annotationHeader(method: AnnotationMethod, structural: boolean): string {
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
    `##INFO=<ID=${prefix}ObsNoCall,Number=A,Type=Integer,Description="Samples ${of} whose genotype was not called, which are in neither number; omitted if there are none">`,
    levelLine(method, of),
    ...denominatorLines(method, of),
    `##NrCases=${total}`,
    // Readers of loqusdb's files find the date of the counts by its name.
    `##Software=<ID=loqusdb,Version="Trefoil ${version}",Date="${now.toISOString().slice(0, 16).replace('T', ' ')}",` +
      `CommandLineOptions="${command.replaceAll(/["\\]/g, '')}">`,
    `##TrefoilObservations=<Dataset=${dataset.id},Assembly=${dataset.assembly},Cases=${cases.small},` +
      `StructuralCases=${cases.structural},Date="${now.toISOString()}">`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function levelLine({ prefix, levels, dataset: { counting } }: AnnotationMethod, of: string): string {
  const { minimumHeteroplasmy: least } = counting ?? {};
  const rule = least === undefined ? '' : `; calls below ${least} % are in no number`;
  return (
    `##INFO=<ID=${prefix}${levelField},Number=A,Type=String,Description="Of MT: carriers ${of} with an allele fraction of at least ` +
    `${levels.join(', ')} %, those of unknown fraction, and the median in percent, separated by |${rule}">`
  );
}

/** What begins the entry of allele fractions, of the names of all entries. */
export function levelKey(names: readonly string[]): string {
  return `;${names.at(-1)}=`;
}

/** The entry of allele fractions of the alternates of a record; empty if none has carriers on MT. */
export function levelEntry(
  observations: readonly (Pick<Observation, 'fractions'> | undefined)[],
  key: string,
  levels: readonly number[],
): string {
  if (observations.every((one) => !one?.fractions)) return '';
  const text = (fractions: ObservedFractions) =>
    [
      ...levels.map((percent) => carriersFrom(fractions, percent)),
      fractions.unknown,
      medianFraction(fractions) ?? '.',
    ].join('|');
  return key + observations.map((one) => (one?.fractions ? text(one.fractions) : '.')).join(',');
}

function denominatorLines({ prefix, dataset, threshold }: AnnotationMethod, of: string): string[] {
  if (threshold === undefined) return [`##TrefoilDenominator=<Dataset=${dataset.id},Method="unknown">`];
  const line = (field: string, description: string) =>
    `##INFO=<ID=${prefix}${field},Number=A,Type=Integer,Description="${description}">`;
  const covered = `with at least ${threshold} reads at every base of the allele, and of insertions and deletions one more on each side`;
  return [
    line('ObsAC', `Allele count in samples ${of} whose coverage, and sex on X and Y, is known`),
    line(
      'ObsAN',
      `Allele number by depth: copies of the place, by sex, in samples ${of} with at least ${threshold} reads, and in carriers below that`,
    ),
    line('ObsCov', `Samples ${of} ${covered}; of structural variants, at both ends`),
    line('ObsNotCov', `Samples ${of} that are not covered`),
    line('ObsUnk', `Samples ${of} of unknown coverage, or on X and Y of unknown sex`),
    `##TrefoilDenominator=<Dataset=${dataset.id},Method="depth",Threshold=${threshold},Limits="${depthLimits}">`,
  ];
}

/** Whether a header line is replaced by those of `annotationHeader`. */
export function isReplacedHeader(line: string, names: readonly string[]): boolean {
  return (
    line.startsWith('##NrCases=') ||
    line.startsWith('##TrefoilObservations=') ||
    line.startsWith('##TrefoilDenominator=') ||
    line.startsWith('##Software=<ID=loqusdb,') ||
    names.some((name) => line.startsWith(`##INFO=<ID=${name},`))
  );
}

/** Observations of the alternates of a record, in their order; undefined for what is no allele that can be asked for. */
export type AnnotatedAlternates = readonly (
  | Pick<Observation, 'cases' | 'homozygotes' | 'of' | 'notCalled'>
  | undefined
)[];

/** The entries for INFO; empty if no alternate was asked for. */
export function annotationOfRecord(
  observations: AnnotatedAlternates,
  [obs, hom, frq, noCall]: readonly string[],
): string {
  if (observations.length === 1) {
    const [only] = observations;
    if (!only) return '';
    const counts = `${obs}=${only.cases};${hom}=${only.homozygotes};${frq}=${frequencyText(only)}`;
    return only.notCalled === 0 ? counts : `${counts};${noCall}=${only.notCalled}`;
  }
  if (observations.every((one) => one === undefined)) return '';
  const values = (of: (one: NonNullable<AnnotatedAlternates[number]>) => number | string) =>
    observations.map((one) => (one ? of(one) : '.')).join(',');
  const counts = `${obs}=${values(({ cases }) => cases)};${hom}=${values(({ homozygotes }) => homozygotes)};${frq}=${values(frequencyText)}`;
  if (observations.every((one) => !one?.notCalled)) return counts;
  return `${counts};${noCall}=${values(({ notCalled }) => notCalled)}`;
}

/** What begins each entry for denominators, of the names of all entries. */
export function denominatorKeys(names: readonly string[]): string[] {
  return names.slice(fields.length, -1).map((name) => `;${name}=`);
}

/** The entries for denominators of the alternates of a record, by their keys; empty if no alternate was asked for. */
export function denominatorEntries(
  denominators: readonly (Denominator | undefined)[],
  keys: readonly string[],
): string {
  const [ac, an, cov, notCov, unk] = keys as [string, string, string, string, string];
  const first = denominators[0];
  // Nearly all records have one alternate.
  if (denominators.length === 1 && first !== undefined) {
    const { alleles, covered, notCovered, unknown, unknownSex } = first;
    return (
      `${ac}${alleles?.alleleCount ?? '.'}${an}${alleles?.alleleNumber ?? '.'}` +
      `${cov}${covered}${notCov}${notCovered}${unk}${unknown + unknownSex}`
    );
  }
  if (denominators.every((one) => one === undefined)) return '';
  const values = (of: (one: Denominator) => number | undefined) =>
    denominators.map((one) => (one && of(one)) ?? '.').join(',');
  return (
    `${ac}${values(({ alleles }) => alleles?.alleleCount)}${an}${values(({ alleles }) => alleles?.alleleNumber)}` +
    `${cov}${values(({ covered }) => covered)}${notCov}${values(({ notCovered }) => notCovered)}` +
    `${unk}${values(({ unknown, unknownSex }) => unknown + unknownSex)}`
  );
}

/** Five decimals, as loqusdb writes it. */
function frequencyText({ cases, of }: NonNullable<AnnotatedAlternates[number]>): string {
  if (cases === 0 || of.cases === 0) return of.cases === 0 ? '.' : '0';
  return String(Number((cases / of.cases).toFixed(5)));
}
