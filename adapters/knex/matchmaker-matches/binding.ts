/** matchmaker-matches@1 on SQL. */
import { type MatchRepository, matchmakerMatches } from '../../../plugins/matchmaker/contract.js';
import { type Database, defineBinding } from '../binding.js';
import { addMatches } from './add.js';
import { formRows } from './forms.js';
import { migrations } from './migrations.js';
import { asked, latestQueries, queries } from './queries.js';
import { expireMatches, listMatches, recordRows, removeQueries } from './records.js';
import { scrub } from './scrub.js';
import { counts } from './tally.js';

function repository(database: Database): MatchRepository {
  return {
    add: (...matches) => addMatches(database, matches),
    matches: (page) => listMatches(database, page),
    removeQueries: (patient, only) => removeQueries(database, patient, only),
    scrub: (patient, node) => scrub(database, patient, node),
    asked: () => asked(database),
    latestQueries: () => latestQueries(database),
    queries: (numbers, found) => queries(database, numbers, found),
    expire: (before) => expireMatches(database, before),
    counts: () => counts(database),
  };
}

export default defineBinding({ contract: matchmakerMatches, migrations, rows: [recordRows, formRows], repository });
