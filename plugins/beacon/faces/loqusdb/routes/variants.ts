/** `GET /variants/:id` and `GET /svs/`: how often a variant was observed. */
import { z } from 'zod';
import { Fault, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import { structuralDocument, variantDocument } from '../../../loqusdb/documents.js';
import { findStructural, findVariant } from '../../../loqusdb/variants.js';
import type { LoqusdbFace } from '../face.js';
import { commonErrors, error, jsonType, parameters } from './shape.js';

const place = z
  .string()
  .regex(/^\d{1,10}$/, 'must be a whole number')
  .transform(Number);

const structuralParameters = parameters({
  chrom: z.string(),
  end_chrom: z.string().optional().describe('The same chromosome if omitted.'),
  pos: place,
  end: place.describe('Of a breakend the position of its mate; of an insertion of known length, pos plus the length.'),
  sv_type: z.string().describe('DEL, DUP, INS, INV, BND or another SVTYPE.'),
});

export function variantRoutes({ path, dataset, lookUp, recording }: LoqusdbFace): RouteDeclaration[] {
  return [
    route({
      method: 'GET',
      path: path('/variants/:id'),
      operation: 'loqusdbVariant',
      summary: 'How often a small variant was observed, as loqusdb answers',
      params: z.object({ id: z.string().describe('Such as 1_880086_T_C.') }),
      query: parameters({}),
      answers: {
        ...commonErrors,
        200: { description: 'The variant.', content: { [jsonType]: variantDocument } },
        404: error('The variant was not observed.'),
      },
      async handle(request) {
        const { id } = request.params;
        const from = await dataset(request);
        const found = await findVariant(lookUp(from, request.signal), id);
        await recording.loqusdb(request, from, (found?.families ?? []).map(caseName));
        if (found) return { body: found };
        throw new Fault('not-found', `Variant ${id.slice(0, 300)} not found`);
      },
    }),
    route({
      method: 'GET',
      path: path('/svs'),
      operation: 'loqusdbStructuralVariant',
      summary: 'How often a structural variant was observed, in the form that loqusdb answers',
      description:
        'Counts the cases with a variant of the type whose both ends are near those of the request: within a window ' +
        'that depends on the requested length alone, with the widths of loqusdb.',
      query: structuralParameters,
      answers: {
        ...commonErrors,
        200: { description: 'The observations.', content: { [jsonType]: structuralDocument } },
        404: error('No such variant was observed.'),
      },
      async handle(request) {
        const from = await dataset(request);
        const found = await findStructural(lookUp(from, request.signal), request.input);
        await recording.loqusdb(request, from, (found?.families ?? []).map(caseName));
        if (found) return { body: found };
        throw new Fault('not-found', 'Variant not found');
      },
    }),
  ];
}

/** A case in the audit. */
function caseName(id: string): string {
  return `case:${id}`;
}
