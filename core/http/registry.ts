/** Collects what the core and the plugins add to the server, and finds conflicts between them. */
import type { Middleware } from 'koa';
import type { ErrorShape, Method, RouteDeclaration } from './route.js';

/** The name under which the core's own routes are registered. No plugin can have it: it contains a blank. */
export const theCore = 'the core';

export interface OwnedRoute {
  owner: string;
  /** Without a trailing slash. */
  path: string;
  methods: readonly Method[];
  declaration: RouteDeclaration;
}

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The inputs that a method of a route takes. If a route has both GET and POST, POST takes the body but no query. */
export function inputsOf({ declaration, methods }: OwnedRoute, method: string): { query: boolean; body: boolean } {
  const body = declaration.body !== undefined && bodyMethods.has(method);
  return { body, query: declaration.query !== undefined && !(body && methods.length > 1) };
}

/**
 * Returns a function that says whether pages of any origin may call the route of a path and a method. Of several routes
 * that a path fits, the first decides, as for the router: `/things/:id` does not open `/things/new`.
 */
export function openToPages(routes: readonly OwnedRoute[]): (path: string, method: string) => boolean {
  const literal = new Map<string, boolean>();
  const patterns: { segments: readonly string[]; methods: readonly string[]; isOpen: boolean }[] = [];
  for (const { declaration, path, methods } of routes) {
    const isOpen = declaration.anyOrigin === true;
    if (path.includes('/:')) patterns.push({ segments: path.split('/'), methods, isOpen });
    else for (const method of methods) literal.set(`${method} ${path}`, isOpen);
  }
  return (path, sent) => {
    const method = sent === 'HEAD' ? 'GET' : sent;
    const asked = withoutSlash(path);
    const known = literal.get(`${method} ${asked}`);
    if (known !== undefined) return known;
    const segments = asked.split('/');
    const fits = (one: string, i: number) => (one.startsWith(':') ? segments[i] !== '' : one === segments[i]);
    const pattern = patterns.find(
      (one) => one.segments.length === segments.length && one.methods.includes(method) && one.segments.every(fits),
    );
    return pattern?.isOpen === true;
  };
}

export interface Owned<Value> {
  owner: string;
  prefix: string;
  value: Value;
}

export interface RouteRegistry {
  routes: OwnedRoute[];
  middleware: Owned<Middleware>[];
  shapes: Owned<ErrorShape>[];
  addRoute(owner: string, declaration: RouteDeclaration): void;
  addMiddleware(owner: string, prefix: string, value: Middleware): void;
  addShape(owner: string, prefix: string, value: ErrorShape): void;
  /** The error body of the longest prefix that the path is under. */
  shapeFor(path: string): ErrorShape | undefined;
  /** Returns a sentence for each fault; see `HttpApp.seal`. Later registrations throw. */
  seal(): string[];
}

export function createRegistry(): RouteRegistry {
  const routes: OwnedRoute[] = [];
  const middleware: Owned<Middleware>[] = [];
  const shapes: Owned<ErrorShape>[] = [];
  let sealed = false;

  const open = () => {
    if (sealed) throw new Error('routes are added while a plugin registers, not later');
  };

  return {
    routes,
    middleware,
    shapes,
    addRoute(owner, declaration) {
      open();
      const methods = typeof declaration.method === 'string' ? [declaration.method] : declaration.method;
      routes.push({ owner, path: withoutSlash(declaration.path), methods, declaration });
    },
    addMiddleware(owner, prefix, value) {
      open();
      middleware.push({ owner, prefix: withoutSlash(prefix), value });
    },
    addShape(owner, prefix, value) {
      open();
      shapes.push({ owner, prefix: withoutSlash(prefix), value });
    },
    shapeFor(path) {
      return shapes
        .filter(({ prefix }) => isUnder(path, prefix))
        .sort((a, b) => b.prefix.length - a.prefix.length)
        .at(0)?.value;
    },
    seal() {
      open();
      sealed = true;
      routes.sort(literalsFirst);
      return [...new Set([...badPaths(routes), ...clashes(routes), ...trespasses(routes, [...middleware, ...shapes])])];
    },
  };
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

export function isUnder(path: string, prefix: string): boolean {
  return prefix === '/' || path === prefix || path.startsWith(`${prefix}/`);
}

const segment = /^(?:[A-Za-z0-9._~-]+|:[A-Za-z][A-Za-z0-9_]*(?:\.[a-z0-9]+)?)$/;

function* badPaths(routes: readonly OwnedRoute[]): Generator<string> {
  for (const { owner, path } of routes) {
    const fine =
      path === '/' ||
      (path.startsWith('/') &&
        path
          .slice(1)
          .split('/')
          .every((one) => segment.test(one)));
    if (!fine) yield `${named(owner)} has a route "${path}", which is not a path such as /things/:id`;
  }
}

function* clashes(routes: readonly OwnedRoute[]): Generator<string> {
  for (const [i, a] of routes.entries()) {
    for (const b of routes.slice(i + 1)) {
      if (a.owner === b.owner) {
        const shared = a.methods.filter((method) => b.methods.includes(method));
        if (shared.length > 0 && shapeOf(a.path) === shapeOf(b.path)) {
          yield `${named(a.owner)} declares ${shared.join(', ')} ${a.path} twice`;
        }
        if (a.declaration.operation === b.declaration.operation) {
          yield `${named(a.owner)} has two routes named ${a.declaration.operation}: ${a.path} and ${b.path}`;
        }
      } else if (overlap(a.path, b.path)) {
        const paths = a.path === b.path ? a.path : `${a.path} and ${b.path}`;
        yield `${named(a.owner)} and ${named(b.owner)} both claim ${paths}`;
      }
    }
  }
}

/** Finds prefixes of one owner, for middleware or error bodies, that contain paths of another owner. */
function* trespasses(routes: readonly OwnedRoute[], prefixes: readonly Owned<unknown>[]): Generator<string> {
  for (const [i, { owner, prefix }] of prefixes.entries()) {
    if (!prefix.startsWith('/')) yield `${named(owner)} claims "${prefix}", which is not a path`;
    for (const route of routes) {
      if (route.owner !== owner && isUnder(route.path, prefix)) {
        yield `${named(owner)} claims all of ${prefix}, but ${route.path} belongs to ${named(route.owner)}`;
      }
    }
    for (const other of prefixes.slice(i + 1)) {
      if (other.owner !== owner && (isUnder(other.prefix, prefix) || isUnder(prefix, other.prefix))) {
        yield `${named(owner)} and ${named(other.owner)} both claim ${prefix === other.prefix ? prefix : `${prefix} and ${other.prefix}`}`;
      }
    }
  }
}

/** The owner of a route, as named in messages. */
export function named(owner: string): string {
  return owner === theCore ? owner : `plugin ${owner}`;
}

function shapeOf(path: string): string {
  return path.replace(/:\w+/g, ':');
}

/** Whether one URL could match both paths. */
function overlap(a: string, b: string): boolean {
  const [left, right] = [a.split('/'), b.split('/')];
  return (
    left.length === right.length &&
    left.every((one, i) => one === right[i] || one.startsWith(':') || right[i]?.startsWith(':'))
  );
}

/** The router takes the first route that matches, so /things/new comes before /things/:id.csv, and this before /things/:id. */
function literalsFirst(a: OwnedRoute, b: OwnedRoute): number {
  const [left, right] = [a.path.split('/'), b.path.split('/')];
  if (left.length !== right.length) return left.length - right.length;
  for (let i = 0; i < left.length; i += 1) {
    const difference = openness(left[i]) - openness(right[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 0 for a literal, 2 for a parameter, 1 for a parameter with an ending. */
function openness(segment = ''): number {
  if (!segment.startsWith(':')) return 0;
  return /^:\w+$/.test(segment) ? 2 : 1;
}
