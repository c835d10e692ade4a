/** The engines that a bench measures. */
import { storages } from '../../support/storages.js';

/** Those that `--engines=sqlite,postgres` names; all if it is not given. */
export function chosenStorages({ engines }: Readonly<Record<string, string>>): typeof storages {
  const wanted = engines?.toLowerCase().split(',');
  return storages.filter(
    ({ adapter, name }) => wanted === undefined || wanted.includes(adapter) || wanted.includes(name.toLowerCase()),
  );
}
