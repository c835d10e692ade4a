/** What protects browsers and the server: security headers, cross-origin permission and the rate limit. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@koa/cors';
import helmet from 'koa-helmet';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Fault } from '../fault.js';
import { type HttpMiddleware, nonceOf } from './exchange.js';
import type { HttpSettings } from './settings.js';

/**
 * Security headers. Pages of ours load nothing from elsewhere; inline styles and scripts run only with the nonce of
 * their answer. Answers are not stored by caches unless a handler says otherwise: they may be about patients.
 */
export function securityHeaders(settings: HttpSettings): HttpMiddleware {
  const nonce = (_request: IncomingMessage, response: ServerResponse) => `'nonce-${nonceOf(response)}'`;
  const headers = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: [nonce],
        styleSrc: [nonce],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: settings.hsts === 0 ? false : { maxAge: settings.hsts, includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  });
  return (ctx, next) => {
    ctx.set('Cache-Control', 'no-store');
    return headers(ctx, next);
  };
}

/** Cross-origin requests from the configured origins; undefined where there are none. */
export function crossOrigin({ cors: { origins, maxAge } }: HttpSettings): HttpMiddleware | undefined {
  if (origins.length === 0) return undefined;
  const any = origins.includes('*');
  // A configured URL may carry a slash at its end; the header never does.
  const allowed = new Set(origins.filter((origin) => origin !== '*').map((origin) => new URL(origin).origin));
  return cors({
    origin: (ctx) => (any ? '*' : allowed.has(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    exposeHeaders: ['X-Request-Id', 'Retry-After'],
    maxAge,
    keepHeadersOnError: false,
  });
}

const exempt = new Set(['/-/live', '/-/ready']);

/** The limit per client address; undefined where it is off. */
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
