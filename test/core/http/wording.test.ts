/** The sentences for input that a schema refuses: what is accepted, without the value. */
import { expect } from 'chai';
import { z } from 'zod';
import { validate } from '../../../core/http/dispatch.js';
import { faultOf } from '../../support/fault.js';

const refusal = async (part: 'query' | 'body', schema: z.ZodType, value: unknown): Promise<string> => {
  const schemas = { params: undefined, query: undefined, body: undefined, [part]: schema };
  const sent = { params: undefined, query: undefined, body: undefined, [part]: value };
  return (await faultOf((async () => validate(schemas, sent))(), 'invalid')).message;
};

describe('input that a schema refuses', () => {
  const fields = z.strictObject({
    text: z.string().max(3).optional(),
    short: z.string().min(1).optional(),
    count: z.int().min(1).max(9).optional(),
    part: z.number().gt(0).lt(1).optional(),
    list: z.array(z.string()).min(2).max(3).optional(),
    yes: z.boolean().optional(),
    only: z.enum(['', 'gene']).optional(),
    word: z.enum(['a', 'b']).optional(),
    day: z.iso.date().optional(),
    code: z.string().regex(/^x\d$/).optional(),
    either: z.union([z.string(), z.strictObject({ id: z.string() })]).optional(),
    inner: z.strictObject({ id: z.string(), kind: z.enum(['a']) }).optional(),
  });
  const refused: [value: unknown, message: string][] = [
    [{ text: 'secret' }, 'text: must have at most 3 characters'],
    [{ text: 17 }, 'text: must be text'],
    [{ short: '' }, 'short: must have at least 1 character'],
    [{ count: 0 }, 'count: must be at least 1'],
    [{ count: 10 }, 'count: must be at most 9'],
    [{ count: 1e300 }, 'count: must be at most 9'],
    [{ count: 1.5 }, 'count: must be a whole number'],
    [{ count: Number.NaN }, 'count: must be a number'],
    [{ part: 0 }, 'part: must be more than 0'],
    [{ part: 1 }, 'part: must be less than 1'],
    [{ list: ['a'] }, 'list: must have at least 2 entries'],
    [{ list: 17 }, 'list: must be a list'],
    [{ yes: 'true' }, 'yes: must be true or false'],
    [{ only: 'secret' }, 'only: must be gene'],
    [{ word: 'secret' }, 'word: must be one of a, b'],
    [{ day: '2026-02-30' }, 'day: must be a date such as 2026-11-23'],
    [{ code: 'secret' }, 'code: must match /^x\\d$/'],
    [{ either: 17 }, 'either: has none of the accepted forms'],
    [{ inner: {} }, 'inner.id: is missing; inner.kind: is missing'],
    [{ txt: 1, inner: 1 }, 'inner: must be an object; "txt" is not a known field'],
    [['secret'], 'The body must be an object'],
  ];

  for (const [value, message] of refused) {
    it(message, async () => {
      expect(await refusal('body', fields, value)).to.equal(message);
    });
  }

  it('is a parameter that is given twice', async () => {
    expect(await refusal('query', fields, { text: ['a', 'b'] })).to.equal('text: is given 2 times');
    expect(await refusal('query', fields, { word: ['a', 'b', 'a'] })).to.equal('word: is given 3 times');
  });
});
