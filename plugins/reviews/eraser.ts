/** The erasure of people from statements and findings. */
import { type ErasedPeople, type Eraser, type Erasure, eraserOf, peopleOf, type Revision } from '../../core/plugin.js';
import { caseKey, type ReviewRepository, type StatementHead } from './contract.js';

/** Statements that are read at once. */
const portion = 500;

const clinical = 'the clinical record: what was concluded';

/**
 * A statement is about all persons of its case: if one of them is erased, the case is removed as a whole; if one withdraws consent, it
 * stays and is watched no more.
 */
export function reviewEraser(repository: Pick<ReviewRepository, 'list' | 'remove' | 'put'>, now: () => Date): Eraser {
  /** The cases of these people, and of people in a former statement: a former statement does not say which of them it named. */
  async function casesOf(erasures: readonly Erasure[], scope: Erasure['scope']): Promise<StatementHead[]> {
    const [samples, patients] = [peopleOf(erasures, 'sample', scope), peopleOf(erasures, 'patient', scope)];
    const found: StatementHead[] = [];
    const touched = { samples: samples.ids, patients: patients.ids };
    for (let after: StatementHead | undefined; samples.ids.length + patients.ids.length > 0; ) {
      const page = await repository.list({ touched, limit: portion, ...(after && { after }) });
      found.push(...page.filter((one) => isMeant(one, samples, patients)));
      after = page.at(-1);
      if (after === undefined) break;
    }
    return found;
  }

  return eraserOf(async (erasures) => {
    const [all, sharing] = [await casesOf(erasures, 'all'), await casesOf(erasures, 'sharing')];
    const watched = sharing.filter(({ recontact }) => recontact !== 'no');
    return {
      found: [
        { what: 'statements of cases, with what was found about them', count: all.length },
        { what: 'watched cases, with what was found about them', count: watched.length },
        { what: 'statements of cases', count: sharing.length, stays: clinical },
      ],
      revisions: all.map(revisionOf),
      async erase() {
        if (all.length > 0) await repository.remove(all.map((one) => caseKey(one.case, one.owner)));
        for (const { stored: _, isLookedAt: __, revision, ...head } of watched) {
          await repository.put({ ...head, revision: revision + 1, recontact: 'no' }, now());
        }
        return undefined;
      },
    };
  });
}

function isMeant(head: StatementHead, samples: ErasedPeople, patients: ErasedPeople): boolean {
  const named = head.persons.filter(({ sample }) => samples.ids.includes(sample));
  const revision = revisionOf(head);
  if (named.some(({ sample }) => samples.reach(sample, revision))) return true;
  if (head.patient !== undefined && patients.reach(head.patient, revision)) return true;
  const isFormer = named.length === 0 && (head.patient === undefined || !patients.ids.includes(head.patient));
  return (
    isFormer &&
    [...samples.ids, ...patients.ids].some((id) => samples.reach(id, revision) || patients.reach(id, revision))
  );
}

function revisionOf({ owner, case: name, stored }: StatementHead): Revision {
  return { name: `review ${JSON.stringify([owner ?? '', name])} ${stored.toISOString()}`, stored };
}
