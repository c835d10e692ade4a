/** coverage@1 on SQL. */
import { coverage, type IntervalRepository } from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { each, select } from './lists.js';
import { load } from './load.js';
import { findGenes, transcriptsOf } from './lookup.js';
import { migrations } from './migrations.js';
import { publishedSets, setRows } from './sets.js';
import { sweep } from './sweep.js';

function repository(database: Database): IntervalRepository {
  return {
    load: (request, now) => load(database, request, now),
    sets: async () => (await publishedSets(database)).map(({ set }) => set),
    findGenes: (build, asked) => findGenes(database, build, asked),
    transcriptsOf: (build, genes) => transcriptsOf(database, build, genes),
    select: (kind, build, filter) => select(database, kind, build, filter),
    each: (kind, build, limit, take) => each(database, kind, build, limit, take),
    sweep: (idleSince) => sweep(database, idleSince),
  };
}

export default defineBinding<IntervalRepository>({ contract: coverage, migrations, rows: [setRows], repository });
