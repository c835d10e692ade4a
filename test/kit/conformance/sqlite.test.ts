/** The conformance kit on SQLite. */
import { sqlite } from '../../support/storages.js';
import { describeSubject } from './contracts.js';

describeSubject(sqlite, 3, 2);
