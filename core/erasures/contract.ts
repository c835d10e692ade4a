/** erasures@1: how far the list of erasures went, so that the storage knows if the list was lost or cut. */
import { type Contract, defineContract } from '../contract.js';
import type { ListEnd } from './record.js';

export interface ErasureMemory {
  /** Returns the end with the highest number that was noted; undefined if none was. */
  known(): Promise<ListEnd | undefined>;
  /** Notes an end of the list, unless the same or a higher number is noted. */
  note(end: ListEnd): Promise<void>;
}

export const erasures: Contract<ErasureMemory> = defineContract<ErasureMemory>('erasures@1', {
  known: 'needed',
  note: 'needed',
});
