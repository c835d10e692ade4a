/** Events that a plugin announces to others that it need not know, from the server and from its commands. */

/** A person whose data must be erased. An id is unique only among those of its holder. */
export interface Erasure {
  /** The person's id, as the holder writes it. */
  readonly id: string;
  /** Whose id it is: `own` for this institution, `any` for every holder of the id, or one other node or client. */
  readonly holder: 'own' | 'any' | { readonly name: string };
}

/** How a plugin announces events to others that it need not know. */
export interface Announcing {
  /**
   * Calls every plugin that listens to the event, in the order of the configuration, and resolves once all are done.
   * The key is of this plugin: `coverage/intervals-replaced@1`. Announce a change after it is stored. If listeners
   * fail, the others still run; then an `unavailable` fault names those that failed. The caller reports it and may
   * repeat; a job that throws it is retried.
   */
  announce<Event extends object>(key: string, event: Event): Promise<void>;
  /** As `announce`, to every `onErase`. Call it before erasing the data that a repeated announcement would need. */
  announceErasure(erasure: Erasure): Promise<void>;
}
