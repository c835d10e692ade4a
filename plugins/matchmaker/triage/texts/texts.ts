/** The languages of the pages. */
import type { IncomingHttpHeaders } from 'node:http';
import { preferredLanguage } from '../../../../core/plugin.js';
import { en, type Texts } from './en.js';
import { sv } from './sv.js';

export type { Texts } from './en.js';

/** The language that the request names in its field `lang`, else the best of Accept-Language, else English. */
export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): Texts {
  const tag = named?.toLowerCase().split('-', 1)[0];
  const language = tag === 'en' || tag === 'sv' ? tag : preferredLanguage(headers, ['en', 'sv']);
  return language === 'sv' ? sv : en;
}
