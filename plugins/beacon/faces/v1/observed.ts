/** What was seen of a queried allele, for callers of the query page who may see observations. */
import { anonymous, type Caller, isFault, type RequestHead } from '../../../../core/plugin.js';
import type { AlleleQuery } from '../../contract.js';
import { observableBy } from '../../domain/access.js';
import { denominatorWords } from '../../domain/denominator-words.js';
import { observationLink } from '../../pages/observation-link.js';
import { questionIn } from '../../query/observed-question.js';
import type { BeaconServices } from '../../services.js';
import type { ObservedHere } from './page/outcome.js';

export type ObservingServices = Pick<
  BeaconServices,
  'repository' | 'datasets' | 'policy' | 'denominators' | 'observer'
>;

/**
 * Undefined if the query is for more than one allele, or if the caller may not observe any dataset of the assembly. A credential
 * that is not valid counts as none: the page is open to every client, with any credential.
 */
export async function observedHere(
  { repository, datasets, policy, denominators, observer }: ObservingServices,
  request: RequestHead & { signal: AbortSignal },
  query: AlleleQuery,
  base: string,
): Promise<ObservedHere | undefined> {
  const question = questionIn(query);
  if (!question) return undefined;
  const caller = await observer.callerOf(request).catch(withoutCredential);
  if (caller.kind === 'anonymous') return undefined;
  const { assembly } = query;
  const open = await observableBy(policy, caller, await datasets.current(), assembly, []);
  if (open.datasets.length === 0) return undefined;
  const named = new Map(open.datasets.map((dataset) => [dataset.id, dataset]));
  const [observations = []] = await repository.observe(assembly, [question], [...named.keys()], request);
  const seen: ObservedHere['datasets'][number][] = [];
  for (const observation of observations) {
    const { dataset: id, cases, carriers, of } = observation;
    const dataset = named.get(id);
    if (!dataset) continue;
    const [judged] = await (await denominators(dataset)).of([question], [observation], request.signal);
    seen.push({ name: dataset.name, cases, of: of.cases, words: judged ? denominatorWords(judged, carriers) : '' });
  }
  return { href: observationLink(base, assembly, question), datasets: seen };
}

function withoutCredential(error: unknown): Caller {
  if (isFault(error) && error.code === 'unauthenticated') return anonymous;
  throw error;
}
