/** The conformance kit on PostgreSQL, without a session of its own if PgBouncer is installed: all other tests have one. */
import { pooledPostgres, postgres } from '../../support/storages.js';
import { describeSubject } from './contracts.js';

describeSubject(pooledPostgres ?? postgres, 3, 1);
