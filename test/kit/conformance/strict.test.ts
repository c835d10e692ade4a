/** The conformance kit on memory that gives no more than tables promise. */
import { strictSubject } from '../memory.js';
import { describeStrict } from './contracts.js';

describeStrict(strictSubject, [1, 2, 3]);
