import { expect } from 'chai';
import { confirmed, dayOf } from '../../core/commands.js';
import { faultOf } from '../support/fault.js';

describe('what operators type', () => {
  it('is a day that exists, and means its first moment in UTC', async () => {
    expect(dayOf('2030-01-31').toISOString()).to.equal('2030-01-31T00:00:00.000Z');
    expect(dayOf('2028-02-29').toISOString()).to.equal('2028-02-29T00:00:00.000Z');
    for (const text of ['2030-02-31', '2029-02-29', '2030-13-01', '2030-1-31', '31.01.2030', '2030-01-31T10:00Z', '']) {
      const { message } = await faultOf(
        Promise.resolve().then(() => dayOf(text)),
        'invalid',
      );
      expect(message).to.equal(`"${text}" is not a date such as 2030-01-31`);
    }
  });

  for (const [yes, answer, expected] of [
    [true, false, true],
    [undefined, true, true],
    [undefined, false, false],
  ] as const) {
    it(`confirms ${expected ? 'the change' : 'nothing'}: --yes ${yes ?? 'omitted'}, answer ${answer}`, async () => {
      const questions: string[] = [];
      const notes: string[] = [];
      const terminal = {
        confirm: async (question: string) => {
          questions.push(question);
          return answer;
        },
        note: (line: string) => void notes.push(line),
      };
      const confirmation = { question: 'Continue?', yes, otherwise: 'Nothing was deleted' };
      expect(await confirmed(terminal, confirmation)).to.equal(expected);
      expect(questions).to.deep.equal(yes ? [] : ['Continue?']);
      expect(notes).to.deep.equal(expected ? [] : ['Nothing was deleted. Without a terminal, confirm with --yes.']);
    });
  }
});
