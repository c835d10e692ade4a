/** The dataset of a request to the routes of loqusdb, and their parameters and errors, which have the shape of FastAPI's. */
import { z } from 'zod';
import { type AnswerDeclaration, type ErrorShape, Fault, type RequestHead } from '../../../../core/plugin.js';
import type { Dataset } from '../../contract.js';
import type { BeaconServices } from '../../services.js';
import type { LoqusdbLookUp } from '../documents.js';
import type { LoqusdbSettings } from '../settings.js';

export interface LoqusdbFace {
  /** The path of a route, such as `/cases`. */
  path(route: string): string;
  /** The dataset of a request by its `db_name`. Throws a `not-found` fault for others than the configured ones. */
  dataset(head: Pick<RequestHead, 'query'>): Promise<Dataset>;
  lookUp(dataset: Dataset, signal: AbortSignal): LoqusdbLookUp;
  recording: BeaconServices['recording'];
}

export function loqusdbFace({ repository, recording }: BeaconServices, settings: LoqusdbSettings): LoqusdbFace {
  const base = settings.secret === undefined ? settings.prefix : `${settings.prefix}/:secret`;
  return {
    path: (route) => `${base}${route}`,
    async dataset({ query }) {
      // loqusdb would connect to any address that a client sends in `uri`.
      if (query.uri !== undefined) throw new Fault('unprocessable', 'uri is not supported: db_name chooses a dataset');
      const id = chosen(settings, query.db_name);
      const dataset = id === undefined ? undefined : await repository.dataset(id);
      if (dataset) return dataset;
      if (id !== undefined) throw new Fault('unavailable', `The dataset "${id}" of the configuration does not exist`);
      throw new Fault('not-found', 'db_name does not name a configured database');
    },
    recording,
    lookUp: (dataset, signal) => {
      const { families, homozygousCases } = settings;
      return { repository, dataset, families, homozygousCases, signal };
    },
  };
}

/** An empty `db_name` counts as none, as in loqusdb. */
function chosen({ dataset, databases }: LoqusdbSettings, name: string | string[] | undefined): string | undefined {
  if (name === undefined || name === '' || name === dataset) return dataset;
  return typeof name === 'string' && Object.hasOwn(databases, name) ? databases[name] : undefined;
}

// Declarations that the routes of loqusdb share, and their errors, which have the shape of FastAPI's.

export const jsonType = 'application/json';

const detail = z
  .object({
    detail: z.union([
      z.string(),
      z
        .array(z.object({ loc: z.array(z.string()), msg: z.string(), type: z.string() }))
        .describe('Every wrong parameter.'),
    ]),
  })
  .meta({ id: 'LoqusdbError' });

/** The status of a request whose parameters are wrong is 400 here, and not the 422 of loqusdb. */
export const errorDetail: ErrorShape = ({ message, fields }) => ({
  body: {
    detail:
      fields.length === 0
        ? message
        : fields.map(({ path, message: msg }) => ({ loc: ['query', path], msg, type: 'value_error' })),
  },
});

export function declaredError(description: string): AnswerDeclaration {
  return { description, content: { [jsonType]: detail } };
}

/** Errors of every route that reads a dataset. */
export const commonErrors: Readonly<Record<number, AnswerDeclaration>> = {
  400: declaredError('A parameter is missing or not valid.'),
  403: declaredError('The request comes from an address that is not configured.'),
  422: declaredError('The parameter uri, which is not supported.'),
  503: declaredError('The configured dataset does not exist.'),
};

const databaseParameters = {
  db_name: z.string().optional().describe('A configured database; the configured dataset if omitted.'),
};

/** FastAPI ignores parameters that a route does not name. */
export function parameters<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, ...databaseParameters });
}
