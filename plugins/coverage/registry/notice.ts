/** Notices that the file of a registered sample has changed, when a request reads it. */
import { isFault, type Jobs, type StorageLog } from '../../../core/plugin.js';
import type { Examine } from '../domain/examine.js';
import type { Registration } from '../domain/sample.js';
import { type Registry, recordCheck } from './changes.js';

export interface NoticeTools {
  registry: Registry;
  jobs: Pick<Jobs, 'enqueue'>;
  log: Pick<StorageLog, 'warn'>;
  /** The job that checks a sample. */
  job: string;
}

/** The same, and marks samples whose file changed and queues their check. The answer does not depend on it. */
export function noticing(examine: Examine, tools: NoticeTools): Examine {
  return async (question) => {
    const found = await examine(question);
    for (const { asked, depths } of found.samples) {
      const { registration } = asked;
      if (registration?.fingerprint === undefined || registration.fingerprint === depths.file.fingerprint) continue;
      await note(registration, tools);
    }
    return found;
  };
}

async function note({ id, revision }: Registration, { registry, jobs, log, job }: NoticeTools): Promise<void> {
  try {
    if (!(await recordCheck(registry, { id, revision }, { state: 'changed' }))) return;
    await jobs.enqueue(job, { id }, { owner: 'server', key: `${job} ${id}` });
  } catch (error) {
    if (!isFault(error)) throw error;
    log.warn({ reason: error.message }, 'a changed coverage file could not be noted');
  }
}
