/** Submissions and rows as JSON. */
import { z } from 'zod';
import { type KnownNode, type StoredPatient, type TriageEntry, type TriageRow, triageStatuses } from '../contract.js';
import { alleleOrigins, purposeOfPatient, purposes } from '../patients/patient.js';
import { statedFeatures } from '../patients/presentation.js';
import type { Resources } from '../resources/resources.js';
import { type LocalFinding, unknownReasons } from './local.js';
import type { ListedSubmission } from './submission-search.js';

const time = z.iso.datetime();
const status = z.enum(triageStatuses);
const contact = z.object({
  name: z.string(),
  href: z.string(),
  institution: z.string().optional(),
  email: z.union([z.string(), z.array(z.string())]).optional(),
});
const score = z.object({
  patient: z.number(),
  genotype: z.number().optional(),
  phenotype: z.number().optional(),
  reading: z
    .object({ higherThan: z.number(), pairs: z.int(), patients: z.int() })
    .optional()
    .describe(
      '`higherThan` percent of `pairs` random pairs of the `patients` of this node have a lower score. Absent for scores ' +
        'of other nodes, and with fewer than 50 patients.',
    ),
});
const purpose = z.enum(purposes).optional().describe('Why the patient is compared, if that is stated.');

const variant = z.object({
  assembly: z.string(),
  chromosome: z.string(),
  start: z.int().describe('Zero-based, as stated.'),
  end: z.int().optional(),
  reference: z.string().optional(),
  alternate: z.string().optional(),
});

export const statedAnswer = z
  .array(
    z.object({
      gene: z.string(),
      variant: variant.optional(),
      zygosity: z.int().optional(),
      mode: z.string().optional().describe('HPO id of the mode of inheritance in the gene.'),
      origin: z.enum(alleleOrigins).optional().describe('From whom the allele comes.'),
    }),
  )
  .describe('What the patient states of its genes.');

export const submissionAnswer = z.object({
  number: z.int().describe('Names the submission in paths.'),
  id: z.string(),
  label: z.string().optional(),
  owner: z.string(),
  version: z.int(),
  contact,
  purpose,
  genes: z.array(z.string()).describe('Its own genes.'),
  last: time.optional().describe('When a match was last seen.'),
  statuses: z.partialRecord(status, z.int()).describe('Its rows by their status.'),
  unseen: z.int().describe('Rows that were first seen after the caller last opened the page of the submission.'),
});

const entryAnswer = z.object({
  at: time,
  by: z.string(),
  name: z.string().optional(),
  what: z.enum(['status', 'assignee', 'note', 'draft', 'mail', 'contact']),
  from: z.string().optional(),
  to: z.string().optional(),
  text: z.string().optional(),
  mail: z
    .object({
      id: z.string(),
      to: z.array(z.string()),
      subject: z.string(),
      text: z.string(),
      state: z.enum(['sending', 'sent', 'failed']),
      reason: z.string().optional(),
    })
    .optional(),
});

export const rowAnswer = z.object({
  id: z.string(),
  node: z.object({
    id: z.string(),
    label: z.string(),
    lastResponse: time.optional(),
    lastFailure: time.optional(),
    failure: z.string().optional().describe('Why the node does not answer now.'),
  }),
  patient: z.string().describe('The latest id of the counterpart on its node.'),
  formerIds: z.array(z.string()),
  contact,
  genes: z.array(z.string()).describe('Matched genes.'),
  terms: z.array(z.string()),
  stated: statedAnswer,
  purpose,
  found: z.boolean().describe('Whether a search with the submission found the counterpart.'),
  asked: z.boolean().describe('Whether a search with the counterpart found the submission.'),
  score,
  scores: z.array(z.object({ at: time, score })),
  firstSeen: time,
  lastSeen: time,
  revision: z.int().describe('A change names the revision that was seen.'),
  status,
  assignee: z.string().optional(),
  draft: z.object({ subject: z.string(), text: z.string() }).optional(),
  history: z.array(entryAnswer),
});

const count = z.int().min(0);

const localAnswer = z
  .array(
    z.object({
      from: z
        .enum(['submission', 'counterpart'])
        .describe('Whose variant it is; coverage is that of the other one of the two.'),
      gene: z.string(),
      variant,
      coverage: z
        .object({
          state: z.enum(['covered', 'not-covered', 'unknown']),
          threshold: z.int().describe('Reads of each base of the place, if it is covered.'),
          reason: z.enum(unknownReasons).optional().describe('Why it is unknown.'),
          lifted: z
            .enum(['GRCh37', 'GRCh38'])
            .optional()
            .describe('The build of the coverage, if the variant is of the other one and was lifted over to it.'),
        })
        .optional()
        .describe('Absent if no sample is linked, or if the caller may not know.'),
      counts: z
        .array(
          z.object({
            dataset: z.string(),
            shared: z.boolean().describe('Whether another tenant shares the dataset.'),
            carriers: count,
            homozygotes: count,
            alleleCount: count,
            samples: count.describe('Samples in which such alleles were searched for.'),
            denominator: z.object({
              threshold: z.int(),
              total: count,
              covered: count,
              notCovered: count,
              unknown: count,
              carriers: count.describe('Of samples of known coverage, as are the numbers below.'),
              homozygotes: count,
              alleleCount: count,
              alleleNumber: count,
              carriersBelowThreshold: count,
            }),
            oneBased: z
              .literal(true)
              .optional()
              .describe('It was seen one base before `start`, which then is the one-based position of a VCF file.'),
          }),
        )
        .optional()
        .describe('In each dataset of which the caller may see counts.'),
    }),
  )
  .optional()
  .describe('What the plugins coverage and beacon of this server know about the variants, if the caller may know it.');

/** A row as it is read: changes are answered without what other plugins know. */
export const readRowAnswer = rowAnswer.extend({ local: localAnswer });

export const historyAnswer = z.array(entryAnswer);

export function submissionShown(
  { stored, summary }: ListedSubmission,
  resources: Resources,
): z.input<typeof submissionAnswer> {
  const { number, owner, version, patient } = stored;
  const { last, statuses, unseen } = summary;
  const { name, href, institution, email } = patient.contact;
  return {
    ...{ number, id: patient.id, label: patient.label, owner, version, contact: { name, href, institution, email } },
    purpose: purposeOfPatient(patient),
    genes: genesOfPatient(stored, resources),
    last: last?.toISOString(),
    ...{ statuses, unseen },
  };
}

/** What the submission itself states. */
export function featuresOfPatient({ patient }: StoredPatient, { genes }: Pick<Resources, 'genes'>) {
  return statedFeatures(patient, genes);
}

export function genesOfPatient({ patient }: StoredPatient, { genes }: Resources): string[] {
  const named = (patient.genomicFeatures ?? []).map(({ gene }) => genes.resolve(gene.id)?.symbol ?? gene.id);
  return [...new Set(named)].filter((gene) => gene.trim() !== '');
}

export function rowShown(
  row: TriageRow,
  peers: ReadonlyMap<string, KnownNode>,
  local?: readonly LocalFinding[],
): z.input<typeof readRowAnswer> {
  const { id, node, label, patient, formerIds, contact, genes, terms, stated, purpose, found, asked } = row;
  const { score, scores, firstSeen, lastSeen, revision, work } = row;
  const state = peers.get(node)?.state;
  return {
    id,
    node: {
      ...{ id: node, label: peers.get(node)?.label ?? label },
      lastResponse: state?.lastSuccess?.toISOString(),
      lastFailure: state?.lastFailure?.toISOString(),
      failure: state && state.failures > 0 ? state.failure : undefined,
    },
    ...{ patient, formerIds, contact, genes, terms, stated, purpose, found, asked, score },
    scores: scores.map(({ at, score: then }) => ({ at: at.toISOString(), score: then })),
    ...{ firstSeen: firstSeen.toISOString(), lastSeen: lastSeen.toISOString(), revision },
    ...(local && { local: [...local] }),
    ...{ status: work.status, assignee: work.assignee, draft: work.draft, history: historyShown(work.history) },
  };
}

export function historyShown(history: readonly TriageEntry[]): z.input<typeof historyAnswer> {
  return history.map((entry) => ({ ...entry, at: entry.at.toISOString() }));
}

/** Those with a shared gene first, then by score. */
export function byWeight(one: TriageRow, other: TriageRow): number {
  const shares = (row: TriageRow) => Number(row.genes.length > 0);
  return shares(other) - shares(one) || other.score.patient - one.score.patient;
}
