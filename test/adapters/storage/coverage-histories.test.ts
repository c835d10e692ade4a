/** The bindings of the coverage plugin's contracts for SQL do what the references above tables do. */
import { intervalHistories } from './support/coverage/intervals.js';
import { siteHistories } from './support/coverage/sites.js';
import { describeHistories } from './support/history.js';

describeHistories(intervalHistories);
describeHistories(siteHistories);
