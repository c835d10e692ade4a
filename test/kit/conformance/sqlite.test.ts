/** The conformance kit on SQLite. */
import { sqlite } from '../../support/storages.js';
import { describeEngine, expensive } from './contracts.js';

describeEngine(sqlite, 0, expensive.postgres);
