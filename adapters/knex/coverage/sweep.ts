/** Sets of intervals: staged while they are loaded, and freed once no query uses them. */
import type { SetKind } from '../../../plugins/coverage/contract.js';
import { deleteRows, StagedSets } from '../staged-sets.js';
import { rowRange, tables } from './layout.js';

export const intervalSets: StagedSets<{ id: number; kind: SetKind }> = new StagedSets({
  ...{ table: 'coverage_sets', number: 'id', sign: 'touched' },
  async free(database, { id, kind }) {
    await deleteRows(database, tables[kind], 'id', 'id between ? and ?', rowRange(id));
    await database.run(({ write }) => write('coverage_sets').where({ id, state: 'dropped' }).delete());
    return true;
  },
});
