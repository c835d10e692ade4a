/** coverage@1 on SQL. */
import { coverage, type IntervalRepository, type ReadOptions } from '../../../plugins/coverage/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { each, select } from './lists.js';
import { load } from './load.js';
import { findGenes, transcriptsOf } from './lookup.js';
import { migrations } from './migrations.js';
import { publishedSets, setRows } from './sets.js';
import { intervalSets } from './sweep.js';

function repository(database: Database): IntervalRepository {
  /** The database as one caller reads it, until it gives up. */
  const until = (options: ReadOptions | undefined) => database.until(options?.signal);
  return {
    load: (request, now) => load(database, request, now),
    sets: async (options) => (await publishedSets(until(options))).map(({ set }) => set),
    findGenes: (build, asked, options) => findGenes(until(options), build, asked),
    transcriptsOf: (build, genes, options) => transcriptsOf(until(options), build, genes),
    select: (kind, build, filter, options) => select(until(options), kind, build, filter),
    each: (kind, build, limit, take, options) => each(until(options), kind, build, limit, take),
    sweep: (idleSince) => intervalSets.sweep(database, idleSince),
  };
}

export default defineBinding<IntervalRepository>({ contract: coverage, migrations, rows: [setRows], repository });
