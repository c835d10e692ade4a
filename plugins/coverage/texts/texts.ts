/** The languages of the pages, and the choice of one for a request. */
import type { IncomingHttpHeaders } from 'node:http';
import { preferredLanguage } from '../../../core/plugin.js';
import { en, type Texts } from './en.js';
import { sv } from './sv.js';

export type { Texts } from './en.js';

/** The first is the default. */
export const languages: readonly Texts[] = [en, sv];

/** The texts of a language by its tag; English if it is unknown. */
export function textsOf(language: string): Texts {
  return textsOfTag(language) ?? en;
}

/** The language that the request names in its field `lang`, else the best of Accept-Language, else English. */
export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): Texts {
  return (named === undefined ? undefined : textsOfTag(named)) ?? textsOf(preferredLanguage(headers, ['en', 'sv']));
}

function textsOfTag(tag: string): Texts | undefined {
  return languages.find(({ language }) => language === tag.toLowerCase().split('-', 1)[0]);
}
