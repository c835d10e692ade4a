import type { AdapterEnvironment } from '../../core/storage.js';

/** The variable that names the embedded database, for the server and every command. */
export const environment: AdapterEnvironment = {
  variables: { TREFOIL_SQLITE_FILE: 'file' },
};
