/** Control charts as JSON: nothing rounded. */
import { type ChartRun, type Drift, hasDrifted, type RunChart } from '../comparison/runs.js';

/** Without samples: reports are read by callers who may not see which others are registered. */
export function chartData({ assay, counted, places, runs }: RunChart) {
  return { assay, counted, exons: places, runs: runs.map(runData) };
}

export function runData({ run, day, samples, medianZ, share, earlier, drift }: ChartRun) {
  return {
    run,
    day,
    samples: samples.length,
    median_z: medianZ,
    share_beyond_3: share,
    earlier_samples: earlier,
    drift: { median_z: driftData(drift.medianZ), share_beyond_3: driftData(drift.share) },
  };
}

function driftData(drift: Drift) {
  const { distance, test, rules } = drift;
  return {
    drifted: hasDrifted(drift),
    distance: distance ?? null,
    mann_whitney_u: test?.u ?? null,
    mann_whitney_p: test?.p ?? null,
    westgard: [...rules],
  };
}
