/** Replaces `${ENV}`, `${ENV:-default}` and `${file:path}` in text values; `$${` is a literal `${`. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Faults } from './faults.js';
import type { Layer, Path } from './layer.js';
import { showFile } from './layer.js';
import { why } from './yaml.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one counts as not set. */
export function variable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  return value === undefined || value === '' ? undefined : value;
}

/** Fills in all text values of the layer, in place. Adds a fault for each that cannot be filled in. */
export function fill(layer: Layer, environment: Environment, faults: Faults): void {
  const visit = (value: unknown, path: Path): void => {
    if (typeof value === 'string') fillText(layer, path, value, environment, faults);
    else if (Array.isArray(value)) value.forEach((item, i) => void visit(item, [...path, String(i)]));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) visit(inner, [...path, key]);
    }
  };
  visit(layer.values, []);
}

function fillText(layer: Layer, path: Path, text: string, environment: Environment, faults: Faults): void {
  if (!text.includes('${')) return;
  const origin = layer.origin(path) ?? { source: 'unknown' };
  const problems: string[] = [];
  let filled = false;
  let secret = false;
  const result = text.replace(/\$\$\{|\$\{([^}]*)(\}?)/g, (whole, inside: string | undefined, end: string) => {
    if (inside === undefined) return '${';
    if (end === '') {
      problems.push(`"\${" has no closing "}" (write $\${ for a literal "\${")`);
      return whole;
    }
    filled = true;
    if (inside.startsWith('file:')) {
      secret = true;
      const file = resolve(origin.file === undefined ? '.' : dirname(origin.file), inside.slice('file:'.length));
      try {
        return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      } catch (error) {
        problems.push(`the file ${showFile(file)} ${why(error)}`);
        return whole;
      }
    }
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inside) ?? [];
    if (name === undefined) {
      problems.push(`"${whole}" is not valid: write \${NAME}, \${NAME:-default} or \${file:path}`);
      return whole;
    }
    const value = variable(environment, name) ?? fallback;
    if (value === undefined) problems.push(`the environment variable ${name} is not set`);
    return value ?? whole;
  });
  if (problems.length > 0) faults.add(path, problems.join('; '), origin);
  else layer.set(path, result, filled ? { ...origin, text: true, secret } : origin);
}
