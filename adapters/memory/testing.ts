/** A place for the data of a test: each opening is new, and gone when it is closed. */
import type { MakeHome } from '../../core/storage.js';

export const home: MakeHome = async () => ({ settings: {}, discard: async () => {} });
