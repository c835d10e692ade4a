/** `GET /beacon/search`: variants, genes and places in one field. */

import { z } from 'zod';
import { assemblyNamed } from '../../../../core/genome.js';
import { type Caller, isFault, type RouteDeclaration, type RouteRequest, route } from '../../../../core/plugin.js';
import { disclosed } from '../../disclosure.js';
import { pathBefore } from '../../server-address.js';
import type { BeaconServices } from '../../services.js';
import { longestField, readField } from './field.js';
import { type SearchServices, search } from './look-up.js';
import { type Example, searchPage } from './page.js';
import { type Texts, textsFor } from './texts/texts.js';
import type { Asked, Outcome } from './view.js';

export const searchPath = '/beacon/search';

const text = z
  .union([z.string(), z.array(z.string()).transform((all) => all[0] ?? '')])
  .default('')
  .meta({ type: 'string' });

const query = z.object({
  q: text.describe('A gene, a variant, a place, or a line of a VCF file; positions are one-based.'),
  assemblyId: text.describe('GRCh37 or GRCh38; may be omitted if all datasets use one of them.'),
  lang: z.enum(['en', 'sv']).optional().catch(undefined).describe('Language of the page.'),
});

type Query = z.output<typeof query>;

export function searchRoute(services: BeaconServices & SearchServices): RouteDeclaration {
  const { settings, baseUrl, readAccess } = services;
  const base = pathBefore(baseUrl);
  return route({
    method: 'GET',
    path: searchPath,
    operation: 'searchPage',
    summary: 'Search for variants on a page',
    description:
      'What is wrong with a search is explained on the page, with status 200. Programs ask /beacon/v2/g_variants.',
    query,
    optionalAccess: readAccess,
    answers: { 200: { description: 'The page.', content: { 'text/html': z.string() } } },
    async handle(request) {
      const { q, assemblyId, lang } = request.input;
      const texts = textsFor(lang, request.headers);
      const caller = await readAccess.callerOf(request);
      const assembly = assemblyId === '' ? await onlyAssembly(services, caller) : assemblyNamed(assemblyId);
      const asked: Asked = { text: q, assembly: assembly ?? assemblyId };
      const { outcome, json } = await outcomeOf(services, caller, { asked, texts, request });
      const body = searchPage({
        texts,
        beacon: settings.name,
        asked,
        outcome,
        examples: outcome === undefined ? await examples(services, caller) : [],
        json: json && `${base}${json}`,
        hasForm: settings.faces.includes('v1'),
        base,
        nonce: request.nonce,
      });
      return { type: 'text/html', headers: { Vary: 'Accept-Language' }, body };
    },
  });
}

/** The assembly of all datasets that the caller may query; undefined if they use several, or if there are none. */
async function onlyAssembly(services: SearchServices, caller: Caller): Promise<string | undefined> {
  const open = await disclosed(services, caller, await services.datasets.current());
  const [only, ...others] = new Set(open.map(({ dataset }) => dataset.assembly));
  return others.length === 0 ? only : undefined;
}

interface Asking {
  asked: Asked;
  texts: Texts;
  request: RouteRequest<unknown, Query, unknown>;
}

interface Answered {
  /** Undefined if nothing was asked. */
  outcome: Outcome | undefined;
  /** Address of the same search as JSON. */
  json?: string;
}

/** A search that cannot be made is an outcome, which the page shows; any other failure is thrown. */
async function outcomeOf(
  services: SearchServices,
  caller: Caller,
  { asked, texts, request }: Asking,
): Promise<Answered> {
  if (asked.text.trim() === '') return { outcome: undefined };
  if (asked.text.length > longestField) return { outcome: { error: texts.tooLong(longestField) } };
  const field = readField(asked.text);
  if ('mistake' in field) return { outcome: { error: texts.mistakes[field.mistake] } };
  try {
    const outcome = await search(services, caller, { ...field, assemblyId: asked.assembly }, request.signal);
    return { outcome, json: jsonOf({ ...field.parameters, assemblyId: outcome.assembly }) };
  } catch (error) {
    if (isFault(error) && (error.code === 'invalid' || error.code === 'too-many-requests'))
      return { outcome: { error: error.message } };
    throw error;
  }
}

/** The length that all servers and browsers accept in an address. */
const longestAddress = 4000;

function jsonOf(parameters: object): string | undefined {
  const fields = Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams([...fields, ['includeResultsetResponses', 'ALL']]);
  const address = `/beacon/v2/g_variants?${search}`;
  return address.length > longestAddress ? undefined : address;
}

/** A variant of the first dataset with any, and the place around it. */
async function examples(services: SearchServices, caller: Caller): Promise<Example[]> {
  const open = await disclosed(services, caller, await services.datasets.current());
  const filled = open.find(({ dataset, granularity }) => dataset.alleleCount > 0 && granularity === 'record');
  if (!filled) return [];
  const { id, assembly } = filled.dataset;
  const [allele] = await services.guard.reads(caller).examples(id, false, 1);
  if (!allele) return [];
  const { contig, start, reference, alternate } = allele;
  const thousand = Math.floor(start / 1000) * 1000;
  return [
    { text: `${contig}-${start + 1}-${reference}-${alternate}`, assembly },
    { text: `${contig}:${thousand + 1}-${thousand + 10_000}`, assembly },
  ];
}
