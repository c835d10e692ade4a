/** A server with panels, people with tokens, and names of genes. */

import { issueToken } from '../../../../core/auth/access.js';
import { tokens } from '../../../../core/auth/contract.js';
import { serveForTest, type TestServer } from '../../../../core/testing.js';
import { panels } from '../../../../plugins/panels/contract.js';
import { GeneTable } from '../../../../plugins/panels/genes/gene-table.js';
import { readApproved, readWithdrawn } from '../../../../plugins/panels/genes/hgnc.js';
import type { PanelContent, PanelGene } from '../../../../plugins/panels/versions/content.js';
import { draftVersion } from '../../../../plugins/panels/versions/lifecycle.js';
import { request } from '../../../support/http.js';
import type { storages } from '../../../support/storages.js';
import { approved, withdrawn } from './hgnc.js';

export const at = new Date('2026-11-02T10:00:00Z');

export const green = (hgnc: number, symbol: string, more: Partial<PanelGene> = {}): PanelGene => ({
  hgnc,
  symbol,
  confidence: 'green',
  ...more,
});

export function contentOf(genes: PanelGene[], more: Partial<PanelContent> = {}): PanelContent {
  return { name: 'Kidney tumours', genes, source: { kind: 'person', name: 'anna', read: at.toISOString() }, ...more };
}

export const geneTable = (gone = withdrawn): GeneTable =>
  new GeneTable(
    readApproved({ name: 'set.txt', text: approved }).genes,
    readWithdrawn({ name: 'withdrawn.txt', text: gone }),
  );

export interface Answered<Body> {
  status: number;
  text: string;
  headers: Headers;
  body: Body;
}

export interface PanelServer {
  server: TestServer;
  /** A token of this owner with these scopes, or panels:read, panels:edit and panels:sign. */
  token(owner: string, ...scopes: string[]): Promise<string>;
  ask<Body>(method: string, path: string, token: string, body?: unknown): Promise<Answered<Body>>;
  draft(panel: string, version: string, content: PanelContent): Promise<void>;
  /** Loads names of genes. */
  named(release: string): Promise<void>;
}

export async function servePanels(
  storage: (typeof storages)[number],
  settings: Record<string, unknown> = {},
  core: Record<string, unknown> = {},
): Promise<PanelServer> {
  const server = await serveForTest({ plugins: { panels: settings }, settings: core, storage });
  return {
    server,
    async token(owner, ...scopes) {
      const held = scopes.length === 0 ? ['panels:read', 'panels:edit', 'panels:sign'] : scopes;
      return (await issueToken(server.repository(tokens), { owner, scopes: held }, new Date())).token;
    },
    ask: <Body>(method: string, path: string, token: string, json?: unknown) =>
      request<Body>(`${server.url}/panels/${path}`, { method, token, json }),
    draft: (panel, version, content) =>
      server.repository(panels).add(draftVersion(panel, version, content, { by: 'anna', at })),
    async named(release) {
      const names = { release, sources: ['set.txt'], approved: 6, withdrawn: 6, loaded: at };
      await server.repository(panels).replaceNames(names, geneTable().pack());
    },
  };
}
