/** Events that a plugin announces to others that it need not know, from the server and from its commands. */
import type { Erasure } from '../erasures/erasure.js';

/** How a plugin announces events to others that it need not know. */
export interface Announcing {
  /**
   * Calls every plugin that listens to the event, in the order of the configuration, and resolves once all are done.
   * The key is of this plugin: `coverage/intervals-replaced@1`. Announce a change after it is stored. If listeners
   * fail, the others still run; then an `unavailable` fault names those that failed. The caller reports it and may
   * repeat; a job that throws it is retried.
   */
  announce<Event extends object>(key: string, event: Event): Promise<void>;
  /**
   * Puts the erasure on the list of erasures, which is replayed after an older backup was restored, and then calls the
   * `onErase` of all other plugins. Throws as `announce`. Call it before erasing the plugin's own data, which a repeated
   * announcement would need.
   */
  announceErasure(erasure: Erasure): Promise<void>;
}
