/** The address of the page with the observations of an allele. */
import type { Assembly, ObservedQuestion } from '../contract.js';
import { writtenQuestion } from '../domain/question.js';

export const observationsPath = '/observations';

/** `base` is the path of the public address; empty if the server is at the root. */
export function observationLink(base: string, assembly: Assembly, question: ObservedQuestion): string {
  const search = new URLSearchParams();
  for (const [name, word] of Object.entries({ assembly, ...writtenQuestion(question) }))
    search.append(name, String(word));
  return `${base}${observationsPath}?${search}`;
}
