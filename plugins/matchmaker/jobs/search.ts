/** The job that searches for patients similar to those that were saved: on other nodes, among earlier queries, and here. */
import type { JobHandler } from '../../../core/plugin.js';
import type { MatchmakerRepository, Question, StoredPatient } from '../contract.js';
import { type SearchPayload, searchPayload } from '../exchange/after-save.js';
import type { Search } from '../exchange/exchange.js';
import type { MatchmakerServices } from '../services.js';

/** Patients that a job searches for at the same time. */
const concurrent = 4;

/** A search that no client waits for. */
export type BackgroundSearch = Search & Required<Pick<Search, 'giveWay'>>;

/** The patient if it is still of the version; undefined if it was changed or deleted. */
export async function storedVersion(
  patients: Pick<MatchmakerRepository, 'patientsByNumber'>,
  { number, version }: Question,
): Promise<StoredPatient | undefined> {
  const [found] = await patients.patientsByNumber([number]);
  return found?.version === version ? found : undefined;
}

export function searchJob({
  exchange,
  indirect,
  within,
  patients,
  mail,
}: Pick<MatchmakerServices, 'exchange' | 'indirect' | 'within' | 'patients' | 'mail'>): JobHandler<SearchPayload> {
  /** Returns how many nodes responded; undefined if the patient was deleted, or changed, which has a search of its own. */
  async function search(question: Question, how: BackgroundSearch): Promise<number | undefined> {
    await how.giveWay();
    const patient = await storedVersion(patients, question);
    if (!patient) return undefined;
    const peers = await exchange.peers();
    const prompt = peers.filter((peer) => exchange.isPrompt(peer));
    // The others have a job of their own, so that they delay no search.
    await exchange.owe(
      patient,
      peers.filter((peer) => !prompt.includes(peer)),
    );
    const here = async () => {
      // One after the other, since both may find the same pair.
      await indirect?.search(patient, how.name);
      await within?.search(patient, how);
    };
    const [outcomes] = await Promise.all([exchange.search(patient, prompt, how), here()]);
    return outcomes.filter(({ again }) => !again).length;
  }

  return {
    payload: searchPayload,
    async run({ patients: questions }, { id, signal, progress, giveWay }) {
      // By the job's name, so that an attempt that follows a crash ends the search of the one before.
      const how = { name: id, signal, giveWay, onDemand: false };
      const result = { searched: 0, answered: 0 };
      let broken: PromiseRejectedResult | undefined;
      for (let i = 0; i < questions.length && !signal.aborted; i += concurrent) {
        const batch = questions.slice(i, i + concurrent);
        const ends = await Promise.allSettled(batch.map((question) => search(question, how)));
        for (const end of ends) {
          if (end.status === 'rejected') broken ??= end;
          else if (end.value !== undefined) {
            result.searched += 1;
            result.answered += end.value;
          }
        }
        progress((i + concurrent) / questions.length);
      }
      // One search that fails does not keep the others from running.
      if (broken) throw broken.reason;
      signal.throwIfAborted();
      await mail.over(id);
      return result;
    },
  };
}
