/** The conformance kit on SQLite. */
import { sqlite } from '../../support/storages.js';
import { describeAdapter, expensive } from './contracts.js';

describeAdapter(sqlite, expensive.postgres);
