/** `/panels`: versions of panels as JSON and as BED, and what people do with them. */
import { z } from 'zod';
import { type PluginContext, preferred, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { bedQuery, panelBed } from '../genes/bed-export.js';
import { geneStructuresKey } from '../genes/exons.js';
import { versionPage } from '../pages/version.js';
import { editRight, readRight, signRight } from '../rights.js';
import { differences, parseContent } from '../versions/content.js';
import { isVersionName, versionNameForm } from '../versions/names.js';
import {
  type ChangeAuthor,
  comment,
  headShown,
  lastRevision,
  type PanelContext,
  panelId,
  perform,
  place,
  rightFor,
  type SigningRules,
  type StoredVersions,
  seenRevision,
  shownHead,
  shownVersion,
  type Verb,
  type VersionAct,
  type VersionPlace,
  versionShown,
} from './acts.js';
import { pageType } from './pages.js';

/** What a person who acts on a version sends. */
const act = z.strictObject({
  revision: seenRevision,
  comment: comment.optional(),
});
const signature = act.extend({
  sha256: z
    .string({ error: 'expected the sha256 of the content that was read' })
    .describe('Of the content that was read: what the person signs.'),
});

const jsonType = 'application/json';

export function versionRoutes(
  context: PanelContext,
  stored: StoredVersions,
  signing: SigningRules,
  base: string,
): RouteDeclaration[] {
  const { repository, found } = stored;

  const acting = (verb: Exclude<Verb, 'remove' | 'sign'>, operation: string, summary: string): RouteDeclaration =>
    route({
      method: 'POST',
      path: `/panels/:panel/:version/${verb}`,
      operation,
      summary,
      access: stored.access(rightFor[verb]),
      params: place,
      body: { types: [jsonType], schema: act },
      answers: { 200: { description: 'The version.', content: { [jsonType]: shownHead } } },
      handle: ({ params, body, principal, id }) => done(verb, params, body, { principal, request: id }),
    });

  async function done(
    verb: Exclude<Verb, 'remove'>,
    at: VersionPlace,
    body: VersionAct,
    by: Pick<ChangeAuthor, 'principal' | 'request'>,
  ) {
    const version = await found(by.principal, rightFor[verb], at);
    const after = await perform(stored, version, verb, body, by, signing);
    return { body: headShown(after ?? version) };
  }

  return [
    route({
      method: 'GET',
      path: '/panels/versions',
      operation: 'panelVersions',
      summary: 'All versions of panels, or those of one panel',
      access: stored.access(readRight),
      query: z.object({ panel: panelId.optional() }),
      answers: {
        200: {
          description: 'By panel and version.',
          content: { 'application/json': z.object({ versions: z.array(shownHead) }) },
        },
      },
      async handle({ input, principal }) {
        const heads = await context.policy.among(principal, readRight, await repository.list(input.panel));
        return { body: { versions: heads.map(headShown) } };
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version',
      operation: 'panelVersion',
      summary: 'A version of a panel with its genes, as JSON or as a page',
      access: stored.access(readRight),
      params: place,
      answers: {
        200: { description: 'The version.', content: { [jsonType]: shownVersion, [pageType]: z.string() } },
      },
      async handle({ params, principal, headers, nonce, signal }) {
        const version = await found(principal, readRight, params);
        const vary = { Vary: 'Accept' };
        if (preferred(headers, [jsonType, pageType]) !== pageType)
          return { headers: vary, body: versionShown(version) };
        const shown = {
          version,
          heads: await repository.list(version.panel),
          checked: await stored.checked(version, signal),
          wanted: signing.wanted,
          mayEdit: await stored.may(principal, editRight, version.panel),
          maySign: await stored.may(principal, signRight, version.panel),
          hasPositions: context.find(geneStructuresKey) !== undefined,
        };
        return { type: pageType, headers: vary, body: versionPage(shown, { base, nonce }) };
      },
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/differences',
      operation: 'panelDifferences',
      summary: 'The genes that differ from another version of the panel, or of another panel',
      access: stored.access(readRight),
      params: place,
      query: z.object({
        from: z
          .string({ error: 'expected the earlier version' })
          .refine(isVersionName, `expected ${versionNameForm}`)
          .describe('The earlier version.'),
        panel: panelId.optional().describe('Its panel, if it is another.'),
      }),
      answers: {
        200: {
          description: 'By HGNC id.',
          content: {
            'application/json': z.object({
              genes: z.array(
                z.object({
                  hgnc: z.int(),
                  symbol: z.string(),
                  what: z.array(z.enum(['added', 'removed', 'promoted', 'demoted', 'renamed', 'changed'])),
                  changed: z.array(z.string()).describe('Names of the other members that differ.'),
                }),
              ),
            }),
          },
        },
      },
      async handle({ params, input, principal }) {
        const [before, after] = await Promise.all([
          found(principal, readRight, { panel: input.panel ?? params.panel, version: input.from }),
          found(principal, readRight, params),
        ]);
        const genes = differences(parseContent(before.content), parseContent(after.content));
        return { body: { genes: genes.map(({ before: _, after: __, ...shown }) => shown) } };
      },
    }),
    acting('submit', 'submitPanel', 'Put a draft before those who sign'),
    acting('send-back', 'sendBackPanel', 'Make a version in review a draft again'),
    acting('retire', 'retirePanel', 'Take a signed version out of use for new reports'),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/sign',
      operation: 'signPanel',
      summary: 'Sign a version in review; the last signature that is needed signs it off',
      access: stored.access(signRight),
      params: place,
      body: { types: ['application/json'], schema: signature },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      handle: ({ params, body, principal, id }) => done('sign', params, body, { principal, request: id }),
    }),
    route({
      method: 'DELETE',
      path: '/panels/:panel/:version',
      operation: 'removePanelDraft',
      summary: 'Remove a draft',
      access: stored.access(editRight),
      params: place,
      query: z.object({
        revision: z.coerce
          .number({ error: 'expected the revision that was seen, a whole number' })
          .int()
          .min(1)
          .max(lastRevision)
          .describe('The revision that was seen.'),
      }),
      answers: { 204: { description: 'It is removed.' } },
      async handle({ params, input, principal, id }) {
        const version = await found(principal, editRight, params);
        await perform(stored, version, 'remove', input, { principal, request: id }, signing);
        return { status: 204 };
      },
    }),
  ];
}

// `GET /panels/ID/VERSION.bed`: the exons of a version's genes.

export function exportRoute(
  { find, version: software, now }: Pick<PluginContext<unknown>, 'find' | 'version' | 'now'>,
  { access, found }: Pick<StoredVersions, 'access' | 'found'>,
): RouteDeclaration {
  return route({
    method: 'GET',
    path: '/panels/:panel/:version.bed',
    operation: 'panelBed',
    class: 'report',
    summary: 'The exons of a version of a panel as BED',
    description:
      'Comment lines name panel, version, state, releases and digests, and list every gene and entry without lines.',
    access: access(readRight),
    params: place,
    query: bedQuery,
    answers: { 200: { description: 'BED with four columns, by position.', content: { 'text/plain': z.string() } } },
    async handle({ params, input, principal, signal }) {
      const version = await found(principal, readRight, params);
      const structures = find<GeneStructures>(geneStructuresKey);
      const { text } = await panelBed(version, input, { structures, signal, software, now: now() });
      const name = `${version.panel}-${version.version}-${input.build}.bed`;
      return {
        type: 'text/plain',
        headers: { 'Content-Disposition': `attachment; filename="${name}"` },
        body: text,
      };
    },
  });
}
