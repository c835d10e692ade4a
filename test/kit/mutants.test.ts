/** What `npm run mutants` changes, and that it says what the kit noticed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { mutantsOf, mutated } from '../mutants/operators.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A source, and what each operator makes of it. */
const examples: readonly [source: string, operator: string, becomes: readonly string[]][] = [
  ['a && b(c);', 'drops a condition', ['a;', 'b(c);']],
  ['if (a) b();', 'drops a condition', ['if (false) b();']],
  [
    't.find({ where: { a, b: 1 } });',
    'drops a condition',
    ['t.find({ where: { b: 1 } });', 't.find({ where: { a,  } });'],
  ],
  ['q.where(x).select(y);', 'drops a condition', ['q.select(y);']],
  ["q.orderBy('a', 'desc');", 'swaps an order', ['q;', "q.orderBy('a', 'asc');"]],
  ['l.sort((a, b) => a < b ? 1 : 0);', 'swaps an order', ['l;', 'l.sort((a, b) => a > b ? 1 : 0);']],
  ['t.find({ where: { a: { below: b } } });', 'is off by one at a bound', ['t.find({ where: { a: { atMost: b } } });']],
  ["q('select 1 from t where a < ?');", 'is off by one at a bound', ["q('select 1 from t where a <= ?');"]],
  ['f({ a, b });', 'forgets a field', ['f({ b });', 'f({ a,  });']],
  ['t.find({ order, limit: 5 });', 'ignores a limit', ['t.find({ order,  });']],
  ['l.slice(0, n);', 'ignores a limit', ['l;']],
  ['() => { return undefined; };', 'returns null for absent', ['() => { return null; };']],
  ['async () => { await a(); };', 'does half', ['async () => { ; };']],
  ['t.lock({ id }, { without });', 'holds no rows', ['t.find({ where: { id }, ...{ without } });']],
  ['engine.forUpdate(q);', 'holds no rows', ['q;']],
  ["f({ key, unique: [['id']] });", 'has no unique values', ['f({ key,  });']],
  ['l.sort((a, b) => (a < b ? -1 : 1));', 'is off by one at a bound', []],
  ['n += 1;', 'counts wrongly', ['n += 0;']],
  ['() => { return n > 0; };', 'claims to have changed rows', ['() => { return true; };']],
];

describe('mutants of the kit', () => {
  for (const [source, operator, becomes] of examples) {
    it(`of "${source}": one that ${operator}`, () => {
      const found = mutantsOf(source).filter((mutant) => mutant.operator === operator);
      expect(found.map((mutant) => mutated(source, mutant).trim())).to.have.members(becomes);
      expect(found.every(({ line }) => line === 1)).to.equal(true);
    });
  }

  it('change texts and times, and leave types, steps and what is damaged alone', () => {
    const source =
      'f({ id: row.id, created: row.at, sound: (a) => a > 1 && b }); interface A { limit: 1 } step("a > b");';
    const found = mutantsOf(source).map((mutant) => mutated(source, mutant));
    expect(found.filter((text) => text.includes('.trim()')).length).to.equal(1);
    expect(found.filter((text) => text.includes('Math.floor(one / 1000) * 1000')).length).to.equal(1);
    for (const text of found)
      expect(text).to.include('a > 1 && b').and.to.include('limit: 1').and.to.include('"a > b"');
  });

  it('are run on the cases of their contract, with file and line', () => {
    const { stdout, status } = spawnSync(
      process.execPath,
      ['--import=tsx/esm', 'test/mutants/run.ts', '--contract=erasures@1', '--count=3', '--seed=4', '--workers=1'],
      { cwd: root, encoding: 'utf8' },
    );
    expect(stdout).to.match(
      /^\d+ mutants, of which \d+ are left out: they break no promise\n3 of seed 4, of which 3 are to be run$/m,
    );
    expect(stdout.match(/^(caught|missed) core\/erasures\/store\.ts:\d+ .* \(erasures@1 on .*\|.*$/gm)).to.have.length(
      3,
    );
    expect(stdout).to.match(/^3 run of 3, \d caught, \d missed: [\d.]+ %$/m);
    expect(status).to.be.oneOf([0, 1]);
  });
});
