/**
 * `POST /intervals/{genes|transcripts|exons}`: the loaded intervals. On the wire `start` and `stop` are 1-based and inclusive,
 * as in Ensembl and in the clients of these routes: 11845780–11866977 for the stored [11845779, 11866977).
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Answer, Fault, type RouteDeclaration, route } from '../../../core/plugin.js';
import {
  type Build,
  builds,
  chromosomes,
  type Exon,
  type Gene,
  type GeneAnswer,
  type GeneLookup,
  type IntervalFilter,
  type IntervalKind,
  type IntervalRepository,
  type IntervalSet,
  type Intervals,
  intervalKinds,
  type Span,
  type Transcript,
} from '../contract.js';
import type { CoverageServices } from '../services.js';
import { checkedInput, documentedSchema, jsonAnswer, refusal } from './input.js';

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

type ListQuery = z.output<ReturnType<typeof intervalQuery>>;

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
  const schema: z.ZodType<ListQuery> = kind === 'genes' ? geneQuery(mostNames) : intervalQuery(mostNames);
  return route({
    method: 'POST',
    path: `/intervals/${kind}`,
    operation: `list${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    summary: `The ${kind} of a build: all, or those that one filter selects`,
    description:
      'start and stop are 1-based and inclusive. A filter returns everything that it selects, sorted by position; the ' +
      'header X-Not-Found lists the names that were not found, each with a reason. An empty filter returns an empty ' +
      'list. The header X-Interval-Set names the set that the rows come from.',
    body: { types: ['application/json'], schema: documentedSchema(schema) },
    answers: {
      200: jsonAnswer(`The ${kind}.`, z.array(schemas[kind])),
      400: refusal('More than one filter.'),
      422: refusal('A field is missing or invalid.'),
    },
    async handle({ body, signal }) {
      const query = checkedInput(schema, body);
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
  { build, ensembl_ids, ensembl_gene_ids, hgnc_ids, hgnc_symbols }: ListQuery,
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

// Intervals on the wire: coordinates are 1-based and inclusive.

const name = z.string().nullable();
const span = z.object({ start: z.int(), stop: z.int() }).nullable();

const place = {
  chromosome: z.enum(chromosomes),
  start: z.int().describe('First base, 1-based.'),
  stop: z.int().describe('Last base, 1-based.'),
  build: z.enum(builds),
  strand: z.union([z.literal(1), z.literal(-1)]).nullable(),
};

const gene = z.object({
  ...place,
  ensembl_ids: z.array(z.string()),
  hgnc_id: z.int().nullable(),
  hgnc_symbol: name,
  biotype: name,
});

const transcript = z.object({
  ...place,
  ensembl_id: z.string(),
  ensembl_gene_id: z.string(),
  refseq_mrna: name.describe('The first one; all are in references.'),
  refseq_mrna_pred: name,
  refseq_ncrna: name,
  refseq_mane_select: name,
  refseq_mane_plus_clinical: name,
  biotype: name,
  is_mane_select: z.boolean(),
  is_mane_plus_clinical: z.boolean(),
  references: z.object({
    refseq_mrna: z.array(z.string()),
    refseq_mrna_pred: z.array(z.string()),
    refseq_ncrna: z.array(z.string()),
    refseq_mane_select: z.array(z.string()),
    refseq_mane_plus_clinical: z.array(z.string()),
  }),
});

const exon = z.object({
  ...place,
  ensembl_id: z.string(),
  ensembl_gene_id: z.string(),
  ensembl_transcript_id: z.string(),
  rank_in_transcript: z.int(),
  utr5: span,
  utr3: span,
  cds: span.describe('Only if the source states coding parts.'),
});

const schemas = { genes: gene, transcripts: transcript, exons: exon } as const;

function ends({ start, end }: Span): { start: number; stop: number } {
  return { start: start + 1, stop: end };
}

function geneShown(row: Gene, build: Build): z.output<typeof gene> {
  const { chromosome, ensembl, hgnc = null, symbol = null, biotype = null, strand = null } = row;
  const named = { ensembl_ids: [ensembl], hgnc_id: hgnc, hgnc_symbol: symbol, biotype, strand };
  return { chromosome, ...ends(row), build, ...named };
}

function transcriptShown(row: Transcript, build: Build): z.output<typeof transcript> {
  const { refseqMrna, refseqMrnaPredicted, refseqNcrna, maneSelect, manePlusClinical } = row.references;
  return {
    chromosome: row.chromosome,
    ...ends(row),
    build,
    ensembl_id: row.ensembl,
    ensembl_gene_id: row.gene,
    refseq_mrna: refseqMrna[0] ?? null,
    refseq_mrna_pred: refseqMrnaPredicted[0] ?? null,
    refseq_ncrna: refseqNcrna[0] ?? null,
    refseq_mane_select: maneSelect[0] ?? null,
    refseq_mane_plus_clinical: manePlusClinical[0] ?? null,
    strand: row.strand ?? null,
    biotype: row.biotype ?? null,
    is_mane_select: row.isManeSelect,
    is_mane_plus_clinical: row.isManePlusClinical,
    references: {
      refseq_mrna: refseqMrna,
      refseq_mrna_pred: refseqMrnaPredicted,
      refseq_ncrna: refseqNcrna,
      refseq_mane_select: maneSelect,
      refseq_mane_plus_clinical: manePlusClinical,
    },
  };
}

function exonShown(row: Exon, build: Build): z.output<typeof exon> {
  const part = (of: Span | undefined) => (of ? ends(of) : null);
  return {
    chromosome: row.chromosome,
    ...ends(row),
    build,
    ensembl_id: row.ensembl,
    ensembl_gene_id: row.gene,
    ensembl_transcript_id: row.transcript,
    rank_in_transcript: row.rank,
    strand: row.strand ?? null,
    utr5: part(row.utr5),
    utr3: part(row.utr3),
    cds: part(row.cds),
  };
}

const shown: { [Kind in IntervalKind]: (row: Intervals[Kind], build: Build) => object } = {
  genes: geneShown,
  transcripts: transcriptShown,
  exons: exonShown,
};
