/** `GET /panels/ID/VERSION.bed`: the exons of a version's genes. */
import { z } from 'zod';
import { type PluginContext, type RouteDeclaration, route } from '../../../core/plugin.js';
import type { GeneStructures } from '../../services/coverage.js';
import { geneStructuresKey } from '../exports/exons.js';
import { bedQuery, panelBed } from '../exports/panel-bed.js';
import { readRight } from '../rights.js';
import { place, type StoredVersions } from './stored.js';

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
