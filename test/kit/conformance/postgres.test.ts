/** The conformance kit on PostgreSQL, without a session of its own if PgBouncer is installed: all other tests have one. */
import { pooledPostgres, postgres } from '../../support/storages.js';
import { describeAdapter, expensive } from './contracts.js';

describeAdapter(pooledPostgres ?? postgres, expensive.sqlite);
