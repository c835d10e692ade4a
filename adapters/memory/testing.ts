/** Storage for a test: new each time it is opened, and lost when it is closed. */
import type { MakeHome } from '../../core/storage.js';

export const home: MakeHome = async () => ({ settings: {}, discard: async () => {} });
