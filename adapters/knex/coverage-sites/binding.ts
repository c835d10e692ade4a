/** coverage-sites@1 on SQL. */
import { coverageSites, type SiteRepository } from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { find } from './find.js';
import { load } from './load.js';
import { migrations } from './migrations.js';
import { setRows } from './rows.js';
import { publishedSets, remove, siteSets } from './sets.js';

function repository(database: Database): SiteRepository {
  return {
    load: (request, now) => load(database, request, now),
    sets: async (options) => (await publishedSets(database.until(options?.signal))).map(({ set }) => set),
    find: (build, wanted, options) => find(database.until(options?.signal), build, wanted),
    remove: (name, build) => remove(database, name, build),
    sweep: (idleSince) => siteSets.sweep(database, idleSince),
  };
}

export default defineBinding<SiteRepository>({ contract: coverageSites, migrations, rows: [setRows], repository });
