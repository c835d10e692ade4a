/** What guides leave out of answers. */
import { expect } from 'chai';
import { abridgedJson, abridgedText } from '../support/abridged.js';

describe('guides: answers that are shown in part', () => {
  const printed = {
    id: 'a',
    counts: [
      { n: 1, of: 2 },
      { n: 3, of: 4 },
    ],
    more: null,
  };

  for (const [what, shown] of Object.entries({
    'in full': printed,
    'with some members': { id: 'a', '…': '…' },
    'with the first elements': { id: 'a', counts: [{ n: 1, of: 2 }, '…'], more: null },
    'with a value that differs each time': { id: '…', counts: printed.counts, more: null },
    'in part within parts': { counts: [{ of: 2, '…': '…' }, '…'], '…': '…' },
  })) {
    it(`are JSON ${what}`, () => {
      expect(abridgedJson(printed, shown)).to.deep.equal(shown);
    });
  }

  for (const [what, shown] of Object.entries({
    'with a wrong value': { id: 'b', '…': '…' },
    'with a member that is missing': { id: 'a', other: 1, '…': '…' },
    'with a member that was left out unmarked': { id: 'a' },
    'with nothing left out where the guide says so': { ...printed, '…': '…' },
    'with no further elements': { ...printed, counts: [...printed.counts, '…'] },
    'with another element': { counts: [{ n: 2, of: 2 }, '…'], '…': '…' },
  })) {
    it(`are not JSON ${what}`, () => {
      expect(abridgedJson(printed, shown)).to.not.deep.equal(shown);
    });
  }

  it('are lines of text', () => {
    const text = 'one (1)\ntwo\nthree\nfour';
    for (const shown of [text, 'one (1)\n…\nfour', '…\nfour', 'one …\n…', '…']) {
      expect(abridgedText(text, shown)).to.equal(shown);
    }
    for (const shown of ['one', 'one (1)\ntwo\n…\nthree\nfour', 'one (1)…\n…', '…\nfive', 'one …']) {
      expect(abridgedText(text, shown)).to.equal(text);
    }
  });
});
