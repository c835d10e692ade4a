/**
 * What a person reaches if another system decides who may see which sample: of all that the rules allow, what that system
 * allows.
 */
import {
  Fault,
  isFault,
  type PluginContext,
  type Principal,
  type Right,
  seal,
  type Tenant,
  unsealed,
} from '../../../../core/plugin.js';
import type { RegisteredSample, SamplePage } from '../../contract.js';
import { readSamplesRight, reportRight } from '../../rights.js';
import type { ListedSamples } from '../../samples/find.js';
import type { AuthorizeSettings } from '../../settings.js';
import { asker, createDecisions, type Resource } from './decisions.js';
import { comparedWith, type ReachedServices, type ReachTools, servicesOfReach } from './reach.js';

interface Authorize {
  /** Whether the caller needs no right besides its decisions, because no rule gives rights to people. */
  decidesAloneOn(caller: Principal, right: Right<Tenant>): boolean;
  /** Of these services what it lets the person see; undefined for callers about whom it is not asked. For one request. */
  narrowed<Services extends ReachedServices>(
    around: Services,
    tools: ReachTools,
    caller: Principal,
  ): Services | undefined;
}

export function createAuthorize(
  settings: AuthorizeSettings,
  { tenants, metrics, log, now }: Pick<PluginContext<unknown>, 'tenants' | 'metrics' | 'log' | 'now'>,
): Authorize {
  const counter = metrics.counter('authorize_total', 'Samples and files that were asked about, by the outcome', [
    'outcome',
  ]);
  const count = (outcome: string) => counter({ outcome });
  const { timeout, cache, secret } = settings;
  const decide = createDecisions({ ask: asker(settings), timeout, cache, log, now, count });
  return {
    decidesAloneOn: (caller, right) =>
      tenants === undefined && caller.kind === 'subject' && (right === reportRight || right === readSamplesRight),
    narrowed(around, tools, caller) {
      if (caller.kind !== 'subject') return undefined;
      const { owner: id, issuer } = caller;
      return askedFor(around, tools, { may: (resource) => decide({ id, issuer }, resource), secret });
    },
  };
}

// What a person reaches if a system outside decides who may see which sample.

/** Samples that one request asks about, in a list or by their ids. */
const mostAsked = 1000;
/** Characters of a path or URL; longer ones name no file. */
const longestName = 4096;
/** Samples of a list that are asked about at once. */
const portion = 100;

interface AuthorizedReach {
  may(resource: Resource): Promise<boolean>;
  /** Encrypts where a list continues: it may be at a sample that the person may not see. */
  secret: string;
}

/**
 * The services for one request. Whatever the request names is asked about, whether or not it exists, before it is looked up: what
 * may not be seen is as if it did not exist, and if nothing can be asked, every answer is the same. Samples are compared with all
 * samples of `around`, of which reports state only what was computed over many.
 */
function askedFor<Services extends ReachedServices>(
  around: Services,
  tools: ReachTools,
  { may, secret }: AuthorizedReach,
): Services {
  /** Files of samples that may be seen, by the text under which they are registered. */
  const admitted = new Set<string>();
  const asking = around.sources.asking(async (id) => id.length <= longestName && may({ type: 'file', id }));
  const sources: typeof asking = {
    ...asking,
    coverageFile: (text, track) => (admitted.has(text) ? around.sources : asking).coverageFile(text, track),
    listed: async () => ({ paths: [], isCut: false }),
  };

  async function allowedOf(all: readonly RegisteredSample[]): Promise<RegisteredSample[]> {
    const answers = await Promise.all(all.map((sample) => may(resourceOf(sample))));
    const allowed = all.filter((_, i) => answers[i] === true);
    for (const { file } of allowed) admitted.add(file.path);
    return allowed;
  }

  async function find(ids: readonly string[]): Promise<RegisteredSample[]> {
    if (ids.length > mostAsked) {
      throw new Fault('unprocessable', `At most ${mostAsked} samples can be named by people; got ${ids.length}`);
    }
    const found = await around.samples.find(ids);
    const known = new Set(found.map(({ id }) => id));
    const absent = ids.filter((id) => !known.has(id));
    const [allowed] = await Promise.all([
      allowedOf(found),
      Promise.all(absent.map((id) => may({ type: 'sample', id }))),
    ]);
    return allowed;
  }

  async function listed({ after, limit, ...page }: SamplePage): Promise<ListedSamples> {
    if (!(await may({ type: 'registry', id: 'samples' }))) return { samples: [], next: null };
    const samples: RegisteredSample[] = [];
    let from = after === undefined ? undefined : (opened(after, secret) ?? after);
    for (let asked = 0; asked < mostAsked; asked += portion) {
      const part = await around.samples.list({ ...page, ...(from !== undefined && { after: from }), limit: portion });
      samples.push(...(await allowedOf(part)));
      if (samples.length > limit) {
        const shown = samples.slice(0, limit);
        return { samples: shown, next: shown.at(-1)?.id ?? null };
      }
      from = part.at(-1)?.id;
      if (part.length < portion || from === undefined) return { samples, next: null };
    }
    return { samples, next: closed(from ?? '', secret) };
  }

  const samples = {
    find,
    revisions: async (ids: readonly string[]) =>
      (await find(ids)).map(({ id, revision, state }) => ({ id, revision, state })),
    list: async (page: SamplePage) => [...(await listed(page)).samples],
  };
  const reach = { sources, samples, sampleFacts: around.sampleFacts };
  const reached = servicesOfReach(reach, tools, {
    ...comparedWith(around),
    listed,
    async ownAmong(ids) {
      const own = new Map((await find(ids)).map((sample) => [sample.id, JSON.stringify(resourceOf(sample))]));
      const { mayAdd } = await around.ownAmong(ids);
      return { isOwn: (sample) => own.get(sample.id) === JSON.stringify(resourceOf(sample)), mayAdd };
    },
    offered: async () => ({ files: { paths: [], isCut: false }, registered: await idsOffered(listed) }),
    charted: async () => {
      throw new Fault('forbidden', 'Control charts show samples of many cases: they are for API tokens');
    },
  });
  return { ...around, ...reached };
}

function resourceOf({ id, case: name, file }: RegisteredSample): Resource {
  return { type: 'sample', id, ...(name !== undefined && { case: name }), file: file.path };
}

/** A form is of use without them. */
async function idsOffered(listed: ReachedServices['listed']): Promise<string[]> {
  try {
    return (await listed({ limit: mostAsked })).samples.map(({ id }) => id);
  } catch (error) {
    if (isFault(error) && error.code === 'unavailable') return [];
    throw error;
  }
}

const purpose = 'trefoil coverage list';
/** Before the encrypted place of a list, to distinguish it from an id. */
const mark = '~';

function closed(id: string, secret: string): string {
  return mark + seal(id, { secret, purpose });
}

function opened(text: string, secret: string): string | undefined {
  return text.startsWith(mark) ? unsealed(text.slice(mark.length), { secret, purpose }) : undefined;
}
