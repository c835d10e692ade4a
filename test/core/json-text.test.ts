import { expect } from 'chai';
import fc from 'fast-check';
import { joinedJson, jsonOf, knownJson } from '../../core/text.js';

describe('JSON text that is made once', () => {
  it('is made of the texts of members, and is that of the whole', () => {
    const member = fc.oneof(
      fc.constant(undefined),
      fc.jsonValue(),
      fc.jsonValue().map((value) => {
        const object = { value };
        return knownJson(object, JSON.stringify(object));
      }),
      fc.array(fc.jsonValue()).map((list) => {
        jsonOf(list);
        return list;
      }),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), member), (value) => {
        expect(jsonOf(joinedJson(value))).to.equal(JSON.stringify(value));
      }),
    );
  });

  it('is the known one', () => {
    expect(jsonOf(joinedJson({ n: 1, known: knownJson({}, '{ "as": "it is" }') }))).to.equal(
      '{"n":1,"known":{ "as": "it is" }}',
    );
  });
});
