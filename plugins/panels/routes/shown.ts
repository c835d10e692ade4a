/** Panels as JSON. */
import { z } from 'zod';
import { type PanelHead, type PanelVersion, panelStates, panelSteps } from '../contract.js';
import { panelContent, parseContent } from '../domain/content.js';

const head = z.object({
  panel: z.string(),
  version: z.string().describe('Dotted whole numbers; 1.10 is after 1.9.'),
  name: z.string(),
  state: z.enum(panelStates),
  revision: z.int().describe('One more with each change; a change names the revision that it saw.'),
  sha256: z.string().describe('Of the content: what people sign.'),
  genes: z.int().describe('Number of genes.'),
  unmapped: z.int().describe('Number of entries for which no gene was found; any blocks signing.'),
  history: z.array(
    z.object({
      what: z.enum(panelSteps),
      at: z.iso.datetime(),
      by: z.string(),
      name: z.string().optional().describe('What the identity provider called that person.'),
      sha256: z.string(),
      comment: z.string().optional(),
    }),
  ),
});

export const shownHead = head;
export const shownVersion = head.extend({ content: panelContent });

export function headShown({ panel, version, name, state, revision, ...rest }: PanelHead): z.infer<typeof shownHead> {
  const { digest, genes, unmapped } = rest;
  const history = rest.history.map(({ what, at, by, name: called, comment, digest: sha256 }) => ({
    ...{ what, at: at.toISOString(), by, sha256 },
    ...(called === undefined ? {} : { name: called }),
    ...(comment === undefined ? {} : { comment }),
  }));
  return { panel, version, name, state, revision, sha256: digest, genes, unmapped, history };
}

export function versionShown(version: PanelVersion): z.infer<typeof shownVersion> {
  return { ...headShown(version), content: parseContent(version.content) };
}
