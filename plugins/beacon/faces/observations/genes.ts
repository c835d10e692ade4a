/**
 * `GET /observations/genes/:gene`: the alleles of a gene that annotations name, the worst first, with carriers, denominators and
 * cases; those that many people of a dataset carry are left out if the request says so.
 */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../../core/plugin.js';
import {
  type Assembly,
  alleleKey,
  byAllele,
  contigs,
  type GeneIdentity,
  type GeneQuestion,
  type ObservedQuestion,
} from '../../contract.js';
import type { DatasetObservation, Observable } from '../../counts/observing.js';
import { thresholdOfText } from '../../domain/dataset.js';
import { questionOfAllele } from '../../domain/written-question.js';
import { geneIdsNamed } from '../../genes/files.js';
import type { BeaconServices } from '../../services.js';
import { statedTerms, worstRank } from '../../vcf/consequences/terms.js';
import { effectOf, geneNamed } from '../query/naming.js';
import { jsonType } from './answers.js';
import {
  type CountedRow,
  casesShown,
  geneBody,
  isRare,
  type RankedAllele,
  rowAnswer,
  writtenGene,
} from './gene-answers.js';
import { assemblyAsked, describedThreshold } from './look-up.js';

const share = z.coerce.number().min(0).max(1).optional();

const geneQuery = z.strictObject({
  assembly: z
    .string()
    .max(50)
    .optional()
    .describe('As in `GET /observations`: may be omitted if datasets of one assembly are named.'),
  dataset: z
    .union([z.string(), z.array(z.string()).max(1000)])
    .optional()
    .describe('Datasets to look in, repeated; all that the caller may observe if omitted.'),
  effect: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'Alleles with this consequence in a transcript of the gene: an impact (high, moderate, low, modifier), which stands for worse ' +
        'ones too, or a term by name or SO id with all that are one; several with commas.',
    ),
  maxFrequency: share.describe(
    'Alleles whose frequency in each of the datasets is at most this, and those of unknown frequency.',
  ),
  maxPopulationFrequency: share.describe(
    'Alleles that are at most so frequent in populations, as annotated, and those not annotated so.',
  ),
  threshold: z.string().trim().max(20).optional().meta({ type: 'integer', description: describedThreshold }),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of alleles of a page.'),
  cases: z.coerce
    .number()
    .int()
    .min(0)
    .max(100)
    .default(10)
    .describe('Maximum number of cases in `seenIn` of an allele.'),
  cursor: z.string().max(100).optional().describe('`next` of the page before.'),
});

const rule =
  'AC / AN by coverage. Samples of unknown coverage or sex count as searched: frequencies that count them are rather too low. Alleles ' +
  'without annotations are not listed.';

export function geneRoute(services: BeaconServices): RouteDeclaration {
  const { observing, observeAccess, genes, recording, settings } = services;
  return route({
    method: 'GET',
    path: '/observations/genes/:gene',
    operation: 'observeGene',
    summary: 'List the alleles of a gene with how often they were seen, the worst first',
    description:
      'Small alleles with a carrier that the annotations (VEP, SnpEff) of the datasets name, by their worst consequence for the gene, ' +
      'then by place. Datasets that other tenants share are left out. The ids of cases need the scope `beacon:cases`, too.',
    access: observeAccess,
    params: z.object({ gene: z.string().max(100).describe('HGNC id (HGNC:7436), symbol or Ensembl id.') }),
    query: geneQuery,
    answers: { 200: { description: 'A page of alleles.', content: { [jsonType]: geneBody } } },
    async handle({ params, input, principal, id, signal }) {
      const { effect, maxFrequency = 1, maxPopulationFrequency, threshold, limit, cases, cursor } = input;
      const ids = [input.dataset ?? []].flat().filter((one) => one !== '');
      const assembly = await assemblyAsked(services, principal, { assembly: input.assembly, datasets: ids });
      const open = await observing.named(principal, assembly, ids);
      const own = open.filter(({ shared }) => shared === undefined);
      const unannotated = await withoutAnnotations(services, own);
      const gene = await geneNamed(genes, assembly, params.gene);
      const rows = await rowsOfGene(services, own, gene, {
        ...(effect !== undefined && { terms: effectsOf(effect) }),
        ...(maxPopulationFrequency !== undefined && { maxFrequency: maxPopulationFrequency }),
      });
      if (rows.length === 0) await refuseUnknownGene(services, own, assembly, { gene, text: params.gene });
      const options = {
        threshold: threshold ? thresholdOfText(threshold) : undefined,
        detailed: own.some(({ withCases }) => withCases),
        signal,
      };
      const page = await pageOfRows(rows, { cursor, limit, maxFrequency, assembly }, (questions) =>
        observing.count(own, assembly, questions, options),
      );
      const levels = settings.observations.heteroplasmy;
      const shown = page.found.flatMap(({ observations }) => observations.filter(({ withCases }) => withCases));
      const named = shown.flatMap((one) => casesShown(one, cases).map((each) => each.case));
      const told = { datasets: own, cases: [...new Set(named)], alleles: page.found.length };
      await recording.observed({ principal, id }, told);
      return {
        body: {
          ...{ assembly, gene: writtenGene(gene), rule, unannotated },
          alleles: page.found.map((one) => rowAnswer(one, { assembly, cases, levels })),
          ...(page.next !== undefined && { next: page.next }),
        },
      };
    },
  });
}

/** Ids of the datasets without annotations. Throws an `unprocessable` fault if that is all of them. */
async function withoutAnnotations(
  { consequences }: Pick<BeaconServices, 'consequences'>,
  datasets: readonly Observable[],
): Promise<string[]> {
  const without: string[] = [];
  for (const { dataset } of datasets) {
    if ((await consequences.sources(dataset.id)).length === 0) without.push(dataset.id);
  }
  if (without.length < datasets.length) return without;
  throw new Fault(
    'unprocessable',
    'No dataset that this token may observe has annotations: load files that VEP or SnpEff annotated',
  );
}

/** A name that nothing here has is rather misspelt than that of a gene without alleles. Throws a `not-found` fault for it. */
async function refuseUnknownGene(
  { genes, consequences }: Pick<BeaconServices, 'genes' | 'consequences'>,
  datasets: readonly Observable[],
  assembly: Assembly,
  { gene, text }: { gene: GeneIdentity; text: string },
): Promise<void> {
  if ((await genes.genes(assembly, geneIdsNamed(text.trim()))).length > 0) return;
  for (const { dataset } of datasets) {
    if ((await consequences.ofGene(dataset.id, gene, { limit: 1 })).alleles.length > 0) return;
  }
  throw new Fault(
    'not-found',
    `No allele is annotated with the gene ${JSON.stringify(text)}, and no loaded gene has this name or id: check how it is written`,
  );
}

function effectsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(',').flatMap((one) => [...effectOf('effect', one)]));
}

async function rowsOfGene(
  { consequences }: Pick<BeaconServices, 'consequences'>,
  datasets: readonly Observable[],
  gene: GeneIdentity,
  asked: GeneQuestion,
): Promise<RankedAllele[]> {
  const rows = new Map<string, RankedAllele>();
  for (const { dataset } of datasets) {
    for (const annotation of (await consequences.ofGene(dataset.id, gene, asked)).alleles) {
      const question = annotation.allele.structural ? undefined : questionOfAllele(annotation.allele);
      const rank = worstRank(statedTerms(annotation));
      const known = rows.get(alleleKey(annotation.allele));
      if (question && (!known || rank < known.rank)) {
        rows.set(alleleKey(annotation.allele), { annotation, question, rank });
      }
    }
  }
  return [...rows.values()].sort(byRank);
}

function byRank(one: RankedAllele, other: RankedAllele): number {
  return one.rank - other.rank || byAllele(one.annotation.allele, other.annotation.allele);
}

// Pages: a cursor is the place of the last row that was looked at, and how many rows of this place were.

/** Alleles that are counted at once, and for one page at most. */
const [portion, mostCounted] = [100, 2000];

interface PageOptions {
  cursor: string | undefined;
  limit: number;
  maxFrequency: number;
  assembly: Assembly;
}

/** A page may have fewer rows than its limit, or none, although others follow. */
async function pageOfRows(
  rows: readonly RankedAllele[],
  { cursor, limit, maxFrequency, assembly }: PageOptions,
  count: (questions: readonly ObservedQuestion[]) => Promise<readonly (readonly DatasetObservation[])[]>,
): Promise<{ found: readonly CountedRow[]; next: string | undefined }> {
  const first = cursor === undefined ? 0 : placeAfter(rows, cursor);
  const found: CountedRow[] = [];
  let at = first;
  while (at < rows.length && at < first + mostCounted && found.length < limit) {
    const some = rows.slice(at, at + (maxFrequency < 1 ? portion : limit - found.length));
    const counted = await count(some.map(({ question }) => question));
    for (const [i, row] of some.entries()) {
      const observations = counted[i] ?? [];
      at++;
      if (isRare(observations, row.question, { maxFrequency, assembly })) found.push({ ...row, observations });
      if (found.length === limit) break;
    }
  }
  return { found, next: at < rows.length ? cursorAt(rows, at - 1) : undefined };
}

function cursorAt(rows: readonly RankedAllele[], last: number): string {
  const place = placeOfRow(rows[last] as RankedAllele);
  const taken = rows.slice(0, last + 1).filter((row) => placeOfRow(row) === place).length;
  return `${place}-${taken}`;
}

function placeOfRow({ rank, annotation: { allele } }: RankedAllele): string {
  return [rank, allele.contig, allele.start, allele.end].join('-');
}

function placeAfter(rows: readonly RankedAllele[], cursor: string): number {
  const [, rank, name, start, end, taken] =
    /^(\d{1,3})-([0-9XYMT]{1,2})-(\d{1,10})-(\d{1,10})-(\d{1,6})$/.exec(cursor) ?? [];
  const contig = contigs.find((one) => one === name);
  if (!contig) throw new Fault('invalid', 'cursor must be `next` of the page before');
  const here = {
    contig,
    start: Number(start),
    end: Number(end),
    reference: '',
    alternate: '',
    kind: '',
    structural: false,
  };
  const before = rows.findIndex(
    (row) => row.rank > Number(rank) || (row.rank === Number(rank) && byAllele(row.annotation.allele, here) >= 0),
  );
  return (before < 0 ? rows.length : before) + Number(taken);
}
