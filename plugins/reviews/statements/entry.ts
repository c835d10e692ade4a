/**
 * From what a client, or a sheet, states to a statement that can be stored: completed from a kept report, and compared with what
 * the other plugins know, with the rights of who states it. What that person may not see is answered as what does not exist.
 */
import { type Erasures, Fault, type FieldFault, type Principal, type Tenant } from '../../../core/plugin.js';
import type { KnowledgeReader, Services } from '../../services/services.js';
import type { NewStatement, Owners } from '../contract.js';
import { isWithin, refusedStatement, type StatementFields } from './body.js';

type Find = <Key extends keyof Services>(key: Key) => Promise<Services[Key] | undefined>;

/** Who states it: a caller, or the operator of a command. */
export type StatementAuthor = { principal: Principal; id: string } | 'operator';

export interface EntryTools {
  find: Find;
  /** Names of the configured tenants. */
  tenants: readonly Pick<Tenant, 'name'>[];
  keepDays: number | undefined;
  now(): Date;
  /** The people who object to sharing, or were erased meanwhile. */
  erasures: Pick<Erasures, 'barred'>;
}

const dayMs = 24 * 60 * 60 * 1000;
type Filled = Omit<StatementFields, 'persons' | 'build' | 'panel' | 'thresholds'> &
  Required<Pick<NewStatement, 'persons' | 'build' | 'panel' | 'thresholds'>>;

/**
 * The statement. `owners` are the tenants for whose cases the author may state something; undefined for all. Throws an
 * `unprocessable` fault that names every wrong field.
 */
export async function statementOf(
  { find, tenants, keepDays, now, erasures }: EntryTools,
  author: StatementAuthor,
  owners: Owners | undefined,
  given: StatementFields,
  signal: AbortSignal,
): Promise<NewStatement> {
  const wrong: FieldFault[] = [];
  const add = (path: string, message: string) => wrong.push({ path, message });
  const owner = ownerNamed();
  const { decided, recontact } = given;
  if (decided > now()) add('decided', 'must not be in the future');
  refuse();
  const filled = await withReport();
  const { case: name, replaces = 0, owner: _, alleles, keepUntil: until, ...rest } = filled;
  const keepUntil = until ?? (keepDays === undefined ? undefined : new Date(decided.getTime() + keepDays * dayMs));
  if (keepUntil !== undefined && keepUntil <= now()) add('keepUntil', 'must be in the future');
  for (const [i, one] of alleles.entries())
    if (!isWithin(filled.build, one)) add(`alleles.${i}.start`, `must be within chromosome ${one.chromosome}`);
  await checkPanel(filled);
  const terms = await activeTerms(filled);
  if (recontact !== 'no') await checkConsent(filled);
  await checkSamples(author, filled);
  if (owner !== undefined) await checkSamples({ tenant: owner }, filled);
  refuse();
  return {
    ...rest,
    ...{ case: name, ...(owner !== undefined && { owner }), revision: replaces + 1, terms, recontact, alleles },
    // The proband first.
    persons: filled.persons.toSorted((one, other) => Number(other.role === 'proband') - Number(one.role === 'proband')),
    ...(keepUntil !== undefined && { keepUntil }),
  };

  function refuse(): void {
    if (wrong.length === 0) return;
    const unique = [...new Map(wrong.map((one) => [`${one.path} ${one.message}`, one])).values()];
    throw refusedStatement('unprocessable', unique);
  }

  function ownerNamed(): string | undefined {
    const own = owners ?? tenants.map(({ name }) => name);
    if (given.owner !== undefined) {
      if (!own.includes(given.owner)) add('owner', 'is none of your tenants');
      return given.owner;
    }
    if (owners === undefined) return undefined;
    if (owners.length !== 1) add('owner', `is missing: you state cases of ${owners.length} tenants`);
    return owners[0];
  }

  /** What the report says is taken from it. */
  async function withReport(): Promise<Filled> {
    const { report, persons, build, panel, thresholds } = given;
    if (report === undefined) {
      // The schema of the body requires them.
      if (!(persons && build && panel && thresholds)) throw new Fault('internal', 'A statement without its fields');
      return { ...given, persons, build, panel, thresholds };
    }
    const kept = await (await find('coverage/kept-reports@1'))?.factsOf(report, author, signal);
    if (kept === undefined) add('report', 'is no kept report that you may open');
    refuse();
    const samples = kept?.samples.map(({ registration }) => registration) ?? [];
    const [sample] = samples;
    const own = { role: 'proband', isAffected: true, sex: 'unknown' } as const;
    const stated = persons ?? (samples.length === 1 && sample !== undefined ? [{ ...own, sample }] : undefined);
    if (stated === undefined)
      add('persons', `is missing: the report is on ${samples.length} samples, or on one that is not registered`);
    const named = kept?.panel ?? panel;
    if (named === undefined) add('panel', 'is missing: the report has no version of a panel');
    if (kept?.panel && panel && (kept.panel.panel !== panel.panel || kept.panel.version !== panel.version))
      add('panel', `is ${kept.panel.panel}@${kept.panel.version} in the report`);
    refuse();
    if (!(kept && stated && named)) throw new Fault('internal', 'A report without its facts');
    const { panel: id, version } = named;
    return {
      ...given,
      ...{ persons: stated, build: kept.build, thresholds: kept.thresholds },
      panel: { panel: id, version, ...(panel?.byPhenotype && { byPhenotype: true }) },
      releases: { ...kept.releases, ...given.releases },
    };
  }

  async function checkPanel({ panel: { panel, version } }: Filled): Promise<void> {
    const service = await find('panels/versions@1');
    if (service === undefined) return void add('panel', 'cannot be looked up: this server keeps no panels');
    const caller = author === 'operator' ? author : author.principal;
    if ((await service.versionOf(`${panel}@${version}`, caller)) === undefined)
      add('panel', `has no version ${version} of ${panel} that you may read`);
  }

  /** The ids of the active terms, each once; as they are stated if no ontology is loaded. */
  async function activeTerms({ terms }: Filled): Promise<string[]> {
    const service = terms.length === 0 ? undefined : await find('matchmaker/phenotypes@1');
    if (service === undefined || (await service.release()) === undefined) return [...new Set(terms)];
    const known = await service.terms(terms);
    for (const [i, id] of terms.entries())
      if (!known.has(id)) add(`terms.${i}`, 'is no HPO term of the loaded ontology');
    return [...new Set(terms.map((id) => known.get(id)?.id ?? id))];
  }

  /** Whoever withdrew consent is not watched, by no later statement either. */
  async function checkConsent({ persons, patient }: Filled): Promise<void> {
    const since = now();
    const samples = persons.map(({ sample }) => sample);
    const barred = [
      await erasures.barred('sample', samples, since),
      ...(patient === undefined ? [] : [await erasures.barred('patient', [patient], since)]),
    ];
    if (barred.some(({ size }) => size > 0)) add('recontact', 'must be no: a person of the case objects to it');
  }

  /** Each sample must be one that the reader may see, of coverage or of the beacon; on a server without both it is not known. */
  async function checkSamples(reader: KnowledgeReader, { persons, build, thresholds }: Filled): Promise<void> {
    const ids = persons.map(({ sample }) => sample);
    const question = { build, threshold: thresholds[0] ?? 1, groups: [ids], places: [] };
    const [beacon, callability] = [await find('beacon/carried-alleles@1'), await find('coverage/callability@1')];
    if (beacon === undefined && callability === undefined) return;
    const known = new Set((await beacon?.samplesOf(reader, build, ids))?.keys());
    const seen =
      reader === 'operator'
        ? await callability?.covered(question, signal)
        : 'tenant' in reader
          ? await callability?.ofTenants([reader.tenant]).covered(question, signal)
          : await (await find('coverage/covered-samples@1'))?.covered(reader, question, signal);
    const unregistered = new Set(
      seen?.unknown.filter(({ reason }) => reason === 'unregistered').map(({ sample }) => sample),
    );
    for (const [i, id] of ids.entries()) {
      if (known.has(id) || (seen !== undefined && !unregistered.has(id))) continue;
      add(`persons.${i}.sample`, 'is no sample that you may see');
    }
  }
}

/** Why another statement is there, in words of the request. */
export function conflictOf(replaces: number | undefined): string {
  return replaces === undefined
    ? 'There is already a statement about this case: read it, and say in `replaces` which revision you replace'
    : 'The statement was superseded since it was read: read it again';
}
