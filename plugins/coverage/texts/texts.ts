/**
 * All texts of pages and PDF files in each language, and the choice of a language for a request. To add a language, add a folder
 * like `en/`, its numbers in numbers.ts, its texts here, and its tag in `pageLanguage`.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { pageLanguage } from '../../../core/plugin.js';
import * as enAsking from './en/asking.js';
import * as enFigures from './en/figures.js';
import * as enReporting from './en/reporting.js';
import { english, swedish, type Translation } from './numbers.js';
import * as svAsking from './sv/asking.js';
import * as svFigures from './sv/figures.js';
import * as svReporting from './sv/reporting.js';

type TranslatedParts = Translation<typeof enAsking & typeof enFigures & typeof enReporting>;

/** `language` is a tag, `languageName` how the language calls itself. */
function textsIn(
  language: string,
  languageName: string,
  { number, decimal, precise, measuredDepth }: typeof english,
  { asking, reporting, comparing, chromosomes, ...parts }: TranslatedParts,
) {
  return {
    ...{ language, languageName, number, decimal, precise, measuredDepth },
    /** 10 → 10×. */
    depth: (value: number) => `${number(value)}×`,
    ...asking,
    ...reporting,
    ...comparing,
    ...chromosomes,
    ...parts,
  };
}

/** What every language has: the keys of English. */
export type Texts = ReturnType<typeof textsIn>;

export const en = textsIn('en', 'English', english, { ...enAsking, ...enFigures, ...enReporting });
export const sv = textsIn('sv', 'Svenska', swedish, { ...svAsking, ...svFigures, ...svReporting });

/** The first is the default. */
export const languages: readonly Texts[] = [en, sv];

/** The texts of a language by its tag; English if it is unknown. */
export function textsOfLanguage(language: string): Texts {
  return textsOfTag(language) ?? en;
}

/** By `pageLanguage`. */
export function textsFor(named: string | undefined, headers: IncomingHttpHeaders): Texts {
  return textsOfLanguage(pageLanguage(named, headers));
}

function textsOfTag(tag: string): Texts | undefined {
  return languages.find(({ language }) => language === tag.toLowerCase().split('-', 1)[0]);
}
