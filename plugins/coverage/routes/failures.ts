/** The refusals that the coverage endpoints share. */
import type { AnswerDeclaration } from '../../../core/plugin.js';
import { detail } from './input.js';

const content = { 'application/json': detail };

export const failures: Record<number, AnswerDeclaration> = {
  400: { description: 'The body is no JSON, or no complete form.', content },
  401: { description: 'The access token is missing or not valid.', content },
  404: { description: 'The D4 file is not there, or not one that may be named.', content },
  413: { description: 'The body, or a file in it, is too large.', content },
  422: { description: 'A field is wrong, or does not fit the file.', content },
  503: { description: 'The host of the D4 file does not deliver it.', content },
};
