/**
 * `POST /intervals/{genes|transcripts|exons}`: the loaded intervals. On the wire `start` and `stop` are 1-based and
 * inclusive, as in Ensembl and in the clients of these routes: 11845780–11866977 for the stored [11845779, 11866977).
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Answer, Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import {
  type Build,
  builds,
  type GeneAnswer,
  type GeneLookup,
  type IntervalFilter,
  type IntervalKind,
  type IntervalRepository,
  type IntervalSet,
  type Intervals,
  intervalKinds,
} from '../contract.js';
import type { CoverageServices } from '../services.js';
import { checked, documented, refusal } from './input.js';
import { schemas, shown } from './interval-shapes.js';

const tooManyFilters =
  'Interval query contains too many filter parameters. ' + 'Please specify genome build and max one type of filter.';

const names = (most: number) => z.array(z.string().min(1).max(200)).max(most).nullish();

function geneQuery(most: number) {
  return z.object({
    build: z.enum(builds),
    ensembl_ids: names(most).describe('Ensembl ids of the rows to return.'),
    hgnc_ids: z
      .array(z.union([z.int().min(0), z.string().min(1).max(20)]))
      .max(most)
      .nullish()
      .describe('HGNC ids of genes, 7436 or HGNC:7436.'),
    hgnc_symbols: names(most).describe(
      'Gene symbols, previous symbols or aliases, in any case; ids of transcripts (NM_…, ENST…).',
    ),
    limit: z
      .int()
      .nullish()
      .describe('Number of rows if there is no filter: 100 if omitted; all for null, 0 or a negative number.'),
  });
}

function intervalQuery(most: number) {
  return geneQuery(most).extend({ ensembl_gene_ids: names(most).describe('Ensembl ids of genes.') });
}

type Query = z.output<ReturnType<typeof intervalQuery>>;

type ListServices = Pick<CoverageServices, 'settings' | 'intervals'>;

export function listRoutes(services: ListServices): RouteDeclaration[] {
  return intervalKinds.map((kind) => listRoute(kind, services));
}

function listRoute<Kind extends IntervalKind>(
  kind: Kind,
  { settings, intervals: repository }: ListServices,
): RouteDeclaration {
  const { listLimit } = settings.intervals;
  const mostNames = settings.limits.genes;
  const schema: z.ZodType<Query> = kind === 'genes' ? geneQuery(mostNames) : intervalQuery(mostNames);
  return route({
    method: 'POST',
    path: `/intervals/${kind}`,
    operation: `list${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    summary: `The ${kind} of a build: all, or those that one filter selects`,
    description:
      'start and stop are 1-based and inclusive. A filter returns everything that it selects, sorted by position; the ' +
      'header X-Not-Found lists the names that were not found, each with a reason. An empty filter returns an empty ' +
      'list. The header X-Interval-Set names the set that the rows come from.',
    body: { types: ['application/json'], schema: documented(schema) },
    answers: {
      200: { description: `The ${kind}.`, content: { 'application/json': z.array(schemas[kind]) } },
      400: refusal('More than one filter.'),
      422: refusal('A field is missing or invalid.'),
    },
    async handle({ body, signal }) {
      const query = checked(schema, body);
      const filters = [query.ensembl_ids, query.ensembl_gene_ids, query.hgnc_ids, query.hgnc_symbols];
      if (filters.filter((filter) => filter !== undefined && filter !== null).length > 1) {
        throw new Fault('invalid', tooManyFilters);
      }
      const { filter, lookup } = await filterOf(repository, kind, query, signal);
      const sets = await repository.sets({ signal });
      const set = sets.find((each) => each.kind === kind && each.build === query.build);
      const headers = { ...setHeader(set), ...notFoundHeader(lookup) };
      if (filter) {
        const rows = await repository.select(kind, query.build, filter, { signal });
        return { headers, body: rows.map((row) => shown[kind](row, query.build)) };
      }
      const wanted = query.limit === undefined ? 100 : query.limit;
      const limit = wanted === null || wanted <= 0 ? listLimit : Math.min(wanted, listLimit);
      return streamed(repository, kind, query.build, limit, headers, signal);
    },
  });
}

/** The filter of a query, if it has one, and the look-up of its names. */
async function filterOf(
  repository: IntervalRepository,
  kind: IntervalKind,
  { build, ensembl_ids, ensembl_gene_ids, hgnc_ids, hgnc_symbols }: Query,
  signal: AbortSignal,
): Promise<{ filter?: IntervalFilter; lookup?: GeneLookup }> {
  if (ensembl_ids && kind !== 'genes') {
    return { filter: { ids: ensembl_ids.map(withoutVersion) } };
  }
  const asked = ensembl_ids ?? ensembl_gene_ids ?? hgnc_symbols ?? hgnc_ids?.map(String);
  if (!asked) return {};
  const lookup = await repository.findGenes(build, asked, { signal });
  const genes = lookup.answers.flatMap((answer) => ('genes' in answer ? answer.genes : []));
  return { filter: { genes: [...new Set(genes.map(({ ensembl }) => ensembl))] }, lookup };
}

/** `ENST00000376590.9`, or with the suffixes of GENCODE, in any case, as it is stored. */
function withoutVersion(id: string): string {
  return id
    .trim()
    .toUpperCase()
    .replace(/\.\d+(?:_\d+|_PAR_Y)*$/, '');
}

/** Characters of a header that every proxy on the way accepts. */
const longestHeader = 4000;

function notFoundHeader(lookup: GeneLookup | undefined): Record<string, string> {
  const parts: string[] = [];
  let length = 0;
  for (const answer of lookup?.answers ?? []) {
    if ('genes' in answer) continue;
    const part = `${encodeURIComponent(answer.asked)};reason=${reasonOf(answer)}`;
    length += part.length + 2;
    if (length > longestHeader) {
      parts.push('...');
      break;
    }
    parts.push(part);
  }
  return parts.length > 0 ? { 'X-Not-Found': parts.join(', ') } : {};
}

function reasonOf({ reason, candidates }: Extract<GeneAnswer, { reason: unknown }>): string {
  return candidates ? `${reason};candidates=${candidates.join('|')}` : reason;
}

function setHeader(set: IntervalSet | undefined): Record<string, string> {
  if (!set) return {};
  const release = set.release === undefined ? '' : `release=${encodeURIComponent(set.release)}; `;
  return { 'X-Interval-Set': `${release}checksum=${set.checksum}; loaded=${set.loaded.toISOString()}` };
}

/** Streams the rows, so that a long list needs little memory. */
function streamed<Kind extends IntervalKind>(
  repository: IntervalRepository,
  kind: Kind,
  build: Build,
  limit: number,
  headers: Record<string, string>,
  signal: AbortSignal,
): Answer {
  let wake = () => {};
  const body = new Readable({
    read: () => wake(),
    destroy(error, done) {
      wake();
      done(error);
    },
  });
  const room = async () => {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (body.destroyed) throw new Fault('unavailable', 'The client no longer reads the list');
  };
  let first = true;
  const take = async (rows: readonly Intervals[Kind][]) => {
    signal.throwIfAborted();
    const text = rows.map((row) => JSON.stringify(shown[kind](row, build))).join(',');
    const more = body.push(`${first ? '[' : ','}${text}`);
    first = false;
    if (!more) await room();
  };
  repository.each(kind, build, limit, take, { signal }).then(
    () => {
      body.push(first ? '[]' : ']');
      body.push(null);
    },
    (error: Error) => body.destroy(error),
  );
  return { headers, type: 'application/json', body };
}
