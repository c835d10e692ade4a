/** The conformance kit on tables in memory. */
import { memorySubject } from '../memory.js';
import { describeSubject } from './contracts.js';

describeSubject(memorySubject, 3);
