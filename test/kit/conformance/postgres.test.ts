/** The conformance kit on PostgreSQL, without a session of its own if PgBouncer is installed: all other tests have one. */
import { pooledPostgres, postgres } from '../../support/storages.js';
import { describeEngine, expensive } from './contracts.js';

describeEngine(pooledPostgres ?? postgres, 1, expensive.sqlite);
