/** `/panels`: versions of panels as JSON, and what people do with them. */
import { z } from 'zod';
import {
  Fault,
  type PluginContext,
  type Principal,
  type Right,
  type RouteDeclaration,
  route,
} from '../../../core/plugin.js';
import { type PanelVersion, panels } from '../contract.js';
import { parseContent } from '../domain/content.js';
import { differences } from '../domain/differences.js';
import { type Actor, nameOf, retired, sentBack, signed, submitted } from '../domain/lifecycle.js';
import { isVersionName, versionNameForm } from '../domain/version-name.js';
import { checkGenes } from '../genes/check.js';
import { namesInUse } from '../genes/stored.js';
import { editRight, type OfPanel, readRight, signRight } from '../rights.js';
import type { PanelSettings } from '../settings.js';
import { headShown, shownHead, shownVersion, versionShown } from './shown.js';

const id = z.string().max(100);
const version = z.string().refine(isVersionName, `expected ${versionNameForm}`);
const place = z.object({ panel: id, version });

/** What a person who acts on a version sends. */
const act = z.strictObject({
  revision: z
    .int({ error: 'expected the revision that was seen, a whole number' })
    .min(1)
    .describe('The revision that was seen.'),
  comment: z.string().min(1).max(2000).optional(),
});
const signature = act.extend({
  sha256: z
    .string({ error: 'expected the sha256 of the content that was read' })
    .describe('Of the content that was read: what the person signs.'),
});

export function versionRoutes(
  context: Pick<PluginContext<PanelSettings>, 'repository' | 'callerAccess' | 'policy' | 'settings' | 'now'>,
): RouteDeclaration[] {
  const repository = context.repository(panels);
  const { signatures } = context.settings;

  /** A version of a panel that the caller has no right to is answered like one that does not exist. */
  async function found(
    caller: Principal,
    right: Right<OfPanel>,
    { panel, version: name }: z.infer<typeof place>,
  ): Promise<PanelVersion> {
    const stored = await repository.find(panel, name);
    if (stored === undefined || !(await context.policy.may(caller, right, { panel })))
      throw new Fault('not-found', `There is no version ${panel}@${name}`);
    return stored;
  }

  /** Changes a version, if it is the one that the person saw. */
  async function change(
    stored: PanelVersion,
    { revision, comment }: z.infer<typeof act>,
    principal: Principal,
    next: (stored: PanelVersion, actor: Actor) => PanelVersion,
  ) {
    if (stored.revision !== revision) throw changed(stored);
    const actor = { by: principal.owner, at: context.now(), ...(comment === undefined ? {} : { comment }) };
    const after = next(stored, actor);
    if (!(await repository.replace(after))) throw changed(stored);
    return { body: headShown(after) };
  }

  /** The names of genes may have changed since the draft was made: none that is withdrawn is signed. */
  async function refuseWithdrawn(stored: PanelVersion): Promise<void> {
    const { table } = await namesInUse(repository);
    const blocking = checkGenes(parseContent(stored.content).genes, table).filter(({ what }) => what === 'withdrawn');
    if (blocking.length === 0) return;
    const listed = blocking.slice(0, 5).map(({ symbol, text }) => `${symbol}: ${text}`);
    throw new Fault('conflict', `${nameOf(stored)} has genes that were withdrawn: ${listed.join('; ')}`);
  }

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
      access: context.callerAccess(right),
      params: place,
      body: { types: ['application/json'], schema: act },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      handle: async ({ params, body, principal }) =>
        change(await found(principal, right, params), body, principal, next),
    });

  return [
    route({
      method: 'GET',
      path: '/panels/versions',
      operation: 'panelVersions',
      summary: 'All versions of panels, or those of one panel',
      access: context.callerAccess(readRight),
      query: z.object({ panel: id.optional() }),
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
      access: context.callerAccess(readRight),
      params: place,
      answers: { 200: { description: 'The version.', content: { 'application/json': shownVersion } } },
      handle: async ({ params, principal }) => ({ body: versionShown(await found(principal, readRight, params)) }),
    }),
    route({
      method: 'GET',
      path: '/panels/:panel/:version/differences',
      operation: 'panelDifferences',
      summary: 'The genes that differ from another version of the panel, or of another panel',
      access: context.callerAccess(readRight),
      params: place,
      query: z.object({
        from: z
          .string({ error: 'expected the earlier version' })
          .refine(isVersionName, `expected ${versionNameForm}`)
          .describe('The earlier version.'),
        panel: id.optional().describe('Its panel, if it is another.'),
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
      access: context.callerAccess(signRight),
      params: place,
      body: { types: ['application/json'], schema: signature },
      answers: { 200: { description: 'The version.', content: { 'application/json': shownHead } } },
      async handle({ params, body, principal }) {
        const stored = await found(principal, signRight, params);
        await refuseWithdrawn(stored);
        return change(stored, body, principal, (version, actor) => signed(version, body.sha256, signatures, actor));
      },
    }),
    route({
      method: 'DELETE',
      path: '/panels/:panel/:version',
      operation: 'removePanelDraft',
      summary: 'Remove a draft',
      access: context.callerAccess(editRight),
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
        const stored = await found(principal, editRight, params);
        if (stored.state !== 'draft')
          throw new Fault('conflict', `${nameOf(stored)} is ${stored.state}: only drafts can be removed`);
        if (!(await repository.remove(params.panel, params.version, input.revision))) throw changed(stored);
        return { status: 204 };
      },
    }),
  ];
}

function changed(stored: PanelVersion): Fault {
  return new Fault('conflict', `${nameOf(stored)} was changed since it was read: read it again`);
}
