/** What the routes of loqusdb share: their path, and the dataset of a request. */
import { Fault, type RequestHead } from '../../../../core/plugin.js';
import type { Dataset } from '../../contract.js';
import type { LoqusdbSettings } from '../../loqusdb/settings.js';
import type { LookUp } from '../../loqusdb/variants.js';
import type { BeaconServices } from '../../services.js';

export interface LoqusdbFace {
  /** The path of a route, such as `/cases`. */
  path(route: string): string;
  /** The dataset of a request by its `db_name`. Throws a `not-found` fault for others than the configured ones. */
  dataset(head: Pick<RequestHead, 'query'>): Promise<Dataset>;
  lookUp(dataset: Dataset, signal: AbortSignal): LookUp;
  recording: BeaconServices['recording'];
}

export function loqusdbFace({ repository, recording }: BeaconServices, settings: LoqusdbSettings): LoqusdbFace {
  const base = settings.secret === undefined ? settings.prefix : `${settings.prefix}/:secret`;
  return {
    path: (route) => `${base}${route}`,
    async dataset({ query }) {
      // loqusdb connects to the address in `uri`, whoever sends it.
      if (query.uri !== undefined) throw new Fault('unprocessable', 'uri is not supported: db_name chooses a dataset');
      const id = chosen(settings, query.db_name);
      const dataset = id === undefined ? undefined : await repository.dataset(id);
      if (dataset) return dataset;
      if (id !== undefined) throw new Fault('unavailable', `The dataset "${id}" of the configuration does not exist`);
      throw new Fault('not-found', 'db_name does not name a configured database');
    },
    recording,
    lookUp: (dataset, signal) => ({ repository, dataset, families: settings.families, signal }),
  };
}

/** An empty `db_name` counts as none, as in loqusdb. */
function chosen({ dataset, databases }: LoqusdbSettings, name: string | string[] | undefined): string | undefined {
  if (name === undefined || name === '' || name === dataset) return dataset;
  return typeof name === 'string' && Object.hasOwn(databases, name) ? databases[name] : undefined;
}
