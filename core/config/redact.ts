/** Masks secrets in values that are to be printed. */
import { isSection, type Layer, type Path } from './layer.js';

const mask = '********';
const secretKey = /passw(or)?d|passphrase|secret|token|credential|(api|private|access)[-_]?key|^key$/i;

/** A copy of the values with passwords, tokens, values from secret files and passwords inside URLs masked. */
export function redacted(layer: Layer): Record<string, unknown> {
  const visit = (value: unknown, path: Path, hidden: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item, i) => visit(item, [...path, String(i)], hidden));
    if (isSection(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, visit(inner, [...path, key], hidden || secretKey.test(key))]),
      );
    }
    if (value === null || value === undefined || typeof value === 'boolean') return value;
    if (hidden || layer.origin(path)?.secret) return mask;
    return typeof value === 'string' ? withoutUserInfo(value) : value;
  };
  return visit(layer.values, [], false) as Record<string, unknown>;
}

/** Hides the password of `scheme://user:password@host`, and passwords among a URL's parameters. */
export function withoutUserInfo(text: string): string {
  return text
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:)[^\s/?#]*@/gi, `$1${mask}@`)
    .replace(/([?&][^=&\s]*(?:password|secret|token)[^=&\s]*=)[^&\s#]*/gi, `$1${mask}`);
}
