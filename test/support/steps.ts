/** The named steps of changes (`core/step.ts`) at which tests kill the process. */
import { fileURLToPath } from 'node:url';

/** By change, in the order in which a change reaches them. */
export const steps = {
  record: ['audit.record.begun', 'audit.record.chained', 'audit.record.committed'],
  within: ['audit.within.committed'],
  add: ['beacon.add.received', 'beacon.add.queued'],
  load: [
    'beacon.load.registered',
    'beacon.load.opened',
    'beacon.load.placed',
    'beacon.load.appended',
    'beacon.load.stored',
    'beacon.load.folded',
  ],
  publish: [
    'beacon.publish.reduced',
    'beacon.publish.counted',
    'beacon.publish.moved',
    'beacon.publish.described',
    'beacon.publish.totalled',
    'beacon.publish.committed',
  ],
  consequences: ['beacon.consequences.published', 'beacon.consequences.pruned'],
  compact: ['beacon.compact.staged'],
  rewrite: ['beacon.rewrite.copied', 'beacon.rewrite.counted'],
  removal: ['beacon.remove.copied'],
  replacement: ['beacon.replace.copied'],
  waiting: ['beacon.wait.begun', 'beacon.wait.kept'],
  bringing: ['beacon.publish.held', 'beacon.publish.brought', 'beacon.publish.phased'],
  brought: ['beacon.publish.stored'],
  removalOfDataset: ['beacon.remove.dropped', 'beacon.remove.committed'],
  sweep: ['beacon.sweep.alleles', 'beacon.sweep.portion', 'beacon.sweep.extents'],
  sweepFar: ['beacon.sweep.far'],
  register: ['coverage.register.added', 'coverage.register.described'],
  check: ['coverage.check.emptied', 'coverage.check.stored'],
  unregister: ['coverage.unregister.removed'],
  track: ['coverage.track.added', 'coverage.track.replaced', 'coverage.track.removed'],
  cohort: ['coverage.cohort.used', 'coverage.cohort.left', 'coverage.cohort.added'],
  sites: ['coverage.sites.staged', 'coverage.sites.dropped'],
  regions: ['coverage.regions.staged', 'coverage.regions.dropped'],
  keptReport: ['coverage.report.named', 'coverage.report.kept', 'coverage.report.removed'],
  settle: ['matchmaker.settle.unfed', 'matchmaker.settle.fed', 'matchmaker.settle.tallied'],
  settleAll: [
    'matchmaker.settle.locked',
    'matchmaker.settle.cleared',
    'matchmaker.settle.written',
    'matchmaker.settle.committed',
  ],
  exchange: [
    'matchmaker.exchange.audited',
    'matchmaker.exchange.answered',
    'matchmaker.exchange.recorded',
    'matchmaker.exchange.posted',
    'matchmaker.triage.read',
    'matchmaker.triage.written',
    'matchmaker.exchange.committed',
  ],
  here: ['matchmaker.within.found', 'matchmaker.within.recorded', 'matchmaker.within.over'],
  review: ['reviews.run.baseline', 'reviews.run.replaced', 'reviews.run.held'],
  mail: ['matchmaker.mail.accepted', 'matchmaker.mail.removed'],
  list: ['core.list.claimed', 'core.list.appended', 'core.list.noted'],
  eraseAll: ['core.erase.listed', 'core.erase.erased', 'core.erase.purged'],
  replay: ['core.replay.found', 'core.replay.erased'],
  erase: [
    'matchmaker.erase.forgotten',
    'matchmaker.erase.removed',
    'matchmaker.erase.renamed',
    'matchmaker.erase.audited',
    'matchmaker.erase.committed',
  ],
} as const;

const preload = fileURLToPath(new URL('./kill-at.mjs', import.meta.url));

/** Whether every step of every change is tried, on each engine (`.ci/long`): the suite tries the steps of one change. */
export const thorough = process.env.TEST_STEPS === 'all';

/** How many times each step is tried: at the first arrival, and at later ones if TEST_STEP_ARRIVALS says so. */
export const arrivals = Number(process.env.TEST_STEP_ARRIVALS ?? 1);

/** The environment that kills a process at a step, at its arrival of this number. */
export function killedAt(name: string, arrival = 1): { node: string[]; env: Record<string, string> } {
  return { node: ['--import', preload], env: { TEST_KILL_AT: `${name}#${arrival}` } };
}
