/** The conformance kit on tables in memory. */
import { memorySubject } from '../memory.js';
import { describeMemory } from './contracts.js';

describeMemory(memorySubject);
