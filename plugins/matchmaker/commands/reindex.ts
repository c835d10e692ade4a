/** `reindex`. */
import { type Command, counted } from '../../../core/commands.js';
import { matchmaker, type StoredPatient } from '../contract.js';
import { factsOf } from '../patient/facts.js';
import { allPatients } from './patients.js';
import { resourcesInUse } from './resources-in-use.js';

const portion = 500;

export const reindex: Command<unknown> = {
  name: 'reindex',
  summary: 'Recompute counters and index of all patients with the resources in use',
  description:
    'Run it after an update of the genes: it recomputes the counters of /metrics, and running servers index every patient again.',
  async run(context) {
    const { terminal, signal } = context;
    const repository = await context.repository(matchmaker);
    const { genes } = await resourcesInUse(context);
    const total = (await repository.counts()).cases;
    const progress = terminal.progress('Patients');
    let [read, replaced] = [0, 0];
    const flush = async (batch: readonly StoredPatient[]) => {
      signal.throwIfAborted();
      replaced += await repository.replaceFacts(
        batch.map(({ number, version, patient }) => ({ number, version, facts: factsOf(patient, genes) })),
      );
      read += batch.length;
      progress.update(read / Math.max(total, read));
    };
    try {
      let batch: StoredPatient[] = [];
      for await (const stored of allPatients(repository, {})) {
        batch.push(stored);
        if (batch.length < portion) continue;
        await flush(batch);
        batch = [];
      }
      if (batch.length > 0) await flush(batch);
      await repository.counts();
    } finally {
      progress.stop();
    }
    terminal.print(`${counted(replaced, 'patient')} reindexed`);
    terminal.data({ patients: replaced });
    return 0;
  },
};
