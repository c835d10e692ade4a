/** Runs the kit on the runner that comes with Node.js; started as a process of its own by runners.test.ts. */
import { describe, it } from 'node:test';
import { describeContract, describeStorage, tokenCases, tokens } from '../../conformance/core.js';
import { memorySubject } from '../memory.js';

describeStorage({ describe, it }, memorySubject);
describeContract({ describe, it }, memorySubject, tokens, tokenCases);
