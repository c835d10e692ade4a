/** `/panels`: versions of panels as JSON, and what people do with them. */
import { z } from 'zod';
import { Fault, type Right, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { PanelVersion } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { differences } from '../domain/differences.js';
import { type Actor, nameOf, retired, sentBack, signed, submitted } from '../domain/lifecycle.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';
import { editRight, type OfPanel, readRight, signRight } from '../rights.js';
import { headShown, shownHead, shownVersion, versionShown } from './shown.js';
import {
  changedSince,
  comment,
  type PanelContext,
  panelId,
  place,
  type StoredVersions,
  seenRevision,
} from './stored.js';

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

export function versionRoutes(context: PanelContext, stored: StoredVersions): RouteDeclaration[] {
  const { repository, found, change, refuseWithdrawn } = stored;
  const { signatures } = context.settings;

  const acting = (
    verb: string,
    operation: string,
    summary: string,
    right: Right<OfPanel>,
    next: (stored: PanelVersion, actor: Actor) => PanelVersion,
  ): RouteDeclaration =>
    route({
      method: 'POST',
      path: `/panels/:panel/:version/${verb}`,
      operation,
      summary,
      access: stored.access(right),
      params: place,
      body: { types: ['application/json'], schema: act },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      handle: async ({ params, body, principal }) => ({
        body: headShown(await change(await found(principal, right, params), body, principal, next)),
      }),
    });

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
      summary: 'A version of a panel with its genes',
      access: stored.access(readRight),
      params: place,
      answers: { 200: { description: 'The version.', content: { 'application/json': shownVersion } } },
      handle: async ({ params, principal }) => ({ body: versionShown(await found(principal, readRight, params)) }),
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
    acting('submit', 'submitPanel', 'Put a draft before those who sign', editRight, submitted),
    acting('send-back', 'sendBackPanel', 'Make a version in review a draft again', signRight, sentBack),
    acting('retire', 'retirePanel', 'Take a signed version out of use for new reports', signRight, retired),
    route({
      method: 'POST',
      path: '/panels/:panel/:version/sign',
      operation: 'signPanel',
      summary: 'Sign a version in review; the last signature that is needed signs it off',
      access: stored.access(signRight),
      params: place,
      body: { types: ['application/json'], schema: signature },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      async handle({ params, body, principal }) {
        const version = await found(principal, signRight, params);
        await refuseWithdrawn(version);
        const next = (seen: PanelVersion, actor: Actor) => signed(seen, body.sha256, signatures, actor);
        return { body: headShown(await change(version, body, principal, next)) };
      },
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
          .describe('The revision that was seen.'),
      }),
      answers: { 204: { description: 'It is removed.' } },
      async handle({ params, input, principal }) {
        const version = await found(principal, editRight, params);
        if (version.state !== 'draft')
          throw new Fault('conflict', `${nameOf(version)} is ${version.state}: only drafts can be removed`);
        if (!(await repository.remove(params.panel, params.version, input.revision))) throw changedSince(version);
        return { status: 204 };
      },
    }),
  ];
}
