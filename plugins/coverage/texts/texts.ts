/** The languages of the pages, and the choice of one for a request. */
import type { IncomingHttpHeaders } from 'node:http';
import { en, type Texts } from './en.js';
import { sv } from './sv.js';

export type { Texts } from './en.js';

/** The first is the default. */
export const languages: readonly Texts[] = [en, sv];

/** The texts of a language by its tag; English if it is unknown. */
export function textsOf(language: string): Texts {
  return known(language) ?? en;
}

/** The language that the request names in its field `lang`, else the best of Accept-Language, else English. */
export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): Texts {
  const asked = [...(named === undefined ? [] : [named]), ...acceptedLanguages(headers['accept-language'] ?? '')];
  for (const language of asked) {
    const found = known(language);
    if (found !== undefined) return found;
  }
  return en;
}

function known(tag: string): Texts | undefined {
  return languages.find(({ language }) => language === tag.toLowerCase().split('-', 1)[0]);
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
