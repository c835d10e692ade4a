/** Notes the counterparts of submissions that searches saw. */
import { randomUUID } from 'node:crypto';
import type { StorageScope } from '../../../core/plugin.js';
import {
  type MatchedPatient,
  matchmakerTriage,
  type NodeName,
  type Patient,
  type Reachable,
  type Sighting,
  type StoredPatient,
  type TriageScore,
  thisNode,
} from '../contract.js';
import { commonOf, type LocalSearch, nodeOf } from '../mail/notices.js';
import { sideOf } from '../mail/pair.js';
import type { Reading } from '../matching/calibration.js';
import type { Explanation } from '../matching/explanation.js';
import type { Profiler } from '../matching/profile.js';
import { stepsOfComparing, Work } from '../matching/work.js';
import { purposeOf } from '../patient/extensions.js';
import { statedFeatures } from '../patient/stated.js';

type Submission = Pick<StoredPatient, 'number' | 'owner' | 'patient'>;

/**
 * Compares patients, so it must not be called inside a transaction. There are no sightings of tests, except by other tests. Each function returns
 * what `noteSightings` takes within the transaction that records the search.
 */
export interface Sightings {
  /** Of a search on this node: the found patients, and the query as the counterpart of each. */
  here(search: LocalSearch): Sighting[];
  /** Of the answer of another node. */
  of(submission: Submission, node: NodeName, found: readonly MatchedPatient[]): Promise<Sighting[]>;
  /** Of a new patient that an earlier query would have found. */
  later(submission: Submission, node: NodeName, query: MatchedPatient): Sighting[];
}

/** Last in a transaction, so that no two wait for each other. */
export async function noteSightings(scope: StorageScope, sightings: readonly Sighting[]): Promise<void> {
  if (sightings.length > 0) await scope.repository(matchmakerTriage).seen(sightings);
}

export function sightingsBy({ profiler, now }: { profiler(): Profiler; now(): Date }): Sightings {
  function sighting(
    { number, owner, patient: own }: Submission,
    node: NodeName,
    { patient, score }: MatchedPatient,
    direction: Sighting['direction'],
    { genes: shared, terms, reading }: Common,
  ): Sighting[] {
    if ((own.test === true) !== (patient.test === true)) return [];
    const { genes } = profiler().resources;
    const purpose = purposeOf(patient);
    return [
      {
        ...{ id: randomUUID(), at: now(), submission: number, owner, direction, genes: shared, terms },
        own: own.label === undefined ? [own.id] : [own.id, own.label],
        node: { id: node.id, label: node.label },
        patient: patient.id,
        contact: reachable(patient.contact),
        score: { ...scoreOf(score), ...(reading && { reading }) },
        stated: statedFeatures(patient, genes, shared),
        ...(purpose !== undefined && { purpose }),
        content: sideOf(patient, genes),
      },
    ];
  }

  return {
    here({ patient, own, asker, matches }) {
      const asking = nodeOf(own !== undefined, asker);
      return matches.flatMap((found) => {
        if (found.number === own?.number) return [];
        const common = explained(found.score);
        const asked = sighting(found, asking, { patient, score: found.score }, 'asked', common);
        return own ? [...sighting(own, thisNode, found, 'found', common), ...asked] : asked;
      });
    },

    async of(submission, node, found) {
      const work = new Work();
      const all: Sighting[] = [];
      for (const one of found) {
        work.spend(stepsOfComparing);
        await work.turn();
        const { genes, terms } = commonOf(profiler(), submission.patient, one.patient);
        all.push(...sighting(submission, node, one, 'found', { genes, terms }));
      }
      return all;
    },

    later: (submission, node, query) => sighting(submission, node, query, 'asked', explained(query.score)),
  };
}

/** Terms that a row names. */
const mostTerms = 10;

interface Common extends Pick<Sighting, 'genes' | 'terms'> {
  /** Of a score of this node: that of another one compares with the patients of that node. */
  reading?: Reading | undefined;
}

/** What the explanation names, for a score of this node. */
function explained(score: MatchedPatient['score']): Common {
  const explanation: Explanation & { _reading?: Reading } = score as object;
  const { _matchedGenes: genes = [], _matchedFeatures: features = [], _reading: reading } = explanation;
  const terms = features.map(({ shared: { id, label } }) => `${id} ${label}`);
  return {
    genes: genes.map(({ id, _geneName }) => _geneName ?? id),
    terms: [...new Set(terms)].slice(0, mostTerms),
    reading,
  };
}

/** Other nodes may send members of any type beside the score. */
function scoreOf({ patient, _genotype, _phenotype }: MatchedPatient['score']): TriageScore {
  return {
    patient,
    ...(typeof _genotype === 'number' && { genotype: _genotype }),
    ...(typeof _phenotype === 'number' && { phenotype: _phenotype }),
  };
}

/** As one line each, of limited length. */
function reachable({ name, href, institution, email }: Patient['contact']): Reachable {
  const addresses: unknown[] = [email].flat();
  const emails = addresses.filter((address) => typeof address === 'string').map(line);
  return {
    ...{ name: line(name), href: line(href) },
    ...(typeof institution === 'string' && { institution: line(institution) }),
    ...(emails.length > 0 && { email: emails.slice(0, 10) }),
  };
}

function line(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, 2048);
}
