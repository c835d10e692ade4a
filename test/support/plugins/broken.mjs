/** A module that cannot even be loaded. */
throw new Error('broken on purpose');
