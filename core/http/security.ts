/** Protects browsers and the server: security headers, cross-origin permission and the rate limit. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import cors from '@koa/cors';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Fault } from '../fault.js';
import type { HttpMiddleware } from './exchange.js';
import type { HttpSettings } from './settings.js';

/**
 * Sets security headers on every response, including errors. Data must not be rendered as a page; pages get
 * `pagePolicy` instead. Caches must not store responses, which may contain patient data, unless a handler allows it.
 */
export function securityHeaders(settings: HttpSettings): HttpMiddleware {
  const headers = constantHeaders(settings);
  return ({ res }, next) => {
    for (const [name, value] of headers) res.setHeader(name, value);
    return next();
  };
}

/** Helmet sets the same headers for every request, so it is called only once. */
function constantHeaders({ hsts }: HttpSettings): [name: string, value: string][] {
  const koa = new Koa();
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const set = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: hsts === 0 ? false : { maxAge: hsts, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
  void set(koa.createContext(request, response), async () => undefined);
  response.setHeader('Cache-Control', 'no-store');
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

/**
 * The Content-Security-Policy of a page: it loads nothing from elsewhere, and inline styles and scripts need the
 * nonce of their response.
 */
export function pagePolicy(nonce: string): string {
  return (
    `default-src 'none';script-src 'nonce-${nonce}';style-src 'nonce-${nonce}';img-src 'self' data:;font-src 'self';` +
    "connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'"
  );
}

/** Whether a route may be called from pages of any origin (`RouteDeclaration.anyOrigin`). */
export type OpenToPages = (path: string, method: string) => boolean;

/** Allows cross-origin requests: from the configured origins or, if there are none, from any to the open routes. */
export function crossOrigin({ cors: { origins, maxAge } }: HttpSettings, isOpen: OpenToPages): HttpMiddleware {
  if (origins.length === 0) {
    const permit = cors({ ...common, origin: '*', allowMethods: 'GET,HEAD,POST', maxAge });
    return (ctx, next) => {
      const method = ctx.method === 'OPTIONS' ? ctx.get('Access-Control-Request-Method') : ctx.method;
      return isOpen(ctx.path, method) ? permit(ctx, next) : next();
    };
  }
  const any = origins.includes('*');
  // A configured URL may end with a slash; the header never does.
  const allowed = new Set(origins.filter((origin) => origin !== '*').map((origin) => new URL(origin).origin));
  return cors({
    origin: (ctx) => (any ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    ...common,
    maxAge,
  });
}

const common = { exposeHeaders: ['X-Request-Id', 'Retry-After'], keepHeadersOnError: false };

const exempt = new Set(['/-/live', '/-/ready']);

/** Returns the limit per client address; undefined if it is off. */
export function rateLimit({ rateLimit: { enabled, requests, perSeconds } }: HttpSettings): HttpMiddleware | undefined {
  if (!enabled) return undefined;
  const limiter = new RateLimiterMemory({ points: requests, duration: perSeconds });
  return async (ctx, next) => {
    if (!exempt.has(ctx.path)) {
      try {
        await limiter.consume(ctx.ip);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        const wait = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
        throw new Fault('too-many-requests', `Too many requests; try again in ${wait} s`, {
          headers: { 'Retry-After': String(wait) },
        });
      }
    }
    return next();
  };
}
