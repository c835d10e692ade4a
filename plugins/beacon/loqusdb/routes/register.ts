/**
 * The face of loqusdb: its routes for clients such as Scout, which send no token; who may use them; the version, and how often
 * a variant was observed. Off unless configured.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { Fault, type PluginContext, type RouteDeclaration, route } from '../../../../core/plugin.js';
import type { BeaconServices } from '../../services.js';
import {
  casesNamedIn,
  findStructural,
  findVariant,
  loqusdbVersion,
  structuralDocument,
  variantDocument,
} from '../documents.js';
import { type LoqusdbSettings, withinRanges } from '../settings.js';
import { caseRoutes } from './cases.js';
import {
  commonErrors,
  declaredError,
  errorDetail,
  jsonType,
  type LoqusdbFace,
  loqusdbFace,
  parameters,
} from './face.js';

export function registerLoqusdb(
  context: Pick<PluginContext<unknown>, 'route' | 'errorBody' | 'use'>,
  services: BeaconServices,
): void {
  const { loqusdb } = services.settings;
  if (loqusdb === undefined) return;
  const face = loqusdbFace(services, loqusdb);
  for (const route of [infoRoute(face), ...variantRoutes(face), ...caseRoutes(face, services)]) context.route(route);
  context.errorBody(loqusdb.prefix, errorDetail);
  const admit = gate(loqusdb);
  context.use(loqusdb.prefix, ({ ip, path }, next) => {
    admit({ ip, path });
    return next();
  });
}

// Who may use the routes of loqusdb: clients at configured addresses, clients that know the secret, or both.

/**
 * Returns a function that throws unless a request comes from a configured address and its path has the secret. A path with
 * a wrong secret is as if it did not exist, and other addresses cannot try any.
 */
function gate({
  prefix,
  addresses,
  secret,
}: Pick<LoqusdbSettings, 'prefix' | 'addresses' | 'secret'>): (request: { ip: string; path: string }) => void {
  const isKnown = addresses.length === 0 ? () => true : withinRanges(addresses);
  const expected = secret === undefined ? undefined : secretDigest(secret);
  return ({ ip, path }) => {
    if (!isKnown(ip)) {
      throw new Fault(
        'forbidden',
        'This address is not one of the configured clients; behind a proxy, set http.trustProxy',
      );
    }
    if (expected === undefined) return;
    const [sent = ''] = path.slice(prefix.length + 1).split('/', 1);
    // Digests have one length and can be compared in constant time.
    if (!timingSafeEqual(secretDigest(sent), expected)) throw new Fault('not-found', 'There is nothing at this path');
  };
}

function secretDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

// `GET /`: the version, by which Scout decides whether it can use the service.

function infoRoute({ path }: LoqusdbFace): RouteDeclaration {
  return route({
    method: 'GET',
    path: path('/'),
    operation: 'loqusdbInfo',
    summary: 'The version of loqusdb whose routes are served',
    answers: {
      200: {
        description: 'The version.',
        content: { [jsonType]: z.strictObject({ message: z.string(), loqusdb_version: z.string() }) },
      },
      403: declaredError('The request comes from an address that is not configured.'),
    },
    handle() {
      return { body: { message: 'Welcome to the loqusdbapi', loqusdb_version: loqusdbVersion } };
    },
  });
}

// `GET /variants/:id` and `GET /svs/`: how often a variant was observed.

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

function variantRoutes({ path, dataset, lookUp, recording }: LoqusdbFace): RouteDeclaration[] {
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
        404: declaredError('The variant was not observed.'),
      },
      async handle(request) {
        const { id } = request.params;
        const from = await dataset(request);
        const found = await findVariant(lookUp(from, request.signal), id);
        await recording.loqusdb(request, from, { case: casesNamedIn(found) });
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
        404: declaredError('No such variant was observed.'),
      },
      async handle(request) {
        const from = await dataset(request);
        const found = await findStructural(lookUp(from, request.signal), request.input);
        await recording.loqusdb(request, from, { case: casesNamedIn(found) });
        if (found) return { body: found };
        throw new Fault('not-found', 'Variant not found');
      },
    }),
  ];
}
