/** Declarations that the routes of loqusdb share, and their errors, which have the shape of FastAPI's. */
import { z } from 'zod';
import type { AnswerDeclaration, ErrorShape } from '../../../../../core/plugin.js';

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

export function error(description: string): AnswerDeclaration {
  return { description, content: { [jsonType]: detail } };
}

/** Errors of every route that reads a dataset. */
export const commonErrors: Readonly<Record<number, AnswerDeclaration>> = {
  400: error('A parameter is missing or not valid.'),
  403: error('The request comes from an address that is not configured.'),
  422: error('The parameter uri, which is not supported.'),
  503: error('The configured dataset does not exist.'),
};

const databaseParameters = {
  db_name: z.string().optional().describe('A configured database; the configured dataset if omitted.'),
};

/** FastAPI ignores parameters that a route does not name. */
export function parameters<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ ...shape, ...databaseParameters });
}
