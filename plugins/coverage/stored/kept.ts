/** Keeps reports as they are sent, and reads them again. */
import { randomBytes } from 'node:crypto';
import { Fault, type PluginContext } from '../../../core/plugin.js';
import type { Sent } from '../form/fields.js';
import type { PageView } from '../report/view.js';
import {
  coverageReports,
  type KeptFacts,
  type KeptReport,
  type ReportPart,
  type ReportRepository,
  reportParts,
} from './contract.js';
import { type Part, partOf, streamOf, textOf } from './pieces.js';

/** A page as data, with the form fields that ask for it again. */
export interface KeptPage {
  view: PageView;
  fields: Sent;
}

/** A report that is to be kept. */
export interface Keeping {
  id: string;
  made: Date;
  facts: Omit<KeptFacts, 'parts'>;
  words: readonly string[];
  /** The JSON text, as it is sent. */
  json: AsyncIterable<string>;
  /** As browsers show it, and as a PDF file has it. */
  page: KeptPage;
  file: KeptPage;
}

export interface KeptReports {
  repository: ReportRepository;
  /** Whether every report is kept, not only those of forms that ask for it. */
  all: boolean;
  /** Returns the JSON text as it was stored. Throws `too-large` if it takes too much space. */
  keep(report: Keeping): Promise<Part>;
  /** A part with its sum; undefined if the report was removed meanwhile. Throws `unavailable` if it is damaged. */
  json(report: KeptReport): Promise<Awaited<ReturnType<typeof streamOf>> | undefined>;
  page(report: KeptReport, part: 'page' | 'file'): Promise<KeptPage | undefined>;
}

/** Cannot be guessed: 24 characters of 144 random bits. */
export function newId(): string {
  return randomBytes(18).toString('base64url');
}

export const idPattern = /^[\w-]{22,64}$/;

export function createKeptReports({
  repository,
  all,
  transaction,
  erasures,
}: Pick<KeptReports, 'repository' | 'all'> & Pick<PluginContext<unknown>, 'transaction' | 'erasures'>): KeptReports {
  async function stored(report: KeptReport, part: ReportPart): Promise<Part | undefined> {
    const sum = report.facts.parts[part];
    const pieces = sum === undefined ? [] : await repository.content(report.id, part);
    return sum === undefined || pieces.length === 0 ? undefined : { pieces, ...sum };
  }

  return {
    repository,
    all,

    async keep({ id, made, facts, words, json, page, file }) {
      const texts = { page: JSON.stringify(page), file: JSON.stringify(file) };
      const parts: Partial<Record<ReportPart, Part>> = { json: await partOf(json), page: await partOf([texts.page]) };
      if (texts.file !== texts.page) parts.file = await partOf([texts.file]);
      const present = reportParts.flatMap((name) => (parts[name] ? [[name, parts[name]] as const] : []));
      const sums = Object.fromEntries(present.map(([name, { bytes, checksum }]) => [name, { bytes, checksum }]));
      const content = Object.fromEntries(present.map(([name, { pieces }]) => [name, pieces]));
      await transaction(async (scope) => {
        await refuseErased(facts.samples, made);
        await scope.repository(coverageReports).keep({ id, made, facts: { ...facts, parts: sums } }, words, content);
      });
      return parts.json as Part;
    },

    async json(report) {
      const part = await stored(report, 'json');
      return part && streamOf(part);
    },

    async page(report, part) {
      const found = (await stored(report, part)) ?? (await stored(report, 'page'));
      return found && (JSON.parse(await textOf(found)) as KeptPage);
    },
  };

  /** Of people who were erased since the report was asked for, nothing is stored. */
  async function refuseErased(samples: KeptFacts['samples'], since: Date): Promise<void> {
    const ids = samples.map(({ name, registration }) => registration ?? name);
    const barred = await erasures.barred('sample', ids, since);
    if (![...barred.values()].some(({ reason }) => reason === 'erasure')) return;
    throw new Fault('conflict', 'A sample of the report was erased meanwhile: nothing of it is kept');
  }
}
