/** Who may see a page or endpoint that is for operators rather than for clients. */
import { z } from 'zod';
import type { Access } from '../auth/guard.js';
import type { RouteDeclaration } from './route.js';

export const exposures = ['open', 'token', 'off'] as const;
export type Exposure = (typeof exposures)[number];

/** The setting for one such endpoint; `open` unless set. */
export function exposureSetting(what: string) {
  return z
    .enum(exposures)
    .default('open')
    .describe(`${what}: open to every client, with an API token of the scope server:read, or off.`);
}

/** Returns the route with the access that the setting requires; none if off. */
export function exposed(declaration: RouteDeclaration, exposure: Exposure, access: () => Access): RouteDeclaration[] {
  if (exposure === 'off') return [];
  return [exposure === 'open' ? declaration : { ...declaration, access: access() }];
}
