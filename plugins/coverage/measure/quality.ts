/**
 * The samples of a report, as requested and as measured, and quality warnings about them and their files: what readers must
 * know before they rely on the numbers.
 */
import type { Fault } from '../../../core/plugin.js';
import {
  type Depths,
  type FileFields,
  isComplete,
  type Location,
  type SampleDepths,
  type Target,
  type Warning,
} from './measure.js';
import { isOnY, type List } from './region.js';
import type { FileComparison, SameFile } from './same-files.js';
import { contradicts, type Sex, type SexPrediction } from './sex.js';

/** What is known of a registered sample that a request names. */
export interface Registration {
  id: string;
  revision: string;
  /** Of the file that was checked; omitted if the file that is stated now was never checked. */
  fingerprint?: string;
  /** The same of its second file. */
  uniqueFingerprint?: string;
  /** Whether the registration and the beacon state different sexes. */
  isContradicted: boolean;
}

/** The second file of a sample as requested: the depth of reads that map uniquely. */
export interface UniqueFile {
  /** Its path or URL, not checked yet. */
  path: string;
  /** The least mapping quality of its reads, if it is stated. */
  quality?: number | undefined;
  fields: FileFields;
}

/** A sample as requested. */
export interface SampleRequest {
  name: string;
  /** The path or URL of its D4 file as requested, not checked yet. */
  path: string;
  /** The track of the file; the first one if omitted. */
  track?: string | undefined;
  /** Its second file, if it has one. */
  unique?: UniqueFile | undefined;
  /** As declared. */
  sex?: Sex | undefined;
  /** If the request names a registered sample. */
  registration?: Registration | undefined;
}

export interface ExaminedSample {
  asked: SampleRequest;
  location: Location;
  unique?: Location | undefined;
  depths: SampleDepths;
  /** If the question needs it; see `ExamineQuestion.sexes`. */
  sex?: SexPrediction;
  /** Genes whose copies on Y have depth: see `ExamineQuestion.copies`. */
  sharedReads: readonly string[];
}

/** A sample that could not be measured. */
export interface UnmeasuredSample {
  asked: SampleRequest;
  /** The last part of its path, without query. */
  fileName: string;
  fault: Fault;
}

// Quality warnings about samples and their files.

export interface QualityWarning extends Warning {
  /** Names of the samples that it is about. */
  samples: readonly string[];
  /** If the declared sex is contradicted. */
  sexes?: { declared: Sex; predicted: Sex };
  /** Targets that it is about: on Y and requested for a female sample, or with shared reads. */
  targets?: readonly string[];
  /** If the samples have one file: how much of it was compared. */
  compared?: FileComparison;
}

export interface Quality {
  warnings: readonly QualityWarning[];
  /** Samples whose sex was not checked: none was declared, or none could be predicted. */
  sexNotChecked: readonly string[];
}

interface QualityQuestion {
  samples: readonly ExaminedSample[];
  notIncluded: readonly UnmeasuredSample[];
  targets: List<Target>;
  nameOf(target: number): string;
  /** Index of the coverage threshold; −1 for any depth. */
  level: number;
  sameFiles: readonly SameFile[];
  /** Warnings about the targets, whatever the sample. */
  notes?: readonly Warning[] | undefined;
}

export function qualityOfReport(question: QualityQuestion): Quality {
  const { samples, notIncluded, sameFiles, notes = [] } = question;
  const found: QualityWarning[] = [
    ...notIncluded.map(absence),
    ...notes.map((note) => ({ ...note, samples: samples.map(({ asked }) => asked.name) })),
    ...sameFiles.map(ofSameFile),
    ...samples.flatMap((sample) => [
      ...ofRegistration(sample),
      ...contradicted(sample),
      ...onYOfFemale(sample, question),
      ...ofSharedReads(sample),
      ...ofFile(sample),
    ]),
  ];
  const sexNotChecked = samples.filter(({ asked, sex }) => {
    const isDeclared = asked.sex === 'female' || asked.sex === 'male';
    return !isDeclared || sex === undefined || sex.sex === 'unknown';
  });
  return { warnings: joinedWarnings(found), sexNotChecked: sexNotChecked.map(({ asked }) => asked.name) };
}

/** The same if nothing was requested: a page without numbers must not look as if all were well. */
export function withoutTargets(quality: Quality): Quality {
  const message = 'No genes were requested: nothing was measured.';
  return { ...quality, warnings: [{ code: 'no-genes', message, samples: [] }, ...quality.warnings] };
}

/** What comparisons found of registered samples, by id; each names others only if they are among these. */
export type FindingsOf = (ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Warning[]>>;

/** The same with what is known of the files and calls of registered samples; without what could not be told. */
export async function withFindings(
  { quality, samples }: { quality: Quality; samples: readonly ExaminedSample[] },
  findingsOf: FindingsOf,
): Promise<Quality> {
  const registered = samples.flatMap(({ asked }) => asked.registration?.id ?? []);
  if (registered.length === 0) return quality;
  const found = await findingsOf(registered);
  const own = samples.flatMap(({ asked: { name, registration } }) =>
    (found.get(registration?.id ?? '') ?? []).map(({ code, message }) => ({ code, message, samples: [name] })),
  );
  return { ...quality, warnings: [...quality.warnings, ...own.filter(({ code }) => code !== 'calls-untold')] };
}

/** The same without a sample whose file failed later. */
export function withoutSample({ warnings, sexNotChecked }: Quality, missing: UnmeasuredSample): Quality {
  const others = (names: readonly string[]) => names.filter((name) => name !== missing.asked.name);
  const left = warnings
    .map((warning): QualityWarning => {
      const samples = others(warning.samples);
      const { compared } = warning;
      return compared === undefined ? { ...warning, samples } : ofSameFile({ samples, compared });
    })
    .filter(({ samples, compared }) => samples.length > (compared === undefined ? 0 : 1));
  return { warnings: [absence(missing), ...left], sexNotChecked: others(sexNotChecked) };
}

function absence({ asked: { name }, fileName, fault }: UnmeasuredSample): QualityWarning {
  return { code: 'not-included', message: `Not included. ${fileName}: ${fault.public}`, samples: [name] };
}

/** The warnings of one sample. */
export function warningsOfSample({ warnings }: Quality, sample: string): Warning[] {
  return warnings.flatMap(({ code, message, samples }) => (samples.includes(sample) ? [{ code, message }] : []));
}

/** Warnings about the file itself; of capped depths once, even if both the targets and the sex chromosomes show them. */
function ofFile({ asked: { name }, depths, sex }: ExaminedSample): QualityWarning[] {
  const own = [...depths.warnings, ...(sex?.warnings ?? [])];
  const ofCaps = own.filter(({ code }) => code === 'capped' || code === 'possibly-capped');
  const shown = ofCaps.find(({ code }) => code === 'capped') ?? ofCaps[0];
  return own.flatMap((warning) =>
    ofCaps.includes(warning) && warning !== shown ? [] : [{ ...warning, samples: [name] }],
  );
}

/** What the registration of a sample has against its file or its sex. */
function ofRegistration({ asked: { name, registration }, depths }: ExaminedSample): QualityWarning[] {
  if (registration === undefined) return [];
  const { isContradicted } = registration;
  const found: QualityWarning[] = [];
  if (isChanged(registration, depths)) {
    const message =
      'The coverage file has changed since it was last checked for this sample: the numbers are of the file as it is now.';
    found.push({ code: 'changed-file', message, samples: [name] });
  }
  if (isContradicted) {
    const message = 'The registration and the beacon state different sexes: the sex counts as unknown.';
    found.push({ code: 'sex-contradiction', message, samples: [name] });
  }
  return found;
}

/** Whether one of its files is not the one that was checked. */
export function isChanged({ fingerprint, uniqueFingerprint }: Registration, { file, unique }: SampleDepths): boolean {
  const isOther = (known: string | undefined, found: string | undefined) =>
    known !== undefined && found !== undefined && known !== found;
  return isOther(fingerprint, file.fingerprint) || isOther(uniqueFingerprint, unique?.file.fingerprint);
}

function contradicted({ asked: { name, sex: declared }, sex }: ExaminedSample): QualityWarning[] {
  if (declared === undefined || sex === undefined || !contradicts(sex.sex, declared)) return [];
  const message =
    `Declared ${declared}, predicted ${sex.sex}. Possible causes are swapped samples, a wrong declaration, or an ` +
    'aneuploidy of X or Y.';
  return [{ code: 'sex-mismatch', message, samples: [name], sexes: { declared, predicted: sex.sex } }];
}

/** Targets on Y count as incomplete in a sample without Y: by its predicted sex, else by its declared one. */
function onYOfFemale(
  { asked, sex, depths }: ExaminedSample,
  { targets, nameOf, level }: QualityQuestion,
): QualityWarning[] {
  const known = sex === undefined || sex.sex === 'unknown' ? asked.sex : sex.sex;
  if (known !== 'female') return [];
  const isMissing = (own: Depths | undefined) => own !== undefined && (level < 0 || !isComplete(own, level));
  const names = new Set<string>();
  let place = 0;
  for (const { regions } of targets) {
    if (regions.some(isOnY) && isMissing(depths.targets.at(place))) names.add(nameOf(place));
    place += 1;
  }
  if (names.size === 0) return [];
  return [yOfFemale(asked.name, [...names])];
}

/** That targets of this name count as incomplete although they are not expected. */
export function yOfFemale(sample: string, targets: readonly string[]): QualityWarning {
  const message = `Sex: female. Genes on Y are not expected to be covered and count as incomplete: ${listedNames(targets)}.`;
  return { code: 'female-y', message, samples: [sample], targets };
}

/** The file has depth in the pseudoautosomal regions of Y, which a reference for alignment masks. */
function ofSharedReads({ asked: { name }, sharedReads: targets }: ExaminedSample): QualityWarning[] {
  if (targets.length === 0) return [];
  const message =
    `There is depth in the pseudoautosomal regions of Y, at the copies of ${listedNames(targets)}. Probably the reference was ` +
    'not masked, reads were shared between X and Y, and the depths on X are too low.';
  return [{ code: 'shared-reads', message, samples: [name], targets }];
}

function listedNames(names: readonly string[]): string {
  return names.slice(0, 30).join(', ') + (names.length > 30 ? ` and ${names.length - 30} more` : '');
}

/** Two samples of different people never have one file. */
export function ofSameFile({ samples, compared }: SameFile): QualityWarning {
  const names = samples.length > 30 ? listedNames(samples) : `${samples.slice(0, -1).join(', ')} and ${samples.at(-1)}`;
  const message =
    compared === 'whole'
      ? `The same file was given for ${names}: were samples mixed up?`
      : `The files of ${names} have the same size and agree in all parts that were compared, so they are probably the ` +
        'same file: were samples mixed up?';
  return { code: 'same-file', message, samples, compared };
}

/** Each warning once, with all samples that it is about. */
function joinedWarnings(found: readonly QualityWarning[]): QualityWarning[] {
  const groups = new Map<string, { warning: QualityWarning; samples: Set<string> }>();
  for (const warning of found) {
    const key = `${warning.code} ${warning.message}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { warning, samples: new Set(warning.samples) });
    else for (const name of warning.samples) known.samples.add(name);
  }
  return [...groups.values()].map(({ warning, samples }) => ({ ...warning, samples: [...samples] }));
}
