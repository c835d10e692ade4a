/** The door `trefoil/adapters/knex`: bindings that plugins bring for the SQL engines. */
export type { FarPartitions, Partitions, SplitIndex } from './knex/beacon/partitions.js';
export * from './knex/binding.js';
export { bindingOf } from './knex/storage.js';
