/**
 * The build holds the command line twice: as modules, and prepared, as one script that starts faster (core/bin/prepared.mjs).
 * The prepared one has all built-in plugins and adapters, and serves no requests.
 */

/** Whether this is the prepared command line. */
export const isPrepared: boolean = false;

/**
 * Thrown by the prepared command line before a command did anything, to have its modules run it instead: modules from
 * elsewhere would load part of them too, beside what the script has of the same.
 */
export class HandOver extends Error {
  override readonly name = 'HandOver';
}
