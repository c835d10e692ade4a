/** The worklist: which findings are listed, the most urgent first, and page by page. */
import { z } from 'zod';
import { Fault } from '../../core/plugin.js';
import type { Services } from '../services/services.js';
import {
  type CaseFinding,
  type FindingSelection,
  findingStates,
  type GroupRow,
  type Owners,
  type ReviewRepository,
  reasons,
} from './contract.js';

export const worklistAges = ['week', 'month', 'older', 'oldest'] as const;

const word = (most: number) => z.string().trim().max(most, `is longer than ${most} characters`).default('');

/** Which findings are listed; an empty text is no condition. */
export const worklistFields = z.object({
  panel: word(100).describe('Id of a panel.'),
  gene: word(100).describe('A symbol, or an HGNC id.'),
  reason: z
    .enum(['', ...reasons])
    .default('')
    .describe('Why a case should be looked at.'),
  age: z
    .enum(['', ...worklistAges])
    .default('')
    .describe('Found in the last 7 or 30 days, or more than 30 or 90 days ago.'),
  state: z.enum(findingStates).default('open'),
  after: word(300).describe('`next` of the page before.'),
});

/** Of a condition that names someone. */
export const personField = word(255).describe('Id of a sample, or of a patient at the matchmaker.');

export type WorklistChoice = z.infer<typeof worklistFields> & { person: string };

/** The list if nothing is said. */
export const everyOpen: WorklistChoice = { ...worklistFields.parse({}), person: '' };

export interface WorklistPart {
  findings: readonly CaseFinding[];
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined;
}

const day = 86_400_000;

/** Throws `invalid` if the gene is not known for certain. `panels` knows names of genes. */
export async function worklistOf(
  repository: Pick<ReviewRepository, 'findings'>,
  { owners, ...asked }: WorklistChoice & { owners?: Owners },
  limit: number,
  { now, panels }: { now: Date; panels: Services['panels/versions@1'] | undefined },
): Promise<WorklistPart> {
  const after = asked.after === '' ? undefined : cursorIn(asked.after);
  const gene = asked.gene === '' ? undefined : await geneOf(panels, asked.gene);
  const found = await repository.findings({
    ...(owners && { owners }),
    states: [asked.state],
    ...(asked.reason !== '' && { reasons: [asked.reason] }),
    ...(asked.panel !== '' && { panel: asked.panel }),
    ...(gene !== undefined && { gene }),
    ...(asked.person !== '' && { touched: { samples: [asked.person], patients: [asked.person] } }),
    ...foundWithin(asked.age, now),
    ...(after && { after }),
    limit: limit + 1,
  });
  const last = found.length > limit ? found[limit - 1] : undefined;
  return { findings: found.slice(0, limit), next: last && cursorOf(last) };
}

function foundWithin(age: WorklistChoice['age'], now: Date): Pick<FindingSelection, 'foundFrom' | 'foundBefore'> {
  if (age === '') return {};
  const at = (days: number) => new Date(now.getTime() - days * day);
  if (age === 'week' || age === 'month') return { foundFrom: at(age === 'week' ? 7 : 30) };
  return { foundBefore: at(age === 'older' ? 30 : 90) };
}

/** The HGNC id of a gene. Throws `invalid` if it is not known for certain. */
async function geneOf(panels: Services['panels/versions@1'] | undefined, word: string): Promise<number> {
  const [, digits] = /^(?:HGNC:)?(\d{1,9})$/i.exec(word) ?? [];
  if (digits !== undefined) return Number(digits);
  const [ids = []] = (await panels?.idsOf([word])) ?? [];
  const [id] = ids;
  if (id === undefined) throw new Fault('invalid', `gene: expected the symbol of a gene, or an HGNC id; got "${word}"`);
  return id;
}

/** What a person may decide about, of these owners or all. Throws `not-found`. */
export async function decidable(
  repository: Pick<ReviewRepository, 'findings' | 'groups'>,
  id: string,
  { owners, what }: { owners?: Owners | undefined; what?: 'finding' | 'group' } = {},
): Promise<CaseFinding | GroupRow> {
  const selection = { ...(owners && { owners }), ids: [id] };
  const [finding] = what === 'group' ? [] : await repository.findings({ ...selection, limit: 1 });
  const [found] = finding || what === 'finding' ? [finding] : await repository.groups(selection);
  if (found === undefined) throw new Fault('not-found', `There is no finding ${id}`);
  return found;
}

function cursorOf({ priority, found, id }: CaseFinding): string {
  return `${priority}.${found.getTime()}.${id}`;
}

function cursorIn(text: string): FindingSelection['after'] {
  const [, priority, found, id] = /^(\d)\.(\d{1,15})\.(.{1,200})$/.exec(text) ?? [];
  if (priority === undefined || found === undefined || id === undefined)
    throw new Fault('invalid', 'after: expected what `next` of the page before says');
  return { priority: Number(priority), found: new Date(Number(found)), id };
}
