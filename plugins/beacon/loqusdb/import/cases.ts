/** The cases of loqusdb, and where their variants can be read. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { type Finding, Findings, isDocument, type MongoDocument } from '../../../../core/migration.js';
import type { Sample, SampleChange, Sex } from '../../contract.js';
import { isCaseId } from '../load.js';

/** A case as its document describes it. */
export interface LoqusdbCase {
  id: string;
  /** The files that were loaded; undefined if there was none of that kind. */
  small: string | undefined;
  structural: string | undefined;
  /** By name, in the order of the document. */
  individuals: ReadonlyMap<string, SampleChange>;
}

export interface CasePlan {
  read: number;
  /** To load from their files. */
  fromFiles: LoqusdbCase[];
  /** To take from the collections of variants: a file cannot be read. */
  withoutFiles: LoqusdbCase[];
  /** Loaded earlier. */
  unchanged: number;
  notCarried: Finding[];
}

/** `samples` are those of the dataset. Changes nothing. */
export async function planCases(documents: readonly MongoDocument[], samples: readonly Sample[]): Promise<CasePlan> {
  const notCarried = new Findings();
  const plan = { fromFiles: [] as LoqusdbCase[], withoutFiles: [] as LoqusdbCase[], unchanged: 0 };
  const seen = new Set<string>();
  const taken = new Set<string>();
  const caseOf = new Map(samples.map((sample) => [sample.name, sample.case]));
  const namesOf = new Map<string, string[]>();
  for (const { name, case: id } of samples) {
    const names = namesOf.get(id);
    if (names) names.push(name);
    else namesOf.set(id, [name]);
  }
  for (const document of documents) {
    const stored = readCase(document);
    const named = stored?.id ?? 'one without case_id';
    if (!stored) notCarried.note('has no valid case_id', named);
    else if (seen.has(stored.id)) notCarried.note('has the case_id of another document', named);
    else if (stored.small === undefined && stored.structural === undefined) notCarried.note('has no VCF file', named);
    else {
      seen.add(stored.id);
      const readable = await areReadable(stored);
      const here = namesOf.get(stored.id) ?? [];
      const own = nameWithoutFiles(stored);
      const others = caseOf.get(own);
      if (here.length > 0 && (readable || here.some((name) => name !== own))) plan.unchanged++;
      else if (readable) plan.fromFiles.push(stored);
      else if (others !== undefined && others !== stored.id) {
        notCarried.note('has no readable file, and a sample of its name belongs to another case here', named);
      } else if (taken.has(own)) {
        notCarried.note('has no readable file, and the name of its only individual is that of another case', named);
      } else {
        taken.add(own);
        plan.withoutFiles.push(stored);
      }
    }
  }
  return { read: documents.length, ...plan, notCarried: notCarried.list() };
}

/** A case whose carriers are not known one by one is one sample, named after its only individual or itself. */
export function nameWithoutFiles({ id, individuals }: LoqusdbCase): string {
  const [only] = individuals.keys();
  return individuals.size === 1 && only !== undefined ? only : id;
}

/** The sex of a case counts only if it is one person. */
export function factsWithoutFiles({ id, individuals }: LoqusdbCase): SampleChange {
  const [only] = individuals.values();
  return { ...(individuals.size === 1 && only), case: id };
}

function readCase(document: MongoDocument): LoqusdbCase | undefined {
  const { case_id: id, vcf_path, vcf_sv_path, individuals, sv_individuals } = document;
  if (typeof id !== 'string' || !isCaseId(id)) return undefined;
  return {
    id,
    small: storedText(vcf_path),
    structural: storedText(vcf_sv_path),
    individuals: new Map([...individualsIn(individuals), ...individualsIn(sv_individuals)]),
  };
}

function storedText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const sexes: Readonly<Record<string, Sex>> = { 1: 'male', 2: 'female' };

/** loqusdb stores the sex as number or text of a PED file. */
function individualsIn(list: unknown): [name: string, facts: SampleChange][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((individual): [string, SampleChange][] => {
    const name = isDocument(individual) ? storedText(individual.ind_id) : undefined;
    if (name === undefined) return [];
    const { sex } = individual as MongoDocument;
    return [[name, { sex: sexes[String(sex)] ?? 'unknown' }]];
  });
}

async function areReadable({ small, structural }: LoqusdbCase): Promise<boolean> {
  const files = [small, structural].filter((file) => file !== undefined);
  const found = await Promise.all(
    files.map((file) =>
      access(file, constants.R_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}
