/**
 * How many cases a change would bring onto the list, before it is made: the rules over what is known, with another version of a panel,
 * set of known variants, or release of gene names. Nothing is stored.
 */
import { Fault } from '../../../core/plugin.js';
import type { PanelOfReport, PanelsService, Services } from '../../services/services.js';
import type { ComputedGroupRow, Owners, Reason } from '../contract.js';
import type { Gatherer } from '../evidence/evidence.js';
import { findingsOf } from '../rules/findings.js';
import { situationOf } from '../rules/situation.js';
import {
  geneRows,
  isNew,
  portionsOf,
  type RunControl,
  type RunScope,
  type RunTools,
  slice,
  storedFindings,
} from './run.js';

export interface PreviewResult {
  /** That would come onto the list, by reason, and all of them. */
  byReason: Partial<Record<Reason, number>>;
  cases: number;
  /** Watched cases that were asked, and those among them without a baseline, of which nothing can be said. */
  asked: number;
  unlooked: number;
}

export interface PreviewTools extends Pick<RunTools, 'repository' | 'gather' | 'rules' | 'now'> {
  /** With one thing replaced. */
  replaced: Gatherer;
}

/** Of the cases of these owners; all if omitted. */
export async function preview(
  { repository, gather, replaced, rules, now }: PreviewTools,
  { owners, ...scope }: RunScope & { owners?: Owners | undefined },
  { signal, progress, giveWay }: RunControl,
): Promise<PreviewResult> {
  const at = now();
  const watched = await repository.countWatched(at);
  const byReason = new Map<Reason, number>();
  const result: PreviewResult = { byReason: {}, cases: 0, asked: 0, unlooked: 0 };
  const [gatherToday, gatherThen] = [gather(), replaced()];
  for await (const statements of portionsOf({ repository }, scope, at, signal, slice)) {
    await giveWay?.();
    const own = statements.filter(({ owner }) => owners?.includes(owner) ?? true);
    const [today, then] = [await gatherToday(own, signal), await gatherThen(own, signal)];
    const added = own.map((statement, number) => {
      const { baseline } = statement;
      const [known, changed] = [today[number], then[number]];
      if (!baseline || !known || !changed) return undefined;
      const found = [known, changed].map(({ evidence, common }) =>
        findingsOf(situationOf(statement, baseline, evidence, rules, common)).found.map(({ finding }) => finding),
      );
      const before = new Set(found[0]?.map(({ id, rests }) => `${id} ${rests}`));
      return found[1]?.filter(({ id, rests }) => !before.has(`${id} ${rests}`)) ?? [];
    });
    const ids = added.flatMap((findings) => findings?.map(({ id }) => id) ?? []);
    const stored = await storedFindings(repository, ids);
    for (const findings of added) {
      result.asked += 1;
      if (findings === undefined) result.unlooked += 1;
      const reasons = new Set(
        findings?.filter((one) => isNew(one, stored.get(one.id))).map(({ reason }) => reason) ?? [],
      );
      if (reasons.size > 0) result.cases += 1;
      for (const reason of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + 1);
    }
    progress?.(watched === 0 ? 1 : Math.min(result.asked / watched, 1));
  }
  return { ...result, byReason: Object.fromEntries(byReason) };
}

/** Rows about genes that would come onto the list, those behind which most cases are first. */
export async function previewRows(
  { repository }: Pick<RunTools, 'repository'>,
  replaced: RunTools,
  control: RunControl,
): Promise<ComputedGroupRow[]> {
  const stored = new Set((await repository.groups({})).map(({ id, rests }) => `${id} ${rests}`));
  const rows = [...(await geneRows(replaced, control)).values()].flat();
  return rows.filter(({ id, rests }) => !stored.has(`${id} ${rests}`)).sort((one, other) => other.cases - one.cases);
}

/** The version, `ID@VERSION`, signed or not, and services as if it were the newest signed one. Throws a `not-found` fault if there is none. */
export async function withVersion(
  panels: PanelsService | undefined,
  reference: string,
): Promise<{ panel: PanelOfReport; services: Partial<Services> }> {
  const panel = await panels?.versionOf(reference, 'operator');
  if (!panels || !panel) throw new Fault('not-found', `There is no version ${reference} of a panel`);
  const newerThan: PanelsService['newerThan'] = async (id, ...rest) =>
    id === panel.panel ? { version: panel.version, differences: [] } : panels.newerThan(id, ...rest);
  return { panel, services: { 'panels/versions@1': { ...panels, newerThan } } };
}
