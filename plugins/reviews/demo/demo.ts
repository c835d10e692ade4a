/**
 * The demo: three made-up cases with negative reports, and what changes then for one after the other: a version of a panel, a
 * release of ClinVar, a match. The data of other plugins are theirs: they follow an event.
 */
import type { Announcing } from '../../../core/plugin.js';
import type { NewStatement, ReviewRepository } from '../contract.js';

/** What the other plugins are told: to add the data of the cases, or what changes later. */
interface DemoEvent {
  step: 'cases' | 'news';
  /** To be called with the id of the report that was kept on a sample. */
  kept(sample: string, report: string): void;
}

export interface DemoTools extends Pick<Announcing, 'announce'> {
  repository: ReviewRepository;
  now(): Date;
}

const sexes = ['male', 'female', 'male'] as const;

const nameOf = (place: number) => `demo-${place + 1}`;

/** Adds the cases with their reports if there are no cases at all. Returns how many it added. */
export async function addDemoCases({ repository, announce, now }: DemoTools): Promise<number> {
  if ((await repository.list({ limit: 1 })).length > 0) return 0;
  const reports = new Map<string, string>();
  const event: DemoEvent = { step: 'cases', kept: (sample, report) => void reports.set(sample, report) };
  await announce('reviews/demo@1', event);
  for (const [i, sex] of sexes.entries()) {
    const report = reports.get(nameOf(i));
    const statement: NewStatement = {
      ...{ case: nameOf(i), revision: 1, build: 'GRCh38', conclusion: 'negative', recontact: 'yes', alleles: [] },
      persons: [{ role: 'proband', isAffected: true, sample: nameOf(i), sex }],
      panel: { panel: 'demo-folate', version: '1.10' },
      ...{ thresholds: [10], releases: { ClinVar: 'demo 1' }, terms: ['HP:0001889'] },
      ...(i === 2 && { patient: 'reviews-demo-3' }),
      ...{ reviewer: 'demo', decided: now(), ...(report !== undefined && { report }) },
    };
    await repository.put(statement, now());
  }
  return sexes.length;
}

/** Has the other plugins bring what changes; a repetition changes nothing. */
export async function addDemoNews({ announce }: Pick<DemoTools, 'announce'>): Promise<void> {
  const event: DemoEvent = { step: 'news', kept: () => undefined };
  await announce('reviews/demo@1', event);
}
