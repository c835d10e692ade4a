/** The storages that the tests of the beacon run on. */
import type { Subject } from '../../../conformance/core.js';
import { memorySubject } from '../../../kit/memory.js';
import { storages } from '../../../support/storages.js';

export const engines: readonly Subject[] = [memorySubject, ...storages];
