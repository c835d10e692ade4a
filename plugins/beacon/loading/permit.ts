/** Leaves people out of an import who object to sharing, or who were erased after the import was requested. */
import { firstLines } from '../../../core/commands.js';
import { type Barred, type Erasures, Fault } from '../../../core/plugin.js';
import type { CalledAllele, Import } from '../contract.js';
import { ofSamples } from '../domain/allele.js';

export interface PermittedImport {
  request: Import;
  /** The samples that are left out. */
  barred: ReadonlyMap<string, Barred>;
}

/** Returns what may be imported, at the moment `now`. */
export type Permit = (request: Import, now: Date) => Promise<PermittedImport>;

/** For data that describes no person. */
export const permitAll: Permit = async (request) => ({ request, barred: new Map() });

/**
 * `requested` is when the import was requested, if that was earlier, and `job` the background job that does it. The import throws a `conflict` fault if one of its people
 * objects or is erased while it is read.
 */
export function permitting(erasures: Pick<Erasures, 'barred'>, requested?: Date, job?: string): Permit {
  return async (request, now) => {
    const find = () => barredIn(request, erasures, requested ?? now, job);
    const barred = await find();
    return { request: withoutBarred(request, barred, find), barred };
  };
}

/** Samples are barred by their own id or by that of the registered sample that they are. */
async function barredIn(
  { samples, facts }: Import,
  erasures: Pick<Erasures, 'barred'>,
  since: Date,
  job: string | undefined,
): Promise<Map<string, Barred>> {
  const idsOf = (sample: string) => [sample, ...[facts?.get(sample)?.coverageId ?? []].flat()];
  const found = await erasures.barred('sample', samples.flatMap(idsOf), since, job);
  return new Map(
    samples.flatMap((sample) => {
      const id = idsOf(sample).find((one) => found.has(one));
      return id === undefined ? [] : [[sample, found.get(id) as Barred] as const];
    }),
  );
}

function withoutBarred(
  request: Import,
  barred: ReadonlyMap<string, Barred>,
  find: () => Promise<ReadonlyMap<string, Barred>>,
): Import {
  const { facts } = request;
  const samples = request.samples.filter((sample) => !barred.has(sample));
  const places = new Map(samples.map((sample, i) => [sample, i]));
  const moved = request.samples.map((sample) => places.get(sample));

  async function* alleles(): AsyncGenerator<readonly CalledAllele[]> {
    for await (const batch of request.alleles) yield barred.size === 0 ? batch : ofSamples(batch, moved);
    const late = [...(await find()).keys()].filter((sample) => !barred.has(sample));
    if (late.length === 0) return;
    throw new Fault(
      'conflict',
      'A sample of the load was erased, or objects to sharing, since the load began: nothing was loaded; repeat it',
    );
  }

  return {
    ...request,
    samples,
    alleles: alleles(),
    ...(facts && { facts: new Map([...facts].filter(([sample]) => !barred.has(sample))) }),
  };
}

/** A line for each sample that was left out; of many the first, and how many there are. */
export function barredLines(barred: ReadonlyMap<string, Barred>): string[] {
  return firstLines([...barred], {
    line: ([sample, { reason, at }]) => {
      const since = at.toISOString().slice(0, 10);
      return reason === 'objection'
        ? `Not loaded: sample ${sample}, because of an objection to sharing (${since})`
        : `Not loaded: sample ${sample}, which was erased (${since}) after the load was requested`;
    },
    what: 'samples that were not loaded',
  });
}
