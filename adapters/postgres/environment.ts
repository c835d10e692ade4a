import type { AdapterEnvironment } from '../../core/storage.js';

/**
 * The variables of the PostgreSQL container image (`POSTGRES_…`) and of libpq (`PG…`), and the URL that hosting
 * platforms provide. If `url` and other settings are both given, the URL takes precedence.
 */
export const environment: AdapterEnvironment = {
  variables: {
    DATABASE_URL: 'url',
    POSTGRES_HOST: 'host',
    PGHOST: 'host',
    POSTGRES_PORT: 'port',
    PGPORT: 'port',
    POSTGRES_USER: 'user',
    PGUSER: 'user',
    POSTGRES_PASSWORD: 'password',
    PGPASSWORD: 'password',
    POSTGRES_DB: 'database',
    PGDATABASE: 'database',
    DATABASE_REPLICA_URL: 'replica.url',
  },
  chosenBy: ['DATABASE_URL', 'POSTGRES_HOST', 'PGHOST'],
};
