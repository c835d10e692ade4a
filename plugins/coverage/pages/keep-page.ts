/** Keeps a page that was made for a request. */
import type { Principal } from '../../../core/plugin.js';
import { jsonText } from '../exports/json-text.js';
import { reportJson } from '../exports/report-json.js';
import type { Sent } from '../form/fields.js';
import { fieldsAgain, type PageRequest } from '../form/request.js';
import { factsOf, plainPlace, wordsOf } from '../stored/facts.js';
import type { KeptReports } from '../stored/kept.js';
import type { Part } from '../stored/pieces.js';
import type { MadePage, MakingOptions } from './view.js';

export interface KeepingPage {
  /** Under which it is kept. */
  id: string;
  /** Who asked for it. */
  by: string | undefined;
  /** Shared datasets with whose samples it compares. */
  shared: readonly string[];
  /** The request with the version of the panel that was used, and the form as it was sent. */
  request: PageRequest;
  sent: Sent;
}

/** The owner of a token; a person as the identity provider names them. */
export function requesterOf(caller: Principal): string {
  const issuer = caller.kind === 'subject' ? caller.issuer : undefined;
  return issuer === undefined ? caller.owner : `${caller.owner} (${issuer})`;
}

/** Returns the JSON text as it was kept. */
export function keepPage(
  kept: KeptReports,
  { data, parts, view }: MadePage,
  { id, by, shared, request, sent }: KeepingPage,
  making: MakingOptions,
): Promise<Part> {
  const { texts, version, now } = making;
  const samples = request.samples.map((sample) => ({ ...sample, path: plainPlace(sample.path) }));
  const fields = fieldsAgain({ ...request, samples }, sent);
  const file = { view: view('file'), fields };
  // These pages show a part of a long table, with buttons for the next: without them, as much as a file has.
  const isPaged = request.page === 'overview' || request.page === 'mane_overview';
  return kept.keep({
    id,
    made: now,
    facts: {
      ...factsOf(data),
      software: version,
      language: texts.language,
      shared,
      ...(by !== undefined && { by }),
    },
    words: wordsOf(data),
    json: jsonText(reportJson(data, parts, making, texts)),
    page: isPaged ? file : { view: view('page'), fields },
    file,
  });
}
