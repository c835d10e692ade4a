import { expect } from 'chai';
import { z } from 'zod';
import { optionalSection } from '../../../core/schema.js';

describe('optionalSection', () => {
  const door = z.strictObject({ width: z.number().default(90).describe('In centimetres.') });

  /** A house whose door may be omitted, and how often the schema of the door was made. */
  function house() {
    let made = 0;
    const make = () => {
      made += 1;
      return door;
    };
    const schema = z.strictObject({ door: optionalSection(make).describe('Its door.'), rooms: z.int() });
    return { schema, made: () => made };
  }

  it('makes the schema only if the section is there', () => {
    const { schema, made } = house();
    for (const value of [{ rooms: 1 }, { rooms: 2, door: undefined }]) {
      expect(schema.parse(value)).to.deep.equal(value);
    }
    expect(schema.safeParse({}).error?.issues.map(({ path }) => path)).to.deep.equal([['rooms']]);
    expect(made()).to.equal(0);
    expect(schema.parse({ rooms: 1, door: {} })).to.deep.equal({ rooms: 1, door: { width: 90 } });
    expect(schema.parse({ rooms: 1, door: { width: 80 } })).to.deep.equal({ rooms: 1, door: { width: 80 } });
    expect(made()).to.equal(1);
  });

  it('reports faults within the section, and a section that is null', () => {
    const { schema } = house();
    const paths = (value: unknown) => schema.safeParse(value).error?.issues.map(({ path }) => path.join('.'));
    expect(paths({ rooms: 1, door: { width: 'x' } })).to.deep.equal(['door.width']);
    expect(paths({ rooms: 1, door: null })).to.deep.equal(['door']);
  });

  it('is described like any other optional value', () => {
    const plain = z.strictObject({ door: door.optional().describe('Its door.'), rooms: z.int() });
    const { properties, required } = z.toJSONSchema(house().schema, { io: 'input', reused: 'inline' });
    const expected = z.toJSONSchema(plain, { io: 'input', reused: 'inline' });
    expect({ properties, required }).to.deep.equal({ properties: expected.properties, required: expected.required });
  });
});
