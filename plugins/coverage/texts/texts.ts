/** The languages of the pages, and which one a request wants. */
import type { IncomingHttpHeaders } from 'node:http';
import { lastOf, type Sent } from '../form/fields.js';
import { en } from './en.js';
import type { Texts } from './shape.js';
import { sv } from './sv.js';

export type { Texts } from './shape.js';

/** The first one is spoken where none is asked for. */
export const languages: readonly Texts[] = [en, sv];

/** Those of a language by its tag; English where it is not known. */
export function textsOf(language: string): Texts {
  return languages.find((texts) => texts.language === language.toLowerCase().split('-', 1)[0]) ?? en;
}

/** By the field `lang`, else by Accept-Language. */
export function textsFor(sent: Sent, headers: IncomingHttpHeaders): Texts {
  const named = lastOf(sent, 'lang');
  const asked = [...(named === undefined ? [] : [named]), ...acceptedLanguages(headers['accept-language'] ?? '')];
  for (const language of asked) {
    const found = languages.find((texts) => texts.language === language.toLowerCase().split('-', 1)[0]);
    if (found !== undefined) return found;
  }
  return en;
}

/** Best first (RFC 9110, 12.5.4); a quality of 0 is a refusal. */
function acceptedLanguages(header: string): string[] {
  return header
    .split(',')
    .map((item) => {
      const [language = '', ...parameters] = item.split(';').map((part) => part.trim());
      const quality = parameters.find((one) => /^q=/i.test(one))?.slice(2);
      return { language, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ language, quality }) => language !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ language }) => language);
}
