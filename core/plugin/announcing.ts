/** What a plugin tells others that it need not know, while it serves and from its commands. */

/** A person whose data is to be erased. Ids are unique with their holder only. */
export interface Erasure {
  /** The person's id, as the holder writes it. */
  readonly id: string;
  /** Whose id it is: `own` for this institution, `any` for all who use the id, or one other node or client. */
  readonly holder: 'own' | 'any' | { readonly name: string };
}

/** What a plugin may tell others that it need not know. */
export interface Announcing {
  /**
   * Tells every plugin that listens to the event, in the order of the configuration, and resolves once all are done. The
   * key is of this plugin: `coverage/intervals-replaced@1`. Announce a change after it is stored. If listeners fail, the
   * others still run; then an `unavailable` fault names those that failed, and the caller reports it and may repeat: a
   * job that lets it through is tried again.
   */
  announce<Event extends object>(key: string, event: Event): Promise<void>;
  /** As `announce`, to every `onErase`: before this plugin erases what it would need to announce it once more. */
  announceErasure(erasure: Erasure): Promise<void>;
}
