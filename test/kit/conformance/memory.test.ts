/** The conformance kit on tables in memory. */
import { memorySubject } from '../memory.js';
import { describeAdapter, describeCoverage } from './contracts.js';

describeAdapter(memorySubject);
describeCoverage(memorySubject);
