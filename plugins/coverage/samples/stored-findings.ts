/** The table of what comparisons of registered samples found, a part of coverage-samples@1. */
import { defineTable, json, optional, person, small, type Tables, text } from '../../../core/storage.js';
import {
  type FindingFigures,
  findingKinds,
  type NewFinding,
  type SampleFinding,
  type SampleMoment,
} from './contract.js';

/** `number` counts what one comparison found. */
export const findings = defineTable({
  name: 'coverage_samples_findings',
  columns: {
    sample: person(text()),
    kind: text(),
    number: small(),
    revision: text(),
    other: person(optional(text())),
    otherRevision: optional(text()),
    figures: person(optional(json<FindingFigures[keyof FindingFigures]>())),
  },
  key: ['sample', 'kind', 'number'],
  indexes: [['other']],
  sound: ({ kind }) => kind === undefined || findingKinds.some((known) => known === kind),
});

export async function replaceFindings(
  inside: Tables,
  { id: sample, revision }: SampleMoment,
  kind: keyof FindingFigures,
  found: readonly NewFinding[],
): Promise<void> {
  await inside.table(findings).remove({ sample, kind });
  const rows = found.map(({ other, figures }, number) => {
    return { sample, kind, number, revision, other: other?.id, otherRevision: other?.revision, figures };
  });
  await inside.table(findings).addMany(rows);
}

export async function removeFindings(inside: Tables, samples: readonly string[]): Promise<void> {
  await inside.table(findings).remove({ sample: { among: samples } });
  await inside.table(findings).remove({ other: { among: samples } });
}

/** Those whose samples have the revisions that were compared; `revisionsOf` leaves out samples that are not ready. */
export async function currentFindings(
  moment: Tables,
  samples: readonly string[],
  revisionsOf: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<SampleFinding[]> {
  const among = { among: samples };
  const where = [{ sample: among }, { other: among }];
  const rows = await moment.table(findings).find({ where, order: ['sample', 'kind', 'number'] });
  const names = rows.flatMap(({ sample, other }) => (other === undefined ? [sample] : [sample, other]));
  const revisions = await revisionsOf([...new Set(names)]);
  return rows.flatMap(({ sample, kind, revision, other: id, otherRevision, figures }) => {
    const holds = revisions.get(sample) === revision && (id === undefined || revisions.get(id) === otherRevision);
    if (!holds) return [];
    const other = id === undefined ? {} : { other: { id, revision: otherRevision } };
    return [{ sample, kind, ...other, ...(figures && { figures }) } as SampleFinding];
  });
}
