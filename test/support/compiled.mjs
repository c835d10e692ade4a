/**
 * Preloaded with --import: loads TypeScript from the folder TREFOIL_TEST_COMPILED, where `compile.ts` has compiled every
 * source once. The modules keep the URLs of their sources. For the whole suite, in which each process would compile the
 * same sources again.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const root = new URL('../../', import.meta.url).href;
const folder = process.env.TREFOIL_TEST_COMPILED;

// Node.js runs the two hooks below in a thread of its own, which loads this file again.
if (isMainThread) {
  process.setSourceMapsEnabled(true);
  register(import.meta.url);
}

/** Imports name the JavaScript that a source becomes. */
export async function resolve(specifier, context, next) {
  const isPath = /^(\.|\/|file:)/.test(specifier) && specifier.endsWith('.js');
  if (isPath && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  const [path] = url.split(/[?#]/);
  if (!path.startsWith(root) || !path.endsWith('.ts')) return next(url, context);
  const source = await readFile(`${folder}/${decodeURIComponent(path.slice(root.length))}`, 'utf8');
  return { format: 'module', source, shortCircuit: true };
}
