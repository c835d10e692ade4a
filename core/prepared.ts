/**
 * The build holds our modules twice: for servers, and as functions from which commands are prepared, which then start faster
 * (core/bin/prepared.mjs). The prepared command line has all built-in plugins and adapters, and serves no requests.
 */

/** Whether this is the prepared command line. */
export const isPrepared: boolean = false;

/**
 * Thrown by the prepared command line before a command did anything, to have its modules run it instead: modules from
 * elsewhere would load some of them too, beside the functions of the same.
 */
export class HandOver extends Error {
  override readonly name = 'HandOver';
}
