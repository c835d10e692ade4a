/** The bindings of the coverage plugin's contracts for SQL do what the references above tables do (support/coverage/history.ts). */
import { cohortHistories } from './support/coverage/cohorts.js';
import { describeHistories, runs } from './support/coverage/history.js';
import { intervalHistories } from './support/coverage/intervals.js';
import { siteHistories } from './support/coverage/sites.js';
import { trackHistories } from './support/coverage/tracks.js';

describe('Histories', function () {
  this.timeout(120_000 + runs * 5000);

  describeHistories(intervalHistories);
  describeHistories(trackHistories);
  describeHistories(siteHistories);
  describeHistories(cohortHistories);
});
