/** The bindings of the coverage plugin's contracts for SQL do what the references above tables do. */
import { cohortHistories } from './support/coverage/cohorts.js';
import { intervalHistories } from './support/coverage/intervals.js';
import { siteHistories } from './support/coverage/sites.js';
import { trackHistories } from './support/coverage/tracks.js';
import { describeHistories } from './support/history.js';

describeHistories(intervalHistories);
describeHistories(trackHistories);
describeHistories(siteHistories);
describeHistories(cohortHistories);
