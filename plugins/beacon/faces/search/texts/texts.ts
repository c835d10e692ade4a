/** The languages of the search page. */
import type { IncomingHttpHeaders } from 'node:http';
import { preferredLanguage } from '../../../../../core/plugin.js';
import { en, type Texts } from './en.js';
import { sv } from './sv.js';

export type { Texts } from './en.js';

export const languages = { en, sv } as const;
export type Language = keyof typeof languages;

/** In the language that the request names, else the best that its headers accept. */
export function textsFor(named: Language | undefined, headers: IncomingHttpHeaders): Texts {
  return languages[named ?? preferredLanguage<Language>(headers, ['en', 'sv'])];
}
