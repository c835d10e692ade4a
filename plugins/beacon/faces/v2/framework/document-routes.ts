/** Routes of the documents that describe the beacon. */
import { z } from 'zod';
import { type RequestHead, type RouteDeclaration, route } from '../../../../../core/plugin.js';
import type { BeaconRequest } from '../request/request.js';
import { configuration, entryTypes, info, map, serviceInfo } from './documents.js';
import { failures } from './errors.js';
import { baseOf, type Face, root } from './face.js';
import { informationalMeta } from './meta.js';
import { bodyDeclaration, queryDeclaration, requestOf } from './reading.js';
import { type View, viewOf } from './view.js';

/** What a document is made of. */
interface Telling {
  face: Face;
  view: View;
  base: string;
  request: BeaconRequest;
}

interface Document {
  path: string;
  operation: string;
  summary: string;
  body(telling: Telling): unknown;
}

const accepted = {
  framework: ['requestedSchema', 'skip', 'limit', 'testMode'],
  parameters: {},
  granularity: 'record',
} as const;

const anyDocument = z.looseObject({});

export function documentRoutes(face: Face): RouteDeclaration[] {
  const wrapped = (document: Document): Document => ({
    ...document,
    body: async (telling) => ({
      meta: informationalMeta(face.services.settings.id),
      response: await document.body(telling),
    }),
  });
  const about = async ({ face, view, base }: Telling) => info(face, view, await face.terms(view), base);
  const documents: Document[] = [
    wrapped({ path: '', operation: 'beaconV2', summary: 'Describe the beacon', body: about }),
    wrapped({ path: '/info', operation: 'beaconV2Info', summary: 'Describe the beacon', body: about }),
    {
      path: '/service-info',
      operation: 'beaconV2ServiceInfo',
      summary: 'Describe the beacon as GA4GH service info',
      body: async ({ face, view, base }) => serviceInfo(face, view, await face.terms(view), base),
    },
    wrapped({
      path: '/configuration',
      operation: 'beaconV2Configuration',
      summary: 'The configuration of the beacon, with its entry types',
      body: ({ face, view, base }) => configuration(face, view, base),
    }),
    wrapped({
      path: '/entry_types',
      operation: 'beaconV2EntryTypes',
      summary: 'The entry types of the beacon',
      body: ({ face, base }) => entryTypes(face, base),
    }),
    wrapped({
      path: '/map',
      operation: 'beaconV2Map',
      summary: 'The endpoints of the beacon',
      body: ({ face, base }) => map(face, base),
    }),
    wrapped({
      path: '/filtering_terms',
      operation: 'beaconV2FilteringTerms',
      summary: 'The filters that work, as far as they occur in datasets that the caller may query',
      body: ({ face, view, request }) => termsOf(face, view, request),
    }),
  ];
  return documents.map((document) => documentRoute(face, document));
}

async function termsOf({ terms }: Face, view: View, { pagination: { skip, limit } }: BeaconRequest) {
  const { resources, filteringTerms } = await terms(view);
  return { resources, filteringTerms: filteringTerms.slice(skip * limit, (skip + 1) * limit) };
}

function documentRoute(face: Face, { path, operation, summary, body }: Document): RouteDeclaration {
  const { readAccess } = face.services;
  return route({
    method: ['GET', 'POST'],
    path: root + path,
    operation,
    summary,
    query: queryDeclaration(accepted),
    body: bodyDeclaration,
    optionalAccess: readAccess,
    anyOrigin: true,
    answers: {
      200: { description: 'The document.', content: { 'application/json': anyDocument } },
      ...failures,
    },
    async handle(head) {
      const request = requestOf(head, accepted);
      const view = request.testMode ? face.testView : await viewOf(face.services, await callerOf(face, head));
      return { body: await body({ face, view, base: baseOf(face, head), request }) };
    },
  });
}

function callerOf({ services }: Face, head: Pick<RequestHead, 'headers' | 'method'>) {
  return services.readAccess.callerOf(head);
}
