/** Text that spreadsheets would take for formulas. */
import { expect } from 'chai';
import { csvLine } from '../../core/audit/read.js';
import { separatedCell, withoutFormula } from '../../core/text.js';

describe('text exports: formulas', () => {
  it('begin with an apostrophe, whatever quotes, blanks and controls come first', () => {
    for (const start of [
      '',
      ' ',
      '\u00A0',
      '"',
      "'",
      '`',
      '\u201C',
      '\uFF02',
      '" "',
      '\u200B',
      '\u0001',
      '\t',
      '\r\n"',
      '\uFEFF',
    ]) {
      for (const sign of ['=', '+', '-', '@', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20']) {
        const text = `${start}${sign}1+1`;
        expect(withoutFormula(text), JSON.stringify(text)).to.equal(`'${text}`);
        for (const separator of [',', '\t'] as const) {
          expect(separatedCell(text, separator).replace(/^"/, ''), JSON.stringify(text)).to.match(/^'/);
        }
      }
    }
  });

  it('are nothing else', () => {
    for (const text of ['', 'A', 'a=1', 'HLA-A', '5-10', '"A"', "O'Neil", '.', '\u05D0']) {
      expect(withoutFormula(text)).to.equal(text);
    }
    expect(separatedCell(-1.5, ',')).to.equal('-1.5');
    expect(separatedCell('"A"', ',')).to.equal('"""A"""');
    expect(separatedCell('"A"', '\t')).to.equal('\'"A"');
  });

  it('are none in the audit, where callers choose reasons', () => {
    const line = csvLine({
      ...{ at: new Date(0), actor: '"=1+1"', action: 'beacon.query', about: [' "@x"'], because: '"=1+1"' },
      ...{ outcome: 'done', chain: 'c', sequence: 1, hash: '', body: '{}', names: new Map(), detail: { '"=k': '1' } },
    } as unknown as Parameters<typeof csvLine>[0]);
    expect(line).to.equal(
      `1970-01-01T00:00:00.000Z,"'""=1+1""",beacon.query,"' ""@x""","'""=1+1""",done,"'""=k=1",,c,1\r\n`,
    );
  });
});
