/** What was seen of a queried allele, for callers of the query page who may see observations. */
import { anonymous, type Caller, isFault, type RequestHead } from '../../../../core/plugin.js';
import type { AlleleQuery } from '../../contract.js';
import { denominatorWords } from '../../domain/denominator-words.js';
import { observationLink } from '../../pages/observation-link.js';
import { questionIn } from '../../query/observed-question.js';
import type { BeaconServices } from '../../services.js';
import type { ObservedHere } from './page/outcome.js';

export type ObservingServices = Pick<BeaconServices, 'observing' | 'observer'>;

/**
 * Undefined if the query is for more than one allele, or if the caller may not observe any dataset of the assembly. A credential
 * that is not valid counts as none: the page is open to every client, with any credential.
 */
export async function observedHere(
  { observing, observer }: ObservingServices,
  request: RequestHead & { signal: AbortSignal },
  query: AlleleQuery,
  base: string,
): Promise<ObservedHere | undefined> {
  const question = questionIn(query);
  if (!question) return undefined;
  const caller = await observer.callerOf(request).catch(withoutCredential);
  if (caller.kind === 'anonymous') return undefined;
  const { assembly } = query;
  const open = await observing.named(caller, assembly, []);
  if (open.length === 0) return undefined;
  const [seen = []] = await observing.count(open, assembly, [question], request);
  const datasets = seen.map(({ dataset: { name }, observation: { cases, carriers, of }, denominator }) => ({
    name,
    cases,
    of: of.cases,
    words: denominatorWords(denominator, carriers),
  }));
  return { href: observationLink(base, assembly, question), datasets };
}

function withoutCredential(error: unknown): Caller {
  if (isFault(error) && error.code === 'unauthenticated') return anonymous;
  throw error;
}
