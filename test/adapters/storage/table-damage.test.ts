/** Rows of declared tables whose place in an order is damaged. SQLite keeps any value in any column. */
import { expect } from 'chai';
import { probe, thing, things } from '../../conformance/core/tables/probe.js';
import { runSql } from '../../support/sql.js';
import { sqlite } from '../../support/storages.js';
import { useHome } from './support/home.js';

describe('damaged places of rows on SQLite', () => {
  const { home, open } = useHome(sqlite);

  it('end no page with an error, and no list', async () => {
    const storage = await open([probe]);
    await storage.migrate();
    const table = storage.repository(probe).table(things);
    await table.addMany([1, 2, 3].map((place) => thing(place, { size: 10 * place })));
    // Texts come after all numbers.
    await runSql(home().section, ["update probe_things set size = 'x' where place = 2"]);
    const query = { order: ['size'], limit: 1 } as const;
    expect(await table.page({ ...query, descending: true })).to.deep.equal({ rows: [], damaged: 1, next: undefined });
    const all = await table.page({ ...query, limit: 3 });
    expect(all.rows.map(({ place }) => place)).to.deep.equal([1, 3]);
    expect(all.damaged).to.equal(1);
    // The place after row 3: what follows is damaged.
    expect(await table.page({ ...query, limit: 3, after: all.next })).to.deep.include({ rows: [], damaged: 1 });
    const found: number[] = [];
    for await (const { place } of table.each({ order: ['size'] })) found.push(place);
    expect(found).to.deep.equal([1, 3]);
  });
});
